module github.com/koblitz-go/koblitz/gpu

go 1.25.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/koblitz-go/koblitz v0.1.0
	golang.org/x/sys v0.41.0
)

// The module is released together with the core, and is tested with the tree that it
// stands in.
replace github.com/koblitz-go/koblitz => ../
