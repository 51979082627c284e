package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
	"github.com/koblitz-go/koblitz/silentpay"
)

// scanStateKind identifies a state of koblitz scan.
const scanStateKind = "state of koblitz scan, form 1"

// maxScanState limits the size of a state in bytes, when it is read and when it is saved. Only
// tests change it.
var maxScanState = 256 << 20

// A foundRow is a payment as the command prints it.
type foundRow struct {
	Height int32   `json:"height"`
	Block  string  `json:"block"`
	TxID   string  `json:"txid"`
	Vout   uint32  `json:"vout"`
	Value  int64   `json:"value"` // in satoshi
	Label  *uint32 `json:"label,omitempty"`
	Key    string  `json:"key"`   // the x-only key of the output
	Tweak  string  `json:"tweak"` // what the spend key needs to spend the output
}

// A taprootOutput is an output that may pay the wallet.
type taprootOutput struct {
	tx    chainhash.Hash
	index uint32
	*wire.TxOut
}

// row returns the row of an output in the given block, and overwrites the tweak of m.
func (o *taprootOutput) row(block scanPlace, m *silentpay.Match) foundRow {
	t := m.Tweak.Bytes()
	r := foundRow{Height: block.Height, Block: block.Hash, TxID: o.tx.String(), Vout: o.index,
		Value: o.Value, Key: hex.EncodeToString(o.PkScript[2:]), Tweak: hex.EncodeToString(t)}
	clear(t)
	m.Tweak.Zeroize()
	if m.Labeled {
		r.Label = &m.Label
	}
	return r
}

// A scanPlace is a block that was scanned.
type scanPlace struct {
	Height int32  `json:"height"`
	Hash   string `json:"hash"`
}

// A scanState is the progress of a scan. The file of --state holds it, and is replaced as a whole.
type scanState struct {
	Is      string `json:"is"`
	Wallet  string `json:"wallet"` // see fingerprint
	Network string `json:"network"`
	From    int32  `json:"from"` // height of the first block

	// Places are blocks of the chain, the last one first, at growing distances. After a
	// reorganization, the scan resumes at the first that is still in the chain.
	Places []scanPlace `json:"places"`
	Found  []foundRow  `json:"found"`
	Sum    string      `json:"sum"` // SHA-256 of the state with an empty Sum

	// unsaved are the blocks that were scanned after Places was set, and the last one before.
	unsaved []scanPlace

	text []byte // the state as it was read or saved, or nil
}

