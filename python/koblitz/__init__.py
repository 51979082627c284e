"""Signatures of secp256k1 in tables of pyarrow and pandas, and in files.

verify and recover append verdicts to a table. check reports on files. The program koblitz, which
is part of this package, does the work: verify and recover keep processes of it and share them among
threads.

Columns hold bytes, or text in hex or base64 (encoding "auto"; "hex" and "base64" apply to bytes
too, and with "binary" text is bytes). A null makes its row malformed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, overload

import pyarrow as pa
import pyarrow.compute as pc

from . import _stream
from ._check import CheckError, Failure, Report, check
from ._program import Error
from ._version import VERSION as __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CheckError", "Error", "Failure", "Report", "RowError", "check", "recover", "verify"]

for _public in (CheckError, Error, Failure, Report, check):
    _public.__module__ = __name__  # as in errors; the modules they are in are private

Data = TypeVar("Data", "pa.Table", "pa.RecordBatch", "pa.RecordBatchReader", "pd.DataFrame")
Array = Union["pa.Array[Any]", "pa.ChunkedArray[Any]"]
Encoding = Literal["auto", "hex", "base64", "binary"]
_TEXT = 2**31 - 1  # limit on the bytes of text in an array of the type string


class RowError(Error):
    """A row cannot be read, or with strict is not valid. row is its number, from 0."""

    def __init__(self, row: int, what: str):
        super().__init__(row, what)
        self.row = row

    def __str__(self) -> str:
        return f"row {self.row}: {self.args[1]}"


@overload
def verify(data: Data, *, key: str, signature: str, hash: str | None = None,
           message: str | None = None, encoding: Encoding = "auto", strict: bool = False,
           workers: int | None = None, program: str | None = None) -> Data: ...
@overload
def verify(data: None = None, *, key: Array, signature: Array, hash: Array | None = None,
           message: Array | None = None, encoding: Encoding = "auto", strict: bool = False,
           workers: int | None = None, program: str | None = None) -> pa.Table: ...
def verify(data: Any = None, *, key: Any, signature: Any, hash: Any = None, message: Any = None,
           encoding: Encoding = "auto", strict: bool = False, workers: int | None = None,
           program: str | None = None) -> Any:
    """Appends the columns verdict (valid, invalid, malformed) and reason (null for a valid row).

    With a hash the signatures are ECDSA, with a message BIP-340. data is a Table, RecordBatch,
    RecordBatchReader or DataFrame, and key, signature, hash and message name its columns. Without
    data they are arrays, and the result is a table of the new columns alone. With strict a row that
    is not valid raises RowError. workers limits the threads of the process. program is the path
    of another program koblitz.
    """
    return _call(data, _kind(hash, message), {"hash": hash, "message": message, "key": key,
                 "signature": signature}, encoding, strict, workers, program)


@overload
def recover(data: Data, *, hash: str, signature: str, sender: str | None = None,
            key: str | None = None, encoding: Encoding = "auto", strict: bool = False,
            workers: int | None = None, program: str | None = None) -> Data: ...
@overload
def recover(data: None = None, *, hash: Array, signature: Array, sender: Array | None = None,
            key: Array | None = None, encoding: Encoding = "auto", strict: bool = False,
            workers: int | None = None, program: str | None = None) -> pa.Table: ...
def recover(data: Any = None, *, hash: Any, signature: Any, sender: Any = None, key: Any = None,
            encoding: Encoding = "auto", strict: bool = False, workers: int | None = None,
            program: str | None = None) -> Any:
    """Appends verdict, reason and sender: the Ethereum address, 0x and 40 digits, or null.

    The verdict is recovered. With a sender or a key, whose own name is not sender, it is valid, or
    invalid for another signer's. The rest is as for verify.
    """
    return _call(data, "recover", {"hash": hash, "signature": signature, "sender": sender,
                 "key": key}, encoding, strict, workers, program)


def _kind(hash: Any, message: Any) -> str:
    if (hash is None) == (message is None):
        raise ValueError("either a hash (ECDSA) or a message (BIP-340)")
    return "ecdsa" if message is None else "bip340"


class _Call:
    """The arguments of one call, without its data. It can be pickled, for Spark."""

    def __init__(self, kind: str, roles: dict[str, str | None], encoding: str = "auto",
                 strict: bool = False, workers: int | None = None, program: str | None = None):
        named = {role: name for role, name in roles.items() if name is not None}
        for name in (wrong := [n for n in named.values() if not isinstance(n, str)]):
            raise TypeError(f"the name of a column is a str, not {type(name).__name__}")
        self.names = list(named.values())
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"a column cannot hold two things: {self.names}")
        if encoding not in get_args(Encoding):
            raise ValueError(f"unknown encoding {encoding!r}; known are "
                             f"{', '.join(get_args(Encoding))}")
        self.args = [program or "", "stream", f"--format=columns-{kind}", f"--encoding={encoding}"]
        if workers is not None:
            self.args.append(f"--workers={workers}")
        for role, name in named.items():  # quoted as in CSV, where names may have commas
            quoted = f"{role}={name}".replace('"', '""')
            self.args.append(f'--columns="{quoted}"')
        self.added = ["verdict", "reason"] + ["sender"] * (kind == "recover")
        self.strict = strict

    def taken(self, columns: Any) -> None:
        """Refuses a table that has a column of a name that is added."""
        if taken := sorted(str(c) for c in columns if str(c).lower() in self.added):
            raise ValueError(f"the columns {taken} are there already: rename them")

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of an answer to data of a schema."""
        self.taken(schema.names)
        for name in self.names:
            at = schema.get_all_field_indices(name)
            _one(name, schema.names)
            if not _readable(t := schema.field(at[0]).type):
                raise TypeError(f"column {name!r}: {t}, where bytes or text are needed")
        for name in self.added:
            schema = schema.append(pa.field(name, pa.string(), nullable=name != "verdict"))
        return schema

    def answers(self, pairs: Any) -> Iterator[tuple[pa.RecordBatch, list[pa.Array[Any]]]]:
        """Yields pieces of batches, and the columns to append. pairs is as for _stream.answers."""
        sent = back = 0

        def counted() -> Iterator[Any]:
            nonlocal sent
            for pair in pairs:
                sent += pair[0].num_rows
                yield pair

        for rows, columns, first in _stream.answers(tuple(self.args), counted()):
            back += rows.num_rows
            if self.strict:
                good = pc.is_in(columns[0], pa.array(["valid", "recovered"]))
                if (at := pc.index(good, False).as_py()) >= 0:
                    raise RowError(first + at, f"{columns[0][at]}: {columns[1][at]}")
            yield rows, columns
        if back != sent:
            raise Error(f"{sent} rows were sent, and {back} came back")

    def batches(self, batches: Any) -> Iterator[pa.RecordBatch]:
        """Yields record batches, in pieces, with the new columns."""
        for rows, columns in self.answers((b, b.select(self.names)) for b in batches):
            yield pa.RecordBatch.from_arrays([*rows.columns, *columns],
                                             schema=self.schema(rows.schema))


