//go:build linux || darwin || freebsd

package peer

import (
	"fmt"
	"maps"
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

// A symbol is a C function: its index in capi.functions.
type symbol int

// symbols holds the names of all C functions, without the library's prefix.
var symbols []string

func function(name string) symbol {
	symbols = append(symbols, name)
	return symbol(len(symbols) - 1)
}

var (
	contextPreallocatedSize   = function("context_preallocated_size")
	contextPreallocatedCreate = function("context_preallocated_create")
	secretTweakAdd            = function("ec_seckey_tweak_add")
	secretTweakMul            = function("ec_seckey_tweak_mul")
	publicCreate              = function("ec_pubkey_create")
	publicParse               = function("ec_pubkey_parse")
	publicSerialize           = function("ec_pubkey_serialize")
	publicCombine             = function("ec_pubkey_combine")
	publicTweakAdd            = function("ec_pubkey_tweak_add")
	publicTweakMul            = function("ec_pubkey_tweak_mul")
	ecdsaSign                 = function("ecdsa_sign")
	ecdsaVerify               = function("ecdsa_verify")
	ecdsaNormalize            = function("ecdsa_signature_normalize")
	ecdsaParseDER             = function("ecdsa_signature_parse_der")
	ecdsaParseCompact         = function("ecdsa_signature_parse_compact")
	ecdsaSerializeCompact     = function("ecdsa_signature_serialize_compact")
	recoverableParse          = function("ecdsa_recoverable_signature_parse_compact")
	ecdsaRecover              = function("ecdsa_recover")
	ecdhShare                 = function("ecdh")
	keypairCreate             = function("keypair_create")
	xonlyParse                = function("xonly_pubkey_parse")
	xonlySerialize            = function("xonly_pubkey_serialize")
	xonlyTweakCheck           = function("xonly_pubkey_tweak_add_check")
	schnorrSign               = function("schnorrsig_sign32")
	schnorrVerify             = function("schnorrsig_verify")
	taggedHash                = function("tagged_sha256")
	ellswiftEncode            = function("ellswift_encode")
	ellswiftDecode            = function("ellswift_decode")
	ellswiftXDH               = function("ellswift_xdh")
	ellswiftHash              = function("ellswift_xdh_hash_function_bip324") // a variable
	musigAggregate            = function("musig_pubkey_agg")
	musigGenerate             = function("musig_nonce_gen")
	musigProcess              = function("musig_nonce_process")
	musigSign                 = function("musig_partial_sign")
	musigVerify               = function("musig_partial_sig_verify")
	musigParseNonce           = function("musig_pubnonce_parse")
	musigSerializeNonce       = function("musig_pubnonce_serialize")
	musigParseAggregate       = function("musig_aggnonce_parse")
	musigParsePart            = function("musig_partial_sig_parse")
	musigSerializePart        = function("musig_partial_sig_serialize")

	// Functions of native/internals.c.
	internalNothing    = function("koblitz_bench_nothing")
	internalCopyX      = function("koblitz_bench_copy_x") // a hash function for ecdh
	internalScan       = function("koblitz_bench_scan")
	internalScanParsed = function("koblitz_bench_scan_parsed")
	internalLoad       = function("koblitz_bench_load")
	internalRun        = function("koblitz_bench_run")
	internalNormalize  = function("koblitz_bench_normalize")
	internalLoadSums   = function("koblitz_bench_msm_load")
	internalSum        = function("koblitz_bench_msm")
)

// capi calls the functions of a C library. The buffers that it passes to C are on Go's heap, where
// they do not move.
type capi struct {
	ctx       uintptr
	functions []uintptr // by symbol
	memory    []uint64
	objects   [][]byte // see the method object
	next      int
}

// objectSize is the size of the largest object, a cache of MuSig2, rounded up to whole words.
const objectSize = 200

// object returns memory for a C object. It is used again after 64 more calls.
func (c *capi) object() []byte {
	if c.objects == nil {
		c.objects = objects(64, objectSize)
	}
	c.next = (c.next + 1) % len(c.objects)
	return c.objects[c.next]
}

func ptr(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// NewLibsecp returns the peer that calls libsecp256k1, after it has built the library from a crate
// that the program in the folder rust needs.
func NewLibsecp(in *Inputs, rust string) (*Peer, error) {
	lib, err := buildLibrary(rust)
	if err != nil {
		return nil, err
	}
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
	c := &capi{}
	for _, name := range symbols {
		if !strings.HasPrefix(name, "koblitz_bench_") {
			name = lib.prefix + name
		}
		f, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, err
		}
		c.functions = append(c.functions, f)
	}
	n, _, _ := purego.SyscallN(c.functions[contextPreallocatedSize], sign|verifying)
	c.memory = make([]uint64, n/8+2)
	c.ctx, _, _ = purego.SyscallN(c.functions[contextPreallocatedCreate],
		uintptr(unsafe.Pointer(&c.memory[0])), sign|verifying)
	p := &Peer{Name: "libsecp256k1", Version: lib.version, Functions: c}
	p.Note = fmt.Sprintf("%s; called without cgo, %.0f ns a call included", lib.note, c.callCost())
	rows := c.rows(in)
	p.Drivers = in.single(rows)
	maps.Copy(p.Drivers, in.rowByRow(rows))
	c.musig(in, p.Drivers)
	c.internals(in, p.Drivers)
	for id, d := range p.Drivers {
		d.Outside = true
		p.Drivers[id] = d
	}
	return p, nil
}

// callCost returns how many nanoseconds a call from Go of an empty C function takes.
func (c *capi) callCost() float64 {
	const n = 20000
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		for range n {
			purego.SyscallN(c.functions[internalNothing])
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / n
}

// call calls the C function f with the library's context object as its first argument, and reports
// whether f returns 1.
func (c *capi) call(f symbol, args ...uintptr) bool {
	var all [10]uintptr
	all[0] = c.ctx
	n := copy(all[1:], args)
	r, _, _ := purego.SyscallN(c.functions[f], all[:n+1]...)
	return int32(r) == 1
}

// objects returns n objects of size bytes each.
func objects(n, size int) [][]byte {
	if n == 0 {
		return nil
	}
	all := make([]uint64, n*size/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), n*size)
	return slices.Collect(slices.Chunk(b, size))
}

// The following methods convert between encodings and objects of the library, and report whether
// the encoding is valid.

func (c *capi) parse(key, encoded []byte) bool {
	return c.call(publicParse, ptr(key), ptr(encoded), uintptr(len(encoded)))
}

func (c *capi) parseXOnly(key, encoded []byte) bool {
	return c.call(xonlyParse, ptr(key), ptr(encoded))
}

func (c *capi) parseCompact(sig, encoded []byte) bool {
	return c.call(ecdsaParseCompact, ptr(sig), ptr(encoded))
}

func (c *capi) parseDER(sig, der []byte) bool {
	return c.call(ecdsaParseDER, ptr(sig), ptr(der), uintptr(len(der)))
}

func (c *capi) parseRecoverable(sig, encoded []byte) bool {
	return encoded[64] < 4 && c.call(recoverableParse, ptr(sig), ptr(encoded), uintptr(encoded[64]))
}

// serialize stores the encoding of a key in 33 or 65 bytes.
func (c *capi) serialize(encoded, key []byte) {
	form := uintptr(plain)
	if len(encoded) == 33 {
		form = compress2
	}
	size := uint64(len(encoded))
	c.call(publicSerialize, ptr(encoded), uintptr(unsafe.Pointer(&size)), ptr(key), form)
}

// compressed returns the encoding of a key in 33 bytes.
func (c *capi) compressed(key []byte) []byte {
	b := make([]byte, 33)
	c.serialize(b, key)
	return b
}

// parsed returns an object for each row of a field, which parse must accept.
func (c *capi) parsed(field [][]byte, parse func(object, encoded []byte) bool) [][]byte {
	return parsed(field, func(b []byte) []byte {
		object := objects(1, objectSize)[0]
		accept(parse(object, b))
		return object
	})
}

// secret stores the secret of BIP-324 that the owners of two encodings share.
func (c *capi) secret(dst, secret, ours, theirs []byte, initiating bool) bool {
	// The library exports a variable that holds the address of its hash function.
	hash := **(**uintptr)(unsafe.Pointer(&c.functions[ellswiftHash]))
	first, second, role := ours, theirs, uintptr(0)
	if !initiating {
		first, second, role = theirs, ours, 1
	}
	return c.call(ellswiftXDH, ptr(dst), ptr(first), ptr(second), ptr(secret), role, hash, 0)
}
