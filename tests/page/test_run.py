"""Run all, edited constants, errors, files: the real Python in the real page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.page.lab import Lab

LEAST_CHECKS = 15


def _columns(summary: dict[str, list[dict[str, object]]], key: str) -> list[object]:
    return [row[key] for row in summary["summary"]]


def test_run_all_gives_the_published_shape(lab: Lab) -> None:
    lab.run_all()
    summary = lab.summary()
    assert list(summary) == ["checks_passed", "summary", "reference_final_loss"]
    assert _columns(summary, "first_weight_mismatch") == [None, None, 1, 41, 41]
    assert _columns(summary, "weight_mismatch_steps") == [0, 0, 100, 60, 60]
    assert _columns(summary, "hidden_weight_mismatch_steps") == [0, 0, 100, 1, 1]
    assert summary["checks_passed"] >= LEAST_CHECKS


def test_run_all_gives_the_bits_of_the_saved_run(lab: Lab, build_folder: Path) -> None:
    lab.run_all()
    verdict = lab.output(2).locator("details.verdict")
    assert verdict.inner_text().startswith("Same bits as saved: 5 of 5 rows")
    verdict.locator("summary").click()
    saved = json.loads((build_folder / "saved" / "results.json").read_text())
    evidence = verdict.get_by_role("row").filter(has_text=saved["digests"]["study"])
    expect(evidence).to_contain_text("= same")
    verdict.locator("summary").click()


def test_outputs_say_whose_they_are(lab: Lab) -> None:
    lab.run_all()
    for number in (1, 2, 3):
        expect(lab.output(number).locator(".badge")).to_have_text(re.compile("^Computed in this tab"))
        assert lab.output(number).inner_text().lower().count("computed") == 1
        lab.button(f"Show saved output of cell {number}").click()
        expect(lab.output(number).locator(".badge")).to_have_text(re.compile("^Saved "))
        lab.button(f"Show this tab's output of cell {number}").click()
    assert lab.output(2).inner_text().index("Same bits") < lab.output(2).inner_text().index("{")


def test_figures_have_alt_texts_and_files(lab: Lab) -> None:
    lab.run_all()
    images = lab.output(3).get_by_role("img")
    expect(images).to_have_count(2)
    for image in images.all():
        assert len(image.get_attribute("alt") or "") > 40
        assert (image.get_attribute("src") or "").startswith("blob:")
    with lab.page.expect_download() as download:
        lab.button("CSV of reduction_order").click()
    assert download.value.suggested_filename == "reduction_order.csv"
    with lab.page.expect_download() as download:
        lab.button("Download summary.json").click()
    assert json.loads(download.value.path().read_text()) == lab.summary()


def test_two_shards_commute_and_the_page_says_so(lab: Lab) -> None:
    lab.edit(1, "shards = 8 ", "shards = 2 ")
    lab.run_all()
    row = next(row for row in lab.summary()["summary"] if row["scenario"] == "Reversed reduction")
    assert row["weight_mismatch_steps"] == 0 and row["first_weight_mismatch"] is None
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Settings edited")
    expect(lab.output(2)).to_contain_text("Reversed reduction: agrees bit for bit")
    expect(lab.output(2)).not_to_contain_text("failed")


def test_running_cell_3_first_runs_what_was_edited_above(lab: Lab) -> None:
    lab.run_all()
    lab.edit(1, "logged_digits = 5 ", "logged_digits = 4 ")
    expect(lab.output(2).locator(".badge")).to_have_text(re.compile("out of date$"))
    lab.button("Run cell 3").click()
    lab.expect_finished(3)
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Settings edited")


def test_a_bad_constant_is_refused_under_cell_1(lab: Lab) -> None:
    lab.edit(1, "learning_rate = 0.05", "learning_rate = -1")
    lab.button("Run all").click()
    expect(lab.output(1)).to_contain_text("learning_rate")
    expect(lab.output(1)).to_contain_text(re.compile(r"-1.*1e-06 to 10"))
    expect(lab.status).to_have_text("Cell 1 failed; the reason is in its output. Cells 2 and 3 did not run.")


def test_an_error_names_its_line_and_a_next_step(lab: Lab) -> None:
    lab.run(3, "def half(x):\n    return x / 0\n\nhalf(1)")
    text = lab.output(3).inner_text()
    assert text.index("ZeroDivisionError: division by zero") < text.index("Traceback")
    assert "Line 2 of cell 3: return x / 0" in text
    assert "Reset brings back" in text


def test_a_syntax_error_names_its_line(lab: Lab) -> None:
    lab.run(3, "a = 1\nb = = 2")
    expect(lab.output(3)).to_contain_text("SyntaxError")
    expect(lab.output(3)).to_contain_text("Line 2 of cell 3")


def test_a_double_click_is_one_run(lab: Lab) -> None:
    lab.run_all()
    lab.run(3, "clicks = 0")
    lab.code(3).fill("clicks += 1\nclicks")
    lab.button("Run cell 3").dblclick()
    lab.expect_finished(3)
    lab.run(3, "print(clicks)")
    expect(lab.output(3).locator("pre.stream")).to_have_text("1\n")


def test_much_output_is_cut_with_a_notice(lab: Lab) -> None:
    lab.run(3, "for number in range(300_000): print(number)")
    expect(lab.output(3)).to_contain_text(re.compile("Output cut here: [0-9,]+ more characters"))
    lab.run(3, "'still alive'")
    expect(lab.output(3)).to_contain_text("still alive")


def test_markup_that_code_prints_stays_text(lab: Lab) -> None:
    lab.run(3, "print('<img src=x onerror=alert(1)><b>bold</b>')")
    expect(lab.output(3).locator("pre.stream")).to_have_text("<img src=x onerror=alert(1)><b>bold</b>\n")
    expect(lab.output(3).locator("b, img")).to_have_count(0)
