package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// memcheck judges the instructions that run. So every statement of the packages that
// secrets reach must be run by the subject, at one of its levels, or be of no
// concern for a reason that is written down: the list is the whole of what a branch on
// a secret could hide behind.

// publicInside names the functions that are not exported, by why it is no matter what of
// them runs.
var publicInside = map[string]string{
	"parses what is public": `
		koblitz.PublicKey.parse koblitz.XOnlyPublicKey.parse koblitz.decodeHex
		ecdsa.Signature.parse ecdsa.Signature.set ecdsa.setNumber ecdsa.errNotBelowN
		ecdsa.Signature.parseDER ecdsa.derInteger ecdsa.derSkip
		ecdsa.Signature.parseDERLax ecdsa.laxInteger ecdsa.fill
		schnorr.parse group.lift
		compat/impl/secp256k1.parseCompressed compat/impl/secp256k1.parseUncompressed
		compat/impl/secp256k1.errFormat compat/impl/secp256k1.errXTooBig
		compat/impl/ecdsa.part.check compat/impl/ecdsa.part.set compat/impl/ecdsa.rPart
		compat/impl/ecdsa.sPart compat/impl/ecdsa.failure`,
	"encodes and decodes public keys": `
		compat/impl/btcec/ellswift.encode compat/impl/btcec/ellswift.inverse1
		compat/impl/btcec/ellswift.inverse23 compat/impl/btcec/ellswift.ratio.decode
		compat/impl/btcec/ellswift.ratio.onCurve compat/impl/btcec/ellswift.ratio.setV
		compat/impl/btcec/ellswift.setCurve compat/impl/btcec/ellswift.mulC`,
	"encodes a signature, which is public": `
		compat/impl/ecdsa.appendInteger`,
	"verifies what is public": `
		ecdsa.verify ecdsa.recoverKey ecdsa.checkRecoverable
		schnorr.verify schnorr.check
		compat/impl/ecdsa.affine internal/dsa.Verify internal/dsa.VerifyRecoverable
		internal/dsa.nonceCommitment internal/dsa.NonceX internal/dsa.NoncePoint internal/dsa.Recover
		compat/impl/btcec/schnorr.Signature.verify compat/impl/btcec/schnorr.Signature.check`,
	"takes public keys, nonces and parts of signatures of MuSig2": `
		compat/impl/btcec/musig2.aggregate.apply compat/impl/btcec/musig2.aggregate.coefficient
		compat/impl/btcec/musig2.aggregate.set compat/impl/btcec/musig2.aggregate.sum
		compat/impl/btcec/musig2.aggregateNonces compat/impl/btcec/musig2.affine
		compat/impl/btcec/musig2.affineKey compat/impl/btcec/musig2.aggregated
		compat/impl/btcec/musig2.byEncoding.Len compat/impl/btcec/musig2.byEncoding.Less
		compat/impl/btcec/musig2.byEncoding.Swap compat/impl/btcec/musig2.challenge
		compat/impl/btcec/musig2.choice compat/impl/btcec/musig2.contains
		compat/impl/btcec/musig2.decode compat/impl/btcec/musig2.encodings
		compat/impl/btcec/musig2.hasOddY compat/impl/btcec/musig2.hashed
		compat/impl/btcec/musig2.keyAggOption.setTaproot compat/impl/btcec/musig2.keysHash
		compat/impl/btcec/musig2.knownKey.aggregate compat/impl/btcec/musig2.knownKey.isOf
		compat/impl/btcec/musig2.newKnownKey compat/impl/btcec/musig2.noncePair.combine
		compat/impl/btcec/musig2.noncePair.set compat/impl/btcec/musig2.publicKey
		compat/impl/btcec/musig2.secondKey compat/impl/btcec/musig2.sortKeys
		compat/impl/btcec/musig2.tweaking compat/impl/btcec/musig2.values.factor
		compat/impl/btcec/musig2.values.holds compat/impl/btcec/musig2.values.made
		compat/impl/btcec/musig2.values.set compat/impl/btcec/musig2.xBytes
		compat/impl/btcec/musig2.Context.combineKeys compat/impl/btcec/musig2.Context.encodings
		compat/impl/btcec/musig2.Context.isSigner compat/impl/btcec/musig2.Context.tweaking
		compat/impl/btcec/musig2.Session.tweaked`,
	"is called by functions that say that they may leak": `
		internal/divsteps.Modulus.negate internal/divsteps.Modulus.subtractOnce
		internal/point.Jacobian.exception internal/point.addVartimeGeneric
		compat/impl/secp256k1.JacobianPoint.isInfinity compat/impl/secp256k1.JacobianPoint.get`,
}

