"""Vocabularies of strangers: each is an error in words or works, and none ends the process."""

import pytest
from batch import outcomes
from vocabularies import hostile_vocabularies

from keras_attn.text.tokenizer import train_tokenizer

READER = """
from keras_attn.text.tokenizer import Tokenizer

LINES = ["A small dog runs", "", "\\ufb01ne \\u65e5\\u672c\\x00 e\\u0301", "<s> </s>", "x" * 5000]

def read(path):
    tokenizer = Tokenizer(path.read_bytes())
    cut = tokenizer.encode(LINES), tokenizer.sample(LINES, 0.3, seed=1)
    return [tokenizer.decode(ids) for ids in cut]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    good = train_tokenizer(["A small dog runs across the green grass."] * 9, vocab_size=60).model_proto
    folder = tmp_path_factory.mktemp("vocabularies")
    for number, (name, data) in enumerate({"good": good, **dict(hostile_vocabularies(good))}.items()):
        (folder / f"{number:03d} {name}.spm").write_bytes(data)
    return sorted(folder.iterdir())


@pytest.mark.slow
def test_a_hostile_vocabulary_is_refused_or_works_and_ends_no_process(files):
    said = outcomes(files, READER)
    assert len(said) == len(files) > 300
    assert said["000 good.spm"][0] == "read"
    refused = [reason for kind, reason in said.values() if kind == "refused"]
    assert len(refused) > 100
    odd = [reason for reason in refused if "SentencePiece model" not in reason or "\n" in reason]
    assert not odd
