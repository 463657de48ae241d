"""Pictures of attention weights, as in figure 3 of Bahdanau et al. 2015."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from keras_attn.files import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL_INCHES = 0.36
LONGEST_SIDE_INCHES = 12.0  # size of the cells; beyond 33 words they shrink instead
LONGEST_LABEL = 30  # characters
# For characters missing from DejaVu Sans, matplotlib's default font: those of these fonts that are installed.
FALLBACK_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Hiragino Sans", "PingFang SC", "Noto Emoji")


def draw_heatmap(
    weights: np.ndarray, source_words: Sequence[str], target_words: Sequence[str], path: str | Path
) -> None:
    """Draws weights from 0 (black) to 1 (white): the source along the top, the target down the side.

    The picture grows with the sentence up to a limit; then its cells shrink. An existing file is replaced only by a complete
    picture.

    Args:
        weights: float [target words, source words].
        source_words: the columns' labels.
        target_words: the rows' labels.
        path: the file to write, `.png` or `.svg`.

    Raises:
        ValueError: another suffix, a side without words, or a wrong shape of `weights`.
        FileNotFoundError: the folder does not exist.
        OSError: the picture cannot be written; an old one stays.
    """
    path, weights = check_picture(path), np.asarray(weights, dtype=float)
    if not (len(source_words) and len(target_words)):
        raise ValueError("nothing to draw: expected at least one source word and one target word")
    if weights.shape != (len(target_words), len(source_words)):
        raise ValueError(
            f"expected weights of shape ({len(target_words)}, {len(source_words)}), one row per target word "
            f"and one column per source word; got {weights.shape}"
        )
    _write(_figure(weights, source_words, target_words), path)


def check_picture(path: str | Path) -> Path:
    """Returns the path if a picture can be written there.

    Raises:
        ValueError: the suffix is neither `.png` nor `.svg`.
        FileNotFoundError: the folder does not exist.
    """
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg"):
        raise ValueError(f"a heat map must be a .png or .svg file; got {path.name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to write {path.name} into")
    return path


def _figure(weights: np.ndarray, source_words: Sequence[str], target_words: Sequence[str]) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    cell = min(CELL_INCHES, LONGEST_SIDE_INCHES / max(weights.shape))
    rows, columns = weights.shape
    figure = Figure(figsize=(columns * cell, rows * cell))  # the labels are outside and are added on saving
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(weights, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="none")
    # parse_math: a word may contain dollar signs.
    label = {"family": _fonts(), "fontsize": max(4.0, cell * 72 * 0.5), "parse_math": False}
    axes.xaxis.tick_top()
    slanted = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(columns), _shortened(source_words), **label, **slanted)
    axes.set_yticks(range(rows), _shortened(target_words), **label)
    axes.set_xticks(np.arange(1, columns) - 0.5, minor=True)  # faint lines between the cells guide the eye
    axes.set_yticks(np.arange(1, rows) - 0.5, minor=True)
    axes.grid(which="minor", color="0.25", linewidth=0.5)
    axes.tick_params(which="both", length=0, pad=4)
    return figure


def _write(figure: "Figure", path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():  # none: text stays text
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # drawn as a box
        with new_file(path) as part:
            figure.savefig(
                part, format=path.suffix[1:].lower(), dpi=200, bbox_inches="tight", pad_inches=0.08
            )


def _fonts() -> list[str]:
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    return ["DejaVu Sans", *(font for font in FALLBACK_FONTS if font in installed), "sans-serif"]


def _shortened(words: Sequence[str]) -> list[str]:
    return [word if len(word) <= LONGEST_LABEL else word[: LONGEST_LABEL - 1] + "…" for word in words]
