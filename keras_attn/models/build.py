"""The translation model: a functional `keras.Model` that `compile` and `fit` take as it is."""

import keras
from keras import ops

from keras_attn.config import ModelConfig
from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    CoverageAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
)
from keras_attn.layers.recurrent_cells import CELLS
from keras_attn.models.bidirectional_encoder import BidirectionalEncoder, Bridge
from keras_attn.models.transformer_encoder import TransformerEncoder
from keras_attn.special_ids import PAD_ID

_ADDITIVE = {"coverage": CoverageAttention, "monotonic": MonotonicAttention}
_LOCAL = {"local-m": LocalMonotonicAttention, "local-p": LocalPredictiveAttention}


def build_seq2seq(config: ModelConfig, return_attention_scores: bool = False) -> keras.Model:
    """Builds the model that a config describes.

    Inputs: `[source, target_in]`, int32 ids `(B, S)` and `(B, T)`, padded on the right with 0; `target_in` begins with BOS.
    Output: float32 logits `(B, T, V)` of the word that follows each target position.

    With `return_attention_scores` there are two outputs, `[logits, weights]`: the float32 attention weights `(B, T, S)` are those
    that the logits beside them were computed with. Layers and weights of the model are the same.

    Raises:
        ValueError: a vocabulary size of 0, or choices that do not fit together; the message says which.
    """
    _check(config)
    if return_attention_scores and config.attention == "none":
        raise ValueError("A model with attention='none' has no attention scores to return.")
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    source_embedding, target_embedding = _embeddings(config)
    decoder = _decoder(config)
    word_dropout = keras.layers.Dropout(config.word_dropout, noise_shape=(None, None, 1), name="word_dropout")
    embedding_dropout = _dropout(config, "embedding_dropout")

    mask = ops.not_equal(source, PAD_ID)
    memory, final = _encoder(config)(embedding_dropout(word_dropout(source_embedding(source))), mask=mask)
    memory = _dropout(config, "memory_dropout")(memory)
    bridge = Bridge(
        config.decoder_units,
        config.decoder_layers,
        state_count=CELLS[config.cell].state_count,
        name="bridge",
    )
    decoded = decoder(
        embedding_dropout(word_dropout(target_embedding(target_in))),
        memory,
        initial_state=bridge(final),
        memory_mask=mask,
        return_attention_scores=return_attention_scores,
    )
    outputs, weights = decoded if return_attention_scores else (decoded, None)
    outputs = _dropout(config, "readout_dropout")(outputs)
    logits = _project(config, outputs, target_embedding)
    logits = keras.layers.Activation("linear", dtype="float32", name="logits")(logits)
    results = [logits, weights] if return_attention_scores else logits
    return keras.Model([source, target_in], results, name="seq2seq")


def _check(config: ModelConfig) -> None:
    if not (config.source_vocab_size and config.target_vocab_size):
        raise ValueError(
            "The model needs the sizes of its vocabularies. Received: "
            f"source_vocab_size={config.source_vocab_size}, target_vocab_size={config.target_vocab_size}. "
            "Set both to the tokenizers' `vocab_size`."
        )
    if config.attention_heads != 1 and config.attention not in ("bahdanau", "luong"):
        raise ValueError(
            "Several heads are for model.attention = 'bahdanau' or 'luong'. Received: "
            f"attention={config.attention!r}, attention_heads={config.attention_heads}."
        )
    if config.tied_embeddings == "none":
        return
    if config.readout == "plain" or config.readout_units != config.embedding_dim:
        width = "none of its own" if config.readout == "plain" else config.readout_units
        raise ValueError(
            "Tied embeddings read the readout with the embedding matrix: readout_units must equal embedding_dim. "
            f"Received: embedding_dim={config.embedding_dim}, readout={config.readout!r} with readout_units={width}."
        )
    if config.tied_embeddings == "all" and config.source_vocab_size != config.target_vocab_size:
        raise ValueError(
            "tied_embeddings='all' needs one vocabulary for both languages (tokenizer.joint=true). Received: "
            f"source_vocab_size={config.source_vocab_size}, target_vocab_size={config.target_vocab_size}."
        )