def _one(name: str, names: list[str]) -> None:
    """Refuses a name unless exactly one of the names of a table's columns is equal to it."""
    if (n := names.count(name)) == 0:
        raise ValueError(f"there is no column {name!r}; there are {names}")
    if n > 1:
        raise ValueError(f"there are {n} columns {name!r}; there are {names}")


def _readable(t: pa.DataType) -> bool:
    if isinstance(t, pa.BaseExtensionType):
        t = t.storage_type
    if pa.types.is_dictionary(t):
        t = t.value_type
    return any([is_it(t) for is_it in (
        pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary,
        pa.types.is_binary_view, pa.types.is_string, pa.types.is_large_string,
        pa.types.is_string_view, pa.types.is_null)])


def _call(data: Any, kind: str, roles: dict[str, Any], encoding: str, strict: bool,
          workers: int | None, program: str | None) -> Any:
    if data is None:
        arrays = {"address" if role == "sender" else role: a for role, a in roles.items()
                  if a is not None}
        for name, array in arrays.items():
            if not isinstance(array, (pa.Array, pa.ChunkedArray)):
                raise TypeError(f"{name}: an array of pyarrow is needed, or data and the name of "
                                f"a column, not {type(array).__name__}")
        call = _Call(kind, {name: name for name in arrays}, encoding, strict, workers, program)
        return _table(call, pa.table(arrays)).select(call.added)
    call = _Call(kind, roles, encoding, strict, workers, program)
    if isinstance(data, pa.Table):
        return _table(call, data)
    if isinstance(data, pa.RecordBatch):
        table = _table(call, pa.Table.from_batches([data]))
        added = [_joined(name, table[name]) for name in call.added]
        return pa.RecordBatch.from_arrays([*data.columns, *added], schema=table.schema)
    if isinstance(data, pa.RecordBatchReader):
        return pa.RecordBatchReader.from_batches(call.schema(data.schema), call.batches(data))
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _frame(call, data)
    raise TypeError(f"a Table, RecordBatch, RecordBatchReader or DataFrame is needed, not "
                    f"{type(data).__name__}")