// unrun are the statements that the subject does not run, by the function and the
// line that they follow, * for all of them, and why.
var unrun = map[string]string{
	"ecdsa.Signature.sign: if !good {":                      "no case makes a fault",
	"schnorr.sign: if !check(pub, msg, sig) {":              "no case makes a fault",
	"schnorr.signInside: if nonce.IsZero().Reveal() {":      "about once in 2^256 times",
	"internal/keys.Private.Public: if !s.derived {":         wiped,
	"koblitz.PrivateKey.Bytes: if !ok {":                    wiped,
	"schnorr.signInside: if !k.Load(&d) {":                  wiped,
	"internal/keys.Private.computePublic: if !k.Load(&d) {": wiped,
	"internal/ecmult.comb.mult: case complete:":             "asked for by tests with small groups",

	"compat/impl/btcec/schnorr.Signature.sign: if k.IsZero().Reveal() {":                        rare,
	"compat/impl/btcec/schnorr.Signature.sign: } else if !sig.signWith(&d, &k, &px, message) {": rare,
	"compat/impl/btcec/schnorr.Signature.signWith: if !e.SetBytes(&b).Bool() {":                 rare,

	"compat/impl/btcec/musig2.sign: if !good {":                    fault,
	"compat/impl/btcec/musig2.NewContext: if err != nil {":         noEntropy,
	"compat/impl/btcec/musig2.Context.NewSession: if err != nil {": noEntropy,

	"internal/ecmult.readPackedGeneric: for len(table) >= entrySize {": rest,
	"internal/ecmult.readPackedGeneric: for i := range e {":            rest,
	"internal/ecmult.readPackedGeneric: table = table[entrySize:]":     rest,
	"internal/ecmult.readGeneric: for j := range table {":              rest,
	"internal/ecmult.readGeneric: for i := range e {":                  rest,

	"internal/ecmult.readPackedGeneric: if wordsPay {":    otherCPUs,
	"internal/ecmult.readPackedWords: *":                  otherCPUs,
	"internal/point.PackedLimb: if bits.UintSize == 32 {": otherCPUs,
}

// unrunAssembly are further ones in builds with assembly.
var unrunAssembly = map[string]string{
	"internal/hash.load: default:":     asked,
	"internal/hash.loadEach: default:": asked,
	"internal/hash.compress: default:": asked,
	"internal/hash.absorb: default:":   asked,
}

const fault = "no case makes a fault"

const noEntropy = "the system's random bytes do not fail"

const asked = "only called where there are kernels, which is asked before"

const rare = "once in 2^127 times, or 2^256"

const wiped = "when another goroutine wipes the key meanwhile"

const otherCPUs = "for CPUs that cannot load words from any address; masks pick what it reads"

const rest = "for tables of other sizes than a multiple of eight entries, of which there is none"

