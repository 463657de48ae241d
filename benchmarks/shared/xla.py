"""What a compiled step of a training consists of: products counted in JAX's own program, instructions in XLA's optimised one."""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import keras
import numpy as np

# What stands in a program without being work of its own.
_FREE = {"parameter", "get-tuple-element", "tuple", "bitcast", "constant", "after-all", "iota"}
_COLLECTIVE = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"


class Loop(NamedTuple):
    """A loop of the program.

    Attributes:
        turns: how often its body runs; 0 where XLA does not know.
        instructions: of its body: each is a launch on a GPU, unless the runtime joins some.
        products: how many of them multiply matrices.
    """

    turns: int
    instructions: int
    products: int


def training_step(
    model: keras.Model, loss: keras.losses.Loss, optimizer: keras.optimizers.Optimizer
) -> Callable:
    """`step(state, batch) -> (loss, state)` as a pure function; `state_of` makes the state."""

    def loss_of(trainable: list, others: list, batch: tuple) -> tuple[Any, list]:
        inputs, targets, weight = batch
        logits, others = model.stateless_call(trainable, others, inputs, training=True)
        return loss(targets, logits, weight), others

    def step(state: tuple, batch: tuple) -> tuple[Any, tuple]:
        trainable, others, slots = state
        (value, others), gradients = jax.value_and_grad(loss_of, has_aux=True)(trainable, others, batch)
        trainable, slots = optimizer.stateless_apply(slots, gradients, trainable)
        return value, (trainable, others, slots)

    return step


def state_of(model: keras.Model, optimizer: keras.optimizers.Optimizer) -> tuple[list, list, list]:
    """Weights, random generators and the optimizer's variables, as arrays of their own."""
    optimizer.build(model.trainable_variables)
    groups = model.trainable_variables, model.non_trainable_variables, optimizer.variables
    return tuple([jax.numpy.array(np.asarray(each.value)) for each in group] for group in groups)


def operations(program: Any) -> int:
    """Multiplications and additions of all matrix products of a jaxpr, those of a loop as often as it turns."""
    total = 0
    for equation in program.eqns:
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            left = equation.invars[0].aval.shape
            total += 2 * math.prod(equation.outvars[0].aval.shape) * math.prod(left[i] for i in contracted)
        turns = equation.params["length"] if equation.primitive.name == "scan" else 1
        total += turns * sum(operations(inner) for inner in _inner(equation.params))
    return total


def _inner(params: dict[str, Any]) -> list[Any]:
    found = []
    for value in params.values():
        for each in value if isinstance(value, tuple | list) else (value,):
            if hasattr(each, "jaxpr"):
                found.append(each.jaxpr)
            elif hasattr(each, "eqns"):
                found.append(each)
    return found


def loops(text: str) -> list[Loop]:
    """The loops of an optimised program, `compiled.as_text()`, in the order in which they stand there."""
    kinds, called = _computations(text)
    found = []
    for line in text.splitlines():
        if match := re.search(r"= .* while\(.*body=%?([\w.\-]+)", line):
            turns = re.search(r'known_trip_count":\{"n":"(\d+)"', line)
            body = match[1]
            products = sum(kinds[name].count("dot") for name in (body, *called[body]))
            found.append(Loop(int(turns[1]) if turns else 0, len(kinds[body]), products))
    return found


def launches(text: str) -> int:
    """Instructions that run in one call of the program: those of its loops as often as they turn."""
    kinds, _ = _computations(text)
    entry = next(kinds[name] for name in kinds if name.startswith("ENTRY"))
    return len(entry) + sum(loop.turns * loop.instructions for loop in loops(text))


def exchanged(text: str) -> int:
    """Bytes that devices exchange in one call of the program, such as sums of gradients; those in a loop as often as it turns."""
    turns, total, times = {}, 0, 1
    for body, count in re.findall(r'body=%?([\w.\-]+).*known_trip_count":\{"n":"(\d+)"', text):
        turns[body] = int(count)
    for line in text.splitlines():
        if header := re.match(r"(?:ENTRY )?%?([\w.\-]+) .*\{$", line):
            times = turns.get(header[1], 1)
        elif found := re.search(rf"= (.*?) (?:{_COLLECTIVE})(?:-start)?\(", line):
            for kind, shape in re.findall(r"([a-z]+\d+|pred)\[([\d,]*)\]", found[1]):
                bits = 8 if kind == "pred" else int(re.sub(r"\D", "", kind))
                total += times * bits // 8 * math.prod(int(size) for size in shape.split(",") if size)
    return total


def _computations(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Of each computation the kinds of its instructions that are work, and the computations that its fusions call."""
    kinds: dict[str, list[str]] = {}
    called: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if header := re.match(r"(ENTRY )?%?([\w.\-]+) .*\{$", line):
            name = (header[1] or "") + header[2]
            kinds[name], called[name] = [], []
        elif instruction := re.match(r"\s+(?:ROOT )?%?[\w.\-]+ = .*?([a-z][\w\-]*)\(", line):
            kinds[name].append(instruction[1])
            called[name] += re.findall(r"calls=%?([\w.\-]+)", line)
    return {each: [kind for kind in found if kind not in _FREE] for each, found in kinds.items()}, called
