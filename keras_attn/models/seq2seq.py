"""The model: an encoder, a decoder that attends to its memory, and the methods that search and export need."""

from typing import Any

import keras
from keras import ops

from keras_attn.layers import AttentionDecoder, PointerGenerator
from keras_attn.models.bridge import Bridge
from keras_attn.models.decoding import Decoding
from keras_attn.models.encoding import check_a_position_a_word, check_length, check_padding, encode, raw_input
from keras_attn.models.parts import check_output, check_parts
from keras_attn.models.searching import Embeddings, Encoded, Mask, Searching
from keras_attn.search.types import LogProbs, State, Tensor, Tokens, Weights
from keras_attn.special_ids import PAD_ID


@keras.saving.register_keras_serializable(package="keras_attn")
class Seq2Seq(Searching, keras.Model):
    """`log p(y | x) = sum_t log softmax(output(decoder(y_<t, encoder(x))))_{y_t}`: a functional model with its parts as attributes.

    It trains like any Keras model on `[source, target_in]`. Search, `Translator` and both exports call its methods. Ids follow one
    convention: 0 is padding, 1 is unknown, 2 begins a target and 3 ends it. `save` writes a `.keras` file, which
    `keras.models.load_model` reads in any program that has imported `keras` and then `keras_attn`.

    Shapes: B batch, S source positions, T target length, V target vocabulary, D memory width, N hypotheses (B, or B times a
    number).

    Args:
        source_embedding: maps ids to vectors, such as `keras.layers.Embedding`. `None`: the encoder takes the source directly, such
            as a picture or frames of sound, without padding.
        encoder: a layer or model that returns a memory `(B, S, D)`, or a list of a memory and states `(B, width)`. It receives the
            source's mask if its `call` takes one.
        decoder: an `AttentionDecoder`.
        target_embedding: the embedding of target ids.
        output: maps readouts to logits, such as `keras.layers.Dense(V)`. `None`: the target embedding, which then must be a
            `keras.layers.ReversibleEmbedding` as wide as the readout.
        copy: a `PointerGenerator`, which lets the output copy words from the source. It needs attention, and one vocabulary for
            both sides. `None`: every word is generated.
        bridge: a layer that computes the decoder's initial state from the encoder's states, or from the mean of the memory if the
            encoder returns none. `None`: a `Bridge`.
        source_shape: the shape of a source without an embedding, such as `(32, 128, 1)`. `None`: that of the encoder's own input.
        word_dropout: rate of dropout of whole words, in source and target. Each word is dropped on its own; Gal and Ghahramani 2016
            (section 4.2) drop a word everywhere in a sentence.
        embedding_dropout, memory_dropout, readout_dropout: rates of dropout on embedded words, on the memory that the decoder
            reads, and on the readouts.
        variational_dropout: whether these three drop the same units at every position (Gal and Ghahramani 2016, section 4).
        return_attention_scores: whether to add the attention weights as a second output, so that a loss can guide them.

    Inputs: `[source, target_in]`: int32 ids `(B, S)` padded on the right with 0, or float32 of `source_shape`; int32 ids `(B, T)`
    that begin with BOS.

    Output: float32 logits `(B, T, V)` of the word that follows each target position; with `return_attention_scores` also the
    float32 attention weights `(B, T, S)`.

    Raises:
        ValueError: the parts do not fit together; the message says which.

    Example:

    >>> model = Seq2Seq(
    ...     source_embedding=keras.layers.Embedding(8000, 256),
    ...     encoder=keras.layers.Bidirectional(keras.layers.GRU(256, return_sequences=True, return_state=True)),
    ...     decoder=AttentionDecoder(256, BahdanauAttention(256), readout_units=256),
    ...     target_embedding=keras.layers.Embedding(8000, 256),
    ...     output=keras.layers.Dense(8000),
    ... )

    Reference: Bahdanau, Cho and Bengio 2015, sections 2 and 3; Jurafsky and Martin, the chapter on encoder-decoders with attention.
    """

    def __init__(
        self,
        *,
        encoder: keras.layers.Layer,
        decoder: AttentionDecoder,
        target_embedding: keras.layers.Layer,
        source_embedding: keras.layers.Layer | None = None,
        output: keras.layers.Layer | None = None,
        copy: PointerGenerator | None = None,
        bridge: keras.layers.Layer | None = None,
        source_shape: tuple[int | None, ...] | None = None,
        word_dropout: float = 0.0,
        embedding_dropout: float = 0.0,
        memory_dropout: float = 0.0,
        readout_dropout: float = 0.0,
        variational_dropout: bool = False,
        return_attention_scores: bool = False,
        name: str = "seq2seq",
        **kwargs,
    ):
        check_parts(
            encoder=encoder,
            decoder=decoder,
            source_embedding=source_embedding,
            target_embedding=target_embedding,
            output=output,
            copy=copy,
            bridge=bridge,
        )
        if return_attention_scores and decoder.attention is None:
            raise ValueError("A decoder without attention has no attention scores to return.")
        drop_words, drop_embedded, drop_memory, drop_readout = _dropouts(
            word_dropout, embedding_dropout, memory_dropout, readout_dropout, variational=variational_dropout
        )
        cells = decoder.cells.cells
        bridge = bridge or Bridge(
            decoder.cells.units, len(cells), state_count=cells[0].state_count, name="bridge"
        )
        target_in = keras.Input((None,), dtype="int32", name="target_in")
        if source_embedding is None:
            source = raw_input(encoder, source_shape)
            inputs, mask = source, None
        else:
            source = keras.Input((None,), dtype="int32", name="source")
            mask = ops.not_equal(source, PAD_ID)
            inputs = drop_embedded(drop_words(source_embedding(source)))
        memory, state, mask = _read(encoder, bridge, inputs, mask)
        # The decoder checks this too, but Keras wraps its error.
        decoder.cells.checked_states(state, memory.shape[0])
        if source_embedding is not None:
            check_length(encoder, inputs.shape[-1], inputs.dtype)
            check_padding(encoder, inputs.shape[-1])
        if copy is not None:
            check_a_position_a_word(encoder, inputs.shape[-1], inputs.dtype)
        decoding = Decoding(decoder=decoder, target_embedding=target_embedding, output=output, copy=copy)
        logits, weights = decoding.forced(
            drop_embedded(drop_words(target_embedding(target_in))),
            drop_memory(memory),
            state=state,
            mask=mask,
            source=source,
            return_weights=return_attention_scores,
            drop_readout=drop_readout,
        )
        check_output(decoder, target_embedding, output, logits)
        logits = keras.layers.Activation("linear", dtype="float32", name="logits")(logits)
        outputs = [logits, weights] if return_attention_scores else logits
        super().__init__(inputs=[source, target_in], outputs=outputs, name=name, **kwargs)
        self.source_embedding = source_embedding
        self.encoder = encoder
        self.bridge = bridge
        self.decoder = decoder
        self.target_embedding = target_embedding
        self.output_layer = output
        self.copy = copy
        self.target_vocab_size = logits.shape[-1]
        self._options = _Plain(
            source_shape=source_shape,
            word_dropout=word_dropout,
            embedding_dropout=embedding_dropout,
            memory_dropout=memory_dropout,
            readout_dropout=readout_dropout,
            variational_dropout=variational_dropout,
            return_attention_scores=return_attention_scores,
        )

    @property
    def has_attention(self) -> bool:
        """Whether the decoder has attention."""
        return self.decoder.attention is not None

    @property
    def reads_ids(self) -> bool:
        """Whether the source is ids rather than numbers for the encoder."""
        return self.source_embedding is not None

    @property
    def embeddings(self) -> Embeddings:
        """The model's own embeddings."""
        return Embeddings(self.source_embedding, self.target_embedding)

    def encode(self, source: Tensor, embeddings: Embeddings | None = None) -> Encoded:
        """Encodes sources once, for all steps.

        Args:
            source: like the model's first input; ids need at least one position.
            embeddings: embeddings to use. `None`: the model's own.
        """
        source = ops.convert_to_tensor(source)
        memory, state, mask = self._memory(source, embeddings or self.embeddings)
        copied = () if self.copy is None else (source, self.copy.read(memory))
        first = self.decoder.first_state(memory, state)
        return Encoded(memory, self.decoder.precompute(memory), mask, first, copied)

    def step(
        self, tokens: Tokens, encoded: Encoded, state: State, *, embeddings: Embeddings | None = None
    ) -> tuple[LogProbs, State, Weights]:
        """One target position.

        Args:
            tokens: int32 `(N,)`, the previous words; N is B or a multiple of B, with the hypotheses of a source adjacent.
            encoded: the result of `encode`; its state is not read.
            state: `encoded.state`, or the state returned by the previous step.
            embeddings: embeddings to use. `None`: the model's own.

        Returns:
            `(log_probs, state, weights)`: float32 `(N, V)`, the next state, and float32 `(N, S)`, the attention weights of the
            predicted word (`None` without attention).
        """
        return self._decoding(embeddings or self.embeddings).step(tokens, encoded, state)

    def score(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> tuple[Tensor, Weights]:
        """The log-probability of each word of given targets: float32 `(B, T)`, zero at padding, and the weights `(B, T, S)`.

        Args:
            source: like the model's first input.
            target_in: int32 `(B, T)`, beginning with BOS.
            target_out: int32 `(B, T)`, the words that follow; padded on the right with 0.
        """
        source = ops.convert_to_tensor(source)
        target_in, target_out = (
            ops.convert_to_tensor(each, dtype="int32") for each in (target_in, target_out)
        )
        memory, state, mask = self._memory(source, self.embeddings)
        decoding = self._decoding(self.embeddings)
        logits, weights = decoding.forced(
            self.target_embedding(target_in),
            memory,
            state=state,
            mask=mask,
            source=source,
            return_weights=self.has_attention,
        )
        log_probs = decoding.log_probs(logits)
        chosen = ops.take_along_axis(log_probs, ops.expand_dims(target_out, -1), axis=-1)
        return ops.where(ops.not_equal(target_out, PAD_ID), ops.squeeze(chosen, -1), 0.0), weights

    def _decoding(self, embeddings: Embeddings) -> Decoding:
        return Decoding(
            decoder=self.decoder,
            target_embedding=embeddings.target,
            output=self.output_layer,
            copy=self.copy,
        )

    def _memory(self, source: Tensor, embeddings: Embeddings) -> tuple[Tensor, State, Mask]:
        if not self.reads_ids:
            return _read(self.encoder, self.bridge, source, None)
        return _read(self.encoder, self.bridge, embeddings.source(source), ops.not_equal(source, PAD_ID))

    def get_config(self) -> dict[str, Any]:
        serialize = keras.saving.serialize_keras_object
        tied = self.source_embedding is self.target_embedding
        parts = {
            "source_embedding": "target_embedding" if tied else serialize(self.source_embedding),
            "encoder": serialize(self.encoder),
            "bridge": serialize(self.bridge),
            "decoder": serialize(self.decoder),
            "target_embedding": serialize(self.target_embedding),
            "output": serialize(self.output_layer),
            "copy": serialize(self.copy),
        }
        return {"name": self.name, "trainable": self.trainable, **parts, **self._options.values}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> "Seq2Seq":
        parts = {
            key: keras.saving.deserialize_keras_object(value, custom_objects)
            for key, value in config.items()
            if isinstance(value, dict)
        }
        if config["source_embedding"] == "target_embedding":
            parts["source_embedding"] = parts["target_embedding"]
        return cls(**{**config, **parts})


class _Plain:
    """Values that Keras must not wrap in its own containers."""

    def __init__(self, **values: Any) -> None:
        self.values = values


def _dropouts(*rates: float, variational: bool) -> list[keras.layers.Layer]:
    """Dropout of whole words, of embeddings, of the memory and of the readout."""
    names = ("word_dropout", "embedding_dropout", "memory_dropout", "readout_dropout")
    shape = (None, 1, None) if variational else None
    shapes = ((None, None, 1), shape, shape, shape)
    return [
        keras.layers.Dropout(rate, noise_shape=shape, name=name)
        for rate, shape, name in zip(rates, shapes, names, strict=True)
    ]


def _read(
    encoder: keras.layers.Layer, bridge: keras.layers.Layer, inputs: Tensor, mask: Mask | None
) -> tuple[Tensor, State, Mask]:
    """The memory, the decoder's initial state and the mask of the memory."""
    memory, states, mask = encode(encoder, inputs, mask)
    return memory, bridge(states[0] if len(states) == 1 else states), mask
