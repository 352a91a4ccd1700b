"""The site on hosts that know nothing of it: opens, runs, agrees bit for bit, draws, and hands out its notebook."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, expect

from build.folders import NGINX, ROOT
from tests.nginx import nginx
from tests.page.conftest import guarded
from tests.page.lab import BOOT_MS, Lab
from tests.static_hosts import Host, static_host

pytestmark = pytest.mark.fault("host")
RecordFault = Callable[..., None]

_ODD = {
    ".wasm": "application/octet-stream", ".bundle": "text/plain", ".whl": "application/x-zip-compressed", ".zip": "text/html",
    ".json": "text/plain; charset=iso-8859-1", ".py": "text/html", ".ipynb": "text/plain", ".csv": "application/vnd.ms-excel",
}  # fmt: skip
_NOT_FOUND_PAGE = b"<!doctype html><title>Home</title><p>Welcome home."
PAGE_TESTS = ("test_run.py", "test_saved.py", "test_verdict.py", "test_outputs.py", "test_notebook_download.py")
LEAST_PAGE_TESTS = 50

HOSTS: dict[str, Host] = {
    "plain, without any header, under /some/path/": Host(),
    "wasm as bytes, everything else under odd types": Host(types=_ODD),
    "gzips everything on the fly": Host(zips=True, headers={"Vary": "Accept-Encoding"}),
    "in chunks, without a length": Host(chunks=True),
    "in chunks and gzipped, every type unknown": Host(chunks=True, zips=True, types=_ODD, other_type=None),
    "answers 200 with its home page for what is missing": Host(missing=_NOT_FOUND_PAGE),
    "redirects the folder to its slash": Host(redirects=lambda path: f"{path}/" if path == "some/path" else None),
    "redirects every file under b/ once": Host(
        path="site/", redirects=lambda path: path.replace("site/", "site//", 1) if path.startswith("site/b/") else None
    ),
    "at the root": Host(path=""),
    "a path with a space and umlauts": Host(path="replay läb/x y/"),
    "leaves out hidden files and _headers": Host(leaves_out=lambda name: name.startswith(".") or name == "_headers"),
    "leaves out every name that begins with _, as Jekyll does": Host(leaves_out=lambda name: name.startswith(("_", "."))),
    "keeps nothing: no-store": Host(headers={"Cache-Control": "no-store"}),
    "keeps everything for a day, the page too": Host(headers={"Cache-Control": "public, max-age=86400"}),
    "nosniff with its own opinion of .mjs, .whl and .bundle": Host(
        types={".mjs": "text/plain", ".whl": "text/plain", ".bundle": "text/plain"}, headers={"X-Content-Type-Options": "nosniff"}
    ),
    "sandboxes nothing but forbids framing": Host(headers={"X-Frame-Options": "DENY", "Content-Security-Policy": "frame-ancestors 'none'"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def plain_dist(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is uploaded: a copy."""
    folder = tmp_path_factory.mktemp("uploaded") / "site"
    shutil.copytree(dist, folder)
    return folder


@contextmanager
def reading(browser: Browser, address: str) -> Iterator[tuple[Lab, list[str]]]:
    """The page in a context of its own, and what went wrong in it."""
    context = browser.new_context()
    try:
        with guarded(context) as trouble:
            lab = Lab(context.new_page())
            lab.page.goto(address)
            yield lab, trouble
    finally:
        context.close()


def walk(lab: Lab) -> None:
    """Read, run, compare, look, and take the notebook along."""
    expect(lab.page.get_by_role("heading", level=1)).to_contain_text("identical loss logs")
    lab.run_all()
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved: 5 of 5 rows")
    images = lab.output(3).get_by_role("img")
    expect(images).to_have_count(2)
    for image in images.all():
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    with lab.page.expect_download() as download:
        lab.page.get_by_role("link", name="Download notebook", exact=True).click()
    notebook = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and len(notebook["cells"]) > 3


@pytest.mark.parametrize("name", HOSTS)
def test_the_site_works_on_a_host_that_is(browser: Browser, plain_dist: Path, name: str, record_fault: RecordFault) -> None:
    with static_host(plain_dist, HOSTS[name]) as address, reading(browser, address) as (lab, trouble):
        walk(lab)
        # A browser logs each file that is not there by itself.
        allowed = "404" if "Jekyll" in name else "nothing"
        assert [each for each in trouble if allowed not in each] == []
    record_fault(
        name, "opened, ran, same bits, both figures, notebook", tried=1, engine="Chromium",
        lost_edits=0, foreign_requests=0, unhandled_errors=len([each for each in trouble if each.startswith("exception")]),
    )  # fmt: skip


