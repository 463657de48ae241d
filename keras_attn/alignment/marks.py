"""Carries the tags of HTML over to the translation: the model translates the text, and its attention places the tags.

    >>> translate_marked(translator, ["I gave <b>my dog</b> a bone.<br>"])
    ['Le di a <b>mi perro</b> un hueso.<br>']

Every tag of a line appears exactly once in the translation, and elements keep their nesting. An element encloses the span of the
translation with the most words that attend to its words and the fewest others; if no word attends to it, it is empty. A tag inside
a word counts for the whole word. A line break, an image or a tag without its counterpart is placed between the words that attend to
what comes before it and those that attend to what comes after it.

Both lines are HTML: `&amp;`, `&#39;` and other character references are translated as the characters that they stand for, and `&`,
`<` and `>` in the translation are written as references.
"""

import dataclasses
import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

from keras_attn.alignment.align import attention_of_words, check_attention
from keras_attn.alignment.word_alignment import links
from keras_attn.inference.options import check_texts_only
from keras_attn.text.framing import check_lines
from keras_attn.text.links import Links
from keras_attn.text.words import word_of_pieces

if TYPE_CHECKING:
    from keras_attn.inference.options import Options
    from keras_attn.inference.translator import Translator

# A script or a style sheet, which is no text; a comment, which ends with the line at the latest; a tag, whose quoted values may
# have < and >; a declaration; an instruction.
_TAG = re.compile(
    r"""(?i:<(?:script|style)\b.*?(?:</(?:script|style)\s*>|$))|<!--.*?(?:-->|$)|</?[A-Za-z](?:[^<>=]|=\s*(?:"[^"]*"|'[^']*')?)*+>|<![A-Za-z][^<>]*>|<\?[^<>]*>"""
)
# Elements without words, placed whole.
_WORDLESS = re.compile("script|style|area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")
# Elements within a sentence; the beginning or end of any other also begins or ends a word.
_INLINE = re.compile(
    "a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_DEEPEST = 100  # elements in one another; a tag further inside is placed alone
_PUNCTUATION = re.compile(r"(&(amp|lt|gt);|[^\w\s])+$")
_FIRST_PUNCTUATION = re.compile(r"(&(amp|lt|gt);|[^\w\s])+")


@dataclasses.dataclass
class Element:
    """An element with a beginning and an end, or a single tag, between the words of a line.

    Attributes:
        tags: the start and end tag, or the single tag.
        start, end: it contains the words from `start` up to, not including, `end`.
        inside: the elements in it, in order.
        after_mark: whether its beginning is between a punctuation mark and a word.
        before_mark: whether its end is between a word and a punctuation mark.
        spaced: whether there is a space on the left and on the right of a single tag.
    """

    tags: list[str]
    start: int
    end: int = 0
    inside: list["Element"] = dataclasses.field(default_factory=list)
    after_mark: bool = False
    before_mark: bool = False
    spaced: tuple[bool, bool] = (False, False)


@dataclasses.dataclass(frozen=True)
class Marked:
    """A line without its tags, its number of words, and the elements of the tags."""

    text: str
    words: int
    elements: list[Element]


def translate_marked(
    translator: "Translator",
    lines: Sequence[str],
    beam_size: int | None = None,
    **options: Unpack["Options"],
) -> list[str]:
    """Translates lines and places their tags.

    Args:
        translator: a model with attention.
        lines, beam_size, options: as for a call of a `Translator`.

    Raises:
        TypeError, ValueError: the model has no attention, or whatever such a call refuses.
    """
    check_attention(translator)
    check_lines(lines)
    check_texts_only(options)
    tokenizer = translator.source_tokenizer

    def count(text: str) -> int:
        """The words to which attention refers: the tokenizer divides some texts differently from `str.split`."""
        (ids,) = tokenizer.encode([text])
        return max(word_of_pieces(tokenizer.pieces(ids)), default=-1) + 1

    parsed = [parse(line, count) for line in lines]
    found = translator.translate([marked.text for marked in parsed], beam_size, **options)
    translations = []
    for marked, translation in zip(parsed, found, strict=True):
        alignment: Links = set()
        if translation.weights is not None:
            alignment = links(attention_of_words(translator, translation, keep_eos=False).weights)
        translations.append(placed(marked, translation.text, alignment=alignment))
    return translations


def parse(line: str, count: Callable[[str], int] = lambda text: len(text.split())) -> Marked:
    """Removes the tags from a line, and decodes its character references.

    Args:
        line: HTML.
        count: the number of words in a text. Default: the words between spaces.
    """
    texts = [_unescaped(text) for text in _TAG.split(line)]
    text, tags = texts[0], []
    for tag, (before, after) in zip(_TAG.findall(line), pairwise(texts), strict=True):
        if not _INLINE.fullmatch(_name(tag)) and text and not text[-1].isspace():
            text += " "
        tags.append((tag, len(text), (before[-1:].isspace(), after[:1].isspace())))
        text += after
    return Marked(text, count(text), _elements(text, tags, count))


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits, which is no character
        return text


def placed(marked: Marked, translation: str, *, alignment: Links) -> str:
    """Places the elements of a line in its translation.

    Args:
        marked: the line.
        translation: the translation of its text.
        alignment: pairs of a word of the text and a word of the translation; the words of the translation are separated by spaces.

    Returns:
        HTML.
    """
    words = html.escape(translation, quote=False).split()
    sources: list[set[int]] = [set() for _ in words]
    for i, j in alignment:
        if j < len(words):
            sources[j].add(i)
    whole = (0, marked.words)
    return _joined(_pieces(marked.elements, words, sources=sources, span=(0, len(words)), of=whole))


def _elements(
    text: str, tags: list[tuple[str, int, tuple[bool, bool]]], count: Callable[[str], int]
) -> list[Element]:
    """The elements of the tags as a tree, each with its position in the text and with or without spaces around it."""
    total = count(text)
    stack = [Element([], 0)]
    for tag, place, spaced in tags:
        begun = count(text[:place])  # number of words that begin before the tag
        ended = total - count(text[place:])
        name = _name(tag)
        open_at = next((i for i in range(len(stack) - 1, 0, -1) if _name(stack[i].tags[0]) == name), 0)
        if tag.startswith("</") and open_at:
            _leave_open(stack, open_at)
            element = stack.pop()
            element.tags.append(tag)
            element.end = max(element.start, begun)
            element.before_mark = bool(_PUNCTUATION.match(text[place : place + 1]))
        elif (
            tag.startswith(("</", "<!", "<?"))
            or tag.endswith("/>")
            or _WORDLESS.fullmatch(name)
            or len(stack) > _DEEPEST
        ):
            stack[-1].inside.append(Element([tag], begun, begun, spaced=spaced))
        else:
            after_mark = bool(_PUNCTUATION.search(text[:place]))
            element = Element([tag], ended, ended, spaced=spaced, after_mark=after_mark)
            stack[-1].inside.append(element)
            stack.append(element)
    _leave_open(stack, 0)
    return stack[0].inside


def _leave_open(stack: list[Element], depth: int) -> None:
    """Elements still open above a depth have no end tag: each becomes a single tag, and its content moves after it."""
    while len(stack) > depth + 1:
        element = stack.pop()
        stack[-1].inside += element.inside
        element.inside = []


def _pieces(
    elements: Sequence[Element],
    words: Sequence[str],
    *,
    sources: Sequence[set[int]],
    span: tuple[int, int],
    of: tuple[int, int],
) -> Iterator[tuple[str, Any]]:
    """The words and elements in a span of the translation, in order.

    Args:
        elements: the elements of the source words `of`, which belong in the span.
        sources: for each word of the translation, the source words to which it attends.
    """
    low, high = span
    wanted = [(_stretch(element, sources, span=span, of=of), element) for element in elements]
    here = low
    for (start, end), element in sorted(wanted, key=lambda each: each[0][0]):
        start = max(start, here)
        end = max(start, end)
        yield from (("word", word) for word in words[here:start])
        if len(element.tags) == 1:
            yield "single", element
        else:
            yield "open", element
            own = (element.start, element.end)
            yield from _pieces(element.inside, words, sources=sources, span=(start, end), of=own)
            yield "close", element
        here = end
    yield from (("word", word) for word in words[here:high])


def _stretch(
    element: Element, sources: Sequence[set[int]], *, span: tuple[int, int], of: tuple[int, int]
) -> tuple[int, int]:
    """The best part of a span for an element: each of its own words counts 1, each word of others -1."""
    low, high = span
    own = set(range(element.start, element.end))
    if own and (element.start, element.end) == of:
        return span
    best, best_sum = None, 0
    for start in range(low, high):
        total = 0
        for end in range(start, high):
            total += bool(sources[end] & own) - bool(sources[end] - own and not sources[end] & own)
            if total > best_sum:
                best, best_sum = (start, end + 1), total
    if best:
        return best

    def crossed(gap: int) -> int:
        """How many words would be on the wrong side of the gap, compared with the source words to which they attend."""
        before, after = sources[low:gap], sources[gap:high]
        return sum(any(i >= element.start for i in each) for each in before) + sum(
            any(i < element.start for i in each) for each in after
        )

    gap = min(range(low, high + 1), key=crossed)
    return gap, gap


def _joined(pieces: Iterable[tuple[str, Any]]) -> str:
    """Joins words by spaces, with tags next to the words that they enclose and punctuation marks as in the line."""
    out: list[str] = []
    apart = False  # whether a space comes before the next part
    after_mark = None  # the place of a start tag that a punctuation mark of the next word comes before
    for kind, piece in pieces:
        if kind == "word" and after_mark is not None:
            mark = _FIRST_PUNCTUATION.match(piece)
            if mark and mark[0] != piece:
                out.insert(after_mark, mark[0])
                piece = piece[mark.end() :]
        if kind == "close":
            mark = _PUNCTUATION.search(out[-1]) if piece.before_mark and not out[-1].endswith(">") else None
            if mark:
                out[-1] = out[-1][: mark.start()]
            out += [piece.tags[1], mark[0]] if mark else [piece.tags[1]]
        else:
            spaced = piece.spaced[0] if kind == "single" else True
            out += [" "] * (apart and spaced)
            if kind == "open" and piece.after_mark and after_mark is None:
                after_mark = len(out)
            out.append(piece if kind == "word" else piece.tags[0])
        if kind != "open":
            after_mark = None
        apart = {"word": True, "close": True, "open": False}.get(kind, kind == "single" and piece.spaced[1])
    return "".join(out)


def _name(tag: str) -> str:
    """Of an element in small letters; `""` of anything else."""
    return (re.match(r"</?([A-Za-z][^\s/>]*)|", tag)[1] or "").lower()
