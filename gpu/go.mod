module github.com/koblitz-go/koblitz/gpu

go 1.25.0

require github.com/koblitz-go/koblitz v0.1.0

require golang.org/x/sys v0.47.0 // indirect

// The kernels and the core that they stand beside are published together.
replace github.com/koblitz-go/koblitz => ../
