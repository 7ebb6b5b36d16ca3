"""What runs inside the sandbox: the cells of one hand-in, and each question's tests in a fork that ends with them.

``main`` reads one job from its standard input, a JSON object on a line (see ``grading``), and
writes JSON lines to its standard output. A fork asks for a question's tests only when the hand-in's cells before its check
have run, so no cell can read them. Python cannot keep a program's secrets from itself: what is left to a determined cheater
stands in the instructor's guide.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import gc
import inspect
import json
import operator
import os
import platform
import posix
import re
import resource
import sys
import types
from _thread import get_ident
from collections.abc import Callable
from functools import partial, wraps
from hashlib import blake2b, shake_256
from typing import Any

from labkit import checks

# Denied to a hand-in (Python's audit events): new programs and processes, the network, machine code, the grader's objects.
_EVENTS = (
    "os.fork os.exec os.posix_spawn os.spawn os.system os.kill subprocess. pty. ctypes. signal.pthread_kill "
    "socket.connect socket.sendto socket.getaddrinfo gc.get_objects gc.get_referrers gc.get_referents "
    "sys._current_frames sys._current_exceptions sys.setprofile sys.addaudithook"
)
DENIED = tuple(_EVENTS.split())
# What the tests rely on: a hand-in may not replace a function, class or module in them.
_MODULES = (
    "builtins sys os io gc math cmath random time types inspect copy copyreg collections itertools functools operator "
    "statistics string re json pickle typing warnings unittest contextlib dataclasses importlib abc enum traceback "
    "signal pathlib threading hmac hashlib codecs numbers numpy torch scipy sklearn pandas transformers tokenizers gensim rank_bm25 bm25s "
    "ir_measures otter labkit IPython"
)
WATCHED = frozenset(_MODULES.split())
# What comparisons in tests go through: looked at after every test; the others, which take longer, after every question.
_COMPARING = (
    "builtins math operator json numpy numpy.testing numpy.testing._private.utils numpy._core.numeric torch torch.testing "
    "otter.test_files.exception_test"
)
VITAL = frozenset(_COMPARING.split())
HARMLESS = {"builtins.print", "warnings.showwarning", "warnings.formatwarning", "sys.excepthook"}
MEMORY = re.compile(r"/proc/[^/]+/(task/[^/]+/)?mem$")
# What a class says of itself where others compare it.
_METHODS = "eq ne lt le gt ge bool array array_function array_ufunc torch_function getattribute copy deepcopy reduce reduce_ex"
ANSWERS = {f"__{name}__" for name in _METHODS.split()}
SAFE = {int, float, complex, str, bytes, bool, type(None)}
PLAIN: dict[type, Callable[[Any], Any]] = {
    dict: dict.copy, list: list.copy, tuple: lambda x: tuple.__getitem__(x, slice(None)),
    str: str.__str__, float: lambda x: float.__add__(x, 0.0), int: lambda x: int.__add__(x, 0),
}  # fmt: skip
# Bound before a hand-in can put others in their places.
_encode, _caller = json.JSONEncoder().encode, sys._getframe
_interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
INSPECT = inspect.__file__


class Channel:
    """Lines to and from the grader, on descriptors of their own; what a hand-in prints goes elsewhere.

    A hand-in shares these descriptors, but not the key that came with the job, before any of its cells: what is sent is
    signed with it, what is received is veiled with it.
    """

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(2, 1)  # the grader reads standard error, keeps its beginning, and throws the rest away
        self._key = bytes.fromhex(self._line().decode())

    def send(self, **message: Any) -> None:
        data = sign(_encode(message).encode("ascii", "replace"), self._key) + b"\n"
        while data:
            with contextlib.suppress(BlockingIOError):  # a hand-in may have changed the descriptor
                data = data[os.write(self._out, data) :]

    def receive(self) -> dict[str, Any]:
        try:
            return json.loads(veil(bytes.fromhex(self._line().decode()), self._key))
        except ValueError:
            os._exit(3)  # the hand-in took a piece of the line

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            with contextlib.suppress(BlockingIOError):
                line += os.read(self._in, 1) or os._exit(3)  # the grader is gone
        return line.strip()


def sign(data: bytes, key: bytes) -> bytes:
    """``data`` after its keyed BLAKE2b hash (RFC 7693)."""
    return blake2b(data, key=key, digest_size=32).hexdigest().encode() + b" " + data


def veil(data: bytes, key: bytes) -> bytes:
    """``data`` xor a stream from the key and the 16 bytes in front of it; again, it unveils. SHAKE-256 (FIPS 202)."""
    stream = shake_256(key + data[:16]).digest(len(data) - 16)
    veiled = int.from_bytes(data[16:], "big") ^ int.from_bytes(stream, "big")
    return veiled.to_bytes(len(data) - 16, "big")


def run_apart(work: Callable[[], Any], seconds: float) -> tuple[Any, str]:
    """Run ``work`` in a thread, from where no frame leads to the grader; its result, and what went wrong or "".

    What does not end in time is interrupted; what then still runs is left behind.
    """
    outcome: list[Any] = []
    ended = _thread.allocate_lock()
    ended.acquire()

    def target() -> None:
        try:
            outcome[:] = [(work(), "")]
        except BaseException as error:  # a hand-in may raise anything
            outcome[:] = [(None, words(error, 2000))]
        finally:
            ended.release()

    # Not threading's Thread: a hand-in can change that one, and what it does before it runs.
    thread = _thread.start_new_thread(target, ())
    for wait in (seconds, 1, 1, 1):
        if ended.acquire(timeout=wait):
            return outcome[0]
        _interrupt(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
    return None, f"it ran for more than {seconds:.0f} s"


def words(error: BaseException, most: int) -> str:
    """A hand-in's error as text, whatever its class does."""
    try:
        return f"{type(error).__name__}: {error}"[:most]
    except BaseException:
        return "an error that cannot be written"


