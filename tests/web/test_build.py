"""The command that puts the page and exported models together."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from texts import hostile_jsons  # of tests/hostile

ROOT = Path(__file__).parents[2]
BUNDLED = {
    "@litertjs/core": "stands at the end",
    "@litertjs/wasm-utils": "stands at the end",
}

DESCRIPTION = {
    "languages": {"source": "en", "target": "es"},
    "source_length": 64,
    "signatures": {"encode": {}, "step": {}, "tokenize": {}, "detokenize": {}},
    "bytes": 12,
}


@pytest.fixture
def export(tmp_path):
    """`export(name, ...)`: a folder that looks like an export; what is in its files is no business of the build."""

    def make(name, **changes):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.json").write_text(json.dumps({**DESCRIPTION, **changes}))
        (folder / "model.tflite").write_text(f"model.tflite of {name}")
        names = ["model.json", "model.tflite"]
        sums = [f"{hashlib.sha256((folder / each).read_bytes()).hexdigest()}  {each}\n" for each in names]
        (folder / "SHA256SUMS").write_text("".join(sums))
        return folder

    return make


def test_the_site_lists_its_models_and_holds_their_files(build, export, tmp_path):
    site = tmp_path / "site"
    assert (
        build(site, export("one"), export("two", languages={"source": "es", "target": "en"})).returncode == 0
    )
    assert json.loads((site / "models" / "index.json").read_text()) == [
        {"name": "one", "source": "en", "target": "es", "bytes": 12},
        {"name": "two", "source": "es", "target": "en", "bytes": 12},
    ]
    assert (site / "models" / "two" / "model.tflite").read_text() == "model.tflite of two"


def test_the_site_names_whose_work_it_is_made_of(build, export, tmp_path):
    assert build(tmp_path / "site", export("one")).returncode == 0
    notice = (tmp_path / "site" / "NOTICE.txt").read_text()
    assert notice.startswith((ROOT / "NOTICE").read_text())
    assert notice.endswith((ROOT / "LICENSE").read_text())
    for package, owner in BUNDLED.items():
        ours = notice.partition(f"\n{package} ")[2].partition("-" * 80)[0]
        assert owner in ours, package
    assert 'href="NOTICE.txt"' in (tmp_path / "site" / "index.html").read_text()


def test_every_package_that_the_page_is_bundled_from_is_in_its_notices(build, export, tmp_path):
    """Those that only build or test it are not; what the page's bundles hold of others would be new here."""
    build(tmp_path / "site", export("one"))
    notice = (tmp_path / "site" / "NOTICE.txt").read_text()
    found = re.findall(r"^(\S+) [0-9.]+, (?:Apache-2.0|BSD-3-Clause|MIT)$", notice, re.M)
    assert found == sorted(BUNDLED)


def test_the_site_names_whom_its_models_must_name(build, export, tmp_path):
    asking = export("one", attribution="Sentences by\x1b[2J Ada,\nCC BY")
    assert build(tmp_path / "site", asking, export("two"), export("three", attribution=["?"])).returncode == 0
    notice = (tmp_path / "site" / "NOTICE.txt").read_text()
    models = notice.partition("Models of this site\n\n")[2].partition("\n" + "-" * 80)[0]
    assert models == "one: Sentences by [2J Ada, CC BY\n"


def test_nothing_in_the_site_points_elsewhere(build, export, tmp_path):
    site = tmp_path / "site"
    build(site, export("one"))
    page = (site / "index.html").read_text() + (site / "style.css").read_text()
    assert "//" not in page.replace("<!--", "").replace("-->", "")


def test_a_second_build_replaces_the_first_and_has_a_cache_of_its_own(build, export, tmp_path):
    site = tmp_path / "site"
    build(site, export("one"))
    first = (site / "service-worker.js").read_text()
    assert build(site, export("two")).returncode == 0
    assert sorted(path.name for path in (site / "models").iterdir()) == ["index.json", "two"]
    assert (site / "service-worker.js").read_text().splitlines()[0] != first.splitlines()[0]


def test_without_an_export_there_is_nothing_to_build(build, tmp_path):
    for arguments in ([], [tmp_path / "site"]):
        refused = build(*arguments)
        expected = "Error: expected OUTPUT EXPORT...: a folder to make, and exported models\n"
        assert (refused.returncode, refused.stderr) == (2, expected)
    assert not list(tmp_path.iterdir())


def test_models_are_listed_in_the_order_in_which_they_are_given(build, export, tmp_path):
    site = tmp_path / "new" / "site"
    assert build(site, export("two"), export("one"), export("three")).returncode == 0
    listed = json.loads((site / "models" / "index.json").read_text())
    assert [model["name"] for model in listed] == ["two", "one", "three"]


def test_a_folder_that_is_no_build_is_left_alone(build, export, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "letter.txt").write_text("Dear Ada")
    refused = build(tmp_path / "precious", export("one"))
    assert refused.returncode == 2
    assert (
        refused.stderr
        == f"Error: {tmp_path}/precious exists and is not an earlier build: remove it or choose another name\n"
    )
    assert (tmp_path / "precious" / "letter.txt").read_text() == "Dear Ada"
    refused = build(tmp_path / "precious" / "letter.txt", export("two"))
    assert refused.returncode == 2 and "letter.txt exists and is not an earlier build" in refused.stderr
    assert (tmp_path / "precious" / "letter.txt").read_text() == "Dear Ada"


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"source_length": None}, "export it with --source-length 64"),
        ({"signatures": {"encode": {}, "step": {}}}, "takes no text: export a model with vocabularies"),
    ],
    ids=["any source length", "no text"],
)
def test_an_export_that_browsers_cannot_run_is_refused(build, export, tmp_path, changes, advice):
    refused = build(tmp_path / "site", export("one", **changes))
    assert refused.returncode == 2
    assert advice in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]


