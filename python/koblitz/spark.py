"""Signatures of secp256k1 in Spark: verify(df, …) and recover(df, …).

The package must be installed in the Python of the executors. Each of their Python processes keeps
one process of `koblitz stream` with one thread. docs/scale.md has recipes.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from . import Encoding, _Call, _kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def verify(df: DataFrame, *, key: str, signature: str, hash: str | None = None,
           message: str | None = None, encoding: Encoding = "auto",
           program: str | None = None) -> DataFrame:
    """Appends the columns verdict (valid, invalid, malformed) and reason (null for a valid row).

    key, signature, and hash (ECDSA) or message (BIP-340) are names of columns of bytes or text.
    program is the path of another program koblitz, as executors find it.
    """
    roles = {"hash": hash, "message": message, "key": key, "signature": signature}
    return _map(df, _Call(_kind(hash, message), roles, encoding, False, 1, program))


def recover(df: DataFrame, *, hash: str, signature: str, sender: str | None = None,
            key: str | None = None, encoding: Encoding = "auto",
            program: str | None = None) -> DataFrame:
    """Appends verdict, reason and sender: the address, 0x and 40 digits, null if there is none.

    The verdict is recovered. With the column of a sender or a key, whose own name is not sender, it
    is valid, or invalid for another signer's. The rest is as for verify.
    """
    roles = {"hash": hash, "signature": signature, "sender": sender, "key": key}
    return _map(df, _Call("recover", roles, encoding, False, 1, program))


def _map(df: Any, call: _Call) -> Any:
    call.taken(df.columns)
    schema = copy.deepcopy(df.schema)
    for name in call.added:
        schema.add(name, "string", name != "verdict")
    return df.mapInArrow(call.batches, schema)
