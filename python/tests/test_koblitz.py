"""Tests of the installed package. None needs Spark; pandas is needed for its own."""

import gc
import glob
import itertools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import pyarrow as pa
import signed

import koblitz
from koblitz import _program, _stream, spark

try:
    import pandas as pd
except ImportError:
    pd = None

N = 300
HASHES, KEYS, SIGNATURES, XONLY, BIP340 = map(list, zip(*signed.rows(N)))
COMPACT = [s[:64] for s in SIGNATURES]
HASHES[5] = HASHES[6]
VERDICTS = ["invalid" if i == 5 else "valid" for i in range(N)]
NAMES = {"hash": "h", "key": 'k, of "ours"', "signature": "s"}


def table(n=N, hashes=None):
    times = n // N + 1
    columns = [list(range(n)), ((hashes or HASHES) * times)[:n], (KEYS * times)[:n],
               (COMPACT * times)[:n]]
    return pa.table([pa.array(c) for c in columns], ["i", *NAMES.values()])


def verify(data, **options):
    return koblitz.verify(data, **NAMES, **options)


def processes():
    """The processes of koblitz stream that are children of this process."""
    found = []
    for folder in glob.glob("/proc/self/task/*/children"):
        try:
            with open(folder) as f:
                children = f.read().split()
            for pid in children:
                with open(f"/proc/{pid}/cmdline") as f:
                    if "\0stream\0" in f.read():
                        found.append(int(pid))
        except (FileNotFoundError, ProcessLookupError):
            pass  # a thread or a process that has ended
    return found


def gone(pid):
    """Waits until a process has ended, and its parent or init has waited for it."""
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):  # ended before open, or before read
            return True
        time.sleep(0.02)
    return False


def child(queue):
    """What a process of multiprocessing does: verifies, and says which processes it has."""
    queue.put((verify(table())["verdict"].to_pylist() == VERDICTS, processes()))


def program(folder, text):
    """A program for tests, which says that it is the right version."""
    path = os.path.join(folder, "program")
    with open(path, "w") as f:
        f.write(f'#!/bin/sh\n[ "$1" != --version ] || exec {_program.find()} --version\n{text}\n')
    os.chmod(path, 0o700)
    return path


def interruptions(call):
    """Calls a function again and again, and interrupts each call later. Yields after each.

    Ctrl-C comes after the start of a function of Python or a call of C.
    """
    for calls in itertools.count():
        left = calls

        def interrupt(frame, event, _):
            nonlocal left
            if event in ("call", "c_return"):
                left -= 1
                if left == -1:
                    raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            call()
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        yield calls
        if left >= 0:
            return


class Case(unittest.TestCase):
    def tearDown(self):
        _stream._pool.close()
        self.assertEqual(processes(), [])


