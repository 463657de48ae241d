import dataclasses

import pytest

from keras_attn.config import Config, ConfigError, DataConfig, TokenizerConfig, TrainingConfig, from_tables
from keras_attn.data.splits import Splits
from keras_attn.special_ids import UNK_ID
from keras_attn.text.corpus import Corpus, CorpusError, open_pairs, read_pairs
from keras_attn.training import inputs
from keras_attn.training.inputs import (
    describe_unknown,
    digest,
    train_tokenizers,
    training_pairs,
    with_drawn_pairs,
)

CORPUS = Corpus(["one two", "two one"], ["ένα δύο", "δύο ένα"])


@pytest.fixture
def data(pair_files):
    return DataConfig(train=(str(pair_files / "train.tsv"),), dev=(str(pair_files / "dev.tsv"),))


def guided(data):
    return Config(data=data, training=TrainingConfig(guided_alignment=0.5))


def test_files_give_the_pairs(data):
    pairs = training_pairs(Config(data=data))
    assert (len(pairs.train), len(pairs.dev)) == (120, 12)


def test_augmentation_adds_to_the_training_pairs_alone_and_draws_by_the_seed(data):
    def drawn(copies, seed):
        augmented = dataclasses.replace(data, augmentation=copies)
        config = Config(data=augmented, training=TrainingConfig(seed=seed))
        pairs = training_pairs(config)
        return pairs, with_drawn_pairs(pairs.train, config)

    (plain, _), (pairs, lines) = drawn(0, 1), drawn(2, 1)
    assert pairs.dev.source == plain.dev.source
    assert lines.source[:120] == pairs.train.source[:120] == list(plain.train.source)
    assert len(lines) > len(pairs.train) + 10
    assert drawn(2, 1)[1] == lines != drawn(2, 2)[1]
    assert drawn(2, 2)[0] == pairs  # and so are vocabularies: models with different seeds can be an ensemble


def test_varied_pairs_are_put_into_lines_of_several_sentences_too():
    corpus = Corpus([f"Tom has {n} cats." for n in range(20)], [f"Tom a {n} chats." for n in range(20)])
    config = Config(data=DataConfig(augmentation=1, concatenations=0.1))
    lines = with_drawn_pairs(training_pairs(config, Splits(corpus, corpus)).train, config).source
    several = [line for line in lines if line.count("cats") > 1]
    assert several == lines[-len(several) :]
    assert 8 <= len(several) <= len(lines) / 10
    assert [line for line in several if "Tom has" not in line]


def test_augmentation_alone_joins_no_lines():
    corpus = Corpus([f"Tom has {n} cats." for n in range(20)], [f"Tom a {n} chats." for n in range(20)])
    config = Config(data=DataConfig(augmentation=1))
    lines = with_drawn_pairs(training_pairs(config, Splits(corpus, corpus)).train, config)
    assert len(lines) > 30
    assert all(line.upper().count("CATS") <= 1 for line in lines.source)


def test_lines_of_several_pairs_are_added_as_many_as_the_config_says():
    corpus = Corpus(["a b", "c"], ["A B", "C"])
    config = Config(data=DataConfig(concatenations=4))
    assert training_pairs(config, Splits(corpus, corpus)) == Splits(corpus, corpus)
    lines = with_drawn_pairs(corpus, config)
    assert lines.source[:2] == corpus.source and len(lines) == 2 + 8
    assert [line.upper() for line in lines.source] == lines.target
    assert with_drawn_pairs(corpus, Config()) is corpus


def test_links_belong_to_the_training_pairs_alone(data, pair_files):
    data = dataclasses.replace(data, links=str(pair_files / "train.links"))
    pairs = training_pairs(guided(data))
    lengths = [len(line.split()) for line in pairs.train.source]
    assert pairs.train.links == [{(length - 1 - j, j) for j in range(length)} for length in lengths]
    assert pairs.dev.links is None


def test_links_that_guide_nothing_are_not_kept():
    phrasebook = DataConfig(corpus="phrasebook", source_language="en", target_language="es")
    unguided = training_pairs(Config(data=phrasebook))
    assert unguided.train.links is None and unguided.dev.links is None
    pairs = training_pairs(guided(phrasebook))
    assert len(pairs.train.links) == 20_000 and pairs.dev.links is None


