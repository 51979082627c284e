module github.com/koblitz-go/koblitz/lab/suites

go 1.26.8
