"""Signatures of secp256k1 in Spark: verify(df, …) and recover(df, …), through `koblitz stream`.

Each task runs one process of one thread, which ends with the task. docs/scale.md has recipes.
"""

import copy
import subprocess
from subprocess import PIPE

import pyarrow as pa

# Rows sent at a time. koblitz stream takes 131,072 rows and 32 MiB; Spark sends 10,000 rows.
ROWS = 10_000


def verify(df, *, key, signature, hash=None, message=None, encoding="auto", koblitz="koblitz"):
    """Appends the columns verdict (valid, invalid, malformed) and reason (null for a valid row).

    key, signature, and hash (ECDSA) or message (BIP-340) are names of columns of bytes or text.
    encoding is that of text: auto, hex, base64. koblitz is the program, as executors find it.
    """
    if (hash is None) == (message is None):
        raise ValueError("either a hash (ECDSA) or a message (BIP-340)")
    kind = "ecdsa" if message is None else "bip340"
    roles = {"hash": hash, "message": message, "key": key, "signature": signature}
    return _map(df, command(kind, roles, encoding, koblitz), roles, ["verdict", "reason"])


def recover(df, *, hash, signature, sender=None, key=None, encoding="auto", koblitz="koblitz"):
    """Appends verdict, reason and sender: the address, 0x and 40 digits, null if there is none.

    The verdict is recovered. With the column of a sender or a key, whose own name is not sender, it
    is valid, or invalid for another signer's. The rest is as for verify.
    """
    roles = {"hash": hash, "signature": signature, "sender": sender, "key": key}
    args = command("recover", roles, encoding, koblitz)
    return _map(df, args, roles, ["verdict", "reason", "sender"])


def command(kind, roles, encoding="auto", koblitz="koblitz"):
    """The command line that verifies the columns of roles; kind is ecdsa, bip340 or recover."""
    args = [koblitz, "stream", "--workers=1", f"--format=columns-{kind}", f"--encoding={encoding}"]
    for role, name in roles.items():
        if name is not None:  # quoted as in CSV, where names may have commas
            quoted = f"{role}={name}".replace('"', '""')
            args.append(f'--columns="{quoted}"')
    return args


def answers(batches, args, names):
    """Yields the record batches, with what the command args says of their columns names appended.

    Each answer is read before more is sent, so neither side waits for the other in vain. The
    process ends with the generator, also if that is closed early. Without rows there is none.
    """
    process = back = None
    try:
        for rows in (b.slice(at, ROWS) for b in batches for at in range(0, b.num_rows, ROWS)):
            sent = rows.select(names)
            if process is None:
                process = subprocess.Popen(args, stdin=PIPE, stdout=PIPE, stderr=PIPE)
                out = pa.ipc.new_stream(process.stdin, sent.schema)
            try:
                out.write_batch(sent)
                process.stdin.flush()
                back = back or pa.ipc.open_stream(process.stdout)
                answer = back.read_next_batch()
            except (OSError, ValueError, StopIteration) as e:  # pa.ArrowInvalid is a ValueError
                raise _ended(process) from e
            for i in range(len(names), answer.num_columns):
                rows = rows.append_column(answer.schema.field(i), answer.column(i))
            yield rows
        if process:
            out.close()
            error = _ended(process)
            if process.returncode != 0:
                raise error
    finally:
        if process and process.poll() is None:
            process.kill()
            process.communicate()


def _ended(process):
    """Waits for the end of the process, and returns an error that says what it was."""
    said = process.communicate()[1].decode(errors="replace").strip()
    return RuntimeError(f"{process.args[0]} stream: exit status {process.returncode}: {said}")


def _map(df, args, roles, added):
    if taken := [name for name in df.columns if name.lower() in added]:
        raise ValueError(f"the columns {sorted(taken)} are there already: rename them")
    names = list(dict.fromkeys(name for name in roles.values() if name is not None))
    schema = copy.deepcopy(df.schema)
    for name in added:
        schema.add(name, "string", name != "verdict")
    return df.mapInArrow(lambda batches: answers(batches, args, names), schema)
