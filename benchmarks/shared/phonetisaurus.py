"""Phonetisaurus, a weighted transducer, on the same split: trained as its command does without options."""

import json
import subprocess
from pathlib import Path

from shared.recipes import errors

from keras_attn.files import write_text
from keras_attn.text.corpus import Corpus


def answers(command: str, train: Corpus, words: list[str], folder: Path) -> dict[str, str]:
    """What it says of each word; its model is kept in `folder`, and not trained again."""
    lexicon, model = folder / "lexicon.txt", folder / "phonetisaurus.fst"
    if not model.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pairs = zip(train.source, train.target, strict=True)
        write_text(lexicon, "".join(f"{_closed_up(source)} {target}\n" for source, target in pairs))
        subprocess.run([command, "train", "--model", model, lexicon], check=True)
    words = list(dict.fromkeys(words))
    said = subprocess.run(
        [command, "predict", "--model", model],
        input="".join(f"{_closed_up(word)}\n" for word in words),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    found = dict(line.split(maxsplit=1) for line in said.stdout.splitlines() if " " in line)
    return {word: found.get(_closed_up(word), "") for word in words}


def scores(command: str, train: Corpus, splits: dict[str, Corpus], folder: Path) -> dict[str, dict]:
    """Its error rates on each split, kept in `folder`, and read from there."""
    result = folder / "phonetisaurus.json"
    if result.exists():
        return json.loads(result.read_text())
    found = {}
    for name, corpus in splits.items():
        said = answers(command, train, list(corpus.source), folder)
        found[name] = errors(corpus, [said[word] for word in corpus.source]).as_dict()
    write_text(result, json.dumps(found, indent=2))
    return found


def _closed_up(word: str) -> str:
    return word.replace(" ", "")
