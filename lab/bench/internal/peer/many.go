package peer

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// withoutTable is the note in the report on a peer without prepared keys: in the operations with
// prepared keys, it verifies with plain keys.
const withoutTable = "plain verification: it has no prepared keys"

// rowByRow adds to drivers, for every batch size of a family, a driver that calls run for one row
// after another. After each call, encode returns the row's result as bytes.
func rowByRow(
	in *Inputs, drivers map[string]Driver, family, note string, run func(i int), encode func() []byte,
) {
	for _, n := range sizes(in, family) {
		drivers[fmt.Sprintf("%s-%d", family, n)] = Driver{Single: true, Rows: n, Note: note,
			Do: run, Out: func(i int) []byte { run(i); return encode() }}
	}
}

// oneByOne adds to drivers, for every batch size, a driver that calls the function verify for one
// row after another. It does so for all families of operations that the function alike returns for
// the given one.
func oneByOne(in *Inputs, drivers map[string]Driver, family, note string, verify func(i int) bool) {
	for _, family := range alike(family) {
		last := false
		rowByRow(in, drivers, family, note, func(i int) {
			last = verify(i)
			accept(last)
		}, func() []byte { return verdict(last) })
	}
}

// alike returns the families of batch operations in which a peer without batch verification does
// the same work as in the given family, including this family. For such a peer it makes no
// difference whether an operation gives a verdict per row or a single one: it verifies one row
// after another.
func alike(family string) []string {
	switch family {
	case "schnorr-batch":
		return []string{family, "schnorr-batch-all", halfAggregate}
	case "ecdsa-batch":
		return []string{family, "ecdsa-batch-recoverable"}
	case "schnorr-batch-parsed":
		return []string{family, "schnorr-batch-all-parsed"}
	}
	return []string{family}
}

// sizes returns the batch sizes of a family for which there are enough inputs.
func sizes(in *Inputs, family string) []int {
	if family == "msm" {
		tooMany := func(n int) bool { return n > len(in.Points) }
		return slices.DeleteFunc(slices.Clone(MSMSizes[:]), tooMany)
	}
	for _, f := range BatchFamilies {
		if f.Family == family {
			return f.sizes(len(in.Many.Hash))
		}
	}
	return nil
}

// prepare prepares the keys in.Many.FewKeys with tables of the largest size.
func prepare(in *Inputs) (keys []*koblitz.PreparedKey) {
	for _, k := range in.Many.FewKeys {
		keys = append(keys, must(koblitz.ParsePublicKey(k)).Prepare(PreparedSizes[1]))
	}
	return keys
}

// koblitzRows returns the drivers that process batches with koblitz's functions for one row, one
// row after another.
func koblitzRows(in *Inputs) map[string]Driver {
	var (
		d        = map[string]Driver{}
		m, n     = in.Many, len(in.Many.Hash)
		keys     = make([]*koblitz.PublicKey, n)
		xonly    = make([]*koblitz.XOnlyPublicKey, n)
		sigs     = make([]*ecdsa.Signature, n)
		prepared = prepare(in)
		few      = make([]*ecdsa.Signature, len(m.FewECDSA))
		last     *koblitz.PublicKey
		bytes    = func() []byte { return last.Bytes() }
	)
	for i := range n {
		keys[i] = must(koblitz.ParsePublicKey(m.Key[i]))
		xonly[i] = must(koblitz.ParseXOnlyPublicKey(m.XOnly[i]))
		sigs[i] = must(ecdsa.ParseSignature(m.ECDSA[i]))
	}
	for i := range few {
		few[i] = must(ecdsa.ParseSignature(m.FewECDSA[i]))
	}
	oneByOne(in, d, "ecdsa-batch-parsed", "one by one", func(i int) bool {
		return ecdsa.Verify(keys[i], m.Hash[i], sigs[i])
	})
	oneByOne(in, d, "ecdsa-batch-prepared", "one by one", func(i int) bool {
		return ecdsa.VerifyPrepared(prepared[i%PreparedKeys], m.Hash[i], few[i])
	})
	oneByOne(in, d, "ecdsa-batch", "one by one", func(i int) bool {
		k := must(koblitz.ParsePublicKey(m.Key[i]))
		return ecdsa.Verify(k, m.Hash[i], must(ecdsa.ParseSignature(m.ECDSA[i])))
	})
	oneByOne(in, d, "schnorr-batch-parsed", "one by one", func(i int) bool {
		return schnorr.Verify(xonly[i], m.Hash[i], m.Schnorr[i])
	})
	oneByOne(in, d, "schnorr-batch-prepared", "one by one", func(i int) bool {
		return schnorr.VerifyPrepared(prepared[i%PreparedKeys], m.Hash[i], m.FewSchnorrs[i])
	})
	oneByOne(in, d, "schnorr-batch", "one by one", func(i int) bool {
		return schnorr.Verify(must(koblitz.ParseXOnlyPublicKey(m.XOnly[i])), m.Hash[i], m.Schnorr[i])
	})
	rowByRow(in, d, "recover-batch", "one by one", func(i int) {
		last = must(ecdsa.Recover(m.Hash[i], m.Recoverable[i]))
	}, bytes)
	rowByRow(in, d, "parse-batch", "one by one", func(i int) {
		last = must(koblitz.ParsePublicKey(m.Key[i]))
	}, bytes)
	baseMulRows(in, d)
	hashRows(in, d)
	tweakRows(in, d)
	secretRows(in, d)
	signRows(in, d)
	scanRows(in, d)
	ellswiftRows(in, d)
	return d
}

// largest returns the largest batch size that is measured in a family.
func largest(family string) int {
	for _, f := range BatchFamilies {
		if f.Family == family {
			return f.Limit
		}
	}
	return 0
}

// preparedRows adds to d the drivers that verify one signature with a prepared key.
func preparedRows(in *Inputs, d map[string]Driver) {
	for _, size := range PreparedSizes {
		var keys [Rows]*koblitz.PreparedKey
		var sigs [Rows]*ecdsa.Signature
		for i := range Rows {
			keys[i] = must(koblitz.ParsePublicKey(in.Key[i])).Prepare(size)
			sigs[i] = must(ecdsa.ParseSignature(in.ECDSA[i]))
		}
		suffix := fmt.Sprintf("-prepared-%dk", size>>10)
		d["ecdsa-verify"+suffix] = verifies(func(i int) bool {
			return ecdsa.VerifyPrepared(keys[i], in.Hash[i], sigs[i])
		})
		d["schnorr-verify"+suffix] = verifies(func(i int) bool {
			return schnorr.VerifyPrepared(keys[i], in.Hash[i], in.Schnorr[i])
		})
	}
}
