"""Cells that harm Python, end it, ask for what a tab does not have, or speak to the page in its name; and what the page then says."""

from __future__ import annotations

FILL_MEMORY = "hold, size = [], 1 << 26\nwhile True:\n    try:\n        hold.append(bytearray(size))\n    except MemoryError:\n        if size < 64: raise\n        size //= 2"

ENDS = [
    ("import os\nos._exit(1)", "a cell told it to exit, with code 1"),
    ("import sys\nsys.setrecursionlimit(10**6)\nclass Endless:\n    def __repr__(self): return repr([self])\nEndless()", "calls went deeper than this browser allows"),
    ("import os\nos.abort()", "a cell aborted it"),
    ("import sys\nsys.setrecursionlimit(10**6)\ndef endless(): return endless()\nendless()", "calls went deeper than this browser allows"),
    ("import json\ndeep = []\nfor _ in range(100_000): deep = [deep]\njson.dumps(deep)", "calls went deeper than this browser allows"),
    ("deep = ()\nfor _ in range(1_000_000): deep = (deep,)\ndel deep", "calls went deeper than this browser allows"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "a cell told it to exit, with code 137"),
    ("import ctypes\nctypes.memset(8, 255, 1 << 22)", "a cell wrote over its memory"),
    ("import js\njs.close()", "a cell or the browser ended it"),
    ("import json\njson.JSONEncoder.iterencode = None", "the page's own Python failed after what a cell did: TypeError"),
]  # fmt: skip

HARMS = [
    ("builtins.print, builtins.len, builtins.repr", "import builtins\nbuiltins.print = builtins.len = builtins.repr = None", "put back after it: len, print and repr"),
    ("an endless recursion", "def endless(): return endless()\nendless()", "calls itself without end"),
    ("64 MB and again, until there is no more", "hold = []\nwhile True:\n    hold.append(bytearray(1 << 26))", "Make the arrays smaller, or restart Python"),
    *[
        (f"builtins.{name}", f"import builtins\nbuiltins.{name} = lambda *_: None", f"put back after it: {name}.")
        for name in ("open", "isinstance", "Exception", "__import__", "str", "list", "dict", "type", "int", "super", "eval", "compile", "all", "getattr")
    ],
    ("all builtins are gone", "import builtins\nvars(builtins).clear()", "put back after it: __name__"),
    ("__builtins__ = {}", "__builtins__ = {}", "nothing printed"),
    ("builtins.display is gone", "import builtins\ndel builtins.display\n1 + 1", "2"),
    ("sys.exit()", "import sys\nsys.exit()", "Nothing was ended: variables are kept."),
    ("exit()", "exit()", "Nothing was ended: variables are kept."),
    ("sys.stdout = None", "import sys\nsys.stdout = sys.stderr = None\nprint('unheard')\n'shown'", "shown"),
    ("sys.stdout is gone", "import sys\ndel sys.stdout, sys.stderr, sys.stdin", "nothing printed"),
    ("sys.stdout.close()", "import sys\nsys.stdout.close()\nprint('still heard')", "still heard"),
    ("the working directory is removed", "import os, shutil\nshutil.rmtree(os.getcwd())", "OSError"),
    ("all files are removed", "import os, shutil\nopen('mine', 'w').close()\nshutil.rmtree('/', ignore_errors=True)\nos.listdir('.')", "[]"),
    ("another working directory, removed", "import os\nos.mkdir('/tmp/gone')\nos.chdir('/tmp/gone')\nos.rmdir('/tmp/gone')", "OSError"),
    ("json.dumps", "import json\njson.dumps = json.loads = lambda *_: 'nothing'", "put back after it: json.dumps and json.loads."),
    ("json.encoder", "import json.encoder\njson.encoder.encode_basestring_ascii = json.encoder.JSONEncoder = None", "put back after it: json.encoder"),
    ("sys.modules.clear()", "import sys\nsys.modules.clear()", "put back after it: sys.modules["),
    ("sys.modules without numpy", "import sys\nfor name in list(sys.modules):\n    if name.startswith(('numpy', 'replay_lab', 'cell_')): del sys.modules[name]", "put back after it: sys.modules["),
    ("sys.modules full of None", "import sys\nfor name in list(sys.modules): sys.modules[name] = None", "put back after it: sys.modules["),
    ("sys.path and sys.meta_path", "import sys\nsys.path.clear()\nsys.meta_path.clear()", "put back after it: sys.path and sys.meta_path."),
    ("traceback and ast", "import traceback, ast, linecache\ntraceback.extract_tb = ast.parse = linecache.cache = None", "put back after it: ast.parse"),
    ("the page's own modules", "import cell_runner, cell_errors\ncell_runner.json = cell_errors.describe_error = None", "put back after it: cell_"),
    ("asyncio", "import asyncio\nasyncio.ensure_future = asyncio.CancelledError = None", "put back after it: asyncio."),
    ("time", "import time\ntime.perf_counter = time.monotonic = time.sleep = None", "nothing printed"),
    ("sys.settrace", "import sys\nsys.settrace(lambda *_: None)\nsys.setprofile(lambda *_: None)", "put back after it: sys.settrace and sys.setprofile."),
    ("a low recursion limit", "import sys\nsys.setrecursionlimit(30)", "put back after it: sys.setrecursionlimit."),
    ("its own task is cancelled", "import asyncio\nfor task in asyncio.all_tasks(): task.cancel()\nprint('done')", "done"),
    ("a task that fails later", "import asyncio\nasync def fails(): raise ValueError('later')\ntask = asyncio.ensure_future(fails())", "nothing printed"),
    ("a task that exits later", "import asyncio\nasync def leaves(): raise SystemExit(3)\ntask = asyncio.ensure_future(leaves())\nawait asyncio.sleep(0.1)", "Computed in this tab"),
    ("the loop is closed", "import asyncio\nloop = asyncio.get_running_loop()\nloop.stop()\nloop.close()", "nothing printed"),
    ("an error whose text raises SystemExit", "class Odd(Exception):\n    def __str__(self): raise SystemExit\nraise Odd", "its message could not be made: SystemExit"),
    ("an error whose module is a number", "class Odd(Exception):\n    __module__ = 3\nraise Odd", "Odd: no message was given"),
    ("an error whose class has no name", "class Kind(type):\n    @property\n    def __name__(cls): return 1 / 0\nclass Odd(Exception, metaclass=Kind): pass\nraise Odd", "Odd: no message was given"),
    ("half a character", "raise ValueError('\\ud800')", "ValueError"),
    ("a value whose form exits", "class Odd:\n    def __repr__(self): raise SystemExit\nOdd()", "Nothing was ended: variables are kept."),
    ("a value whose form is no JSON", "class Odd:\n    def _repr_mimebundle_(self, **_): return {'text/html': object()}\nOdd()", "TypeError"),
    ("a value that says NaN", "class Odd:\n    def _repr_mimebundle_(self, **_): return {'application/json': float('nan'), 'text/plain': ''}\nOdd()", "JSON"),
    ("results that are none", "from replay_lab import StudyResults\nclass Odd(StudyResults):\n    def __init__(self): pass\nresults = Odd()", "AttributeError"),
    ("js.postMessage = None", "import js\njs.postMessage = None", "nothing printed"),
    ("js.onmessage", "import js\nfrom pyodide.ffi import create_proxy\njs.self.onmessage = create_proxy(lambda event: 1 / 0)", "Computed in this tab"),
]  # fmt: skip