def _embeddings(config: ModelConfig) -> tuple[keras.layers.Layer, keras.layers.Layer]:
    """The source's and the target's embedding: one layer when all are tied."""
    width = config.embedding_dim
    target = keras.layers.ReversibleEmbedding(
        config.target_vocab_size, width, embeddings_initializer=_start(config), name="target_embedding"
    )
    if config.tied_embeddings == "all":
        return target, target
    source = keras.layers.Embedding(
        config.source_vocab_size, width, embeddings_initializer=_start(config), name="source_embedding"
    )
    return source, target


def _start(config: ModelConfig) -> keras.initializers.Initializer:
    """Of embeddings. Keras' own are a seventeenth of the size of these: recurrent cells learn slowly from them, LSTMs above all
    (see `benchmarks/RESULTS.md`). The Transformer encoder multiplies its input by `sqrt(E)`, to stand beside its positions."""
    return keras.initializers.RandomNormal(
        stddev=config.embedding_dim**-0.5 if config.encoder == "transformer" else 0.5
    )


def _dropout(config: ModelConfig, name: str) -> keras.layers.Layer:
    """Variational: one mask for all positions of a sentence (Gal and Ghahramani 2016, "A Theoretically Grounded Application of
    Dropout in Recurrent Neural Networks", section 4); otherwise one a position."""
    shape = (None, 1, None) if config.variational_dropout else None
    return keras.layers.Dropout(getattr(config, name), noise_shape=shape, name=name)


def _encoder(config: ModelConfig) -> keras.layers.Layer:
    depth, dropout = config.encoder_layers, config.layer_dropout
    if config.encoder == "transformer":
        return TransformerEncoder(depth, config.encoder_heads, dropout=dropout, name="encoder")
    return BidirectionalEncoder(
        config.encoder_units,
        config.cell,
        num_layers=depth,
        residual=config.residual,
        dropout=dropout,
        name="encoder",
    )


def _decoder(config: ModelConfig) -> AttentionDecoder:
    return AttentionDecoder(
        config.decoder_units,
        _attention(config),
        cell=config.cell,
        num_layers=config.decoder_layers,
        residual=config.residual,
        query_state=config.query_state,
        feed=config.feed,
        readout=config.readout,
        readout_units=None if config.readout == "plain" else config.readout_units,
        dropout=config.layer_dropout,
        name="decoder",
    )


def _attention(config: ModelConfig) -> keras.layers.Layer | None:
    options = {"dropout": config.attention_dropout, "name": "attention"}
    if config.attention in _ADDITIVE:
        return _ADDITIVE[config.attention](config.attention_units, **options)
    heads = config.attention_heads
    if config.attention == "bahdanau":
        return BahdanauAttention(
            config.attention_units, config.attention_normalize, num_heads=heads, **options
        )
    if config.attention == "none":
        return None
    options["units"] = config.attention_units if config.attention_score == "concat" else None
    if config.attention == "luong":
        return LuongAttention(config.attention_score, config.attention_scale, num_heads=heads, **options)
    if config.attention == "luong-monotonic":
        return LuongMonotonicAttention(config.attention_score, config.attention_scale, **options)
    local = _LOCAL[config.attention]
    return local(config.attention_score, config.attention_window, use_scale=config.attention_scale, **options)


def _project(config: ModelConfig, outputs, target_embedding: keras.layers.Layer):
    """Logits over the target vocabulary. A matrix for them alone starts by the width that it reads: Keras' own start goes by the
    vocabulary as well, and is so small that readouts hardly learn, attentional vectors above all (see `benchmarks/RESULTS.md`)."""
    if config.tied_embeddings != "none":
        return target_embedding(outputs, reverse=True)
    start = keras.initializers.VarianceScaling(4)  # a deviation of 2 / sqrt(readout width)
    return keras.layers.Dense(config.target_vocab_size, kernel_initializer=start, name="output")(outputs)
