package peer

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
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
	TweakSecretAdd            = function("ec_seckey_tweak_add")
	TweakSecretMul            = function("ec_seckey_tweak_mul")
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

// objectSize is the size of the largest object, a cache of MuSig2, rounded up to whole words.
const objectSize = 200

// newObject returns memory for a C object.
func newObject() []byte { return make([]byte, objectSize) }

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
		l.objects[i] = newObject()
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
	p := &Peer{Name: "libsecp256k1", Version: l.Version}
	p.Note = fmt.Sprintf("%s; called without cgo, %.0f ns a call included", l.note, l.callCost())
	ops := l.rows(in)
	p.Drivers = single(each(in.rows, l.row), ops)
	maps.Copy(p.Drivers, rowByRow(in, l.row, ops))
	l.musig(in, p.Drivers)
	l.internals(in, p.Drivers)
	for id, d := range p.Drivers {
		d.Outside = true
		p.Drivers[id] = d
	}
	return p, nil
}

// callCost returns how many nanoseconds a call from Go of an empty C function takes.
func (l *Libsecp) callCost() float64 {
	const n = 20000
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		for range n {
			purego.SyscallN(l.functions[internalNothing])
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / n
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

// kept returns a copy of a key, a pair or a signature, which must not be nil. No later call
// overwrites the copy.
func kept(object []byte) []byte {
	accept(object != nil)
	return bytes.Clone(object[:96])
}
