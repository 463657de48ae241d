"""Several trained models as one, which translates better than any of them."""

from collections.abc import Sequence
from typing import Any

from keras_attn.models.searching import Embeddings, Encoded, Searching
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.search.ensemble import ensemble, log_mean, mean_weights
from keras_attn.search.types import LogProbs, State, Step, Tensor, Tokens, Weights


class Ensemble(Searching):
    """`p(y_t | y_<t, x) = mean_m p_m(y_t | y_<t, x)`, the mean of the predictions of M models, word by word.

    It has the methods of a `Seq2Seq` that search, `Translator` and a SavedModel use, so it can take the place of one. Its attention
    weights are the mean of those of the models; if any model has no attention, it has none.

    Args:
        models: with equal inputs and equally many target words. The caller must make sure that the words are the same.

    Raises:
        ValueError: no models, or models that do not fit together.
    """

    def __init__(self, models: Sequence[Seq2Seq]) -> None:
        self.models = tuple(models)
        if not self.models:
            raise ValueError("an ensemble needs at least one model")
        first = self.models[0]
        for number, model in enumerate(self.models[1:], start=2):
            for what in ("reads_ids", "target_vocab_size"):
                if getattr(model, what) != getattr(first, what):
                    raise ValueError(
                        f"the models of an ensemble must have equal inputs and vocabularies: {what} is {getattr(first, what)!r} of "
                        f"the first and {getattr(model, what)!r} of model {number}"
                    )
            if model.inputs[0].shape != first.inputs[0].shape:
                raise ValueError(
                    f"the models of an ensemble must have equal inputs: of shape {first.inputs[0].shape} of the first and "
                    f"{model.inputs[0].shape} of model {number}"
                )
        self.inputs = first.inputs
        self.reads_ids = first.reads_ids
        self.source_embedding = first.source_embedding
        self.target_vocab_size = first.target_vocab_size
        self.has_attention = all(model.has_attention for model in self.models)
        self.copy = next((model.copy for model in self.models if model.copy is not None), None)

    def __reduce__(self) -> tuple[type, tuple[tuple[Seq2Seq, ...]]]:
        return Ensemble, (self.models,)

    @property
    def variables(self) -> list[Any]:
        """Of all models."""
        return [variable for model in self.models for variable in model.variables]

    @property
    def weights(self) -> list[Any]:
        """Of all models."""
        return [weight for model in self.models for weight in model.weights]

    def count_params(self) -> int:
        """Of all models."""
        return sum(model.count_params() for model in self.models)

    def encode(self, source: Tensor, embeddings: Embeddings | None = None) -> Encoded:
        """Reads sources with each model: as `Seq2Seq.encode`, its memory a tuple of what the models give."""
        encoded = tuple(model.encode(source, embeddings) for model in self.models)
        return Encoded(encoded, None, encoded[0].mask, tuple(each.state for each in encoded))

    def step(
        self, tokens: Tokens, encoded: Encoded, state: State, *, embeddings: Embeddings | None = None
    ) -> tuple[LogProbs, State, Weights]:
        """One target position, as `Seq2Seq.step`."""

        def step_of(model: Seq2Seq, own: Encoded) -> Step:
            return lambda tokens, state: model.step(tokens, own, state, embeddings=embeddings)

        steps = [step_of(*pair) for pair in zip(self.models, encoded.memory, strict=True)]
        return ensemble(steps)(tokens, state)

    def score(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> tuple[Tensor, Weights]:
        """The log-probability of each word of given targets, as `Seq2Seq.score`."""
        log_probs, weights = zip(
            *(model.score(source, target_in, target_out) for model in self.models), strict=True
        )
        return log_mean(log_probs), mean_weights(weights)
