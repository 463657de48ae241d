"""Greedy search: the most probable token, one position after the other."""

from collections.abc import Callable

from keras import ops

from keras_attn.search import hypotheses
from keras_attn.search.decode_loop import batch_size, decode_loop, weights_of
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.types import Limits, LogProbs, Scalar, State, Step, Tensor, Tokens
from keras_attn.special_ids import PAD_ID

Pick = Callable[[LogProbs, Scalar], tuple[Tensor, Tokens]]  # for each row, a token and its log-probability


def greedy(
    step: Step,
    state: State,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits = None,
    return_weights: bool = False,
    min_length: int = 0,
) -> Hypotheses:
    """Takes the most probable token at every position, until EOS or the sentence's limit.

    PAD (0) and `bos_id` are never produced, whatever their probability. The search ends as soon as all sentences have ended.

    Args:
        step: `step(tokens, state) -> (log_probs, state, weights)` with int32 tokens `[N]`, float32 log_probs `[N, V]`
            and the attention weights, float32 `[N, S]`, or None. The state it returns has the structure, shapes and
            dtypes of the one it was given.
        state: nest of tensors `[B, ...]`, the state before the first token; at least one tensor.
        bos_id: the first input.
        eos_id: the token that ends a sentence.
        max_length: L, the most tokens of any sentence, EOS included.
        limits: int32 `[B]`, the most tokens of each sentence, capped at `max_length`; None: `max_length`.
        return_weights: whether to keep the attention weights of each token.
        min_length: the fewest tokens, EOS included, where the limit allows for them.

    Returns:
        `Hypotheses` with N = 1.

    Raises:
        ValueError: an invalid value, or a step that breaks the contract above.
    """

    def most_probable(log_probs, position):
        best, tokens = hypotheses.best_tokens(log_probs, 1)
        return best[:, 0], tokens[:, 0]

    return decode_one(
        step,
        state,
        pick=most_probable,
        bos_id=bos_id,
        eos_id=eos_id,
        max_length=max_length,
        limits=limits,
        return_weights=return_weights,
        min_length=min_length,
    )


def decode_one(
    step: Step,
    state: State,
    *,
    pick: Pick,
    bos_id: int,
    eos_id: int,
    max_length: int,
    limits: Limits,
    return_weights: bool,
    min_length: int,
) -> Hypotheses:
    """Decodes one hypothesis per sentence; `pick(log_probs [B, V], position) -> (log_probs, tokens)`, both `[B]`, chooses."""
    hypotheses.check_ids(bos_id, eos_id)
    batch = batch_size(state)
    limits = hypotheses.sentence_limits(limits, batch, max_length)

    def choose(position, log_probs, weights, progress, active):
        buffer, lengths, totals = progress
        log_probs = hypotheses.possible(
            log_probs, position, bos_id=bos_id, eos_id=eos_id, min_length=min_length
        )
        picked, tokens = pick(log_probs, position)
        tokens = ops.where(active, tokens, PAD_ID)
        buffer = hypotheses.put(buffer, position, tokens)
        lengths = lengths + ops.cast(active, "int32")
        totals = totals + ops.where(active, picked, 0.0)
        going_on = ops.logical_and(ops.not_equal(tokens, eos_id), lengths < limits)
        return tokens, None, (buffer, lengths, totals), ops.logical_and(active, going_on)

    progress = (
        ops.zeros((batch, max_length), dtype="int32"),
        ops.zeros((batch,), dtype="int32"),
        ops.zeros((batch,), dtype="float32"),
    )
    first = ops.full((batch,), bos_id, dtype="int32")
    progress, kept = decode_loop(
        step,
        state,
        tokens=first,
        choose=choose,
        progress=progress,
        active=limits > 0,
        max_length=max_length,
        return_weights=return_weights,
    )
    tokens, lengths, totals = (x[:, None] for x in progress)
    rows = ops.arange(batch, dtype="int32")[:, None, None]  # each sentence keeps its row
    weights = weights_of(kept, rows, hypotheses.within(lengths, max_length))
    return Hypotheses(tokens, lengths, totals, totals, weights)
