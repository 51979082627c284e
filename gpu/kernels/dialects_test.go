package kernels

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDialects checks that clang compiles the headers as CUDA and as OpenCL C 1.2, together with a
// kernel that uses the macros of vendor.h.
func TestDialects(t *testing.T) {
	const kernel = `#include "point.h"
#include "tree.h"

KERNEL void k_test(ROW_PARAMETER u32 n, GLOBAL const u8 *scalars, GLOBAL const u32 *gtable,
	GLOBAL u8 *out)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u32 row = ROW;
	sc k;
	fe x;
	ge p;
	xyzz r;
	sc_set_int(&k, 0);
	if (row < n) sc_load_be_reduced(&k, scalars + (u64)row * 32);
	sc_inv_group(&k, &k, tree, ITEM);
	if (row < n && mul_base(&r, &k, gtable)) {
		fe_inv(&x, &r.zzz);
		xyzz_to_ge(&p, &r, &x);
		if (mul_double(&r, &k, &k, &p, gtable)) xyzz_to_ge(&p, &r, &x);
		ge_store_be(out + (u64)row * 65, &p);
	}
}
`
	needs(t, "clang-15")
	for _, c := range []struct {
		name  string
		flags string
	}{
		{"CUDA", "-x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O1 -S"},
		{"OpenCL", "-x cl -cl-std=CL1.2 -fsyntax-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			flags := strings.Fields(c.flags)
			flags = append(flags, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
				"-I.", "-o", "-", "-")
			cmd := exec.Command("clang-15", flags...)
			cmd.Stdin = strings.NewReader(kernel)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if c.name == "CUDA" && !strings.Contains(string(out), ".visible .entry k_test(") {
				t.Error("there is no kernel in the PTX")
			}
		})
	}
}
