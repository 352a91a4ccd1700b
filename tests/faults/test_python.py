"""What a cell may do to Python: a clear outcome each time, edits and saved results stay, and the next run gives the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.faults.harmful_cells import BLAME, ENDS, FORGE, HARMS, MESSAGES, NEEDS_RESTART, NOT_HERE, ONE_SENTENCE
from tests.page.conftest import guarded
from tests.page.lab import BOOT_MS, Lab

Record = Callable[..., None]

CELL = 4
MINE = "# mine\n1 + 1"
LONG_MS = 120_000
_ENDED = re.compile(rf"^(Cell {CELL} (finished|failed|was stopped)|Python ended)")


@pytest.fixture
def tab(browser: Browser, site_url: str) -> Iterator[Lab]:
    """A page of which cell 3 is edited; nothing may go wrong in it."""
    with browser.new_context() as context, guarded(context) as trouble:
        lab = Lab(context.new_page())
        lab.page.goto(site_url)
        lab.code(3).fill(MINE)
        yield lab
        assert trouble == []


def _run(lab: Lab, source: str) -> str:
    """Run a text in the cell, and before it the study that it needs; the status once it has ended."""
    lab.code(CELL).fill(source)
    lab.button(f"Run cell {CELL}").click()
    expect(lab.status).to_have_text(_ENDED, timeout=LONG_MS)
    return lab.status.inner_text()


def _expect_nothing_lost(lab: Lab, source: str) -> None:
    """The saved results and the reader's edits, here and after a reload."""
    assert (lab.source(3), lab.source(CELL)) == (MINE, source)
    expect(lab.output(5)).to_contain_text(re.compile("^Saved "))
    lab.output(CELL).locator("xpath=following-sibling::button[1]").click()
    expect(lab.output(CELL)).to_contain_text(re.compile("^Saved "))
    lab.page.reload()
    lab.expect_source(3, MINE)
    lab.expect_source(CELL, source)


def _expect_same_bits(lab: Lab) -> None:
    lab.button("Run cell 2").click()
    lab.expect_finished(2, timeout=BOOT_MS)
    expect(lab.output(2).locator("details.verdict")).to_contain_text(re.compile("^Same bits as saved: 5 of 5 rows"))


@pytest.mark.fault("a cell ends Python")
@pytest.mark.parametrize(("source", "reason"), ENDS, ids=[source.splitlines()[-1] for source, _ in ENDS])
def test_python_ends_and_the_next_run_starts_another(tab: Lab, source: str, reason: str, record_fault: Record) -> None:
    status = _run(tab, source)
    assert re.fullmatch(r"Python ended unexpectedly \(.{5,300}\); its variables and files are gone\. Run starts a new one\.", status), status
    assert reason in status
    expect(tab.output(CELL)).to_contain_text("EndOfPython: ")
    expect(tab.output(CELL)).to_contain_text("Variables and files are gone; the code of every cell and the saved results are kept.")
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(source.splitlines()[-1].strip(), "told with its reason; the next Run started another, same bits", engine="Chromium", tried=1)


@pytest.mark.fault("a cell ends Python")
@pytest.mark.parametrize(
    "source",
    ["class Endless:\n    def __repr__(self): return repr([self])\nEndless()", "class Endless:\n    def __getattr__(self, name): return getattr(self, name)\nEndless().a"],
    ids=["an endless __repr__", "an endless __getattr__"],
)  # fmt: skip
def test_it_is_told_whose_limit_comes_first(tab: Lab, source: str, request: pytest.FixtureRequest, record_fault: Record) -> None:
    _run(tab, source)
    # Python counts its calls, the browser their bytes, and how many these are depends on how far it has compiled.
    expect(tab.output(CELL)).to_contain_text(re.compile("calls itself without end|calls went deeper than this browser allows"))
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(request.node.callspec.id, "Python's limit or the browser's is told; the next Run gave the same bits", engine="Chromium", tried=1)


@pytest.mark.fault("a cell ends Python")
def test_a_list_of_files_that_fails_ends_python_by_name(tab: Lab, record_fault: Record) -> None:
    source = "import working_files\nworking_files.WorkingFiles.entries = None"
    tab.code(CELL).fill(source)
    tab.button(f"Run cell {CELL}").click()
    failed = "Python ended unexpectedly (the page's own Python failed after what a cell did: TypeError: 'NoneType' object is not callable)"
    expect(tab.status).to_contain_text(failed, timeout=BOOT_MS)
    expect(tab.output(CELL)).to_contain_text("nothing printed")
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault("a class of the page is changed", "told with its reason; the next Run started another, same bits", engine="Chromium", tried=1)


