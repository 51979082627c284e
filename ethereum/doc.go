// Package ethereum finds the senders of Ethereum transactions and signs and recovers Ethereum's
// messages, for the types of go-ethereum.
//
//	you have                            use
//	the transactions of a block         Senders
//	set-code authorizations (EIP-7702)  Authorities
//	a key                               Address
//	a message for personal_sign         PersonalHash (EIP-191, version 0x45)
//	data for an intended validator      ValidatorHash (EIP-191, version 0x00)
//	typed data in JSON                  TypedDataHash (EIP-712)
//	hashes of a domain and a struct     DomainHash (EIP-712)
//	a hash to sign                      Sign
//	a signature                         ParseSignature, ParseValues, Signature.Recover
//
// # Senders
//
// [Senders] gives every transaction the answer of [types.Sender], result and error, in one call
// over package batch. It stores the senders in the transactions, where types.Sender looks first:
//
//	senders := make([]common.Address, len(txs))
//	errs := make([]error, len(txs))
//	_, err := ethereum.Senders(ctx, signer, txs, senders, errs, nil)
//	…
//	from, err := types.Sender(signer, txs[0]) // a lookup
//
// With 300 transactions of mainnet, on one core with AVX-512 IFMA (AMD Zen 4), Senders takes a
// seventh of the CPU time that types.Sender takes with libsecp256k1. Hashes are included.
//
// # Signatures
//
// A [Signature] is 65 bytes: r, s and the parity of y, which is 0 or 1. These are the bytes of
// go-ethereum's crypto.Sign, and of ecdsa.SignRecoverable with recovery ids 0 and 1. So sig[:] is
// an argument for [types.Transaction.WithSignature] and ecdsa.Recover. A [Form] names another
// encoding.
//
// Every signature here has a low s (EIP-2). Package ecdsa also recovers keys from signatures with
// a high s.
//
// # RLP
//
// Package wire decodes transactions and headers of blocks. It does without go-ethereum's types.
//
// # Secrets
//
// [Sign] signs by package ecdsa, in constant time. It makes no copy of the key, and the other
// functions handle public data: their time depends on their arguments.
package ethereum
