module github.com/koblitz-go/koblitz/compat/suites

go 1.26.8
