import pytest

from keras_attn.config import DataConfig
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.text.corpus import Corpus, CorpusError


def test_a_split_of_a_named_corpus_is_loaded():
    data = DataConfig(corpus="phrasebook", source_language="en", target_language="es")
    assert 0 < len(split_corpus(data, "novel")) <= 500


def test_a_named_corpus_has_the_source_language_on_the_source_side():
    data = DataConfig(corpus="phrasebook", source_language="es", target_language="en")
    corpus = split_corpus(data, "novel")
    assert any(" the " in line for line in corpus.target) and not any(
        " the " in line for line in corpus.source
    )


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_split_of_files_is_read_from_its_own(split, tmp_path):
    for name in ("train", "dev", "test"):
        (tmp_path / f"{name}.tsv").write_text(f"one\t{name}\n")
    data = DataConfig(**{name: (str(tmp_path / f"{name}.tsv"),) for name in ("train", "dev", "test")})
    assert split_corpus(data, split).target == [split]


@pytest.mark.parametrize(("split", "message"), [("dev", "no files for the dev split"), ("tset", "'tset'")])
def test_a_split_that_is_not_there_is_named(split, message):
    with pytest.raises(CorpusError, match=message):
        split_corpus(DataConfig(test=("a.tsv",)), split)


def test_a_training_needs_pairs_of_both_kinds():
    pairs, none = Corpus(["one"], ["un"]), Corpus([], [])
    assert len(Splits(train=pairs, dev=pairs).train) == 1
    with pytest.raises(CorpusError, match="the train split has no pairs"):
        Splits(train=none, dev=pairs)
    with pytest.raises(CorpusError, match="the dev split has no pairs"):
        Splits(train=pairs, dev=none)
