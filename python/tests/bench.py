"""The rate of koblitz.verify beside that of `koblitz stream`, in turns, on a million rows.

    python tests/bench.py [rounds]

Both verify the same batches with all cores. `koblitz stream` reads a file and writes a file. The
figures are those of the best round. CPU is user and system time, of Python too. Each verdict is
checked.
"""

import os
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.compute as pc
import signed

import koblitz
from koblitz import _program, _stream

N = 1_000_000
DISTINCT = 5_000


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    program = os.environ.get("KOBLITZ")
    hashes, keys, ecdsa, xonly, bip340 = map(list, zip(*signed.rows(DISTINCT)))
    bad = range(7, DISTINCT, 1000)  # so that a verdict that is always valid is found out
    for i in bad:
        hashes[i] = hashes[i][::-1]
    for name, role, key, signature in (
            ("ECDSA", "hash", keys, [s[:64] for s in ecdsa]),
            ("BIP-340", "message", xonly, bip340)):
        part = pa.table({"h": hashes, "k": key, "s": signature})
        table = pa.concat_tables([part] * (N // DISTINCT)).combine_chunks()
        columns = {role: "h", "key": "k", "signature": "s"}
        wrong = len(bad) * (N // DISTINCT)
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            sent = os.path.join(folder, "in.arrows")
            with pa.OSFile(sent, "wb") as f, pa.ipc.new_stream(f, table.schema) as out:
                out.write_table(table, max_chunksize=_stream.ROWS)
            args = [_program.find(program), "stream", "--columns",
                    ",".join(f"{role}={name}" for role, name in columns.items())]
            for _ in range(rounds):
                with open(sent, "rb") as f, open(os.path.join(folder, "out.arrows"), "w+b") as to:
                    theirs.append(timed(
                        lambda: subprocess.run(args, stdin=f, stdout=to, check=True)))
                    to.seek(0)
                    count(pa.ipc.open_stream(to).read_all(), wrong)
                ours.append(timed(lambda: count(
                    koblitz.verify(table, **columns, program=program), wrong)))
        rates = [N / min(wall for wall, _ in runs) for runs in (ours, theirs)]
        cpu = [min(cpu for _, cpu in runs) / N * 1e6 for runs in (ours, theirs)]
        print(f"{name}: koblitz.verify {rates[0]:,.0f} rows/s, koblitz stream {rates[1]:,.0f}, "
              f"ratio {rates[0] / rates[1]:.2f}; CPU {cpu[0]:.2f} and {cpu[1]:.2f} µs a row, "
              f"ratio {cpu[1] / cpu[0]:.2f}")


def timed(run):
    """Seconds of wall-clock time and of CPU time, with the start of a process."""
    start, before = time.perf_counter(), os.times()
    run()
    wall = time.perf_counter() - start
    _stream._pool.close()  # its CPU time counts when it has ended
    return wall, sum(os.times()[:4]) - sum(before[:4])


def count(answer, wrong):
    invalid = pc.sum(pc.equal(answer["verdict"], "invalid")).as_py()
    valid = pc.sum(pc.equal(answer["verdict"], "valid")).as_py()
    if (valid, invalid) != (N - wrong, wrong):
        sys.exit(f"{valid} valid and {invalid} invalid rows, not {N - wrong} and {wrong}")


main()
