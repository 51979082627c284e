package check

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// checkIntro begins the help and the manual page of check.
const checkIntro = `Verify every signature in files and say which ones fail, where and why. FILE is
a block, a transaction, a log of events, packed rows or a table, plain or
compressed (packed rows only with --compression). '-' is standard input, and a
folder all files in it and below; a node's folder blocks is read as its chain.`

// checkHelp is the output of 'koblitz check --help': the most used flags on one screen. The other
// flags are described by the topics of 'koblitz help' and by the manual page.
const checkHelp = checkIntro + `

Usage: koblitz check [options] FILE…

What is read:
  -f, --format FORMAT     found by content, except for packed rows
      --columns COLUMNS   tables: hash=NAME,key=NAME,signature=NAME
      --network NETWORK   mainnet, testnet4, regtest, sepolia, a chain id, …
      --spent FILE        the spent outputs of a serialized block
      --node URL          ask a node (--rpc-auth FILE) for its blocks
      --from, --to BLOCK  a part of a node's blocks, or of those in its folder
What is reported:
      --json, --quiet     one JSON document; nothing but the exit status
      --max-failures N    list N failures, -1 for all; 100 unless it is given
      --senders           list who sent each Ethereum transaction
      --sha256            name each file with its SHA-256
      --verdicts FILE     write a row for each signature (.jsonl, .csv)
      --keep FILE         write the valid events, lines or packed rows
How it is done:
  -w, --workers N         verify on N threads; default: one for each CPU
      --state FILE        save how far it is, and go on from there

` + exitStatusHelp + `

  koblitz check --sample
  bitcoin-cli getblock HASH 3 | koblitz check -
  koblitz check ~/.bitcoin/blocks --from 800000

All options: 'koblitz help options'. More: 'koblitz help formats', 'checks',
'sources', 'report', 'limits'. All of it: 'koblitz man check | man -l -'.
`

// A topic is one page of 'koblitz help'. docs/check.md contains the texts of all topics about
// check, apart from its options.
type topic struct{ name, short, text string }

// checkTopics returns the topics about check in the order of its manual page.
func checkTopics() []topic {
	return []topic{
		{"formats", "The formats and tables that check reads", formatsHelp()},
		{"checks", "What check verifies, and what it does not", checksHelp},
		{"sources", "Blocks of a node, for check", flags.NodeHelp},
		{"report", "The report of check, and its exit status", reportHelp + "\n\n" + keepHelp +
			"\n\n" + exitStatusHelp},
		{"limits", "Limits of check, and runs that last", limitsHelp},
	}
}

// checkManual returns the description section of check's manual page.
func checkManual() string {
	texts := []string{checkIntro}
	for _, t := range checkTopics() {
		texts = append(texts, t.text)
	}
	return strings.Join(texts, "\n\n")
}

// addTopics adds the help topics to root, and one more topic that lists all options of the command
// check.
func addTopics(root, check *cobra.Command) {
	topics := append(checkTopics(), topic{"options", "All options of check",
		"Options of check:\n" + strings.TrimRight(check.LocalFlags().FlagUsages(), "\n")})
	for _, t := range topics {
		page := &cobra.Command{Use: t.name, Short: t.short, Long: t.text}
		page.SetHelpTemplate("{{.Long}}\n")
		root.AddCommand(page)
	}
}

func formatsHelp() string {
	var b strings.Builder
	b.WriteString("Formats (--format):\n")
	for _, f := range flags.Formats {
		fmt.Fprintf(&b, "  %-14s %s\n", f.Name, f.What)
	}
	b.WriteString("\n" + flags.TableHelp)
	return b.String()
}

const checksHelp = `What is checked:
  Bitcoin   Every script, by the rules of Bitcoin Core: any s, and lax DER before
            BIP 66. This library verifies the plain kinds (P2PK, P2PKH, P2WPKH, bare
            multisig and that in P2SH and P2WSH, taproot key paths, tapscripts of one
            key), and what a taproot output commits to. Other scripts run in btcd's
            engine. A block must agree with its header (work, Merkle root), its
            coinbase (height, witnesses) and every field that repeats a fact; the
            header must be possible on the network.
  Ethereum  The sender of every transaction (legacy, EIP-2930, 1559, 4844, 7702) is
            recovered. JSON names the sender and the hash, which must agree: the
            transaction is valid. Other forms do not, and it counts as recovered. A
            block must agree with its parent, and with the roots and the hash that it
            names. The chain's rules hold: low s from Homestead on, the chain id, the
            transaction types of the block's time.
  nostr     The id (NIP-01), then the BIP-340 signature of the id: of events alone,
            in EVENT, in AUTH, and in lists.
  packed    BIP-340 of the message's 32 bytes; ECDSA of the hash's 32 bytes, any s.
  columns   The same of the rows of a table ('koblitz help formats').

What is not checked:
  Bitcoin   That the block is in the chain with the most work, and its difficulty and
            time right; signet's signature; amounts, subsidies, sizes, lock times of
            transactions; that an output is spent once; that a coinbase is mature;
            the content of spent outputs, which --spent, rev*.dat or prevout states.
  Ethereum  That the block is in the chain (proof of work, validators); execution,
            balances, nonces, fees, receipts, blobs; signatures of EIP-7702's
            authorizations, which do not invalidate a transaction.
  nostr     Fields that NIP-01 does not define; contents, tags, and events in them.
  packed    That anyone meant to sign the message or hash; in tables other columns.`

const reportHelp = `The report has a line for each failure, one for each of several files, and a
summary with these lines, of which counts of zero are left out:
  rows            signatures, and inputs without one: the sum of the next seven
  valid           accepted by this library
  invalid         well formed, and wrong
  malformed       not allowed by the format, or two fields that disagree
  engine-checked  accepted by btcd's script engine, with a valid signature
  not checkable   cannot be judged: an unknown spent output, a type without rules
  recovered       a sender was recovered, and the file names none to compare
  unsigned        an input that anyone may spend, accepted without a signature; it
                  is listed if it carries data, where a signature could be
  passed over     not rows: envelopes without an event, answers without a block,
                  blocks seen before, blocks that lost
  file, with      file, format, compression, size; files that were read beside it
  chain           network, number of blocks, heights, hash of the highest block
  uncovered       formats without blocks: nothing shows that a row is missing
  spent outputs   for a node's folder: they are as the undo records say
  time, rate      seconds, and rows a second
  run             when it began, and by which version of this program
--sha256 adds the SHA-256 of each file, and --senders the sender of each Ethereum
transaction. --json prints one document with the same names, with _ between words.
--verdicts FILE writes a row for each signature: file, line, row, offset, block,
index, tx, input, event, kind, signature, verdict, reason, sender. A value that does
not apply is left out, empty or null.`

const limitsHelp = `Limits:
  With four workers check takes at most 200 MB of memory, for any input. Each further
  worker adds about 20 MB. With devices, each of them adds 16 MiB and the memory of its
  driver, and each worker 8 MiB. Input over a limit that docs/check.md lists counts as
  malformed; where reading cannot continue, the error names the place, and the status
  is 3. With --json at most 10000 failures are listed, and no senders: --verdicts has
  all. Text from a file is shown in ASCII with escapes, so that it cannot command the
  terminal.

Long runs:
  With --state FILE the run saves its progress, and the same command continues from
  there, however the run before it ended; the report is that of a single run. A file
  of --verdicts, in .jsonl or .csv, is continued too. Other files, other options,
  standard input, and a FILE that is not a state are refused; such a FILE stays
  unchanged. --progress json is for programs that watch.

Ctrl-C and SIGTERM stop the run and report what was checked before.`
