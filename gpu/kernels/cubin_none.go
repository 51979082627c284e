//go:build !cubin

package kernels

import "embed"

// cubins is empty without the tag cubin, so drivers compile the PTX.
var cubins embed.FS
