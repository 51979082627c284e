package peer

import (
	"fmt"
	"slices"
)

// An Operation is a task whose time is measured in several peers.
type Operation struct {
	ID    string
	Title string
	Group string
	Size  int  // elements in one operation; a reported time is for one element
	Slow  bool // so slow that its result is checked on only one row

	// Family is the part of the ID that the operations of all sizes have in common: "msm" for
	// "msm-64". It is empty if there is only one size.
	Family string
}

// The groups of operations, in the order in which the report has them.
const (
	Signatures = "One operation"
	Points     = "Points"
	Fields     = "Field and scalars"
	Normalize  = "Batch normalization, per point"
	Prepared   = "One operation, prepared keys"
	Batches    = "Many rows, per row"
	MSM        = "Multi-scalar multiplication, per point"
)

// The numbers of elements at which batch operations are measured.
var (
	NormalizeSizes = [...]int{1, 2, 4, 8, 16, 32, 64}
	BatchSizes     = [...]int{1, 4, 8, 16, 64, 256, 1024, 4096, 65536}
	MSMSizes       = [...]int{
		2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
	}
	InverseSizes = [...]int{100, 1000}
)

// A Batch is a family of operations that process many rows in one call.
type Batch struct {
	Family string
	Title  string

	// Row is the name of the operation on one row that a peer without a batch function calls for
	// one row after another. A few of these operations are not measured for single rows. Families
	// with the same Row differ in the batch function, such as one with a single verdict for all.
	Row  string
	Keys Keys

	Least int // smallest number of rows that is measured
	Limit int // largest number of rows that is measured
}

// Keys says which keys the rows of a batch have.
type Keys int

// The kinds of keys.
const (
	Different Keys = iota + 1 // each row has another key
	Few                       // PreparedKeys keys in turn
	OneSecret                 // all rows have the same secret
)

// sizes returns the numbers of rows at which the family is measured, up to the given limit.
func (b Batch) sizes(limit int) []int {
	return slices.DeleteFunc(slices.Clone(BatchSizes[:]), func(n int) bool {
		return n < b.Least || n > min(b.Limit, limit)
	})
}

