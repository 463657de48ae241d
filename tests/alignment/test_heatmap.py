import sys
import warnings

import numpy as np
import pytest

from keras_attn.alignment.heatmap import draw_heatmap
from keras_attn.alignment.word_alignment import word_weights


def pixels(path):
    """Brightness from 0 to 1, [height, width]."""
    from matplotlib.image import imread

    return imread(path)[..., :3].mean(axis=-1)


def cell_brightness(path, rows, columns):
    """The brightness in the middle of each cell of a picture without labels, from its frame inwards."""
    picture = pixels(path)
    dark_rows, dark_columns = (
        np.nonzero((picture < 0.1).any(axis=1))[0],
        np.nonzero((picture < 0.1).any(axis=0))[0],
    )
    ys = np.linspace(dark_rows[0], dark_rows[-1], 2 * rows + 1)[1::2].astype(int)
    xs = np.linspace(dark_columns[0], dark_columns[-1], 2 * columns + 1)[1::2].astype(int)
    return picture[np.ix_(ys, xs)]


def test_a_png_is_a_png(tmp_path):
    draw_heatmap(np.eye(2), ["a", "b"], ["c", "d"], tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_an_svg_keeps_its_words_as_text(tmp_path):
    draw_heatmap(np.eye(2), ["Käse", "你好"], ["c", "$5_x$"], tmp_path / "map.SVG")
    svg = (tmp_path / "map.SVG").read_text(encoding="utf-8")
    assert "<svg" in svg and all(f">{word}</text>" in svg for word in ("Käse", "你好", "c", "$5_x$"))


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 3), (1, 2), (2, 0), (2, 3)])
def test_the_brightest_cell_is_where_the_weight_is(tmp_path, row, column):
    weights = np.zeros((3, 4))
    weights[row, column] = 1
    draw_heatmap(weights, [""] * 4, [""] * 3, tmp_path / "map.png")
    np.testing.assert_allclose(cell_brightness(tmp_path / "map.png", 3, 4), weights, atol=0.01)


def test_grey_goes_from_zero_to_one_whatever_the_largest_weight(tmp_path):
    weights = np.array([[0.0, 0.25, 0.5]])
    draw_heatmap(weights, [""] * 3, [""], tmp_path / "map.png")
    np.testing.assert_allclose(cell_brightness(tmp_path / "map.png", 1, 3), weights, atol=0.01)


def test_source_labels_are_above_and_target_labels_to_the_left(tmp_path):
    def ink(source_words, target_words):
        draw_heatmap(np.zeros((2, 2)), source_words, target_words, tmp_path / "map.png")
        return pixels(tmp_path / "map.png").shape

    bare_height, bare_width = ink(["", ""], ["", ""])
    source_height, _ = ink(["Wort", "Wort"], ["", ""])
    target_height, target_width = ink(["", ""], ["Wort", "Wort"])
    assert source_height > bare_height + 20
    assert target_height == bare_height and target_width > bare_width + 20


@pytest.mark.parametrize(
    "word", ["$", "$x", "$\\frac$", "a_b^c", "你好", "😀", "שלום", "\ue000", "<&>", "{}%#"]
)
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_any_word_can_be_drawn_without_a_warning(tmp_path, word, suffix):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_heatmap(np.ones((1, 1)), [word], [word], tmp_path / f"map.{suffix}")
    assert (tmp_path / f"map.{suffix}").stat().st_size > 0


def test_the_picture_grows_with_the_sentence_up_to_a_limit(tmp_path):
    widths = []
    for length in (5, 20, 100, 400):
        draw_heatmap(np.zeros((2, length)), [""] * length, ["", ""], tmp_path / "map.png")
        widths.append(pixels(tmp_path / "map.png").shape[1])
    assert widths[0] < widths[1] < widths[2] and widths[3] <= widths[2] + 10


def test_a_very_long_word_is_shortened(tmp_path):
    draw_heatmap(np.ones((1, 2)), ["a", "y" * 30], ["x" * 10_000], tmp_path / "map.svg")
    svg = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert f">{'x' * 29}…</text>" in svg and f">{'y' * 30}</text>" in svg


def test_joined_words_can_be_drawn_as_they_come(tmp_path):
    joined = word_weights(np.ones((2, 2)) / 2, ["▁a", "b"], ["▁c", "</s>"])
    draw_heatmap(*joined, tmp_path / "map.png")
    assert (tmp_path / "map.png").exists()


@pytest.mark.parametrize("name", ["map.pdf", "map", "map.jpeg"])
def test_other_suffixes_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=rf"\.png or \.svg file; got '{name}'"):
        draw_heatmap(np.eye(1), ["a"], ["b"], tmp_path / name)


def test_weights_that_do_not_fit_the_words_are_refused_with_both_shapes(tmp_path):
    with pytest.raises(ValueError, match=r"\(1, 2\).*got \(2, 1\)"):
        draw_heatmap(np.ones((2, 1)), ["a", "b"], ["c"], tmp_path / "map.png")


def test_a_side_without_words_is_refused(tmp_path):
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_heatmap(np.ones((0, 1)), ["a"], [], tmp_path / "map.png")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"pictures to write map\.png into"):
        draw_heatmap(np.eye(1), ["a"], ["b"], tmp_path / "pictures" / "map.png")


def test_a_failure_leaves_the_old_picture_and_nothing_beside_it(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    path = tmp_path / "map.png"
    draw_heatmap(np.eye(1), ["a"], ["b"], path)
    before = path.read_bytes()

    def full_disk(figure, file, **options):
        file.write_bytes(b"half a picture")
        raise OSError("no space left on device")

    monkeypatch.setattr(Figure, "savefig", full_disk)
    with pytest.raises(OSError, match="no space left"):
        draw_heatmap(np.zeros((1, 1)), ["a"], ["b"], path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_drawing_leaves_pyplot_alone(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    draw_heatmap(np.eye(1), ["a"], ["b"], tmp_path / "map.png")
    assert "matplotlib.pyplot" not in sys.modules
