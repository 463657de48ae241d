"""What is saved of a layer is every argument of its constructor: one that was left out would come back as its default.

And the defaults are those of a config, so that a model made by hand is the one that `build_seq2seq` makes.
"""

import inspect

import pytest

from keras_attn.config import ModelConfig, SearchConfig
from keras_attn.layers import (
    AttentionDecoder,
    BahdanauAttention,
    CoverageAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LuongAttention,
    LuongMonotonicAttention,
    MonotonicAttention,
    ParallelAttention,
)
from keras_attn.layers.readout import Readout
from keras_attn.layers.recurrent_cells import CELLS
from keras_attn.layers.stacked_cells import StackedCells
from keras_attn.models.bidirectional_encoder import BidirectionalEncoder
from keras_attn.models.bridge import Bridge, CopyBridge
from keras_attn.models.searching import Searching
from keras_attn.models.transformer_encoder import TransformerEncoder
from keras_attn.search import Beam, beam
from keras_attn.training.losses import SmoothedCrossEntropy
from keras_attn.training.r_drop import RDropCrossEntropy
from keras_attn.training.schedules import InverseSqrt

MULTIPLICATIVE = {"score": "concat", "use_scale": True, "units": 3, "dropout": 0.1}
MONOTONIC = {"noise": 0.2, "initial_bias": -0.3, "inference": "soft", "dropout": 0.1, "seed": 7}
LAYERS = {"cell": "lstm", "num_layers": 2, "residual": True, "dropout": 0.4}
# No value is the default.
ARGUMENTS = {
    BahdanauAttention: {"units": 4, "normalize": True, "num_heads": 2, "dropout": 0.1},
    CoverageAttention: {"units": 4, "dropout": 0.1},
    LuongAttention: {**MULTIPLICATIVE, "num_heads": 2},
    LocalMonotonicAttention: {**MULTIPLICATIVE, "window": 2},
    LocalPredictiveAttention: {**MULTIPLICATIVE, "window": 2},
    MonotonicAttention: {"units": 4, "normalize": False, **MONOTONIC},
    LuongMonotonicAttention: {**MULTIPLICATIVE, **MONOTONIC},
    ParallelAttention: {"attentions": [CoverageAttention(3), BahdanauAttention(4)]},
    AttentionDecoder: {
        "units": 5,
        "attention": CoverageAttention(3),
        **LAYERS,
        "query_state": "current",
        "feed": "attentional",
        "readout": "linear",
        "readout_units": 6,
    },
    Readout: {"kind": "linear", "units": 3},
    **{cell: {"units": 3} for cell in CELLS.values()},
    StackedCells: {"units": 3, **LAYERS},
    BidirectionalEncoder: {"units": 3, **LAYERS},
    TransformerEncoder: {"num_layers": 2, "num_heads": 2, "dropout": 0.1},
    Bridge: {"units": 3, "num_layers": 2, "state_count": 2},
    CopyBridge: {"num_layers": 2},
    SmoothedCrossEntropy: {"smoothing": 0.1, "reduction": "sum"},
    RDropCrossEntropy: {"smoothing": 0.1, "weight": 3.0},
    InverseSqrt: {"peak": 0.1, "warmup_steps": 5},
}


@pytest.mark.parametrize("cls", ARGUMENTS, ids=lambda cls: cls.__name__)
def test_every_argument_of_a_constructor_is_saved(cls):
    arguments = ARGUMENTS[cls]
    parameters = inspect.signature(cls).parameters
    assert arguments.keys() == parameters.keys() - {"name", "kwargs"}
    assert all(value != parameters[name].default for name, value in arguments.items())
    config = cls.from_config(cls(**arguments).get_config()).get_config()
    plain = {name: value for name, value in arguments.items() if isinstance(value, int | float | str)}
    assert {name: config[name] for name in plain} == plain
    assert arguments.keys() <= config.keys()  # layers in their own saved form


# For each class, what it takes besides, and the keys of a config for its other arguments.
DEFAULTS = [
    (BahdanauAttention, {"units": 4}, {"normalize": "attention_normalize", "num_heads": "attention_heads"}),
    (LuongAttention, {}, {"score": "attention_score", "use_scale": "attention_scale"}),
    (LocalMonotonicAttention, {}, {"score": "attention_score", "window": "attention_window"}),
    (LocalPredictiveAttention, {}, {"score": "attention_score", "window": "attention_window"}),
    (LuongMonotonicAttention, {}, {"score": "attention_score", "use_scale": "attention_scale"}),
    (
        AttentionDecoder,
        {"units": 4, "attention": BahdanauAttention(4), "readout_units": 4},
        {
            **{key: key for key in ("cell", "residual", "query_state", "feed", "readout")},
            "num_layers": "decoder_layers",
            "dropout": "layer_dropout",
        },
    ),
    (
        BidirectionalEncoder,
        {"units": 4},
        {"cell": "cell", "residual": "residual", "num_layers": "encoder_layers"},
    ),
    (TransformerEncoder, {}, {"num_heads": "encoder_heads", "num_layers": "encoder_layers"}),
]


@pytest.mark.parametrize(("cls", "given", "keys"), DEFAULTS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_layer_has_the_defaults_of_a_config(cls, given, keys):
    found, config = cls(**given).get_config(), ModelConfig()
    assert {name: found[name] for name in keys} == {name: getattr(config, key) for name, key in keys.items()}


@pytest.mark.parametrize("search", [beam, Searching.translate, Beam])
def test_a_search_has_the_defaults_of_a_config_but_may_end_at_once(search):
    config, parameters = SearchConfig(), inspect.signature(search).parameters
    defaults = {name: each.default for name, each in parameters.items() if hasattr(config, name)}
    if search is beam:
        del defaults["beam_size"]  # which it must be told
    assert (
        defaults.pop("min_length", 0) == 0
    )  # a bare model may have nothing to say, a text is never translated by none
    assert len(defaults) >= 2 and defaults == {name: getattr(config, name) for name in defaults}
