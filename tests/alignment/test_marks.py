"""Tags of the source in the translation."""

import random
import re

import numpy as np
import pytest

from keras_attn.alignment.marks import parse, placed, translate_marked
from keras_attn.inference.translation import Translation
from keras_attn.inference.translator import Translator

TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>")


@pytest.mark.parametrize(
    ("line", "translation", "links", "expected"),
    [
        ("the <b>big</b> dog", "le chien grand", "0-0 1-2 2-1", "le chien <b>grand</b>"),
        ("the <b>big dog</b> sleeps", "le chien grand dort", "0-0 1-2 2-1 3-3", "le <b>chien grand</b> dort"),
        # Words of others between an element's own: the larger stretch.
        ("<i>a b c</i> d e", "v w x y z", "0-0 3-1 4-2 1-3 2-4", "v w x <i>y z</i>"),
        # Nested, and one that holds the whole line.
        ("<p><b>a <i>b</i></b> c</p>", "x y z", "0-0 1-1 2-2", "<p><b>x <i>y</i></b> z</p>"),
        ("<p>a b</p>", "v x y z", "0-1 1-2", "<p>v x y z</p>"),
        # Elements that change places.
        ("<b>a</b> <i>b</i>", "y x", "0-1 1-0", "<i>y</i> <b>x</b>"),
        # Nothing attends to it.
        ("a <b>b</b> c", "x z", "0-0 2-1", "x <b></b> z"),
        # Single tags.
        ("a b<br>c", "x y z", "0-0 1-1 2-2", "x y<br>z"),
        ("a <br/> b", "x y", "0-0 1-1", "x <br/> y"),
        ("a <img src='b c'> b", "y x", "0-1 1-0", "<img src='b c'> y x"),
        ("a <!-- no <b> --> b", "x y", "0-0 1-1", "x <!-- no <b> --> y"),
        (
            "<!DOCTYPE html> a <?xml version='1.0'?> b",
            "x y",
            "0-0 1-1",
            "<!DOCTYPE html> x <?xml version='1.0'?> y",
        ),
        ('a <i title="b > <c">d</i>', "y x", "0-1 1-0", '<i title="b > <c">y</i> x'),
        ("a <img alt='b > c'> d", "x y", "0-0 1-1", "x <img alt='b > c'> y"),
        ("a <i it's>b</i> <i it's>c</i>", "x y z", "0-0 1-1 2-2", "x <i it's>y</i> <i it's>z</i>"),
        ("a <i title='>b</i>", "x y", "0-0 1-1", "x <i title='>y</i>"),
        ("<b>a</b> c <!-- no <b>", "x y", "0-0 1-1", "<b>x</b> y <!-- no <b>"),
        # Without counterpart, or crossed: the one that closes first is the element.
        ("a <b> b", "x y", "0-0 1-1", "x <b> y"),
        ("a </b> b", "x y", "0-0 1-1", "x </b> y"),
        ("<b>a <i>b</b> c</i>", "x y z", "0-0 1-1 2-2", "<b>x <i>y</b> z</i>"),
        # Marks of punctuation, and tags within a word.
        ("the <b>dog</b>.", "le chien.", "0-0 1-1", "le <b>chien</b>."),
        ("the <a><b>dog</b></a>!", "le chien !", "0-0 1-1", "le <a><b>chien</b></a> !"),
        ("the <a><b>dog</b></a>!", "el perro!", "0-0 1-1", "el <a><b>perro</b></a>!"),
        ('"<b>the dog</b>" sleeps', '"le chien" dort', "0-0 1-1 2-2", '"<b>le chien</b>" dort'),
        ('"<a><b>dog</b></a>" sleeps', "«chien» dort", "0-0 1-1", "«<a><b>chien</b></a>» dort"),
        ("¿<b>quién</b> es?", "who is it?", "0-0 1-1", "<b>who</b> is it?"),
        ('"<br>dog', '"chien', "0-0", '"chien<br>'),
        ("<b>un</b>known", "inconnu", "0-0", "<b>inconnu</b>"),
        ("un<b>known</b> dog", "chien inconnu", "0-1 1-0", "chien <b>inconnu</b>"),
        ("a<b>b c</b>d e", "x y z", "0-0 1-1 2-2", "<b>x y</b> z"),
        # Capitals do not count.
        ("the <B>big</b> dog", "le chien grand", "0-0 1-2 2-1", "le chien <B>grand</b>"),
        # No tag.
        ("2 < 3 and 4>3", "2 < 3 et 4>3", "0-0", "2 &lt; 3 et 4&gt;3"),
        ("a <b c", "x <b y", "0-0 1-1 2-2", "x &lt;b y"),
        # Characters that HTML writes as references.
        ("<b>Tom &amp; Mary</b>", "Tom & Mary", "0-0 1-1 2-2", "<b>Tom &amp; Mary</b>"),
        ("&lt;b&gt; <b>a</b>", "<b> x", "0-0 1-1", "&lt;b&gt; <b>x</b>"),
        ("<b>AT&amp;T</b>.", "AT&T.", "0-0", "<b>AT&amp;T</b>."),
        ("<b>a</b>&gt;", "x>", "0-0", "<b>x</b>&gt;"),
        ("<b></b>", "", "", "<b></b>"),
    ],
)
def test_tags_stand_where_their_words_are(line, translation, links, expected):
    alignment = {tuple(map(int, link.split("-"))) for link in links.split()}
    assert placed(parse(line), translation, alignment=alignment) == expected


