"""Links between the words of a sentence pair, and Pharaoh's notation for them."""

import re

Links = set[tuple[int, int]]  # (source word, target word), both counted from 0


def format_pharaoh(links: Links) -> str:
    """One sentence's links as `source-target` word numbers from 0, in order: `0-0 1-2`."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def parse_links(line: str, first: int = 0) -> tuple[Links, Links]:
    """Reads one sentence's sure links `i-j` and possible ones `ipj` (the talp format; Pharaoh's has only sure links).

    Args:
        line: the links, separated by spaces; an empty line has none.
        first: the number of a sentence's first word in the line, 0 or 1.

    Returns:
        The sure and the possible links, counted from 0.

    Raises:
        ValueError: the line contains something else, or a number below `first`.
    """
    links: dict[str, Links] = {"-": set(), "p": set()}
    for pair in line.split():
        match = re.fullmatch("([0-9]+)([-p])([0-9]+)", pair)
        if not match:
            raise ValueError(
                f"expected source-target links such as 0-0 1-2, or 1p2 for a possible one; got {pair!r}"
            )
        link = int(match[1]) - first, int(match[3]) - first
        if min(link) < 0:
            raise ValueError(f"words are counted from {first}; got {pair!r}")
        links[match[2]].add(link)
    return links["-"], links["p"]
