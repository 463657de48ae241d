"""The size of a model before it is built, so that a config can be checked before anything is allocated."""

from keras_attn.config.schema import ModelConfig, applies


def fewest_parameters(model: ModelConfig) -> int:
    """A lower bound on a model's parameters, close to the real number: the matrices that every kind of cell and readout has.

    A vocabulary size of 0, not known yet, adds nothing.
    """
    embedding, units = model.embedding_dim, model.decoder_units
    memory = embedding if model.encoder == "transformer" else 2 * model.encoder_units
    context = memory if model.attention != "none" else 0
    count = model.target_vocab_size * embedding + _encoder(model)
    if model.tied_embeddings != "all":
        count += model.source_vocab_size * embedding
    count += 3 * units * (embedding + units + 2 * units * (model.decoder_layers - 1))
    if applies(model, "attention_units"):
        count += model.attention_units * (units + memory)
    readout = units + context
    if model.readout != "plain":
        count += model.readout_units * readout
        readout = model.readout_units
    return count if model.tied_embeddings != "none" else count + model.target_vocab_size * readout


def _encoder(model: ModelConfig) -> int:
    embedding, units, layers = model.embedding_dim, model.encoder_units, model.encoder_layers
    if model.encoder == "transformer":
        return layers * 4 * embedding**2
    return 2 * 3 * units * (embedding + units + 2 * units * (layers - 1))
