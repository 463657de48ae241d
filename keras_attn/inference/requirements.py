"""What the translations of given lines have to begin with and to hold, as ids for a search."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_attn.compilation import padded
from keras_attn.search.phrases import ANY_BOUNDARY, Phrases
from keras_attn.special_ids import PAD_ID, UNK_ID
from keras_attn.text.glossary import Glossary
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.words import may_follow_a_word


class Requirements:
    """Of lines, a prefix each or none, and the phrases that a glossary asks for.

    Args:
        lines: in the source language.
        tokenizer: of the target language.
        prefix: how the translations begin, one text for all or one for each; `None`: as they like.
        glossary: what words of the source have to become; `None`: whatever they do.

    Raises:
        ValueError: not as many prefixes as lines, or text that the vocabulary cannot say.
    """

    def __init__(
        self,
        lines: Sequence[str],
        tokenizer: Tokenizer,
        *,
        prefix: str | Sequence[str] | None,
        glossary: Mapping[str, str] | Glossary | None,
    ) -> None:
        self._tokenizer = tokenizer
        prefixes = [prefix or ""] * len(lines) if prefix is None or isinstance(prefix, str) else prefix
        if len(prefixes) != len(lines):
            raise ValueError(f"expected one prefix a line; got {len(prefixes)} for {len(lines)} lines")
        self._prefixes = _sayable(prefixes, tokenizer) if any(prefixes) else [[] for _ in lines]
        if not isinstance(glossary, Glossary):
            glossary = Glossary(glossary or {})
        self._phrases = _phrases(lines, glossary, tokenizer)

    def room(self, row: int) -> int:
        """How many sub-words of a line's translation are given."""
        return len(self._prefixes[row]) + sum(len(phrase) - 1 for phrase in self._phrases[row])

    def of(self, rows: Sequence[int], count: int) -> dict[str, Any]:
        """`prefix` and `phrases` for the search of some lines, in a batch of `count`, where they ask for any."""
        asked = {}
        if any(self._prefixes[row] for row in rows):
            asked["prefix"] = padded([self._prefixes[row] for row in rows], count)
        if any(self._phrases[row] for row in rows):
            asked["phrases"] = self._arrays([self._phrases[row] for row in rows], count)
        return asked

    def _arrays(self, phrases: list[list[list[int]]], count: int) -> Phrases:
        most = 1 << (max(map(len, phrases)) - 1).bit_length()  # one of few numbers: each is compiled anew
        longest = max(len(phrase) for each in phrases for phrase in each)
        ids = np.full((count, most, longest), PAD_ID, np.int32)
        for i, each in enumerate(phrases):
            for j, phrase in enumerate(each):
                ids[i, j, : len(phrase)] = phrase
        pieces = self._tokenizer.pieces(range(self._tokenizer.vocab_size))
        return Phrases(ids, np.array([may_follow_a_word(piece) for piece in pieces]))


def _phrases(lines: Sequence[str], glossary: Glossary, tokenizer: Tokenizer) -> list[list[list[int]]]:
    """Of each line, the ids of its phrases, equal ones next to one another."""
    texts = [sorted(glossary.translations(line)) for line in lines]
    different = sorted({text for each in texts for text in each})
    ids = dict(zip(different, _sayable(different, tokenizer), strict=True))
    for text in different:
        if not ids[text]:
            raise ValueError(f"{text!r} has no words that the target vocabulary could say")
    return [[[*ids[text], ANY_BOUNDARY] for text in each] for each in texts]


def _sayable(texts: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    encoded = tokenizer.encode(texts)
    for text, ids in zip(texts, encoded, strict=True):
        if UNK_ID in ids:
            raise ValueError(
                f"the target vocabulary cannot say {text!r}: it does not know one of the characters"
            )
    return encoded
