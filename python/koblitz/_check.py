"""The report of `koblitz check` on files."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from . import _program


@dataclass(frozen=True)
class Failure:
    """A row that is not valid, and its place. Fields that do not apply are None."""

    file: str
    verdict: str
    reason: str
    line: int | None = None  # from 1
    row: int | None = None  # from 0
    offset: int | None = None
    block: int | None = None
    index: int | None = None  # of the transaction in its block
    tx: str | None = None
    input: int | None = None
    event: str | None = None
    kind: str | None = None  # of the script or of the transaction
    signature: int | None = None  # number of the signature in its input, from 1


@dataclass(frozen=True)
class Report:
    """The number of rows and of each verdict, and the failures. unlisted counts those left out.

    json is the whole document, which docs/check.md describes.
    """

    ok: bool  # everything is valid
    rows: int
    valid: int
    invalid: int
    malformed: int
    engine_checked: int
    not_checkable: int
    recovered: int
    unsigned: int
    unsigned_data: int
    passed_over: int
    unlisted: int
    failures: tuple[Failure, ...]
    json: dict[str, Any]


class CheckError(_program.Error):
    """Something could not be read. report is about the rest, or None if there is no report."""

    def __init__(self, what: str, report: Report | None):
        super().__init__(what, report)
        self.report = report

    def __str__(self) -> str:
        return str(self.args[0])


def check(*files: str | os.PathLike[str], columns: Mapping[str, str] | None = None,
          options: Sequence[str] = (), program: str | None = None) -> Report:
    """Verifies every signature in files: blocks, events, packed rows, tables, folders of these.

    columns names the columns of a table, as in {"hash": "h", "key": "k", "signature": "s"}.
    options are further options of `koblitz check`. Rows that are not valid are in the report.
    Raises CheckError if an input is not read to its end, and Error if there is no report.
    """
    if isinstance(columns, str):
        raise TypeError('columns is a dict, such as {"hash": "h", "key": "k", "signature": "s"}')
    args = [_program.find(program), "check", "--json"]
    for role, name in (columns or {}).items():
        quoted = f"{role}={name}".replace('"', '""')
        args.append(f'--columns="{quoted}"')
    paths = (os.fsdecode(file) for file in files)
    args += [*options, "--", *("./-" if path == "-" else path for path in paths)]  # not stdin
    status, out, said = _program.run(args)
    what = _program.failure("check", status, said)
    try:
        found = json.loads(out)
        report = _report(found)
    except (ValueError, KeyError, TypeError) as e:
        raise CheckError(what, None) from e
    if status not in (0, 1, 4) or found["unreadable"]:
        raise CheckError(what, report)
    return report


def _report(found: dict[str, Any]) -> Report:
    known = {f.name for f in fields(Failure)}
    failures = tuple(Failure(**{k: v for k, v in failure.items() if k in known})
                     for failure in found["failures"])
    counts = {f.name: int(found[f.name]) for f in fields(Report) if f.type in (int, "int")}
    return Report(ok=found["exit"] == 0, failures=failures, json=found, **counts)
