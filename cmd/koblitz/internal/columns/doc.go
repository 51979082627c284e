// Package columns reads signatures from the columns of a table: Parquet, CSV, JSONL and Arrow. The
// user names the columns; the kind of signature determines the contents of each.
//
// A reader splits a table into batches of rows and copies only the named cells. The workers do the
// rest: Expand decodes digits, compares lengths and makes units. A cell that is missing, null, or
// of a wrong type or length makes its own row malformed, and no other.
//
// Memory does not depend on the sizes that a file claims. The limits are constants of this package,
// and docs/check.md lists them.
package columns
