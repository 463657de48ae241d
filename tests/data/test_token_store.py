import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.data.token_store import token_store
from keras_attn.text.corpus import Corpus, CorpusError, open_pairs
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

CORPUS = Corpus(["red dog", "\u200b", "blue", "red " * 20], ["RED DOG", "BLUE", "RED", "DOG"])


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(CORPUS.source + CORPUS.target, vocab_size=40)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tokens"


def longest_of(tokenizer):
    return max(map(len, tokenizer.encode(["red dog", "RED DOG", "blue", "RED"])))


def store_of(tokenizer, corpus=CORPUS, max_length=None):
    return token_store(corpus, tokenizer, tokenizer, max_length=max_length or longest_of(tokenizer))


def rows_of(ragged):
    return [ragged.take(np.array([row])).values.tolist() for row in range(len(ragged))]


def written(cache):
    """The files of the one store, and when each was written."""
    [folder] = cache.iterdir()
    return {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}


def test_a_store_has_the_ids_of_pairs_with_words_on_both_sides_and_not_too_many(tokenizer):
    store = store_of(tokenizer)
    assert store.kept.tolist() == [True, False, True, False]
    assert rows_of(store.source) == tokenizer.encode(["red dog", "blue"])
    assert rows_of(store.target) == tokenizer.encode(["RED DOG", "RED"])


def test_ids_lie_in_files_two_bytes_each(tokenizer):
    values = store_of(tokenizer).source.values
    assert isinstance(values, np.memmap) and values.dtype == np.uint16


def test_more_pairs_than_a_chunk_keep_their_order(tokenizer):
    source = [["red", "dog", "blue"][n % 3] + " red" * (n % 2) for n in range(9000)]
    store = store_of(tokenizer, Corpus(source, source), max_length=100)
    assert rows_of(store.source) == rows_of(store.target) == tokenizer.encode(source)


def test_a_store_is_written_once(tokenizer, cache):
    first = rows_of(store_of(tokenizer).source)
    before = written(cache)
    assert rows_of(store_of(tokenizer).source) == first
    assert written(cache) == before and len(before) == 5


def test_another_process_finds_the_store_of_pairs_that_it_reads_from_files(tokenizer, cache, tmp_path):
    store_of(tokenizer)
    before = written(cache)
    (tmp_path / "a.en").write_text("\n".join(CORPUS.source) + "\n", encoding="utf-8")
    (tmp_path / "a.de").write_text("\n".join(CORPUS.target) + "\n", encoding="utf-8")
    (tmp_path / "both.spm").write_bytes(tokenizer.model_proto)
    code = textwrap.dedent("""
        import pathlib, sys
        from keras_attn.data.token_store import token_store
        from keras_attn.text.corpus import open_pairs
        from keras_attn.text.tokenizer import Tokenizer
        tokenizer = Tokenizer(pathlib.Path("both.spm").read_bytes())
        store = token_store(open_pairs(["a.en", "a.de"]), tokenizer, tokenizer, max_length=int(sys.argv[1]))
        print(store.source.values.tolist())
    """)
    run = subprocess.run(
        [sys.executable, "-c", code, str(longest_of(tokenizer))],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert run.stdout.strip() == str(store_of(tokenizer).source.values.tolist())
    assert written(cache) == before


@pytest.mark.parametrize(
    "other",
    [
        {"max_length": 100},
        {"corpus": Corpus(CORPUS.target, CORPUS.source)},
        {"corpus": Corpus(["red\tdog"], ["blue"])},
    ],
)
def test_another_length_and_other_pairs_have_a_store_of_their_own(tokenizer, cache, other):
    store_of(tokenizer)
    store_of(tokenizer, **other)
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("side", [0, 1])
def test_another_vocabulary_of_either_side_has_a_store_of_its_own(tokenizer, side):
    other = train_tokenizer(["red dog", "blue RED"], vocab_size=20)
    store_of(tokenizer)
    tokenizers = [other if side == each else tokenizer for each in range(2)]
    store = token_store(CORPUS, *tokenizers, max_length=longest_of(tokenizer))
    for ids, each, lines in zip(
        (store.source, store.target), tokenizers, (CORPUS.source, CORPUS.target), strict=True
    ):
        assert rows_of(ids) == each.encode(
            [line for line, kept in zip(lines, store.kept, strict=True) if kept]
        )


def test_a_vocabulary_too_large_for_two_bytes_has_four(tokenizer):
    model = ModelProto.FromString(tokenizer.model_proto)
    for number in range(1 << 16):
        model.pieces.add(piece=f"▁{number}", score=-1.0)
    large = Tokenizer(model.SerializeToString())
    last = str((1 << 16) - 1)
    store = token_store(Corpus([last], [last]), large, large, max_length=9)
    assert rows_of(store.source) == large.encode([last]) == [[large.vocab_size - 1]]


@pytest.mark.parametrize("name", ["source.ids", "target.ids", "source.offsets", "kept"])
@pytest.mark.parametrize("damage", ["missing", "cut off", "empty"])
def test_a_store_that_is_not_whole_is_written_again(tokenizer, cache, name, damage):
    expected = rows_of(store_of(tokenizer).source)
    [folder] = cache.iterdir()
    file = folder / f"{name}.npy"
    if damage == "missing":
        file.unlink()
    else:
        os.truncate(file, 0 if damage == "empty" else file.stat().st_size - 1)
    assert rows_of(store_of(tokenizer).source) == expected


def test_pairs_that_are_all_too_long_are_refused_and_leave_nothing(tokenizer, cache):
    with pytest.raises(CorpusError, match="none of the 4 pairs has from 1 to 1 sub-words on both sides"):
        store_of(tokenizer, max_length=1)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_named_with_the_remedy(tokenizer, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KERAS_ATTN_CACHE", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"cannot write .*file.*Set KERAS_ATTN_CACHE"):
        store_of(tokenizer)


def test_a_corpus_in_files_has_the_ids_of_the_same_corpus_in_memory(tokenizer, tmp_path, monkeypatch):
    (tmp_path / "pairs.tsv").write_text("red dog\tRED DOG\nblue\tRED\n", encoding="utf-8")
    in_files = store_of(tokenizer, open_pairs([tmp_path / "pairs.tsv"]))
    assert rows_of(in_files.target) == tokenizer.encode(["RED DOG", "RED"])


def test_a_tab_within_a_line_is_not_the_one_between_two(tokenizer):
    for source, target in (("red\tdog", "DOG"), ("red", "dog\tDOG")):
        store = store_of(tokenizer, Corpus([source], [target]), max_length=20)
        assert rows_of(store.source) == tokenizer.encode([source])
        assert rows_of(store.target) == tokenizer.encode([target])
