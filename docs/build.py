"""Builds the documentation site, strictly: a link that leads nowhere or a name that is not there is an error.

The pages keep the places that they have in the repository, so that a link works on the site and in the files alike, from the README
to an experiment in `benchmarks/log`. `make docs` calls this: `python docs/build.py build/docs`.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from keras_attn.cli.main import main as command_line

ROOT = Path(__file__).resolve().parents[1]
# What is a page, or what pages link to.
SHOWN = (
    "*.md",
    "LICENSE",
    "NOTICE",
    "docs/**/*",
    "benchmarks/**/*",
    "configs/*",
    "export/**/*",
    "notebooks/*.ipynb",
)
CARDS = ("saved_models/README.md", "saved_models/*/README.md")
LEFT_OUT = {"node_modules", "__pycache__", "build.py", "zensical.toml", "build", "src", ".ipynb_checkpoints"}


def shown() -> Iterator[Path]:
    for pattern in (*SHOWN, *CARDS):
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and not LEFT_OUT & set(path.relative_to(ROOT).parts):
                yield path


def described(name: str, command: click.Command, parent: click.Context | None = None) -> Iterator[str]:
    """The help of a command and of its sub-commands, in Markdown."""
    context = click.Context(command, parent, info_name=name, terminal_width=110, max_content_width=110)
    yield f"## `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```\n"
    for each, sub_command in sorted(getattr(command, "commands", {}).items()):
        yield from described(each, sub_command, context)


def assemble(folder: Path) -> None:
    """Lays the pages out, with the one that is made of the command line's help."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    for path in shown():
        copy = pages / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    commands = "\n".join(described("keras-attn", command_line))
    intro = "# Command line\n\nWhat `keras-attn COMMAND --help` prints.\n\n"
    (pages / "docs/reference/cli.md").write_text(intro + commands, encoding="utf-8")
    config = (ROOT / "docs/zensical.toml").read_text(encoding="utf-8")
    (folder / "zensical.toml").write_text(config.replace('["../.."]', f'["{ROOT}"]'), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where pages and site are made; what is there is replaced")
    folder = parser.parse_args().folder.resolve()
    assemble(folder)
    done = subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=folder)
    print(f"open {folder / 'site' / 'index.html'}" if done.returncode == 0 else "the site was not built")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