class Guard:
    """Refuses DENIED events, in every thread but the grader's; ``noted`` is what was refused, or strange."""

    def __init__(self) -> None:
        self.noted: list[str] = []
        self.free: int | None = get_ident()  # the thread that may do all
        # labkit's ``limited`` may trace, to end what runs too long.
        self.busy, self.limited = False, {id(code): code for code in within(checks.limited.__code__)}
        self.here = tuple(
            {*sys.path, sys.prefix, sys.base_prefix, os.getcwd(), "/usr", "/labkit"} - {"", "/"}
        )
        self.here += (os.environ.get("LABKIT_DATA") or "/-",)
        # There is no event for what runs in a fork's main thread.
        posix.register_at_fork = os.register_at_fork = self.refuse
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.busy or get_ident() == self.free:
            return
        if event.startswith(DENIED):
            self.note(event)
            raise PermissionError(f"{event} is not allowed while hand-ins are graded")
        if event == "open" and isinstance(args[0], str) and MEMORY.match(args[0]):
            self.note(f"open {args[0]}")
            raise PermissionError("memory is not a file while hand-ins are graded")
        if event in ("os.listdir", "os.scandir"):
            where = str(args[0] or ".")
            if where.startswith(("/", "..")) and not where.startswith(self.here):
                self.note(f"{event} {where}")
        elif event == "import" and str(args[0]).startswith("labkit.course"):
            self.note(f"import {args[0]}")
        elif event in ("sys._getframe", "sys.settrace"):
            self.busy = True
            try:
                frame = _caller(1)
                if event == "sys.settrace":
                    allowed = self.may_trace(frame)
                else:
                    code = frame.f_back.f_code if frame.f_code.co_filename == INSPECT else frame.f_code
                    allowed = not code.co_filename.startswith("<ipython-input")
            finally:
                self.busy = False
            if not allowed:
                self.note(event)
                raise PermissionError(f"{event} is not allowed while hand-ins are graded")

    def may_trace(self, frame: types.FrameType) -> bool:
        """Whether ``limited`` sets its own tracer, or Python takes it away because it has raised its error."""
        if id(frame.f_code) in self.limited:
            return id(getattr(frame.f_locals.get("trace"), "__code__", None)) in self.limited
        tracer = sys.gettrace()
        if id(getattr(tracer, "__code__", None)) not in self.limited:
            return False
        left = tracer.__closure__[tracer.__code__.co_freevars.index("left")]
        return left.cell_contents <= 0

    def refuse(self, *args: Any, **kwargs: Any) -> None:
        if _caller(1).f_code.co_filename.startswith("<ipython-input"):
            self.note("os.register_at_fork")

    def note(self, what: str) -> None:
        if what not in self.noted and len(self.noted) < 20:
            self.noted.append(what[:80])


