"""The files that code hosts read are what the hosts expect, and continuous integration calls .ci/run and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    ".github/workflows/ci.yml": "vendor.github-workflows",
    ".gitlab-ci.yml": "vendor.gitlab-ci",
    ".github/ISSUE_TEMPLATE/fault.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/idea.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    "CITATION.cff": "vendor.citation-file-format",
}


@pytest.mark.parametrize(("file", "schema"), FILES.items(), ids=FILES)
def test_it_follows_its_schema(file, schema):
    pytest.importorskip("check_jsonschema", reason="pip install 'keras-attn[test]'")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, ROOT / file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", [".github/workflows/ci.yml", ".gitlab-ci.yml"])
def test_continuous_integration_calls_what_developers_call(file):
    assert "- .ci/run\n" in (ROOT / file).read_text().replace("- run: ", "- ")


def test_the_citation_has_the_version_of_the_package():
    from importlib.metadata import version

    assert f"\nversion: {version('keras-attn')}\n" in (ROOT / "CITATION.cff").read_text()
