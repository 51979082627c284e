//go:build cubin

package kernels

import "embed"

// cubins holds the files that koblitz-gpubench -compile all -cubin cubin writes. Without them the
// package does not build with the tag cubin.
//
//go:embed cubin/*.gz
var cubins embed.FS
