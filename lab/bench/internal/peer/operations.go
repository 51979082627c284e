package peer

import (
	"fmt"
	"slices"
)

// An Operation is a task whose time is measured in several peers.
type Operation struct {
	ID    string
	Title string

	// Family is the part of the ID that the operations of all sizes have in common: "msm" for
	// "msm-64". It is empty if there is only one size.
	Family string
	Size   int // elements in one operation; a reported time is for one element
}

// Sums is the family of sums of products.
const Sums = "msm"

// The numbers of elements at which batch operations are measured.
var (
	BatchSizes = [...]int{1, 4, 8, 16, 64, 256, 1024, 4096, 65536}
	MSMSizes   = [...]int{
		2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
	}
)

// A Batch is a family of operations that process many rows in one call.
type Batch struct {
	Family string
	Title  string

	// Row is the name of the operation on one row that a peer without a batch function calls for
	// one row after another. A few of these operations are not measured for single rows. Families
	// with the same Row differ in the batch function, such as one with a single verdict for all.
	Row string

	Least int // smallest number of rows that is measured
	Limit int // largest number of rows that is measured
}

// sizes returns the numbers of rows at which the family is measured, up to the given limit.
func (b Batch) sizes(limit int) []int {
	return slices.DeleteFunc(slices.Clone(BatchSizes[:]), func(n int) bool {
		return n < b.Least || n > min(b.Limit, limit)
	})
}

// BatchFamilies lists the families of operations on many rows.
//
// A row of ecdh-batch-pairs multiplies its secret by the key of the next row. Signatures are not
// verified after signing; BIP-340 takes each row's message as its auxiliary randomness. A child of
// bip32-batch is derived from a single extended public key. Scans for silent payments are described
// in silentpay.go.
var BatchFamilies = [...]Batch{
	{"schnorr-batch", "BIP-340 verify, key parsed each time", "schnorr-verify-parse", 1, 65536},
	{"schnorr-batch-all", "BIP-340, one verdict for all, key parsed each time",
		"schnorr-verify-parse", 1, 65536},
	{"ecdsa-batch", "ECDSA verify, key parsed each time", "ecdsa-batch", 1, 4096},
	{"ecdsa-batch-recoverable", "ECDSA with recovery ids, one verdict for all, key parsed each time",
		"ecdsa-batch", 1, 65536},
	{"recover-batch", "recover", "recover", 1, 4096},
	{"parse-batch", "parse a compressed key", "parse", 1, 4096},
	{"ellswift-decode-batch", "decode an encoding of BIP-324, x coordinate", "ellswift-decode",
		1, 4096},
	{"hash-to-curve-batch", "hash to curve, RFC 9380", "hash-to-curve", 256, 4096},
	{"tweak-check-batch", "taproot tweak check, key parsed each time", "tweak-check-batch", 1, 4096},
	{"bip32-batch", "BIP-32 public child of one key", "bip32-batch", 1, 4096},
	{"pubkeys-batch", "public key from secret, 33 bytes", "pubkeys-batch", 256, 4096},
	{"ecdh-batch-pairs", "ECDH, x coordinate, both keys parsed each time", "ecdh-batch-pairs",
		256, 4096},
	{"schnorr-sign-batch", "BIP-340 sign, unchecked, secret parsed each time", "schnorr-sign-batch",
		256, 4096},
	{"ecdsa-sign-batch", "ECDSA sign, unchecked, secret parsed each time", "ecdsa-sign-batch",
		256, 4096},
	{"silentpay-scan", "silent payments, scan 2 outputs, parsed each time", "silentpay-scan",
		256, 4096},
}

// familyOf returns the family with the given name.
func familyOf(name string) Batch {
	i := slices.IndexFunc(BatchFamilies[:], func(f Batch) bool { return f.Family == name })
	return BatchFamilies[i]
}

// Operations returns all operations, in the order in which the report has them.
func Operations() (ops []Operation) {
	for _, o := range [...]struct{ id, title string }{
		{"keygen", "public key from secret"},
		{"ecdsa-sign", "ECDSA sign, checked"},
		{"ecdsa-sign-unchecked", "ECDSA sign, unchecked"},
		{"ecdsa-verify", "ECDSA verify, parsed key"},
		{"ecdsa-verify-prepared-26k", "ECDSA verify, prepared key of 26 KiB"},
		{"schnorr-sign", "BIP-340 sign, checked"},
		{"schnorr-sign-unchecked", "BIP-340 sign, unchecked"},
		{"schnorr-verify", "BIP-340 verify, parsed key"},
		{"schnorr-verify-parse", "BIP-340 verify, key parsed each time"},
		{"schnorr-verify-prepared-26k", "BIP-340 verify, prepared key of 26 KiB"},
		{"ecdh-sha256", "ECDH, SHA-256 of the point"},
		{"ecdh-x", "ECDH, x coordinate"},
		{"ellswift-encode", "BIP-324 encode, parsed key"},
		{"ellswift-decode", "BIP-324 decode"},
		{"ellswift-ecdh", "BIP-324 shared secret, secret parsed"},
		{"recover", "recover"},
		{"parse", "parse a compressed key"},
		{"point-mul-ct", "k·P, constant time"},
		{"base-mul-ct", "k·G, constant time"},
		{"double-mul", "a·G + b·P, not constant time"},
		{"hash-to-curve", "hash to curve, RFC 9380, 32 bytes"},
		{"point-double", "double, each from the last"},
		{"field-mul", "field multiply, each from the last"},
		{"field-mul-independent", "field multiply, four at a time"},
		{"field-square", "field square, each from the last"},
		{"field-add", "field add, each from the last"},
		{"field-inv", "field inverse, constant time"},
		{"scalar-mul", "scalar multiply, each from the last"},
		{"scalar-inv", "scalar inverse, constant time"},
	} {
		ops = append(ops, Operation{ID: o.id, Title: o.title, Size: 1})
	}
	for _, f := range BatchFamilies {
		ops = append(ops, ofFamily(f.Family, f.Title+", ", f.sizes(f.Limit))...)
	}
	return append(ops, ofFamily(Sums, "", MSMSizes[:])...)
}

// ofFamily returns the operations of a family, whose titles begin with the given one.
func ofFamily(name, title string, sizes []int) (ops []Operation) {
	for _, n := range sizes {
		ops = append(ops, Operation{fmt.Sprintf("%s-%d", name, n), fmt.Sprintf("%sn = %d", title, n),
			name, n})
	}
	return ops
}

// Lookup returns the operation with the given ID.
func Lookup(id string) (Operation, bool) {
	for _, o := range Operations() {
		if o.ID == id {
			return o, true
		}
	}
	return Operation{}, false
}

// Elements returns how many elements one call of driver d processes.
func (o Operation) Elements(d Driver) int {
	if d.Single {
		return 1
	}
	return o.Size
}
