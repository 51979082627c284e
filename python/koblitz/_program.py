"""Where the program koblitz is, and which version it has."""

import functools
import importlib.metadata
import os
import shutil
import subprocess
from pathlib import Path

from . import _version


class Error(Exception):
    """The program koblitz is missing, is of another version, or failed."""


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
        done = subprocess.run([path, "version"], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as e:
        raise Error(f"{path}: {e.strerror or e}") from e
    return done.stdout.decode(errors="replace").strip()
