"""A training run that starts from a trained model instead of from random weights."""

import dataclasses
from collections import defaultdict
from pathlib import Path

import keras
import numpy as np
from keras import ops

from keras_attn.config import Config, ConfigError
from keras_attn.data.splits import Splits
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.special_ids import UNK_ID
from keras_attn.storage.model_folder import load_model
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.training.checkpoint import path_of
from keras_attn.training.inputs import train_tokenizers


@dataclasses.dataclass(frozen=True)
class Start:
    """The model to start from.

    Attributes:
        folder: its model folder. `[model]` must describe the same layers, and may add some, such as those of `copy`, which start at
            random; dropout and all of `[training]` may differ.
        new_vocabulary: whether to train a vocabulary on the new sentence pairs, as `[tokenizer]` says. Pieces in both vocabularies
            keep their embeddings; any other piece starts as the mean of the old pieces that spell it. Otherwise the model keeps
            its vocabulary.
    """

    folder: str | Path
    new_vocabulary: bool = False

    def tokenizers(self, config: Config, pairs: Splits) -> tuple[Tokenizer, Tokenizer]:
        """The vocabularies of the new training.

        Raises:
            ModelFolderError, FileNotFoundError: as `load_model`.
            ValueError: what `train_tokenizer` refuses.
        """
        if self.new_vocabulary:
            return train_tokenizers(pairs.train, config.tokenizer)
        trained = load_model(self.folder)
        return trained.source_tokenizer, trained.target_tokenizer

    def fill(self, model: Seq2Seq, source: Tokenizer, target: Tokenizer) -> str:
        """Gives a new model of these vocabularies the weights of the old one.

        Returns:
            What was carried over, for people.

        Raises:
            ConfigError: the two have other layers.
            ModelFolderError, FileNotFoundError: as `load_model`.
        """
        old = load_model(self.folder)
        origins = {
            "source": _origins(source, old.source_tokenizer),
            "target": _origins(target, old.target_tokenizer),
        }
        sides = _of_words(model)
        values = []
        for new, before in _pairs(model.weights, old.model.weights, self.folder):
            value = ops.convert_to_numpy(before.value)
            if id(new) in sides:
                side, axis = sides[id(new)]
                if _others(new, axis) != _others(before, axis):
                    raise _another_model(self.folder, new, before)
                value = _with_rows(value, axis, origins[side])
            elif new.shape != before.shape:
                raise _another_model(self.folder, new, before)
            values.append((new, value))
        for new, value in values:
            new.assign(value)
        return (
            f"started from {self.folder}, with {_kept(source, old.source_tokenizer)} source pieces, "
            f"{_kept(target, old.target_tokenizer)} target pieces and {len(values)} of {len(model.weights)} weights"
        )


def _origins(new: Tokenizer, old: Tokenizer) -> list[list[int]]:
    """For each piece of the new vocabulary the old pieces that spell it: itself, where the old vocabulary has it."""
    known = {piece: i for i, piece in enumerate(old.pieces(range(old.vocab_size)))}
    return [_spelled(piece, known) or [UNK_ID] for piece in new.pieces(range(new.vocab_size))]


def _spelled(piece: str, known: dict[str, int]) -> list[int]:
    """Cut from the left, each time the longest; characters that no piece has are skipped."""
    found = []
    while piece:
        length = next((n for n in range(len(piece), 0, -1) if piece[:n] in known), 0)
        if length:
            found.append(known[piece[:length]])
        piece = piece[max(length, 1) :]
    return found


def _kept(new: Tokenizer, old: Tokenizer) -> str:
    pieces = [set(each.pieces(range(each.vocab_size))) for each in (new, old)]
    return f"{len(pieces[0] & pieces[1])} of {new.vocab_size}"


def _of_words(model: Seq2Seq) -> dict[int, tuple[str, int]]:
    """Weights with one row or column per word, by `id`: their vocabulary and the axis."""
    layers = [("source", 0, model.source_embedding), ("target", 0, model.target_embedding)]
    if model.output_layer is not None:
        layers.append(("target", -1, model.output_layer))
    return {id(weight): (side, axis) for side, axis, layer in layers for weight in layer.weights}


def _with_rows(old: np.ndarray, axis: int, origins: list[list[int]]) -> np.ndarray:
    """New rows are means of trained ones: random rows would be several times as long and would dominate every output."""
    old = np.moveaxis(old, axis, 0)
    return np.moveaxis(np.stack([old[each].mean(axis=0) for each in origins]), 0, axis)


def _others(weight: keras.Variable, axis: int) -> list[int]:
    """Its sizes but for that of the vocabulary."""
    return np.delete(weight.shape, axis).tolist()


def _pairs(
    new: list[keras.Variable], old: list[keras.Variable], folder: str | Path
) -> list[tuple[keras.Variable, keras.Variable]]:
    ours, theirs = _by_path(new), _by_path(old)
    for path, variables in theirs.items():
        if len(ours[path]) != len(variables):
            raise ConfigError(
                f"{folder} holds another model than [model] describes: it has {len(variables)} of {path}, and [model] has "
                f"{len(ours[path])}. Set [model] as in its config.toml"
            )
    return [pair for path in theirs for pair in zip(ours[path], theirs[path], strict=True)]


def _by_path(variables: list[keras.Variable]) -> defaultdict[str, list[keras.Variable]]:
    """In order: layers of a stack have paths that differ in their numbers alone."""
    found = defaultdict(list)
    for variable in variables:
        found[path_of(variable)].append(variable)
    return found


def _another_model(folder: str | Path, new: keras.Variable, old: keras.Variable) -> ConfigError:
    return ConfigError(
        f"{folder} holds another model than [model] describes: {path_of(old)} {tuple(old.shape)} where that has {path_of(new)} "
        f"{tuple(new.shape)}. Set [model] as in its config.toml"
    )
