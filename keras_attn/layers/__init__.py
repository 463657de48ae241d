"""Attention layers, and the recurrent decoder that uses them."""

from keras_attn.layers.attention_decoder import AttentionDecoder
from keras_attn.layers.bahdanau_attention import BahdanauAttention
from keras_attn.layers.coverage_attention import CoverageAttention
from keras_attn.layers.local_attention import LocalMonotonicAttention, LocalPredictiveAttention
from keras_attn.layers.luong_attention import LuongAttention
from keras_attn.layers.masked_softmax import masked_softmax
from keras_attn.layers.monotonic_attention import LuongMonotonicAttention, MonotonicAttention
from keras_attn.layers.parallel_attention import ParallelAttention
from keras_attn.layers.pointer_generator import PointerGenerator

__all__ = [
    "AttentionDecoder",
    "BahdanauAttention",
    "CoverageAttention",
    "LocalMonotonicAttention",
    "LocalPredictiveAttention",
    "LuongAttention",
    "LuongMonotonicAttention",
    "MonotonicAttention",
    "ParallelAttention",
    "PointerGenerator",
    "masked_softmax",
]
