package payments

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/silentpay"
)

const scanKeysHelp = `The keys file:
  scan KEY      the secret scan key: 64 hexadecimal digits
  spend KEY     the public spend key: 66 hexadecimal digits, or
  address TEXT  the address without a label, which has this key
  labels N…     the wallet's labels, such as 1 2 3 or 1-100; 0, the label of
                change, is always looked for
Each is a line of its own; an empty line, or one that begins with '#', says nothing.
Who can read the scan key sees all payments, but cannot spend them: let only the owner
read the file (chmod 600).`

const (
	// maxKeysFile limits the size of a keys file in bytes.
	maxKeysFile = 64 << 10

	// maxLabels limits the number of labels. Each takes some microseconds at the start, and memory.
	maxLabels = 1 << 20
)

// A paymentWallet holds the keys with which silent payments are found.
type paymentWallet struct {
	scan   *silentpay.ScanKey
	spend  *koblitz.PublicKey
	labels []uint32

	network silentpay.Network // of the address, or 0 without one
}

// sameNetwork returns a usage error if the address in the keys file belongs to another network than
// the chain of the given file of tweaks. An address for testnets fits every chain of tests but
// regtest.
func (w *paymentWallet) sameNetwork(keys, tweaks string, chain consensus.Network) error {
	want := silentpay.Testnet
	switch chain {
	case consensus.Mainnet:
		want = silentpay.Mainnet
	case consensus.Regtest:
		want = silentpay.Regtest
	}
	if w.network == 0 || w.network == want {
		return nil
	}
	return cli.Usagef("%s: the address is of %v, and %s has the tweaks of %v", cli.FileName(keys),
		w.network, tweaks, chain)
}

// readWallet reads a keys file. The caller must call Zeroize of the scan key.
func readWallet(io cli.Streams, name string) (*paymentWallet, error) {
	buf := make([]byte, maxKeysFile)
	defer clear(buf)
	n, err := cli.ReadSecretFile(io, name, buf)
	if err != nil && n < len(buf) {
		return nil, err
	}
	var w *paymentWallet
	if n == len(buf) {
		err = fmt.Errorf("a keys file has less than %d bytes", maxKeysFile)
	} else {
		w, err = parseWallet(buf[:n])
	}
	if err != nil {
		return nil, cli.Unreadable(fmt.Errorf("%s: %w", cli.FileName(name), err))
	}
	return w, nil
}

// parseWallet parses a keys file. Its errors name lines, and reveal no word of them that may be a
// secret.
func parseWallet(text []byte) (_ *paymentWallet, err error) {
	w := new(paymentWallet)
	defer func() {
		if err != nil {
			w.scan.Zeroize()
		}
	}()
	var address *silentpay.Address
	n := 0
	for line := range bytes.Lines(text) {
		n++
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		var bad error
		switch kind := string(words[0]); {
		case kind == "labels":
			bad = w.addLabels(words[1:])
		case len(words) != 2:
			bad = errors.New("two words are wanted, such as scan and the key")
		case kind == "scan" && w.scan != nil || (kind == "spend" || kind == "address") &&
			(w.spend != nil || address != nil):
			bad = errors.New("a second key of this kind")
		case kind == "scan":
			w.scan, bad = parseScanKey(words[1])
		case kind == "spend":
			w.spend, bad = parseSpendKey(words[1])
		case kind == "address":
			address, bad = silentpay.ParseAddress(string(words[1]))
		default:
			bad = errors.New("the first word is none of scan, spend, address, labels")
		}
		if bad != nil {
			return nil, fmt.Errorf("line %d: %w", n, bad)
		}
	}
	switch {
	case w.scan == nil:
		return nil, errors.New("no line with the scan key")
	case address != nil && !address.ScanKey().Equal(w.scan.PublicKey()):
		return nil, errors.New("the address has another scan key")
	case address != nil:
		w.spend, w.network = address.SpendKey(), address.Network()
	case w.spend == nil:
		return nil, errors.New("no line with the spend key or the address")
	}
	return w, nil
}

func parseScanKey(digits []byte) (*silentpay.ScanKey, error) {
	key, err := cli.ParseSecretKey(digits)
	if err != nil {
		return nil, err
	}
	defer key.Zeroize()
	return silentpay.NewScanKey(key)
}

func parseSpendKey(digits []byte) (*koblitz.PublicKey, error) {
	if len(digits) == 64 {
		return nil, errors.New("64 digits where the public spend key has 66: the secret spend key is " +
			"not needed, and does not belong here")
	}
	b, err := hex.DecodeString(string(digits))
	if err != nil || len(b) != 33 {
		return nil, errors.New("the public spend key has 66 hexadecimal digits")
	}
	return koblitz.ParsePublicKey(b)
}

// addLabels adds labels, which are given as numbers and ranges of numbers.
func (w *paymentWallet) addLabels(words [][]byte) error {
	for _, word := range words {
		from, to, isRange := bytes.Cut(word, []byte("-"))
		if !isRange {
			to = from
		}
		a, err := strconv.ParseUint(string(from), 10, 32)
		b, berr := strconv.ParseUint(string(to), 10, 32)
		switch {
		case err != nil || berr != nil || a > b:
			return errors.New("labels are numbers up to 4294967295, such as 1 2 3 or 1-100")
		case b-a >= maxLabels-uint64(len(w.labels)):
			return fmt.Errorf("more than %d labels", maxLabels)
		}
		for m := a; m <= b; m++ {
			w.labels = append(w.labels, uint32(m))
		}
	}
	return nil
}