# Of the cells that the fourth needs, the third is edited too.
BLAME = "This is the published code, but cells 3 and 4 ran before it in this Python"
NEEDS_RESTART = [
    ("print is redefined", "def print(*_): raise ValueError('mine')"),
    ("replay_lab is changed", "import replay_lab.training as training\ntraining.train_step = None"),
    ("numpy is changed", "import numpy\nnumpy.float32, numpy.ndarray = numpy.float64, None"),
    ("every byte of memory is held", FILL_MEMORY),
]  # fmt: skip

NOT_HERE = [
    ("threading.Thread", "import threading\nthreading.Thread(target=print).start()"),
    ("subprocess.run", "import subprocess\nsubprocess.run(['ls'])"),
    ("os.system", "import os\nos.system('ls')"),
    ("threading.Timer", "import threading\nthreading.Timer(1, print).start()"),
    ("ThreadPoolExecutor", "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool: pool.submit(print)"),
    ("ProcessPoolExecutor", "from concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor() as pool: pool.submit(print)"),
    ("os.popen", "import os\nos.popen('ls').read()"),
    ("os.fork", "import os\nos.fork()"),
    ("os.execv", "import os\nos.execv('/bin/ls', ['ls'])"),
    ("os.spawnv", "import os\nos.spawnv(os.P_WAIT, '/bin/ls', ['ls'])"),
    ("os.posix_spawn", "import os\nos.posix_spawn('/bin/ls', ['ls'], {})"),
    ("multiprocessing.Process", "import multiprocessing\nmultiprocessing.Process(target=print).start()"),
    ("multiprocessing.Pool", "import multiprocessing\nmultiprocessing.Pool(2).map(abs, [1])"),
    ("asyncio.create_subprocess_exec", "import asyncio\nawait asyncio.create_subprocess_exec('ls')"),
]
ONE_SENTENCE = "Python in a browser tab has one thread and starts no other programs: do this work in the cell itself."

FORGE = """import js
from pyodide.ffi import to_js
def plain(value): return to_js(value, dict_converter=js.Object.fromEntries)
for number in range(200):
    js.postMessage(plain(MESSAGE))
print("posted")"""
MESSAGES = [
    ("nothing", "None"),
    ("a cell's end without its fields", "{'protocol': 1, 'requestId': number, 'type': 'cell-ended'}"),
    ("a forged end", "{'protocol': 1, 'requestId': number, 'type': 'cell-ended', 'outcome': 'done', 'elapsedMs': 1, 'error': None, 'agreement': {'status': 'same', 'headline': 'Same bits as saved: forged'}}"),
    ("a text", "'text'"),
    ("an empty object", "{}"),
    ("no protocol", "{'requestId': number, 'type': 'stream', 'name': 'stdout', 'text': 'forged'}"),
    ("an unknown type", "{'protocol': 1, 'requestId': number, 'type': 'explode'}"),
    ("__proto__ as type", "{'protocol': 1, 'requestId': number, 'type': '__proto__'}"),
    ("a forged failure", "{'protocol': 1, 'requestId': number, 'type': 'failed', 'message': 'forged'}"),
    ("forged output", "{'protocol': 1, 'requestId': number, 'type': 'stream', 'name': 'stdout', 'text': 'forged'}"),
    ("forged files", "{'protocol': 1, 'requestId': number, 'type': 'files', 'files': [1, None]}"),
    ("progress", "{'protocol': 1, 'requestId': number, 'type': 'progress', 'stage': 'x', 'text': 'forged', 'loadedBytes': 1, 'totalBytes': 2}"),
    ("no number", "{'protocol': 1, 'requestId': 'x', 'type': 'interrupt-sent'}"),
    ("a function", "js.Object.assign(js.Object.new(), plain({'protocol': 1, 'type': number}))"),
]  # fmt: skip