// unrunPortable are further ones in builds without assembly: what is done with lanes.
var unrunPortable = map[string]string{
	"group.Scalar.Mul: if scalar.MulInRegisters() {":                           noChains,
	"compat/impl/secp256k1.ModNScalar.Mul2: if scalar.MulInRegisters() {":      noChains,
	"compat/impl/secp256k1.ModNScalar.SquareVal: if scalar.MulInRegisters() {": noChains,
	"internal/hash.Challenges: if challenges(out, &r, &p, &msg) {":             noLanes,
	"internal/hash.Expand: if expand(out, seed, counter) {":                    noLanes,
	"internal/hash.challenges: *":                                              noLanes,
	"internal/hash.expand: *":                                                  noLanes,
	"internal/hash.wide.absorb: *":                                             noLanes,
	"internal/hash.wide.sum: *":                                                noLanes,
	"internal/hash.load: *":                                                    noLanes,
	"internal/hash.compress: *":                                                noLanes,
	"internal/hash.sha256Each: if len(messages) > 1 && haveKernels() {":        noLanes,
	"internal/hash.sha256Lanes.run: *":                                         noLanes,
	"internal/hash.sha256Lanes.turn: *":                                        noLanes,
	"internal/hash.sha256Lanes.begin: *":                                       noLanes,
	"internal/hash.sha256Lanes.digest: *":                                      noLanes,
	"internal/hash.sha256Blocks: *":                                            noLanes,
	"internal/hash.loadEach: *":                                                noLanes,
	"internal/hash.loadEachGeneric: *":                                         noLanes,
	"internal/hash.loadGeneric: *":                                             noLanes,
	"internal/hash.compressGeneric: *":                                         noLanes,
	"internal/hash.roundConstants: *":                                          noLanes,
	"internal/hash.put: *":                                                     noLanes,
	"internal/hash.challengeState: *":                                          noLanes,
	"internal/hash.Keccak256Each: if len(messages) > 1 && haveKernels() {":     noLanes,
	"internal/hash.keccakEach: *":                                              noLanes,
	"internal/hash.absorb: *":                                                  noLanes,
	"internal/hash.absorbGeneric: *":                                           noLanes,
	"internal/lanes.MulScalars: var p Affine":                                  noLanes,
	"internal/lanes.MulScalars: for i := 0; i < len(v); i += twice {":          noLanes,
}

const (
	noChains = "for CPUs with two carry chains, which the other build checks"
	noLanes  = "for CPUs with vectors of 512 bits, which the other build checks"
)

// uncovered returns the blocks of statements in the secret packages that the subject
// does not run, in the form of the keys of unrun. dir is a folder for what is made on
// the way. go build -cover does not look at overlays, so that the subject is built from
// a copy of the library.
func uncovered(dir, tags string, packages []goPackage, files overlay) ([]string, error) {
	copied, counts := filepath.Join(dir, "library"), filepath.Join(dir, "counts")
	for _, name := range []string{copied, counts} { // of an earlier run
		if err := os.RemoveAll(name); err != nil {
			return nil, err
		}
	}
	if err := copyLibrary(copied, packages, files); err != nil {
		return nil, err
	}
	instrumented := []string{subjectPackage}
	for _, name := range secretPackages {
		instrumented = append(instrumented, strings.TrimSuffix(library+"/"+name, "/"))
	}
	subject := filepath.Join(dir, "counting")
	if err := os.Mkdir(counts, 0o777); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-tags", tags,
		"-cover", "-coverpkg="+strings.Join(instrumented, ","), "-o", subject, subjectPackage)
	build.Dir, build.Env, build.Stderr = copied, append(environment(), "GOWORK=off"), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the subject with counters: %w", err)
	}
	// Under valgrind too, which has instructions that the CPU may lack.
	out, err := valgrind(subject, []string{"GOCOVERDIR=" + counts}, "--tool=none")
	if err != nil {
		return nil, err
	}
	if _, _, err := readCases(out); err != nil {
		return nil, err
	}
	text := filepath.Join(dir, "counts.txt")
	convert := exec.Command("go", "tool", "covdata", "textfmt", "-i", counts, "-o", text)
	if out, err := convert.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	profile, err := os.ReadFile(text)
	if err != nil {
		return nil, err
	}
	return blocksNotRun(string(profile), func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(copied, name))
	})
}

