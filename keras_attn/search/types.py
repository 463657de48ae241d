"""Types of the arguments and results of search, with their shapes.

B sentences, N rows (B, or B times the hypotheses of each), V words, S source positions, L the most tokens of a hypothesis.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # a backend's tensor

Tokens: TypeAlias = Tensor  # int32 [N]
LogProbs: TypeAlias = Tensor  # float32 [N, V]
Weights: TypeAlias = Tensor | None  # float32 [N, S], or None without attention
State: TypeAlias = Any  # a nest of tensors [N, ...]
Step: TypeAlias = Callable[[Tokens, State], tuple[LogProbs, State, Weights]]

Scalar: TypeAlias = Tensor  # int32 []
Rows: TypeAlias = Tensor | None  # int32 [N], the row that each continues; None: its own
Active: TypeAlias = Tensor  # bool [B]
Limits: TypeAlias = Tensor | None  # int32 [B], the most tokens of each sentence
KeptWeights: TypeAlias = Tensor | None  # float32 [L, N, S], the weights of the rows at every position
