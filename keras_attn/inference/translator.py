"""Strings in, strings out: one call for a trained model with its vocabularies, search and batching."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from keras_attn.compilation import compiled, padded
from keras_attn.config import Beam, SearchConfig
from keras_attn.corpora.attribution import attribution
from keras_attn.inference.engines import KerasEngine
from keras_attn.inference.options import Options, check, check_texts_only, method_of
from keras_attn.inference.requirements import Requirements
from keras_attn.inference.text_search import TextSearch, trimmed
from keras_attn.inference.translation import Translation, words_with_scores
from keras_attn.models.compiled_search import as_numpy
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import TrainedModel, load_model
from keras_attn.text.framing import check_lines, target_in_of, target_out_of
from keras_attn.text.tokenizer import Tokenizer


class Translator:
    """Translates with a trained model.

    Every line gives exactly one line, in order, whatever the batch size. A line in which the vocabulary knows nothing, such as ""
    or "☃", gives "". Input longer than `search.max_source_length` is cut there, with a warning. If an argument of a call is None,
    the value in `search` is used.

    A translator can be pickled, for example to send it to another process. Its model, vocabularies and settings are included.

    Args:
        model: a model that reads and returns ids of the vocabularies, or an `Ensemble`.
        source_tokenizer: the vocabulary of the source language.
        target_tokenizer: the vocabulary of the target language. `None`: the same for both.
        search: how to search, unless a call says otherwise.
        languages: the names of the two languages in an export.
        attribution: whom an export must credit, and under which licence; "": nobody.

    Raises:
        TypeError: a part of another kind, such as a folder instead of a model.
        ValueError: the parts do not fit together; the message says which.

    Example:

    >>> translator = Translator.load("runs/en-de")
    >>> translator(["A small dog runs across the grass."])
    ['Ein kleiner Hund läuft über das Gras.']
    """

    def __init__(
        self,
        model: Seq2Seq | Ensemble,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer | None = None,
        *,
        search: SearchConfig | None = None,
        languages: tuple[str, str] = ("source", "target"),
        attribution: str = "",
    ) -> None:
        self.model = model
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer or source_tokenizer
        self.search = search or SearchConfig()
        self.languages = languages
        self.attribution = attribution
        self._check()
        self._search = TextSearch(
            KerasEngine(model), self.source_tokenizer, self.target_tokenizer, self.search
        )
        self._score_ids = compiled(model.score, model.variables, [((None, None), "int32")] * 3)

    @classmethod
    def from_trained(cls, trained: TrainedModel) -> "Translator":
        """Builds a translator from the content of a model folder."""
        data = trained.config.data
        return cls(
            trained.model,
            trained.source_tokenizer,
            trained.target_tokenizer,
            search=trained.config.search,
            languages=(data.source_language, data.target_language),
            attribution=attribution(data.corpus),
        )

    @classmethod
    def load(cls, folder: str | Path, *others: str | Path) -> "Translator":
        """Loads a model folder, or several as an ensemble; raises what `load_model` and `ensemble` raise."""
        for each in (folder, *others):
            if packaged.is_name(each):
                raise FileNotFoundError(
                    f"no model folder at {each}. To load the packaged model of that name, call "
                    f"Translator.from_preset({str(each)!r})"
                )
        first, *rest = (cls.from_trained(load_model(each)) for each in (folder, *others))
        return cls.ensemble([first, *rest]) if rest else first

    @classmethod
    def ensemble(cls, translators: Sequence["Translator"]) -> "Translator":
        """Combines several translators as an ensemble, with the search and the languages of the first; see `Ensemble`.

        Raises:
            ValueError: there are none, or their vocabularies differ.
        """
        is_list = isinstance(translators, list | tuple) and len(translators) > 0
        if not is_list or not all(isinstance(each, Translator) for each in translators):
            raise ValueError(
                f"an ensemble needs a list of translators, at least one. Received: {translators!r:.80}. "
                "Translator.load(folder, folder, ...) loads an ensemble from folders"
            )
        first = translators[0]
        for number, other in enumerate(translators[1:], start=2):
            for side in ("source", "target"):
                ours, theirs = (getattr(each, f"{side}_tokenizer").model_proto for each in (first, other))
                if ours != theirs:
                    raise ValueError(
                        f"the models of an ensemble must have the same vocabulary, but the {side} vocabularies of the first and of "
                        f"model {number} differ: train them on the same text, with other seeds"
                    )
        return cls(
            Ensemble([translator.model for translator in translators]),
            first.source_tokenizer,
            first.target_tokenizer,
            search=first.search,
            languages=first.languages,
            attribution=first.attribution,
        )

    @classmethod
    def from_preset(cls, name: str) -> "Translator":
        """Loads a model that comes with keras_attn, such as `"tatoeba-en-es"`.

        Raises:
            ValueError: there is no such model; the message lists the available ones.
        """
        return cls.load(packaged.folder(name))

    def __call__(
        self, lines: Sequence[str], beam_size: int | None = None, **options: Unpack[Options]
    ) -> list[str]:
        """The translation of each line.

        Args:
            lines: text of the source language.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            options: see `Options`.

        Raises:
            TypeError: one string instead of lines, or no sequence.
            ValueError: an invalid value, or an option that needs `translate`: more than one `n_best`, or `word_scores`.
        """
        check_texts_only(options)
        translations = self._searched(lines, beam_size, options, return_weights=False)
        return [translation.text for translation in translations]

    def translate(
        self, lines: Sequence[str], beam_size: int | None = None, **options: Unpack[Options]
    ) -> list[Translation]:
        """The translation of each line with its sub-words, scores and attention weights.

        Args:
            lines: text of the source language.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            options: see `Options`.

        Raises:
            TypeError: one string instead of lines, or no sequence.
            ValueError: an invalid value, or `n_best` is larger than the number of hypotheses that the search keeps.
        """
        return self._searched(lines, beam_size, options, return_weights=self.model.has_attention)

    def _searched(
        self, lines: Sequence[str], beam_size: int | None, options: Options, *, return_weights: bool
    ) -> list[Translation]:
        check_lines(lines)
        check(options)
        method = method_of(beam_size, options, self.search)
        if isinstance(method, Beam) and method.coverage_penalty and not self.model.has_attention:
            raise ValueError("coverage_penalty needs attention, and this model has none")
        requirements = Requirements(
            lines,
            self.source_tokenizer,
            self.target_tokenizer,
            prefix=options.get("prefix"),
            glossary=options.get("glossary"),
        )
        translations = self._search(
            lines,
            method,
            n_best=options.get("n_best", 1),
            batch_size=options.get("batch_size"),
            return_weights=return_weights,
            requirements=requirements,
        )
        if options.get("word_scores"):
            return self._with_words(translations, options.get("batch_size"))
        return translations

    def score(
        self, sources: Sequence[str], targets: Sequence[str], *, batch_size: int | None = None
    ) -> list[float]:
        """The log-probability of each target, given its source; `force` returns the details."""
        return [translation.log_prob for translation in self.force(sources, targets, batch_size=batch_size)]

    def force(
        self, sources: Sequence[str], targets: Sequence[str], *, batch_size: int | None = None
    ) -> list[Translation]:
        """Scores given targets (teacher forcing), and returns their probabilities and attention weights.

        Raises:
            TypeError: one string instead of lines, or no sequence.
            ValueError: the numbers of targets and sources differ.
        """
        check_pairs(sources, targets)
        source_ids = self._search.read(sources)
        target_ids = [target_out_of(ids) for ids in self.target_tokenizer.encode(targets)]
        forced = [
            Translation(*pair[:2], source_ids=tuple(pair[2]), target_ids=tuple(pair[3]))
            for pair in zip(sources, targets, source_ids, target_ids, strict=True)
        ]
        return [
            dataclasses.replace(
                translation,
                score=float(log_probs.sum()),
                log_prob=float(log_probs.sum()),
                weights=weights,
                words=words_with_scores(translation.target_ids, log_probs, self.target_tokenizer),
            )
            for translation, (log_probs, weights) in zip(
                forced, self._forced(forced, batch_size), strict=True
            )
        ]

    def _forced(
        self, translations: Sequence[Translation], batch_size: int | None
    ) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """For each pair, the log-probabilities of its sub-words, float64 `[target ids]`, and its attention weights."""
        lengths = [(len(each.source_ids), len(each.target_ids)) for each in translations]
        forced: list[Any] = [None] * len(translations)
        for rows, size in self._search.batches(range(len(translations)), lengths, batch_size):
            source = [translations[row].source_ids for row in rows]
            target_out = [translations[row].target_ids for row in rows]
            target_in = [target_in_of(ids) for ids in target_out]
            batch = [padded(ids, size) for ids in (source, target_in, target_out)]
            log_probs, weights = as_numpy(self._score_ids(*batch))
            for i, row in enumerate(rows):
                own = log_probs[i, : len(target_out[i])].astype(np.float64)
                forced[row] = own, trimmed(weights, i, target_out[i], source[i])
        return forced

    def _with_words(self, translations: Sequence[Translation], batch_size: int | None) -> list[Translation]:
        """Adds the probabilities of words to translations and their alternatives."""
        every = [each for best in translations for each in (best, *best.alternatives) if each.target_ids]
        log_probs = iter([log_probs for log_probs, _ in self._forced(every, batch_size)])

        def scored(translation: Translation) -> Translation:
            if not translation.target_ids:
                return translation
            words = words_with_scores(translation.target_ids, next(log_probs), self.target_tokenizer)
            return dataclasses.replace(translation, words=words)

        with_words = []
        for best in translations:
            first = scored(best)
            alternatives = tuple(map(scored, best.alternatives))
            with_words.append(dataclasses.replace(first, alternatives=alternatives))
        return with_words

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the compiled functions."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def _check(self) -> None:
        for name, value, kinds in (
            ("model", self.model, (Seq2Seq, Ensemble)),
            ("source_tokenizer", self.source_tokenizer, (Tokenizer,)),
            ("target_tokenizer", self.target_tokenizer, (Tokenizer,)),
            ("search", self.search, (SearchConfig,)),
        ):
            if not isinstance(value, kinds):
                raise TypeError(
                    f"{name} must be of type {' or '.join(kind.__name__ for kind in kinds)}. Received: {value!r:.80}. "
                    "Translator.load(folder) loads a model folder with all of them"
                )
        if not self.model.reads_ids:
            raise ValueError(
                "a Translator reads text, and this model does not take ids: call model.translate(inputs) with its numbers"
            )
        tokenizers = self.source_tokenizer, self.target_tokenizer
        if self.model.copy is not None and tokenizers[0].model_proto != tokenizers[1].model_proto:
            raise ValueError(
                "this model copies words from the source by their ids, but its two vocabularies differ: use one for both sides"
            )
        sizes = {
            "source": (
                self.source_tokenizer.vocab_size,
                getattr(self.model.source_embedding, "input_dim", None),
            ),
            "target": (self.target_tokenizer.vocab_size, self.model.target_vocab_size),
        }
        for side, (pieces, words) in sizes.items():
            if words is not None and pieces != words:
                raise ValueError(
                    f"the {side} vocabulary has {pieces} pieces, but the model was built for {words}: "
                    "they do not belong together"
                )


def check_pairs(sources: Sequence[str], targets: Sequence[str]) -> None:
    """Refuses what is not one target per source; see `Translator.force`."""
    check_lines(sources, targets)
    if len(sources) != len(targets):
        raise ValueError(
            f"expected one target per source; got {len(sources)} sources and {len(targets)} targets"
        )
