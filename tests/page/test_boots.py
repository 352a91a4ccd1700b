"""Three ways to start Python, one result: what differs is only how long it takes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.conftest import Opener
from tests.page.lab import BOOT_MS, Lab
from tests.site_server import hosted

BOOTS = ("stock", "bytecode", "snapshot")
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"

_USE_EVERYTHING = r"""
import base64, decimal, io, lzma, sqlite3, ssl, statistics, zoneinfo
import numpy as np
import matplotlib.animation
import matplotlib.pyplot as plt
from matplotlib.mathtext import math_to_image
from mpl_toolkits.mplot3d import Axes3D
from numpy.polynomial import Polynomial

assert statistics.mean([1, 2, 6]) == 3
assert sqlite3.connect(":memory:").execute("select 6 * 7").fetchone() == (42,)
assert ssl.OPENSSL_VERSION
assert lzma.decompress(lzma.compress(b"bits")) == b"bits"
assert decimal.Decimal("0.1") * 3 == decimal.Decimal("0.3")
assert Polynomial([1, 2])(3) == 7
assert np.allclose(np.fft.ifft(np.fft.fft([1.0, 2.0])), [1, 2])
figure, axes = plt.subplots(subplot_kw={"projection": "3d"})
axes.plot([0, 1], [0, 1], [0, 1])
axes.set_title(r"$\int_0^1 \frac{x}{2}\,\mathrm{d}x$", fontfamily="serif", fontweight="bold")
svg = io.StringIO()
figure.savefig(svg, format="svg")
assert "</svg>" in svg.getvalue()
math_to_image(r"$\alpha$", io.BytesIO(), format="png")
animation = matplotlib.animation.FuncAnimation(figure, lambda frame: [], frames=2)
assert "<img" in animation.to_jshtml()
plt.close(figure)
"all of it"
"""
_INSTALL = """
import micropip, pyodide_js
await pyodide_js.loadPackage("pytz")
import pytz
assert {"numpy", "matplotlib", "pytz"} <= set(micropip.list())
await micropip.install("fonttools")
import fontTools
"installed"
"""


@pytest.fixture(scope="module", params=BOOTS)
def started(request: pytest.FixtureRequest, browser: Browser, site_url: str) -> Iterator[Lab]:
    """A page whose Python was started in one way, after Run all."""
    context = browser.new_context()
    lab = Lab(context.new_page())
    errors: list[str] = []
    lab.page.on("console", lambda said: said.type in {"error", "warning"} and errors.append(said.text))
    lab.page.goto(f"{site_url}?boot={request.param}")
    lab.run_all()
    yield lab
    context.close()
    assert not errors, errors


def _value(lab: Lab, source: str) -> str:
    """Run cell 3 with this text and return all that it shows."""
    lab.run(3, source)
    return lab.output(3).inner_text()


def test_every_boot_gives_the_bits_of_the_saved_run(started: Lab) -> None:
    assert started.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")


def test_every_boot_imports_the_whole_of_python(started: Lab) -> None:
    assert "all of it" in _value(started, _USE_EVERYTHING)


def test_every_boot_installs_packages_of_the_site(started: Lab) -> None:
    assert "installed" in _value(started, _INSTALL)


def test_what_the_distribution_leaves_out_is_said_alike(started: Lab) -> None:
    assert "ModuleNotFoundError: No module named 'tkinter'" in _value(started, "import tkinter")


def test_every_boot_shows_the_source_of_our_package(started: Lab) -> None:
    source = "import inspect, replay_lab.optimizer\nprint(inspect.getsource(replay_lab.optimizer.adam_update))"
    assert "def adam_update" in _value(started, source)


def test_a_restored_python_has_nothing_that_it_could_not_close(open_page: Opener, site_url: str) -> None:
    lab = Lab(open_page(f"{site_url}?boot=snapshot"))
    lab.run(3, "import gc\ngc.collect() > 0")
    assert lab.output(3).locator("pre").all_inner_texts() == ["True"]


def test_two_restored_pythons_draw_different_numbers(open_page: Opener, site_url: str) -> None:
    source = "import random\nimport numpy as np\nprint('drawn', random.random(), np.random.rand())"
    drawn = {_value(Lab(open_page(f"{site_url}?boot=snapshot")), source) for _ in range(2)}
    values = [re.findall(r"drawn ([\d.e-]+) ([\d.e-]+)", text)[0] for text in drawn]
    assert len(values) == 2 and values[0][0] != values[1][0] and values[0][1] != values[1][1]


def test_a_restored_python_has_the_readers_time_zone(open_page: Opener, site_url: str) -> None:
    source = "import time\nprint(time.tzname, time.timezone, time.altzone, time.daylight, time.strftime('%Z', time.localtime(0)))"
    for zone in ("America/New_York", "Asia/Kolkata"):
        said = {
            _value(Lab(open_page(f"{site_url}?boot={boot}", timezone_id=zone)), source).split("(", 1)[1]
            for boot in ("bytecode", "snapshot")
        }
        assert len(said) == 1, said


_LATER = {
    "stock": ("matplotlib-", "pillow-", "micropip-"),
    "bytecode": ("figures", "rest.bundle", "native/matplotlib"),
    "snapshot": ("figures", "numbers.bundle", "rest.bundle", "stdlib.zip"),
}


@pytest.mark.parametrize("boot", BOOTS)
def test_nothing_that_only_later_cells_need_travels_before_the_first_result(
    open_page: Opener, site_url: str, boot: str
) -> None:
    page = open_page(f"{site_url}?boot={boot}")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    Lab(page).button("Run cell 2").click()
    page.wait_for_function(
        """() => document.querySelector("[role=status]").textContent.startsWith("Cell 2 finished")""",
        timeout=BOOT_MS,
    )
    assert any("pyodide.asm.wasm" in url for url in asked)
    assert [url for url in asked if any(name in url for name in _LATER[boot])] == []


@contextmanager
def _broken(dist: Path, folder: Path, change: Callable[[Path], None]) -> Iterator[str]:
    """The address of a copy of the site in which something was changed."""
    site = folder / "site"
    shutil.copytree(dist, site, copy_function=os.link)
    (build,) = (site / "b").iterdir()
    change(build)
    with hosted(site) as address:
        yield address


def _rewrite(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def _rewrite_manifest(build: Path, change: Callable[[str], str]) -> None:
    """Another list of files, and a page that was built with it."""
    manifest, page = build / "manifest.json", build.parents[1] / "index.html"
    before = manifest.read_text()
    after = change(before)
    assert after != before
    _rewrite(manifest, after.encode())
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (before, after))
    _rewrite(page, page.read_text(encoding="utf-8").replace(old, new).encode())


def _damage_snapshot(build: Path) -> None:
    path = build / "prepared" / "snapshot-pages-02.bundle"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    _rewrite(path, bytes(content))


def _remove_numbers(build: Path) -> None:
    (build / "prepared" / "numbers.bundle").unlink()


def _remove_native(build: Path) -> None:
    (native,) = (build / "prepared" / "native" / "numpy" / "_core").glob("_multiarray_umath.*")
    native.unlink()


def _claim_another_snapshot(build: Path) -> None:
    _rewrite_manifest(build, lambda text: re.sub(r'(snapshot-pages-02\.bundle": \{\s*"sha256": ")\w+', rf"\g<1>{'0' * 64}", text))


def _expect_other_memory(build: Path) -> None:
    """A snapshot of a program that, linked, leaves other bytes than this one."""
    _publish_changed(build, "prepared/snapshot.bundle", lambda content: re.sub(rb'("keptSha256":")(\w)', lambda found: found[1] + (b"1" if found[2] == b"2" else b"2"), content))


def _pack_otherwise(build: Path) -> None:
    """Pages of memory that are not compressed as the page expects."""
    _publish_changed(build, "prepared/snapshot-pages-02.bundle", lambda content: content.replace(_ZSTANDARD_MAGIC, bytes(4), 1))


def _publish_changed(build: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Another file, in a site that was built with it."""
    path = build / name
    before = path.read_bytes()
    after = change(before)
    assert after != before
    _rewrite(path, after)
    old, new = (hashlib.sha256(content).hexdigest() for content in (before, after))
    _rewrite_manifest(build, lambda text: text.replace(old, new))