@pytest.mark.fault("a cell harms Python")
@pytest.mark.parametrize(("fault", "source", "says"), HARMS, ids=[fault for fault, *_ in HARMS])
def test_python_goes_on(tab: Lab, fault: str, source: str, says: str, record_fault: Record) -> None:
    status = _run(tab, source)
    assert status.startswith(f"Cell {CELL}"), status
    expect(tab.output(CELL)).to_contain_text(says)
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(fault, "told; the next Run gave the same bits in the same Python", engine="Chromium", tried=1)


@pytest.mark.fault("a cell harms the study")
@pytest.mark.parametrize(("fault", "source"), NEEDS_RESTART, ids=[fault for fault, _ in NEEDS_RESTART])
def test_a_restart_is_asked_for(tab: Lab, fault: str, source: str, record_fault: Record) -> None:
    assert _run(tab, source).startswith(f"Cell {CELL}")
    tab.button("Run cell 2").click()
    expect(tab.status).to_have_text(re.compile("^Cell [12] failed"))
    failed = 1 if tab.status.inner_text().startswith("Cell 1") else 2
    expect(tab.output(failed)).to_contain_text(f"{BLAME} with other code and may have changed what it builds on. Restart Python, then run again.")
    tab.button("Restart Python").click()
    expect(tab.status).to_have_text("Python is ready.", timeout=BOOT_MS)
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(fault, "the next Run said why and what to do; after Restart the same bits", engine="Chromium", tried=1)


@pytest.mark.fault("a cell harms the study")
def test_other_bits_after_other_code_are_not_laid_on_the_machine(tab: Lab, record_fault: Record) -> None:
    source = """import numpy
import replay_lab
import replay_lab.training as training
adam_update = training.adam_update
def drifting(*given):
    optimizer, weights = adam_update(*given)
    return optimizer, weights * numpy.float32(1 + 2**-20)
training.adam_update = drifting
replay_lab.StudyResults.require_checks = lambda results: None"""
    assert _run(tab, source).startswith(f"Cell {CELL} finished")
    tab.button("Run cell 2").click()
    tab.expect_finished(2)
    expect(tab.output(2).locator("details.verdict")).not_to_contain_text("Same bits as saved")
    expect(tab.output(2)).to_contain_text(f"{BLAME} with other code and may have changed what it builds on. Restart Python, then run again.")
    tab.button("Restart Python").click()
    expect(tab.status).to_have_text("Python is ready.", timeout=BOOT_MS)
    _expect_same_bits(tab)
    expect(tab.output(2)).not_to_contain_text("Restart Python")
    _expect_nothing_lost(tab, source)
    record_fault("the update of the weights is changed", "the verdict names the cells that ran before; after Restart the same bits", engine="Chromium", tried=1)


@pytest.mark.fault("a cell asks for company")
@pytest.mark.parametrize(("fault", "source"), NOT_HERE, ids=[fault for fault, _ in NOT_HERE])
def test_what_is_not_here_is_told_in_one_sentence(tab: Lab, fault: str, source: str, record_fault: Record) -> None:
    _run(tab, source)
    expect(tab.output(CELL)).to_contain_text(ONE_SENTENCE)
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(fault, "told in one sentence", engine="Chromium", tried=1)


@pytest.mark.fault("a cell posts messages")
@pytest.mark.parametrize(("fault", "message"), MESSAGES, ids=[fault for fault, _ in MESSAGES])
def test_a_forged_message_changes_nothing(tab: Lab, fault: str, message: str, record_fault: Record) -> None:
    source = FORGE.replace("MESSAGE", message)
    assert _run(tab, source).startswith(f"Cell {CELL} finished")
    expect(tab.output(CELL).locator("pre.stream")).to_have_text("posted\n")
    expect(tab.output(CELL)).not_to_contain_text("forged")
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault(fault, "passed over", engine="Chromium", tried=200)


@pytest.mark.fault("a cell posts messages")
def test_a_cell_that_answers_for_the_page_is_got_over(tab: Lab, record_fault: Record) -> None:
    source = """import js
from pyodide.ffi import create_proxy
def answer(event):
    event.data.type = "spoiled"
    js.postMessage(event.data)
js.self.addEventListener("message", create_proxy(answer))
0"""
    _run(tab, source)
    tab.button("Run cell 2").click()
    expect(tab.status).to_have_text(re.compile(r"^(Cell 2 finished|Python ended unexpectedly \(its answer could not be read\))"), timeout=BOOT_MS)
    if tab.status.inner_text().startswith("Cell 2"):
        tab.button("Restart Python").click()
    _expect_same_bits(tab)
    _expect_nothing_lost(tab, source)
    record_fault("spoiled answers to what the page asks", "told; another Python gave the same bits", engine="Chromium", tried=1)
