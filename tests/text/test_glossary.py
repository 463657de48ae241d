import pytest

from keras_attn.text.corpus import CorpusError
from keras_attn.text.glossary import Glossary


def translations(glossary, line):
    return [found.translation for found in glossary.occurrences(line)]


TERMS = {"dog": "perro", "big dog": "perrazo", "e.g.": "p. ej.", "C++": "C++"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a dog", ["perro"]),
        ("the dog and the dog.", ["perro", "perro"]),
        ("a big dog, not a dog", ["perrazo", "perro"]),  # the longer one, and no word twice
        ("dogs, hotdog, dog_house", []),  # whole words
        ("Dog", []),  # as it is written
        ("dogñ édog dog2", []),  # letters of any language, and digits, go on with a word
        ("cats, e.g. a dog in C++!", ["p. ej.", "perro", "C++"]),
        ("", []),
    ],
)
def test_terms_are_found_as_whole_words(line, expected):
    assert translations(Glossary(TERMS), line) == expected


def test_of_terms_that_begin_at_the_same_word_the_longer_one_counts():
    cities = Glossary(
        {"York": "York", "New": "nuevo", "New York": "Nueva York", "New York City": "la ciudad"}
    )
    assert translations(cities, "New York, New York City, a New one") == ["Nueva York", "la ciudad", "nuevo"]


def test_of_terms_that_overlap_the_longer_one_counts_even_if_it_begins_later():
    terms = Glossary({"a red": "uno rojo", "red dog house": "perrera roja", "house": "casa"})
    assert translations(terms, "a red dog house and a red house") == ["perrera roja", "uno rojo", "casa"]


def test_a_term_counts_beside_an_overlapping_longer_one_even_if_a_third_begins_with_it():
    terms = Glossary({"a b c": "X", "b c d e": "Y", "a": "Z"})
    assert translations(terms, "a b c d e") == ["Z", "Y"]
    assert translations(terms, "a b c, ab c d e, a b") == ["X", "Z"]


def test_combining_marks_go_on_with_a_word():
    assert translations(Glossary({"दिन": "day"}), "दिनों, दिन") == ["day"]
    assert translations(Glossary({"नों": "X"}), "दिनों") == []
    assert translations(Glossary({"x": "X"}), "x\u0301 x") == ["X"]  # there is no one character for it


@pytest.mark.parametrize(
    "line", ["New York caf\u00e9", "New\u00a0York  cafe\u0301", " New\tYork\u3000caf\u00e9"]
)
@pytest.mark.parametrize("term", ["New York", "New  York"])
def test_spaces_and_accents_may_be_written_in_other_ways(line, term):
    assert translations(Glossary({term: "Nueva York", "cafe\u0301": "cafetería"}), line) == [
        "Nueva York",
        "cafetería",
    ]


def test_no_terms_are_found_by_an_empty_glossary():
    assert translations(Glossary({}), "a dog") == []


def test_a_file_has_two_columns(tmp_path):
    (tmp_path / "terms.tsv").write_text("dog\tperro\n\nbig house\tcasa grande\n")
    assert Glossary.read(tmp_path / "terms.tsv").terms == {"dog": "perro", "big house": "casa grande"}


@pytest.mark.parametrize("line", ["dog", "dog\t", "dog\tperro\tcan"])
def test_a_line_of_other_columns_is_named(tmp_path, line):
    (tmp_path / "terms.tsv").write_text(f"a\tb\n{line}\n")
    with pytest.raises(CorpusError, match=r"terms.tsv, line 2: expected a term, a tab and its translation"):
        Glossary.read(tmp_path / "terms.tsv")
    (tmp_path / "terms.tsv").write_text(f"\na\tb\n \n{line}\n")
    with pytest.raises(CorpusError, match=r"terms.tsv, line 4: "):
        Glossary.read(tmp_path / "terms.tsv")


@pytest.mark.parametrize("translation", [" ", 3, None])
def test_a_term_without_translation_is_refused(translation):
    with pytest.raises(
        ValueError, match=f"a term and its translation as text; got 'dog' and {translation!r}"
    ):
        Glossary({"dog": translation})


def test_a_term_with_two_translations_is_refused_and_one_that_stands_twice_is_not(tmp_path):
    (tmp_path / "terms.tsv").write_text("dog\tperro\ncat\tgato\n dog\tcan\n")
    with pytest.raises(CorpusError, match=r"line 3: 'dog' already has the translation 'perro'"):
        Glossary.read(tmp_path / "terms.tsv")
    with pytest.raises(ValueError, match="one translation of ' dog'; got 'perro' and 'can'"):
        Glossary({"dog": "perro", " dog": "can"})
    (tmp_path / "terms.tsv").write_text("dog\tperro\n dog\tperro \n")
    assert Glossary.read(tmp_path / "terms.tsv").terms == {"dog": "perro"}


@pytest.mark.parametrize("terms", [[("dog", "perro")], "terms.tsv"])
def test_what_is_no_mapping_is_refused_as_a_glossary(terms):
    with pytest.raises(ValueError, match=r"must be a mapping .* Received: .* Glossary\.read"):
        Glossary(terms)


def test_spaces_around_a_term_and_its_translation_do_not_count():
    assert translations(Glossary({" dog ": " perro "}), "a dog.") == ["perro"]
