"""Warm-up requests, which TensorFlow Serving sends before it accepts others: the first request to each signature takes seconds.

The server reads them from `assets.extra/tf_serving_warmup_requests`, a TFRecord of `tensorflow.serving.PredictionLog` messages.
They are encoded here, because the package that defines them would be another dependency for four nested fields.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import tensorflow as tf

from keras_attn.export.disk_errors import as_os_errors

WARM_UP = "assets.extra/tf_serving_warmup_requests"
SENTENCES = 4  # from the shortest to the longest

Texts = Mapping[str, Sequence[str]]


def write_warm_up(
    folder: Path, functions: Mapping[str, tf.types.experimental.ConcreteFunction], sources: Sequence[str]
) -> None:
    """Writes requests for every signature: some of the sentences, one by one and as a batch.

    Args:
        folder: the SavedModel.
        functions: its signatures, see `ServingSignatures`.
        sources: typical sentences, at least one.
    """
    texts = _from_short_to_long(sources)
    translations = functions["serving_default"](text=tf.constant(texts))["translation"].numpy().tolist()
    given = {"text": texts, "translation": [text.decode() for text in translations]}
    (folder / WARM_UP).parent.mkdir(exist_ok=True)
    with as_os_errors(folder / WARM_UP), tf.io.TFRecordWriter(str(folder / WARM_UP)) as writer:
        for signature, function in functions.items():
            names = [spec.name for spec in function.structured_input_signature[0]]
            for rows in [*(slice(i, i + 1) for i in range(len(texts))), slice(None)]:
                writer.write(prediction_log(signature, {name: given[name][rows] for name in names}))


def prediction_log(signature: str, inputs: Texts) -> bytes:
    """A `PredictionLog` with one `PredictRequest`: the signature and its string inputs by name."""
    request = _field(1, _field(3, signature.encode()))  # model_spec.signature_name
    for name, texts in inputs.items():
        tensor = tf.make_tensor_proto(list(texts), tf.string).SerializeToString(deterministic=True)
        request += _field(2, _field(1, name.encode()) + _field(2, tensor))  # an entry of the map `inputs`
    return _field(6, _field(1, request))  # predict_log.request


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes: text or another message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits per byte, the lowest first; the eighth bit says that more follow."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])


def _from_short_to_long(sources: Sequence[str]) -> list[str]:
    by_length = sorted(set(sources), key=lambda line: (len(line), line))
    last = len(by_length) - 1
    places = {round(last * i / (SENTENCES - 1)) for i in range(SENTENCES)}
    return [by_length[place] for place in sorted(places)]
