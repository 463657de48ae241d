"""Signatures take a batch. A client that sends a single line or row gets an error that says so."""

import tensorflow as tf


def batch(tensor: tf.Tensor, name: str, of: str) -> tf.Tensor:
    """Returns the tensor with a check of its number of axes when the graph runs: a signature accepts any tensor.

    The message is the name of the checking node, which every error of TensorFlow and its server quotes. (The graph optimizer would
    remove an assertion, because it trusts the shape in the signature.)

    Args:
        tensor: an argument of a signature, with static shape `[B, ...]`.
        name: the argument's name.
        of: what a batch is made of.
    """
    message = f"{name} must be a batch of {of} even if there is only one"
    return tf.ensure_shape(tensor, tensor.shape, name=message.replace(" ", "_"))
