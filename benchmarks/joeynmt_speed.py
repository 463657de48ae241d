"""Compares the speed of training with that of Joey NMT, on this machine, in one run.

    python -m venv joey && joey/bin/pip install torch joeynmt importlib_metadata sentencepiece==0.2.0
    python benchmarks/joeynmt_speed.py joey/bin/python    # Multi30k: KERAS_ATTN_DATA, or the download cache

The model is that of `training.py`: BiGRU-256, GRU-256, additive attention, a joint vocabulary of 8,000, batches of 128 sentence
pairs, Adam; Joey NMT has an attentional readout where this one has maxout. Both read the same sentences, cut by the same
vocabulary, in batches of their own making, and take turns. What is compared is real target tokens per second: by the clock here, by
Joey NMT's own log there, without its first part. Let the machine be quiet.
"""

import argparse
import json
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from shared.speed_model import BATCH, WIDTH, build, real_batches

from keras_attn.corpora.named import load_corpus
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.training.freed_memory import keep_freed_memory

PROCESSES = {"keras_attn": resource.RUSAGE_SELF, "joeynmt": resource.RUSAGE_CHILDREN}
LOGGED = 20  # steps of Joey NMT a line of its log
CONFIG = """
name: speed
joeynmt_version: "2.3.0"
model_dir: {folder}/model
use_cuda: False
random_seed: 1
data:
  train: {folder}/train
  dev: {folder}/dev
  dataset_type: plain
  src: &side
    lang: en
    max_length: 100
    level: bpe
    voc_file: {folder}/words.txt
    tokenizer_type: sentencepiece
    tokenizer_cfg: {{model_file: {folder}/words.spm}}
  trg: {{<<: *side, lang: de}}
training:
  optimizer: adam
  learning_rate: 0.001
  scheduling: warmupinversesquareroot
  clip_grad_norm: 1.0
  label_smoothing: 0.1
  normalization: tokens
  batch_size: {batch}
  batch_type: sentence
  epochs: 1
  updates: {steps}
  logging_freq: {logged}
  validation_freq: 1000000
  overwrite: True
testing: {{}}
model:
  initializer: xavier_uniform
  encoder:
    type: recurrent
    rnn_type: gru
    embeddings: {{embedding_dim: {width}}}
    hidden_size: {width}
    bidirectional: True
    num_layers: 1
  decoder:
    type: recurrent
    rnn_type: gru
    embeddings: {{embedding_dim: {width}}}
    hidden_size: {width}
    num_layers: 1
    attention: bahdanau
    input_feeding: True
    init_hidden: bridge
"""


def prepare(folder: Path, tokenizer: Tokenizer, steps: int) -> None:
    """Joey NMT's files."""
    for split in ("train", "dev"):
        corpus = load_corpus("multi30k", "en", "de", split)
        for language, lines in (("en", corpus.source), ("de", corpus.target)):
            (folder / f"{split}.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "words.spm").write_bytes(tokenizer.model_proto)
    pieces = tokenizer.pieces(range(4, tokenizer.vocab_size))  # it adds the special ones itself
    (folder / "words.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    values = {"folder": folder, "batch": BATCH, "width": WIDTH, "steps": steps, "logged": LOGGED}
    (folder / "config.yaml").write_text(CONFIG.format(**values), encoding="utf-8")


def joeynmt(python: str, folder: Path) -> float:
    """Tokens a second of one training."""
    command = [python, "-m", "joeynmt", "train", str(folder / "config.yaml"), "--skip-test"]
    done = subprocess.run(command, capture_output=True, text=True)
    rates = [float(rate) for rate in re.findall(r"Tokens per Sec:\s*(\d+)", done.stdout + done.stderr)]
    if len(rates) < 2:
        raise RuntimeError(f"Joey NMT did not train:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return statistics.mean(rates[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("python", help="that of an environment with joeynmt")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60, help="training steps a round")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    keep_freed_memory()  # as `keras-attn train` does
    tokenizer, dataset = real_batches(args.steps)
    tokens = sum(np.count_nonzero(target) for _, target, _ in dataset.as_numpy_iterator())
    model = build(True, tokenizer.vocab_size)
    model.fit(dataset, shuffle=False, verbose=0)  # traces and warms up
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), tokenizer, args.steps)
        for _ in range(args.rounds):
            start = time.perf_counter()
            model.fit(dataset, shuffle=False, verbose=0)
            ours.append(tokens / (time.perf_counter() - start))
            theirs.append(joeynmt(args.python, Path(name)))
    print(f"tensorflow {tf.__version__}, keras {keras.__version__}; target tokens/s")
    for name, rates in (("keras_attn", ours), ("joeynmt", theirs)):
        print(f"{name:10} {statistics.median(rates):6.0f} ({min(rates):.0f} to {max(rates):.0f})")
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(f"keras_attn / joeynmt: {ratio:.2f} (median of {args.rounds} pairs of rounds)")
    if args.json:
        about = {
            "rounds": args.rounds,
            "keras_attn": statistics.median(ours),
            "joeynmt": statistics.median(theirs),
            "ratio": ratio,
            "mb": {name: _peak_mb(who) for name, who in PROCESSES.items()},
        }
        args.json.write_text(json.dumps(about, indent=2) + "\n")


def _peak_mb(who: int) -> float:
    """The most memory that this process, or the largest of those it started, has held at once."""
    return resource.getrusage(who).ru_maxrss * 1024 / 1e6


if __name__ == "__main__":
    main()
