"""Finds recurring phrases over which readers stumble, in pages, docstrings, messages, configs and notebooks.

`make lint` calls it after codespell. It prints each phrase that it finds, with a better one. A phrase is added to the list when it
has been corrected for the second time.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("keras_attn", "docs", "benchmarks", "configs", "export", "notebooks", "saved_models")
KINDS = {".md", ".py", ".toml", ".ipynb"}
LEFT_OUT = {"node_modules", "phrasebook_grammar", "__pycache__"}

# Sounds that take "an", and words spelled with a vowel that do not.
_VOWEL = (
    r"(?!un[ai]|us[eu]|usual|ut[ei]|eu|on[ec]e?\b|u\b|a\b|is\b|el\b|es\b|en\b|e\b|esta\b)[aeiou][a-z]{2,}"
)

# What there is one of something for.
_UNIT = r"(batch|head|hypothesis|key|language|layer|line|model|pair|piece|row|sentence|source|target|word)"

# A rate: 3 ms per sentence.
_MUCH = r"(bytes|instructions?|launch(es)?|MB|milliseconds?|microseconds?|ms|µs|tokens?|words)"
_EACH = r"(batch|call|caption|language|line|parameter|second|sentence|step|token|turn|word)"

# A phrase may be broken over two lines.
_SPACE = r"(?: |\n *(?:# )?)"

ANYWHERE = {
    rf"\b[Aa] {_VOWEL}": "an ...",
    r"\b[Aa]n (?!hour|honest|heir|d(ie|er|en|em|as)\b)[bcdfghjklmnpqrstvwyz][a-z]{2,}": "a ...",
    r"\b([Tt]he|[Aa]|of|to|in|and|with|is|it) \1\b": "the word once",
    r"\b[Tt]akes a (int|integer|element)\b": "takes an integer",
    r"\bmessage for that is dark\b": "the error is cryptic",
    r"\bwhose code stood on\b": "migrating from",
    r"\bby a program that (is|was) not kept\b": "leave it out, or say **Cannot be repeated** at the top",
    r"\bthere are to be (few|no|many)\b": "we keep ... small",
    r"\bgo(es|ne)? on with (a|the) (training|distillation)\b": "resumes",
    r" is one of \{": "must be one of",
    r"\bis no reason to\b(?! install)": "does not mean that",
    r"\btrainings\b": "training runs",
    r"\b[Aa] training (is|was|has|goes|does|whose|of)\b": "a training run ...",
    r"\b(go|goes|went) on from\b": "resumes, or continues from",
    r"\bbut for (the|its|their|those|one|two|rounding)\b": "except for",
    rf"\b[Oo]ne [a-z]+ an? {_UNIT}\b": "one ... per ...",
    rf"\b{_MUCH} an? {_EACH}\b": "... per ...",
    r"\bonce an? (batch|call|sentence|source|step)\b": "once per ...",
    r"\bso many (bytes|lines|of|processes|sub-words|tokens|words)\b": "this many",
    r"\bapart by spaces\b": "separated by spaces",
    r"\bhangs? on (the|an?|its|LiteRT|XLA)\b": "depends on",
    r"(s_t|s'_t|s_\{t-1\}|\b[Ss]tate( before| so far)?) asks\b": "is the query",
    r"\b(is|are) no (array|number|piece|trie)\b": "is not a ...",
}
IN_PAGES = {
    r"\bTensorflow\b": "TensorFlow",
    r"\bLitert\b|\bLiteRt\b": "LiteRT",
    r"\bSentencepiece\b": "SentencePiece",
    r"\bMulti30K\b": "Multi30k",
    r"\bSacre[Bb][Ll][Ee][Uu]\b|\bsacrebleu\b": "sacreBLEU",
    r"\bsub word|\bsubword (?!sampling|regularisation)": "sub-word",
    r"\bpre-trained\b": "pretrained",
    r"\bwe have found that\b": "say it",
}


def files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS and not LEFT_OUT & set(path.parts) and path != Path(__file__).resolve():
                yield path


def without_code(page: str) -> str:
    """A page with as many lines, but without fenced blocks, code spans and tables of what a model says."""
    for block in (r"^```[\s\S]*?^```$", r"^\|[^|\n]*\| what it says \|\n(\|.*\n)+"):
        page = re.sub(block, lambda found: "\n" * found[0].count("\n"), page, flags=re.M)
    return re.sub(r"`[^`\n]*`", "`", page)


def found(path: Path) -> Iterator[str]:
    text, phrases = path.read_text(encoding="utf-8"), dict(ANYWHERE)
    if path.suffix == ".md":
        text, phrases = without_code(text), phrases | IN_PAGES
    for phrase, better in phrases.items():
        for each in re.finditer(phrase.replace(" ", _SPACE), text):
            number = text.count("\n", 0, each.start()) + 1
            said = " ".join(each[0].split())
            yield f"{path.relative_to(ROOT)}:{number}: {said!r}: write {better}"


def main() -> int:
    complaints = [complaint for path in files() for complaint in found(path)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
