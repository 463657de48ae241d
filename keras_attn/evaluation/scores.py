"""BLEU and chrF, on raw text and as in the Multi30k papers, each with a signature that says how it was computed.

BLEU: Papineni et al. 2002. chrF: Popović 2015. Why signatures: Post 2018, "A Call for Clarity in Reporting BLEU
Scores".
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from keras_attn.text.framing import check_lines

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU, CHRF

RESAMPLINGS = 1000  # of a test set, for confidence intervals


@dataclasses.dataclass(frozen=True)
class Scores:
    """BLEU and chrF2 of a corpus, 0 to 100; a score is never printed without its signature.

    Attributes:
        bleu_interval: half the width of the 95 % confidence interval, if it was asked for (bootstrap, Koehn 2004).
        chrf_interval: the same for chrF2.
    """

    bleu: float
    bleu_signature: str
    chrf: float
    chrf_signature: str
    bleu_interval: float | None = None
    chrf_interval: float | None = None

    def as_dict(self) -> dict[str, float | str]:
        """The fields by name, for `metrics.json`, without those that are None."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    def __str__(self) -> str:
        return f"BLEU  {_shown(self.bleu, self.bleu_interval)}  {self.bleu_signature}\n{self.chrf_line}"

    @property
    def chrf_line(self) -> str:
        """Only chrF, for text without spaces, for which BLEU is nearly always 0."""
        return f"chrF2 {_shown(self.chrf, self.chrf_interval)}  {self.chrf_signature}"


@dataclasses.dataclass(frozen=True)
class LengthBucket:
    """BLEU of the sentences with `shortest` to `longest` source words (None in the last bucket: no limit)."""

    shortest: int
    longest: int | None
    count: int
    bleu: float | None  # both are None in a bucket without sentences
    bleu_signature: str | None

    def __str__(self) -> str:
        words = f"{self.shortest}+" if self.longest is None else f"{self.shortest}-{self.longest}"
        score = "no BLEU" if self.bleu is None else f"BLEU {self.bleu:5.1f}  {self.bleu_signature}"
        return f"{words:>7} words {self.count:6d} sentences  {score}"


def corpus_scores(hypotheses: Sequence[str], *references: Sequence[str], intervals: bool = False) -> Scores:
    """Scores detokenised, cased text with sacreBLEU's defaults (13a tokens).

    Args:
        hypotheses: translations as the model writes them.
        references: one or more lists, each with one reference per hypothesis.
        intervals: whether to compute confidence intervals too, from 1,000 resampled sets.

    Raises:
        ValueError: the lists are empty or differ in length.
        TypeError: a string was passed instead of a list.
    """
    from sacrebleu.metrics import BLEU, CHRF

    return _scores(hypotheses, references, BLEU(), CHRF(), intervals)


def tokenized_scores(
    hypotheses: Sequence[str],
    tokenized_references: Sequence[str],
    language: str,
    *,
    intervals: bool = False,
) -> Scores:
    """Scores against references that are already lowercased, Moses-normalised and Moses-tokenised.

    The hypotheses are raw text and get the same treatment here (`moses_tokens`). Published Multi30k scores are computed this way.
    Compare them only with each other, not with `corpus_scores`: the end of the signature names the treatment.

    Args:
        hypotheses: translations as the model writes them, cased and not tokenised.
        tokenized_references: lines of a `*.lc.norm.tok.*` file, its XML entities (`&apos;`) included.
        language: two-letter code of the target language, for instance `"de"`.
        intervals: as for `corpus_scores`.

    Raises:
        ValueError: the lists are empty or differ in length, or `language` is not a code.
    """
    import sacremoses
    from sacrebleu.metrics import BLEU, CHRF

    _check_lines(hypotheses, tokenized_references)
    # force: the text is tokenised on purpose, so sacreBLEU should not warn about it.
    bleu, chrf = BLEU(lowercase=True, tokenize="none", force=True), CHRF(lowercase=True)
    scores = _scores(moses_tokens(hypotheses, language), [tokenized_references], bleu, chrf, intervals)
    treatment = f"|moses:lc.norm.tok.{language}|sacremoses:{sacremoses.__version__}"
    return dataclasses.replace(
        scores,
        bleu_signature=scores.bleu_signature + treatment,
        chrf_signature=scores.chrf_signature + treatment,
    )


