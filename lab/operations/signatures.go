package operations

import (
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// unchecked omits the verification of a new signature.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

// signing holds the operations that sign. The result is the signature.
var signing = []Operation{
	{"ecdsa.Sign", Keys | Hash, func(o *Operands) error {
		return o.signature(ecdsa.Sign(o.Key, o.Hash, unchecked))
	}},
	{"ecdsa.Sign with entropy", Keys | Hash | Random, func(o *Operands) error {
		options := &ecdsa.SignOptions{Entropy: o.Random, Unchecked: true}
		return o.signature(ecdsa.Sign(o.Key, o.Hash, options))
	}},
	{"ecdsa.Sign with a blinded key", Keys | Numbers | Hash, func(o *Operands) error {
		return o.signature(ecdsa.Sign(o.blinded(), o.Hash, unchecked))
	}},
	{"ecdsa.Sign checked", Keys | Verifies | Hash, func(o *Operands) error {
		return o.signature(ecdsa.Sign(o.Key, o.Hash, nil))
	}},
	{"ecdsa.Signer.Sign", Keys | Verifies | Hash, func(o *Operands) error {
		signer, err := ecdsa.NewSigner(o.Key)
		if err != nil {
			return err
		}
		der, err := signer.Sign(nil, o.Hash, nil)
		if err != nil {
			return err
		}
		return o.signature(ecdsa.ParseDER(der))
	}},
	{"ecdsa.AppendSign", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		return ecdsa.AppendSign(nil, o.Key, o.Hash, unchecked)
	})},
	{"ecdsa.AppendSign checked", Keys | Verifies | Hash, gives(func(o *Operands) ([]byte, error) {
		return ecdsa.AppendSign(nil, o.Key, o.Hash, nil)
	})},
	{"ecdsa.SignRecoverable", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		return ecdsa.SignRecoverable(o.Key, o.Hash, unchecked)
	})},
	{"ecdsa.SignRecoverable checked", Keys | Verifies | Hash,
		gives(func(o *Operands) ([]byte, error) {
			return ecdsa.SignRecoverable(o.Key, o.Hash, nil)
		})},
	{"ecdsa.AppendSignRecoverable", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		return ecdsa.AppendSignRecoverable(nil, o.Key, o.Hash, unchecked)
	})},
	{"ecdsa.AppendSignRecoverable checked, with entropy", Keys | Verifies | Hash | Random,
		gives(func(o *Operands) ([]byte, error) {
			options := &ecdsa.SignOptions{Entropy: o.Random}
			return ecdsa.AppendSignRecoverable(nil, o.Key, o.Hash, options)
		})},

	{"schnorr.Sign", Keys | Verifies | Hash, gives(func(o *Operands) ([]byte, error) {
		return schnorr.Sign(o.Key, o.Hash, nil)
	})},
	{"schnorr.Signer.Sign", Keys | Verifies | Hash, gives(func(o *Operands) ([]byte, error) {
		signer, err := schnorr.NewSigner(o.Key)
		if err != nil {
			return nil, err
		}
		return signer.Sign(nil, o.Hash, nil)
	})},
	{"schnorr.Signer.SignMessage", Keys | Verifies | Hash, gives(func(o *Operands) ([]byte, error) {
		signer, err := schnorr.NewSigner(o.Key)
		if err != nil {
			return nil, err
		}
		return signer.SignMessage(nil, o.Hash, nil)
	})},
	{"schnorr.Sign with auxiliary randomness", Keys | Verifies | Hash | Random,
		gives(func(o *Operands) ([]byte, error) {
			return schnorr.Sign(o.Key, o.Hash, &schnorr.SignOptions{Aux: o.Random})
		})},
	{"schnorr.Sign with a blinded key", Keys | Verifies | Numbers | Hash | Random,
		gives(func(o *Operands) ([]byte, error) {
			return schnorr.Sign(o.blinded(), o.Hash, &schnorr.SignOptions{Aux: o.Random})
		})},
	{"schnorr.Sign unchecked", Keys | Hash | Random, gives(func(o *Operands) ([]byte, error) {
		return schnorr.Sign(o.Key, o.Hash, &schnorr.SignOptions{Aux: o.Random, Unchecked: true})
	})},
	{"schnorr.AppendSign", Keys | Verifies | Hash | Random, gives(func(o *Operands) ([]byte, error) {
		return schnorr.AppendSign(nil, o.Key, o.Hash, &schnorr.SignOptions{Aux: o.Random})
	})},
	{"schnorr.AppendSign unchecked", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		return schnorr.AppendSign(nil, o.Key, o.Hash, &schnorr.SignOptions{Unchecked: true})
	})},
	{"schnorr.TaggedHash", Message, do(func(o *Operands) {
		hash := schnorr.TaggedHash("tag", o.D)
		o.give(hash[:])
	})},

	{"batch.SchnorrSignRows.Sign", ManyRows | Context | Verifies | Numbers | Hash | Random,
		func(o *Operands) error {
			return o.schnorrRows(o.Rows, false)
		}},
	{"batch.SchnorrSignRows.Sign unchecked", ManyRows | Numbers | Hash | Random,
		func(o *Operands) error {
			return o.schnorrRows(o.Rows, true)
		}},
	{"batch.SchnorrSignRows.Sign unchecked, of one row", Numbers | Hash | Random,
		func(o *Operands) error {
			return o.schnorrRows(1, true)
		}},
	{"batch.ECDSASignRows.Sign", ManyRows | Context | Verifies | Numbers | Hash,
		func(o *Operands) error {
			return o.ecdsaRows(o.Rows, false)
		}},
	{"batch.ECDSASignRows.Sign unchecked", ManyRows | Numbers | Hash, func(o *Operands) error {
		return o.ecdsaRows(o.Rows, true)
	}},
	{"batch.ECDSASignRows.Sign unchecked, of one row", Numbers | Hash, func(o *Operands) error {
		return o.ecdsaRows(1, true)
	}},
	{"batch.SecretRows.PublicKeys", ManyRows | Context | Numbers, func(o *Operands) error {
		rows, keys := batch.SecretRows{Secrets: batch.Same(o.D)}, make([]byte, 33*o.Rows)
		return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return rows.PublicKeys(o.Context, keys, v, &batch.SecretOptions{Workers: o.Workers})
		})
	}},
	{"batch.ECDHRows.SharedX", ManyRows | Context | Numbers, func(o *Operands) error {
		x := make([]byte, 32*o.Rows)
		rows := batch.ECDHRows{Secrets: batch.Same(o.D), Keys: batch.Same(o.Peer.Bytes())}
		err := o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return rows.SharedX(o.Context, x, v, &batch.SecretOptions{Workers: o.Workers})
		})
		o.give(x[:32])
		clear(x)
		return err
	}},
}

