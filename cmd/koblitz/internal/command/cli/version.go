package cli

import (
	"runtime"
	"runtime/debug"
)

// version is the version of a release, set by go build -ldflags -X. In other builds it is empty.
var version string

// Version returns the version of a release, or the version of the module: the one given to go
// install, or in a build from a checkout one that names the commit.
func Version() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}

// A Build describes this program.
type Build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the description of this program.
func ThisBuild() Build {
	return Build{Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

func (b Build) String() string {
	return "koblitz " + b.Version + ", " + b.Go + " " + b.Platform
}
