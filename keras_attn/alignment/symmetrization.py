"""Combines the alignments of a model and a model of the other direction into one."""

import itertools

from keras_attn.text.links import Links

_NEIGHBOURS = [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)]


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """Combines the links of two directions, each `(source word, target word)`, as Koehn et al. do.

    It starts from the links that both have in common. A link of either direction that touches one of these, even diagonally, is
    added if at least one of its words has no link yet (grow-diag). Finally, links with two unlinked words are added, those of
    `forward` first (final-and).

    Reference: Koehn et al. 2005, "Edinburgh System Description for the 2005 IWSLT Speech Translation Evaluation".
    """
    union, links = forward | backward, forward & backward
    sources, targets = {i for i, _ in links}, {j for _, j in links}

    def join(link: tuple[int, int]) -> None:
        links.add(link)
        sources.add(link[0])
        targets.add(link[1])

    grown = True
    while grown:
        grown = False
        for i, j in sorted(links):
            for di, dj in _NEIGHBOURS:
                link = (i + di, j + dj)
                if link in union and link not in links and not (link[0] in sources and link[1] in targets):
                    join(link)
                    grown = True
    for link in (*sorted(forward), *sorted(backward)):
        if link[0] not in sources and link[1] not in targets:
            join(link)
    return links
