package peer

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is the resident Rust program.
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

// rustVersions are the crates behind the peers of the Rust program.
var rustVersions = map[string]string{"rust-secp256k1": "secp256k1", "k256": "k256", "p256k1": "p256k1", "ark": "ark-secp256k1"}

// NewRust builds the Rust program and returns its peers.
func NewRust(in *Inputs, rust fs.FS, absent func(name string, reason error)) (peers []*Peer, err error) {
	manifest, err := rustTree(rust)
	if err != nil {
		return nil, err
	}
	cache, err := Cache()
	if err != nil {
		return nil, err
	}
	target := filepath.Join(cache, "target")
	fmt.Fprintln(os.Stderr, "bench: building the Rust peers, which takes minutes the first time")
	build := func(more ...string) error {
		args := []string{"build", "--release", "--locked", "--quiet", "--jobs", "1", "--manifest-path", manifest, "--target-dir", target}
		text, err := exec.Command("cargo", append(args, more...)...).CombinedOutput()
		if err != nil {
			why := regexp.MustCompile(`(?m)^.*(?:Unable to find|error(?:\[\w+\])?:).*$`).Find(text)
			err = fmt.Errorf("cargo build: %w: %s", err, bytes.TrimSpace(why))
		}
		return err
	}
	_, noFormatter := exec.LookPath("rustfmt")
	clang, _ := filepath.Glob("/usr/lib/llvm-*/lib/libclang*.so*")
	switch {
	case noFormatter != nil || len(clang) == 0 && os.Getenv("LIBCLANG_PATH") == "":
		absent("p256k1", errors.New("its crate wants libclang and rustfmt to build"))
		err = build()
	default:
		if err = build("--features", "p256k1"); err != nil {
			absent("p256k1", err)
			err = build()
		}
	}
	if err != nil {
		return nil, err
	}
	p := &program{cmd: exec.Command(filepath.Join(target, "release", "koblitz-bench-peers"))}
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
	defer func() {
		if e, ok := recover().(error); ok {
			err = errors.Join(err, e)
		}
	}()
	var xy [][]byte
	for _, k := range in.Key {
		a := lift(k)
		xy = append(xy, append(encode(&a.X), encode(&a.Y)...))
	}
	for name, rows := range map[string][][]byte{"secret": in.Secret, "hash": in.Hash, "aux": in.Aux, "key": in.Key, "keyxy": xy,
		"ecdsa": in.ECDSA, "recoverable": in.Recoverable, "schnorr": in.Schnorr, "a": in.A, "scalars": in.Scalars, "points": in.Points} {
		if len(rows) > 0 {
			if _, err := fmt.Fprintf(p.in, "rows %s %d %x\n", name, len(rows[0]), slices.Concat(rows...)); err != nil {
				return nil, err
			}
		}
	}
	lock, _ := fs.ReadFile(rust, "Cargo.lock")
	for s := p.ask("start"); s != "end"; s = p.line() {
		name, op, _ := strings.Cut(s, " ")
		i := slices.IndexFunc(peers, func(p *Peer) bool { return p.Name == name })
		if i < 0 {
			q := &Peer{Name: name, Note: "Rust", Drivers: map[string]Driver{}}
			if m := regexp.MustCompile(`name = "` + rustVersions[name] + `"\nversion = "([^"]*)"`).FindSubmatch(lock); m != nil {
				q.Version = string(m[1])
			}
			if len(peers) == 0 {
				q.Close = func() { p.in.Close(); p.cmd.Wait() }
			}
			i, peers = len(peers), append(peers, q)
		}
		d := Driver{
			Outside: true,
			Run: func(n int) time.Duration {
				ns, err := strconv.Atoi(p.ask("run %s %s %d", name, op, n))
				if err != nil {
					panic(err)
				}
				return time.Duration(ns)
			},
			Out: func(i int) []byte { return must(hex.DecodeString(p.ask("out %s %s %d", name, op, i))) },
		}
		switch op {
		case "keygen", "ecdsa-sign", "schnorr-sign-unchecked", "ecdh-x", "ecdh-sha256":
			d.Timing = Constant
		}
		peers[i].Drivers[op] = d
	}
	return peers, nil
}
