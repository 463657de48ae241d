"""The loop over time, with separate code for each backend.

JAX, torch and other backends use `keras.ops.scan`. On TensorFlow it emits only outputs shaped like its carry, and it sets no
`maximum_iterations`, so its gradient cannot be compiled. A `tf.while_loop` over TensorArrays has neither problem.
"""

import keras
from keras import ops, tree

# Steps in one turn of XLA's loop where launches count. XLA joins the kernels of neighbouring steps: see
# `benchmarks/log/accelerator.md`.
_STEPS_A_TURN = 4


def is_bound_by_launches():
    """Whether launching the kernels of a step takes longer than computing it: on JAX with an accelerator."""
    if keras.backend.backend() != "jax":
        return False
    import jax

    return jax.default_backend() != "cpu"


def unroll(step, inputs, state, layer, *, reverse=False, length=None):
    """Applies `step` at every time step.

    Args:
        step: `step(inputs_t, state) -> (outputs_t, state)`, on nests of tensors `(B, ...)`.
        inputs: nest of tensors `(B, T, ...)`, T at least 1.
        state: nest of tensors, the state before the first step.
        layer: the layer with the variables that `step` reads, or updates in the case of random seeds.
        reverse: whether to run from the last time step to the first; outputs stay in the order of the inputs.
        length: scalar int32, the number of time steps before only padding remains. Padding changes no state, so TensorFlow skips
            it, and its outputs are meaningless. `None`: run all steps.

    Returns:
        `(outputs, state)`: a nest of tensors `(B, T, ...)`, and the state after the last step.
    """
    inputs = tree.map_structure(_swap_batch_and_time, inputs)
    loop = {"tensorflow": _tensorflow_loop, "jax": _jax_loop, "torch": _torch_loop}.get(
        keras.backend.backend(), _scan
    )
    outputs, state = loop(step, inputs, state, layer, reverse, length)
    return tree.map_structure(_swap_batch_and_time, outputs), state


def _swap_batch_and_time(x):
    return ops.swapaxes(x, 0, 1)


def _scan(step, inputs, state, layer, reverse, length):
    def body(carry, inputs_t):
        outputs_t, carry = step(inputs_t, carry)
        return carry, outputs_t

    state, outputs = ops.scan(body, state, inputs, reverse=reverse)
    return outputs, state


def _torch_loop(step, inputs, state, layer, reverse, length):
    """Keras learns shapes from a call on torch's "meta" device, where every step costs time; one step tells them all."""
    first = tree.flatten(inputs)[0]
    if first.device.type != "meta":
        return _scan(step, inputs, state, layer, reverse, length)
    outputs_t, state = step(tree.map_structure(lambda x: x[0], inputs), state)
    return tree.map_structure(lambda x: ops.broadcast_to(x, (len(first), *x.shape)), outputs_t), state


def _jax_loop(step, inputs, state, layer, reverse, length):
    """JAX's loop body must be pure, so random seeds that `step` advances are part of the carry."""
    weights = {id(weight) for weight in layer.weights}  # trainable or frozen; all other variables are seeds
    seeds = [variable for variable in layer.variables if id(variable) not in weights]
    fixed = [(weight, weight.value) for weight in layer.weights]

    def body(carry, inputs_t):
        state, seed_values = carry
        mapping = [*fixed, *zip(seeds, seed_values, strict=True)]
        with keras.StatelessScope(state_mapping=mapping) as scope:
            outputs_t, state = step(inputs_t, state)
        return (state, [scope.get_current_value(seed) for seed in seeds]), outputs_t

    carry = (state, [seed.value for seed in seeds])
    scan, turn = ops.scan, 1
    if is_bound_by_launches():
        from keras_attn.layers.jax_loop import scan

        turn = _STEPS_A_TURN
    (state, seed_values), outputs = scan(body, carry, inputs, reverse=reverse, unroll=turn)
    for seed, value in zip(seeds, seed_values, strict=True):
        seed.assign(value)
    return outputs, state


def _tensorflow_loop(step, inputs, state, layer, reverse, length):
    """Traces one step before the loop to learn the shapes and dtypes of its outputs; the graph optimizer then removes it."""
    import tensorflow as tf

    size = ops.shape(tree.flatten(inputs)[0])[0]  # an int where it is known
    length = size if length is None else tf.maximum(length, 1)
    order = (lambda i: length - 1 - i) if reverse else (lambda i: i)
    sources = tree.map_structure(
        lambda x: tf.TensorArray(x.dtype, size=size, element_shape=x.shape[1:]).unstack(x), inputs
    )

    def run(i, state):
        return step(tree.map_structure(lambda source: source.read(order(i)), sources), state)

    example, _ = step(tree.map_structure(lambda x: x[0], inputs), state)
    sinks = tuple(tf.TensorArray(x.dtype, size=size, element_shape=x.shape) for x in tree.flatten(example))

    def body(i, state, sinks):
        outputs_t, new = run(i, state)
        new = tree.map_structure(lambda x, given: tf.ensure_shape(x, given.shape), new, state)
        flat = tree.flatten(outputs_t)
        return i + 1, new, tuple(s.write(order(i), x) for s, x in zip(sinks, flat, strict=True))

    _, state, sinks = tf.while_loop(
        lambda i, *_: i < length, body, (tf.constant(0), state, sinks), maximum_iterations=size
    )
    outputs = [sink.stack() for sink in sinks]
    if isinstance(size, int):
        outputs = [tf.ensure_shape(output, [size, *output.shape[1:]]) for output in outputs]
    return tree.pack_sequence_as(example, outputs), state