// copyLibrary writes what the subject is built from to dir, with the files of the
// overlay in place of the library's.
func copyLibrary(dir string, packages []goPackage, files overlay) error {
	var root string
	for _, p := range packages {
		if p.name() == "" {
			root = p.Dir
		}
	}
	names := []string{"go.mod", "go.sum"}
	for _, p := range packages {
		for _, base := range slices.Concat(p.GoFiles, p.SFiles, p.EmbedFiles) {
			names = append(names, filepath.Join(p.name(), base))
		}
	}
	for _, name := range names {
		text, ok := files[filepath.Join(root, name)]
		if !ok {
			b, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return err
			}
			text = string(b)
		}
		copied := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(copied, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// blocksNotRun reads a profile in the form of go test -coverprofile and returns the
// blocks of the secret packages with a count of zero, but those of functions that a
// list says to be public, or that say of themselves that they may leak.
func blocksNotRun(
	profile string, read func(name string) ([]byte, error),
) (blocks []string, err error) {
	sources := map[string]*source{}
	count := 0
	for line := range strings.Lines(profile) {
		// name.go:line.column,line.column statements count
		place, n, ok := strings.Cut(strings.TrimSpace(line), " ")
		name, at, ok2 := strings.Cut(strings.TrimPrefix(place, library+"/"), ":")
		if !ok || !ok2 || strings.HasPrefix(name, "mode") {
			continue
		}
		pkg := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(name)), ".")
		if !slices.Contains(secretPackages, pkg) {
			continue
		}
		count++
		if !strings.HasSuffix(n, " 0") || strings.HasSuffix(name, "_decl_amd64.go") {
			continue
		}
		start, _, _ := strings.Cut(at, ".")
		number, err := strconv.Atoi(start)
		if err != nil {
			return nil, fmt.Errorf("the profile of statements: %q", line)
		}
		if sources[name] == nil {
			src, err := read(name)
			if err != nil {
				return nil, err
			}
			if sources[name], err = parseSource(src); err != nil {
				return nil, err
			}
		}
		f := sources[name].function(number)
		if pkg == "" {
			pkg = "koblitz"
		}
		if strings.HasSuffix(strings.TrimSuffix(f, "Generic"), "Vartime") || isPublic(pkg+"."+f) {
			continue
		}
		if block := pkg + "." + f + ": " + sources[name].line(number); !slices.Contains(blocks, block) {
			blocks = append(blocks, block)
		}
	}
	if count == 0 {
		return nil, fmt.Errorf("the profile of statements names none of the library's")
	}
	return blocks, nil
}

// isPublic returns whether a function is on one of the lists of those that secrets do
// not reach.
func isPublic(name string) bool {
	for _, list := range []map[string]string{withoutSecret, publicInside} {
		for _, names := range list {
			if slices.Contains(strings.Fields(names), name) {
				return true
			}
		}
	}
	return false
}

// A source is a file cut into lines, and the functions in it.
type source struct {
	lines     []string
	fset      *token.FileSet
	functions []*ast.FuncDecl
}

func parseSource(src []byte) (*source, error) {
	s := &source{lines: strings.Split(string(src), "\n"), fset: token.NewFileSet()}
	f, err := parser.ParseFile(s.fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			s.functions = append(s.functions, d)
		}
	}
	return s, nil
}

func (s *source) line(number int) string { return strings.TrimSpace(s.lines[number-1]) }

// function returns the name of the function that has the line.
func (s *source) function(number int) string {
	for _, d := range s.functions {
		if s.fset.Position(d.Pos()).Line <= number && number <= s.fset.Position(d.End()).Line {
			return functionName(d)
		}
	}
	return ""
}

// judgeCoverage prints the blocks that are on no list, and the entries of the list that
// are run or gone, and returns whether there are neither.
func judgeCoverage(w io.Writer, blocks []string, allowed map[string]string) (ok bool) {
	missing := 0
	for _, b := range blocks {
		function, _, _ := strings.Cut(b, ": ")
		if allowed[b] == "" && allowed[function+": *"] == "" {
			fmt.Fprintf(w, "NOT RUN by any case, and no reason given: %s\n", b)
			missing++
		}
	}
	ok = missing == 0
	for _, b := range slices.Sorted(maps.Keys(allowed)) {
		function, all := strings.CutSuffix(b, "*")
		if !slices.ContainsFunc(blocks, func(block string) bool {
			return block == b || all && strings.HasPrefix(block, function)
		}) {
			fmt.Fprintf(w, "ON THE LIST of what no case runs, and run or gone: %s\n", b)
			ok = false
		}
	}
	fmt.Fprintf(w,
		"statements that no case runs where secrets are: %d for a reason, %d without one\n",
		len(blocks)-missing, missing)
	return ok
}
