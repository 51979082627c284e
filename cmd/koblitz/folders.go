package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
)

// expandFolders puts in place of each folder the files in it and in the folders below, in the
// order of their names. What belongs to another file or to the state is none of them: spent
// outputs, and the files of --state. A folder with blk*.dat files stays as it is. What cannot be
// looked at stays, too, and so does a link to another folder, which is not followed: opening it is
// an error that has its place in the report.
func (o *checkOptions) expandFolders(names []string) (all []string) {
	for _, name := range names {
		info, err := os.Stat(name)
		if _, ok := bitcoin.FindBlocks(name); ok || err != nil || !info.IsDir() {
			all = append(all, name)
			continue
		}
		files := o.filesBelow(name)
		if len(files) == 0 {
			files = []string{name} // opening it says what is wrong
		}
		all = append(all, files...)
	}
	return all
}

func (o *checkOptions) filesBelow(dir string) (files []string) {
	own := o.stateFiles()
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if name != dir {
				files = append(files, name) // it cannot be opened either
			}
			return nil
		case d.IsDir():
			return nil
		case isSpent(name) || o.state != "" && slices.ContainsFunc(own, func(s string) bool {
			return filepath.Clean(s) == name
		}):
			return nil
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return nil // a device
		}
		files = append(files, name)
		return nil
	})
	return files
}

// isSpent reports whether a file of that name has the spent outputs of a block.
func isSpent(name string) bool {
	for _, packed := range packedSuffixes {
		if strings.HasSuffix(strings.TrimSuffix(name, packed), bitcoin.SpentSuffix) {
			return true
		}
	}
	return false
}

// inputs are all files that are read, as far as they are named: those in folders, too.
func (o *checkOptions) inputs(args []string) []string {
	all := o.expandFolders(args)
	if o.spent != "" {
		all = append(all, o.spent)
	}
	return all
}
