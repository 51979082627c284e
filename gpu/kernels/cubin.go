package kernels

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
)

// cubin returns the machine code of the named program for a device of the given compute capability,
// or nil. The folder cubin in from holds files such as rows.sm_86.gz, which koblitz-gpubench
// -compile makes. The header of a file holds the hash of the PTX from which the file was made;
// cubin ignores a file if it is damaged or was made from other PTX.
//
// Machine code runs on devices with the same major number and the same or a greater minor number.
// cubin returns the code with the greatest minor number.
func cubin(from fs.FS, name, ptx string, major, minor int) []byte {
	for ; minor >= 0; minor-- {
		file, err := from.Open(fmt.Sprintf("cubin/%s.sm_%d%d.gz", name, major, minor))
		if err != nil {
			continue
		}
		defer file.Close()
		z, err := gzip.NewReader(file)
		if err != nil || z.Comment != fmt.Sprintf("%x", sha256.Sum256([]byte(ptx))) {
			continue
		}
		if code, err := io.ReadAll(z); err == nil {
			return code
		}
	}
	return nil
}
