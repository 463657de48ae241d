"""The fenced blocks of a page, with what the HTML comment in front of one says about it."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"(?:<!--(?P<comment>.*?)-->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its code and the comment in front of it."""

    language: str
    code: str
    comment: str = ""

    @property
    def reason(self) -> str:
        """Why it is not run: `<!-- not run: REASON -->`; "" if it is."""
        return self.comment.removeprefix("not run:").strip() if self.comment.startswith("not run:") else ""

    @property
    def file(self) -> str:
        """The name under which a reader is to save it: `<!-- file: NAME -->`."""
        return self.comment.removeprefix("file:").strip() if self.comment.startswith("file:") else ""


def blocks(page: Path) -> list[Block]:
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(m["language"], m["code"], (m["comment"] or "").strip()) for m in found]


PAGES = sorted((ROOT / "docs").rglob("*.md"))
