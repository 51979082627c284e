"""Tests of koblitz_spark without Spark. KOBLITZ is the program."""

import os
import unittest

import pyarrow as pa

import koblitz_spark

KOBLITZ = os.environ["KOBLITZ"]
ROLES = {"hash": "h", "key": "k, of \"ours\"", "signature": "s"}
NAMES = list(ROLES.values())
ARGS = koblitz_spark.command("ecdsa", ROLES, "hex", KOBLITZ)


def rows(n):
    """n rows, each of them with a number and of the wrong signer, but every third null."""
    hashes = [None if i % 3 == 2 else "00" * 32 for i in range(n)]
    columns = [range(n), hashes, ["02" * 33] * n, ["01" * 64] * n]
    return pa.record_batch([pa.array(list(c)) for c in columns], ["i", *NAMES])


def running():
    """How many children of this process there are, ended or not."""
    with open(f"/proc/self/task/{os.getpid()}/children") as f:
        return len(f.read().split())


class Answers(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(running(), 0)

    def test_verdicts(self):
        n = 2 * koblitz_spark.ROWS + 1
        got = list(koblitz_spark.answers(iter([rows(n), rows(0), rows(5)]), ARGS, NAMES))
        table = pa.Table.from_batches(got)
        self.assertEqual(table.column_names, ["i", *NAMES, "verdict", "reason"])
        self.assertEqual(table["i"].to_pylist(), [*range(n), *range(5)])
        want = ["malformed" if i % 3 == 2 else "invalid" for i in [*range(n), *range(5)]]
        self.assertEqual(table["verdict"].to_pylist(), want)

    def test_nothing(self):
        for batches in ([], [rows(0)]):
            self.assertEqual(list(koblitz_spark.answers(iter(batches), ["/nothing"], NAMES)), [])

    def test_closed(self):
        answers = koblitz_spark.answers(iter([rows(5), rows(5)]), ARGS, NAMES)
        next(answers)
        self.assertEqual(running(), 1)
        answers.close()

    def test_input_fails(self):
        def broken():
            yield rows(5)
            raise ValueError("unplugged")
        with self.assertRaisesRegex(ValueError, "unplugged"):
            list(koblitz_spark.answers(broken(), ARGS, NAMES))

    def test_program_fails(self):
        for args, error in (
                (ARGS + ["--encoding=base32"], "status 2: koblitz: .*base32"),
                (koblitz_spark.command("ecdsa", {**ROLES, "hash": "x"}, "hex", KOBLITZ),
                 'status 3: koblitz: stdin: there is no column "x"'),
                (["sh", "-c", "echo said >&2; exit 7"], "status 7: said"),
                (["sh", "-c", "exec 0<&-; echo said >&2; sleep 1; exit 7"], "status 7: said"),
                (["true"], "true stream: exit status 0"),
                (["sh", "-c", '"$0" "$@"; echo late >&2; exit 8', *ARGS], "status 8: late")):
            with self.assertRaisesRegex(RuntimeError, error):
                list(koblitz_spark.answers(iter([rows(20_000)]), args, NAMES))
        with self.assertRaises(FileNotFoundError):
            list(koblitz_spark.answers(iter([rows(5)]), ["/nothing"], NAMES))

    def test_arguments(self):
        with self.assertRaisesRegex(ValueError, "either a hash"):
            koblitz_spark.verify(None, key="k", signature="s")
        with self.assertRaisesRegex(ValueError, "either a hash"):
            koblitz_spark.verify(None, key="k", signature="s", hash="h", message="h")


if __name__ == "__main__":
    unittest.main()