def photograph() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Every loaded module of WATCHED, with its functions, classes and modules, and the methods of its Python classes."""
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in WATCHED and isinstance(module, types.ModuleType):
            here = {k: v for k, v in vars(module).items() if callable(v) or isinstance(v, types.ModuleType)}
            found[name] = (module, here)
            for key, kind in here.items():
                # A class of Python's, at home in this module: its methods can be replaced.
                if isinstance(kind, type) and kind.__module__ == name and kind.__flags__ & (1 << 9):
                    methods = {k: v for k, v in vars(kind).items() if callable(v) or hasattr(v, "__get__")}
                    found[f"{name}.{key}"] = (kind, methods)
    seen = set()
    for name, (_, values) in list(found.items()):
        for key, value in values.items():
            for inner in (value, getattr(value, "__wrapped__", None)):
                if isinstance(inner, types.FunctionType) and inner not in seen:
                    seen.add(inner)
                    insides = {k: getattr(inner, k) for k in ("__code__", "__defaults__", "__kwdefaults__")}
                    label = f"{name}.{key}" + ("" if inner is value else ".__wrapped__")
                    found.setdefault(label, (inner, insides))
    return found


def restore(before: dict[str, tuple[Any, dict[str, Any]]]) -> list[str]:
    """Undo what was replaced since ``photograph``; return the names of what a hand-in's own code replaced."""
    changed = []
    for name, (owner, values) in before.items():
        module, function = isinstance(owner, types.ModuleType), isinstance(owner, types.FunctionType)
        if module and sys.modules.get(name) is not owner:
            sys.modules[name] = owner
            changed.append(name)
        now = {k: getattr(owner, k) for k in values} if function else vars(owner)
        for key, value in values.items():
            if now.get(key) is not value:
                with contextlib.suppress(AttributeError, TypeError):
                    # Libraries replace their own parts when others are loaded: undone too, but nobody's fault.
                    new = now.get(key)
                    new = new.fget if isinstance(new, property) else new
                    home = getattr(new, "__name__" if isinstance(new, types.ModuleType) else "__module__", "")
                    own = str(home).split(".")[0] in (name.split(".")[0], "IPython")
                    setattr(owner, key, value)
                    changed += [] if own or f"{name}.{key}" in HARMLESS else [f"{name}.{key}"]
    return changed


def codes(value: object) -> list[bytes]:
    """The compiled code of a function or class, of all that is in it, without file names and line numbers."""
    if isinstance(value, type):
        return [code for _, part in sorted(vars(value).items()) for code in codes(part)]
    code = value if isinstance(value, types.CodeType) else getattr(value, "__code__", None)
    if code is None:
        return []
    plain = [(c, [x for x in c.co_consts if not isinstance(x, types.CodeType)]) for c in within(code)]
    return [c.co_code + repr((c.co_names, constants)).encode() for c, constants in plain]


def within(code: types.CodeType) -> list[types.CodeType]:
    """A function's code and that of all that is defined in it."""
    return [code, *(c for part in code.co_consts if isinstance(part, types.CodeType) for c in within(part))]


def classes() -> set[type]:
    """Every class there is."""
    found: set[type] = {object}
    todo = [object]
    while todo:
        new = [k for k in type.__subclasses__(todo.pop()) if k not in found]
        found.update(new)
        todo += [k for k in new if not issubclass(k, type)]
    return found


