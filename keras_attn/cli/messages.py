"""Messages of the command, one line each on stderr, and how it writes probabilities.

Messages quote configs, models and file names, which may be untrusted. So characters that would move the terminal's cursor, change
its colours or reverse the direction of its text are replaced.
"""

import math
from collections.abc import Iterable

import click

_LONGEST = 4000  # characters


def error(message: str) -> None:
    """Reports an error."""
    click.echo(f"Error: {one_line(message)}", err=True)


def warning(message: str) -> None:
    """Reports something that the user should know but need not act on."""
    click.echo(f"Warning: {one_line(message)}", err=True)


def note(message: str) -> None:
    """Gives advice."""
    click.echo(f"Note: {one_line(message)}", err=True)


def one_line(message: str) -> str:
    """The message with single spaces, U+FFFD for each unprintable character, and only the beginning if it is huge."""
    message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]} ..."
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(message.split()))


def probabilities(words: Iterable[tuple[str, float]]) -> str:
    """The probabilities of words with known log-probabilities, on one line."""
    return " ".join(f"{math.exp(log_prob):.4f}" for _, log_prob in words)
