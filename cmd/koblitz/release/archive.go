package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// A file is one file in an archive of a release.
type file struct {
	name       string
	data       []byte
	executable bool
}

func (f *file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

func sorted(files []file) []file {
	byName := func(a, b file) int { return cmp.Compare(a.name, b.name) }
	return slices.SortedFunc(slices.Values(files), byName)
}

// writeTar writes a compressed tar archive to path, with files in a directory called folder. The
// files in it have no owner, and were modified at the given time.
func writeTar(path, folder string, modified time.Time, files []file) {
	var b bytes.Buffer
	z := must(gzip.NewWriterLevel(&b, gzip.BestCompression))
	t := tar.NewWriter(z)
	for _, f := range sorted(files) {
		must(0, t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name,
			Size: int64(len(f.data)), Mode: f.mode(), ModTime: modified, Format: tar.FormatUSTAR}))
		must(t.Write(f.data))
	}
	must(0, errors.Join(t.Close(), z.Close()))
	must(0, os.WriteFile(path, b.Bytes(), 0o644))
}

// writeZip does the same as writeTar in the zip format, which archives for Windows and wheels have.
// An empty folder puts the files at the top.
func writeZip(path, folder string, modified time.Time, files []file) {
	if modified.Year() < 1980 { // the first year that zip can represent
		modified = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: strings.TrimPrefix(folder+"/"+f.name, "/"), Method: zip.Deflate,
			Modified: modified}
		h.SetMode(os.FileMode(f.mode()))
		must(must(z.CreateHeader(h)).Write(f.data))
	}
	must(0, z.Close())
	must(0, os.WriteFile(path, b.Bytes(), 0o644))
}
