// Package columns reads signatures out of the columns of a table: Parquet, CSV, JSONL and
// Arrow. The user names the columns; what each must hold follows from the kind of signature.
//
// A reader splits a table into batches of rows, copies the named cells and nothing else, and
// leaves the rest to the workers: digits are decoded, lengths compared and units made in
// Expand. A cell that is missing, null, of another type or length makes its own row malformed,
// and no other.
//
// Memory does not depend on what a file claims. The limits are constants of this package, and
// docs/check-runs.md lists them.
package columns
