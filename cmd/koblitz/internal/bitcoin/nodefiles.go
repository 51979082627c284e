package bitcoin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// This file lists the files that Bitcoin Core keeps in its folder of blocks (Core's doc/files.md).
// A place is a slash-separated path relative to the node's data directory. The folder with the
// blk*.dat files always has the place "blocks", whatever its name.

var (
	// The files in the folder index are those of a LevelDB database.
	ownFile = regexp.MustCompile(`^blocks/(\.lock|xor\.dat|` +
		`index/(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-[0-9]+|[0-9]+\.(ldb|sst|log|dbtmp)))$`)

	nodeFileName = regexp.MustCompile(`^((blk|rev)[0-9]{5,9}|xor)\.dat$`)
	undoFileName = regexp.MustCompile(`^blocks/rev[0-9]{5,9}\.dat$`)
)

// OwnFile reports whether Bitcoin Core uses the file with the given place (path in the data
// directory). It returns false for blk*.dat and rev*.dat files.
func OwnFile(place string) bool { return ownFile.MatchString(place) }

// IsUndo reports whether the file with the given place (path in the data directory) is a rev*.dat
// file.
func IsUndo(place string) bool { return undoFileName.MatchString(place) }

// IsNodeFile reports whether the file at path has a name of the files that a node keeps in its
// folder of blocks.
func IsNodeFile(path string) bool { return nodeFileName.MatchString(filepath.Base(path)) }

// BlockFiles returns a set of names: the blk*.dat files in dir, the rev*.dat files with the same
// numbers, and xor.dat. list is the result of os.ReadDir for dir. If dir has no blk*.dat files, the
// set is empty.
func BlockFiles(dir string, list []fs.DirEntry) (own map[string]bool) {
	for _, f := range blkFiles(dir, list) {
		if own == nil {
			own = map[string]bool{"xor.dat": true}
		}
		own[fmt.Sprintf("blk%05d.dat", f.number)] = true
		own[fmt.Sprintf("rev%05d.dat", f.number)] = true
	}
	return own
}

// blkFiles lists the blk*.dat files in dir, ordered by number.
func blkFiles(dir string, list []fs.DirEntry) (files []blocksFile) {
	for _, e := range list {
		m := blkName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || fmt.Sprintf("blk%05d.dat", n) != e.Name() {
			continue // Core does not write this name
		}
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && info.Mode().IsRegular() {
			files = append(files, blocksFile{number: n, size: info.Size()})
		}
	}
	slices.SortFunc(files, func(a, b blocksFile) int { return a.number - b.number })
	return files
}

// blkName matches the name of a blk*.dat file. Its number has at least five digits.
var blkName = regexp.MustCompile(`^blk([0-9]{5,9})\.dat$`)
