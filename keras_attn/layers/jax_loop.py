"""JAX's loop over time, with the gradients of matrices as one product each after the loop.

JAX adds up the gradient of a matrix step by step: `dW = sum_t x_t^T dz_t` for a product `z_t = x_t W`. That is a second product in
every step, a sum as large as the matrix, and, with several devices, an exchange of that size. Here the backward loop returns only
the `dz_t`. Afterwards, one product of all `x_t` and all `dz_t` gives `dW`. The same is done for a memory that every step reads. The
products are found in the step's jaxpr, so layers need no changes.

It is for devices where launching a kernel takes longer than computing it (`benchmarks/log/xla_counts.md`). On a CPU XLA multiplies
more slowly after the loop than in it.
"""

from typing import Any, NamedTuple

import jax
from jax.extend import core


def scan(body, carry, inputs, *, reverse, unroll):
    """`jax.lax.scan(body, carry, inputs)`: the same results and, to rounding, the same gradients.

    Args:
        body: `body(carry, inputs_t) -> (carry, outputs_t)`, on nests of arrays.
        carry: nest of arrays.
        inputs: nest of arrays `(T, ...)`, at least one.
        reverse, unroll: as for `jax.lax.scan`.
    """
    one = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), inputs)
    program, shapes = jax.make_jaxpr(body, return_shape=True)(carry, one)
    step = _Step(program.jaxpr)
    if not step.results:
        return jax.lax.scan(body, carry, inputs, reverse=reverse, unroll=unroll)
    matrices, others = step.fixed(program.consts)
    carried, flat = jax.tree.leaves(carry), jax.tree.leaves(inputs)

    def run(matrices, others, carried, flat, taps):
        def one_step(carried, now):
            flat, taps = now
            outputs, factors = step(matrices, others, [*carried, *flat], taps)
            return outputs[: len(carried)], (outputs[len(carried) :], factors)

        carried, (outputs, factors) = jax.lax.scan(
            one_step, carried, (flat, taps), reverse=reverse, unroll=unroll
        )
        return [*carried, *outputs], factors

    @jax.custom_vjp
    def looped(matrices, others, carried, flat):
        return run(matrices, others, carried, flat, None)[0]

    def forward(matrices, others, carried, flat):
        taps = [jax.numpy.zeros((len(flat[0]), *each.shape), each.dtype) for each in step.results]
        outputs, back, factors = jax.vjp(
            lambda *given: run(matrices, *given), others, carried, flat, taps, has_aux=True
        )
        return outputs, (matrices, factors, back)

    def backward(kept, gradients):
        matrices, factors, back = kept
        *others, taps = back(gradients)
        return step.gradients(matrices, factors, taps), *others

    looped.defvjp(forward, backward)
    return jax.tree.unflatten(jax.tree.structure(shapes), looped(matrices, others, carried, flat))


class _Step:
    """The program of a step, divided into what is the same at every step and what changes.

    Attributes:
        results: the shapes and dtypes of its products with a matrix that is the same at every step.
    """

    def __init__(self, program):
        self._program, self._fixed, self._changing = program, [], []
        self._wanted = set(
            _variables([v for equation in program.eqns for v in equation.invars] + program.outvars)
        )
        same = set(program.constvars)
        for equation in program.eqns:
            if same.issuperset(_variables(equation.invars)) and not equation.effects:
                self._fixed.append(equation)
                same.update(equation.outvars)
            else:
                self._changing.append(equation)
        self._products = [
            _Product(equation, int(equation.invars[1] in same))
            for equation in self._changing
            if equation.primitive is jax.lax.dot_general_p
            and len(same.intersection(equation.invars)) == 1
            and jax.numpy.issubdtype(equation.outvars[0].aval.dtype, jax.numpy.inexact)
        ]
        self._numbers = {id(product.equation): number for number, product in enumerate(self._products)}
        rest = [equation for equation in self._changing if id(equation) not in self._numbers]
        read = _variables([v for equation in rest for v in equation.invars] + program.outvars)
        self._others = [v for v in dict.fromkeys(read) if v in same]
        self.results = [product.equation.outvars[0].aval for product in self._products]

    def fixed(self, constants):
        """The matrix of each product, and everything else that steps read and that is the same for all of them."""
        values = dict(zip(self._program.constvars, constants, strict=True))
        for equation in self._fixed:
            self._compute(equation, values)
        matrices = [values[product.equation.invars[product.matrix]] for product in self._products]
        return matrices, [values[v] for v in self._others]

    def __call__(self, matrices, others, inputs, taps):
        """The outputs of one step; with taps, which hold the gradients of the products, also what each matrix is multiplied by."""
        values = dict(zip(self._others, others, strict=True))
        values.update(zip(self._program.invars, inputs, strict=True))
        factors = []
        for equation in self._changing:
            number = self._numbers.get(id(equation))
            if number is None:
                self._compute(equation, values)
                continue
            product = self._products[number]
            factor = _read(equation.invars[1 - product.matrix], values)
            result = product.of(factor, matrices[number])
            if taps is not None:
                factors.append(factor)
                result = _tapped(result, taps[number])
            values[equation.outvars[0]] = result
        return [_read(v, values) for v in self._program.outvars], factors

    def _compute(self, equation, values):
        inputs = list(dict.fromkeys(_variables(equation.invars)))
        outputs = [each for each in equation.outvars if each in self._wanted]
        alone = self._program.replace(
            constvars=[], invars=inputs, outvars=outputs, eqns=[equation], effects=equation.effects
        )
        found = core.jaxpr_as_fun(core.ClosedJaxpr(alone, ()))(*(values[each] for each in inputs))
        values.update(zip(outputs, found, strict=True))

    def gradients(self, matrices, factors, taps):
        """The gradient of each matrix, from its factor and the product's gradient at all steps."""
        return [
            jax.linear_transpose(
                lambda matrix, of=product.of, x=x: jax.vmap(of, (0, None))(x, matrix), matrix
            )(tap)[0]
            for product, matrix, x, tap in zip(self._products, matrices, factors, taps, strict=True)
        ]


class _Product(NamedTuple):
    """A product of something that changes and a matrix: its equation, and the place of the matrix in it, 0 or 1."""

    equation: Any
    matrix: int

    def of(self, factor, matrix):
        pair = (factor, matrix) if self.matrix else (matrix, factor)
        return self.equation.primitive.bind(*pair, **self.equation.params)


@jax.custom_vjp
def _tapped(x, tap):
    """`x`, whose gradient is also that of `tap`."""
    return x


_tapped.defvjp(lambda x, tap: (x, None), lambda _, gradient: (gradient, gradient))


def _read(variable, values):
    return variable.val if isinstance(variable, core.Literal) else values[variable]


def _variables(found):
    return [each for each in found if not isinstance(each, core.Literal)]
