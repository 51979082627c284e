package operations

import (
	"context"
	"runtime"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/group"
)

// Operands holds the arguments and results of operations, all of them on the heap. D, E and Random
// are secret, and so are all values that are computed from them.
type Operands struct {
	DE     *[64]byte // D and E, together
	D, E   []byte    // two numbers, in 32 bytes each
	Hash   []byte    // a hash or a message, which is public
	Random []byte    // auxiliary randomness or entropy

	Key, Other *koblitz.PrivateKey // the keys D and E
	X, Y, Z    *group.Scalar       // D, E, and memory for a result
	P, Q, R    *group.Point        // D·G, E·G, and memory for a result
	points     []group.Point       // P and Q again, as a slice
	Peer, peer *koblitz.PublicKey  // 2·G
	Made       *koblitz.PrivateKey // the result of an operation that makes a key
	Out        [96]byte            // the bytes that an operation returns
	True       bool                // the answer of an operation that compares

	Context      context.Context
	Workers      int  // 1 keeps rows on the goroutine of the caller, whose stack a check may look at
	Rows         int  // number of rows
	Paid         bool // each transaction of a scan pays the receiver
	Count, Valid int  // result of an operation on rows: its count, and the number of Valid verdicts

	dropIns *dropInOperands
	public  publicOperands
}

// NewOperands returns operands without secrets.
func NewOperands() *Operands {
	o := &Operands{
		DE: new([64]byte), dropIns: new(dropInOperands),
		X: new(group.Scalar), Y: new(group.Scalar), Z: new(group.Scalar),
		P: new(group.Point), Q: new(group.Point), R: new(group.Point),
		points: make([]group.Point, 2), Workers: 1, Rows: 48,
	}
	o.Fill(func([]byte) {}, func([]byte) {})
	two := new(group.Scalar).SetUint64(2)
	o.peer = must(new(group.Point).ScalarBaseMult(two).PublicKey())
	o.Peer = o.peer
	o.dropIns.peer = must(secp256k1.ParsePubKey(o.Peer.Bytes()))
	return o
}

// Fill allocates Hash and Random, and fills D, E, Hash and Random with 32 bytes each. The function
// secret fills D, E and Random, and public fills Hash.
func (o *Operands) Fill(secret, public func(b []byte)) {
	o.D, o.E = o.DE[:32:32], o.DE[32:]
	o.Hash, o.Random = make([]byte, 32), make([]byte, 32)
	secret(o.DE[:])
	secret(o.Random)
	public(o.Hash)
	o.Peer, o.Context = o.peer, context.Background()
}

// Prepare makes the operands that an operation needs from D and E. It returns an error if these are
// not numbers that it can be made from.
func (o *Operands) Prepare(n Needs) (err error) {
	if n&Keys != 0 {
		if o.Key, err = koblitz.ParsePrivateKey(o.D); err != nil {
			return err
		}
		o.Other, _ = koblitz.ParsePrivateKey(o.E) // E may be only a tweak
	}
	if n&(Scalars|Points) != 0 {
		if _, err = o.X.SetBytes(o.D); err != nil {
			return err
		}
		if _, err = o.Y.SetBytes(o.E); err != nil {
			return err
		}
	}
	if n&Points != 0 {
		o.P.ScalarBaseMult(o.X)
		o.Q.ScalarBaseMult(o.Y)
		o.points[0].ScalarBaseMult(o.X)
		o.points[1].ScalarBaseMult(o.Y)
	}
	if n&DropIns != 0 {
		o.dropIns.prepare(o.D, o.E)
	}
	if n&Signatures != 0 {
		o.public.prepare(o.Rows)
	}
	return nil
}

// Discard wipes what an operation made, before it runs again.
func (o *Operands) Discard() {
	o.Made.Zeroize()
	o.Made = nil
}

// Clean wipes the operands and results, as a careful caller does after an operation.
func (o *Operands) Clean() {
	o.Discard()
	o.Key.Zeroize()
	o.Other.Zeroize()
	for _, x := range []*group.Scalar{o.X, o.Y, o.Z} {
		x.Zeroize()
	}
	for _, p := range []*group.Point{o.P, o.Q, o.R, &o.points[0], &o.points[1]} {
		p.Zeroize()
	}
	o.dropIns.clean()
	clear(o.DE[:])
	clear(o.Random)
	o.True = false
}

// give stores b, which a function returned, and wipes b. It copies byte by byte, because copy would
// leave the last bytes in vector registers.
func (o *Operands) give(b []byte) {
	//lint:ignore S1001 see above
	for i := range b {
		o.Out[i] = b[i]
	}
	clear(b)
}

// verdicts runs a function on rows, and stores its count and the number of Valid verdicts.
func (o *Operands) verdicts(
	rows int, f func(v []batch.Verdict) (int, error),
) (err error) {
	v := make([]batch.Verdict, rows)
	o.Count, err = f(v)
	o.Valid = 0
	for _, verdict := range v {
		if verdict == batch.Valid {
			o.Valid++
		}
	}
	return err
}

// answer stores the answer of a function that has one for all rows.
func (o *Operands) answer(ok bool, err error) error {
	o.Count, o.Valid = 0, 0
	if ok {
		o.Count, o.Valid = 1, 1
	}
	return err
}

// GrowStack makes the stack of its goroutine large, so that it does not grow in what follows, and
// zeroes the dead part.
//
//go:noinline
func GrowStack() {
	var buf [1 << 16]byte
	runtime.KeepAlive(&buf)
}

// array returns b as an array, or zeros if b has another length.
func array(b []byte) *[32]byte {
	if len(b) != 32 {
		return new([32]byte)
	}
	return (*[32]byte)(b)
}

// must returns v. Package reference has this function, too, but the subject of lab/ctcheck must not
// contain the functions of that package, which secrets do not reach.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
