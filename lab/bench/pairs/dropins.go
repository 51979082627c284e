package main

// Replaced holds the replace lines that a user of a drop-in adds to go.mod: each has the path of a
// module, and the folder of this repository that replaces it.
var Replaced = [][2]string{
	{"github.com/decred/dcrd/dcrec/secp256k1/v4", "compat/dcrec/v4"},
	{"github.com/btcsuite/btcd/btcec/v2", "compat/btcec/v2"},
	{"github.com/erigontech/secp256k1", "compat/erigon/secp256k1"},
	{"github.com/koblitz-go/koblitz", "."},
}

// DropIns holds the rows of the table of the drop-ins' speed. The benchmark of a row is in a
// package of lab/dropins.
var DropIns = []Row{
	operation("dcrec: ECDSA verify, parsed key", "dcrec", "verify", 7),
	operation("btcec: ECDSA verify, parsed key", "btcec", "verify", 7),
	operation("btcec: BIP-340 verify", "btcec", "bip340-verify", 6),
	operation("btcec: BIP-340 sign", "btcec", "bip340-sign", 3),
	operation("btcec: BIP-340 sign, FastSign", "btcec", "bip340-sign-fast", 0),
	operation("dcrec: ECDSA sign", "dcrec", "sign", 2.8),
	operation("btcec: ECDSA sign", "btcec", "sign", 2.8),
	operation("dcrec: ECDSA sign compact", "dcrec", "sign-compact", 0),
	operation("dcrec: ECDH", "dcrec", "ecdh", 5.5),
	operation("dcrec: recover compact", "dcrec", "recover", 7),
	operation("btcec: recover compact", "btcec", "recover", 7),
	operation("dcrec: parse a compressed key", "dcrec", "parse", 0),
	operation("dcrec: generate a key", "dcrec", "keygen", 0),
	operation("btcec: MuSig2, a session of three signers", "btcec", "musig2", 4),
	operation("btcec: ElligatorSwift ECDH", "btcec", "ellswift-ecdh", 4),
	operation("dcrec: EC-Schnorr-DCRv0 verify", "dcrec", "schnorr-verify", 0),
	operation("dcrec: EC-Schnorr-DCRv0 sign", "dcrec", "schnorr-sign", 0),
	operation("go-nostr: CheckSignature", "nostr", "check", 6),
	cgo(operation("go-ethereum: sender, against cgo", "ethereum", "sender", 1.5)),
	operation("go-ethereum: sender, without cgo", "ethereum", "sender", 0),
	cgo(operation("erigontech/secp256k1: recover", "erigon", "recover", 2.5)),
	cgo(operation("erigontech/secp256k1: verify", "erigon", "verify", 2.5)),
	cgo(operation("erigontech/secp256k1: sign", "erigon", "sign", 3)),
	cgo(operation("erigontech/secp256k1: ECDH", "erigon", "ecdh", 2)),
	operation("btcd: block 277647", "bitcoin", "block", 0),
	operation("koblitz/bitcoin: block 277647", "bitcoin", "block-koblitz", 0),
}

func operation(name, pkg, bench string, least float64) Row {
	r := benchmark(name, pkg, "^BenchmarkOperations$/^"+bench+"$", 1)
	r.Least = least
	return r
}

func cgo(r Row) Row {
	r.Cgo = true
	return r
}
