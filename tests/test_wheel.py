"""The wheel, built from a copy of what it is made of and installed where there is no checkout. Building takes the package index."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    sources, built = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("built")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "constraints.txt"):
        shutil.copy(ROOT / name, sources)
    for name in ("keras_attn", "saved_models", "export/python"):
        shutil.copytree(ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
    tested = dict.fromkeys(("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), "constraints.txt")
    command = [*PIP, "wheel", "--no-deps", "--wheel-dir", built, "."]
    subprocess.run(command, cwd=sources, env=os.environ | tested, check=True, timeout=300)
    (file,) = built.iterdir()
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([*PIP, "install", "--no-deps", "--target", folder, wheel], check=True, timeout=300)
    return folder


@pytest.fixture(scope="module")
def content(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_it_holds_our_licence_and_notice(content, name):
    (inside,) = [file for file in content if file.endswith(f".dist-info/licenses/{name}")]
    assert content[inside] == (ROOT / name).read_bytes()


def test_it_names_tatoeba_beside_the_models_that_learned_from_it(content):
    (notice,) = [text for file, text in content.items() if file.endswith("/NOTICE")]
    cards = [text for file, text in content.items() if file.startswith("keras_attn/saved_models/tatoeba-")]
    cards = [text for text in cards if b"Tatoeba and its contributors" in text]
    assert len(cards) == 6
    for text in (notice, *cards):
        assert b"Tatoeba" in text and b"CC BY 2.0 FR" in text


def test_it_has_cmudicts_notice_beside_the_model_that_learned_from_it(content):
    (notice,) = [text for file, text in content.items() if file.endswith("/NOTICE")]
    assert b"Copyright (C) 1993-2015 Carnegie Mellon University. All rights reserved." in notice
    assert b"Redistributions in binary form must reproduce" in notice and b"AS IS" in notice
    assert b"Carnegie Mellon University" in content["keras_attn/saved_models/cmudict/README.md"]


def test_it_says_that_the_models_have_a_licence_of_their_own(content):
    (metadata,) = [text for file, text in content.items() if file.endswith(".dist-info/METADATA")]
    assert b"License-Expression: Apache-2.0 AND BSD-2-Clause AND LicenseRef-CC-BY-2.0-FR\n" in metadata


def test_it_holds_no_exports_and_nothing_but_the_package(content):
    assert not [file for file in content if "-litert/" in file]
    assert {file.split("/")[0].split("-")[0] for file in content} == {"keras_attn"}


def test_it_holds_the_client_that_needs_no_checkout(content):
    client = (ROOT / "export/python/litert_translator.py").read_bytes()
    assert content["keras_attn/clients/litert_translator.py"] == client


def test_installed_it_translates_with_its_own_models(installed, tmp_path):
    program = "import keras_attn, sys; print(keras_attn.__file__, file=sys.stderr); from keras_attn.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "translate", "tatoeba-en-es", "--beam-size", "1"],
        input="What time is it?\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "¿Qué hora es?\n"), done.stderr
    assert str(installed / "keras_attn") in done.stderr