def _publish_with(script: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    """Another script of the page's workers, in a site that was built with it."""
    return lambda build: _publish_changed(build, f"page/js/{script}", lambda content: content.replace(old, new, 1))


@pytest.mark.parametrize(
    ("change", "query", "message"),
    [
        (_damage_snapshot, "", "not be started from the memory snapshot: prepared/snapshot-pages-02.bundle is not the file"),
        (_claim_another_snapshot, "", "not be started from the memory snapshot: prepared/snapshot-pages-02.bundle is not the file"),
        (_expect_other_memory, "", "this browser's linked memory is not the snapshot's"),
        (_pack_otherwise, "", "bytes of Zstandard cannot be decompressed"),
        (_publish_with("supply-worker.js", b"scope.addEventListener", b"scope.listen"), "", "from the memory snapshot: Uncaught TypeError: scope.listen is not a function. Now from the compiled packages."),
        (_remove_native, "", "Now from the packages as published"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_gives_way_to_the_next(
    browser: Browser, dist: Path, tmp_path: Path, change: Callable[[Path], None], query: str, message: str
) -> None:
    context = browser.new_context()
    lab = Lab(context.new_page())
    warnings: list[str] = []
    errors: list[str] = []
    lab.page.on("console", lambda said: said.type == "warning" and warnings.append(said.text))
    lab.page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    with _broken(dist, tmp_path, change) as address:
        lab.page.goto(address + query)
        lab.button("Run all").click()
        expect(lab.status).to_contain_text(message, timeout=BOOT_MS)
        lab.expect_finished(3, timeout=BOOT_MS)
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")
    assert any(message in warning for warning in warnings), warnings
    # The browser itself reports a file that the server does not have.
    assert all("404" in error for error in errors), errors
    context.close()


def test_a_boot_that_falls_silent_gives_way_to_the_next(browser: Browser, dist: Path, tmp_path: Path) -> None:
    start = b"async start(context) {"
    silence = _publish_with("boot-snapshot.js", start, start + b"\n        await new Promise(() => undefined);")
    with browser.new_context() as context, _broken(dist, tmp_path, silence) as address:
        lab = Lab(context.new_page())
        lab.page.clock.install()
        lab.page.goto(address)
        lab.button("Run all").click()
        # The last that is heard of it.
        expect(lab.status).to_contain_text("Downloading Python", timeout=BOOT_MS)
        lab.page.clock.fast_forward(20_000)
        expect(lab.status).to_contain_text("nothing was heard of it for 20 s. Now from the compiled packages.", timeout=BOOT_MS)
        lab.expect_finished(3, timeout=BOOT_MS)
        assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")


def test_packages_that_do_not_arrive_are_installed_from_their_wheels(
    browser: Browser, dist: Path, tmp_path: Path
) -> None:
    context = browser.new_context()
    lab = Lab(context.new_page())
    with _broken(dist, tmp_path, _remove_numbers) as address:
        lab.page.goto(f"{address}?boot=snapshot")
        with lab.page.expect_console_message(lambda said: "wheels are installed instead" in said.text, timeout=BOOT_MS):
            lab.run_all()
        assert "all of it" in _value(lab, _USE_EVERYTHING)
    context.close()


def test_a_forced_boot_that_the_site_lacks_says_so(open_page: Opener, dist: Path, tmp_path: Path) -> None:
    def forget(build: Path) -> None:
        _rewrite_manifest(build, lambda text: text.replace('"snapshot",', "", 1))

    with _broken(dist, tmp_path, forget) as address:
        lab = Lab(open_page(f"{address}?boot=snapshot"))
        lab.button("Run cell 1").click()
        expect(lab.status).to_contain_text("built without the boot snapshot; it has bytecode, stock")
        lab.page.close()
