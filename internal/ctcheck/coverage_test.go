package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// withoutSecret names the functions of private keys that no case calls by name,
// and why.
var withoutSecret = map[string]string{
	"Format":   "called by fmt in keyPrint",
	"GoString": "returns a constant",
	"String":   "returns a constant",
	"LogValue": "returns a constant",
	"IsZero":   "tells whether there is a key",
}

// TestEveryFunction takes the functions that touch a private key from the
// surface in the folder api and asks that the subject calls each of them.
func TestEveryFunction(t *testing.T) {
	var subject strings.Builder
	read := func(pattern string, each func(name, text string)) {
		names, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			each(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), string(text))
		}
	}
	read("subject/*.go", func(_, text string) { subject.WriteString(text) })

	signature := regexp.MustCompile(`(?m)^\t*func (\([^)]*\) )?(\w+)\(.*PrivateKey.*$|^\t*func (\([^)]*PrivateKey\) )(\w+)\(.*$`)
	count := 0
	read("../../api/*.txt", func(pkg, text string) {
		for _, m := range signature.FindAllStringSubmatch(text, -1) {
			name := m[2] + m[4]
			call := "." + name + "("
			if m[1]+m[3] == "" { // a function: of this package, not of another
				call = pkg + call
			}
			count++
			if withoutSecret[name] == "" && !strings.Contains(subject.String(), call) {
				t.Errorf("no case calls %s: %s", name, strings.TrimSpace(m[0]))
			}
		}
	})
	if count < 20 {
		t.Errorf("only %d functions of private keys in the surface", count)
	}
}
