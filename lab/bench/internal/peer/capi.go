//go:build linux || darwin || freebsd

package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

const (
	sign      = 1<<9 | 1
	verifying = 1<<8 | 1
	compress2 = 1<<8 | 2 // flag of ec_pubkey_serialize for compressed keys
	plain     = 1 << 1   // flag of ec_pubkey_serialize for uncompressed keys
)

// capi calls the functions of a C library. The buffers that it passes to C are on Go's heap, where
// they do not move.
type capi struct {
	handle uintptr
	prefix string
	ctx    uintptr
	funcs  map[string]uintptr
	memory []uint64
	kept   [64][]byte // keeps the last objects reachable, since C may still use them
	next   int
}

// object returns size bytes for a C object. They stay valid until 64 more objects have been
// requested.
func (c *capi) object(size int) []byte {
	words := make([]uint64, size/8)
	c.next = (c.next + 1) % len(c.kept)
	c.kept[c.next] = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	return c.kept[c.next]
}

func (c *capi) lookup(name string) uintptr {
	if f, ok := c.funcs[name]; ok {
		return f
	}
	full := name
	if !strings.HasPrefix(name, "koblitz_bench_") {
		full = c.prefix + name
	}
	f, err := purego.Dlsym(c.handle, full)
	if err != nil {
		f = 0
	}
	c.funcs[name] = f
	return f
}

