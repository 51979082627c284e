package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// An entry is one input of the check command: a file, standard input, or a node's folder.
type entry struct {
	name string
	err  error // why the entry cannot be read, or errIsNode
}

// errIsNode marks an entry that is a folder with blk*.dat files.
var errIsNode = errors.New("a node's folder")

func (e entry) isNode() bool { return e.err == errIsNode }

// unread returns an entry for the input called name, which err makes unreadable. The error is
// reported after the entries before it.
func unread(name string, err error) entry {
	return entry{name, fmt.Errorf("%s: %w", name, reading.Bare(err))}
}

// expand replaces each folder in args by the files in it and its subfolders, sorted by name. It
// leaves out a node's own files (the node's folder is one entry), and the files in own, which
// --state uses. Anything else that is not a regular file becomes an entry with an error. nodeless
// is the first argument that contains no node's folder, or "".
func expand(args []string, own []fs.FileInfo) (all []entry, nodeless string) {
	w := folderWalk{own: own}
	for _, name := range args {
		first := len(w.entries)
		info, err := os.Stat(name)
		if name == reading.Stdin || err != nil || !info.IsDir() {
			w.entries = append(w.entries, entry{name: name})
		} else if w.folder(filepath.Clean(name), ""); len(w.entries) == first {
			w.entries = append(w.entries, unread(name, errors.New("there is no file in this folder or "+
				"below it that could be checked")))
		}
		if nodeless == "" && !slices.ContainsFunc(w.entries[first:], entry.isNode) {
			nodeless = name
		}
	}
	return w.entries, nodeless
}

// A folderWalk collects the entries for the files in folders.
type folderWalk struct {
	own     []fs.FileInfo // files that --state uses
	entries []entry
}

// folder adds the entries for the folder dir. place is the path of dir relative to a node's data
// directory, as bitcoin.OwnFile expects it, if dir is in a node's folder, and otherwise "".
func (w *folderWalk) folder(dir, place string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		w.entries = append(w.entries, unread(dir, err))
	}
	own := bitcoin.BlockFiles(dir, list)
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	switch {
	case len(own) > 0:
		place = "blocks"
		w.entries = append(w.entries, entry{dir, errIsNode})
	case has("blocks") && has("chainstate"):
		w.entries = append(w.entries, unread(dir, errors.New("is a node's data directory; name its "+
			"folder blocks")))
		return
	}
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		if name == reading.Stdin {
			name = "." + string(filepath.Separator) + name
		}
		inNode := ""
		if place != "" {
			inNode = path.Join(place, e.Name())
		}
		w.add(name, e, inNode, own[e.Name()])
	}
}

// add adds the entry for the file or folder called name. place is its path relative to a node's
// data directory, or "". own reports whether name is a file of a node's own, which the entry for
// the node's folder stands for.
func (w *folderWalk) add(name string, e fs.DirEntry, place string, own bool) {
	info, err := os.Stat(name)
	switch {
	case e.IsDir():
		if place != "blocks/index" {
			place = ""
		}
		w.folder(name, place)
	case err == nil && info.IsDir():
		w.entries = append(w.entries, unread(name, errors.New("is a link to a folder, which is not "+
			"followed; name the folder itself")))
	case err == nil && !info.Mode().IsRegular():
		w.entries = append(w.entries, unread(name, errors.New("is not a regular file")))
	case own || bitcoin.OwnFile(place):
	case err == nil && slices.ContainsFunc(w.own, func(f fs.FileInfo) bool {
		return f.Name() == e.Name() && os.SameFile(f, info)
	}):
	case bitcoin.IsUndo(place):
		w.entries = append(w.entries, unread(name,
			errors.New("there is no blk*.dat file of its number")))
	default:
		w.entries = append(w.entries, entry{name: name})
	}
}
