"""Word error rate of pronouncers on CMUdict, with stress and without, all pronunciations of a word as references.

    keras-attn train configs/cmudict.toml runs/cmudict
    python benchmarks/cmudict.py runs/cmudict --json benchmarks/log/cmudict.json

Each model folder is scored by greedy search and by the beam of its config; several are scored as an ensemble, too. A model that was
trained with stress is scored a second time with the stress taken out of its answers and of the references.

    python -m pip install phonetisaurus==0.3.0      # here or in another environment
    python benchmarks/cmudict.py runs/cmudict --phonetisaurus /another/environment/bin/phonetisaurus

also trains and scores Phonetisaurus, a weighted transducer, on the same split: with stress, and once more without.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from shared import phonetisaurus
from shared.recipes import errors

from keras_attn.corpora.cmudict import without_stress
from keras_attn.data.splits import split_corpus
from keras_attn.files import write_text
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import load_data_config, load_metrics
from keras_attn.text.corpus import Corpus

STRESSLESS = "best path, stress removed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--phonetisaurus", help="its command")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data = load_data_config(args.folders[0])
    splits = {split: split_corpus(data, split) for split in ("dev", "test")}
    models = {folder.name: Translator.load(folder) for folder in args.folders}
    if len(models) > 1:
        models[f"ensemble of {len(models)}"] = Translator.load(*args.folders)
    found = {name: word_error_rates(model, splits) for name, model in models.items()}
    for folder in args.folders:
        metrics = load_metrics(folder)
        found[folder.name] |= {key: metrics[key] for key in ("parameters", "training_seconds", "best_step")}
    if args.phonetisaurus:
        train = split_corpus(data, "train")
        found["Phonetisaurus"] = transducer(args.phonetisaurus, train, splits)
        stressless = {split: _stressless(corpus) for split, corpus in splits.items()}
        without = transducer(args.phonetisaurus, _stressless(train), stressless)
        found["Phonetisaurus, trained without stress"] = {STRESSLESS: without[STRESSLESS]}
    print(table(found))
    if args.json:
        write_text(args.json, json.dumps(found, indent=2) + "\n")


def word_error_rates(model: Translator, splits: dict[str, Corpus]) -> dict[str, dict[str, float]]:
    """Of each split, by search and by whether stress counts."""
    rates: dict[str, dict[str, float]] = {}
    for beam_size in (1, model.search.beam_size):
        say = partial(model, beam_size=beam_size)
        search = "greedy" if beam_size == 1 else f"beam {beam_size}"
        rates |= _rates(lambda words, say=say: dict(zip(words, say(words), strict=True)), splits, search)
    return rates


def transducer(command: str, train: Corpus, splits: dict[str, Corpus]) -> dict[str, dict[str, float]]:
    """The same of Phonetisaurus."""
    with tempfile.TemporaryDirectory() as folder:
        said = partial(phonetisaurus.answers, command, train, folder=Path(folder))
        return _rates(said, splits, "best path")


def _rates(
    said: Callable[[list[str]], dict[str, str]], splits: dict[str, Corpus], search: str
) -> dict[str, dict[str, float]]:
    rates: dict[str, dict[str, float]] = {f"{search}, stress {way}": {} for way in ("kept", "removed")}
    for split, corpus in splits.items():
        found = said(list(dict.fromkeys(corpus.source)))
        answers = [found[word] for word in corpus.source]
        stressless = errors(_stressless(corpus), list(map(without_stress, answers)))
        rates[f"{search}, stress kept"][split] = 100 - errors(corpus, answers).exact
        rates[f"{search}, stress removed"][split] = 100 - stressless.exact
    return rates


def _stressless(corpus: Corpus) -> Corpus:
    return Corpus(list(corpus.source), list(map(without_stress, corpus.target)))


def table(found: dict[str, dict]) -> str:
    """Markdown: WER on dev and test."""
    lines = ["| WER, % | search | dev | test |", "|---|---|---|---|"]
    for name, rates in found.items():
        rows = {search: by_split for search, by_split in rates.items() if isinstance(by_split, dict)}
        lines += [
            f"| {name} | {search} | {each['dev']:.1f} | {each['test']:.1f} |" for search, each in rows.items()
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
