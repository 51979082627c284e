"""Processes of `koblitz stream`, which are kept, and shared by threads.

A process has two threads: one writes the batches that are sent to it, and one reads the answers,
which come in the same order. A fork has none of its parent's processes, and starts its own.
"""

from __future__ import annotations

import atexit
import collections
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from subprocess import PIPE
from typing import Any

import pyarrow as pa

from . import _program

ROWS = 16_384  # limit on the rows of a batch; koblitz stream accepts 131,072
BYTES = 4 << 20  # size from which a batch is halved; koblitz stream accepts 32 MiB
AHEAD = 4  # limit on the batches of a call that wait for an answer
KEPT = 4  # number of processes from which an idle one is ended
TRIES = 3  # how often a batch is sent, if the process is killed each time


_Answer = _program.Answer["list[pa.Array[Any]]"]


class _Lost(_program.Error):
    """The process ended before it answered, and the batch is not known to be the reason."""


class Process:
    """A process of koblitz stream for batches of one schema."""

    def __init__(self, args: Sequence[str], schema: pa.Schema):
        self._args = args
        self._schema = schema
        self._lock = threading.Lock()
        self._error: _program.Error | None = None  # set when the process has ended
        self._queue: queue.SimpleQueue[tuple[pa.RecordBatch, _Answer] | None] = queue.SimpleQueue()
        self._waiting: collections.deque[tuple[int, _Answer]] = collections.deque()  # written
        self._last: _Answer | None = None
        self._over: _program.Answer[None] = _program.Answer()  # given when the threads end
        # A file, because a pipe that is not read could stop the process. A group of its own keeps
        # Ctrl-C away from the process: it ends with this one.
        self._stderr = tempfile.TemporaryFile()
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        self._process = subprocess.Popen(args, bufsize=0, stdin=PIPE, stdout=PIPE,
                                         stderr=self._stderr, start_new_session=True,
                                         creationflags=flags)
        for pipe in (self._process.stdin, self._process.stdout):
            _enlarge(pipe)
        self._threads = [threading.Thread(target=f, name="koblitz stream", daemon=True)
                         for f in (self._write, self._run)]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # there are too many threads
            self._process.kill()
            self._process.wait()
            self._queue.put(None)
            raise

    def send(self, batch: pa.RecordBatch) -> _Answer:
        """Sends a batch, and returns the columns of the answer that it does not have.

        One step hands over the batch and its answer. Ctrl-C, which may come between any two, cannot
        separate them.
        """
        answer: _Answer = _program.Answer()
        with self._lock:
            if self._error is None:
                self._queue.put((batch, answer))
                self._last = answer
                return answer
        answer.give(None, _Lost(str(self._error)))
        return answer

    def idle(self) -> bool:
        return self._last is None or self._last.done

    def ended(self) -> bool:
        return self._error is not None

    def close(self) -> None:
        """Ends the process at once. Batches without an answer fail."""
        self._process.kill()
        self._queue.put(None)
        self._over.result()

    def forget(self) -> None:
        """Closes what a fork has inherited. The process belongs to the parent."""
        for file in (self._process.stdin, self._process.stdout, self._stderr):
            if file is not None:
                file.close()
        self._process.returncode = 0  # keeps Popen from waiting for it

    def _run(self) -> None:
        try:
            self._read()
        finally:
            self._over.give(None)

    def _write(self) -> None:
        try:
            pipe: Any = _Pipe(self._process.stdin)
            with pa.ipc.new_stream(pa.PythonFile(pipe, "w"), self._schema) as out:
                while (sent := self._queue.get()) is not None:
                    self._waiting.append((sent[0].num_rows, sent[1]))
                    out.write_batch(sent[0])
                    del sent  # a slice keeps all of its table
        except (OSError, pa.ArrowException):
            pass  # the other thread sees the end
        finally:
            self._process.stdin.close()  # type: ignore[union-attr]

    def _read(self) -> None:
        added = len(self._schema)
        wrong = ""
        try:
            pipe: Any = _Pipe(self._process.stdout)
            answers = pa.ipc.open_stream(pa.PythonFile(pipe, "r"))
            while not wrong:
                answer = answers.read_next_batch()
                rows, to = self._waiting[0]
                names = answer.schema.names[added:]
                if answer.num_rows == rows and names[:2] == ["verdict", "reason"]:
                    columns = [_copy(c) for c in answer.columns[added:]]
                    self._waiting.popleft()
                    to.give(columns)
                    del answer, columns, to
                else:
                    wrong = f": it answered with {answer.num_rows} rows of {names}"
        except (StopIteration, OSError, pa.ArrowException, IndexError):
            pass  # it ended, in the middle of an answer perhaps
        except Exception as e:  # an odd answer, of another program
            wrong = f": {e}"
        if wrong:
            self._process.kill()
        try:
            status = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._stderr.seek(0)
        said = self._stderr.read()[-4000:].decode(errors="replace")
        error = _program.Error(_program.failure("stream", status, said) + wrong)
        with self._lock:
            self._error = error
        self._queue.put(None)
        self._threads[0].join(10)  # writes fail now
        waiting = [answer for _, answer in self._waiting]
        self._waiting.clear()
        while not self._queue.empty():
            if (sent := self._queue.get()) is not None:
                waiting.append(sent[1])
        # Answers come in order: the first batch without one ended a process that was not killed.
        for i, answer in enumerate(waiting):
            blamed = i == 0 and (status >= 0 or wrong)
            answer.give(None, error if blamed else _Lost(str(error)))
        self._process.stdout.close()  # type: ignore[union-attr]
        self._stderr.close()


