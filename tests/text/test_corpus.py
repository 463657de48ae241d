import gzip
import os
import threading

import pytest

from keras_attn.text import line_files
from keras_attn.text.corpus import (
    Corpus,
    CorpusError,
    decode_lines,
    keep_usable,
    open_pairs,
    read_lines,
    read_links,
    read_pairs,
    read_parallel,
)
from keras_attn.text.line_files import MAX_LINE_BYTES


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        data = data.encode("utf-8") if isinstance(data, str) else data
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def test_two_plain_files_give_pairs(write):
    corpus = read_pairs([write("a.en", "one\ntwo\n"), write("a.de", "eins\nzwei\n")])
    assert corpus == Corpus(["one", "two"], ["eins", "zwei"], dropped=0)
    assert len(corpus) == 2


def test_gzipped_files_give_the_same_pairs(write):
    corpus = read_pairs([write("a.en.gz", "one\ntwo\n"), write("a.de", "eins\nzwei\n")])
    assert corpus == Corpus(["one", "two"], ["eins", "zwei"])


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
def test_a_tsv_file_gives_pairs(write, name):
    assert read_pairs([write(name, "one\teins\ntwo\tzwei\n")]) == Corpus(["one", "two"], ["eins", "zwei"])


def test_the_last_line_needs_no_line_end(write):
    assert read_lines(write("a.txt", "one\ntwo")) == ["one", "two"]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_a_line_feed_ends_a_line(write, mark):
    assert read_lines(write("a.txt", f"a{mark}b\nc\n")) == [f"a{mark}b", "c"]


def test_windows_line_ends_and_a_byte_order_mark_are_removed(write):
    assert read_lines(write("a.txt", "\ufeffone\r\ntwo\r\n")) == ["one", "two"]


def test_a_byte_order_mark_inside_the_file_stays(write):
    assert read_lines(write("a.txt", "one\n\ufefftwo\n")) == ["one", "\ufefftwo"]


def test_a_pair_with_an_empty_side_is_dropped_and_counted(write):
    paths = [write("a.en", "one\n\nthree\nfour\n"), write("a.de", "eins\nzwei\n \nvier\n")]
    assert read_pairs(paths) == Corpus(["one", "four"], ["eins", "vier"], dropped=2)


def test_a_blank_tsv_line_is_dropped_and_counted(write):
    assert read_pairs([write("a.tsv", "one\teins\n\ntwo\t\n")]) == Corpus(["one"], ["eins"], dropped=2)


def test_an_over_long_side_is_dropped_and_counted(write):
    paths = [write("a.en", "12345\n123456\n1\n"), write("a.de", "1\n1\n123456\n")]
    expected = Corpus(["12345"], ["1"], dropped=2)
    assert read_pairs(paths, max_chars=5) == in_lists(open_pairs(paths, max_chars=5)) == expected


def test_pipes_which_end_after_one_reading_are_read_into_memory_but_not_left_in_their_files(write):
    target = write("a.en", "a\nb\n")
    pipe = target.with_name("pipe.de")
    os.mkfifo(pipe)
    with pytest.raises(CorpusError, match=r"pipe\.de is not a file: training reads its pairs more than once"):
        open_pairs([pipe, target])
    writer = threading.Thread(target=pipe.write_text, args=("c\nd\n",))
    writer.start()
    assert read_pairs([pipe, target]) == Corpus(["c", "d"], ["a", "b"])
    writer.join()


@pytest.mark.parametrize("read", [read_pairs, open_pairs])
def test_a_side_may_have_2000_characters_of_any_script(write, read):
    corpus = read([write("a.tsv", f"{'語' * 2000}\t1\n1\t{'語' * 2000}\n1\t{'a' * 2001}\n")])
    assert (len(corpus), corpus.dropped) == (2, 1)


def test_unequal_line_counts_are_refused_with_both_counts(write):
    with pytest.raises(CorpusError, match=r"a\.en has 3 lines but .*a\.de has 2"):
        read_pairs([write("a.en", "1\n2\n3\n"), write("a.de", "1\n2\n")])


def test_bytes_that_are_not_utf8_are_named_by_file_and_line(write):
    with pytest.raises(CorpusError, match=r"a\.en:2: byte 4 of the line is not UTF-8"):
        read_lines(write("a.en", b"gut\n" + "süß\n".encode("latin-1").replace(b"\xfc", "ü".encode())))


@pytest.mark.parametrize("encoding", ["UTF-16", "WINDOWS-1252"])
def test_bytes_that_are_not_utf8_are_refused_with_the_likely_encoding(write, encoding):
    with pytest.raises(CorpusError, match=f"iconv -f {encoding} -t UTF-8"):
        read_lines(write("a.de", "süß\n".encode(encoding)))


