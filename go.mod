module github.com/koblitz-go/koblitz

go 1.25