class Honesty:
    """Looks at what answers return: objects of a hand-in's own classes that call themselves equal become plain copies."""

    def __init__(self, given: set[str]) -> None:
        """``given``: names of the lab's own classes."""
        self.known, self.given = classes(), given
        # The tests' code: their own classes may say what they want.
        self.tests: dict[int, types.CodeType] = {}
        self.met: set[str] = set()
        self._lies = dict.fromkeys(SAFE, False)

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self.plain(function(*args, **kwargs))

        return call

    def plain(self, value: Any) -> Any:
        """``value`` itself where it is honest all through; otherwise a copy, or an AssertionError."""
        kind = type(value)
        if self.lies(kind):
            self.met.add(kind.__name__)
            for base, copy in PLAIN.items():
                if base in kind.__mro__:
                    return self.plain(copy(value))
            raise AssertionError(
                f"the result holds an object of the class {kind.__name__}, made in this notebook"
            )
        if kind in (list, tuple, set, frozenset) and not set(map(type, value)) <= SAFE:
            inside = [self.plain(v) for v in value]
            return value if all(map(operator.is_, inside, value)) else kind(inside)
        if kind is dict and not set(map(type, [*value, *value.values()])) <= SAFE:
            keys, inside = [self.plain(k) for k in value], [self.plain(v) for v in value.values()]
            same = all(map(operator.is_, keys, value)) and all(map(operator.is_, inside, value.values()))
            return value if same else dict(zip(keys, inside, strict=True))
        return value

    def lies(self, kind: type) -> bool:
        if kind not in self._lies:
            own = [k for k in kind.__mro__ if k not in self.known and not _in_library(k)]
            compares = kind.__name__ not in self.given and any(
                id(getattr(vars(k)[name], "__code__", None)) not in self.tests
                for k in own
                for name in ANSWERS & set(vars(k))
            )
            self._lies[kind] = compares or str(kind.__module__).split(".")[0] in (
                "unittest",
                "_pytest",
                "hypothesis",
            )
        return self._lies[kind]


def _in_library(kind: type) -> bool:
    """Whether the module that a class names as its own has it, and its file defines it."""
    module = sys.modules.get(str(kind.__module__))
    file = getattr(module, "__file__", None) or ""
    if (
        getattr(module, kind.__name__, None) is not kind
        or not file.endswith(".py")
        or file.startswith(os.getcwd())
    ):
        return False
    with open(file, encoding="utf-8") as source:
        return re.search(rf"^\s*class {re.escape(kind.__name__)}\b", source.read(), re.MULTILINE) is not None


