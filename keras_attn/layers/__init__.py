"""The layers: attention, and the recurrent decoder that uses it."""

from keras_attn.layers.attention_decoder import AttentionDecoder
from keras_attn.layers.bahdanau_attention import BahdanauAttention
from keras_attn.layers.luong_attention import LuongAttention
from keras_attn.layers.masked_softmax import masked_softmax

__all__ = ["AttentionDecoder", "BahdanauAttention", "LuongAttention", "masked_softmax"]
