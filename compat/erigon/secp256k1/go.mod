module github.com/erigontech/secp256k1

go 1.25.0

require github.com/koblitz-go/koblitz v0.1.0

require golang.org/x/sys v0.41.0 // indirect

// Tests of this module run on the tree that it stands in. In other modules' builds a
// replace line of a dependency has no effect.
replace github.com/koblitz-go/koblitz => ../../..
