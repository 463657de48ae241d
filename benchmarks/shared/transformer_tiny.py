"""Transformer-Tiny of Wu et al. 2021 with random weights, for CTranslate2, which runs no recurrent models."""

import numpy as np
from ctranslate2.specs import TransformerSpec

LAYERS, WIDTH, INNER, HEADS = 4, 128, 256, 4


def save_transformer(folder: str, vocabulary: list[str]) -> int:
    """Writes one of random weights, int8; returns the number of its parameters."""
    spec = TransformerSpec.from_config((LAYERS, LAYERS), HEADS)
    draw = np.random.default_rng(1)
    embeddings = draw.normal(0, WIDTH**-0.5, (len(vocabulary), WIDTH)).astype(np.float32)
    parameters = embeddings.size

    def linear(layer, outputs: int, inputs: int) -> None:
        nonlocal parameters
        layer.weight = draw.normal(0, inputs**-0.5, (outputs, inputs)).astype(np.float32)
        layer.bias = np.zeros(outputs, np.float32)
        parameters += layer.weight.size + outputs

    def norm(layer) -> None:
        nonlocal parameters
        layer.gamma, layer.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
        parameters += 2 * WIDTH

    def attention(block, *outputs: int) -> None:
        norm(block.layer_norm)
        for layer, width in zip(block.linear, outputs, strict=True):
            linear(layer, width, WIDTH)

    for side in (spec.encoder, spec.decoder):
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, 3 * WIDTH, WIDTH)
            if side is spec.decoder:
                attention(layer.attention, WIDTH, 2 * WIDTH, WIDTH)
            norm(layer.ffn.layer_norm)
            linear(layer.ffn.linear_0, INNER, WIDTH)
            linear(layer.ffn.linear_1, WIDTH, INNER)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = embeddings
    spec.decoder.projection.weight = embeddings
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = "<unk>", "<s>", "</s>"
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(folder)
    return parameters
