package ethereum

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"

	"github.com/koblitz-go/koblitz/batch"
)

// Options say how a call is carried out. A nil *Options is the same as the zero value.
type Options struct {
	// Workers is the greatest number of goroutines that work on a call at a time, the caller's
	// included. If it is below 1, runtime.GOMAXPROCS(0) is used instead. Small calls use fewer.
	// Results do not depend on it.
	Workers int
}

const (
	// maxRows is the number of items that a worker takes at a time, and minRows the number for
	// which a further worker is worth its start.
	maxRows = 512
	minRows = 64
	// messageSize is the memory that is reserved for one signed message. Signed messages are hashed
	// once they have maxPayload bytes together. The last one may exceed it.
	messageSize = 256
	maxPayload  = 1 << 20
)

// A source has the items of a call, such as transactions. Each worker has a source of its own.
type source interface {
	// rule returns the rule for s in the rows.
	rule() batch.SRule
	// look returns the address of item i or its error, or adds a row for it and returns false.
	look(i int, r *rows) (from common.Address, done bool, err error)
	// ask returns go-ethereum's answer for item i, whose row has no address.
	ask(i int) (common.Address, error)
	// found is called with the address of item i, if a row gave it.
	found(i int, from common.Address)
}

// recoverAll sets addresses and errs for n items, and returns the number of items without an error.
// newSource returns a source for one worker.
func recoverAll(
	ctx context.Context, n int, addresses []common.Address, errs []error, o *Options,
	newSource func() source,
) (valid int, err error) {
	if len(addresses) != n || len(errs) != n {
		return 0, fmt.Errorf("ethereum: %d items, room for %d addresses and %d errors: "+
			"the numbers must be equal", n, len(addresses), len(errs))
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx = &remembering{Context: ctx}
	workers := runtime.GOMAXPROCS(0)
	if o != nil && o.Workers > 0 {
		workers = o.Workers
	}
	workers = max(1, min(workers, n/minRows))
	step := min(maxRows, (n/workers+8)&^7)
	var next, total atomic.Int64
	work := func() {
		r := rows{source: newSource()}
		for ctx.Err() == nil {
			end := int(next.Add(int64(step)))
			begin := end - step
			if begin >= n {
				return
			}
			end = min(end, n)
			r.begin = begin
			total.Add(int64(r.run(ctx, addresses[begin:end], errs[begin:end])))
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	if err = ctx.Err(); err == nil {
		return int(total.Load()), nil
	}
	for i := min(n, int(next.Load())); i < n; i++ {
		addresses[i], errs[i] = common.Address{}, err
	}
	return int(total.Load()), err
}

// A remembering context stays ended once its Err has returned an error. Package context demands
// that of every context. But of one that forgets, items that no worker has reached would have no
// error.
type remembering struct {
	context.Context
	ended atomic.Pointer[error]
}

func (c *remembering) Err() error {
	if err := c.Context.Err(); err != nil {
		c.ended.CompareAndSwap(nil, &err)
	}
	if first := c.ended.Load(); first != nil {
		return *first
	}
	return nil
}

// rows are the items of one worker that are recovered together.
type rows struct {
	source
	begin int // the number of the first item

	index      []int // for each row, the place of its item after begin
	payload    []byte
	ends       []int // the ends of the messages in payload, which have not been hashed
	messages   [][]byte
	digests    [][32]byte
	hashes     []byte // 32 bytes a row
	signatures []byte // 65 bytes a row
	addresses  []byte // 20 bytes a row
	verdicts   []batch.Verdict
}

// run sets the addresses and errors of the items from begin on, and returns the number of items
// without an error.
func (r *rows) run(ctx context.Context, addresses []common.Address, errs []error) (valid int) {
	r.index = grow(r.index, len(addresses))[:0]
	r.hashes = grow(r.hashes, 32*len(addresses))[:0]
	r.signatures = grow(r.signatures, 65*len(addresses))[:0]
	r.payload = grow(r.payload, messageSize*len(addresses))[:0]
	for i := range addresses {
		from, done, err := r.safely(i)
		if addresses[i], errs[i] = from, err; err == nil && done {
			valid++
		}
	}
	r.hash()
	n := len(r.index)
	if n == 0 {
		return valid
	}
	r.addresses = grow(r.addresses, n*common.AddressLength)
	r.verdicts = grow(r.verdicts, n)
	clear(r.verdicts)
	_, err := batch.RecoverRows{Hashes: batch.Packed(r.hashes, 32),
		Signatures: batch.Packed(r.signatures, 65), S: r.rule(),
	}.EthereumAddresses(ctx, r.addresses, r.verdicts, &batch.Options{Workers: 1})
	for j, i := range r.index {
		switch r.verdicts[j] {
		case batch.Valid:
			addresses[i] = common.Address(r.addresses[j*common.AddressLength:])
			r.found(r.begin+i, addresses[i])
		case batch.Unchecked:
			errs[i] = err
		default:
			addresses[i], errs[i] = r.askSafely(r.begin + i)
		}
		if errs[i] == nil {
			valid++
		}
	}
	return valid
}

// safely calls look. If go-ethereum or a signer panics, it returns an error.
func (r *rows) safely(i int) (from common.Address, done bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			from, done, err = common.Address{}, true, panicked(p)
		}
	}()
	return r.look(r.begin+i, r)
}

// askSafely calls ask. If go-ethereum panics, it returns an error.
func (r *rows) askSafely(i int) (from common.Address, err error) {
	defer func() {
		if p := recover(); p != nil {
			from, err = common.Address{}, panicked(p)
		}
	}()
	return r.ask(i)
}

// panicked returns an error for a panic.
func panicked(p any) error {
	return fmt.Errorf("ethereum: go-ethereum or the signer panicked: %v", p)
}

// add adds a row for item i. x and y are r and s, at most 32 bytes each. The caller must have
// appended the signed message to payload.
func (r *rows) add(i int, x, y []byte, parity byte) {
	r.index = append(r.index, i-r.begin)
	n := len(r.signatures)
	r.signatures = append(r.signatures, make([]byte, 65)...)
	sig := r.signatures[n:]
	copy(sig[32-len(x):], x)
	copy(sig[64-len(y):], y)
	sig[64] = parity
	r.ends = append(r.ends, len(r.payload))
	if len(r.payload) >= maxPayload {
		r.hash()
	}
}

// hash hashes the messages in payload.
func (r *rows) hash() {
	r.messages = r.messages[:0]
	begin := 0
	for _, end := range r.ends {
		r.messages = append(r.messages, r.payload[begin:end])
		begin = end
	}
	r.digests = batch.AppendKeccak256(r.digests[:0], r.messages)
	for i := range r.digests {
		r.hashes = append(r.hashes, r.digests[i][:]...)
	}
	r.payload, r.ends = r.payload[:0], r.ends[:0]
}

// grow returns a slice of n elements, in the memory of s if it has room.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
