"""Shared by programs that train one config on lists of words: training runs by seed, ensembles, exact matches in JSON."""

import dataclasses
import json
import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from keras_attn.config import Config
from keras_attn.data.splits import Splits
from keras_attn.evaluation.error_rates import ErrorRates, error_rates
from keras_attn.files import write_text
from keras_attn.inference.translator import Translator
from keras_attn.text.corpus import Corpus
from keras_attn.training.fit import train

SPACE = "_"  # in a word of several, as Vietnamese has


def letters(word: str) -> str:
    """The letters of a word, decomposed and separated by spaces: `"a tu"` becomes `"a _ t u"`."""
    return " ".join(unicodedata.normalize("NFD", word.replace(" ", SPACE)))


def train_seed(config: Config, pairs: Splits, folder: Path, seed: int) -> Path:
    """The model folder of one training, which is trained, resumed, or finished already."""
    training = dataclasses.replace(config.training, seed=seed)
    target = folder / f"seed-{seed}"
    train(dataclasses.replace(config, training=training), target, corpus=pairs)
    return target


def scores(folders: Sequence[Path], splits: dict[str, Corpus], result: Path) -> dict[str, dict[str, Any]]:
    """Error rates of a model, or of several as an ensemble, on each split by beam search; kept in `result`, and read from there."""
    if result.exists():
        return json.loads(result.read_text())
    translator = Translator.load(*folders)
    found = {name: errors(corpus, translator(corpus.source)).as_dict() for name, corpus in splits.items()}
    write_text(result, json.dumps(found, indent=2))
    return found


def errors(corpus: Corpus, answers: Sequence[str]) -> ErrorRates:
    """Error rates of the answers to the lines of a corpus."""
    return error_rates(corpus.source, answers, corpus.target)
