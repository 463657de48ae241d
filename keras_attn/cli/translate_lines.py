"""Blocks of lines to blocks of output, in this process or in several."""

import os
import queue
import signal
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing import active_children, get_context, parent_process
from typing import TYPE_CHECKING, Any

import click

from keras_attn.cli.loading import load_translator
from keras_attn.cli.messages import probabilities

if TYPE_CHECKING:
    from keras_attn.inference.translation import Translation

Block = tuple[int, list[bytes]]  # lines with the number of the first
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how it begins


@dataclass
class LineTranslator:
    """Turns a block of lines into printed output. It can be sent to other processes, and loads its model there.

    Attributes:
        folders: model folders; several are an ensemble.
        engine: see `ENGINES`.
        options: of `Translator.translate`.
        n_best: how many translations to print per line, with number and score; `None`: only the best text.
        word_scores: whether to print the probabilities of words.
        tags: whether the lines are HTML with tags to place.
    """

    folders: tuple[str, ...]
    engine: str
    options: dict[str, Any]
    n_best: int | None
    word_scores: bool
    tags: bool = False
    _translator: Any = field(default=None, init=False, repr=False)

    def load(self) -> None:
        """Loads the model unless it is already loaded; raises what loading raises."""
        if self._translator is None:
            self._translator = self._lite() or load_translator(*self.folders)

    def __call__(self, block: Block) -> str:
        """The lines of output."""
        self.load()
        first, lines = block
        texts = _decoded(lines, first)
        rows: Iterable[str]
        if self.tags:
            from keras_attn.alignment.marks import translate_marked

            rows = translate_marked(self._translator, texts, **self._options(first))
        elif not (self.n_best or self.word_scores):
            rows = self._translator(texts, **self._options(first))
        else:
            rows = _tables(
                self._translator.translate(texts, **self._asked(first)), first, numbered=bool(self.n_best)
            )
        return "".join(f"{row}\n" for row in rows)

    def _asked(self, first: int = 1) -> dict[str, Any]:
        return {**self._options(first), "n_best": self.n_best or 1, "word_scores": self.word_scores}

    def _options(self, first: int) -> dict[str, Any]:
        """For the block that begins with this line: what is drawn depends on the numbers of lines, not on blocks."""
        sampling = self.options.get("sampling")
        return (
            {**self.options, "sampling": replace(sampling, first_row=first - 1)} if sampling else self.options
        )

    def _lite(self) -> Any:
        needs_keras = "an ensemble" if len(self.folders) > 1 else "--tags" if self.tags else None
        if needs_keras:
            if self.engine not in ("auto", "keras"):
                raise click.UsageError(
                    f"--engine {self.engine} cannot do that: {needs_keras} needs --engine keras."
                )
            return None
        from keras_attn.inference.lite_translator import lite_translator

        asked = self._asked()
        return lite_translator(self.folders[0], self.engine, asked.pop("beam_size", None), asked)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_translator": None}


def in_this_process(translate: LineTranslator, blocks: Iterator[Block]) -> Iterator[tuple[int, str]]:
    """Yields the number of lines and the output of each block, in order."""
    for block in blocks:
        yield len(block[1]), translate(block)


def in_processes(
    translate: LineTranslator, blocks: Iterator[Block], workers: int
) -> Iterator[tuple[int, str]]:
    """The same with several processes, each with its own model.

    Raises:
        click.ClickException: one of them was killed from outside.
    """
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_start, initargs=(translate,))
    pending: queue.Queue[tuple[int, Future] | BaseException | None] = queue.Queue(2 * workers)
    threading.Thread(target=_submit, args=(pool, blocks, pending), daemon=True).start()
    done = False
    try:
        while not (done := (each := pending.get()) is None):
            if isinstance(each, BaseException):
                raise each
            count, future = each
            out, messages = future.result()
            for message in messages:
                warnings.warn(message, stacklevel=1)
            yield count, out
    except BrokenProcessPool:
        raise click.ClickException(
            "a worker process was killed, perhaps because memory ran out: use fewer --workers"
        ) from None
    finally:
        for process in () if done else active_children():
            process.kill()  # whatever it is at: an end does not wait for a block
        pool.shutdown(wait=done, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, blocks: Iterator[Block], pending: queue.Queue) -> None:
    """Reads ahead while others translate. It is a thread, so that finished lines are printed before the next line arrives."""
    try:
        for block in blocks:
            pending.put((len(block[1]), pool.submit(_work, block)))
        pending.put(None)
    except BaseException as error:  # for the thread that prints
        pending.put(error)


_translate: LineTranslator | None = None  # of a worker process


def _start(translate: LineTranslator) -> None:
    global _translate
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the first process ends the others
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()
    _translate = translate


def _end_with_the_first_process() -> None:
    """However it ends: a worker that nobody gives work to would keep its output open."""
    parent_process().join()
    os._exit(1)


def _work(block: Block) -> tuple[str, list[str]]:
    """The output, and the warnings for the user."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        out = _translate(block)
    return out, [str(each.message) for each in caught if issubclass(each.category, UserWarning)]


def _decoded(lines: Sequence[bytes], first: int) -> list[str]:
    if first == 1 and lines and lines[0].startswith(_UTF_16):
        raise ValueError("the text is UTF-16: save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8")
    texts = []
    for number, line in enumerate(lines, start=first):
        try:
            texts.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            warnings.warn(f"line {number}: byte {error.start + 1} is not UTF-8; replaced", stacklevel=1)
            texts.append(line.decode("utf-8", errors="replace"))
    return texts


def _tables(translations: Sequence["Translation"], first: int, *, numbered: bool) -> Iterator[str]:
    """Columns: line number and score if `numbered`, the text, and the probabilities of its words if known."""
    for number, best in enumerate(translations, start=first):
        for translation in (best, *best.alternatives):
            columns = [f"{number}", f"{translation.score:.4f}"] if numbered else []
            columns.append(translation.text)
            if translation.words:
                columns.append(probabilities(translation.words))
            yield "\t".join(columns)
