module github.com/koblitz-go/koblitz/gpu

go 1.25.0

// The kernels and the core that they stand beside are published together.
replace github.com/koblitz-go/koblitz => ../