// fingerprint identifies a wallet by its public keys and labels. Label 0 is always looked for, so
// it makes no difference whether the keys file lists it.
func (w *paymentWallet) fingerprint() string {
	h := sha256.New()
	h.Write(w.scan.PublicKey().Bytes())
	h.Write(w.spend.Bytes())
	labels := slices.Clone(w.labels)
	slices.Sort(labels)
	for _, m := range slices.Compact(labels) {
		if m != 0 {
			binary.Write(h, binary.LittleEndian, m) // a hash cannot fail
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// encode sets s.Sum to the checksum of s, and returns s in JSON.
func (s *scanState) encode() ([]byte, error) {
	s.Sum = ""
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	s.Sum = hex.EncodeToString(sum[:])
	return json.Marshal(s)
}

// stateText returns the content of the file called name. It is nil if there is no such file, and
// empty if the file is too long for a state.
func stateText(disk durable.FS, name string) ([]byte, error) {
	f, err := disk.Open(name)
	if durable.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size > int64(maxScanState) {
		return []byte{}, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}

// readScanState reads the state in the file called name. It returns nil if there is no such file.
func readScanState(disk durable.FS, name string) (*scanState, error) {
	text, err := stateText(disk, name)
	switch {
	case err != nil:
		return nil, cli.Unreadable(err)
	case text == nil:
		return nil, nil
	}
	s, err := parseScanState(text)
	switch {
	case err == errForeign:
		return nil, cli.Usagef("--state %s: %w; it stays as it is, so name another file", name, err)
	case err != nil:
		return nil, cli.Unreadable(fmt.Errorf("--state %s: %w (remove it to begin again)", name, err))
	}
	return s, nil
}

var errForeign = errors.New("not a state of koblitz scan")

// parseScanState decodes a state. The error is errForeign if text is something else.
func parseScanState(text []byte) (*scanState, error) {
	s := new(scanState)
	if json.Unmarshal(text, s) != nil || s.Is != scanStateKind {
		return nil, errForeign
	}
	again, err := s.encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("not as it was saved: its checksum is wrong")
	}
	s.text = text
	return s, nil
}

// sameRun returns a usage error if s is not the state of a run like want.
func (s *scanState) sameRun(name string, want *scanState) error {
	switch {
	case s.Wallet != want.Wallet:
		return cli.Usagef("--state %s: it is of other keys or labels", name)
	case s.Network != want.Network:
		return cli.Usagef("--state %s: it is of %s, and the tweaks are of %s", name, s.Network,
			want.Network)
	case s.From != want.From:
		return cli.Usagef("--state %s: it began at block %d, and not at %d", name, s.From, want.From)
	}
	return nil
}

// resume drops the blocks that are not in f, and the payments in them. It returns the height at
// which the scan resumes.
func (s *scanState) resume(f *tweakfile.File) (int32, error) {
	next := s.From
	for i, p := range s.Places {
		if p.Height < s.From || p.Height >= f.Next() {
			continue
		}
		hash, err := f.Hash(p.Height)
		if err != nil {
			return 0, err
		}
		if hash.String() == p.Hash {
			next, s.Places = p.Height+1, s.Places[i:]
			break
		}
	}
	if next == s.From {
		s.Places = nil
	} else {
		s.unsaved = s.Places[:1:1]
	}
	s.Found = slices.DeleteFunc(s.Found, func(r foundRow) bool { return r.Height >= next })
	return next, nil
}

// reached sets the places for a scan up to the block at the given height. It returns an error if a
// block that was scanned is no longer in f: 'koblitz tweaks' has replaced it meanwhile.
func (s *scanState) reached(f *tweakfile.File, height int32) error {
	for _, p := range s.unsaved {
		if hash, err := f.Hash(p.Height); err != nil {
			return err
		} else if hash.String() != p.Hash {
			return fmt.Errorf("%s: block %d has changed while it was scanned: run the command again",
				f.Name(), p.Height)
		}
	}
	if n := len(s.unsaved); n > 0 {
		s.unsaved = []scanPlace{s.unsaved[n-1]}
	}
	s.Places = nil
	for step := int32(1); height >= s.From; height -= step {
		hash, err := f.Hash(height)
		if err != nil {
			return err
		}
		s.Places = append(s.Places, scanPlace{height, hash.String()})
		if len(s.Places) > 1 {
			step = min(2*step, 1<<24)
		}
	}
	return nil
}

// save writes s to the file called name. It returns an error, and leaves the file as it is, if the
// state could not be read again, or if another run has saved one.
func (s *scanState) save(disk durable.FS, name string) error {
	now, err := stateText(disk, name)
	var text []byte
	if err == nil {
		text, err = s.encode()
	}
	switch {
	case err != nil:
	case now != nil && !bytes.Equal(now, s.text):
		err = fmt.Errorf("%s: another run has saved it meanwhile: run the command again", name)
	case len(text) > maxScanState:
		err = fmt.Errorf("%s stays as it is: with %d payments it would have %d bytes, and at most %d "+
			"can be read again; name another --state for later blocks (--from)", name, len(s.Found),
			len(text), maxScanState)
	default:
		err = durable.WriteFile(disk, name, text)
	}
	if err != nil {
		return fmt.Errorf("the state cannot be saved: %w", err)
	}
	s.text = text
	return nil
}