// BatchFamilies lists the families of operations on many rows.
//
// A row of base-mul-batch multiplies the base point by a public scalar; the result is affine. A row
// of ecdh-batch-pairs multiplies its secret by the key of the next row. Signatures are not verified
// after signing; BIP-340 takes each row's message as its auxiliary randomness. A child of
// bip32-batch is derived from a single extended public key. Scans for silent payments are described
// in silentpay.go.
var BatchFamilies = [...]Batch{
	{"schnorr-batch", "BIP-340 verify, key parsed each time",
		"schnorr-verify-parse", Different, 1, 65536},
	{"schnorr-batch-parsed", "BIP-340 verify, parsed key", "schnorr-verify", Different, 1, 4096},
	{"schnorr-batch-all", "BIP-340, one verdict for all, key parsed each time",
		"schnorr-verify-parse", Different, 1, 65536},
	{"schnorr-batch-all-parsed", "BIP-340, one verdict for all, parsed key",
		"schnorr-verify", Different, 1, 4096},
	{"halfagg", "BIP-340, half-aggregate (BIP-458), key parsed each time",
		"schnorr-verify-parse", Different, 256, 4096},
	{"schnorr-batch-prepared", "BIP-340 verify, 64 prepared keys of 26 KiB",
		"schnorr-verify-prepared-26k", Few, 1, 4096},
	{"ecdsa-batch", "ECDSA verify, key parsed each time", "ecdsa-batch", Different, 1, 4096},
	{"ecdsa-batch-parsed", "ECDSA verify, parsed key", "ecdsa-verify", Different, 1, 4096},
	{"ecdsa-batch-recoverable", "ECDSA with recovery ids, one verdict for all, key parsed each time",
		"ecdsa-batch", Different, 1, 65536},
	{"ecdsa-batch-prepared", "ECDSA verify, 64 prepared keys of 26 KiB",
		"ecdsa-verify-prepared-26k", Few, 1, 4096},
	{"recover-batch", "recover", "recover", Different, 1, 4096},
	{"parse-batch", "parse a compressed key", "parse", Different, 1, 4096},
	{"ellswift-decode-batch", "decode an encoding of BIP-324, x coordinate",
		"ellswift-decode", Different, 1, 4096},
	{"base-mul-batch", "k·G, not constant time", "base-mul-batch", Different, 1, 4096},
	{"hash-to-curve-batch", "hash to curve, RFC 9380", "hash-to-curve", Different, 256, 4096},
	{"tweak-check-batch", "taproot tweak check, key parsed each time",
		"tweak-check-batch", Different, 1, 4096},
	{"bip32-batch", "BIP-32 public child of one key", "bip32-batch", Different, 1, 4096},
	{"pubkeys-batch", "public key from secret, 33 bytes", "pubkeys-batch", Different, 256, 4096},
	{"ecdh-batch-pairs", "ECDH, x coordinate, both keys parsed each time",
		"ecdh-batch-pairs", Different, 256, 4096},
	{"ecdh-batch-one", "ECDH, x coordinate, one secret, key parsed each time",
		"ecdh-batch-one", OneSecret, 256, 4096},
	{"schnorr-sign-batch", "BIP-340 sign, unchecked, secret parsed each time",
		"schnorr-sign-batch", Different, 256, 4096},
	{"schnorr-sign-batch-one", "BIP-340 sign, unchecked, one secret",
		"schnorr-sign-unchecked", OneSecret, 256, 4096},
	{"ecdsa-sign-batch", "ECDSA sign, unchecked, secret parsed each time",
		"ecdsa-sign-batch", Different, 256, 4096},
	{"ecdsa-sign-batch-one", "ECDSA sign, unchecked, one secret",
		"ecdsa-sign-unchecked", OneSecret, 256, 4096},
	{"silentpay-scan", "silent payments, scan 2 outputs, parsed each time",
		"silentpay-scan", Different, 256, 4096},
	{"silentpay-scan-parsed", "silent payments, scan 2 outputs, parsed",
		"silentpay-scan-parsed", Different, 256, 4096},
	{"silentpay-scan-paid", "silent payments, scan 2 outputs, parsed each time, 1 % with a payment",
		"silentpay-scan-paid", Different, 256, 4096},
	{"silentpay-scan-label", "silent payments, scan 2 outputs, parsed each time, change label",
		"silentpay-scan-label", Different, 256, 4096},
	{"silentpay-scan-label-paid", "silent payments, scan 2 outputs, parsed each time, " +
		"change label, 1 % with a payment", "silentpay-scan-label-paid", Different, 256, 4096},
}

// familyOf returns the family with the given name.
func familyOf(name string) Batch {
	i := slices.IndexFunc(BatchFamilies[:], func(f Batch) bool { return f.Family == name })
	return BatchFamilies[i]
}

// PreparedSizes holds the sizes of a prepared key's table in bytes.
var PreparedSizes = [...]int{2 << 10, 26 << 10}

