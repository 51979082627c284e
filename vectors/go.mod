module github.com/koblitz-go/koblitz/vectors

go 1.25.0

require (
	github.com/c2sp/wycheproof v0.0.0-20260105152342-fca0d3ba9f12
	github.com/koblitz-go/koblitz v0.1.0
	github.com/koblitz-go/koblitz/x v0.1.0
)

require golang.org/x/sys v0.47.0 // indirect
