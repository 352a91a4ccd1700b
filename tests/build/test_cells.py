"""Cutting the script into cells, and running them as Jupyter would."""

from __future__ import annotations

import pytest

from build.cell_runner import run_cell
from build.cells import Cell, parse_cells
from build.errors import BuildError

SCRIPT = '''"""Docstring."""

# %% id=one title="First cell"
a = 1

# %% id=two title="Second"

b = 2
b
'''


def test_marker_may_name_a_section() -> None:
    (cell,) = parse_cells('# %% id=more section="Beyond" title="More"\nc = 3\n')
    assert cell == Cell(id="more", title="More", source="c = 3", section="Beyond")


def test_script_is_cut_at_its_markers() -> None:
    assert parse_cells(SCRIPT) == (
        Cell(id="one", title="First cell", source="a = 1"),
        Cell(id="two", title="Second", source="b = 2\nb"),
    )


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("a = 1\n", "has no line"),
        ("# %% [markdown]\n", "line 1 of the notebook script: expected"),
        (SCRIPT.replace("id=two", "id=one"), "'one' is used 2 times"),
    ],
)
def test_script_that_is_no_notebook_is_refused(script: str, complaint: str) -> None:
    with pytest.raises(BuildError, match=complaint):
        parse_cells(script)


class Rich:
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> object:
        return {"image/svg+xml": "<svg/>"}, {"image/svg+xml": {"alt": "a line"}}


def test_cell_keeps_standard_output_and_the_value_of_its_last_expression() -> None:
    stream, result = run_cell("print(a)\na + 1", "cell", {"a": 1}, 7)
    assert stream == {"output_type": "stream", "name": "stdout", "text": "1\n"}
    assert (result["data"], result["execution_count"]) == ({"text/plain": "2"}, 7)


def test_cell_without_last_expression_shows_nothing() -> None:
    assert run_cell("a = 1\nNone", "cell", {}, 1) == []


def test_tuple_of_rich_values_is_shown_one_by_one() -> None:
    outputs = run_cell("(rich, rich)", "cell", {"rich": Rich()}, 1)
    assert [output["output_type"] for output in outputs] == ["display_data"] * 2
    assert outputs[0]["metadata"] == {"image/svg+xml": {"alt": "a line"}}
