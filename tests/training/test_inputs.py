import dataclasses

import pytest

from keras_attn.config import Config, ConfigError, DataConfig, TokenizerConfig, TrainingConfig
from keras_attn.text.corpus import Corpus, CorpusError
from keras_attn.training.inputs import digest, load_pairs, train_tokenizers

CORPUS = Corpus(["one two", "two one"], ["ένα δύο", "δύο ένα"])


@pytest.fixture
def data(pair_files):
    return DataConfig(train=(str(pair_files / "train.tsv"),), dev=(str(pair_files / "dev.tsv"),))


def guided(data):
    return Config(data=data, training=TrainingConfig(guided_alignment=0.5))


def test_files_give_the_pairs(data):
    assert [len(corpus) for corpus in load_pairs(Config(data=data))] == [120, 12]


def test_links_belong_to_the_training_pairs_alone(data, pair_files):
    data = dataclasses.replace(data, links=str(pair_files / "train.links"))
    pairs, dev = load_pairs(guided(data))
    lengths = [len(line.split()) for line in pairs.source]
    assert pairs.links == [{(length - 1 - j, j) for j in range(length)} for length in lengths]
    assert dev.links is None


def test_links_that_guide_nothing_are_not_kept():
    phrasebook = DataConfig(corpus="phrasebook", source_language="en", target_language="es")
    assert [corpus.links for corpus in load_pairs(Config(data=phrasebook))] == [None, None]
    pairs, dev = load_pairs(guided(phrasebook))
    assert len(pairs.links) == 20_000 and dev.links is None


def test_attention_is_not_guided_without_links(data):
    with pytest.raises(ConfigError, match=r"guided_alignment = 0.5 needs word links: .* data.links"):
        load_pairs(guided(data))


@pytest.mark.parametrize("files", [{"train": ("train.tsv",)}, {"links": "train.links"}])
def test_a_named_corpus_beside_files_is_refused(files):
    with pytest.raises(ConfigError, match=r"data.corpus = 'phrasebook' brings its own splits"):
        load_pairs(Config(data=DataConfig(corpus="phrasebook", **files)))


def test_development_pairs_are_needed(pair_files):
    with pytest.raises(CorpusError, match=r"set data.dev"):
        load_pairs(Config(data=DataConfig(train=(str(pair_files / "train.tsv"),))))


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


def test_digest_sees_every_link_and_is_another_one_without():
    digests = {
        digest(dataclasses.replace(CORPUS, links=links))
        for links in (None, [{(0, 0)}, set()], [set(), {(0, 0)}])
    }
    assert len(digests) == 3


def test_digest_sees_the_order_of_the_corpora():
    other = Corpus(["a"], ["b"])
    assert digest(CORPUS, other) != digest(other, CORPUS)
