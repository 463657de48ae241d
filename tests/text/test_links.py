import pytest

from keras_attn.text.links import format_pharaoh, parse_links


def test_pharaoh_lines_are_sorted_by_number_and_not_by_text():
    assert format_pharaoh({(10, 0), (2, 3), (2, 1)}) == "2-1 2-3 10-0"


def test_sure_and_possible_links_are_told_apart():
    assert parse_links("0-0 1p2 2-1") == ({(0, 0), (2, 1)}, {(1, 2)})


def test_an_empty_line_has_no_links():
    assert parse_links("") == (set(), set())


def test_words_may_be_counted_from_one():
    assert parse_links("1-1 2p10", first=1) == ({(0, 0)}, {(1, 9)})
    with pytest.raises(ValueError, match="words are counted from 1; got '0-1'"):
        parse_links("0-1", first=1)


@pytest.mark.parametrize("wrong", ["1:2", "1", "-1-2", "1-2-3", "a-b", "1-", "1q2"])
def test_another_format_is_refused(wrong):
    with pytest.raises(ValueError, match=f"expected source-target links .* got '{wrong}'"):
        parse_links(f"0-0 {wrong}")
