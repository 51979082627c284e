"""The version of this package, and of the program it belongs to. A wheel has other values."""

VERSION = "0"
PROGRAM: str | None = None  # None, in a checkout, accepts any program
