import dataclasses

import pytest

from keras_attn.config import ConfigError, DataConfig, TokenizerConfig
from keras_attn.text.corpus import Corpus, CorpusError
from keras_attn.training.inputs import digest, load_pairs, train_tokenizers

CORPUS = Corpus(["one two", "two one"], ["ένα δύο", "δύο ένα"])


def test_files_give_the_pairs(pair_files):
    data = DataConfig(train=(str(pair_files / "train.tsv"),), dev=(str(pair_files / "dev.tsv"),))
    assert [len(corpus) for corpus in load_pairs(data)] == [120, 12]


def test_a_named_corpus_beside_files_is_refused():
    with pytest.raises(ConfigError, match=r"data.corpus = 'phrasebook' brings its own splits"):
        load_pairs(DataConfig(corpus="phrasebook", train=("train.tsv",)))


def test_development_pairs_are_needed(pair_files):
    with pytest.raises(CorpusError, match=r"set data.dev"):
        load_pairs(DataConfig(train=(str(pair_files / "train.tsv"),)))


def test_a_joint_vocabulary_knows_both_languages():
    source, target = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=30))
    assert source.model_proto == target.model_proto
    assert source.decode(source.encode(["one ένα"])) == ["one ένα"]


def test_a_separate_vocabulary_does_not_know_the_other_language():
    source, _ = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=30, joint=False))
    assert source.decode(source.encode(["one"])) == ["one"]
    assert "ένα" not in source.decode(source.encode(["ένα"]))[0]


@pytest.mark.parametrize("change", [{"source": ["one two", "two"]}, {"target": ["ένα δύο", "ένα δύο"]}])
def test_digest_sees_every_line(change):
    assert digest(CORPUS) != digest(dataclasses.replace(CORPUS, **change))


def test_digest_sees_the_order_of_the_corpora():
    other = Corpus(["a"], ["b"])
    assert digest(CORPUS, other) != digest(other, CORPUS)