def _enlarge(pipe: Any) -> None:
    """Lets a pipe hold a megabyte, where the system can and allows it: fewer switches of tasks."""
    try:
        import fcntl
        fcntl.fcntl(pipe, getattr(fcntl, "F_SETPIPE_SZ"), 1 << 20)
    except (ImportError, AttributeError, OSError):
        pass


class _Pipe:
    """An end of a pipe, with reads and writes that are complete."""

    def __init__(self, raw: Any):
        self._raw = raw
        self.closed = False

    def read(self, n: int) -> bytearray:
        data = bytearray(n)
        with memoryview(data) as view:
            got = 0
            while got < n:
                k = self._raw.readinto(view[got:])
                if not k:
                    break
                got += k
        del data[got:]
        return data

    def write(self, data: Any) -> int:
        with memoryview(data) as view:
            sent = 0
            while sent < len(view):
                sent += self._raw.write(view[sent:])
            return sent

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def _copy(array: pa.Array[Any]) -> pa.Array[Any]:
    """A copy of an answer's column, which does not keep the whole answer in memory."""
    buffers = [b and pa.py_buffer(b.to_pybytes()) for b in array.buffers()]
    return pa.Array.from_buffers(array.type, len(array), buffers, array.null_count, array.offset)


class _Pool:
    """The processes of this program, by command and schema."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: collections.OrderedDict[tuple[Any, ...], Process] = collections.OrderedDict()

    def send(self, args: tuple[str, ...], batch: pa.RecordBatch) -> _Answer:
        key = (args, *((f.name, f.type) for f in batch.schema))
        with self._lock:
            process = self._kept.get(key)
            if process is not None and not process.ended():
                self._kept.move_to_end(key)
                return process.send(batch)
        return _program.apart(lambda: self._start(key, batch))

    def _start(self, key: tuple[Any, ...], batch: pa.RecordBatch) -> _Answer:
        """Sends a batch to a new process, unless another thread has started one."""
        args = key[0]
        with self._lock:
            process = self._kept.get(key)
            if process is None or process.ended():
                program = _program.find(args[0])
                process = self._kept[key] = Process((program, *args[1:]), batch.schema)
            self._kept.move_to_end(key)
            answer = process.send(batch)
            if len(self._kept) > KEPT:
                for old in list(self._kept):
                    if self._kept[old].idle():
                        self._kept.pop(old).close()
                        break
        return answer

    def close(self) -> None:
        _program.apart(self.close_here)

    def close_here(self) -> None:
        """Does the work of close. Python starts no thread while it exits."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].close()

    def forget(self) -> None:
        for process in self._kept.values():
            process.forget()
        self.__init__()  # type: ignore[misc]


_pool = _Pool()
atexit.register(_pool.close_here)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.forget)


def answers(args: tuple[str, ...], batches: Iterable[tuple[pa.RecordBatch, pa.RecordBatch]],
            ) -> Iterator[tuple[pa.RecordBatch, list[pa.Array[Any]], int]]:
    """Sends pieces of batches to the process of a command, and yields the answers in order.

    A batch is a pair: the rows to give back, and their columns to send. Each answer is the piece
    of the first, the columns that the command appends, and the number of the piece's first row.
    """
    waiting: collections.deque[Any] = collections.deque()
    first = 0
    for rows, sent in batches:
        at = 0
        for piece in _pieces(sent):
            answer = _pool.send(args, piece)
            waiting.append((rows.slice(at, piece.num_rows), piece, first + at, answer, os.getpid()))
            at += piece.num_rows
            while waiting and (len(waiting) > AHEAD or waiting[0][3].done):
                yield _finish(args, *waiting.popleft())
        first += at
    while waiting:
        yield _finish(args, *waiting.popleft())


def _finish(args: tuple[str, ...], rows: pa.RecordBatch, piece: pa.RecordBatch, first: int,
            answer: _Answer, pid: int) -> tuple[pa.RecordBatch, list[pa.Array[Any]], int]:
    if pid != os.getpid():  # a fork, without the thread that reads the answer
        answer = _pool.send(args, piece)
    tries = 1
    while True:
        try:
            return rows, answer.result(), first
        except _program.Error as e:
            if not isinstance(e, _Lost) or tries == TRIES:
                last = first + piece.num_rows - 1
                where = f"row {first}" if first == last else f"rows {first} to {last}"
                raise _program.Error(f"{where}: {e}") from None
        tries += 1
        answer = _pool.send(args, piece)


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for at in range(0, batch.num_rows, ROWS):
        part = batch.slice(at, ROWS)
        yield from _halves(pa.RecordBatch.from_arrays(
            [_plain(a) for a in part.columns], names=part.schema.names))


def _halves(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    n = batch.num_rows
    if n == 1 or batch.nbytes <= BYTES:
        yield batch
    else:
        yield from _halves(batch.slice(0, n // 2))
        yield from _halves(batch.slice(n // 2))


def _plain(array: pa.Array[Any]) -> pa.Array[Any]:
    """The values of an array as bytes or text. Slices of the others would be sent whole."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    if array.type == pa.binary_view():
        array = array.cast(pa.large_binary())
    elif array.type == pa.string_view():
        array = array.cast(pa.large_string())
    return array
