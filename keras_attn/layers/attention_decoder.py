"""The recurrent decoder with attention, step by step or over a whole target at once."""

import keras
from keras import ops, tree

from keras_attn.layers.checks import check_shapes, check_width
from keras_attn.layers.readout import Readout
from keras_attn.layers.recurrent_cells import make_cell
from keras_attn.layers.stacked_cells import StackedCells
from keras_attn.layers.time_loop import unroll

QUERY_STATES = ("previous", "current", "intermediate")
FEEDS = ("context", "attentional", "none")


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentionDecoder(keras.layers.Layer):
    """`s_t = cell(y_{t-1}, fed_t, s_{t-1})`, `c_t = attention(query, memory)`, `o_t = readout(s_t, c_t, y_{t-1})`.

    Papers differ in the choice of arguments:

    | paper | query_state | feed | readout |
    |---|---|---|---|
    | Bahdanau et al. 2015: query s_{t-1}, c_t enters the cell, deep output | previous | context | maxout |
    | Jurafsky & Martin: query s_{t-1}, c_t conditions the state | previous | context | plain |
    | Luong et al. 2015: query s_t, h~_{t-1} enters the cell (input feeding) | current | attentional | attentional |
    | CS224n: query s_t, [a_t; s_t] to the output | current | none | plain |
    | Sennrich et al. 2017: query s'_t, c_t turns it into s_t | intermediate | context | maxout |
    | `AttentionWrapper` of tfa.seq2seq, with an attention layer | current | attentional | linear |
    | fixed-vector encoder-decoder: `attention=None` | - | none | any |

    `fed_t` is c_t if the query is the previous state; otherwise it is the context or the readout of step t - 1. If nothing is fed
    back, `call` runs the cells over the whole target and attends once for all positions: the same numbers, much faster.

    With the intermediate state, a step is two transitions with separate weights. `s'_t = cell(y_{t-1}, s_{t-1})` is the query, and
    `s_t = transition(c_t, s'_t)` follows in the top layer (the conditional GRU of Nematus, section 2, there with a tanh readout).

    Shapes: B batch, N hypotheses (N = B, or B times some number), T target length, S memory length, E input width, D memory width,
    R readout width.

    Args:
        units: width of the state.
        attention: an attention layer, such as `BahdanauAttention`; `ParallelAttention` for several; `None` for none at all.
        cell: `"gru"`, `"lstm"`, `"layer_norm_gru"` or `"gru_reset_after"`.
        num_layers: number of stacked cells; the state of the top one is the query, unless there are residual connections: then a
            current state is queried with what its layer puts out.
        residual: whether every layer but the first has a residual connection; not with the intermediate state.
        query_state: which state is the query, `"previous"` (s_{t-1}), `"current"` (s_t) or `"intermediate"` (s'_t).
        feed: what is added to the cell's input, `"context"`, `"attentional"` (the readout of the previous step) or `"none"`.
        readout: `"maxout"`, `"attentional"`, `"linear"` or `"plain"`; see `Readout`.
        readout_units: width of the readout. `None`: `units`; the plain one has none.
        dropout: rate of dropout between layers, in training.

    Call arguments:
        inputs: `(B, T, E)`, the embedded previous target words, T at least 1.
        memory: `(B, S, D)`.
        initial_state: for each layer, a tuple of cell states `(B, units)`. `None`: zeros.
        memory_mask: boolean `(B, S)`, `True` at real positions.
        return_attention_scores: whether to return the weights too (Keras' name for them).
        return_states: whether to return the top layer's states s_t too.
        training: whether dropout is on.

    Returns:
        The readouts `(B, T, R)`; or a tuple of the readouts and whatever else was requested: float32 weights `(B, T, S)`, then
        states `(B, T, units)`.

    Raises:
        ValueError: an unknown choice, a combination that makes no sense, shapes that do not fit together, or weights of a decoder
            without attention.

    Masking: Keras fills `memory_mask` from its implicit mask. The output carries the mask of the inputs. That mask has no other
    effect, because padding is on the right and a decoder never looks ahead.

    Example:

    >>> decoder = AttentionDecoder(256, BahdanauAttention(256), readout_units=256)
    >>> outputs = decoder(embedded_target, memory)

    References: Bahdanau, Cho and Bengio 2015, section 3.1 and appendix A; Luong, Pham and Manning 2015, section 3;
    Jurafsky and Martin, the chapter on encoder-decoders with attention; CS224n, the lectures on attention; Sennrich et al. 2017,
    "Nematus: a Toolkit for Neural Machine Translation".
    """

    def __init__(
        self,
        units,
        attention=None,
        *,
        cell="gru",
        num_layers=1,
        residual=False,
        query_state="previous",
        feed="context",
        readout="maxout",
        readout_units=None,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if query_state not in QUERY_STATES:
            raise ValueError(
                f"query_state must be one of {', '.join(QUERY_STATES)}. Received: {query_state!r}."
            )
        if feed not in FEEDS:
            raise ValueError(f"feed must be one of {', '.join(FEEDS)}. Received: {feed!r}.")
        known = isinstance(attention, keras.layers.Layer) and hasattr(attention, "project_keys")
        if attention is not None and not known:
            raise ValueError(
                f"attention must be an attention layer, such as BahdanauAttention({units}). Received: {attention!r}."
            )
        if attention is None and feed != "none":
            raise ValueError(
                f"Without attention there is nothing to feed back: set feed='none'. Received: {feed!r}."
            )
        if query_state == "intermediate" and feed != "context":
            raise ValueError(
                f"With query_state='intermediate' the context enters the state: set feed='context'. Received: {feed!r}."
            )
        if query_state == "intermediate" and residual:
            raise ValueError(
                "With query_state='intermediate' the second transition ends a step, and no residual connection leads around it: "
                "set residual=False."
            )
        self.supports_masking = True
        self.attention = attention
        self.query_state = query_state
        self.feed = feed
        self.cells = StackedCells(
            cell,
            units,
            num_layers=num_layers,
            residual=residual,
            dropout=dropout,
            dtype=self.dtype_policy,
            name="cells",
        )
        if readout_units is None and readout != "plain":
            readout_units = units
        self.readout = Readout(readout, readout_units, dtype=self.dtype_policy, name="readout")
        if query_state == "intermediate":
            self.transition = make_cell(cell, units, dtype=self.dtype_policy, name="transition")
        elif feed != "none":
            width = self.cells.cells[0].gates * units
            self.feed_projection = keras.layers.Dense(
                width, use_bias=False, dtype=self.dtype_policy, name="feed_projection"
            )

    def build(self, inputs_shape, memory_shape):
        check_width("inputs", inputs_shape[-1])
        state_shape = (None, self.cells.units)
        context_shape = None
        self.cells.build(inputs_shape)
        if self.attention is not None:
            context_shape = (None, self.attention.context_width(memory_shape[-1]))
            if not self.attention.built:  # already built if it was restored from a file
                self.attention.build((None, *state_shape), memory_shape)
        self.readout.build(state_shape, inputs_shape, context_shape)
        if self.query_state == "intermediate":
            self.transition.build(context_shape)
        elif self.feed != "none":
            fed_width = context_shape[-1] if self.feed == "context" else self.readout.width
            self.feed_projection.build((None, fed_width))

    def precompute(self, memory):
        """The attention's keys, `(B, S, K)` or a nest of such, projected once per sentence; `None` without attention."""
        self._check_built()
        return None if self.attention is None else self.attention.project_keys(memory)

    def first_state(self, memory, initial_state=None):
        """The state before the first step: `{"cells": ..., "fed": ..., "attention": ...}`.

        `"fed"` exists only if something is fed back, and `"attention"` only with attention; for most attentions it is an empty
        tuple.

        Args:
            memory: `(B, S, D)`.
            initial_state: the cells' states, or `None` for zeros.
        """
        batch = ops.shape(memory)[0]
        if initial_state is None:
            initial_state = self.cells.zero_states(batch)
        cells = self.cells.checked_states(initial_state, memory.shape[0])
        state = {"cells": tree.map_structure(lambda x: ops.cast(x, self.compute_dtype), cells)}
        if self._carries_fed:
            from_context = self.feed == "context"
            width = self.attention.context_width(memory.shape[-1]) if from_context else self.readout.width
            state["fed"] = ops.zeros((batch, width), dtype=self.compute_dtype)
        if self.attention is not None:
            state["attention"] = self.attention.first_carry(memory)
        return state

    def step(self, inputs_t, state, memory, keys, memory_mask=None, training=None):
        """One target position.

        Args:
            inputs_t: `(N, E)`. If N = k B, the k hypotheses of a sentence are adjacent and share its memory.
            state: nest of `(N, ...)` tensors, from `first_state` or the previous step.
            memory: `(B, S, D)`.
            keys: `precompute(memory)`.
            memory_mask: boolean `(B, S)` or `None`.
            training: whether dropout is on.

        Returns:
            `(output_t, state, weights_t)`: `(N, R)`, the next state, `(N, S)` (`None` without attention).
        """
        self._check_built()
        memory = (memory, keys, memory_mask)
        output, context, weights, state = self._advance(
            self.cells.project(inputs_t), inputs_t, state, memory, training
        )
        if self.feed == "attentional":
            return state["fed"], state, weights
        return self.readout(output, inputs_t, context), state, weights

    def call(
        self,
        inputs,
        memory,
        initial_state=None,
        memory_mask=None,
        return_attention_scores=False,
        return_states=False,
        training=None,
    ):
        self._check_call(inputs, memory, memory_mask, return_attention_scores)
        state = self.first_state(memory, initial_state)
        memory = (memory, self.precompute(memory), memory_mask)
        asked = {"weights": return_attention_scores, "states": return_states}
        asked = [name for name, wanted in asked.items() if wanted]
        if self.feed == "none":
            outputs = self._run_at_once(inputs, state, memory, training)
        else:
            outputs = self._run_stepwise(inputs, state, memory, asked, training)
        return (outputs["readout"], *(outputs[name] for name in asked)) if asked else outputs["readout"]

    def compute_output_spec(
        self,
        inputs,
        memory,
        initial_state=None,
        memory_mask=None,
        return_attention_scores=False,
        return_states=False,
        training=None,
    ):
        """Computes the output shapes without tracing `call`, whose loop takes most of the time that building a model needs.

        A user-defined attention is traced, so that its mistakes show up here and not in training.
        """
        self._check_call(inputs, memory, memory_mask, return_attention_scores)
        if initial_state is not None:
            self.cells.checked_states(initial_state, memory.shape[0])
        attentions = getattr(self.attention, "attentions", [self.attention] if self.attention else [])
        if not all(type(each).__module__.startswith("keras_attn.") for each in attentions):
            return super().compute_output_spec(
                inputs, memory, initial_state, memory_mask, return_attention_scores, return_states, training
            )
        batch, length = inputs.shape[:2]
        outputs = [keras.KerasTensor((batch, length, self.readout.width), self.compute_dtype)]
        if return_attention_scores:
            outputs.append(keras.KerasTensor((batch, length, memory.shape[1]), "float32"))
        if return_states:
            outputs.append(keras.KerasTensor((batch, length, self.cells.units), self.compute_dtype))
        return tuple(outputs) if len(outputs) > 1 else outputs[0]

    def compute_mask(self, inputs, inputs_mask=None):
        return inputs_mask

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.cells.units,
            "attention": keras.saving.serialize_keras_object(self.attention),
            "cell": self.cells.cell_name,
            "num_layers": len(self.cells.cells),
            "residual": self.cells.residual,
            "query_state": self.query_state,
            "feed": self.feed,
            "readout": self.readout.kind,
            "readout_units": self.readout.units,
            "dropout": self.cells.dropout.rate,
        }

    @classmethod
    def from_config(cls, config):
        attention = keras.saving.deserialize_keras_object(config["attention"])
        return cls(**{**config, "attention": attention})

    def _check_call(self, inputs, memory, memory_mask, return_attention_scores):
        check_shapes(
            {},
            inputs=(inputs, "batch, words, input width", "Embed ids first."),
            memory=(memory, "batch, positions, width", "It is what an encoder returns for each source word."),
            memory_mask=(
                memory_mask,
                "batch, positions",
                "A mask has one entry for each position of the memory.",
            ),
        )
        if return_attention_scores and self.attention is None:
            raise ValueError(
                "A decoder without attention has no attention scores to return. Received: return_attention_scores=True. Leave it "
                "out, or give the decoder an attention."
            )

    def _check_built(self):
        if not self.built:
            raise ValueError(
                "AttentionDecoder has no weights yet: call it once, or `build(inputs_shape, memory_shape)`, before it steps."
            )

    @property
    def _carries_fed(self):
        return self.feed == "attentional" or (self.feed == "context" and self.query_state == "current")

    def _advance(self, projected_t, inputs_t, state, memory, training):
        """The sequential part of a step: `(cell output, context, weights, state)` of one position."""
        cell_states, fed, carry = state["cells"], state.get("fed"), state.get("attention")
        if self.query_state == "previous":
            context, weights, carry = self._attend(cell_states[-1][0], memory, carry, training)
            fed = context if self.feed == "context" else fed
        if fed is not None:
            projected_t = projected_t + self.feed_projection(fed)
        output, cell_states = self.cells(projected_t, cell_states, training=training)
        if self.query_state != "previous":
            context, weights, carry = self._attend(output, memory, carry, training)
        if self.query_state == "intermediate":
            output, top = self.transition(self.transition.project(context), cell_states[-1])
            cell_states = (*cell_states[:-1], top)
        state = {"cells": cell_states}
        if self._carries_fed:
            state["fed"] = context if self.feed == "context" else self.readout(output, inputs_t, context)
        if self.attention is not None:
            state["attention"] = carry
        return output, context, weights, state

    def _attend(self, query, memory, carry, training):
        """`(N, U) -> (N, D), (N, S)` and the carry; all hypotheses of a sentence query its single memory."""
        if self.attention is None:
            return None, None, None
        memory, keys, mask = memory
        batch = ops.shape(memory)[0]
        query, carry = tree.map_structure(
            lambda x: ops.reshape(x, (batch, -1, *ops.shape(x)[1:])), (query, carry)
        )
        attended = self.attention.step(query, memory, keys, mask, carry, training)
        context, weights, carry = tree.map_structure(
            lambda x: ops.reshape(x, (-1, *ops.shape(x)[2:])), attended
        )
        return self._cast(context), weights, carry

    def _cast(self, context):
        """The attention may have its own dtype policy."""
        return ops.cast(context, self.compute_dtype)

    def _run_stepwise(self, inputs, state, memory, asked, training):
        """`step` unrolled, except for the readout: it is computed after the loop, for all positions at once."""
        readout_inside = self.feed == "attentional"

        def step(inputs_t, state):
            output, context, weights, state = self._advance(*inputs_t, state, memory, training)
            outputs = {"readout": state["fed"]} if readout_inside else {"output": output, "context": context}
            more = {"weights": weights, "states": state["cells"][-1][0]}
            return {**outputs, **{name: more[name] for name in asked}}, state

        outputs, _ = unroll(step, (self.cells.project(inputs), inputs), state, self)
        if not readout_inside:
            outputs["readout"] = self.readout(outputs["output"], inputs, outputs["context"])
        return outputs

    def _run_at_once(self, inputs, state, memory, training):
        """For `feed="none"`: computes all states first, then attends once for all of them."""
        outputs, top = self.cells.run(inputs, state["cells"], training=training)
        context = weights = None
        if self.attention is not None:
            queries = outputs
            if self.query_state == "previous":
                first = ops.expand_dims(state["cells"][-1][0], 1)
                queries = ops.concatenate([first, top[:, :-1]], axis=1)
            memory, keys, mask = memory
            context, weights = self.attention(
                queries, memory, key=keys, value_mask=mask, return_attention_scores=True, training=training
            )
            context = self._cast(context)
        return {"readout": self.readout(outputs, inputs, context), "weights": weights, "states": top}
