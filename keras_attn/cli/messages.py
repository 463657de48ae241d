"""What the command says beside its results, one line each, on stderr; and how it writes probabilities.

Messages quote configs, models and file names, which may be a stranger's: what would move a terminal's cursor, change its colours or
turn the direction of its text is replaced.
"""

import math
from collections.abc import Iterable

import click

_LONGEST = 4000  # characters


def error(message: str) -> None:
    """Tells what went wrong."""
    click.echo(f"Error: {one_line(message)}", err=True)


def warning(message: str) -> None:
    """Tells what the user should know and need not do anything about."""
    click.echo(f"Warning: {one_line(message)}", err=True)


def note(message: str) -> None:
    """Tells what may be of use."""
    click.echo(f"Note: {one_line(message)}", err=True)


def one_line(message: str) -> str:
    """The message with single spaces, and U+FFFD for each character that is not printable; of a huge one, its beginning."""
    message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]} ..."
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(message.split()))


def probabilities(words: Iterable[tuple[str, float]]) -> str:
    """Those of words whose log-probabilities are known, in a line."""
    return " ".join(f"{math.exp(log_prob):.4f}" for _, log_prob in words)