@pytest.mark.parametrize("name", ["a.en", "a.en.gz"])
def test_an_empty_file_is_refused(write, name):
    with pytest.raises(CorpusError, match="is empty"):
        read_lines(write(name, ""))


def test_a_missing_file_is_named(tmp_path, write):
    with pytest.raises(CorpusError, match=r"absent\.de does not exist"):
        read_pairs([write("a.en", "1\n"), tmp_path / "absent.de"])


def test_a_missing_relative_file_is_named_with_the_folder_it_was_looked_for_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=f"absent.en does not exist in {tmp_path}"):
        read_lines("absent.en")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="cannot read"):
        read_lines(tmp_path)


@pytest.mark.parametrize(
    "data", [b"plain text", gzip.compress(b"one\ntwo\n" * 99)[:-9]], ids=["plain text", "cut off"]
)
def test_a_broken_gzip_file_is_refused(tmp_path, data):
    (tmp_path / "a.gz").write_bytes(data)
    with pytest.raises(CorpusError, match="not a complete gzip file"):
        read_lines(tmp_path / "a.gz")


@pytest.mark.parametrize("line, columns", [("one", 1), ("one\teins\textra", 3)])
def test_a_tsv_line_without_two_columns_is_named_by_file_and_line(write, line, columns):
    with pytest.raises(CorpusError, match=rf"a\.tsv:2: expected two columns.*found {columns}"):
        read_pairs([write("a.tsv", f"one\teins\n{line}\n")])


def test_pairs_are_no_side_of_a_parallel_text():
    with pytest.raises(
        CorpusError, match=r"b\.tsv has both sides: expected one file of sources and one of targets"
    ):
        read_parallel("a.en", "b.tsv")


@pytest.mark.parametrize("names", [[], ["a.en"], ["a.tsv", "a.en"], ["a.en", "a.de", "a.fr"]])
def test_anything_but_two_text_files_or_one_tsv_is_refused(write, names):
    with pytest.raises(CorpusError, match=r"expected two text files \(source, target\) or one \.tsv"):
        read_pairs([write(name, "x\tx\n") for name in names])


@pytest.mark.parametrize("read", [read_pairs, open_pairs])
def test_files_without_a_usable_pair_are_refused(write, read):
    with pytest.raises(CorpusError, match="no usable pair: all 2"):
        read([write("a.en", "\n\n"), write("a.de", "1\n2\n")])


def test_a_corpus_of_unequal_sides_cannot_be_built():
    with pytest.raises(CorpusError, match="1 source lines but 0 target lines"):
        Corpus(["one"], [])


def test_links_that_are_not_of_all_pairs_are_refused():
    with pytest.raises(CorpusError, match="links of 2 pairs but 1 pairs"):
        Corpus(["one"], ["eins"], links=[set(), set()])


@pytest.mark.parametrize("name", ["a.links", "a.links.gz"])
def test_links_are_read_beside_their_pairs(write, name):
    paths = [write("a.en", "a dog\nno\n"), write("a.de", "ein Hund\nnein nein\n")]
    corpus = read_pairs(paths, links=write(name, "1-1 0-0\n\n"))
    assert corpus == Corpus(["a dog", "no"], ["ein Hund", "nein nein"], links=[{(0, 0), (1, 1)}, set()])


def test_a_pair_without_use_takes_its_links_along(write):
    pairs = write("a.tsv", "a\tein\n\t\nthe dog\tder Hund\n")
    corpus = read_pairs([pairs], links=write("a.links", "0-0\n\n0-0 1-1\n"))
    assert (corpus.links, corpus.dropped) == ([{(0, 0)}, {(0, 0), (1, 1)}], 1)
    kept = keep_usable(["a", "long", "b"], ["x", "y", "z"], max_chars=1, links=[{(0, 0)}, set(), {(0, 0)}])
    assert kept == Corpus(["a", "b"], ["x", "z"], dropped=1, links=[{(0, 0)}, {(0, 0)}])


def test_possible_links_are_left_out(write):
    assert read_links(write("a.links", "0-0 1p1 1p7\n"), ["a b"], ["c d"]) == [{(0, 0)}]


