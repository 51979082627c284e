module github.com/koblitz-go/koblitz/gpu/lab

go 1.25.0

require (
	github.com/koblitz-go/koblitz v0.1.0
	github.com/koblitz-go/koblitz/_asm v0.0.0
	github.com/koblitz-go/koblitz/gpu v0.1.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	golang.org/x/sys v0.41.0 // indirect
)

// It measures and proves the tree that it stands in. Nobody installs it by version.
replace (
	github.com/koblitz-go/koblitz => ../..
	github.com/koblitz-go/koblitz/_asm => ../../_asm
	github.com/koblitz-go/koblitz/gpu => ../
)
