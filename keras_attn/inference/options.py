"""Options of a translator's calls."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypedDict

from keras_attn.config import Beam, Sampling, SearchConfig
from keras_attn.config.methods import check_number
from keras_attn.text.glossary import Glossary

# auto: LiteRT in float32 if the folder has an engine that supports the options, else Keras
ENGINES = ("auto", "litert", "int8", "keras")
_OF_EVERY_SEARCH = ("min_length", "no_repeat_ngram")
_OF_A_BEAM = ("length_penalty", "coverage_penalty", "diversity")


class Options(TypedDict, total=False):
    """Keyword arguments of `Translator.translate`. For those left out, or None, the model's settings are used.

    Attributes:
        length_penalty: alpha in `((5 + n) / 6) ** alpha`; 0: off.
        coverage_penalty: beta in `beta * sum_s log(min(sum_t weight_ts, 1))`, added to a beam's scores; 0: off.
        diversity: how much a beam prefers hypotheses that diverge early, for n-best lists that differ in more than their endings:
            gamma of Li et al. 2016, see `search.beam`. 0: off.
        min_length: the fewest sub-words of a translation, its end included.
        no_repeat_ngram: no sequence of this many sub-words is repeated; 0: no limit.
        prefix: the beginning of the translations: one text for all lines, or one for each. The model continues from its sub-words,
            even in the middle of a word.
        glossary: required translations of terms: a mapping, or a `text.glossary.Glossary`. It needs a beam of at least 2 without
            diversity. The output contains the translation of a term, as whole words, once for each occurrence of the term, unless
            `no_repeat_ngram` forbids it. It stands where the model's attention is on the term, if there is such a place.
        sampling: sample the translations, without options of a beam. A `min_length` or `no_repeat_ngram` of 0 in it is the model's
            own.
        n_best: how many hypotheses of the beam to return: the best one, with the others as its `alternatives`. There may be fewer
            if the search finds fewer, and a text may occur twice, cut into sub-words in two ways.
        word_scores: whether to return the probability of each word.
        batch_size: lines translated at once; it changes speed and memory, not results.
    """

    length_penalty: float | None
    coverage_penalty: float | None
    diversity: float | None
    min_length: int | None
    no_repeat_ngram: int | None
    prefix: str | Sequence[str] | None
    glossary: Mapping[str, str] | Glossary | None
    sampling: Sampling | None
    n_best: int | None
    word_scores: bool | None
    batch_size: int | None


def check(options: Options) -> None:
    """Raises TypeError for an unknown keyword argument, as a function does, and removes those that are None."""
    for name, value in list(options.items()):
        if name not in Options.__annotations__:
            raise TypeError(f"translate() got an unexpected keyword argument {name!r}")
        if value is None:
            del options[name]


def check_texts_only(options: Options) -> None:
    """Raises ValueError for options of which a call that returns only the best texts would show nothing."""
    for name, nothing in (("n_best", 1), ("word_scores", False)):
        if options.get(name) not in (None, nothing):
            raise ValueError(
                f"{name} does not apply here, where only the text of each translation is returned. "
                f"Received: {name}={options[name]!r}. Leave it out, or use translate() of a Translator"
            )


def method_of(beam_size: int | None, options: Options, settings: SearchConfig) -> Beam | Sampling:
    """The search method.

    Raises:
        ValueError: an invalid value, more hypotheses or phrases than the search supports, or options of a beam with sampling.
    """
    method = options.get("sampling")
    given = {name: options.get(name) for name in _OF_EVERY_SEARCH}
    of_a_beam = {"beam_size": beam_size, **{name: options.get(name) for name in _OF_A_BEAM}}
    if method is None:
        method = Beam.of(settings)
        given |= of_a_beam
        if (beam_size or method.beam_size) == 1 and (
            options.get("coverage_penalty") or options.get("diversity")
        ):
            raise ValueError(
                "coverage_penalty and diversity need a beam_size of at least 2, to have something to choose from"
            )
    elif not isinstance(method, Sampling):
        raise ValueError(
            "sampling must be a Sampling of keras_attn.search, such as Sampling(temperature=0.5). "
            f"Received: sampling={method!r}"
        )
    elif any(value is not None for value in of_a_beam.values()):
        raise ValueError(
            "beam_size, the penalties and diversity do not apply to sampling: leave them or sampling out. "
            f"Received: {', '.join(f'{name}={value!r}' for name, value in of_a_beam.items() if value is not None)}"
        )
    else:  # what it leaves out is as in the settings
        method = dataclasses.replace(
            method, **{name: getattr(method, name) or getattr(settings, name) for name in _OF_EVERY_SEARCH}
        )
    method = dataclasses.replace(
        method, **{name: value for name, value in given.items() if value is not None}
    )
    kept = method.beam_size if isinstance(method, Beam) else 1
    n_best = options.get("n_best", 1)
    check_number("n_best", n_best, int)
    if not 1 <= n_best <= kept:
        raise ValueError(
            f"n_best must be from 1 to the number of hypotheses that the search keeps, {kept}. Received: n_best={n_best}. "
            + (
                "Raise beam_size to get more"
                if isinstance(method, Beam)
                else "Sampling draws one translation per line"
            )
        )
    glossary = options.get("glossary")
    if glossary.terms if isinstance(glossary, Glossary) else glossary:
        if kept == 1:
            raise ValueError("a glossary needs beam search: set beam_size to at least 2")
        if method.diversity:
            raise ValueError(
                f"a glossary and diversity do not go together. Received: diversity={method.diversity}. Leave one of them out"
            )
    return method