def test_links_of_another_number_of_lines_are_refused(write):
    with pytest.raises(CorpusError, match=r"a\.links has 1 lines but there are 2 pairs"):
        read_links(write("a.links", "0-0\n"), ["a", "b"], ["c", "d"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0-0 2-0", r"link 2-0 is outside its pair, which has 2 source and 1 target words"),
        ("0-1", r"link 0-1 is outside its pair"),
        ("0:0", r"expected source-target links such as 0-0 1-2, .* got '0:0'"),
    ],
)
def test_links_that_cannot_be_are_named_by_file_and_line(write, line, message):
    links = write("a.links", f"0-0\n{line}\n")
    with pytest.raises(CorpusError, match=rf"a\.links:2: {message}"):
        read_links(links, ["a", "b b"], ["c", "d"])


ROWS = ["one\teins", "\tzwei", "three\tdrei", "four\tvier"]


def in_lists(corpus):
    return Corpus(list(corpus.source), list(corpus.target), corpus.dropped)


@pytest.mark.parametrize("layout", ["two files", "a table", "gzipped shards", "shards of tables"])
def test_pairs_left_in_their_files_are_those_that_are_read(write, tmp_path, layout):
    sides = ["".join(row.split("\t")[side] + "\n" for row in ROWS) for side in range(2)]
    if layout == "two files":
        paths = [write("a.en", sides[0]), write("a.de", sides[1])]
    elif layout == "a table":
        paths = [write("a.tsv", "\n".join(ROWS))]
    elif layout == "gzipped shards":
        for n in range(2):
            for language, side in zip(("en", "de"), sides, strict=True):
                write(f"part-{n}.{language}.gz", "".join(side.splitlines(True)[2 * n : 2 * n + 2]))
        paths = [tmp_path / "part-*.en.gz", tmp_path / "part-*.de.gz"]
    else:
        write("part-1.tsv", "\n".join(ROWS[2:])), write("part-0.tsv", "\n".join(ROWS[:2]))
        paths = [tmp_path / "part-?.tsv"]
    expected = Corpus(["one", "three", "four"], ["eins", "drei", "vier"], dropped=1)
    assert read_pairs(paths) == in_lists(open_pairs(paths)) == expected


def test_pairs_left_in_their_files_can_be_read_again_and_side_by_side(write):
    corpus = open_pairs([write("a.tsv", "\n".join(ROWS))])
    assert len(corpus) == len(corpus.source) == 3
    assert list(zip(corpus.source, corpus.target, strict=True)) == [
        ("one", "eins"),
        ("three", "drei"),
        ("four", "vier"),
    ]
    assert list(corpus.source) == list(corpus.source)


def test_a_pattern_that_matches_nothing_is_named(tmp_path):
    with pytest.raises(CorpusError, match=r"no file matches .*part-\*\.tsv"):
        open_pairs([tmp_path / "part-*.tsv"])


def test_sides_of_unequal_numbers_of_files_are_refused(write, tmp_path):
    for name in ("1.en", "2.en", "1.de"):
        write(name, "x\n")
    with pytest.raises(CorpusError, match=r"\*\.en is 2 files but .*\*\.de is 1"):
        open_pairs([tmp_path / "*.en", tmp_path / "*.de"])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(write):
    path = write("a[1].tsv", "one\teins\n")
    assert read_lines(path) == ["one\teins"]
    assert read_pairs([path]) == Corpus(["one"], ["eins"])


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_an_endless_line_is_refused(write, name):
    with pytest.raises(CorpusError, match=r"a\.txt.*:2: a line of more than 1,048,576 bytes"):
        read_lines(write(name, "short\n" + "x" * (MAX_LINE_BYTES + 1)))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_line_may_be_as_long_as_the_limit_its_end_included(write, name, monkeypatch):
    monkeypatch.setattr(line_files, "MAX_LINE_BYTES", 10)
    assert read_lines(write(name, "123456789\n123456789\n")) == ["123456789"] * 2
    with pytest.raises(CorpusError, match=":2: a line of more than 10 bytes"):
        read_lines(write(name, "123456789\n1234567890\n"))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_large_file_is_read_to_its_end(write, name):
    lines = [f"{number} {number**5:x}" for number in range(50_000)]
    assert read_lines(write(name, "\n".join(lines))) == lines


def test_lines_in_bytes_are_those_of_a_file():
    assert decode_lines("\ufeffone\r\n\ntwo\u2028three\n".encode(), "a") == ["one", "", "two\u2028three"]
    assert decode_lines(b"one\ntwo", "a") == ["one", "two"]
    with pytest.raises(CorpusError, match="a:2: byte 3 of the line is not UTF-8"):
        decode_lines(b"one\ntw\xff\n", "a")


def test_lines_of_a_shorter_source_are_counted_too(write):
    with pytest.raises(CorpusError, match=r"a\.en has 1 lines but .*a\.de has 4"):
        read_pairs([write("a.en", "1\n"), write("a.de", "1\n2\n3\n4\n")])
