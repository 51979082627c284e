module github.com/koblitz-go/koblitz/cmd/koblitz

go 1.25

require github.com/koblitz-go/koblitz v0.1.0