def test_attention_is_not_guided_without_links(data):
    with pytest.raises(ConfigError, match=r"guided_alignment = 0.5 needs word links: .* data.links"):
        training_pairs(guided(data))


@pytest.mark.parametrize("files", [{"train": ("train.tsv",)}, {"links": "train.links"}])
def test_a_named_corpus_beside_files_is_refused(files):
    with pytest.raises(ConfigError, match=r"data.corpus = 'phrasebook' brings its own splits"):
        training_pairs(Config(data=DataConfig(corpus="phrasebook", **files)))


def test_development_pairs_are_needed(pair_files):
    with pytest.raises(CorpusError, match=r"set data.dev"):
        training_pairs(Config(data=DataConfig(train=(str(pair_files / "train.tsv"),))))


def test_given_pairs_are_taken_as_they_are():
    pairs = training_pairs(Config(), Splits(CORPUS, CORPUS))
    assert pairs == Splits(CORPUS, CORPUS)


def test_given_development_pairs_may_be_read_line_by_line(data):
    dev = training_pairs(Config(), Splits(CORPUS, open_pairs(data.dev))).dev
    assert dev == read_pairs(data.dev)


def test_links_of_given_pairs_guide_the_attention_or_are_not_kept():
    linked = dataclasses.replace(CORPUS, links=[{(0, 0)}, {(1, 1)}])
    given = Splits(linked, linked)
    assert training_pairs(guided(DataConfig()), given) == Splits(linked, CORPUS)
    assert training_pairs(Config(), given) == Splits(CORPUS, CORPUS)


def test_given_pairs_without_links_guide_nothing():
    with pytest.raises(ConfigError, match="give training pairs that have links, or set it to 0"):
        training_pairs(guided(DataConfig()), Splits(CORPUS, CORPUS))


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"corpus": "phrasebook"}, "leave out data.corpus"),
        ({"train": ("a.tsv",), "dev": ("b.tsv",)}, "leave out data.train, data.dev"),
        ({"links": "c.links"}, "leave out data.links"),
    ],
)
def test_pairs_that_are_given_and_named_too_are_refused(named, message):
    with pytest.raises(ConfigError, match=message):
        training_pairs(Config(data=DataConfig(**named)), Splits(CORPUS, CORPUS))


def test_a_joint_vocabulary_knows_both_languages():
    source, target = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=30))
    assert source.model_proto == target.model_proto
    assert source.decode(source.encode(["one ένα"])) == ["one ένα"]


def test_a_separate_vocabulary_does_not_know_the_other_language():
    source, _ = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=30, joint=False))
    assert source.decode(source.encode(["one"])) == ["one"]
    assert "ένα" not in source.decode(source.encode(["ένα"]))[0]


def digest_of(train, dev=CORPUS):
    return digest(Splits(train, dev))


@pytest.mark.parametrize("change", [{"source": ["one two", "two"]}, {"target": ["ένα δύο", "ένα δύο"]}])
def test_digest_sees_every_line(change):
    changed = dataclasses.replace(CORPUS, **change)
    assert len({digest_of(CORPUS), digest_of(changed), digest_of(CORPUS, changed)}) == 3


def test_digest_sees_every_link_and_is_another_one_without():
    digests = {
        digest_of(dataclasses.replace(CORPUS, links=links))
        for links in (None, [{(0, 0)}, set()], [set(), {(0, 0)}])
    }
    assert len(digests) == 3


def test_digest_knows_the_training_pairs_from_the_development_pairs():
    other = Corpus(["a"], ["b"])
    assert digest_of(CORPUS, other) != digest_of(other, CORPUS)


@pytest.mark.parametrize(
    ("lines", "read"), [("abcd", "abcd"), ("abcde", "ace"), ("abcdefgh", "aceg"), ("abcdefghijk", "adgj")]
)
def test_a_vocabulary_of_a_large_corpus_is_trained_on_so_many_lines_from_all_of_it(monkeypatch, lines, read):
    monkeypatch.setattr(inputs, "VOCABULARY_LINES", 4)
    corpus = Corpus([f"{letter} {letter}" for letter in lines], ["x"] * len(lines))
    tokenizer, _ = train_tokenizers(corpus, TokenizerConfig(vocab_size=50, joint=False))
    known = {piece.strip("▁") for piece in tokenizer.pieces(range(4, tokenizer.vocab_size))} - {""}
    assert known == set(read)


