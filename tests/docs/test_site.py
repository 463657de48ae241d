"""The site that `make docs` builds: whole, strict, and without anything from elsewhere."""

import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from blocks import ROOT

pytest.importorskip("zensical", reason="pip install 'keras-attn[docs]' to build the documentation")


@pytest.fixture(scope="module")
def build():
    """Runs the builder on a folder."""

    def run(folder):
        command = [sys.executable, ROOT / "docs/build.py", folder]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)

    return run


@pytest.fixture(scope="module")
def site(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


class References(HTMLParser):
    """What a page loads, and where its links lead."""

    def __init__(self, page):
        super().__init__()
        self.loaded, self.linked, self.anchors = [], [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors.add(attrs.get("id"))
        if tag == "a":
            self.linked.append(attrs.get("href") or "")
        elif tag == "link" and attrs.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(attrs.get("href") or "")
        elif "src" in attrs:
            self.loaded.append(attrs["src"])


@pytest.fixture(scope="module")
def pages(site):
    return {page: References(page) for page in sorted(site.rglob("*.html"))}


def test_no_page_loads_anything_from_elsewhere(pages):
    elsewhere = [(page.name, url) for page, found in pages.items() for url in found.loaded if "//" in url]
    assert pages and elsewhere == []


def test_no_style_and_no_script_names_a_host_to_load_from(site):
    for style in site.rglob("*.css"):
        assert "url(http" not in style.read_text(encoding="utf-8").replace('"', ""), style
        assert "@import" not in style.read_text(encoding="utf-8"), style


def test_every_link_and_every_file_is_there(pages):
    broken = []
    for page, found in pages.items():
        for url in {*found.linked, *found.loaded}:
            parts = urlsplit(url)
            if parts.scheme or url.startswith("//") or page.name == "404.html":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            to_anchor = parts.fragment and target in pages
            lost = to_anchor and unquote(parts.fragment) not in pages[target].anchors
            if lost or not target.is_file():
                broken.append((page.name, url))
    assert broken == []


def test_the_search_knows_pages_and_names_without_a_network(site):
    index = (site / "search.json").read_text(encoding="utf-8")
    assert "BahdanauAttention" in index and "guided alignment" in index.lower()


def test_the_command_line_is_described_by_its_own_help(site):
    page = (site / "docs/reference/cli.html").read_text(encoding="utf-8")
    assert "keras-attn translate" in page and "--any-source-length" in page