// Operations returns all operations, in the order in which the report has them.
func Operations() []Operation {
	ops := []Operation{
		{ID: "keygen", Title: "public key from secret", Group: Signatures},
		{ID: "ecdsa-sign", Title: "ECDSA sign, checked", Group: Signatures},
		{ID: "ecdsa-sign-unchecked", Title: "ECDSA sign, unchecked", Group: Signatures},
		{ID: "ecdsa-verify", Title: "ECDSA verify, parsed key", Group: Signatures},
		{ID: "ecdsa-verify-parse", Title: "ECDSA verify, key and DER parsed each time",
			Group: Signatures},
		{ID: "schnorr-sign", Title: "BIP-340 sign, checked", Group: Signatures},
		{ID: "schnorr-sign-unchecked", Title: "BIP-340 sign, unchecked", Group: Signatures},
		{ID: "schnorr-verify", Title: "BIP-340 verify, parsed key", Group: Signatures},
		{ID: "schnorr-verify-parse", Title: "BIP-340 verify, key parsed each time", Group: Signatures},
		{ID: "ecdh-sha256", Title: "ECDH, SHA-256 of the point", Group: Signatures},
		{ID: "ecdh-x", Title: "ECDH, x coordinate", Group: Signatures},
		{ID: "ellswift-encode", Title: "BIP-324 encode, parsed key", Group: Signatures},
		{ID: "ellswift-decode", Title: "BIP-324 decode", Group: Signatures},
		{ID: "ellswift-ecdh", Title: "BIP-324 shared secret, secret parsed", Group: Signatures},
		{ID: "recover", Title: "recover", Group: Signatures},
		{ID: "parse", Title: "parse a compressed key", Group: Signatures},
		{ID: "tweak-add", Title: "key + t·G, parsed key", Group: Signatures},

		{ID: "ecdsa-verify-prepared-2k", Title: "ECDSA verify, prepared key of 2 KiB", Group: Prepared},
		{ID: "ecdsa-verify-prepared-26k", Title: "ECDSA verify, prepared key of 26 KiB", Group: Prepared},
		{ID: "schnorr-verify-prepared-2k", Title: "BIP-340 verify, prepared key of 2 KiB",
			Group: Prepared},
		{ID: "schnorr-verify-prepared-26k", Title: "BIP-340 verify, prepared key of 26 KiB",
			Group: Prepared},

		{ID: "point-mul", Title: "k·P, not constant time", Group: Points},
		{ID: "point-mul-ct", Title: "k·P, constant time", Group: Points},
		{ID: "base-mul", Title: "k·G, not constant time", Group: Points},
		{ID: "base-mul-ct", Title: "k·G, constant time", Group: Points},
		{ID: "double-mul", Title: "a·G + b·P, not constant time", Group: Points},
		{ID: "hash-to-curve", Title: "hash to curve, RFC 9380, 32 bytes", Group: Points},
		{ID: "encode-to-curve", Title: "encode to curve, RFC 9380, 32 bytes", Group: Points},
		{ID: "point-double", Title: "double, each from the last", Group: Points},
		{ID: "point-add", Title: "add an affine point, each to the last", Group: Points},

		{ID: "field-mul", Title: "field multiply, each from the last", Group: Fields},
		{ID: "field-mul-independent", Title: "field multiply, four at a time", Group: Fields},
		{ID: "field-square", Title: "field square, each from the last", Group: Fields},
		{ID: "field-add", Title: "field add, each from the last", Group: Fields},
		{ID: "field-sub", Title: "field subtract, each from the last", Group: Fields},
		{ID: "field-inv", Title: "field inverse, constant time", Group: Fields},
		{ID: "field-inv-var", Title: "field inverse, not constant time", Group: Fields},
		{ID: "field-sqrt", Title: "field square root", Group: Fields},
		{ID: "scalar-mul", Title: "scalar multiply, each from the last", Group: Fields},
		{ID: "scalar-square", Title: "scalar square, each from the last", Group: Fields},
		{ID: "scalar-add", Title: "scalar add, each from the last", Group: Fields},
		{ID: "scalar-inv", Title: "scalar inverse, constant time", Group: Fields},
		{ID: "scalar-inv-var", Title: "scalar inverse, not constant time", Group: Fields},

		{ID: "musig2-round", Title: "MuSig2, nonce and partial signature", Group: Signatures},
		{ID: "musig2-round-checked", Title: "MuSig2, nonce and partial signature, checked",
			Group: Signatures},
		{ID: "musig2-verify-100", Title: "MuSig2, verify the partial signatures of 100 signers",
			Group: Signatures, Slow: true},
		{ID: "musig2-aggregate-1000", Title: "MuSig2, aggregate 1,000 parsed keys",
			Group: Signatures, Slow: true},
	}
	for _, n := range InverseSizes {
		for _, f := range [...]string{"field", "scalar"} {
			ops = append(ops, Operation{ID: fmt.Sprintf("%s-inv-batch-%d", f, n), Group: Fields, Size: n,
				Title: fmt.Sprintf("%s inverse, batch of %d, per element", f, n)})
		}
	}
	for _, n := range NormalizeSizes {
		ops = append(ops, Operation{
			ID: fmt.Sprintf("normalize-%d", n), Title: fmt.Sprintf("n = %d", n),
			Group: Normalize, Size: n, Family: "normalize",
		})
	}
	for _, f := range BatchFamilies {
		for _, n := range f.sizes(f.Limit) {
			ops = append(ops, Operation{
				ID:    fmt.Sprintf("%s-%d", f.Family, n),
				Title: fmt.Sprintf("%s, n = %d", f.Title, n),
				Group: Batches, Size: n, Slow: true, Family: f.Family,
			})
		}
	}
	for _, n := range MSMSizes {
		ops = append(ops, Operation{
			ID: fmt.Sprintf("msm-%d", n), Title: fmt.Sprintf("n = %d", n),
			Group: MSM, Size: n, Slow: true, Family: "msm",
		})
	}
	for i := range ops {
		ops[i].Size = max(ops[i].Size, 1)
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