func ptr(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// NewLibsecp returns the peer that calls libsecp256k1, after it has built or found the library.
func NewLibsecp(in *Inputs, rust fs.FS) (*Peer, error) {
	lib, err := findLibrary(rust, systemLibraries)
	if err != nil {
		return nil, err
	}
	return openLibrary(in, "libsecp256k1", lib)
}

// OpenLibrary returns a peer that calls the library at path, which must have the interface of
// libsecp256k1.
func OpenLibrary(in *Inputs, name, path string) (*Peer, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	lib := library{path: path, version: filepath.Base(target), prefix: prefixOf(path), note: path}
	return openLibrary(in, name, lib)
}

func openLibrary(in *Inputs, name string, lib library) (*Peer, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if runtime.GOOS == "linux" {
		mode |= 8 // RTLD_DEEPBIND: the library's own symbols precede those that cgo may have linked
	}
	runtime.LockOSThread() // the reason for a failure is kept in the thread
	handle, err := purego.Dlopen(lib.path, mode)
	runtime.UnlockOSThread()
	if err != nil {
		return nil, err
	}
	c := &capi{handle: handle, prefix: lib.prefix, funcs: map[string]uintptr{}}
	for _, f := range []string{"ec_pubkey_parse", "ecdsa_verify", "ecdsa_sign", "ec_pubkey_create"} {
		if c.lookup(f) == 0 {
			return nil, fmt.Errorf("%s: no function %s%s", lib.path, c.prefix, f)
		}
	}
	switch create, size := c.lookup("context_create"), c.lookup("context_preallocated_size"); {
	case create != 0:
		c.ctx, _, _ = purego.SyscallN(create, sign|verifying)
	case size != 0:
		n, _, _ := purego.SyscallN(size, sign|verifying)
		c.memory = make([]uint64, n/8+2)
		c.ctx, _, _ = purego.SyscallN(c.lookup("context_preallocated_create"),
			uintptr(unsafe.Pointer(&c.memory[0])), sign|verifying)
	}
	if c.ctx == 0 {
		return nil, errors.New(lib.path + ": no context")
	}
	p := &Peer{Name: name, Version: lib.version, Drivers: map[string]Driver{}}
	p.Note = fmt.Sprintf("%s; called without cgo, %.0f ns a call included", lib.note, c.callCost())
	c.drivers(in, p.Drivers)
	if c.lookup("koblitz_bench_run") != 0 {
		c.internals(in, p.Drivers)
	}
	for id, d := range p.Drivers {
		d.Outside = true
		p.Drivers[id] = d
	}
	p.Functions = c.functions()
	c.ellswiftFunctions(&p.Functions)
	c.tweakFunctions(&p.Functions)
	return p, nil
}

// callCost returns how many nanoseconds a call from Go of an almost empty C function takes.
func (c *capi) callCost() float64 {
	f, args := c.lookup("koblitz_bench_nothing"), []uintptr{}
	if f == 0 {
		f, args = c.lookup("ec_seckey_verify"), []uintptr{c.ctx, ptr(make([]byte, 32))}
	}
	const n = 20000
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		for range n {
			purego.SyscallN(f, args...)
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / n
}

// call calls the C function f with the library's context object as its first argument, and reports
// whether f returns 1.
func (c *capi) call(f uintptr, args ...uintptr) bool {
	var all [10]uintptr
	all[0] = c.ctx
	n := copy(all[1:], args)
	r, _, _ := purego.SyscallN(f, all[:n+1]...)
	return int32(r) == 1
}

// rows returns one object of size bytes for each row, for C to read and write.
func rows(size int) [][]byte { return objects(Rows, size) }

// objects returns n objects of size bytes each.
func objects(n, size int) [][]byte {
	if n == 0 {
		return nil
	}
	all := make([]uint64, n*size/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), n*size)
	return slices.Collect(slices.Chunk(b, size))
}

func (c *capi) drivers(in *Inputs, d map[string]Driver) {
	var (
		create             = c.lookup("ec_pubkey_create")
		parse, serialize   = c.lookup("ec_pubkey_parse"), c.lookup("ec_pubkey_serialize")
		verify, signECDSA  = c.lookup("ecdsa_verify"), c.lookup("ecdsa_sign")
		fromDER            = c.lookup("ecdsa_signature_parse_der")
		compact            = c.lookup("ecdsa_signature_serialize_compact")
		keys, sigs, pairs  = rows(64), rows(64), rows(96)
		xonly, recoverable = rows(64), rows(72)
		key, sig, out      = rows(64)[0], rows(64)[0], rows(128)[0]
		size               = new(uint64)
	)
	short := func(key []byte) []byte {
		*size = 33
		c.call(serialize, ptr(out), uintptr(unsafe.Pointer(size)), ptr(key), compress2)
		return slices.Clone(out[:33])
	}
	for i := range Rows {
		c.call(parse, ptr(keys[i]), ptr(in.Key[i]), 33)
		c.call(fromDER, ptr(sigs[i]), ptr(in.DER[i]), uintptr(len(in.DER[i])))
	}
	compressed := func() []byte { return short(key) }
	d["keygen"] = stores(Constant, func(i int) {
		c.call(create, ptr(key), ptr(in.Secret[i]))
	}, compressed)
	d["parse"] = stores(Public, func(i int) {
		c.call(parse, ptr(key), ptr(in.Key[i]), 33)
	}, compressed)
	d["ecdsa-sign-unchecked"] = stores(Constant, func(i int) {
		c.call(signECDSA, ptr(sig), ptr(in.Hash[i]), ptr(in.Secret[i]), 0, 0)
	}, func() []byte {
		c.call(compact, ptr(out), ptr(sig))
		return slices.Clone(out[:64])
	})
	d["ecdsa-verify"] = verifies(func(i int) bool {
		return c.call(verify, ptr(sigs[i]), ptr(in.Hash[i]), ptr(keys[i]))
	})
	d["ecdsa-verify-parse"] = verifies(func(i int) bool {
		return c.call(parse, ptr(key), ptr(in.Key[i]), 33) &&
			c.call(fromDER, ptr(sig), ptr(in.DER[i]), uintptr(len(in.DER[i]))) &&
			c.call(verify, ptr(sig), ptr(in.Hash[i]), ptr(key))
	})
	for _, id := range [...]string{"ecdsa-verify-prepared-2k", "ecdsa-verify-prepared-26k"} {
		d[id] = d["ecdsa-verify"].noted(withoutTable)
	}
	c.many(in, d)
	c.tweaks(in, d)
	c.secrets(in, d)
	c.signs(in, d)
	c.scans(in, d)
	c.ellswift(in, d)
	c.musig(in, d)
	if f := c.lookup("ec_pubkey_tweak_add"); f != 0 {
		d["tweak-add"] = stores(Variable, func(i int) {
			copy(key, keys[i])
			accept(c.call(f, ptr(key), ptr(in.Hash[i])))
		}, compressed)
	}
	if f := c.lookup("schnorrsig_verify"); f != 0 {
		parseX, pair := c.lookup("xonly_pubkey_parse"), c.lookup("keypair_create")
		signS := c.lookup("schnorrsig_sign32")
		for i := range Rows {
			c.call(parseX, ptr(xonly[i]), ptr(in.XOnly[i]))
			c.call(pair, ptr(pairs[i]), ptr(in.Secret[i]))
		}
		d["schnorr-verify"] = verifies(func(i int) bool {
			return c.call(f, ptr(in.Schnorr[i]), ptr(in.Hash[i]), 32, ptr(xonly[i]))
		})
		d["schnorr-verify-parse"] = verifies(func(i int) bool {
			return c.call(parseX, ptr(key), ptr(in.XOnly[i])) &&
				c.call(f, ptr(in.Schnorr[i]), ptr(in.Hash[i]), 32, ptr(key))
		})
		d["schnorr-sign-unchecked"] = stores(Constant, func(i int) {
			c.call(signS, ptr(out), ptr(in.Hash[i]), ptr(pairs[i]), ptr(in.Aux[i]))
		}, func() []byte { return slices.Clone(out[:64]) })
		for _, id := range [...]string{"schnorr-verify-prepared-2k", "schnorr-verify-prepared-26k"} {
			d[id] = d["schnorr-verify"].noted(withoutTable)
		}
	}
	if f := c.lookup("ecdh"); f != 0 {
		d["ecdh-sha256"] = stores(Constant, func(i int) {
			c.call(f, ptr(out), ptr(keys[(i+1)%Rows]), ptr(in.Secret[i]), 0, 0)
		}, func() []byte { return slices.Clone(out[:32]) })
		if x := c.lookup(copyX); x != 0 {
			d["ecdh-x"] = stores(Constant, func(i int) {
				c.call(f, ptr(out), ptr(keys[(i+1)%Rows]), ptr(in.Secret[i]), x, 0)
			}, func() []byte { return slices.Clone(out[:32]) })
		}
	}
	if f := c.lookup("ecdsa_recover"); f != 0 {
		parseR := c.lookup("ecdsa_recoverable_signature_parse_compact")
		for i := range Rows {
			s := in.Recoverable[i]
			c.call(parseR, ptr(recoverable[i]), ptr(s), uintptr(s[64]))
		}
		d["recover"] = stores(Public, func(i int) {
			accept(c.call(f, ptr(key), ptr(recoverable[i]), ptr(in.Hash[i])))
		}, compressed)
	}
}

// internals adds to d the drivers for libsecp256k1's internal functions, which native/internals.c
// exports.
func (c *capi) internals(in *Inputs, d map[string]Driver) {
	var a, b, pts []byte
	for i := range Rows {
		p := lift(in.Key[i])
		a, b = append(a, in.A[i]...), append(b, in.B[i]...)
		pts = append(append(pts, encode(&p.X)...), encode(&p.Y)...)
	}
	purego.SyscallN(c.lookup("koblitz_bench_load"), Rows, ptr(a), ptr(b), ptr(pts))
	runtime.KeepAlive([][]byte{a, b, pts})
	out := make([]byte, 64)
	run := c.lookup("koblitz_bench_run")
	for op, o := range []struct {
		id     string
		size   int
		timing Timing
	}{
		{"field-mul", 32, ""}, {"field-mul-independent", 32, ""},
		{"field-square", 32, ""}, {"field-add", 32, ""},
		{"field-inv", 32, Constant}, {"field-inv-var", 32, ""}, {"field-sqrt", 32, ""},
		{"scalar-mul", 32, ""}, {"scalar-square", 32, ""}, {"scalar-add", 32, ""},
		{"scalar-inv", 32, Constant}, {"scalar-inv-var", 32, ""},
		{"point-double", 33, ""}, {"point-add", 33, ""},
		{"point-mul", 33, ""}, {"point-mul-ct", 33, Constant},
		{"base-mul", 33, ""}, {"base-mul-ct", 33, Constant}, {"double-mul", 33, ""},
		{"normalize-1", 32, ""}, {"field-sub", 32, ""},
	} {
		times := func(first, n int) time.Duration {
			r, _, _ := purego.SyscallN(run, c.ctx, uintptr(op), uintptr(first), uintptr(n), ptr(out))
			return time.Duration(r)
		}
		d[o.id] = Driver{Timing: o.timing, Note: "loop in C",
			Run: times,
			Out: func(i int) []byte { times(i, 1); return slices.Clone(out[:o.size]) }}
	}
	normalize := c.lookup("koblitz_bench_normalize")
	for _, n := range NormalizeSizes {
		d[fmt.Sprintf("normalize-%d", n)] = Driver{Note: "loop in C",
			Run: func(first, k int) time.Duration {
				r, _, _ := purego.SyscallN(normalize, uintptr(n), uintptr(first), uintptr(k), ptr(out))
				return time.Duration(r)
			},
			Out: func(i int) []byte {
				purego.SyscallN(normalize, uintptr(n), uintptr(min(i, Rows-n)), 1, ptr(out))
				return slices.Clone(out[:32])
			}}
	}
	ks, all := slices.Concat(in.Scalars...), slices.Concat(in.Points...)
	if len(all) == 0 {
		return
	}
	purego.SyscallN(c.lookup("koblitz_bench_msm_load"), uintptr(len(in.Points)), ptr(ks), ptr(all))
	runtime.KeepAlive([][]byte{ks, all})
	msm := c.lookup("koblitz_bench_msm")
	for _, n := range MSMSizes {
		if n > len(in.Points) {
			break
		}
		sum := func(f uintptr) Driver {
			do := func(_, k int) time.Duration {
				r, _, _ := purego.SyscallN(f, c.ctx, uintptr(n), uintptr(k), ptr(out))
				return time.Duration(r)
			}
			return Driver{Run: do, Out: func(int) []byte { do(0, 1); return slices.Clone(out[:33]) }}
		}
		d[fmt.Sprintf("msm-%d", n)] = sum(msm).noted("ecmult_multi, internal")
		if n <= NaiveLimit {
			d[fmt.Sprintf("msm-naive-%d", n)] = sum(c.lookup("koblitz_bench_msm_naive")).noted("loop in C")
		}
	}
}

// many adds to d the drivers for operations on many rows. libsecp256k1 has no batch functions, so
// these drivers process one row after another.
func (c *capi) many(in *Inputs, d map[string]Driver) {
	var (
		m, n                 = in.Many, len(in.Many.Hash)
		parse, verify        = c.lookup("ec_pubkey_parse"), c.lookup("ecdsa_verify")
		compact              = c.lookup("ecdsa_signature_parse_compact")
		parseX, verifyS      = c.lookup("xonly_pubkey_parse"), c.lookup("schnorrsig_verify")
		parseR               = c.lookup("ecdsa_recoverable_signature_parse_compact")
		recover              = c.lookup("ecdsa_recover")
		serialize, size      = c.lookup("ec_pubkey_serialize"), new(uint64)
		keys, sigs, xonly    = objects(n, 64), objects(n, 64), objects(n, 64)
		key, sig, rec, short = rows(64)[0], rows(64)[0], rows(72)[0], rows(64)[0]
	)
	for i := range n {
		c.call(parse, ptr(keys[i]), ptr(m.Key[i]), 33)
		c.call(compact, ptr(sigs[i]), ptr(m.ECDSA[i]))
	}
	compressed := func() []byte {
		*size = 33
		c.call(serialize, ptr(short), uintptr(unsafe.Pointer(size)), ptr(key), compress2)
		return slices.Clone(short[:33])
	}
	parsed := func(i int) bool { return c.call(verify, ptr(sigs[i]), ptr(m.Hash[i]), ptr(keys[i])) }
	oneByOne(in, d, "ecdsa-batch-parsed", "one by one", parsed)
	few, fewSigs := objects(PreparedKeys, 64), objects(len(m.FewECDSA), 64)
	for i := range few {
		c.call(parse, ptr(few[i]), ptr(m.FewKeys[i]), 33)
	}
	for i := range fewSigs {
		c.call(compact, ptr(fewSigs[i]), ptr(m.FewECDSA[i]))
	}
	oneByOne(in, d, "ecdsa-batch-prepared", "one by one, "+withoutTable, func(i int) bool {
		return c.call(verify, ptr(fewSigs[i]), ptr(m.Hash[i]), ptr(few[i%PreparedKeys]))
	})
	oneByOne(in, d, "ecdsa-batch", "one by one", func(i int) bool {
		return c.call(parse, ptr(key), ptr(m.Key[i]), 33) && c.call(compact, ptr(sig), ptr(m.ECDSA[i])) &&
			c.call(verify, ptr(sig), ptr(m.Hash[i]), ptr(key))
	})
	rowByRow(in, d, "parse-batch", "one by one", func(i int) {
		accept(c.call(parse, ptr(key), ptr(m.Key[i]), 33))
	}, compressed)
	create := c.lookup("ec_pubkey_create")
	rowByRow(in, d, baseMul, "one by one, in constant time: it has no other", func(i int) {
		accept(c.call(create, ptr(key), ptr(m.Secret[i])))
	}, compressed)
	if verifyS != 0 {
		for i := range n {
			c.call(parseX, ptr(xonly[i]), ptr(m.XOnly[i]))
		}
		parsed := func(i int) bool {
			return c.call(verifyS, ptr(m.Schnorr[i]), ptr(m.Hash[i]), 32, ptr(xonly[i]))
		}
		oneByOne(in, d, "schnorr-batch-parsed", "one by one", parsed)
		few := objects(PreparedKeys, 64)
		for i := range few {
			c.call(parseX, ptr(few[i]), ptr(m.FewXOnly[i]))
		}
		oneByOne(in, d, "schnorr-batch-prepared", "one by one, "+withoutTable, func(i int) bool {
			return c.call(verifyS, ptr(m.FewSchnorrs[i]), ptr(m.Hash[i]), 32, ptr(few[i%PreparedKeys]))
		})
		oneByOne(in, d, "schnorr-batch", "one by one", func(i int) bool {
			return c.call(parseX, ptr(key), ptr(m.XOnly[i])) &&
				c.call(verifyS, ptr(m.Schnorr[i]), ptr(m.Hash[i]), 32, ptr(key))
		})
	}
	if recover != 0 {
		rowByRow(in, d, "recover-batch", "one by one", func(i int) {
			s := m.Recoverable[i]
			accept(c.call(parseR, ptr(rec), ptr(s), uintptr(s[64])) &&
				c.call(recover, ptr(key), ptr(rec), ptr(m.Hash[i])))
		}, compressed)
	}
}

// tweaks adds to d the drivers that check tweaks and derive children one after another.
func (c *capi) tweaks(in *Inputs, d map[string]Driver) {
	m := in.Many
	parse, add := c.lookup("ec_pubkey_parse"), c.lookup("ec_pubkey_tweak_add")
	parseX, check := c.lookup("xonly_pubkey_parse"), c.lookup("xonly_pubkey_tweak_add_check")
	key, serialize, size, out := rows(64)[0], c.lookup("ec_pubkey_serialize"), new(uint64), rows(64)[0]
	if check != 0 {
		oneByOne(in, d, tweakCheck, "one by one", func(i int) bool {
			return c.call(parseX, ptr(key), ptr(m.XOnly[i])) &&
				c.call(check, ptr(m.Output[i][1:]), uintptr(m.Output[i][0]), ptr(key), ptr(m.Hash[i]))
		})
	}
	if add == 0 {
		return
	}
	a, room, parent := m.account(), rows(64)[0], rows(64)[0]
	c.call(parse, ptr(parent), ptr(a.key), 33)
	rowByRow(in, d, children, "one by one; the hash by Go", func(i int) {
		a.appendTweak(room[:0], i)
		copy(key, parent)
		accept(c.call(add, ptr(key), ptr(room)))
		*size = 33
		c.call(serialize, ptr(out), uintptr(unsafe.Pointer(size)), ptr(key), compress2)
	}, func() []byte { return slices.Clone(out[:33]) })
}

func (c *capi) functions() Functions {
	var (
		out, size = c.object(128), new(uint64)
		f         = c.lookup
	)
	parse := func(b []byte) []byte {
		k := c.object(64)
		if !c.call(f("ec_pubkey_parse"), ptr(k), ptr(b), uintptr(len(b))) {
			return nil
		}
		return k
	}
	bytes := func(k []byte, n int, form uintptr) []byte {
		*size = uint64(n)
		c.call(f("ec_pubkey_serialize"), ptr(out), uintptr(unsafe.Pointer(size)), ptr(k), form)
		return slices.Clone(out[:n])
	}
	// libsecp256k1 accepts only a low s, so a high s is normalized before the verification.
	verify := func(k, h, sig []byte) bool {
		key := parse(k)
		c.call(f("ecdsa_signature_normalize"), ptr(sig), ptr(sig))
		return key != nil && c.call(f("ecdsa_verify"), ptr(sig), ptr(h), ptr(key))
	}
	all := Functions{
		PublicKey: func(s []byte) []byte {
			k := c.object(64)
			if !c.call(f("ec_pubkey_create"), ptr(k), ptr(s)) {
				return nil
			}
			return bytes(k, 33, compress2)
		},
		Parse: func(b []byte) []byte {
			if k := parse(b); k != nil {
				return bytes(k, 65, plain)
			}
			return nil
		},
		ECDSASign: func(s, h []byte) []byte {
			sig := c.object(64)
			c.call(f("ecdsa_sign"), ptr(sig), ptr(h), ptr(s), 0, 0)
			c.call(f("ecdsa_signature_serialize_compact"), ptr(out), ptr(sig))
			return slices.Clone(out[:64])
		},
		ECDSAVerify: func(k, h, s []byte) bool {
			sig := c.object(64)
			return c.call(f("ecdsa_signature_parse_compact"), ptr(sig), ptr(s)) && verify(k, h, sig)
		},
		ECDSAVerifyDER: func(k, h, s []byte) bool {
			sig := c.object(64)
			return c.call(f("ecdsa_signature_parse_der"), ptr(sig), ptr(s), uintptr(len(s))) &&
				verify(k, h, sig)
		},
		Multiply: func(k, b []byte) []byte {
			key := parse(b)
			if !c.call(f("ec_pubkey_tweak_mul"), ptr(key), ptr(k)) {
				return nil
			}
			return bytes(key, 33, compress2)
		},
		Add: func(a, b []byte) []byte {
			keys, sum := []uintptr{ptr(parse(a)), ptr(parse(b))}, c.object(64)
			ok := c.call(f("ec_pubkey_combine"), ptr(sum), uintptr(unsafe.Pointer(&keys[0])), 2)
			runtime.KeepAlive(keys)
			if !ok {
				return nil
			}
			return bytes(sum, 33, compress2)
		},
	}
	if f("schnorrsig_verify") != 0 {
		all.SchnorrSign = func(s, m, aux []byte) []byte {
			pair := c.object(96)
			c.call(f("keypair_create"), ptr(pair), ptr(s))
			c.call(f("schnorrsig_sign32"), ptr(out), ptr(m), ptr(pair), ptr(aux))
			return slices.Clone(out[:64])
		}
		all.SchnorrVerify = func(k, m, s []byte) bool {
			key := c.object(64)
			return c.call(f("xonly_pubkey_parse"), ptr(key), ptr(k)) &&
				c.call(f("schnorrsig_verify"), ptr(s), ptr(m), uintptr(len(m)), ptr(key))
		}
	}
	if check := f("xonly_pubkey_tweak_add_check"); check != 0 {
		all.TweakCheck = func(key, tweak, output []byte, parity byte) bool {
			k := c.object(64)
			return c.call(f("xonly_pubkey_parse"), ptr(k), ptr(key)) &&
				c.call(check, ptr(output), uintptr(parity), ptr(k), ptr(tweak))
		}
	}
	if f("ecdh") != 0 {
		all.ECDHSHA256 = func(s, k []byte) []byte {
			c.call(f("ecdh"), ptr(out), ptr(parse(k)), ptr(s), 0, 0)
			return slices.Clone(out[:32])
		}
		if x := f(copyX); x != 0 {
			all.ECDHX = func(s, k []byte) []byte {
				c.call(f("ecdh"), ptr(out), ptr(parse(k)), ptr(s), x, 0)
				return slices.Clone(out[:32])
			}
		}
	}
	if f("ecdsa_recover") != 0 {
		all.Recover = func(h, s []byte) []byte {
			sig, key := c.object(72), c.object(64)
			parseR := f("ecdsa_recoverable_signature_parse_compact")
			if s[64] > 3 || !c.call(parseR, ptr(sig), ptr(s), uintptr(s[64])) ||
				!c.call(f("ecdsa_recover"), ptr(key), ptr(sig), ptr(h)) {
				return nil
			}
			return bytes(key, 33, compress2)
		}
	}
	return all
}