def test_each_side_may_have_a_kind_of_its_own():
    config = TokenizerConfig(vocab_size=40, joint=False, kind="characters", target_kind="words")
    source, target = train_tokenizers(CORPUS, config)
    assert source.pieces(source.encode(["one"])[0]) == [*"▁one"]
    assert target.pieces(target.encode(["ένα δύο"])[0]) == ["▁ένα", "▁δύο"]


def test_the_target_has_the_kind_of_the_source_unless_it_is_told():
    _, target = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=40, joint=False, kind="words"))
    assert target.pieces(target.encode(["ένα δύο"])[0]) == ["▁ένα", "▁δύο"]


def test_the_source_alone_is_read_without_capitals():
    corpus = Corpus(["One two"], ["Eins Zwei"])
    config = TokenizerConfig(vocab_size=40, joint=False, kind="characters", lowercase=True)
    source, target = train_tokenizers(corpus, config)
    assert source.decode(source.encode(["ONE"])) == ["one"]
    assert target.decode(target.encode(["Eins"])) == ["Eins"]


@pytest.mark.parametrize("joint", [True, False])
def test_lines_in_capitals_are_read_in_small_letters_where_the_config_says_so(joint):
    corpus = Corpus(["One two"], ["Eins Zwei"])
    config = TokenizerConfig(vocab_size=40, joint=joint, kind="characters", lower_capitals=True)
    source, target = train_tokenizers(corpus, config)
    assert source.decode(source.encode(["ONE TWO", "One two"])) == ["One two"] * 2
    assert target.lower_capitals == joint


def test_symbols_keep_their_capitals():
    with pytest.raises(
        ConfigError, match=r"tokenizer.lowercase does not apply to tokenizer.kind = 'symbols'"
    ):
        from_tables({"tokenizer": {"kind": "symbols", "lowercase": True}})


def test_one_vocabulary_is_of_one_kind():
    with pytest.raises(ConfigError, match=r"tokenizer.target_kind does not apply to tokenizer.joint"):
        from_tables({"tokenizer": {"target_kind": "words"}})


def test_unknown_symbols_of_the_development_set_are_counted():
    tokenizers = train_tokenizers(CORPUS, TokenizerConfig(vocab_size=40, joint=False, kind="words"))
    dev = Corpus(["one three two", "two"], ["ένα", "τρία τέσσερα"])
    told = describe_unknown(dev, *tokenizers)
    assert told == "unknown symbols of the development set: 1 of 4 in the source, 1 of 2 in the target"


@pytest.mark.parametrize("joint", [True, False])
def test_a_vocabulary_is_made_with_the_options_of_the_config(joint):
    """A rare letter, 1 of 200, is left out by a coverage of 0.98, and spelled in bytes where there are bytes."""
    lines = ["ab" * 10] * 10
    corpus = Corpus([*lines, "ж"], [*lines, "ж"])
    options = {"vocab_size": 300, "joint": joint, "kind": "characters", "character_coverage": 0.98}
    for tokenizer in train_tokenizers(corpus, TokenizerConfig(**options)):
        assert tokenizer.encode(["ж"])[0].count(UNK_ID) == 1
    for tokenizer in train_tokenizers(corpus, TokenizerConfig(**{**options, "byte_fallback": True})):
        assert tokenizer.decode(tokenizer.encode(["aжb"])) == ["aжb"]


def test_a_vocabulary_has_no_more_pieces_than_the_config_says():
    for joint in (True, False):
        sizes = [
            each.vocab_size for each in train_tokenizers(CORPUS, TokenizerConfig(vocab_size=18, joint=joint))
        ]
        assert max(sizes) <= 18


def test_a_joint_vocabulary_without_capitals_reads_both_sides_without_them():
    corpus = Corpus(["One two"], ["Eins Zwei"])
    config = TokenizerConfig(vocab_size=40, kind="characters", lowercase=True)
    _, target = train_tokenizers(corpus, config)
    assert target.decode(target.encode(["EINS"])) == ["eins"]


def test_a_joint_vocabulary_is_of_the_kind_that_was_asked_for():
    for tokenizer in train_tokenizers(CORPUS, TokenizerConfig(vocab_size=40, kind="characters")):
        assert tokenizer.pieces(tokenizer.encode(["one δύο"])[0]) == [*"▁one▁δύο"]
