"""Converts traced functions to a `.tflite` of built-in operators."""

import re
import tempfile

import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema

from keras_attn.export.disk_errors import as_os_errors
from keras_attn.export.id_signatures import Signature

_CANNOT_RUN = (
    "this model cannot run on LiteRT's built-in operators: {}. Flex and custom operators are not exported, because LiteRT's own "
    "runtimes cannot run them"
)


class ConversionError(ValueError):
    """A graph that needs more than LiteRT's built-in operators; the message names the missing ones."""


def convert(signatures: dict[str, Signature], precision: str) -> bytes:
    """Converts traced functions without variables to a `.tflite` with one signature per function.

    Args:
        signatures: the functions, by name.
        precision: one of `PRECISIONS`.

    Raises:
        ConversionError: the functions need more than built-in operators.
    """
    with tempfile.TemporaryDirectory() as folder:
        with as_os_errors(folder):
            tf.saved_model.save(tf.Module(), folder, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=list(signatures))
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        # Without it, a loop copies a whole buffer to write one row.
        converter._experimental_enable_dynamic_update_slice = True
        # To write it, the converter unpacks and packs the whole file once more.
        converter.exclude_conversion_metadata = True
        # Constants follow the graphs, see `packing.parsed`. Otherwise, the converter does the same again to share equal constants.
        converter._experimental_use_buffer_offset = True
        converter.optimizations = [] if precision == "float32" else [tf.lite.Optimize.DEFAULT]
        try:
            converted = converter.convert()
        except Exception as error:  # the converter raises any error of its C++ code
            raise _conversion_error(error) from None
    if others := _custom_operators(converted):
        raise ConversionError(_CANNOT_RUN.format(f"no built-in operator for {', '.join(sorted(others))}"))
    return converted


def _custom_operators(model: bytes) -> set[str]:
    parsed = schema.Model.GetRootAs(model, 0)
    codes = [parsed.OperatorCodes(i).CustomCode() for i in range(parsed.OperatorCodesLength())]
    return {code.decode() for code in codes if code is not None}


def _conversion_error(error: Exception) -> ConversionError:
    operators = sorted(set(re.findall(r"'?(tf\.\w+)'? op is neither|Flex(\w+)", str(error))))
    names = ", ".join("".join(match) for match in operators)
    reason = f"no built-in operator for {names}" if names else str(error).strip().partition("\n")[0]
    return ConversionError(_CANNOT_RUN.format(reason))
