"""Models: `Seq2Seq`, encoders, bridges, and the function that builds a model from a config.

All of them are imported here, so that Keras knows their classes when it loads a file or a pickle.
"""

from keras_attn.models.bidirectional_encoder import BidirectionalEncoder
from keras_attn.models.bridge import Bridge, CopyBridge
from keras_attn.models.build import build_seq2seq
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.models.transformer_encoder import TransformerEncoder

__all__ = [
    "BidirectionalEncoder",
    "Bridge",
    "CopyBridge",
    "Ensemble",
    "Seq2Seq",
    "TransformerEncoder",
    "build_seq2seq",
]
