// Package before is code that calls btcec, dcrec, go-ethereum's crypto or go-nostr. Package after
// has the same functions, ported to koblitz. docs/port.md links to the files of both.
package before

//ci:untested The tests of lab/peers/port/after compare its results with those of package after.
