package peer

import (
	"bytes"
	"maps"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

const (
	sign      = 1<<9 | 1
	verifying = 1<<8 | 1
	compress2 = 1<<8 | 2 // flag of ec_pubkey_serialize for compressed keys
	plain     = 1 << 1   // flag of ec_pubkey_serialize for uncompressed keys
)

// A symbol is a C function: its index in Libsecp.functions.
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
	publicCreate              = function("ec_pubkey_create")
	publicParse               = function("ec_pubkey_parse")
	publicSerialize           = function("ec_pubkey_serialize")
	publicCombine             = function("ec_pubkey_combine")
	TweakKeyAdd               = function("ec_pubkey_tweak_add")
	TweakKeyMul               = function("ec_pubkey_tweak_mul")
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
	xonlyTweakCheck           = function("xonly_pubkey_tweak_add_check")
	schnorrSign               = function("schnorrsig_sign32")
	schnorrVerify             = function("schnorrsig_verify")
	ellswiftEncode            = function("ellswift_encode")
	ellswiftDecode            = function("ellswift_decode")
	ellswiftXDH               = function("ellswift_xdh")
	ellswiftHash              = function("ellswift_xdh_hash_function_bip324") // a variable

	// Functions of native/internals.c.
	internalCopyX    = function("koblitz_bench_copy_x") // a hash function for ecdh
	internalScan     = function("koblitz_bench_scan")
	internalLoad     = function("koblitz_bench_load")
	internalRun      = function("koblitz_bench_run")
	internalLoadSums = function("koblitz_bench_msm_load")
	internalSum      = function("koblitz_bench_msm")
)

// Libsecp calls the functions of libsecp256k1.
type Libsecp struct {
	Version string
	note    string

	ctx       uintptr
	functions []uintptr // by symbol
	memory    []uint64  // of the context object
	size      uint64    // of an encoding
	pointers  []uintptr // to objects

	objects   [32][]byte // see the method object
	next      int
	arguments [16][]byte // see the method ptr
	argument  int
}

// objectSize is at least the size of the largest object, a pair.
const objectSize = 96

// object returns memory for a C object or a result. It is used again after 31 more calls.
func (l *Libsecp) object() []byte {
	l.next = (l.next + 1) % len(l.objects)
	return l.objects[l.next]
}

// ptr returns the address of b for the next call. It stores b, so that b is on the heap, where it
// does not move, and stays there during the call.
func (l *Libsecp) ptr(b []byte) uintptr {
	l.argument = (l.argument + 1) % len(l.arguments)
	l.arguments[l.argument] = b
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// OpenLibsecp opens libsecp256k1, after it has built the library from a crate that the program in
// the folder rust needs.
func OpenLibsecp(rust string) (*Libsecp, error) {
	lib, err := buildLibrary(rust)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the reason for a failure is kept in the thread
	handle, err := dlopen(lib.path)
	runtime.UnlockOSThread()
	if err != nil {
		return nil, err
	}
	l := &Libsecp{Version: lib.version, note: lib.note}
	for i := range l.objects {
		l.objects[i] = make([]byte, objectSize)
	}
	for _, name := range symbols {
		if !strings.HasPrefix(name, "koblitz_bench_") {
			name = lib.prefix + name
		}
		f, err := dlsym(handle, name)
		if err != nil {
			return nil, err
		}
		l.functions = append(l.functions, f)
	}
	n, _, _ := purego.SyscallN(l.functions[contextPreallocatedSize], sign|verifying)
	l.memory = make([]uint64, n/8+2)
	l.ctx, _, _ = purego.SyscallN(l.functions[contextPreallocatedCreate],
		uintptr(unsafe.Pointer(&l.memory[0])), sign|verifying)
	return l, nil
}

// NewLibsecp returns the peer that calls libsecp256k1. See [OpenLibsecp].
func NewLibsecp(in *Inputs, rust string) (*Peer, error) {
	l, err := OpenLibsecp(rust)
	if err != nil {
		return nil, err
	}
	p := &Peer{Name: "libsecp256k1", Version: l.Version, Note: l.note + "; called without cgo"}
	ops := l.rows(in)
	p.Drivers = single(each(in.rows, l.row), ops)
	maps.Copy(p.Drivers, rowByRow(in, l.row, ops))
	l.internals(in, p.Drivers)
	return p, nil
}

// call calls the C function f with the library's context object as its first argument, and reports
// whether f returns 1.
func (l *Libsecp) call(f symbol, args ...uintptr) bool {
	var all [10]uintptr
	all[0] = l.ctx
	n := copy(all[1:], args)
	r, _, _ := purego.SyscallN(l.functions[f], all[:n+1]...)
	return int32(r) == 1
}

// made returns b if ok is true, or nil.
func made(ok bool, b []byte) []byte {
	if !ok {
		return nil
	}
	return b
}

// kept returns a copy of an object, which must not be nil. No later call overwrites the copy.
func kept(object []byte) []byte {
	accept(object != nil)
	return bytes.Clone(object)
}
