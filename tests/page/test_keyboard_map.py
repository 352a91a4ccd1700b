"""The keyboard map is a dialog on a visible button."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.page.conftest import Opener
from tests.page.lab import Lab


def test_the_map_opens_closes_and_gives_the_focus_back(open_page: Opener) -> None:
    lab = Lab(open_page())
    dialog = lab.page.get_by_role("dialog", name="Keyboard map")
    expect(dialog).to_be_hidden()
    for close in ("Escape", "Enter"):
        lab.button("Keyboard map").press("Enter")
        expect(dialog).to_be_visible()
        expect(dialog.get_by_role("row").filter(has_text="Run the cell and move on")).to_have_count(1)
        expect(lab.button("Close")).to_be_focused()
        lab.page.keyboard.press(close)
        expect(dialog).to_be_hidden()
        expect(lab.button("Keyboard map")).to_be_focused()
