package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTarget(t *testing.T) {
	for _, tt := range []struct {
		name   string
		env    []string
		runner string // last element of the command, or ""
	}{
		{"", nil, ""},
		{"linux/386", []string{"GOOS=linux", "GOARCH=386"}, ""},
		{"js/wasm", []string{"GOOS=js", "GOARCH=wasm"}, "go_js_wasm_exec"},
	} {
		env, runner, err := target(tt.name)
		if err != nil {
			t.Errorf("%q: %v", tt.name, err)
			continue
		}
		last := ""
		if len(runner) > 0 {
			last = filepath.Base(runner[len(runner)-1])
		}
		if !slices.Equal(env, tt.env) || last != tt.runner {
			t.Errorf("%q: %v, %v", tt.name, env, runner)
		}
	}
	for name, want := range map[string]string{
		"wasm":      "GOOS/GOARCH",
		"/386":      "GOOS/GOARCH",
		"linux/":    "GOOS/GOARCH",
		"none/wasm": "go_none_wasm_exec",
	} {
		if _, _, err := target(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", name, err, want)
		}
	}
}
