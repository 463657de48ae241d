"""Makes SavedModels reproducible: removes whatever differs between two exports of the same model.

TensorFlow numbers traced functions throughout a process, and gives every export a random name.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from keras_attn.files import write_bytes


def make_repeatable(folder: Path) -> None:
    """Rewrites `saved_model.pb` with functions numbered from 0, and removes `fingerprint.pb`, the random name.

    A fingerprint is optional: SavedModels had none before TensorFlow 2.12.
    """
    path = folder / "saved_model.pb"
    model = SavedModel.FromString(path.read_bytes())
    library = model.meta_graphs[0].graph_def.library
    _replace_text(model, _renumbered([function.signature.name for function in library.function]))
    library.function.sort(key=lambda function: function.signature.name)
    for function in library.function:
        for attributes in function.arg_attr.values():
            _forget_number(attributes.attr)
        for node in function.node_def:
            _forget_number(node.attr)
    write_bytes(path, model.SerializeToString(deterministic=True))
    (folder / "fingerprint.pb").unlink(missing_ok=True)


def _renumbered(names: list[str]) -> Callable[[str], str]:
    """Replaces the number at the end of each function's name by its rank among all functions, wherever the name occurs."""
    in_order = sorted(names, key=lambda name: int(name.rpartition("_")[2]))
    new = {name: f"{name.rpartition('_')[0]}_{place}" for place, name in enumerate(in_order)}
    pattern = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
    return lambda text: pattern.sub(lambda found: new[found[0]], text)


def _replace_text(message: Message, change: Callable[[str], str]) -> None:
    """Applies it to every text in a message and its submessages, including keys of maps, but not to the contents of tensors."""
    for field, value in message.ListFields():
        if field.message_type and field.message_type.GetOptions().map_entry:
            _replace_in_map(value, change)
        elif field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                if not isinstance(inner, TensorProto):
                    _replace_text(inner, change)
        elif field.type == field.TYPE_STRING:
            if field.is_repeated:
                value[:] = [change(text) for text in value]
            else:
                setattr(message, field.name, change(value))


def _replace_in_map(entries: Any, change: Callable[[str], str]) -> None:
    for key in list(entries):
        value = entries[key]
        if isinstance(value, Message):
            _replace_text(value, change)
        if isinstance(key, str) and change(key) != key:
            if isinstance(value, Message):
                entries[change(key)].CopyFrom(value)
            else:
                entries[change(key)] = value
            del entries[key]


def _forget_number(attributes: Any) -> None:
    """TensorFlow names an unnamed argument by the number of a tensor; nothing uses this name."""
    if "_user_specified_name" in attributes and attributes["_user_specified_name"].s.isdigit():
        del attributes["_user_specified_name"]
