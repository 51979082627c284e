package main

// dcrec and btcec are the paths of the modules that drop-ins replace. dcrecVersion and btcecVersion
// are the replaced versions. btcec depends on dcrec.
const (
	dcrec        = "github.com/decred/dcrd/dcrec/secp256k1/v4"
	dcrecVersion = "v4.4.1"
	btcec        = "github.com/btcsuite/btcd/btcec/v2"
	btcecVersion = "v2.5.1"
)

// dropIns maps the replaced modules to the folders of the drop-ins in the repository.
var dropIns = map[string]string{dcrec: "compat/dcrec/v4", btcec: "compat/btcec/v2"}

// A suite is a set of packages that use dcrec. Their own tests run without and with the drop-in for
// dcrec.
type suite struct {
	name string
	// modules lists the modules that contain the packages, as PATH@VERSION. The files in testdata/mods
	// have the versions of all other modules, which follow from these and from dcrecVersion.
	modules []string
	// packages lists the packages whose tests run. All depend on dcrec, in their code or in their
	// tests.
	packages []string
	// leftOut maps each test that must not run to the reason.
	leftOut map[string]string
	// quick says that CI runs the suite.
	quick bool
	// keepsBtcec says that the run with the drop-in replaces only dcrec: the suite tests btcec.
	keepsBtcec bool
}

// replaced returns the modules that the run with the drop-in replaces.
func (s suite) replaced() []string {
	if s.keepsBtcec {
		return []string{dcrec}
	}
	return []string{dcrec, btcec}
}

// suites lists all suites, in the order in which they run.
var suites = []suite{
	{
		name:    "btcec",
		modules: []string{btcec + "@" + btcecVersion},
		packages: []string{
			"github.com/btcsuite/btcd/btcec/v2",
			"github.com/btcsuite/btcd/btcec/v2/ecdsa",
			"github.com/btcsuite/btcd/btcec/v2/ellswift",
			"github.com/btcsuite/btcd/btcec/v2/schnorr",
			"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2",
		},
		quick:      true,
		keepsBtcec: true,
	},
	{
		name:    "geth",
		modules: []string{"github.com/ethereum/go-ethereum@v1.17.10"},
		packages: []string{
			"github.com/ethereum/go-ethereum/core/types",
			"github.com/ethereum/go-ethereum/crypto",
			"github.com/ethereum/go-ethereum/crypto/ecies",
		},
		quick: true,
	},
	{
		name:     "libp2p",
		modules:  []string{"github.com/libp2p/go-libp2p@v0.51.0"},
		packages: []string{"github.com/libp2p/go-libp2p/core/crypto"},
		quick:    true,
	},
	{
		name:     "cometbft",
		modules:  []string{"github.com/cometbft/cometbft@v1.0.1"},
		packages: []string{"github.com/cometbft/cometbft/crypto/secp256k1"},
		quick:    true,
	},
	{
		name:    "nostr",
		modules: []string{"github.com/nbd-wtf/go-nostr@v0.52.3"},
		packages: []string{
			"github.com/nbd-wtf/go-nostr",
			"github.com/nbd-wtf/go-nostr/nip04",
			"github.com/nbd-wtf/go-nostr/nip44",
		},
		leftOut: map[string]string{
			"TestConnectContext":      "it hopes that a goroutine runs in time, and fails now and then",
			"TestCount":               "it needs a network",
			"TestEOSEMadness":         "it needs a network",
			"TestNestedSubscriptions": "it needs a network",
			"TestPublish":             "its server hangs up at once, at times before the client is done",
			"TestPublishWriteFailed":  "its server hangs up at once, at times after the client is done",
			"TestSubscribeBasic":      "it needs a network",
		},
		quick: true,
	},
	{
		name:    "btcec-2.3", // nostr, lnd and most other software still use this version
		modules: []string{"github.com/btcsuite/btcd/btcec/v2@v2.3.6"},
		packages: []string{
			"github.com/btcsuite/btcd/btcec/v2",
			"github.com/btcsuite/btcd/btcec/v2/ecdsa",
			"github.com/btcsuite/btcd/btcec/v2/schnorr",
			"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2",
		},
		keepsBtcec: true,
	},
	{
		name: "btcd",
		modules: []string{
			"github.com/btcsuite/btcd@v0.26.2",
			"github.com/btcsuite/btcd/address/v2@v2.0.0",
			"github.com/btcsuite/btcd/btcutil/v2@v2.0.1",
			"github.com/btcsuite/btcd/txscript/v2@v2.0.0",
			"github.com/btcsuite/btcd/v2transport@v1.1.0",
		},
		packages: []string{
			"github.com/btcsuite/btcd/address/v2",
			"github.com/btcsuite/btcd/blockchain",
			"github.com/btcsuite/btcd/btcutil/v2",
			"github.com/btcsuite/btcd/btcutil/v2/hdkeychain",
			"github.com/btcsuite/btcd/mempool",
			"github.com/btcsuite/btcd/txscript/v2",
			"github.com/btcsuite/btcd/v2transport",
		},
	},
	{
		name:    "cosmos",
		modules: []string{"github.com/cosmos/cosmos-sdk@v0.55.0"},
		packages: []string{
			"github.com/cosmos/cosmos-sdk/crypto/hd",
			"github.com/cosmos/cosmos-sdk/crypto/keys/secp256k1",
		},
	},
	{
		name:    "lnd",
		modules: []string{"github.com/lightningnetwork/lnd@v0.21.0-beta"},
		packages: []string{
			"github.com/lightningnetwork/lnd/brontide",
			"github.com/lightningnetwork/lnd/input",
			"github.com/lightningnetwork/lnd/keychain",
			"github.com/lightningnetwork/lnd/zpay32",
		},
	},
}
