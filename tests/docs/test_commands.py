"""Every `keras-attn` line of the README, the pages and the cards is one that the command line understands, run or not."""

import re
import shlex

import click
import pytest
from blocks import PAGES, ROOT, blocks

from keras_attn.cli.main import main

CARDS = sorted((ROOT / "saved_models").rglob("README.md"))
WITH_COMMANDS = [ROOT / "README.md", ROOT / "export" / "README.md", *CARDS, *PAGES]


def calls(code):
    """The arguments of each call of `keras-attn` in shell code."""
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r"[|;]|&&", line):
            words = shlex.split(re.sub(r"[<>] *\S+", "", part), comments=True)
            if words and words[0].endswith("keras-attn"):
                yield words[1:]


def check(arguments):
    """Raises click.UsageError at an option that a command does not have, or at more or fewer arguments than it takes."""
    name, *rest = arguments
    command = main.commands[name]
    context = click.Context(command)
    _, left, _ = command.make_parser(context).parse_args(rest)
    if left:
        context.fail(f"{arguments} has {left} left over")


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_command_line_understands_what_a_page_shows(page):
    for block in blocks(page):
        if block.language in ("", "shell", "text"):
            for arguments in calls(block.code):
                check(arguments)


@pytest.mark.parametrize(
    "line",
    [
        "keras-attn distill my.toml runs/mine --student model.embedding_dim=192 model.decoder_units=384",
        "keras-attn translate --beam 5 tatoeba-en-es",
        "echo text | keras-attn evaluate runs/mine --splitt test",
    ],
)
def test_what_the_command_line_does_not_know_is_noticed(line):
    (arguments,) = calls(line)
    with pytest.raises(click.UsageError):
        check(arguments)
