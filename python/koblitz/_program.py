"""Where the program koblitz is, and which version it has."""

from __future__ import annotations

import _thread
import functools
import importlib.metadata
import os
import queue
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Generic, TypeVar

from . import _version

T = TypeVar("T")


class Error(Exception):
    """The program koblitz is missing, is of another version, or failed."""


class Answer(Generic[T]):
    """A result that another thread gives. Unlike a Future it has no lock that Ctrl-C leaves taken.

    result may be called once.
    """

    def __init__(self) -> None:
        self.done = False
        self._box: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def give(self, result: T | None, error: BaseException | None = None) -> None:
        self.done = True
        self._box.put((result, error))

    def result(self) -> T:
        result, error = self._box.get()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]


def apart(call: Callable[[], T]) -> T:
    """Calls call in another thread, where Ctrl-C cannot stop it halfway, and waits for it."""
    answer: Answer[T] = Answer()

    def run() -> None:
        try:
            answer.give(call())
        except BaseException as e:
            answer.give(None, e)

    _thread.start_new_thread(run, ())  # the start of a threading.Thread can be interrupted
    return answer.result()


def run(args: Sequence[str]) -> tuple[int, str, str]:
    """Runs a program, and returns its exit status and outputs. Ctrl-C ends the program too."""
    started: list[subprocess.Popen[bytes]] = []
    stopped = []

    def call() -> tuple[int, str, str]:
        with subprocess.Popen(args, stdin=DEVNULL, stdout=PIPE, stderr=PIPE) as process:
            started.append(process)
            if stopped:
                process.terminate()
            out, err = (text.decode(errors="replace") for text in process.communicate())
        return process.returncode, out, err

    try:
        return apart(call)
    except BaseException:
        stopped.append(True)
        for process in started:  # on a terminal it has got the same Ctrl-C
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.terminate()
        raise


def failure(command: str, status: int, said: str) -> str:
    """What an error says about a program that failed. said is its standard error."""
    lines = [line.removeprefix("koblitz: ") for line in said.strip().splitlines()
             if not line.startswith("Try 'koblitz ")]
    return f"koblitz {command}: exit status {status}: " + "\n".join(lines)


def find(program: str | None = None) -> str:
    """Returns the path of the program: the argument, or else the one that this package brought."""
    path = program or _installed()
    said = _said(path)
    if _version.PROGRAM is not None and said != f"koblitz {_version.PROGRAM}":
        raise Error(f"{path} is {said!r}, and this package needs {_version.PROGRAM}")
    return path


@functools.cache
def _installed() -> str:
    name = "koblitz.exe" if os.name == "nt" else "koblitz"
    places: list[Path] = []
    try:
        files = importlib.metadata.files("koblitz") or []
        places = [Path(str(f.locate())) for f in files if f.name == name]
    except importlib.metadata.PackageNotFoundError:
        pass
    places.append(Path(__file__).parent.parent / "bin" / name)  # pip install --target
    for place in places:
        if place.is_file():
            return os.path.realpath(place)
    found = shutil.which(name)
    if found is None:
        raise Error("the program koblitz is neither beside this package nor in PATH")
    return found


@functools.cache
def _said(path: str) -> str:
    try:
        _, out, _ = run([path, "--version"])
    except OSError as e:
        raise Error(f"{path}: {e.strerror or e}") from e
    return out.strip()
