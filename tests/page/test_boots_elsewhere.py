"""The snapshot was made in Node: Firefox and WebKitGTK restore it too, with the same bits."""

from __future__ import annotations

import os

import pytest

from tests.firefox import firefox
from tests.other_browsers import FIREFOX, WEBKIT
from tests.page.reader import Reader
from tests.webkit import AGAIN_AFTER_A_CRASH, webkit

pytestmark = AGAIN_AFTER_A_CRASH


@pytest.mark.parametrize("boot", ["snapshot", "bytecode"])
@pytest.mark.parametrize(
    ("variable", "start"), [(FIREFOX, firefox), (WEBKIT, webkit)], ids=["firefox", "webkit"]
)
def test_a_prepared_boot_gives_the_bits_of_the_saved_run(
    site_url: str, variable: str, start: type, boot: str
) -> None:
    program = os.environ.get(variable)
    if not program:
        pytest.skip(f"{variable} names no browser")
    with start(program) as browser:
        browser.open(f"{site_url}?boot={boot}")
        reader = Reader(browser)
        reader.run_all()
        verdict = reader.text(f"{reader.output(2)} .verdict > summary")
        assert verdict.startswith("Same bits as saved: 5 of 5 rows")
        assert browser.errors == []
