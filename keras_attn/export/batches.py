"""A signature takes a batch; whoever sends a single line or row is told so, and not where in the graph that went wrong."""

import tensorflow as tf


def batch(tensor: tf.Tensor, name: str, of: str) -> tf.Tensor:
    """The tensor, whose number of axes is checked when the graph runs: TensorFlow lets any into a signature.

    The message is in the name of the node that checks, which every error of TensorFlow and its server quotes. (The graph's
    optimizer would leave an assertion out: it takes the signature's word for the shape.)

    Args:
        tensor: an argument of a signature, of static shape `[B, ...]`.
        name: what the argument is called.
        of: what a batch is made of.
    """
    message = f"{name} must be a batch of {of} even if there is only one"
    return tf.ensure_shape(tensor, tensor.shape, name=message.replace(" ", "_"))
