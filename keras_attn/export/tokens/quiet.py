"""Lines in capitals as `text.capitals` has them read, with built-in operators of LiteRT."""

import numpy as np
import tensorflow as tf

from keras_attn.text.capitals import BLOCKS, SMALL_LETTERS

_FIRST, _SECOND = BLOCKS


def _about_letters() -> np.ndarray:
    """int16, by position in both blocks: of a capital twice the distance to its small letter, of that small letter 1, else 0."""
    about = np.zeros(_SECOND.stop, np.int16)
    about[list(SMALL_LETTERS)] = [2 * (small - point) for point, small in SMALL_LETTERS.items()]
    about[list(SMALL_LETTERS.values())] = 1
    return np.concatenate([about[_FIRST.start : _FIRST.stop], about[_SECOND.start : _SECOND.stop]])


def without_capitals(codes: tf.Tensor) -> tf.Tensor:
    """int32 `[N]`, UTF-8 bytes, then numbers that are none: a line in capitals with small letters after the first one.

    A branch, because most texts have one of the letters a to z and need nothing else.
    """
    return tf.cond(
        tf.reduce_any((codes >= ord("a")) & (codes <= ord("z"))),
        lambda: codes,
        lambda: _without_capitals(codes),
    )


def _without_capitals(codes: tf.Tensor) -> tf.Tensor:
    second, third = _shifted(codes, -1), _shifted(codes, -2)
    of_two = (codes >= 0xC2) & (codes < 0xE0) & _trails(second)
    of_three = (codes >= 0xE0) & (codes < 0xF0) & _trails(second) & _trails(third)
    point = tf.where(codes < 0x80, codes, 0)  # of the character that begins there
    point = tf.where(of_two, (codes - 0xC0) * 64 + second - 0x80, point)
    point = tf.where(of_three, (codes - 0xE0) * 4096 + (second - 0x80) * 64 + third - 0x80, point)
    place = tf.where(of_three | (point >= _FIRST.stop), 0, point)
    in_second = (point >= _SECOND.start) & (point < _SECOND.stop)
    place = tf.where(in_second, point + (len(_FIRST) - _SECOND.start), place)
    about = tf.cast(tf.gather(_about_letters(), place), tf.int32)
    is_capital = (about != 0) & (about != 1)
    is_later = tf.cumsum(tf.cast(is_capital, tf.int32)) > 1
    small = point + tf.where(is_capital & is_later & ~tf.reduce_any(about == 1), about // 2, 0)
    lead = tf.where(of_three, 0xE0 + small // 4096, tf.where(of_two, 0xC0 + small // 64, small))
    last_of_two = tf.where(of_two, 0x80 + small % 64, 0)
    last_of_three = tf.where(of_three, 0x80 + small % 64, 0)
    middle = tf.where(of_three, 0x80 + small // 64 % 64, 0)
    trail = _shifted(last_of_two + middle, 1) + _shifted(last_of_three, 2)
    begins = of_two | of_three | (codes < 0x80)
    return tf.where(trail > 0, trail, tf.where(begins, lead, codes))


def _trails(codes: tf.Tensor) -> tf.Tensor:
    return (codes >= 0x80) & (codes < 0xC0)


def _shifted(codes: tf.Tensor, by: int) -> tf.Tensor:
    """Each number `by` places later, or earlier; 0 comes in."""
    zeros = tf.zeros([abs(by)], tf.int32)
    return tf.concat([zeros, codes[:-by]] if by > 0 else [codes[-by:], zeros], axis=0)