def moses_tokens(lines: Sequence[str], language: str) -> list[str]:
    """Lowercases, normalises punctuation and tokenises like Moses, in this order; joins the tokens by spaces.

    Hyphens are not split, and XML's special characters are escaped (`&quot;`). It reproduces every line of Multi30k's
    `task1/tok/*.lc.norm.tok.{de,fr}` from the raw line. A language without its own rules in Moses gets the general ones.

    Raises:
        ValueError: `language` is not a two- or three-letter code.
    """
    if not re.fullmatch("[a-z]{2,3}", language):
        raise ValueError(f"language must be a code such as 'de' or 'fr'; got {language!r}")
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    normalizer, tokenizer = MosesPunctNormalizer(language), MosesTokenizer(language)
    # Moses' script sees the line break too, and its rule for a full stop before a closing quote needs it.
    normalized = (normalizer.normalize(line.lower() + "\n") for line in lines)
    return [tokenizer.tokenize(line, escape=True, return_str=True) for line in normalized]


def bleu_by_length(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str], edges: Sequence[int]
) -> list[LengthBucket]:
    """BLEU by source length in whitespace-separated words, as in figure 2 of Bahdanau et al. 2015.

    Args:
        edges: the longest length in each bucket except the last: `(10, 20)` gives 0-10, 11-20 and 21+.

    Returns:
        `len(edges) + 1` buckets, empty ones included; the counts add up to the number of sentences.

    Raises:
        ValueError: the lists are empty or differ in length, or `edges` do not increase from 0 or more.
    """
    _check_lines(hypotheses, references)
    if len(sources) != len(hypotheses):
        raise ValueError(f"expected one source per hypothesis; got {len(sources)} and {len(hypotheses)}")
    if any(longest < shortest for shortest, longest in _bounds(edges)[:-1]):
        raise ValueError(f"edges must be increasing numbers of words, such as (10, 20); got {tuple(edges)}")
    lengths = [len(source.split()) for source in sources]
    buckets = []
    for shortest, longest in _bounds(edges):
        rows = [i for i, n in enumerate(lengths) if shortest <= n and (longest is None or n <= longest)]
        chosen = [hypotheses[i] for i in rows], [references[i] for i in rows]
        buckets.append(_bucket(shortest, longest, *chosen))
    return buckets


def _bounds(edges: Sequence[int]) -> list[tuple[int, int | None]]:
    """(10, 20) -> [(0, 10), (11, 20), (21, None)]"""
    return list(zip([0, *(edge + 1 for edge in edges)], [*edges, None], strict=True))


def _bucket(shortest: int, longest: int | None, hypotheses: list[str], references: list[str]) -> LengthBucket:
    if not len(hypotheses):
        return LengthBucket(shortest, longest, 0, None, None)
    scores = corpus_scores(hypotheses, references)
    return LengthBucket(shortest, longest, len(hypotheses), scores.bleu, scores.bleu_signature)


def _scores(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    bleu: "BLEU",
    chrf: "CHRF",
    intervals: bool,
) -> Scores:
    for lines in references:
        _check_lines(hypotheses, lines)
    hypotheses, references = list(hypotheses), list(map(list, references))  # sacreBLEU takes no arrays
    bleu_score = bleu.corpus_score(hypotheses, references).score
    chrf_score = chrf.corpus_score(hypotheses, references).score
    # A signature is complete only after scoring: it counts the references.
    scores = Scores(bleu_score, str(bleu.get_signature()), chrf_score, str(chrf.get_signature()))
    if not intervals:
        return scores
    return dataclasses.replace(
        scores,
        bleu_interval=_interval(bleu, hypotheses, references),
        chrf_interval=_interval(chrf, hypotheses, references),
    )


def _interval(metric: "BLEU | CHRF", hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """As sacreBLEU's own, which fails if some of the sets score 0 and keeps all resampled sets in memory."""
    sentences = np.array(metric._extract_corpus_statistics(hypotheses, references), np.float64)
    draw = np.random.default_rng(12345)
    resampled = (sentences[draw.choice(len(sentences), len(sentences))].sum(0) for _ in range(RESAMPLINGS))
    scores = sorted(float(metric._compute_score_from_stats(sums).score) for sums in resampled)
    outside = RESAMPLINGS // 40  # on each side
    return (scores[-1 - outside] - scores[outside]) / 2


def _shown(score: float, interval: float | None) -> str:
    return f"{score:5.1f}" if interval is None else f"{score:5.1f} ± {interval:.1f}"


def _check_lines(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    check_lines(hypotheses, references)
    if len(hypotheses) != len(references):
        raise ValueError(
            f"expected one reference per hypothesis; got {len(hypotheses)} hypotheses "
            f"and {len(references)} references"
        )
    if not len(hypotheses):
        raise ValueError("nothing to score: got no hypotheses")
