"""What a glossary does: the model is asked for words of the references that it would not say (Post and Vilar 2018, section 4.1).

    python benchmarks/glossary.py tatoeba-en-es --words 1

A word that is asked for is long enough, is lacking in the free translation, and the model's own attention links it to a word of the
source. Of each sentence of the development set that has such words, this many are required. Printed, for each beam size: BLEU, how
many of the words are there, and how long it took.
"""

import argparse
import os
import random
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from keras_attn.alignment.align import align
from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_config
from keras_attn.text.glossary import Glossary

LETTERS = 4  # of a word that is asked for, at least


class WordsOfLines(Glossary):
    """Not terms, but for each line what it has to hold."""

    def __init__(self, words: dict[str, list[str]]) -> None:
        self._words = words

    def translations(self, line: str) -> list[str]:
        return self._words[line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a packaged model or a model folder of a named corpus")
    parser.add_argument("--words", type=int, default=1, help="of each sentence, at most")
    parser.add_argument("--sentences", type=int, default=300)
    args = parser.parse_args()
    folder = packaged.locate(args.model)
    translator = Translator.load(folder)
    dev = split_corpus(load_config(folder).data, "dev")
    pairs = dict(zip(dev.source, dev.target, strict=True))  # each source once
    words = asked_for(translator, list(pairs), list(pairs.values()), args.words)
    sources = list(words)[: args.sentences]
    references = [pairs[source] for source in sources]
    glossary = WordsOfLines(words)
    for beam_size in (2, 5, 10):
        for name, options in {"free": {}, "asked": {"glossary": glossary}}.items():
            translator(sources, beam_size, **options)  # compiles
            began = time.monotonic()
            hypotheses = translator(sources, beam_size, **options)
            seconds = time.monotonic() - began
            said = [
                word in text
                for source, text in zip(sources, hypotheses, strict=True)
                for word in words[source]
            ]
            bleu = corpus_scores(hypotheses, references)
            print(
                f"beam {beam_size:2}, {name:5}: BLEU {bleu.bleu:.1f}, {sum(said)} of {len(said)} words, {seconds:.1f} s",
                flush=True,
            )
    print(bleu.bleu_signature)


def asked_for(
    translator: Translator, sources: list[str], references: list[str], most: int
) -> dict[str, list[str]]:
    """The words of each source that has any."""
    draw = random.Random(1)
    found = {}
    free = translator(sources)
    links = align(translator, sources, references)
    for source, reference, text, pairs in zip(sources, references, free, links, strict=True):
        linked = sorted({j for _, j in pairs})
        spelled = reference.split()
        lacking = [
            spelled[j]
            for j in linked
            if len(spelled[j]) >= LETTERS and spelled[j].isalpha() and spelled[j] not in text
        ]
        if lacking:
            found[source] = draw.sample(lacking, min(most, len(lacking)))
    return found


if __name__ == "__main__":
    main()
