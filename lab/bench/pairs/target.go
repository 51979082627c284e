package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target takes a platform name of the form GOOS/GOARCH. It returns the environment variables with
// which go test builds programs for that platform, and the command that runs them. For WebAssembly
// the command is Go's script for Node. For other platforms it is empty, and this CPU must be able
// to run their programs, as an amd64 CPU runs those for 386. If name is "", target returns nil for
// both.
func target(name string) (env, runner []string, err error) {
	if name == "" {
		return nil, nil, nil
	}
	system, arch, ok := strings.Cut(name, "/")
	if !ok || system == "" || arch == "" {
		return nil, nil, fmt.Errorf("target %q is not of the form GOOS/GOARCH", name)
	}
	env = []string{"GOOS=" + system, "GOARCH=" + arch}
	if arch != "wasm" {
		return env, nil, nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "go_"+system+"_wasm_exec")
	if _, err := os.Stat(script); err != nil {
		return nil, nil, fmt.Errorf("target %q: %w", name, err)
	}
	return env, []string{script}, nil
}
