"""Whole models from the literature, each selected by one line in a config: `preset = "bahdanau2015"` in `[model]`.

A preset sets what distinguishes the architectures, and leaves widths, depth and dropout to the config. The equations are in the
docstrings of the layers.
"""

_PREVIOUS = {"query_state": "previous", "feed": "context"}
_LUONG = {"cell": "lstm", "attention": "luong", "query_state": "current", "readout": "attentional"}

PRESETS = {
    # Sutskever et al. 2014, Cho et al. 2014: all that the decoder knows is the encoder's last state, through the bridge.
    "rnn_encdec": {"attention": "none", "feed": "none", "readout": "maxout"},
    # Bahdanau et al. 2015, section 3 and appendix A: e_ij = v . tanh(W s_{i-1} + U h_j), c_i into the cell, maxout deep output.
    "bahdanau2015": {"cell": "gru", "attention": "bahdanau", "readout": "maxout", **_PREVIOUS},
    # Luong et al. 2015, section 3: h~_t = tanh(W [c_t; h_t]), fed to the next step (3.3); general score (equation 8).
    "luong2015": {**_LUONG, "attention_score": "general", "feed": "attentional"},
    "luong2015_dot": {**_LUONG, "attention_score": "dot", "feed": "attentional"},
    "luong2015_concat": {**_LUONG, "attention_score": "concat", "feed": "attentional"},
    "luong2015_no_feeding": {**_LUONG, "attention_score": "general", "feed": "none"},
    # Section 3.2: a window around t, or around a predicted position under a Gaussian (equations 9 and 10).
    "luong2015_local_m": {
        **_LUONG,
        "attention": "local-m",
        "attention_score": "general",
        "feed": "attentional",
    },
    "luong2015_local_p": {
        **_LUONG,
        "attention": "local-p",
        "attention_score": "general",
        "feed": "attentional",
    },
    # Jurafsky and Martin: h_i = g(y_{i-1}, h_{i-1}, c_i), the query is h_{i-1}; dot product, or bilinear h_{i-1} W h_j, which
    # lets encoder and decoder differ in width.
    "jurafsky_martin_dot": {"attention": "luong", "attention_score": "dot", "readout": "plain", **_PREVIOUS},
    "jurafsky_martin_bilinear": {
        "attention": "luong",
        "attention_score": "general",
        "readout": "plain",
        **_PREVIOUS,
    },
    # CS224n: e_t = s_t . h, a_t = softmax(e_t) h, [a_t; s_t] to the output, nothing fed back.
    "cs224n": {
        "cell": "lstm",
        "attention": "luong",
        "attention_score": "dot",
        "query_state": "current",
        "feed": "none",
        "readout": "plain",
    },
    # Salimans and Kingma 2016 on Bahdanau's score: g v / |v| . tanh(W s + U h + b).
    "normed_bahdanau": {
        "attention": "bahdanau",
        "attention_normalize": True,
        "readout": "maxout",
        **_PREVIOUS,
    },
    # Luong's general score times a trained factor.
    "scaled_luong": {**_LUONG, "attention_score": "general", "attention_scale": True, "feed": "attentional"},
    # Raffel et al. 2017: soft in training, hard at inference, never backwards.
    "monotonic": {"attention": "monotonic", "readout": "maxout", **_PREVIOUS},
    # s_t = Decoder(y_{t-1}, s_{t-1}, c_t) over the states of a Transformer (Vaswani et al. 2017); bilinear: widths may differ.
    "transformer_encoder": {
        "encoder": "transformer",
        "attention": "luong",
        "attention_score": "general",
        "readout": "maxout",
        **_PREVIOUS,
    },
    # Tu et al. 2016: the score knows how much of each source word has been read.
    "coverage": {"attention": "coverage", "readout": "maxout", **_PREVIOUS},
}
