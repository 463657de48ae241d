"""What a glossary does: the model is asked for words of the references that it would not say (Post and Vilar 2018, section 4.1).

    python benchmarks/glossary.py tatoeba-en-es --words 1
    python benchmarks/glossary.py tatoeba-en-es --others

A word that is asked for is long enough, is lacking in the free translation, and the model's own attention links it to a word of the
source. Of each sentence of the development set that has such words, this many are required. Printed, for each beam size, without
the words, with them, and with them and the places of their terms: BLEU, how many of the words are there, and how long it took.

With `--others`, the word asked for is a wrong one, which the model would not say of itself: for a word after an article, the
translation of another such word. Printed, for each beam size, and for a search that does not know the places of terms beside the
usual one: how many are there, how many stand where the model's own word stood, and beside how many that one is said as well.
"""

import argparse
import itertools
import os
import random
import re
import time
from collections.abc import Sequence

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from keras_attn.alignment.align import align
from keras_attn.config import DataConfig
from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_config
from keras_attn.text.glossary import Glossary, Occurrence

LETTERS = 4  # of a word that is asked for, at least
ARTICLES = {
    "en": "the a an my",
    "de": "der die das den dem ein eine einen einem einer mein meine meinen",
    "es": "el la los las un una mi",
    "fr": "le la les un une mon ma",
}


class WordsOfLines(Glossary):
    """Not terms, but for each line the words of its translation, each with its word of the source, unless that is kept secret."""

    def __init__(self, words: dict[str, list[tuple[int, str]]], secret: bool = False) -> None:
        super().__init__({line.split()[i]: asked for line, each in words.items() for i, asked in each})
        self._words, self._secret = words, secret

    def occurrences(self, line: str) -> list[Occurrence]:
        split = line.split()
        if self._secret:
            return [Occurrence(line, "", asked) for _, asked in self._words[line]]
        return [
            Occurrence("".join(f"{word} " for word in split[:i]), split[i], asked)
            for i, asked in self._words[line]
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a packaged model or a model folder of a named corpus")
    parser.add_argument("--words", type=int, default=1, help="of each sentence, at most")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--others", action="store_true", help="ask for wrong words")
    args = parser.parse_args()
    folder = packaged.locate(args.model)
    translator = Translator.load(folder)
    dev = split_corpus(load_config(folder).data, "dev")
    pairs = dict(zip(dev.source, dev.target, strict=True))  # each source once
    if args.others:
        others(translator, dev.source, load_config(folder).data, args.sentences)
        return
    words = asked_for(translator, list(pairs), list(pairs.values()), args.words)
    sources = list(words)[: args.sentences]
    references = [pairs[source] for source in sources]
    options_of = {
        "free": {},
        "places unknown": {"glossary": WordsOfLines(words, secret=True)},
        "places known": {"glossary": WordsOfLines(words)},
    }
    for beam_size in (2, 5, 10):
        for name, options in options_of.items():
            translator(sources, beam_size, **options)  # compiles
            began = time.monotonic()
            hypotheses = translator(sources, beam_size, **options)
            seconds = time.monotonic() - began
            said = [
                word in text
                for source, text in zip(sources, hypotheses, strict=True)
                for _, word in words[source]
            ]
            bleu = corpus_scores(hypotheses, references)
            print(
                f"beam {beam_size:2}, {name}: BLEU {bleu.bleu:.1f}, {sum(said)} of {len(said)} words, {seconds:.1f} s",
                flush=True,
            )
    print(bleu.bleu_signature)


def asked_for(
    translator: Translator, sources: list[str], references: list[str], most: int
) -> dict[str, list[tuple[int, str]]]:
    """The words of each source that has any, each with its word of the source."""
    draw = random.Random(1)
    found = {}
    free = translator(sources)
    links = align(translator, sources, references)
    for source, reference, text, pairs in zip(sources, references, free, links, strict=True):
        spelled = reference.split()
        lacking = [
            (i, spelled[j])
            for j, i in sorted({j: i for i, j in sorted(pairs, reverse=True)}.items())
            if len(spelled[j]) >= LETTERS and spelled[j].isalpha() and spelled[j] not in text
        ]
        if lacking:
            found[source] = draw.sample(lacking, min(most, len(lacking)))
    return found


def others(translator: Translator, sources: Sequence[str], data: DataConfig, most: int) -> None:
    """Asks for wrong words, and prints what comes of them."""
    before = ARTICLES[data.source_language].split(), ARTICLES[data.target_language].split()
    sources = list(dict.fromkeys(sources))[: 10 * most]
    own = {}  # of each line, the place of a word, the place of its translation, and that
    free = translator(sources)
    for source, text, pairs in zip(sources, free, align(translator, sources, free), strict=True):
        words, said = source.split(), text.split()
        found = [
            (i, j, said[j])
            for i, j in sorted(pairs)
            if _follows(words, i, before[0]) and _follows(said, j, before[1])
        ]
        if found:
            own[source] = found[0]
    sources = list(own)[:most]
    free = [text.split() for text in translator(sources)]
    vocabulary = sorted({own[source][2] for source in sources})
    draw = random.Random(1)
    asked = {
        source: draw.choice([word for word in vocabulary if word not in text])
        for source, text in zip(sources, free, strict=True)
    }
    words_of_lines = {source: [(own[source][0], asked[source])] for source in sources}
    for beam_size, secret in itertools.product((2, 5, 10), (True, False)):
        glossary = WordsOfLines(words_of_lines, secret)
        there = instead = both = 0
        for source, text in zip(sources, translator(sources, beam_size, glossary=glossary), strict=True):
            _, place, word = own[source]
            said = [each.strip(".,!?¿¡") for each in text.split()]
            there += bool(re.search(rf"\b{asked[source]}\b", text))
            instead += said[place : place + 1] == [asked[source]]
            both += word in said
        print(
            f"beam {beam_size:2}, places {'unknown' if secret else 'known'}: of {len(sources)} words {there} are there, "
            f"{instead} at the place of the model's own word, {both} beside it",
            flush=True,
        )


def _follows(words: Sequence[str], place: int, before: Sequence[str]) -> bool:
    """Whether a word follows one of these, and is long enough."""
    word = words[place]
    return place > 0 and words[place - 1].lower() in before and len(word) >= LETTERS and word.isalpha()


if __name__ == "__main__":
    main()