def _table(call: _Call, table: pa.Table) -> pa.Table:
    schema = call.schema(table.schema)
    sent = table.select(call.names)
    answers = [columns for _, columns in call.answers((b, b) for b in sent.to_batches())]
    for i, field in enumerate(schema.field(n) for n in range(len(table.schema), len(schema))):
        column = pa.chunked_array([columns[i] for columns in answers], pa.string())
        table = table.append_column(field, column)
    return table


def _joined(name: str, column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    """The text of a column in one array."""
    if (pc.sum(pc.binary_length(column)).as_py() or 0) > _TEXT:
        raise ValueError(f"the column {name!r} of {len(column)} rows has more than {_TEXT} bytes, "
                         "too many for a RecordBatch: give a Table, or shorter batches")
    return column.combine_chunks()


def _frame(call: _Call, frame: pd.DataFrame) -> pd.DataFrame:
    call.taken(frame.columns)
    for name in call.names:
        _one(name, list(frame.columns))
    answers = [c for _, c in call.answers((b, b) for b in _batches(frame[call.names]))]
    frame = frame.copy(deep=False)
    for i, name in enumerate(call.added):
        column = pa.chunked_array([columns[i] for columns in answers], pa.string())
        frame[name] = column.to_pandas().set_axis(frame.index)
    return frame


def _batches(frame: pd.DataFrame) -> Iterator[pa.RecordBatch]:
    """Yields a frame as record batches. A column has one type, bytes or text, in all of them."""
    types: dict[str, pa.DataType] = {}
    for first in range(0, len(frame), _stream.ROWS):
        arrays = []
        for name in frame.columns:
            values = frame[name].iloc[first:first + _stream.ROWS]
            try:
                array = pa.array(values, from_pandas=True)
            except (pa.ArrowException, UnicodeError):
                array = None
            if isinstance(array, pa.ChunkedArray):
                array = array.combine_chunks()
            if array is not None and pa.types.is_null(array.type):
                array = array.cast(types.get(name, pa.binary()))
            elif array is None or not _readable(array.type) or (
                    array.type != types.setdefault(name, array.type)) or _mixed(array.type, values):
                raise _odd(name, values, first, types.get(name))
            arrays.append(array)
        yield pa.RecordBatch.from_arrays(arrays, list(frame.columns))


def _mixed(t: pa.DataType, values: Any) -> bool:
    """Whether an array of bytes was made of values with text among them."""
    if pa.types.is_dictionary(t):
        t = t.value_type
    return pa.types.is_binary(t) and any(issubclass(k, str) for k in set(map(type, values)))


def _odd(name: str, values: Any, first: int, wanted: pa.DataType | None) -> RowError:
    """The error about the first of the values that cannot be in a column with the others."""
    good: type | None = None
    if wanted is not None:
        good = str if pa.types.is_string(wanted) else bytes
    for i, (value, null) in enumerate(zip(values, values.isna())):
        if null:
            continue
        what = type(value).__name__
        if good is None and isinstance(value, (str, bytes)):
            good = type(value)
        if good is None or not isinstance(value, good):
            need = good.__name__ if good else "bytes or text"
            return RowError(first + i, f"column {name!r}: {what}, where {need} is needed")
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeError as e:
                return RowError(first + i, f"column {name!r}: {e}")
    return RowError(first, f"column {name!r}: neither bytes nor text")
