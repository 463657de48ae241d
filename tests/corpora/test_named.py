import gzip
import hashlib
import html
import os
import zipfile
from pathlib import Path

import pytest

from keras_attn.corpora import named as corpora
from keras_attn.corpora.cache import cache_folder
from keras_attn.corpora.named import (
    corpus_file,
    load_corpus,
    names,
    split_by_group,
    tokenized_reference,
)
from keras_attn.corpora.phrasebook import generate
from keras_attn.text.corpus import CorpusError

DATA = bytes(range(256)) * 1000


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("KERAS_ATTN_DATA", raising=False)
    monkeypatch.setenv("KERAS_ATTN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def real_data():
    if "KERAS_ATTN_DATA" not in os.environ:
        pytest.skip("set KERAS_ATTN_DATA to the folder of the corpora")
    return Path(os.environ["KERAS_ATTN_DATA"])


def is_data(file):
    return file.read_bytes() == DATA


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def zip_of_text(path, text, name="spa-eng/spa.txt", compression=zipfile.ZIP_DEFLATED):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(name, text)
    return path


def test_without_a_network_the_error_says_what_to_put_where(cache):
    with pytest.raises(CorpusError) as error:
        corpus_file("multi30k/a.gz", "http://127.0.0.1:1/a.gz", sha256(DATA))
    assert "http://127.0.0.1:1/a.gz" in str(error.value)
    assert f"put it at {cache / 'multi30k' / 'a.gz'}" in str(error.value)


def test_a_cached_file_is_not_fetched_again(server, cache):
    server.files["a"] = DATA
    files = {corpus_file("x/a", server.url("a"), sha256(DATA)) for _ in range(2)}
    assert files == {cache / "x" / "a"}
    assert len(server.ranges) == 1


def test_a_cached_file_that_was_damaged_is_fetched_again(server, cache):
    server.files["a"] = DATA
    corpus_file("x/a", server.url("a"), sha256(DATA)).write_bytes(b"damaged")
    assert is_data(corpus_file("x/a", server.url("a"), sha256(DATA)))


def test_the_cache_follows_the_xdg_folder(server, tmp_path, monkeypatch):
    for name in ("KERAS_ATTN_DATA", "KERAS_ATTN_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.files["a"] = DATA
    assert corpus_file("x/a", server.url("a"), sha256(DATA)) == tmp_path / "keras_attn" / "x" / "a"


def test_the_cache_is_the_folder_that_is_named_for_it_else_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KERAS_ATTN_CACHE", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "named"
    monkeypatch.setenv("KERAS_ATTN_CACHE", "")
    assert cache_folder() == tmp_path / "xdg" / "keras_attn"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "keras_attn"


def test_a_user_without_a_home_folder_is_told_to_name_the_cache(monkeypatch):
    def unknown(_):
        raise KeyError

    for name in ("HOME", "KERAS_ATTN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    with pytest.raises(OSError, match="no home folder for a cache: set KERAS_ATTN_CACHE"):
        cache_folder()


def test_the_dictionary_is_downloaded_as_text_and_read_with_stress_or_without(server, cache, monkeypatch):
    words = [f"w{n}" for n in range(60)]
    text = "".join(f"{word} AH{n % 3} B # remark\n" for n, word in enumerate(words)).encode()
    server.files = {"cmudict.dict": text}
    monkeypatch.setattr(corpora, "CMUDICT_URL", server.url("cmudict.dict"))
    monkeypatch.setattr(corpora, "_CMUDICT_SHA256", sha256(text))
    with_stress, without = (load_corpus("cmudict", "en", sounds, "train") for sounds in ("arpabet", "phones"))
    assert os.listdir(cache / "g2p") == ["cmudict.dict"] and len(server.ranges) == 1
    assert with_stress.source == without.source == [word for word in words if word in with_stress.source]
    assert len(with_stress) > 40
    assert with_stress.target == [f"AH{words.index(word) % 3} B" for word in with_stress.source]
    assert without.target == ["AH B"] * len(without)


def test_a_dictionary_that_is_no_text_is_removed_and_fetched_anew(server, cache, monkeypatch):
    right = b"".join(b"w%d AH B\n" % n for n in range(60))
    monkeypatch.setattr(corpora, "CMUDICT_URL", server.url("cmudict.dict"))
    monkeypatch.setattr(corpora, "_CMUDICT_SHA256", sha256(right))
    server.files = {"cmudict.dict": b"\xff\xfe"}
    with pytest.raises(CorpusError, match=r"has a wrong checksum .* and was removed"):
        load_corpus("cmudict", "en", "phones", "train")
    server.files = {"cmudict.dict": right}
    assert len(load_corpus("cmudict", "en", "phones", "train")) > 40


def test_a_data_folder_is_read_instead_of_the_network(server, tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    (tmp_path / "a").write_bytes(DATA)
    assert corpus_file("a", server.url("a"), sha256(DATA)) == tmp_path / "a"
    assert server.ranges == []


def test_a_wrong_file_in_the_data_folder_is_named_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    (tmp_path / "a").write_bytes(b"other")
    with pytest.raises(CorpusError, match=rf"{tmp_path / 'a'} has a wrong checksum"):
        corpus_file("a", "http://127.0.0.1:1/a", sha256(DATA))
    assert (tmp_path / "a").exists()


def test_a_file_missing_from_the_data_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    with pytest.raises(
        CorpusError, match=rf"{tmp_path / 'a'} does not exist\. Put http://127\.0\.0\.1:1/a there"
    ):
        corpus_file("a", "http://127.0.0.1:1/a", sha256(DATA))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_checked_by_the_text_inside(tmp_path, monkeypatch, compression):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    file = zip_of_text(tmp_path / "a.zip", "text", compression=compression)
    assert corpus_file("a.zip", "http://127.0.0.1:1/a.zip", sha256(b"text")) == file


def test_a_broken_or_foreign_zip_has_a_wrong_checksum(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    whole = zip_of_text(tmp_path / "whole.zip", "text" * 100).read_bytes()
    zip_of_text(tmp_path / "foreign.zip", "other" * 100)
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    (tmp_path / "cut.zip").write_bytes(whole[:-30])
    (tmp_path / "undecodable.zip").write_bytes(
        whole[:45] + b"\xff" + whole[46:]
    )  # the text begins at byte 45
    stored = zip_of_text(tmp_path / "stored.zip", "text" * 100, compression=zipfile.ZIP_STORED).read_bytes()
    (tmp_path / "stored.zip").write_bytes(stored.replace(b"text", b"tent", 1))
    for name in ("foreign.zip", "empty.zip", "cut.zip", "undecodable.zip", "stored.zip"):
        with pytest.raises(CorpusError, match=f"{name} has a wrong checksum"):
            corpus_file(name, f"http://127.0.0.1:1/{name}", sha256(b"text" * 100))


def test_a_named_corpus_is_downloaded_into_the_cache(server, cache, monkeypatch):
    files = {"val.en.gz": gzip.compress(b"one\ntwo\n"), "val.de.gz": gzip.compress(b"eins\nzwei\n")}
    server.files = {f"raw/{name}": data for name, data in files.items()}
    monkeypatch.setattr(corpora, "MULTI30K_URL", server.url("").rstrip("/"))
    monkeypatch.setattr(corpora, "_MULTI30K_SHA256", {name: sha256(data) for name, data in files.items()})
    corpus = load_corpus("multi30k", "de", "en", "dev")
    assert (corpus.source, corpus.target) == (["eins", "zwei"], ["one", "two"])
    assert sorted(os.listdir(cache / "multi30k")) == ["val.de.gz", "val.en.gz"]


def test_pairs_that_share_a_sentence_go_to_the_same_split():
    # Each chain hangs together by one shared side after the other, but for case and spaces.
    chains = [
        [(f"A{n}", f"b{n}"), (f"c{n}", f" B{n} "), (f"C{n}", f"d  {n}"), (f"e{n}", f"D {n}")]
        for n in range(300)
    ]
    splits = split_by_group(pair for chain in chains for pair in chain)
    for chain in chains:
        assert sorted(sum(pair in part for pair in chain) for part in splits.values()) == [0, 0, 4]
    assert all(splits.values())


def test_the_order_of_pairs_does_not_change_the_split():
    pairs = [(f"{n} {n % 7}", f"x{n // 3}") for n in range(500)]
    forward, backward = split_by_group(pairs), split_by_group(reversed(pairs))
    assert {name: sorted(part) for name, part in backward.items()} == {
        name: sorted(part) for name, part in forward.items()
    }


def test_about_two_percent_are_test_and_two_percent_dev():
    splits = split_by_group((f"source {n}", f"target {n}") for n in range(10_000))
    assert sum(map(len, splits.values())) == 10_000
    assert all(150 < len(splits[name]) < 250 for name in ("dev", "test"))
    # These stay where models were scored on them.
    assert (splits["dev"][0], splits["test"][0]) == (
        ("source 32", "target 32"),
        ("source 150", "target 150"),
    )


def test_the_text_of_a_zip_is_its_largest_file_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path))
    file = zip_of_text(tmp_path / "a.zip", "text" * 100, name="fra.txt")
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("_about.txt", "where it comes from")
    assert corpus_file("a.zip", "http://127.0.0.1:1/a.zip", sha256(b"text" * 100)) == file


@pytest.mark.parametrize(("language", "pairs"), [("de", 169_813), ("es", 118_964), ("fr", 167_130)])
def test_no_side_of_a_tatoeba_test_or_dev_pair_stands_in_train(real_data, language, pairs):
    train, dev, test = (load_corpus("tatoeba", "en", language, split) for split in ("train", "dev", "test"))

    def folded(*sides):
        return {" ".join(line.lower().split()) for side in sides for line in side}

    seen = folded(train.source, train.target)
    assert not seen & folded(test.source, test.target)
    assert not seen & folded(dev.source, dev.target)
    assert not folded(dev.source, dev.target) & folded(test.source, test.target)
    assert len(train) + len(dev) + len(test) == pairs
    assert all(0.015 < len(part) / pairs < 0.025 for part in (dev, test))


@pytest.mark.parametrize(("language", "word"), [("de", " nicht "), ("es", "¿"), ("fr", " pas ")])
def test_tatoeba_goes_both_ways(real_data, language, word):
    forth, back = (load_corpus("tatoeba", *pair, "test") for pair in (("en", language), (language, "en")))
    assert (forth.source, forth.target) == (back.target, back.source)
    assert word in "".join(forth.target) and word not in "".join(forth.source)


@pytest.mark.parametrize(
    "split, pairs",
    [
        ("train", 29_000),
        ("dev", 1014),
        ("test", 1000),
        ("test_2016_flickr", 1000),
        ("test_2017_flickr", 1000),
        ("test_2017_mscoco", 461),
    ],
)
def test_multi30k_has_its_published_sizes_in_all_languages(real_data, split, pairs):
    for source, target in [("en", "de"), ("de", "fr"), ("fr", "en")]:
        corpus = load_corpus("multi30k", source, target, split)
        assert (len(corpus), corpus.dropped) == (pairs, 0)


def test_multi30k_test_is_the_flickr_set_of_2016(real_data):
    assert load_corpus("multi30k", "en", "de", "test") == load_corpus(
        "multi30k", "en", "de", "test_2016_flickr"
    )


@pytest.mark.parametrize(
    "test_set, lines", [("test", 1000), ("test_2017_flickr", 1000), ("test_2017_mscoco", 461)]
)
@pytest.mark.parametrize("language", ["de", "fr"])
def test_tokenised_references_are_the_raw_ones_lowercased_and_cut(real_data, test_set, lines, language):
    tokenised = tokenized_reference("multi30k", test_set, language)
    raw = load_corpus("multi30k", "en", language, test_set).target
    assert len(tokenised) == len(raw) == lines

    def letters(line):
        return [
            c for c in html.unescape(line).lower() if c.isalnum()
        ]  # Moses writes &apos; for an apostrophe

    same = sum(letters(a) == letters(b) for a, b in zip(tokenised, raw, strict=True))
    assert same > 0.95 * lines


@pytest.mark.parametrize("split, pairs", [("train", 20_000), ("dev", 500), ("test", 500), ("novel", 500)])
def test_the_phrasebook_is_generated(split, pairs):
    corpus = load_corpus("phrasebook", "en", "es", split)
    assert (len(corpus), corpus.dropped) == (pairs, 0)
    assert load_corpus("phrasebook", "es", "en", split).source == corpus.target


def test_the_phrasebook_knows_its_links_in_both_directions():
    there, back = load_corpus("phrasebook", "en", "es", "dev"), load_corpus("phrasebook", "es", "en", "dev")
    assert there.links == [set(pair.alignment) for pair in generate(500, split="dev")]
    assert back.links == [{(j, i) for i, j in links} for links in there.links]


def test_names_lists_what_can_be_loaded():
    assert names() == ["cmudict", "dates", "multi30k", "phrasebook", "tatoeba"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("wmt", "en", "de", "train"), "unknown corpus: 'wmt'; known: multi30k, tatoeba, phrasebook"),
        (("multi30k", "en", "es", "train"), "unknown language of multi30k: 'es'; known: en, de, fr"),
        (
            ("tatoeba", "source", "es", "train"),
            "unknown language of tatoeba: 'source'; known: en, de, es, fr",
        ),
        (("tatoeba", "de", "fr", "train"), "tatoeba pairs English with another language"),
        (("multi30k", "en", "en", "train"), "source and target language are both 'en'"),
        (("multi30k", "en", "de", "val"), "unknown split of multi30k: 'val'; known: train, dev, test"),
        (("tatoeba", "en", "es", "novel"), "unknown split of tatoeba: 'novel'; known: train, dev, test"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(arguments, message):
    with pytest.raises(CorpusError, match=message):
        load_corpus(*arguments)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("tatoeba", "test", "es"), "unknown corpus with tokenised references: 'tatoeba'"),
        (("multi30k", "dev", "de"), "unknown test set of multi30k: 'dev'"),
        (("multi30k", "test", "en"), "unknown language with tokenised references of multi30k: 'en'"),
    ],
)
def test_an_unknown_reference_is_refused_with_the_known_ones(arguments, message):
    with pytest.raises(CorpusError, match=message):
        tokenized_reference(*arguments)