class Verdicts(Case):
    def check(self, answer, n=N):
        self.assertEqual(answer.column_names, ["i", *NAMES.values(), "verdict", "reason"])
        self.assertEqual(answer["i"].to_pylist(), list(range(n)))
        self.assertEqual(answer["verdict"].to_pylist(), (VERDICTS * (n // N + 1))[:n])
        reasons = [i for i, r in enumerate(answer["reason"].to_pylist()) if r is not None]
        self.assertEqual(reasons, list(range(5, n, N)))

    def test_tables(self):
        for n in (0, 1, N, _stream.ROWS - 1, _stream.ROWS + 1, 5 * _stream.ROWS):
            self.check(verify(table(n)), n)
        self.assertEqual(len(processes()), 1)

    def test_record_batches(self):
        for n in (0, 1, N, _stream.ROWS + 1):
            batch = table(n).combine_chunks().to_batches() or [table(1).to_batches()[0].slice(1)]
            answer = verify(batch[0])
            self.assertIsInstance(answer, pa.RecordBatch)
            self.check(pa.Table.from_batches([answer]), n)

    def test_rows_lost(self):
        """Rows that do not come back are an error, in every form of data."""
        n = 3 * _stream.ROWS
        t = table(n)
        [batch] = t.combine_chunks().to_batches()
        df = unittest.mock.Mock(columns=t.column_names)
        df.mapInArrow = lambda call, _: list(call(iter([batch])))
        calls = {"table": lambda: verify(t), "batch": lambda: verify(batch),
                 "reader": lambda: verify(t.to_reader()).read_all(),
                 "arrays": lambda: koblitz.verify(hash=t["h"], key=t[2], signature=t["s"]),
                 "frame": lambda: verify(t.to_pandas()), "spark": lambda: spark.verify(df, **NAMES)}
        if pd is None:
            del calls["frame"]
        answers = _stream.answers
        short = unittest.mock.patch.object(_stream, "answers",
                                           lambda *args: list(answers(*args))[:-1])
        for what, call in calls.items():
            with self.subTest(what), short, self.assertRaisesRegex(
                    koblitz.Error, f"^{n} rows were sent, and {2 * _stream.ROWS} came back$"):
                call()

    def test_long_text(self):
        """A RecordBatch cannot hold more text in a column than its offsets reach."""
        t = table(N)
        for limit, size in (100, 1), (koblitz._TEXT, 8_000_000):
            if size > 1 and not os.environ.get("KOBLITZ_DEEP"):
                continue  # it takes a gigabyte
            text = pa.array(["x" * size] * 100)

            def answers(args, pairs):
                for rows, _ in pairs:
                    for at in range(0, N, 100):
                        yield rows.slice(at, 100), [text, text], at

            with self.subTest(limit), unittest.mock.patch.object(koblitz, "_TEXT", limit), \
                    unittest.mock.patch.object(_stream, "answers", answers):
                self.assertEqual(verify(t).num_rows, N)
                with self.assertRaisesRegex(ValueError, "column 'verdict' of 300 rows has more"):
                    verify(t.to_batches()[0])

    def test_readers(self):
        made = 0

        def batches():
            nonlocal made
            _, *columns = table().combine_chunks().to_batches()[0].columns
            for at in itertools.count(step=N):
                made += 1
                yield pa.record_batch([pa.array(range(at, at + N)), *columns],
                                      schema=table().schema)

        reader = verify(pa.RecordBatchReader.from_batches(table().schema, batches()))
        answers = [reader.read_next_batch() for _ in range(10)]
        self.check(pa.Table.from_batches(answers), 10 * N)
        self.assertLessEqual(made, 10 + _stream.AHEAD + 1)  # the input has no end

    def test_types(self):
        for to in (pa.binary(), pa.large_binary(), pa.binary_view(), "fixed", "dictionary", "hex",
                   "0x", "large", "view", "base64", "chunks", "extension"):
            data = table()
            for name, width in zip(NAMES.values(), (32, 33, 64)):
                at = data.column_names.index(name)
                column = data[name]
                if isinstance(to, pa.DataType):
                    column = column.cast(to)
                elif to == "fixed":
                    column = column.cast(pa.binary(width))
                elif to == "extension":
                    storage = column.combine_chunks().cast(pa.binary(width))
                    kind = pa.opaque(pa.binary(width), "value", "test")
                    column = pa.ExtensionArray.from_storage(kind, storage)
                elif to == "dictionary":
                    column = column.dictionary_encode()
                elif to == "chunks":
                    column = pa.chunked_array([column.slice(i, 1).chunk(0) for i in range(N)])
                elif to == "base64":
                    import base64
                    column = pa.array([base64.b64encode(v).decode() for v in column.to_pylist()])
                else:
                    start = "0x" if to == "0x" else ""
                    column = pa.array([start + v.hex() for v in column.to_pylist()])
                    if to in ("large", "view"):
                        column = column.cast(pa.large_string() if to == "large" else
                                             pa.string_view())
                data = data.set_column(at, name, column)
            with self.subTest(to):
                self.check(verify(data))
                self.assertEqual(verify(data.slice(4, 2))["verdict"].to_pylist(),
                                 ["valid", "invalid"])
        self.assertLessEqual(len(processes()), _stream.KEPT)

    def test_encodings(self):
        text = table(hashes=[h.hex().encode() for h in HASHES])  # hex in bytes
        self.assertEqual(set(verify(text)["verdict"].to_pylist()), {"malformed"})
        arrays = {"key": pa.array([k.hex() for k in KEYS]),
                  "signature": pa.array([s.hex().encode() for s in COMPACT])}
        answer = koblitz.verify(hash=text["h"], **arrays, encoding="hex")
        self.assertEqual(answer["verdict"].to_pylist(), VERDICTS)
        for encoding in ("base64", "binary"):
            answer = koblitz.verify(hash=text["h"], **arrays, encoding=encoding)
            self.assertEqual(set(answer["verdict"].to_pylist()), {"malformed"})

    def test_nulls(self):
        hashes = [None if i % 3 == 2 else h for i, h in enumerate(HASHES)]
        answer = verify(table(hashes=hashes))
        want = ["malformed" if i % 3 == 2 else v for i, v in enumerate(VERDICTS)]
        self.assertEqual(answer["verdict"].to_pylist(), want)
        self.assertEqual(answer["reason"][2].as_py(), 'column "h": null')
        data = table().set_column(1, "h", pa.nulls(N))
        self.assertEqual(set(verify(data)["verdict"].to_pylist()), {"malformed"})

    def test_hostile_cells(self):
        cells = [b"", b"\0", b"\xff" * 32, b"\0" * 32, b"x" * 513, b"\n" * 31, b"\x80" * 33,
                 b"0" * 64, os.urandom(32), b"\xed\xa0\x80" * 11, b"y" * (6 << 20)] + HASHES[11:13]
        n = len(cells)
        for column in range(1, 4):
            data = table(n).set_column(column, table().column_names[column], pa.array(cells))
            answer = verify(data)
            self.assertEqual(answer.select(data.column_names), data)
            self.assertNotIn("valid", answer["verdict"].to_pylist()[:11])
        text = pa.Array.from_buffers(pa.string(), n, pa.array(cells).buffers())  # not UTF-8
        answer = verify(table(n).set_column(1, "h", text))
        self.assertEqual(answer["verdict"].to_pylist()[:11].count("malformed"), 10)

    def test_bip340(self):
        hashes = pa.array(HASHES)
        answer = koblitz.verify(message=hashes, key=pa.array(XONLY), signature=pa.array(BIP340))
        self.assertEqual(answer.column_names, ["verdict", "reason"])
        self.assertEqual(answer["verdict"].to_pylist(), VERDICTS)

    def test_recover(self):
        arrays = {"hash": pa.array(HASHES), "signature": pa.array(SIGNATURES)}
        answer = koblitz.recover(**arrays)
        self.assertEqual(set(answer["verdict"].to_pylist()), {"recovered"})
        # The address of the key 1.
        self.assertEqual(answer["sender"][0].as_py(), "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf")
        again = koblitz.recover(**arrays, sender=answer["sender"])
        self.assertEqual(set(again["verdict"].to_pylist()), {"valid"})
        self.assertEqual(again["sender"], answer["sender"])
        answer = koblitz.recover(**arrays, key=pa.array(KEYS))
        self.assertEqual(answer["verdict"].to_pylist(), VERDICTS)

    def test_strict(self):
        good = table().slice(6)
        self.assertEqual(verify(good, strict=True), verify(good))
        koblitz.recover(hash=pa.array(HASHES), signature=pa.array(SIGNATURES), strict=True)
        with self.assertRaisesRegex(koblitz.RowError, "^row 5: invalid: ") as caught:
            verify(table(), strict=True)
        self.assertEqual(caught.exception.row, 5)
        n = 4 * _stream.ROWS
        hashes = (HASHES[6:] * (n // 200))[:n]
        keys, signatures = ((x[6:] * (n // 200))[:n] for x in (KEYS, COMPACT))
        hashes[n - 7] = None
        with self.assertRaisesRegex(koblitz.RowError, f"^row {n - 7}: malformed: .*null"):
            koblitz.verify(hash=pa.array(hashes), key=pa.array(keys),
                           signature=pa.array(signatures), strict=True)

    def test_arguments(self):
        t = table()
        for error, text, call in (
                (ValueError, "either a hash", lambda: koblitz.verify(t, key="k", signature="s")),
                (ValueError, "either a hash", lambda: koblitz.verify(t, message="i", **NAMES)),
                (ValueError, "no column 'x'; there are", lambda: koblitz.verify(
                    t, hash="x", key="s", signature="h")),
                (ValueError, "cannot hold two", lambda: koblitz.verify(
                    t, hash="h", key="s", signature="h")),
                (TypeError, "column 'i': int64, where bytes", lambda: koblitz.verify(
                    t, hash="i", key="s", signature="h")),
                (TypeError, "name of a column is a str", lambda: koblitz.verify(
                    t, hash=1, key="s", signature="h")),
                (ValueError, r"\['Verdict'\] are there already", lambda: verify(
                    t.rename_columns(["Verdict", *NAMES.values()]))),
                (ValueError, "there are 2 columns 'h'", lambda: verify(
                    t.append_column("h", t["h"]))),
                (ValueError, "^unknown encoding 'base32'; known are auto, hex, base64, binary$",
                 lambda: verify(t, encoding="base32")),
                (TypeError, "not list", lambda: verify([])),
                (TypeError, "hash: an array", lambda: koblitz.verify(
                    hash="h", key=pa.array(KEYS), signature=pa.array(COMPACT))),
                (koblitz.Error, "^rows 0 to 299: koblitz stream: exit status 2: --workers 0: at "
                 "least one is needed$", lambda: verify(t, workers=0)),
                (ValueError, "either a hash", lambda: spark.verify(None, key="k", signature="s"))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_names_of_errors(self):
        for error in (koblitz.Error("x"), koblitz.RowError(3, "y"), koblitz.CheckError("z", None)):
            self.assertEqual(type(error).__module__, "koblitz")
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((str(again), vars(again)), (str(error), vars(error)))
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(koblitz.Error) as caught:
            verify(table(), program=program(folder, "kill -9 $$"))
        self.assertIs(type(caught.exception), koblitz.Error)
        self.assertIsNone(caught.exception.__cause__)

    def test_too_large(self):
        cells = HASHES[:7] + [b"x" * (33 << 20)] + HASHES[8:]
        with self.assertRaisesRegex(koblitz.Error, "row 7: .* more than the 33554432"):
            verify(table(hashes=cells))
        self.check(verify(table()))


class Frames(Case):
    def setUp(self):
        if pd is None:
            self.skipTest("no pandas")

    def test_frames(self):
        for n in (0, 1, _stream.ROWS + 5):
            frame = table(n).to_pandas().set_index(pd.Index(range(100, 100 + n)))
            before = frame.copy()
            answer = verify(frame)
            pd.testing.assert_frame_equal(answer[frame.columns], before)
            pd.testing.assert_frame_equal(frame, before)
            self.assertEqual(list(answer["verdict"]), (VERDICTS * (n // N + 1))[:n])
            self.assertEqual(list(answer.columns[-2:]), ["verdict", "reason"])

    def test_dtypes(self):
        text = {name: [v.hex() for v in table()[name].to_pylist()] for name in NAMES.values()}
        frames = {"str": pd.DataFrame(text), "category": pd.DataFrame(text).astype("category"),
                  "string": pd.DataFrame(text).astype("string"),
                  "arrow": table().to_pandas(types_mapper=pd.ArrowDtype)}
        for name, frame in frames.items():
            with self.subTest(name):
                self.assertEqual(list(verify(frame)["verdict"]), VERDICTS)
        frame = pd.DataFrame(text).astype(object)
        frame.loc[3, "h"], frame.loc[4, "h"] = None, float("nan")
        self.assertEqual(list(verify(frame)["verdict"][2:5]), ["valid", "malformed", "malformed"])

    def test_odd_cells(self):
        n = _stream.ROWS + 10
        subclass = type("subclass", (str,), {})  # such as numpy.str_
        for at, cell, text in ((3, 7, "int, where bytes"), (n - 2, "x", "str, where bytes"),
                               (0, [], "list, where bytes or text"), (2, "x", "str, where bytes"),
                               (4, subclass("x"), "subclass, where bytes")):
            frame = table(n).to_pandas()
            frame.at[at, "h"] = cell
            frames = [frame]
            if isinstance(cell, str):
                frames.append(frame.assign(h=pd.Categorical(frame["h"])))
            for frame in frames:
                with self.assertRaisesRegex(koblitz.RowError, f"^row {at}: column 'h': {text}"):
                    verify(frame)
        frame = pd.DataFrame({name: ["00"] * 9 for name in NAMES.values()}).astype(object)
        frame.at[7, "h"] = "\ud800"
        with self.assertRaisesRegex(koblitz.RowError, "^row 7: column 'h': .*surrogates"):
            verify(frame)
        for cell, text in ((pd.NA, "row 8: column 'h': int"), (pd.array([1, 2]), "row 7: .*Array"),
                           (table()["i"].to_numpy(), "row 7: .*ndarray")):
            frame = pd.DataFrame({name: ["00"] * 9 for name in NAMES.values()}).astype(object)
            frame.at[7, "h"], frame.at[8, "h"] = cell, 1
            with self.assertRaisesRegex(koblitz.RowError, "^" + text):
                verify(frame)
        with self.assertRaisesRegex(koblitz.Error, "column 'i': "):
            koblitz.verify(table().to_pandas(), hash="i", key="h", signature="s")
        with self.assertRaisesRegex(ValueError, "no column 'x'"):
            koblitz.verify(table().to_pandas(), hash="x", key="h", signature="s")
        with self.assertRaisesRegex(ValueError, "there already"):
            verify(verify(table().to_pandas()))


class Processes(Case):
    def test_shared(self):
        failed = []

        def work():
            for n in (1, N, 7, 3 * _stream.ROWS):
                if verify(table(n))["verdict"].to_pylist() != (VERDICTS * (n // N + 1))[:n]:
                    failed.append(n)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(len(processes()), 1)

    def test_killed(self):
        verify(table())
        [pid] = processes()
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(gone(pid))
        self.assertEqual(verify(table())["verdict"].to_pylist(), VERDICTS)
        [other] = processes()
        self.assertNotEqual(pid, other)

    def test_killed_at_work(self):
        stop = threading.Event()
        killed = []

        def kill():
            while not stop.wait(0.05) and len(killed) < 2:
                for pid in processes():
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

        n = 20 * _stream.ROWS
        verify(table(1))
        killer = threading.Thread(target=kill)
        killer.start()
        answer = verify(table(n))
        stop.set()
        killer.join()
        self.assertTrue(killed)
        self.assertEqual(answer["verdict"].to_pylist(), (VERDICTS * (n // N + 1))[:n])

    def test_program_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, error in (
                    ("echo said >&2; exit 7", "rows 0 to 299: .*exit status 7: said"),
                    ("exec 0<&-; echo said >&2; sleep 1; exit 7", "exit status 7: said"),
                    ("exit 0", "exit status 0: $"),
                    ("head -c 1000; exit 1", "exit status 1"),
                    ("cat", "answered with 300 rows of"),
                    ("kill -9 $$", "exit status -9"),
                    ("head -c 200000 /dev/zero >&2; echo end >&2; exit 4", "exit status 4: .*end")):
                with self.subTest(text), self.assertRaisesRegex(koblitz.Error, error):
                    verify(table(), program=program(folder, text))
        with tempfile.TemporaryDirectory() as folder:
            odd = pa.table([pa.nulls(N)] * 5, pa.schema([pa.field(b"\xff", pa.null())] * 5))
            with pa.ipc.new_stream(os.path.join(folder, "odd"), odd.schema) as out:
                out.write_table(odd)
            text = f"head -c 9999 >/dev/null; cat {folder}/odd; sleep 9"  # answers after the rows
            with self.assertRaisesRegex(koblitz.Error, "can't decode byte 0xff"):
                verify(table(), program=program(folder, text))
        with self.assertRaisesRegex(koblitz.Error, "^/nothing: No such file"):
            verify(table(), program="/nothing")

    def test_error_of_another(self):
        """A batch that ends the process does not fail the calls of other threads."""
        large = table(hashes=HASHES[:7] + [b"x" * (33 << 20)] + HASHES[8:])
        failed = []

        def work():
            for _ in range(20):
                if verify(table())["verdict"].to_pylist() != VERDICTS:
                    failed.append("verdicts")

        def spoil():
            for _ in range(2):
                try:
                    verify(large)
                    failed.append("no error")
                except koblitz.Error:
                    pass

        threads = [threading.Thread(target=f) for f in (work, work, spoil)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_version(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "koblitz")
            with open(path, "w") as f:
                f.write("#!/bin/sh\necho koblitz v9.9.9\n")
            os.chmod(path, 0o700)
            for call in (lambda: verify(table(), program=path),
                         lambda: koblitz.check("x", program=path)):
                with self.assertRaisesRegex(koblitz.Error, "'koblitz v9.9.9', and this package ne"):
                    call()

    def test_multiprocessing(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
                context = multiprocessing.get_context(method)
                verify(table())
                [own] = processes()
                queue = context.Queue()
                workers = [context.Process(target=child, args=(queue,)) for _ in range(2)]
                for worker in workers:
                    worker.start()
                answers = [queue.get(timeout=60) for _ in workers]
                for worker in workers:
                    worker.join()
                    self.assertEqual(worker.exitcode, 0)
                for right, pids in answers:
                    self.assertTrue(right)
                    self.assertEqual(len(pids), 1)
                    self.assertNotIn(own, pids)
                    self.assertTrue(gone(pids[0]))
                self.assertEqual(processes(), [own])
                self.assertEqual(verify(table())["verdict"].to_pylist(), VERDICTS)

    def test_fork_with_reader(self):
        """A reader that is begun before a fork can be read by both processes."""
        n = 10 * _stream.ROWS
        reader = verify(table(n).to_reader())
        first = reader.read_next_batch().num_rows
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            code = 1
            try:
                signal.alarm(60)
                code = int(reader.read_all().num_rows != n - first)
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(reader.read_all().num_rows, n - first)

    def test_fork_holds_nothing(self):
        """The process ends with its parent, even if a fork of the parent lives on."""
        code = ("import os, sys, time; sys.path.insert(0, sys.argv[1])\n"
                "import test_koblitz as t\n"
                "t.verify(t.table())\n"
                "[pid] = t.processes()\n"
                "if os.fork() == 0: time.sleep(60)\n"
                "print(pid, flush=True)\n"
                "os.kill(os.getpid(), 9)\n")
        run = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code,
                                os.path.dirname(__file__)], stdout=subprocess.PIPE,
                               start_new_session=True)
        try:
            pid = int(run.stdout.readline())
            run.wait()
            self.assertTrue(gone(pid))
        finally:
            os.killpg(run.pid, signal.SIGKILL)  # the fork
            run.stdout.close()

    def test_interrupted(self):
        """Ctrl-C ends a program in the middle of a table, and leaves no process."""
        code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                "import test_koblitz as t\n"
                "t.verify(t.table())\n"
                "big = t.table(2_000_000)\n"
                "print(*t.processes(), flush=True)\n"
                "t.verify(big)\n"
                "print('ended')\n")
        for sig, group in ((signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGKILL, False)):
            run = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(__file__)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
            pid = int(run.stdout.readline())
            time.sleep(0.3)
            (os.killpg if group else os.kill)(run.pid, sig)
            out, err = run.communicate(timeout=60)
            self.assertEqual((out, run.returncode), (b"", -sig), err)
            self.assertEqual(b"KeyboardInterrupt" in err, sig == signal.SIGINT, err)
            self.assertTrue(gone(pid))

    def test_interrupted_and_used(self):
        """After Ctrl-C in a call the process is as good as before."""
        verify(table())
        before = processes()
        big = table(20 * _stream.ROWS)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                verify(big)
        self.assertEqual(verify(table())["verdict"].to_pylist(), VERDICTS)
        self.assertEqual(processes(), before)

    def test_interrupted_while_sending(self):
        """Ctrl-C after any call of C, where signals come, does not mix up the later answers."""
        other = table(hashes=HASHES[::-1])
        wanted = verify(other)["verdict"].to_pylist()
        self.assertNotEqual(wanted, VERDICTS)
        send = _stream.Process.send.__code__
        interrupted = True
        calls = 0
        while interrupted:
            left = calls

            def interrupt(frame, event, _):
                nonlocal left
                if frame.f_code is send and event == "c_return":
                    left -= 1
                    if left == -1:
                        raise KeyboardInterrupt

            try:
                sys.setprofile(interrupt)
                verify(other)
                interrupted = False
            except KeyboardInterrupt:
                calls += 1
            finally:
                sys.setprofile(None)
            answers = []
            for rows in (table(), other):
                caller = threading.Thread(target=lambda: answers.append(verify(rows)), daemon=True)
                caller.start()
                caller.join(60)
            self.assertEqual([a["verdict"].to_pylist() for a in answers], [VERDICTS, wanted])
        self.assertGreater(calls, 0)

    def test_interrupted_at_start_and_end(self):
        """Ctrl-C at any call leaves no process and no thread that is not kept for the next call."""
        before = threading.active_count()

        def end():
            _stream._pool.close()
            self.assertEqual(processes(), [])
            for thread in threading.enumerate():
                if thread.name == "koblitz stream" and thread.is_alive():
                    thread.join(60)
            self.assertEqual(threading.active_count(), before)

        for what, begin, call in (("start", lambda: None, lambda: verify(table())),
                                  ("end", lambda: verify(table()), _stream._pool.close)):
            with self.subTest(what):
                begin()
                for calls in interruptions(call):
                    end()
                    begin()
                self.assertGreater(calls, 5)
                end()

    def test_too_many_threads(self):
        """A process whose threads cannot be started ends."""
        _stream._pool.close()
        start = threading.Thread.start
        for first in (0, 1):
            starts = iter([start] * first)

            def refuse(thread):
                if (allowed := next(starts, None)) is None:
                    raise RuntimeError("can't start new thread")
                allowed(thread)

            with unittest.mock.patch("threading.Thread.start", refuse):
                with self.assertRaisesRegex(RuntimeError, "new thread"):
                    verify(table())
            self.assertEqual(processes(), [])
        self.assertEqual(verify(table())["verdict"].to_pylist(), VERDICTS)

    def test_kept(self):
        for n in range(2 * _stream.KEPT):
            verify(table().rename_columns(["i", *NAMES.values()]), workers=n + 1)
        self.assertEqual(len(processes()), _stream.KEPT)

    def test_memory(self):
        """What is kept of an answer is its new columns."""
        _stream._pool.close()
        gc.collect()
        before = pa.total_allocated_bytes()
        n = 10 * _stream.ROWS
        answer = verify(table(n)).select(["verdict", "reason"])
        gc.collect()
        self.assertLess(pa.total_allocated_bytes() - before, 40 * n)
        self.assertEqual(len(answer), n)


class Check(Case):
    def test_sample(self):
        report = koblitz.check(options=["--sample"])
        self.assertTrue(report.ok)
        self.assertEqual((report.rows, report.valid, report.failures), (732, 732, ()))
        self.assertEqual(report.json["inputs"][0]["format"], "bitcoin-block")

    def test_interrupted(self):
        """Ctrl-C at any call ends the program too."""
        with tempfile.TemporaryDirectory() as folder:
            pids = os.path.join(folder, "pids")

            def begun():
                with open(pids, "a+") as f:
                    f.seek(0)
                    return f.read().split()

            def check():
                with self.assertRaisesRegex(koblitz.CheckError, "^koblitz check: exit status 0: $"):
                    koblitz.check("x", program=path)

            def interrupt():
                while not begun():
                    time.sleep(0.02)
                os.kill(os.getpid(), signal.SIGINT)

            thread = threading.Thread(target=interrupt)
            thread.start()
            path = program(folder, f"echo $$ >>{pids}; exec sleep 600")
            with self.assertRaises(KeyboardInterrupt):
                check()
            thread.join()
            program(folder, f"echo $$ >>{pids}; exec sleep 0.1")
            for _ in interruptions(check):
                pass
            self.assertGreater(len(begun()), 2)
            for pid in begun():
                self.assertTrue(gone(pid))

    def test_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "-table.csv")
            rows = [f"{h.hex()},{k.hex()},{s.hex()}" for h, k, s in zip(HASHES, KEYS, COMPACT)]
            rows[3] = "00,00,00"
            with open(path, "w") as f:
                f.write("\n".join(['h,"k, of ""ours""",s', *rows]) + "\n")
            report = koblitz.check(path, columns=NAMES)
            self.assertFalse(report.ok)
            self.assertEqual((report.rows, report.valid), (N, N - 2))
            self.assertEqual((report.invalid, report.malformed, report.unlisted), (1, 1, 0))
            first, second = report.failures
            self.assertEqual((first.file, first.line, first.verdict), (path, 5, "malformed"))
            self.assertEqual((second.line, second.verdict, second.row), (7, "invalid", None))
            with self.assertRaisesRegex(koblitz.CheckError, "no such file") as caught:
                koblitz.check(path, path + "x", columns=NAMES)
            self.assertEqual(caught.exception.report.rows, N)
            with self.assertRaisesRegex(koblitz.CheckError, "exit status 2"):
                koblitz.check(path, options=["--nothing"])
            with self.assertRaisesRegex(TypeError, "columns is a dict"):
                koblitz.check(path, columns="hash=h")
            os.rename(path, os.path.join(folder, "-"))
            before = os.getcwd()
            os.chdir(folder)
            try:
                for name in ("-", b"-"):
                    self.assertEqual(koblitz.check(name, columns=NAMES).rows, N)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
