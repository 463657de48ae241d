"""What words mean, counted in pairs."""

import subprocess
import sys

from keras_attn.data.lexicon import lexicon


def test_words_that_stand_in_the_same_pairs_translate_each_other():
    pairs = [("a house", "la casa")] * 10 + [("a dog", "un perro")] * 10
    assert lexicon(pairs) == {"house": "casa", "dog": "perro"}  # words of one or two letters do not count


def test_nine_pairs_are_too_few():
    pairs = [("a house", "la casa")] * 9 + [("a dog", "un perro")] * 10
    assert lexicon(pairs) == {"dog": "perro"}


def test_a_form_that_always_has_one_translation_is_known_though_others_have_it_too():
    forms = {"rojo": 14, "roja": 13, "rojos": 12, "rojas": 11}
    pairs = [(form, "red") for form, count in forms.items() for _ in range(count)]
    assert lexicon(pairs) == dict.fromkeys(forms, "red")
    # Dice of "red" and "rojo" is 2 * 14 / (50 + 14) = 0.44, and without "rojo" that of "red" and "roja" 2 * 13 / (36 + 13) = 0.53.
    assert lexicon([(red, form) for form, red in pairs]) == {"red": "rojo"}
    others = [("red", form) for form in ("rosa", "rosas") for _ in range(13)]
    # Now that of "red" and "rojo" is 2 * 14 / (76 + 14) = 0.31, in 18 % of its pairs.
    assert lexicon([*others, *((red, form) for form, red in pairs)]) == {}


def test_words_that_are_always_together_cannot_be_told_apart():
    pairs = [("San Francisco", "Frisco")] * 10 + [("tea", "herbal infusion")] * 10
    assert lexicon(pairs) == {}


def test_words_are_written_as_inside_of_sentences():
    pairs = [("House", "Haus")] * 6 + [("a house", "ein Haus")] * 5 + [("in Rome", "in Rom")] * 10
    assert lexicon(pairs) == {"house": "Haus", "Rome": "Rom"}


def test_parts_of_contractions_and_long_sentences_do_not_count():
    assert lexicon([("Don't ask.", "Frag!")] * 10) == {"ask": "frag"}
    assert lexicon([("ask " * 15, "Frag!")] * 10) == {"ask": "frag"}
    assert lexicon([("ask " * 16, "Frag!")] * 10) == {}


def test_every_process_finds_the_same_in_the_same_order():
    code = """
from keras_attn.data.lexicon import lexicon
words = [f"{a}{b}{c}" for a in "abcd" for b in "efgh" for c in "ijkl"]
pairs = [(" ".join(words[i : i + 5]), " ".join(words[i : i + 2]).upper()) for i in range(60)] * 10
print(list(lexicon(pairs).items()))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1 and b"aei" in printed.pop()
