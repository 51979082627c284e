package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// carried are the programs whose machine code a binary can carry: those for calls.
var carried = []string{"rows", "sums"}

// hashHead is the text with which cubin.txt begins.
const hashHead = `# SHA-256 of the machine code (cubin) of each program. go run ./gate -update
# writes this.
`

// hashes returns a line for each carried program and each NVIDIA target: the file's name, which
// assemble has written in temp, and the hash of its contents.
func hashes(temp string, targets []string) (map[string]string, error) {
	lines := map[string]string{}
	for _, target := range targets {
		if !isNVIDIA(target) {
			continue
		}
		for _, program := range carried {
			name := program + "." + target
			code, err := os.ReadFile(filepath.Join(temp, name))
			if err != nil {
				return nil, err
			}
			lines[name] = fmt.Sprintf("%x", sha256.Sum256(code))
		}
	}
	return lines, nil
}

// hashText returns the text of cubin.txt.
func hashText(lines map[string]string) string {
	var b strings.Builder
	b.WriteString(hashHead)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%s  %s\n", lines[name], name)
	}
	return b.String()
}

// compareHashes returns an error for each file whose hash is not in the text of cubin.txt.
func compareHashes(text string, lines map[string]string) (err error) {
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if !strings.Contains(text, "\n"+lines[name]+"  "+name+"\n") {
			err = errors.Join(err, fmt.Errorf("%s has SHA-256 %s, and another in cubin.txt",
				name, lines[name]))
		}
	}
	return err
}

// carry writes the machine code in temp to the folder cubin of dir, in the form that package
// kernels embeds with the build tag cubin. It removes what the folder held before.
func carry(dir, temp string, lines map[string]string) error {
	folder := filepath.Join(dir, "cubin")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name := range lines {
		program, _, _ := strings.Cut(name, ".")
		ptx, err := os.ReadFile(filepath.Join(dir, program+".ptx"))
		if err != nil {
			return err
		}
		code, err := os.ReadFile(filepath.Join(temp, name))
		if err != nil {
			return err
		}
		file, err := compressed(code, ptx)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".gz"), file, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compressed returns a file of the folder cubin: the code, and the hash of its PTX in the header.
func compressed(code, ptx []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	z.Comment = fmt.Sprintf("%x", sha256.Sum256(ptx))
	if _, err := z.Write(code); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
