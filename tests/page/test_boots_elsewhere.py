"""The snapshot was made in Node: Firefox and WebKitGTK restore it too, with the same bits."""

from __future__ import annotations

import pytest

from tests.browser_failures import AGAIN_WHEN_THE_BROWSER_FAILS
from tests.engines import IN_OTHER_ENGINES, Engine
from tests.page.reader import Reader

pytestmark = AGAIN_WHEN_THE_BROWSER_FAILS


@pytest.mark.parametrize("boot", ["snapshot", "bytecode"])
@IN_OTHER_ENGINES
def test_a_prepared_boot_gives_the_bits_of_the_saved_run(site_url: str, engine: Engine, boot: str) -> None:
    with engine.start() as browser:
        browser.open(f"{site_url}?boot={boot}")
        reader = Reader(browser)
        reader.run_all()
        verdict = reader.text(f"{reader.output(2)} .verdict > summary")
        assert verdict.startswith("Same bits as saved: 5 of 5 rows")
        assert browser.errors == []
