"""What the page says that a first run fetches is what its boots ask for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from build.page import FIRST_FILES
from tests.page.conftest import Opener


@pytest.mark.parametrize("boot", list(FIRST_FILES))
def test_the_build_counts_the_files_that_a_boot_fetches_first(
    open_page: Opener, build_folder: Path, boot: str
) -> None:
    manifest = json.loads((build_folder / "manifest.json").read_text(encoding="utf-8"))
    asked: list[str] = open_page().evaluate(
        """async ([boot, manifest]) => {
            const start = document.querySelector("script[type=module]").src;
            const boots = await import(start.replace("start.js", `boot-${boot}.js`));
            const { firstFiles, supplied = () => null } = boots[`${boot}Boot`];
            const beside = supplied(manifest);
            return [...firstFiles(manifest), ...(beside === null ? [] : [...beside.modules, ...beside.pages, "page/vendor/zstd.wasm"])];
        }""",
        [boot, manifest],
    )
    counted = {name for name in manifest["files"] if FIRST_FILES[boot].match(name)}
    assert counted == {*asked, manifest["saved"], manifest["bits"]}
