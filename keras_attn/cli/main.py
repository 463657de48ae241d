"""`keras-attn`: every command parses, calls one function and prints.

Results go to stdout, progress and warnings to stderr. A user's mistake is one line on stderr and exit code 2.
"""

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from keras_attn.cli import messages
from keras_attn.cli.align import align
from keras_attn.cli.demo import demo
from keras_attn.cli.distill import distill
from keras_attn.cli.evaluate import evaluate
from keras_attn.cli.export import export
from keras_attn.cli.pack import pack
from keras_attn.cli.score import score
from keras_attn.cli.train import train
from keras_attn.cli.translate import translate

USAGE_ERROR, INTERRUPTED = 2, 130


class CommandLine(click.Group):
    """A group that reports a user's mistake in one line, and any other exception with its traceback."""

    def main(self, *args: Any, standalone_mode: bool = True, **kwargs: Any) -> NoReturn:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # what goes wrong comes as an exception, too
        with warnings.catch_warnings(), _orderly_end():
            warnings.simplefilter("always", UserWarning)  # each is about another line
            warnings.showwarning = _show_warning
            try:
                code = super().main(*args, standalone_mode=False, **kwargs)
            except click.Abort:
                code = INTERRUPTED
            except click.UsageError as error:
                code = _fail(f"{error.format_message()}{_where_to_look(error)}")
            except click.ClickException as error:
                code = _fail(error.format_message())
            except OSError as error:
                code = _fail(
                    f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
                )
            except ValueError as error:
                code = _fail(str(error))
            except Exception as error:
                if not _is_out_of_memory(error):
                    raise
                code = _fail("not enough memory: use a smaller model, batch or beam")
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which they are used


@click.group(
    "keras-attn",
    cls=CommandLine,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="keras-attn")
def main() -> None:
    """Trains translation models with attention, translates with them and exports them.

    A model is a folder that `train` made, or the name of one that comes with the package, such as tatoeba-en-es.

    \b
    Example:
      echo "Where is my book?" | keras-attn translate tatoeba-en-es
      keras-attn train my.toml runs/mine
      echo "Where is my book?" | keras-attn translate runs/mine
    """


for command in (train, distill, translate, score, evaluate, align, export, pack, demo):
    main.add_command(command)


@contextmanager
def _orderly_end() -> Iterator[None]:
    """Raises an exception, so that everything is cleaned up, when the process gets SIGTERM or its terminal closes (SIGHUP)."""

    def end(number: int, _: Any) -> NoReturn:
        sys.exit(128 + number)

    deadly = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL]
    for each in deadly:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in deadly:
            signal.signal(each, signal.SIG_DFL)


def _fail(message: str) -> int:
    messages.error(message)
    return USAGE_ERROR


def _is_out_of_memory(error: Exception) -> bool:
    """Python's error, or a backend's, which is recognised by its name, or by JAX's message: no backend may be imported."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ in ("ResourceExhaustedError", "OutOfMemoryError")
        or str(error).startswith("RESOURCE_EXHAUSTED")
    )


def _where_to_look(error: click.UsageError) -> str:
    return f" See '{error.ctx.command_path} --help'." if error.ctx else ""


def _show_warning(message: Warning | str, *_: Any) -> None:
    messages.warning(str(message))
