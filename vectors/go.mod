module github.com/koblitz-go/koblitz/vectors

go 1.25

require github.com/koblitz-go/koblitz v0.1.0
