package check

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// checkHelp is the output of 'koblitz check --help': the most used flags on one screen. The other
// flags are described by the topics of 'koblitz help' and by the manual page.
const checkHelp = `Verify every signature in files and say which ones fail, where and why.

Usage: koblitz check [options] FILE…

FILE is a block, a transaction, a log of events, packed rows or a table, plain
or compressed; '-' is standard input, and a folder all files in it and below.

What is read:
  -f, --format FORMAT     found by content, except for packed rows
      --columns COLUMNS   tables: hash=NAME,key=NAME,signature=NAME
      --network NETWORK   mainnet, testnet4, regtest, sepolia, a chain id, …
      --spent FILE        the spent outputs of a serialized block
      --node URL          ask a node (--rpc-auth FILE) for its blocks
      --from, --to BLOCK  a part of a node's blocks, or of those in its folder
      --sample            a real block, which this program brings along
What is reported:
      --json, --quiet     one JSON document; nothing but the exit status
      --max-failures N    list N failures, -1 for all; 100 unless it is given
      --senders           list who sent each Ethereum transaction
      --sha256            name each file with its SHA-256
      --verdicts FILE     write a row for each signature (.jsonl, .csv, …)
      --keep FILE         write the valid events, lines or packed rows
How it is done:
  -w, --workers N         verify on N threads; default: one for each CPU
      --state FILE        save how far it is, and go on from there

Exit status: 0 all valid, 1 something is invalid or malformed, 2 a wrong command
line, 3 something cannot be read, 4 something cannot be judged, 130 interrupted.

  koblitz check --sample
  bitcoin-cli getblock HASH 3 | koblitz check -
  koblitz check ~/.bitcoin/blocks --from 800000

All options: 'koblitz help options'. More: 'koblitz help formats', 'checks',
'sources', 'report', 'limits'. All of it: 'koblitz man check | man -l -'.
`

// A topic is one page of 'koblitz help'.
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
	var b strings.Builder
	b.WriteString(`Verify every signature in files and say which ones fail, where and why. FILE '-'
is standard input; a folder stands for all files in it and below, apart from those
that Bitcoin Core keeps for itself beside its blocks. Files packed with gzip, bzip2,
zstd or xz are unpacked on the fly, packed rows only with --compression.`)
	for _, t := range checkTopics() {
		b.WriteString("\n\n" + t.text)
	}
	return b.String()
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
  Bitcoin   Signatures of the plain kinds (P2PK, P2PKH, multisig bare, in P2SH and
            in P2WSH, P2WPKH, taproot key path, tapscripts of one key with data) by
            this library, ECDSA over the signature hash or BIP-340, and what a
            taproot output commits to; all other scripts by btcd's script engine,
            counted as engine-checked if they accept a valid signature, and as
            unsigned if they need none. Bitcoin Core's consensus rules hold: high
            s, and lax DER before BIP 66. A block as a whole is compared with its
            header (work, Merkle root), its coinbase (height, witnesses) and every
            field that says the same. A header that the network cannot have is
            refused. A serialized block's spent outputs are those of --spent. In a
            node's folder they are in its rev*.dat files, whose checksums are compared;
            a block that lost is passed over.
  Ethereum  The sender of every transaction (legacy, EIP-2930, 1559, 4844, 7702) is
            recovered, and listed with --senders. JSON-RPC answers name the sender
            and the hash: both are compared, and what agrees is valid. Other forms
            do not, and the transaction counts as recovered. A block is compared
            with the roots and the hash that it names. The rules of the chain hold:
            s in the lower half from Homestead on, the chain id, the types of the
            block's time.
  nostr     The id is computed anew (NIP-01, SHA-256), then the BIP-340 signature
            of the id: of events alone, in EVENT, in AUTH, and in lists. Envelopes
            without one are passed over.
  packed    BIP-340 of the 32 bytes of the message as they are; ECDSA of the 32
            bytes of the hash as they are, both halves of s allowed.
  columns   The same of the rows of a table ('koblitz help formats').

What is not checked (docs/check.md has the whole list):
  Bitcoin   That the block is in the chain with the most work, and its difficulty the
            right one; amounts, lock times, subsidies, spending twice; that spent
            outputs are what --spent, rev*.dat or "prevout" says.
  Ethereum  That the block is in the chain; execution, balances, fees, receipts; the
            signatures of EIP-7702's authorizations.
  nostr     That content or tags are true; events inside of a content or a tag.
  packed    That the message is what anybody meant; and so for columns.`

const reportHelp = `The report has one line for each failure and one for each of several files, and
ends with a summary of what there was:
  rows            signatures looked at, and inputs without one
  valid           accepted by this library
  invalid         well formed, and wrong
  malformed       not what the format allows, or two fields that do not agree
  engine-checked  accepted by the script engine, with a valid signature
  not checkable   nothing here can judge them; never counted as valid
  recovered       a sender came out, and there is nothing to compare it with
  unsigned        inputs that anybody could spend: no signature was looked at. One
                  that carries data, where a signature could be, is listed
  passed over     no rows: envelopes without an event, answers without a block,
                  blocks that came before, blocks of a folder that lost
  file, with      the file, its format, compression and size, and what was read beside it
  chain           network, number of blocks, heights, hash of the highest block
  uncovered       formats without blocks: rows that are left out cannot be noticed
  spent outputs   of a node's folder: they are as the undo records say
  time, rate      seconds, and rows a second
  run             when it began, and by which version of this program
With --sha256 each file has its digest, and with --senders each transaction of
Ethereum its sender. With --json the report is one document with the same names,
with _ between words. With --verdicts there is a file besides, with one row for
each signature: file, line, row, offset, block, index, tx, input, event, kind,
signature, verdict, reason and the sender. What does not apply to a format is left
out.`

const limitsHelp = `Limits:
  With four workers check takes at most 200 MB of memory, whatever the input, and
  about 20 MB more for each further worker. A transaction or an event of more than
  a block or a relay takes, or of more than docs/check-runs.md says, counts as
  malformed; where reading cannot go on, the place is named and the status is 3.
  With --json at most 10000 failures are listed, and no senders: --verdicts has all.
  With devices there are 16 MiB more for each of them, 8 MiB for each worker, and
  what drivers take. Text from a file is shown in ASCII with escapes, so that it
  cannot command the terminal.

Long runs:
  With --state FILE the run saves how far it is, and the same command goes on from
  there, however the run before it ended; the report is the one of a single run.
  A file of --verdicts, in .jsonl or .csv, is appended to.
  Other files or other options are refused, and so is a FILE that is not a state,
  which stays as it is. Standard input cannot be gone on with. --progress
  json is for programs that watch.

Ctrl-C and SIGTERM stop and report what was checked before.`
