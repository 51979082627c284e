module github.com/koblitz-go/koblitz

go 1.25

require golang.org/x/sys v0.41.0