def test_the_text_is_translated_as_it_was_asked_for(translator):
    asked = []

    class Asked:
        class model:
            has_attention = True

        source_tokenizer = translator.source_tokenizer

        def translate(self, *arguments, **options):
            asked.append((*arguments, options))
            return [Translation("", "one two"), Translation("", "")]

    options = {"prefix": "un", "min_length": 3}
    assert translate_marked(Asked(), ["<b>a</b>", "<br>"], 4, **options) == ["<b>one two</b>", "<br>"]
    assert asked == [(["a", ""], 4, options)]


def test_text_is_what_is_left_without_tags():
    assert parse("<p>one</p><p>t<b>w</b>o<br>three</p>").text.split() == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("I don&#39;t like the <b>dog</b>.", "I don't like the dog."),
        ("<i>&quot;Tom &amp; Mary&quot;</i>", '"Tom & Mary"'),
        ("&lt;b&gt; is no tag", "<b> is no tag"),
        ("&amp;<b>lt;</b>", "&lt;"),  # decoded once
        ("a&nbsp;<br>b", "a\xa0b"),  # the line break needs no other space
    ],
)
def test_text_is_read_as_html(line, text):
    assert parse(line).text == text


class Parrot:
    """Says every line again, and each sub-word attends to itself."""

    class model:
        has_attention = True

    def __init__(self, tokenizer):
        self.source_tokenizer = self.target_tokenizer = tokenizer

    def translate(self, lines, beam_size=None):
        rows = self.source_tokenizer.encode(lines)
        texts = self.source_tokenizer.decode(rows)
        return [
            Translation(line, text, source_ids=ids, target_ids=ids, weights=np.eye(len(ids)))
            for line, text, ids in zip(lines, texts, rows, strict=True)
        ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("the<feff>cat<200b>the<200e><b>dog</b>", "the cat the <b>dog</b>"),
        ("the<200b><b>big<200b>dog</b><200b>cat", "the <b>big dog</b> cat"),
        ("&#8203;the&#8203;cat the&zwnj;<b>dog</b>", "the cat the <b>dog</b>"),
        # Control characters are removed, though Python takes some of them for spaces.
        ("the ca<1c>t the <b>dog</b>", "the cat the <b>dog</b>"),
        ("the <1> cat <2> the <b>dog</b>", "the cat the <b>dog</b>"),
    ],
)
def test_tags_stand_where_the_tokenizer_sees_their_words(translator, line, expected):
    line = re.sub("<([0-9a-f]+)>", lambda code: chr(int(code[1], 16)), line.replace("<b>", "[b]"))
    parrot = Parrot(translator.source_tokenizer)
    assert translate_marked(parrot, [line.replace("[b]", "<b>")]) == [expected]


def lines_with_tags(words, count):
    """Elements around any words, nested or crossed, and single tags."""
    draw = random.Random(5)
    for _ in range(count):
        pieces = draw.choices(words, k=draw.randint(0, 8))
        for number in range(draw.randint(0, 4)):
            name = draw.choice(["b", "i", "a", "p", "span", "br", "div"])
            tags = draw.choice(
                ([f"<{name} n='{number}'>", f"</{name}>"], [f"<{name}/>"], [f"</{name}>"], [f"<{name}>"])
            )
            places = sorted(draw.choices(range(len(pieces) + 1), k=len(tags)))
            for shift, (place, tag) in enumerate(zip(places, tags, strict=True)):
                pieces.insert(place + shift, tag)
        yield draw.choice([" ", ""]).join(pieces) if draw.random() < 0.2 else " ".join(pieces)


def test_no_tag_is_lost_and_no_word(translator, source_lines):
    lines = list(lines_with_tags(" ".join(source_lines).split(), 150))
    found = translate_marked(translator, lines, beam_size=1)
    plain = translator([parse(line).text for line in lines], beam_size=1)
    for line, text, without in zip(lines, found, plain, strict=True):
        assert sorted(TAG.findall(text)) == sorted(TAG.findall(line))
        assert TAG.sub("", text).replace(" ", "") == without.replace(" ", "")


def test_elements_stay_nested(translator, source_lines):
    draw = random.Random(6)
    lines = []
    for words in (line.split() for line in source_lines[:60]):
        cuts = sorted(draw.choices(range(len(words) + 1), k=4))
        a, b, c, d = cuts
        inner = [*words[a:b], "<i>", *words[b:c], "</i>", *words[c:d]]
        lines.append(" ".join([*words[:a], "<b>", *inner, "</b>", *words[d:]]))
    for text in translate_marked(translator, lines, beam_size=1):
        assert re.fullmatch(r"[^<>]*<b>[^<>]*<i>[^<>]*</i>[^<>]*</b>[^<>]*", text)


def test_a_model_without_attention_is_refused(attentionless_trained):
    with pytest.raises(ValueError, match="no attention"):
        translate_marked(Translator.from_trained(attentionless_trained), ["<b>a</b>"])


def test_tags_that_lie_very_deep_stay(translator):
    line = "<b>" * 1000 + "the cat" + "</b>" * 1000
    (found,) = translate_marked(translator, [line], beam_size=1)
    assert sorted(TAG.findall(found)) == sorted(TAG.findall(line))


def test_a_reference_to_no_character_stays_as_it_is():
    assert parse("a &amp; b <i>&#" + "9" * 5000 + ";</i>").text.endswith("&#" + "9" * 5000 + ";")


def test_a_script_and_a_style_sheet_stay_as_they_are(translator):
    line = "<style>b {color: red}</style>the <b>cat</b><SCRIPT>if (a < b) say('the dog')</SCRIPT>"
    (found,) = translate_marked(translator, [line], beam_size=1)
    assert parse(line).text.split() == ["the", "cat"]
    assert "<style>b {color: red}</style>" in found and "<SCRIPT>if (a < b) say('the dog')</SCRIPT>" in found
