"""On JAX, training and translating work where TensorFlow is not installed."""

import os
import subprocess
import sys

from keras_attn.inference.translator import Translator

WITHOUT_TENSORFLOW = """
import sys
sys.modules |= dict.fromkeys(["tensorflow", "tensorflow_text"])  # as if they were not installed
from keras_attn.cli.main import main
main()
"""
CONFIG = """
[data]
train = ["train.tsv"]
dev = ["dev.tsv"]
[tokenizer]
vocab_size = 60
[model]
embedding_dim = 16
encoder_units = 16
decoder_units = 16
attention_units = 16
readout_units = 16
[training]
epochs = 2
batch_size = 8
learning_rate = 0.01
"""


def keras_attn(folder, *arguments, text=None):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_TENSORFLOW, *arguments],
        cwd=folder,
        env={**os.environ, "KERAS_BACKEND": "jax", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"},
        input=text,
        text=True,
        capture_output=True,
    )


def test_a_model_trained_without_tensorflow_says_the_same_with_it(tmp_path, source_lines, target_lines):
    pairs = [f"{pair[0]}\t{pair[1]}\n" for pair in zip(source_lines[:40], target_lines[:40], strict=True)]
    (tmp_path / "train.tsv").write_text("".join(pairs), encoding="utf-8")
    (tmp_path / "dev.tsv").write_text("".join(pairs[:8]), encoding="utf-8")
    (tmp_path / "my.toml").write_text(CONFIG)
    trained = keras_attn(tmp_path, "train", "my.toml", "mine")
    assert trained.returncode == 0, trained.stderr
    assert "gets no engine: making one needs Keras on TensorFlow" in trained.stderr
    drawn = keras_attn(tmp_path, "train", "my.toml", "other", "--set", "training.tensorboard=true")
    assert drawn.returncode == 2 and "Traceback" not in drawn.stderr
    assert "training.tensorboard needs tensorflow, not installed here" in drawn.stderr
    lines = source_lines[:8]
    translated = keras_attn(tmp_path, "translate", "mine", text="".join(f"{line}\n" for line in lines))
    assert translated.returncode == 0, translated.stderr
    said = translated.stdout.split("\n")[:-1]
    assert any(said)
    assert said == Translator.load(tmp_path / "mine")(lines)
