"""Builds models from configs."""

import keras

from keras_attn.config import ModelConfig
from keras_attn.config.schema import check_applicable
from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    CoverageAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
    PointerGenerator,
)
from keras_attn.layers.checks import check_counts
from keras_attn.models.bidirectional_encoder import BidirectionalEncoder
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.models.transformer_encoder import TransformerEncoder

_ADDITIVE = {"coverage": CoverageAttention, "monotonic": MonotonicAttention}
_LOCAL = {"local-m": LocalMonotonicAttention, "local-p": LocalPredictiveAttention}


def build_seq2seq(config: ModelConfig, *, return_attention_scores: bool = False) -> Seq2Seq:
    """Builds the `Seq2Seq` that a config describes.

    Args:
        config: the `[model]` section, with the sizes of both vocabularies.
        return_attention_scores: whether to add the attention weights as a second output. Layers and weights stay the same.

    Raises:
        ValueError: not a `ModelConfig`, a vocabulary size of 0, or choices that do not go together; the message says which.
    """
    if not isinstance(config, ModelConfig):
        raise ValueError(
            "build_seq2seq takes a ModelConfig, such as ModelConfig.from_preset('bahdanau2015', source_vocab_size=8000, "
            f"target_vocab_size=8000), or the `model` of a whole config. Received: {config!r}."
        )
    _check(config)
    source_embedding, target_embedding = _embeddings(config)
    return Seq2Seq(
        source_embedding=source_embedding,
        encoder=_encoder(config),
        decoder=_decoder(config),
        target_embedding=target_embedding,
        output=_output(config),
        copy=PointerGenerator(name="copy") if config.copy else None,
        word_dropout=config.word_dropout,
        embedding_dropout=config.embedding_dropout,
        memory_dropout=config.memory_dropout,
        readout_dropout=config.readout_dropout,
        variational_dropout=config.variational_dropout,
        return_attention_scores=return_attention_scores,
    )


def _check(config: ModelConfig) -> None:
    if not (config.source_vocab_size and config.target_vocab_size):
        raise ValueError(
            "The model needs the sizes of its vocabularies. Received: "
            f"source_vocab_size={config.source_vocab_size}, target_vocab_size={config.target_vocab_size}. "
            "Set both to the tokenizers' `vocab_size`."
        )
    check_applicable("model", config)
    check_counts(embedding_dim=config.embedding_dim)
    if config.tied_embeddings == "none":
        return
    if config.readout == "plain" or config.readout_units != config.embedding_dim:
        width = "none of its own" if config.readout == "plain" else config.readout_units
        raise ValueError(
            "Tied embeddings multiply the readout by the embedding matrix, so readout_units must equal embedding_dim. "
            f"Received: embedding_dim={config.embedding_dim}, readout={config.readout!r} with readout_units={width}."
        )
    if config.tied_embeddings == "all" and config.source_vocab_size != config.target_vocab_size:
        raise ValueError(
            "tied_embeddings='all' needs one vocabulary for both languages (tokenizer.joint=true). Received: "
            f"source_vocab_size={config.source_vocab_size}, target_vocab_size={config.target_vocab_size}."
        )


def _embeddings(config: ModelConfig) -> tuple[keras.layers.Layer, keras.layers.Layer]:
    """The embeddings of source and target; the same layer if all are tied."""
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
    """The initialisation of embeddings. Keras' own values are 17 times smaller, which slows recurrent cells down, LSTMs most of all
    (see `benchmarks/log/embedding_start.md`). The Transformer encoder scales its input by `sqrt(E)` to match its positional
    encodings."""
    return keras.initializers.RandomNormal(
        stddev=config.embedding_dim**-0.5 if config.encoder == "transformer" else 0.5
    )


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


def _output(config: ModelConfig) -> keras.layers.Layer | None:
    """Logits over the target vocabulary.

    An untied output matrix is initialised by its input width. Keras initialises wide output layers close to zero, which slows
    recurrent decoders down, most of all those with attentional vectors (see `benchmarks/log/output_start.md`).
    """
    if config.tied_embeddings != "none":
        return None
    start = keras.initializers.VarianceScaling(4)  # a standard deviation of 2 / sqrt(readout width)
    return keras.layers.Dense(config.target_vocab_size, kernel_initializer=start, name="output")
