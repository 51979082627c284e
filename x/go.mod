module github.com/koblitz-go/koblitz/x

go 1.25.0

require github.com/koblitz-go/koblitz v0.1.0

require golang.org/x/sys v0.41.0 // indirect