class Judge:
    """One hand-in: its cells run in order, each question judged where its last check stands, the others at the end."""

    def __init__(self, channel: Channel, job: dict[str, Any]) -> None:
        from IPython.core.interactiveshell import InteractiveShell

        from labkit import session

        self.channel, self.job = channel, job
        self.shell = InteractiveShell.instance(colors="NoColor")
        self.shell.history_manager.enabled = False
        self.shell.enable_gui = lambda gui=None: None  # %matplotlib inline
        self.shell.system = self.shell.getoutput = lambda command, *rest, **more: None  # !pip install
        # A check with more in its cell.
        session._NoTests.check = session._NoTests.check_all = lambda *args: None
        self.guard = Guard()
        self.before, self.honesty = photograph(), Honesty(set(job["names"]))

    def run(self) -> None:
        judged: set[str] = set()
        for number, (source, question) in enumerate(self.job["cells"]):
            if question:
                self.judge(question)
                judged.add(question)
            elif error := self.cell(source):
                self.channel.send(cell=number, error=error)
        for question in self.job["questions"]:
            if question not in judged:
                self.judge(question)
        self.channel.send(done=True, noted=self.guard.noted)

    def cell(self, source: str) -> str:
        """Run a cell; return its error, or ""."""
        run = partial(self.shell.run_cell, source, store_history=False)  # no way from it to this object
        result, wrong = run_apart(run, self.job["cell_seconds"])
        error = wrong or result.error_before_exec or result.error_in_exec
        return error if isinstance(error, str) else words(error, 500) if error else ""

    def judge(self, question: str) -> None:
        """Fork; the child asks for the tests, runs them, reports, and ends. So no cell sees a test, nor what it did."""
        gc.callbacks.clear()
        child = os.fork()
        if not child:
            try:
                gc.disable()
                changed = restore(self.before)
                # What it sees of the tests it cannot write down.
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
                self.channel.send(ask=question)
                self.report(question, self.channel.receive(), changed)
            except BaseException as error:  # not the hand-in's: the grader says so
                self.channel.send(failed=question, error=words(error, 500))
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def report(self, question: str, answer: dict[str, Any], changed: list[str]) -> None:
        import torch

        self.guard.free = None
        grader = self.shell.user_ns.get("grader")
        if grader is not None and not type(grader).__module__.startswith(("otter", "labkit")):
            changed.append("grader")
        torch.set_default_dtype(torch.float32)
        environment = dict(self.shell.user_ns)
        for name, source in self.job["given"].items():
            same, wrong = run_apart(partial(self.give, name, source, environment), 5)
            changed += [] if same and not wrong else [name]
        for name in self.job["answers"]:
            value = environment.get(name)
            if callable(value) and not isinstance(value, type):
                environment[name] = self.honesty.wrap(value)
        rows = self.run_tests(answer["tests"], environment, changed)
        fooled = False
        for wrong in answer["wrong"] if sum(not passed for passed, _ in rows) <= answer["decoys"] else ():
            copy = dict(environment)
            run_apart(partial(exec, wrong, copy), self.job["test_seconds"])
            again = self.run_tests(answer["tests"], copy, changed)
            fooled |= sum(not passed for passed, _ in again) <= answer["decoys"]
        facts = {
            "changed": changed[:20],
            "fooled": fooled,
            "met": sorted(self.honesty.met)[:5],
            "noted": self.guard.noted,
        }
        self.channel.send(question=question, rows=rows, **facts)

    def run_tests(
        self, source: str, environment: dict[str, Any], changed: list[str]
    ) -> list[tuple[bool, str]]:
        """Run a question's tests as Otter reads them: for each whether it passed, and what went wrong."""
        from otter.test_files.exception_test import ExceptionTestFile

        vital = {
            name: owner
            for name, owner in self.before.items()
            if name in VITAL or name.removesuffix(".__wrapped__").rpartition(".")[0] in VITAL
        }
        rows, cases = [], ExceptionTestFile.from_string(source).test_cases
        for test in cases:
            self.honesty.tests |= {id(code): code for code in within(test.body.test_func.__code__)}
        for test in cases:
            _, wrong = run_apart(partial(test.body.call_func, environment), self.job["test_seconds"])
            if replaced := restore(vital):
                changed += replaced
                wrong = wrong or f"it replaced {', '.join(replaced[:3])} while the test ran"
            rows.append((not wrong, str(wrong)))
        changed += restore(self.before)
        return rows

    def give(self, name: str, source: str, environment: dict[str, Any]) -> bool:
        """Put the released form of a function that tests use in its place, if the hand-in changed it; False if it did."""
        fresh = dict(environment)
        exec(source, fresh)
        same = name not in environment or codes(fresh[name]) == codes(environment[name])
        environment[name] = fresh[name]
        return same


def main() -> None:
    """Run the one job."""
    channel = Channel()
    job = channel.receive()
    # Libraries load late what does what a hand-in may not: it adds an audit hook, opens a machine library.
    late = ["from transformers import BertModel"] * any("pretrained" in i for i in job["imports"])
    # What tests compare with is loaded, and so watched, before a hand-in can touch it.
    for statement in (*job["imports"], "import filelock, numpy.testing, torch.testing", *late):
        with contextlib.suppress(ImportError):
            exec(statement, {})
    platform.platform()  # libraries ask for it, and the first time it starts a program
    sys.modules.pop(__name__, None)  # a hand-in that imports this module gets another one
    vars(sys.modules["labkit.course"]).pop("judge", None)
    Judge(channel, job).run()
