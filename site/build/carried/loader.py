# Which replay_lab runs below: the installed one when it has this notebook's version, otherwise
# the source in the next cell. That cell is folded; open it to read or to change the library.
import importlib.abc
import importlib.util
import linecache
import re
import sys

from IPython.core.magic import register_cell_magic


class CarriedSource(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports modules from text in this notebook; nothing is written to disk."""

    def __init__(self, files):
        self.files = {
            re.sub(r"(/__init__)?\.py$", "", name).replace("/", "."): (name, source)
            for name, source in files.items()
        }

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.files:
            return None
        return importlib.util.spec_from_loader(
            fullname, self, origin="this notebook", is_package=self.is_package(fullname)
        )

    def is_package(self, fullname):
        return self.files[fullname][0].endswith("/__init__.py")

    def get_source(self, fullname):
        return self.files[fullname][1]

    def get_code(self, fullname):
        name, source = self.files[fullname]
        lines = source.splitlines(keepends=True)
        linecache.cache[name] = (len(source), None, lines, name)  # for tracebacks
        return compile(source, name, "exec", dont_inherit=True)


def forget_carried_source():
    """Make a second run of the next cell start afresh."""
    sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "CarriedSource"]
    for name in [name for name in sys.modules if name.split(".")[0] == "replay_lab"]:
        del sys.modules[name]


def installed_version():
    """The version of the replay_lab that this Python would import, None where there is none."""
    if importlib.util.find_spec("replay_lab") is None:
        return None
    return importlib.import_module("replay_lab").__version__


@register_cell_magic
def replay_lab_source(version, text):
    """Make the modules in this cell importable, unless the same version is installed."""
    forget_carried_source()
    version = version.strip()
    installed = installed_version()
    if installed == version:
        print(f"Using the installed replay_lab {version}.")
        return
    _, *parts = re.split(r"^# ==== (replay_lab/\S+\.py) ====\n", text, flags=re.MULTILINE)
    forget_carried_source()
    sys.meta_path.insert(0, CarriedSource(dict(zip(parts[::2], parts[1::2]))))
    found = "not installed" if installed is None else f"installed as {installed}"
    print(f"replay_lab is {found}: using the source in this notebook, version {version}.")