@pytest.mark.parametrize("lines", ["", "include {NGINX};"], ids=["nginx as installed", "nginx with our lines"])
def test_the_site_works_on_nginx(
    browser: Browser, plain_dist: Path, tmp_path: Path, lines: str, request: pytest.FixtureRequest, record_fault: RecordFault
) -> None:
    if shutil.which("nginx") is None:
        pytest.skip("there is no nginx here")
    shutil.copytree(plain_dist, tmp_path / "site" / "lab")
    with nginx(tmp_path, tmp_path / "site", lines.format(NGINX=NGINX)) as address, reading(browser, f"{address}lab/") as (lab, trouble):
        walk(lab)
        assert trouble == []
        assert lab.page.evaluate("crossOriginIsolated") is bool(lines)
    record_fault(request.node.callspec.id, "opened, ran, same bits, both figures, notebook", tried=1, engine="Chromium")


MISSING: dict[str, tuple[Host, str]] = {
    "scripts sent as text": (Host(types={".js": "text/plain"}), ""),
    "scripts sent without a type, nosniff": (
        Host(types={".js": "application/octet-stream"}, headers={"X-Content-Type-Options": "nosniff"}), "",
    ),
    "manifest.json left out": (Host(leaves_out=lambda name: name == "manifest.json"), "manifest.json could not be fetched: the server answered 404."),
    "manifest.json left out, home page in its place": (
        Host(leaves_out=lambda name: name == "manifest.json", missing=_NOT_FOUND_PAGE),
        "manifest.json is not the list of files that this page was built with: the server answered with text/html (SHA-256 ",
    ),
    "the runtime left out": (Host(leaves_out=lambda name: name == "runtime"), "could not be fetched: the server answered 404."),
    "the runtime left out, home page in its place": (
        Host(leaves_out=lambda name: name == "runtime", missing=_NOT_FOUND_PAGE), "is not the file this page was built with",
    ),
    "a stricter policy of its own: no WebAssembly": (
        Host(headers={"Content-Security-Policy": "script-src 'self'; worker-src 'self' blob:"}), "WebAssembly",
    ),
    "a stricter policy of its own: no workers": (Host(headers={"Content-Security-Policy": "worker-src 'none'"}), "its host forbids workers"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSING)
def test_on_a_host_that_lacks_something_the_page_stays_readable_and_names_it(
    browser: Browser, plain_dist: Path, name: str, record_fault: RecordFault
) -> None:
    host, sentence = MISSING[name]
    with static_host(plain_dist, host) as address, reading(browser, address) as (lab, trouble):
        expect(lab.page.get_by_role("heading", level=1)).to_contain_text("identical loss logs")
        if sentence:
            lab.button("Run all").click()
            expect(lab.status).to_contain_text(sentence, timeout=BOOT_MS)
            print(name, "->", lab.status.inner_text())
            expect(lab.output(2).locator(".badge")).to_have_text(re.compile("^Saved "))
        else:
            expect(lab.page.get_by_text("Everything can be read as it is.")).to_be_visible()
            expect(lab.page.get_by_role("button")).to_have_count(0)
        for image in lab.output(3).get_by_role("img").all():
            image.scroll_into_view_if_needed()
            assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        exceptions = [each for each in trouble if each.startswith(("exception", "request"))]
        assert exceptions == []
    record_fault(
        name, f"said: {sentence}" if sentence else "static page, saved results", tried=1, engine="Chromium",
        lost_edits=0, foreign_requests=0, unhandled_errors=len(exceptions),
    )  # fmt: skip


def test_the_tests_of_the_page_pass_on_a_plain_host_under_a_path(tmp_path: Path, record_fault: RecordFault) -> None:
    outcome = tmp_path / "outcome.xml"
    folder = ROOT / "tests" / "page"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}",
         f"--junit-xml={outcome}", *(folder / name for name in PAGE_TESTS)],
        env={**os.environ, "REPLAY_LAB_HOST": "plain"}, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:]
    (suite,) = ElementTree.parse(outcome).getroot()
    count, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    assert count - skipped > LEAST_PAGE_TESTS
    record_fault("the tests of the page, without any header, under /some/where/", f"passed; {skipped} need our headers", tried=count - skipped, engine="Chromium")
