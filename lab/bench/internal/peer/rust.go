package peer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is a running process of the Rust program, which calls the Rust crates. The comment in
// rust/src/main.rs describes its requests and answers.
type program struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

func (p *program) ask(format string, args ...any) string {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		panic(fmt.Errorf("the Rust program: %w", err))
	}
	return p.line()
}

func (p *program) line() string {
	s, err := p.out.ReadString('\n')
	if err != nil {
		panic(fmt.Errorf("the Rust program: %w", err))
	}
	return strings.TrimSuffix(s, "\n")
}

// buildRust builds the Rust program in the folder rust and returns its path.
func buildRust(rust string) (string, error) {
	if _, err := exec.LookPath("cargo"); err != nil {
		return "", errors.New("no cargo")
	}
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, "target")
	path := filepath.Join(target, "release", "koblitz-bench-peers")
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintln(os.Stderr, "bench: building the Rust peers, which takes minutes the first time")
	}
	cargo := func(args ...string) ([]byte, error) {
		args = append(args, "--release", "--locked", "--quiet", "--target-dir", target,
			"--manifest-path", filepath.Join(rust, "Cargo.toml"))
		return exec.Command("cargo", args...).CombinedOutput()
	}
	// All checkouts share the target folder, and cargo compares only times: it would take the program
	// of another checkout for this one's, if it was built after these sources were written.
	checkout, err := filepath.Abs(rust)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(target, "checkout")
	if built, _ := os.ReadFile(mark); string(built) != checkout {
		if text, err := cargo("clean", "--package", "koblitz-bench-peers"); err != nil {
			return "", fmt.Errorf("cargo clean: %w: %s", err, bytes.TrimSpace(text))
		}
	}
	text, err := cargo("build")
	if err != nil {
		why := regexp.MustCompile(`(?m)^.*(?:Unable to find|error(?:\[\w+\])?:).*$`).Find(text)
		return "", fmt.Errorf("cargo build: %w: %s", err, bytes.TrimSpace(why))
	}
	return path, os.WriteFile(mark, []byte(checkout), 0o666)
}

// NewRust builds and starts the program in the folder rust, and returns its peers by name. It
// panics if the program ends early. The program ends when one of the peers is closed.
func NewRust(in *Inputs, rust string) (peers map[string]*Peer, err error) {
	path, err := buildRust(rust)
	if err != nil {
		return nil, err
	}
	p := &program{cmd: exec.Command(path)}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.give(in)
	lock, _ := os.ReadFile(filepath.Join(rust, "Cargo.lock"))
	peers = map[string]*Peer{}
	for _, name := range []string{"k256", "ark"} {
		q := &Peer{Name: name, Note: "Rust throughout", Drivers: map[string]Driver{}, Close: func() {
			p.in.Close()
			_ = p.cmd.Wait()
		}}
		crate := strings.Replace(name, "ark", "ark-secp256k1", 1)
		locked := regexp.MustCompile(`name = "` + crate + `"\nversion = "([^"]*)"`)
		if m := locked.FindSubmatch(lock); m != nil {
			q.Version = string(m[1])
		}
		peers[name] = q
	}
	for s := p.ask("start"); s != "end"; s = p.line() {
		name, operation, _ := strings.Cut(s, " ")
		p.drivers(in, peers[name], operation)
	}
	return peers, nil
}

// give sends the inputs of all operations to the Rust program.
func (p *program) give(in *Inputs) {
	rows := map[string][][]byte{
		"a": in.A, "b": in.B, "scalars": in.Scalars, "points": in.Points,
	}
	for prefix, set := range map[string][]*Row{"": in.rows, "many-": in.many} {
		for name, field := range map[string]func(r *Row) []byte{
			"secret":      func(r *Row) []byte { return r.Secret },
			"hash":        func(r *Row) []byte { return r.Hash },
			"aux":         func(r *Row) []byte { return r.Aux },
			"key":         func(r *Row) []byte { return r.Key },
			"xonly":       func(r *Row) []byte { return r.XOnly },
			"ecdsa":       func(r *Row) []byte { return r.ECDSA },
			"recoverable": func(r *Row) []byte { return r.Recoverable },
			"schnorr":     func(r *Row) []byte { return r.Schnorr },
		} {
			rows[prefix+name] = each(set, field)
		}
	}
	for name, r := range rows {
		if len(r) > 0 {
			_, err := fmt.Fprintf(p.in, "rows %s %d %x\n", name, len(r[0]), slices.Concat(r...))
			if err != nil {
				panic(err)
			}
		}
	}
}

// drivers adds to peer the driver for operation op of the Rust program. If op begins with "many-",
// it processes a row of a batch, and drivers adds a driver for each size of its families.
func (p *program) drivers(in *Inputs, peer *Peer, op string) {
	add := func(id string, d Driver) {
		d.Run = func(first, n int) time.Duration {
			ns := p.ask("run %s %s %d %d %d", peer.Name, op, first, n, cmp.Or(d.Rows, Rows))
			return time.Duration(must(strconv.ParseInt(ns, 10, 64)))
		}
		d.Out = func(i int) []byte {
			return must(hex.DecodeString(p.ask("out %s %s %d", peer.Name, op, i)))
		}
		peer.Drivers[id] = d
	}
	row, ok := strings.CutPrefix(op, "many-")
	if !ok {
		add(op, Driver{})
	}
	for _, f := range BatchFamilies {
		if ok && f.Row == row {
			for _, n := range f.sizes(len(in.many)) {
				add(fmt.Sprintf("%s-%d", f.Family, n), Driver{Single: true, Rows: n, Note: "one by one"})
			}
		}
	}
}
