"""A small model that has learnt something: it spells digits, "3 1" -> "three one"."""

import importlib.util
import random
from pathlib import Path

import numpy as np
import pytest

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def spelled_digits(count, seed):
    draw = random.Random(seed)
    digits = [draw.choices(range(10), k=draw.randint(1, 6)) for _ in range(count)]
    return [" ".join(map(str, row)) for row in digits], [
        " ".join(NAMES[digit] for digit in row) for row in digits
    ]


@pytest.fixture(scope="session")
def digit_pairs():
    return spelled_digits(60, seed=2)


@pytest.fixture(scope="session")
def digit_speller():
    """Trained for some ten seconds; beam 4, all embeddings tied."""
    import keras

    from keras_attn.config import Config, DataConfig, ModelConfig, SearchConfig
    from keras_attn.models.build import build_seq2seq
    from keras_attn.special_ids import BOS_ID, EOS_ID
    from keras_attn.storage.model_folder import TrainedModel
    from keras_attn.text.tokenizer import train_tokenizer

    sources, targets = spelled_digits(1200, seed=1)
    tokenizer = train_tokenizer([*sources, *targets], 60)
    size = tokenizer.vocab_size
    model = ModelConfig(
        source_vocab_size=size,
        target_vocab_size=size,
        embedding_dim=32,
        tied_embeddings="all",
        encoder_units=32,
        decoder_units=32,
        attention_units=32,
        readout_units=32,
    )
    data = DataConfig(source_language="digits", target_language="names")
    config = Config(data=data, model=model, search=SearchConfig(beam_size=4, batch_size=16))
    keras.utils.set_random_seed(1)
    model = build_seq2seq(model)
    target = tokenizer.encode(targets)
    source = padded([[*ids, EOS_ID] for ids in tokenizer.encode(sources)])
    target_in, target_out = (
        padded([[BOS_ID, *ids] for ids in target]),
        padded([[*ids, EOS_ID] for ids in target]),
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, jit_compile=False)
    model.fit(
        [source, target_in], target_out, 32, 6, verbose=0, sample_weight=(target_out != 0).astype("float32")
    )
    return TrainedModel(config, tokenizer, tokenizer, model)


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory, digit_speller, digit_pairs):
    """The digit speller as a SavedModel, and how it compares with Keras."""
    from keras_attn.export.saved_model import export_saved_model

    folder = tmp_path_factory.mktemp("export") / "digits" / "1"
    return folder, export_saved_model(
        digit_speller, folder, sources=digit_pairs[0], references=digit_pairs[1]
    )


@pytest.fixture(scope="session")
def signatures(saved_model):
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  the operators of the exported tokenizers

    return tf.saved_model.load(str(saved_model[0])).signatures


@pytest.fixture(scope="session")
def ask(signatures):
    """`ask(signature, text=[...])` -> the outputs, texts as lists of str, numbers as arrays."""
    import tensorflow as tf

    def ask(name, **inputs):
        found = signatures[name](**{key: tf.constant(texts, tf.string) for key, texts in inputs.items()})
        return {key: readable(tensor) for key, tensor in found.items()}

    return ask


def readable(tensor):
    values = tensor.numpy()
    return decoded(values.tolist()) if values.dtype == object else values


def decoded(values):
    return [decoded(value) for value in values] if isinstance(values, list) else values.decode()


def padded(rows):
    table = np.zeros((len(rows), max(map(len, rows))), "int32")
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


@pytest.fixture(scope="session")
def python_client():
    """The class of the client in `export/python`."""
    path = Path(__file__).parents[2] / "export" / "python" / "litert_translator.py"
    spec = importlib.util.spec_from_file_location("litert_translator", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Translator


@pytest.fixture(scope="session")
def beam_of_three(tmp_path_factory, digit_speller):
    """A `.tflite` of the digit speller that gives its three best."""
    from keras_attn.export.litert import export_litert

    folder = tmp_path_factory.mktemp("beam") / "digits"
    export_litert(digit_speller, folder, beam_size=3, source_length=16)
    return folder / "model.tflite"


@pytest.fixture(scope="session")
def beam_of_four(tmp_path_factory, digit_speller, digit_pairs):
    """The folder of a `.tflite` of the digit speller: a beam of 4, float32, 16 ids in and 24 out; and how it compares."""
    from keras_attn.export.litert import export_litert

    folder = tmp_path_factory.mktemp("beam") / "digits"
    sources, references = digit_pairs
    return folder, export_litert(
        digit_speller,
        folder,
        beam_size=4,
        source_length=16,
        max_length=24,
        sources=sources,
        references=references,
    )


@pytest.fixture(scope="session")
def greedy_of_any_length(tmp_path_factory, digit_speller, digit_pairs):
    """The folder of a greedy, float32 `.tflite` of the digit speller that takes sources of any length; and how it compares."""
    from keras_attn.export.litert import export_litert

    folder = tmp_path_factory.mktemp("greedy") / "digits"
    return folder, export_litert(
        digit_speller, folder, source_length=None, padded=False, sources=digit_pairs[0]
    )
