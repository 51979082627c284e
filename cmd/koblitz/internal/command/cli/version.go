package cli

import (
	"runtime"
	"runtime/debug"
)

// version is the version of a release, set by go build -ldflags -X. In other builds it is empty.
var version string

// Version returns the version of a release, or the module version given to go install.
func Version() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}

// ThisBuild returns the description of this program. A release gets its version from the linker,
// and a program built by go install from its module. A build from a checkout has a commit instead.
func ThisBuild() Build {
	b := Build{Version: Version(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		modified := false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
		if b.Commit != "" && modified {
			b.Commit += ", changed"
		}
	}
	return b
}

func (b Build) String() string {
	text := "koblitz " + b.Version
	if b.Commit != "" {
		text += " (" + b.Commit + ")"
	}
	return text + ", " + b.Go + " " + b.Platform
}

// A Build describes this program.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // empty if unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}
