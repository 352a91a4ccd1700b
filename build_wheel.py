"""
Build the site: `python build_wheel.py` writes dist/, `python build_wheel.py --serve` shows it.

Needs Python 3.11 or newer; makes its own environment for everything else. The same commit gives
the same bytes, as far as the machine is the same. What may vary with it: the environment named in
saved/results.json and in the notebook (Python, system, machine), the pixels of the PNG files and
the places of letters in the SVG files (FreeType, matplotlib's fonts), and the compressed bytes of
the wheel (zlib). No check depends on these. Bytecode and the memory snapshot come from the pinned
Node and the pinned Pyodide alone, and are the same bytes each time they are made from one wheel.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("build_wheel.py needs Python 3.11 or newer, this is " + sys.version.split()[0])

import json
from contextlib import AbstractContextManager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "site"))

from build.cells import parse_cells
from build.command import main
from build.environment import BUILD_REQUIREMENTS, make_environment
from build.facts import BuildFacts
from build.file_cache import FileCache
from build.folders import NOTICES, PAGE, PIN, ROOT, cache_folder
from build.host_files import write_host_files
from build.licenses import write_licenses
from build.manifest import MANIFEST_NAME, describe_build
from build.notebook import NOTEBOOK_NAME, library_source, make_notebook
from build.offline import write_service_worker
from build.page import fill_page
from build.pin import read_pin
from build.prepared import prepare_boots
from build.progress import say
from build.publish import copy_page, write_text
from build.routes import runtime_routes
from build.runtime import gather_runtime, name_for_hosts, write_runtime
from build.saved import run_study
from build.source_date import read_source_date
from build.wheel import build_wheel, wheel_version


def build_site(
    publishing: AbstractContextManager[Path], *, fastest: str, making: bool
) -> BuildFacts:
    """Build everything, with the boots that are asked for, then publish it."""
    cache, date = cache_folder(), read_source_date(ROOT)
    python = make_environment("build", BUILD_REQUIREMENTS, cache)

    pin, files = read_pin(PIN), FileCache(cache / "files")
    gather_runtime(pin, files, runtime_routes(pin, python))

    with publishing as site:
        say("Building the wheel and running the study")
        fresh = site / "b" / "fresh"
        wheel = build_wheel(python, ROOT, fresh / "wheel", date.epoch)
        cells = parse_cells((ROOT / "replay_lab" / "notebook.py").read_text(encoding="utf-8"))
        outputs = run_study(python, wheel, cells, fresh / "saved", cache)
        results, catalogue = (
            json.loads((fresh / "saved" / name).read_text(encoding="utf-8"))
            for name in ("results.json", "catalogue.json")
        )

        write_runtime(pin, files, fresh / "runtime")
        prepared = prepare_boots(
            pin, fresh / "runtime", wheel, cache, fastest=fastest, making=making
        )
        prepared.write(fresh / "prepared")
        name_for_hosts(fresh / "runtime")
        copy_page(PAGE, fresh / "page")
        write_licenses(ROOT, NOTICES, fresh / "runtime", fresh / "licenses")
        notebook = make_notebook(cells, outputs, results, library_source(wheel))
        write_text(fresh / "notebook" / NOTEBOOK_NAME, notebook)

        facts, manifest = describe_build(
            fresh, pin=pin, date=date, version=wheel_version(wheel), boots=prepared.boots,
            wheel=f"wheel/{wheel.name}",
            notebook=f"notebook/{NOTEBOOK_NAME}", outputs=outputs,
        )  # fmt: skip
        write_text(fresh / MANIFEST_NAME, manifest)
        fresh.rename(site / facts.base)
        template = (PAGE / "index.html").read_text(encoding="utf-8")
        page = fill_page(
            template, results=results, catalogue=catalogue, cells=cells, build=facts
        )
        write_text(site / "index.html", page)
        write_service_worker(site, facts)
        write_host_files(site)
    return facts


if __name__ == "__main__":
    sys.exit(main(build_site))
