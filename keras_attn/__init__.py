"""Recurrent encoder-decoder attention for Keras 3, from text files to a translator on a phone.

The public names are loaded on first use: `import keras_attn` alone, and hence the command line, does not load Keras. If Keras is
already loaded, all classes of the package are registered here, so that `keras.models.load_model` knows them.
"""

import sys
from importlib import import_module
from typing import Any

_HOMES = {
    "AttentionDecoder": "keras_attn.layers",
    "BahdanauAttention": "keras_attn.layers",
    "BidirectionalEncoder": "keras_attn.models",
    "Bridge": "keras_attn.models",
    "CopyBridge": "keras_attn.models",
    "CoverageAttention": "keras_attn.layers",
    "Ensemble": "keras_attn.models",
    "LocalMonotonicAttention": "keras_attn.layers",
    "LocalPredictiveAttention": "keras_attn.layers",
    "LuongAttention": "keras_attn.layers",
    "LuongMonotonicAttention": "keras_attn.layers",
    "MonotonicAttention": "keras_attn.layers",
    "ParallelAttention": "keras_attn.layers",
    "PointerGenerator": "keras_attn.layers",
    "Seq2Seq": "keras_attn.models",
    "TransformerEncoder": "keras_attn.models",
    "Translator": "keras_attn.inference.translator",
    "build_seq2seq": "keras_attn.models",
    "export_litert": "keras_attn.export.litert",
    "export_saved_model": "keras_attn.export.saved_model",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("keras-attn")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if "keras" in sys.modules:
    import_module("keras_attn.models")