def test_what_an_export_says_of_itself_replaces_nothing(build, export, tmp_path):
    (tmp_path / "secret").write_text("secret")
    languages = {"source": "en", "target": "es", "name": "..", "folder": str(tmp_path), "files": ["secret"]}
    assert build(tmp_path / "site", export("one", languages=languages)).returncode == 0
    assert not list((tmp_path / "site").rglob("secret"))
    assert [path.name for path in (tmp_path / "site" / "models").iterdir() if path.is_dir()] == ["one"]


@pytest.mark.parametrize("name", ["model.tflite", "model.json"])
def test_a_link_out_of_the_export_is_not_followed(build, export, tmp_path, name):
    file = export("one") / name
    (tmp_path / name).write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(tmp_path / name)
    refused = build(tmp_path / "site", tmp_path / "one")
    assert refused.returncode == 2
    assert refused.stderr == f"Error: {file} is a link or no file: copy the file itself there\n"


@pytest.mark.parametrize("content", ["", "null", "[]", "7", '"text"', "{", "[" * 100_000, "\udcff"])
def test_a_description_that_describes_nothing_is_refused(build, export, tmp_path, content):
    (export("one") / "model.json").write_text(content, errors="surrogateescape")
    refused = build(tmp_path / "site", tmp_path / "one")
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: ") and refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "changes", [{"languages": None}, {"languages": {"source": 1, "target": "es"}}, {"bytes": "12"}]
)
def test_an_export_without_languages_or_size_is_refused(build, export, tmp_path, changes):
    refused = build(tmp_path / "site", export("one", **changes))
    assert refused.returncode == 2
    assert refused.stderr.endswith(
        "model.json does not say what it translates: expected languages and bytes\n"
    )


def test_two_exports_of_one_name_are_refused(build, export, tmp_path):
    (tmp_path / "other").mkdir()
    export("one").rename(tmp_path / "other" / "one")
    refused = build(tmp_path / "site", tmp_path / "other" / "one", export("one"))
    assert refused.returncode == 2
    assert "one is taken: rename one" in refused.stderr
    assert "index.json is taken" in build(tmp_path / "site", export("index.json")).stderr


def test_a_folder_that_is_no_export_is_refused(build, export, tmp_path):
    (export("one") / "model.tflite").unlink()
    refused = build(tmp_path / "site", tmp_path / "one")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"Error: {tmp_path}/one is not a whole export: expected a folder that")


def test_a_folder_that_is_not_there_is_named_in_full(build, tmp_path):
    refused = build(tmp_path / "site", tmp_path / "nowhere")
    assert refused.returncode == 2
    assert refused.stderr == f"Error: {tmp_path}/nowhere does not exist\n"


@pytest.mark.parametrize("name", ["model.tflite", "model.json"])
def test_a_file_that_is_not_the_exported_one_is_not_published(build, export, tmp_path, name):
    file = export("one") / name
    file.write_bytes(file.read_bytes() + b"\n")
    refused = build(tmp_path / "site", tmp_path / "one")
    assert refused.returncode == 2
    assert refused.stderr == (
        f"Error: {file} is damaged or was changed: its SHA-256 is not in SHA256SUMS. Get the export again\n"
    )
    assert not (tmp_path / "site").exists()


def test_an_export_without_sums_is_published_with_a_warning(build, export, tmp_path):
    (export("one") / "SHA256SUMS").unlink()
    built = build(tmp_path / "site", tmp_path / "one")
    assert built.returncode == 0
    assert built.stderr.startswith(
        f"Warning: {tmp_path}/one has no SHA256SUMS, so damage to its files may go unnoticed"
    )


def test_a_description_that_is_huge_is_not_parsed(build, export, tmp_path):
    (export("one") / "model.json").write_text(json.dumps({"a": "a" * 2_000_000}))
    refused = build(tmp_path / "site", tmp_path / "one")
    assert refused.stderr == f"Error: {tmp_path}/one/model.json is larger than 1048576 bytes\n"


def test_hostile_descriptions_are_refused_or_published_as_they_are(build, export, tmp_path):
    """One call each: none ends in a stack trace, and nothing but the export's own files is published."""
    hostile = [*hostile_jsons(DESCRIPTION)][1:]
    assert len(hostile) > 40
    for number, (name, data) in enumerate(hostile):
        folder, site = export(f"export {number}"), tmp_path / f"site {number}"
        (folder / "model.json").write_bytes(data)
        (folder / "SHA256SUMS").unlink()
        done = build(site, folder)
        said = done.stderr.splitlines()
        assert done.returncode in (0, 2) and said, name
        assert all(line.startswith(("Error: ", "Warning: ")) and line.isprintable() for line in said), (
            name,
            said,
        )
        if done.returncode == 0:
            files = {path.name for path in (site / "models" / folder.name).iterdir()}
            assert files <= {"model.json", "model.tflite"}, name
        else:
            assert not site.exists(), name


def test_the_types_hold(check_types):
    checked = check_types()
    assert checked.returncode == 0, checked.stdout
