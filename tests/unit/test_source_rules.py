"""Rules that the source of the package keeps: which way imports point, which arithmetic is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import replay_lab

ROOT = Path(replay_lab.__file__).parent

# Each module may reach those of its own and of earlier bands, directly or not.
BANDS = (
    {"errors", "golden", "progress", "tables", "comparison_results", "study_figure"},
    {"bits", "config"},
    {"reduction", "random_streams", "trace", "comparison"},
    {"model", "dataset", "optimizer", "recipe", "gradient_rules", "state_pieces", "rows"},
    {"training"},
    {"checkpoint"},
    {"scenarios"},
    {"metrics", "checks", "findings", "figure_data", "results", "figures"},
    {"study", "faults", "catalogue", "files", "agreement"},
    {"cli", "notebook", "__main__"},
)

# Modules whose results enter a digest: they may use only what IEEE 754 fixes everywhere.
ARITHMETIC = sorted(
    "bits reduction random_streams dataset model optimizer recipe gradient_rules state_pieces "
    "softsign_network side_by_side training trace checkpoint scenarios".split()
)
PORTABLE = set(
    # forms, views and dtypes
    "arange array asarray ascontiguousarray concatenate dtype empty empty_like float16 float32 float64 "
    "frombuffer generic int64 intp ma ndarray newaxis ones prod repeat roll stack uint32 uint64 where "
    "zeros zeros_like "
    # elementwise, correctly rounded or exact
    "abs argsort isfinite isnan minimum sqrt "
    # in a stated order
    "add cumsum random".split()
)
MACHINE_DEPENDENT = set(
    "dot matmul inner vdot outer tensordot einsum convolve correlate linalg fft exp exp2 expm1 log "
    "log2 log10 log1p sin cos tan tanh sinh cosh arctan arctan2 power float_power cbrt hypot "
    "logaddexp mean average std var default_rng RandomState Generator normal standard_normal "
    "choice".split()
)
OTHER_SUMS = {"sum", "mean", "std", "var", "dot", "trace"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    return {
        module_name(path): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


MODULES = sorted(trees())


def runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from runtime_nodes(child)


@cache
def imports_of(name: str) -> frozenset[str]:
    """Modules of the package that this one imports when it runs, at whatever place."""
    package = name.split(".") if (ROOT / name.replace(".", "/")).is_dir() else name.split(".")[:-1]
    found = set()
    for node in runtime_nodes(trees()[name]):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            targets = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {".".join([*base, target]) for target in targets if target}
    return frozenset(found & set(MODULES))


def outside_imports(name: str, *, at_top: bool) -> set[str]:
    """First names of the other packages that a module imports."""
    tree = trees()[name]
    nodes = tree.body if at_top else list(runtime_nodes(tree))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


def reached(name: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for target in imports_of(waiting.pop()) - found:
            found.add(target)
            waiting.append(target)
    return found


def numpy_names(name: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(trees()[name])
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
    }


def called_methods(name: str) -> set[str]:
    return {
        node.func.attr
        for node in ast.walk(trees()[name])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) != "np.add"
    }


# --- Imports -------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODULES)
def test_no_module_imports_itself_round_a_corner(name: str) -> None:
    assert name not in reached(name)


@pytest.mark.parametrize("name", sorted(set().union(*BANDS)))
def test_imports_point_one_way(name: str) -> None:
    (own,) = [position for position, band in enumerate(BANDS) if name in band]
    later = set().union(*BANDS[own + 1 :])
    assert not reached(name) & later


def test_every_module_of_the_bands_exists() -> None:
    assert set().union(*BANDS) <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_only_numpy_and_the_standard_library_are_imported_with_a_module(name: str) -> None:
    allowed = {*sys.stdlib_module_names, "numpy"}
    if name == "notebook":
        allowed.add("replay_lab")
    assert outside_imports(name, at_top=True) <= allowed


@pytest.mark.parametrize("name", MODULES)
def test_the_package_does_not_know_the_browser(name: str) -> None:
    assert not outside_imports(name, at_top=False) & {"js", "pyodide", "pyodide_js", "micropip"}


@pytest.mark.parametrize("name", MODULES)
def test_the_package_reads_no_clock_no_locale_and_no_network(name: str) -> None:
    forbidden = {"time", "datetime", "random", "locale", "secrets", "uuid", "socket", "urllib"}
    assert not outside_imports(name, at_top=False) & forbidden


@pytest.mark.parametrize("name", MODULES)
def test_matplotlib_is_drawn_with_on_the_canvas_only(name: str) -> None:
    if name != "canvas":
        assert "matplotlib" not in outside_imports(name, at_top=False)


def test_matplotlib_is_not_imported_until_a_figure_is_drawn() -> None:
    program = (
        "import importlib, pkgutil, sys, replay_lab\n"
        "for module in pkgutil.walk_packages(replay_lab.__path__, 'replay_lab.'):\n"
        "    if module.name.split('.')[-1] not in ('notebook', '__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "from replay_lab import StudyConfig, run_study, draw_figures\n"
        "results = run_study(StudyConfig(steps=3, checkpoint_step=1))\n"
        "results.to_json()\n"
        "assert 'matplotlib' not in sys.modules\n"
        "draw_figures(results)\n"
        "assert 'matplotlib' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_importing_the_package_imports_nothing_else() -> None:
    program = "import sys, replay_lab; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


# --- Arithmetic ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_uses_only_what_is_the_same_everywhere(name: str) -> None:
    assert numpy_names(name) <= PORTABLE


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_sums_only_in_a_stated_order(name: str) -> None:
    assert not called_methods(name) & OTHER_SUMS
    if name != "reduction":
        assert not numpy_names(name) & {"add", "cumsum"}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_takes_no_powers_and_no_builtin_sums(name: str) -> None:
    for node in ast.walk(trees()[name]):
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.MatMult)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("sum", "pow")


@pytest.mark.parametrize("name", [name for name in MODULES if name != "usual_style"])
def test_no_module_multiplies_matrices_or_calls_a_math_library_through_numpy(name: str) -> None:
    assert not numpy_names(name) & MACHINE_DEPENDENT
    assert not any(isinstance(node, ast.MatMult) for node in ast.walk(trees()[name]))


def test_the_usual_style_breaks_the_rules_that_the_others_keep() -> None:
    assert numpy_names("usual_style") & MACHINE_DEPENDENT
    assert any(isinstance(node, ast.MatMult) for node in ast.walk(trees()["usual_style"]))


@pytest.mark.parametrize("name", [name for name in MODULES if name != "usual_style"])
def test_random_numbers_are_raw_words_only(name: str) -> None:
    used = {
        node.attr
        for node in ast.walk(trees()[name])
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "np.random"
    }
    assert used <= ({"PCG64", "SeedSequence"} if name == "random_streams" else set())


@pytest.mark.parametrize("name", MODULES)
def test_only_commands_and_the_notebook_print(name: str) -> None:
    prints = any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
        for node in ast.walk(trees()[name])
    )
    assert not prints or name in ("cli", "notebook") or name.endswith(("_command", "_commands"))


@pytest.mark.parametrize("name", MODULES)
def test_no_exception_is_swallowed_whole(name: str) -> None:
    for node in ast.walk(trees()[name]):
        if isinstance(node, ast.ExceptHandler):
            caught = "everything" if node.type is None else ast.unparse(node.type)
            if caught in ("everything", "BaseException"):
                assert any(isinstance(part, ast.Raise) for part in ast.walk(node))


def test_no_text_of_the_package_uses_the_badge_s_word() -> None:
    texts = {
        name: node.value
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        and "computed" in node.value.lower() and "\n" not in node.value
    }  # fmt: skip
    assert texts == {}