// schnorrRows signs the hash with the secret D in each row.
func (o *Operands) schnorrRows(rows int, unchecked bool) error {
	sigs := make([]byte, 64*rows)
	err := o.verdicts(rows, func(v []batch.Verdict) (int, error) {
		return batch.SchnorrSignRows{
			Secrets: batch.Same(o.D), Messages: batch.Same(o.Hash), Aux: batch.Same(o.Random),
		}.Sign(o.Context, sigs, v, &batch.SecretOptions{Workers: o.Workers, Unchecked: unchecked})
	})
	o.give(sigs[:64])
	return err
}

// ecdsaRows works like schnorrRows, with ECDSA.
func (o *Operands) ecdsaRows(rows int, unchecked bool) error {
	sigs := make([]byte, 65*rows)
	err := o.verdicts(rows, func(v []batch.Verdict) (int, error) {
		return batch.ECDSASignRows{Secrets: batch.Same(o.D), Hashes: batch.Same(o.Hash)}.Sign(
			o.Context, sigs, v, &batch.SecretOptions{Workers: o.Workers, Unchecked: unchecked})
	})
	o.give(sigs[:64])
	return err
}

// signature stores the signature unless there is an error.
func (o *Operands) signature(sig *ecdsa.Signature, err error) error {
	if err == nil {
		o.give(sig.Bytes())
	}
	return err
}
