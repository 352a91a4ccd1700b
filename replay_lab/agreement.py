"""Did this run produce the bits of a saved one? If not, what differs first?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .bits import bit_pattern
from .figure_data import figure_data_digests
from .results import RunSeries, StudyResults
from .saved_bits import SavedBits, settings_as_texts

SAME = "same"
DIFFERENT = "different"
OTHER_SETTINGS = "other-settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDifference:
    """One number that is not the same; bits are given for floats."""

    key: str
    saved: str
    here: str
    saved_bits: str | None
    here_bits: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowAgreement:
    """One scenario's row in both results."""

    scenario: str
    equal: bool
    differences: tuple[ValueDifference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPair:
    """One named text (digest, setting, version) in both results."""

    name: str
    saved: str
    here: str
    equal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The comparison of a run with a saved one.

    Attributes
    ----------
    status : {"same", "different", "other-settings"}
        With other settings nothing is compared: different bits are expected.
    headline : str
        One line for the reader.
    rows : tuple of RowAgreement
    digests, environment : tuple of TextPair
    settings : tuple of TextPair
        The settings that differ.
    first_difference : str or None
        The earliest number that differs, with both bit patterns.
    findings : tuple of str
        What this run shows, one sentence per scenario.
    """

    status: str
    headline: str
    rows: tuple[RowAgreement, ...]
    digests: tuple[TextPair, ...]
    settings: tuple[TextPair, ...]
    first_difference: str | None
    environment: tuple[TextPair, ...]
    findings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        return asdict(self)


def compare_with_saved(results: StudyResults, saved: StudyResults) -> Agreement:
    """Compare rows, digests and figure data of two results, bit by bit.

    Parameters
    ----------
    results : StudyResults
        What ran here.
    saved : StudyResults
        What was published.

    Returns
    -------
    Agreement
    """
    settings = tuple(
        pair
        for pair in _pairs(
            settings_as_texts(saved.config.to_json()), settings_as_texts(results.config.to_json())
        )
        if not pair.equal
    )
    rows = () if settings else _compare_rows(results, saved)
    digests = () if settings else _pairs(_digests(saved), _digests(results))
    same = all(row.equal for row in rows) and all(pair.equal for pair in digests)
    first = None if settings or same else _first_difference(results, saved)
    return Agreement(
        status=OTHER_SETTINGS if settings else SAME if same else DIFFERENT,
        headline=_headline(results, settings, rows, same, first),
        rows=rows,
        digests=digests,
        settings=settings,
        first_difference=first,
        environment=_pairs(saved.environment, results.environment),
        findings=results.findings,
    )


def compare_bits(here: SavedBits, saved: SavedBits) -> Agreement:
    """Compare the digests of two results of one kind.

    Parameters
    ----------
    here, saved : SavedBits

    Returns
    -------
    Agreement
        Without rows. Where the digests need not be portable, other bits are
        no fault, and the headline says so.
    """
    settings = tuple(pair for pair in _pairs(saved.settings, here.settings) if not pair.equal)
    digests = () if settings else _pairs(saved.digests, here.digests)
    same = all(pair.equal for pair in digests)
    first = next((pair for pair in digests if not pair.equal), None)
    if settings:
        headline = _edited(settings)
    elif first is None:
        headline = (
            f"Same bits as saved: {here.name}, digest {next(iter(here.digests.values()))[:6]}…"
        )
    else:
        allowed = "" if saved.portable else ", as arithmetic written this way may have elsewhere"
        headline = f"Other bits than saved{allowed}: {here.name}, {first.here[:6]}… here, {first.saved[:6]}… saved"
    return Agreement(
        status=OTHER_SETTINGS if settings else SAME if same else DIFFERENT,
        headline=headline,
        rows=(),
        digests=digests,
        settings=settings,
        first_difference=None,
        environment=(),
        findings=(),
    )


def _edited(settings: tuple[TextPair, ...]) -> str:
    changed = ", ".join(f"{pair.name} {pair.saved} → {pair.here}" for pair in settings)
    return f"Settings edited ({changed}): not compared with the saved run"


def _headline(
    results: StudyResults,
    settings: tuple[TextPair, ...],
    rows: tuple[RowAgreement, ...],
    same: bool,
    first: str | None,
) -> str:
    if settings:
        return _edited(settings)
    equal = len([row for row in rows if row.equal])
    count = f"{equal} of {len(rows)} rows, digest {results.study_digest[:6]}…"
    return f"Same bits as saved: {count}" if same else f"Other bits than saved: {count}. {first}"


def _compare_rows(results: StudyResults, saved: StudyResults) -> tuple[RowAgreement, ...]:
    here = {scenario.name: scenario.row.to_json() for scenario in results.scenarios}
    rows = []
    for scenario in saved.scenarios:
        row = here.get(scenario.name, {})
        differences = tuple(
            _difference(key, value, row.get(key))
            for key, value in scenario.row.to_json().items()
            if not _same_value(value, row.get(key))
        )
        rows.append(
            RowAgreement(scenario=scenario.name, equal=not differences, differences=differences)
        )
    return tuple(rows)


def _first_difference(results: StudyResults, saved: StudyResults) -> str:
    """Name the earliest step, then the earliest run, at which a series differs."""
    here, there = _series(results), _series(saved)
    for step in range(saved.config.steps):
        for name, numbers in there.items():
            number, other = numbers[step], here[name][step] if name in here else None
            if not _same_value(number, other):
                label, series = name
                found = _difference(series, number, other)
                return (
                    f"First difference: {label}, step {step + 1}, {series} "
                    f"{found.here} (bits {found.here_bits}) here, "
                    f"{found.saved} (bits {found.saved_bits}) saved"
                )
    return "First difference: no number of a series differs, but the digests of the traces do"


def _series(results: StudyResults) -> dict[tuple[str, str], tuple[float, ...]]:
    """Every series by run and name, in the order in which the runs were made."""
    series = {
        (label, name): numbers
        for label, run in _runs(results).items()
        for name, numbers in (("loss", run.loss), ("logged loss", run.logged_loss))
    }
    for scenario in results.scenarios:
        series[scenario.name, "weight difference"] = scenario.weight_difference
    return series


def _runs(results: StudyResults) -> dict[str, RunSeries]:
    scenarios = {scenario.name: scenario.run for scenario in results.scenarios}
    return {"reference": results.reference, **scenarios}


def _digests(results: StudyResults) -> dict[str, str]:
    traces = {f"trace: {label}": run.trace_digest for label, run in _runs(results).items()}
    figures = {f"figure data: {name}": text for name, text in figure_data_digests(results).items()}
    return {"study": results.study_digest, "data": results.dataset_digest, **traces, **figures}


def _pairs(saved: dict[str, str], here: dict[str, str]) -> tuple[TextPair, ...]:
    names = [*saved, *(name for name in here if name not in saved)]
    pairs = [(name, saved.get(name, "absent"), here.get(name, "absent")) for name in names]
    return tuple(
        TextPair(name=name, saved=there, here=mine, equal=there == mine)
        for name, there, mine in pairs
    )


def _same_value(a: object, b: object) -> bool:
    if type(a) is float and type(b) is float:
        return bit_pattern(a) == bit_pattern(b)
    return type(a) is type(b) and a == b


def _difference(key: str, saved: object, here: object) -> ValueDifference:
    return ValueDifference(
        key=key,
        saved=repr(saved),
        here=repr(here),
        saved_bits=bit_pattern(saved) if type(saved) is float else None,
        here_bits=bit_pattern(here) if type(here) is float else None,
    )
