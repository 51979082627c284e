module github.com/koblitz-go/koblitz/gpu

go 1.25.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/koblitz-go/koblitz v0.1.0
	golang.org/x/sys v0.47.0
)

// The kernels and the core that they stand beside are published together.
replace github.com/koblitz-go/koblitz => ../
