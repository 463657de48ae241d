"""Checks of the parts of a model: what is refused, and what to use instead."""

import inspect
from typing import Any

import keras

from keras_attn.layers import AttentionDecoder, PointerGenerator
from keras_attn.search.types import Tensor

_GIVEN = ("mask", "training")  # what an encoder is called with besides its input


def check_parts(
    *,
    encoder: Any,
    decoder: Any,
    source_embedding: Any,
    target_embedding: Any,
    output: Any,
    copy: Any,
    bridge: Any,
) -> None:
    """Raises ValueError if a part of the model is of another kind, or if they do not fit together."""
    if not isinstance(decoder, AttentionDecoder):
        raise ValueError(f"decoder must be an AttentionDecoder. Received: {decoder!r}.")
    _check_layers(encoder=encoder, target_embedding=target_embedding)
    optional = {"source_embedding": source_embedding, "output": output, "bridge": bridge}
    _check_layers(**{name: part for name, part in optional.items() if part is not None})
    _check_single_input(encoder)
    if output is None and not isinstance(target_embedding, keras.layers.ReversibleEmbedding):
        raise ValueError(
            "output=None ties the output to the target embedding, which must then be a keras.layers.ReversibleEmbedding. Received: "
            f"{target_embedding!r}. Use one, or set output=keras.layers.Dense(vocabulary size)."
        )
    if copy is not None:
        _check_copy(copy, decoder, source_embedding, target_embedding)


def check_output(
    decoder: AttentionDecoder,
    target_embedding: keras.layers.Layer,
    output: keras.layers.Layer | None,
    logits: Tensor,
) -> None:
    """Raises ValueError if the output cannot be logits of the target words, or a tied embedding is not as wide as the readout."""
    if output is None and target_embedding.output_dim != decoder.readout.width:
        raise ValueError(
            "output=None multiplies the readout by the target embedding, so both must have one width. Received: a readout of width "
            f"{decoder.readout.width} and an embedding of width {target_embedding.output_dim}. Set the decoder's readout_units to "
            "the embedding's, or set output=keras.layers.Dense(vocabulary size)."
        )
    words = getattr(target_embedding, "input_dim", logits.shape[-1])
    if logits.shape[-1] != words:
        raise ValueError(
            f"output must give one logit for each of the target embedding's {words} words. Received: {logits.shape[-1]}. Use "
            f"keras.layers.Dense({words})."
        )
    last = output.layers[-1] if getattr(output, "layers", None) else output
    if (
        isinstance(last, keras.layers.Softmax)
        or getattr(last, "activation", None) is keras.activations.softmax
    ):
        raise ValueError(
            "output must give logits: training and search take their softmax, and here it would be taken twice. Received: "
            f"{output!r} with a softmax. Leave it out, as in keras.layers.Dense({words})."
        )


def _check_layers(**parts: Any) -> None:
    for name, part in parts.items():
        if not isinstance(part, keras.layers.Layer):
            raise ValueError(
                f"{name} must be a Keras layer or model: an instance, not its class. Received: {part!r}."
            )


def _check_single_input(encoder: keras.layers.Layer) -> None:
    needed = [
        name
        for name, each in inspect.signature(encoder.call).parameters.items()
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD and name not in _GIVEN
    ]
    if len(needed) > 1 or len(getattr(encoder, "inputs", None) or ()) > 1:
        raise ValueError(
            "The encoder must take one input, the embedded source, besides `mask` and `training`. Received: "
            f"{encoder!r}, which takes more. Write a layer or model that calls it with what it needs."
        )


def _check_copy(
    copy: Any,
    decoder: AttentionDecoder,
    source_embedding: keras.layers.Layer | None,
    target_embedding: keras.layers.Layer,
) -> None:
    if not isinstance(copy, PointerGenerator):
        raise ValueError(
            f"copy must be a PointerGenerator, as in copy=PointerGenerator(), or None. Received: {copy!r}."
        )
    if decoder.attention is None:
        raise ValueError("Copying needs attention, and this decoder has none: leave out copy.")
    if source_embedding is None:
        raise ValueError("Copying needs a source of words, and this source has no ids: leave out copy.")
    sizes = [getattr(each, "input_dim", None) for each in (source_embedding, target_embedding)]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            "Copying needs one vocabulary for source and target (tokenizer.joint=true), so that an id is the same word on both "
            f"sides. Received: embeddings of {sizes[0]} source and {sizes[1]} target words."
        )
