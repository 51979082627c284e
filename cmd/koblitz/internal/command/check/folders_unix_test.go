//go:build unix

package check

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestFolderLinks checks that a symbolic link to a folder is an error and is not followed.
func TestFolderLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	write(t, filepath.Join(dir, "a.jsonl"), []byte(event))
	write(t, filepath.Join(other, "b.jsonl"), []byte(event))
	expect(t, cli.ExitOK, nil, "", "check", dir)
	if err := os.Symlink(filepath.Join(other, "b.jsonl"), filepath.Join(dir, "b.jsonl")); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitOK, []string{"b.jsonl: rows"}, "", "check", dir)
	if err := os.Symlink(other, filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitUnreadable, []string{"/c: is a link to a folder"}, "", "check", dir)
}

// TestFolderOfLinkedNode checks that symbolic links to folders in a node's data directory are
// followed, each once. Files in the data directory that do not belong to the node must be read as
// inputs.
func TestFolderOfLinkedNode(t *testing.T) {
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	data, blocks, chainstate := t.TempDir(), commandtest.CoreBlocks(t), t.TempDir()
	write(t, filepath.Join(data, "peers.dat"), []byte("x"))
	write(t, filepath.Join(data, "events"), []byte(event))
	write(t, filepath.Join(chainstate, "CURRENT"), []byte("x"))
	write(t, filepath.Join(chainstate, "events"), []byte(event))
	for name, to := range map[string]string{"blocks": blocks, "chainstate": chainstate} {
		if err := os.Symlink(to, filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
	span := []string{"--from", "105", "--to", "105"}
	r := checkJSON(t, "", append(span, data)...)
	var files []string
	for _, in := range r.Inputs {
		files = append(files, strings.TrimPrefix(in.File, data))
	}
	if want := []string{"/blocks/blk00000.dat", "/blocks/blk00001.dat", "/blocks/blk00002.dat",
		"/chainstate/events", "/events"}; !slices.Equal(files, want) || len(r.Unreadable) > 0 {
		t.Errorf("%q, want %q; %q", files, want, r.Unreadable)
	}
	if err := os.Symlink(blocks, filepath.Join(blocks, "again")); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitUnreadable, []string{"again: is a link to a folder that is read already"}, "",
		append([]string{"check"}, append(span, data)...)...)
}

// TestFolderHidesNothing puts a forged event into each folder of a node's data directory several
// times, each time in a file with another name from the list oddNames. The report must mention all
// of these files, except files with names that Bitcoin Core itself uses in that folder.
func TestFolderHidesNothing(t *testing.T) {
	forged := folderWorlds(t)[1].samples[2].bad
	root := t.TempDir()
	blocks := filepath.Join(root, "blocks")
	if err := os.Rename(commandtest.CoreBlocks(t), blocks); err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{".lock": true, "blocks/.lock": true, "blocks/xor.dat": true,
		"blocks/rev00000.dat": true, "debug.log": true, "mempool.dat": true, "wallet.dat": true,
		"blocks/index/000005.ldb": true, "blocks/index/CURRENT": true, "chainstate/000005.ldb": true,
		"chainstate/CURRENT": true, "wallets/wallet.dat": true, "wallets/w/wallet.dat": true}
	var want []string
	for _, dir := range []string{".", "blocks", "blocks/index", "blocks/index/index", "chainstate",
		"wallets", "wallets/w", "indexes", "other", "other/index", "other/chainstate"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{"rev00099.dat", "blk000000.dat", "blk00000.dat.gz",
			"fltr00000.dat", "LOG.old.old", "MANIFEST-", "events.jsonl"}, oddNames...) {
			path := filepath.Join(root, dir, name)
			if _, err := os.Lstat(path); err != nil {
				write(t, path, forged)
			}
			if !own[filepath.ToSlash(filepath.Join(dir, name))] {
				want = append(want, path)
			}
		}
	}
	r := checkJSON(t, "", root)
	told := map[string]bool{}
	for _, in := range r.Inputs {
		told[in.File] = true
	}
	for _, path := range want {
		valid := strings.ToValidUTF8(path, "\ufffd")
		if !told[valid] && !slices.ContainsFunc(r.Unreadable, func(u string) bool {
			return strings.HasPrefix(u, valid+": ")
		}) {
			t.Errorf("the report says nothing of %q", path)
		}
	}
	if files := len(want) + 3; len(r.Inputs) != files {
		t.Errorf("%d inputs, want %d", len(r.Inputs), files)
	}
}

// TestFolderOfPipes checks that a pipe that has the name of a node's file is not opened.
func TestFolderOfPipes(t *testing.T) {
	for _, name := range []string{"blk00003.dat", "rev00000.dat", "rev00009.dat", "xor.dat", ".lock",
		"index"} {
		dir := commandtest.CoreBlocks(t)
		path := filepath.Join(dir, name)
		os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		r := checkJSON(t, "", dir)
		if r.Exit == cli.ExitOK || !slices.Contains(r.Unreadable, path+": is a pipe, not a file") {
			t.Errorf("%s: status %d, %q", name, r.Exit, r.Unreadable)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitUsage, []string{"cannot be read a second time"}, "", "check", "--state",
		filepath.Join(t.TempDir(), "state"), pipe)
}

// A folderSample is a file of one format in two versions: a valid one, and one with a forged
// signature.
type folderSample struct {
	name      string
	good, bad []byte
}

// A folderWorld holds samples that are valid under one value of --network.
type folderWorld struct {
	network string
	samples []folderSample
	nodes   []map[string][2][]byte // by node folder: each file's valid and forged content
}

func folderWorlds(t *testing.T) []folderWorld {
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	forged := event
	for _, c := range "01" { // at least one of 0 and 1 differs from event[at]
		at := strings.Index(event, `"sig":"`) + 20
		if event[at] != byte(c) {
			forged = event[:at] + string(c) + event[at+1:]
		}
	}
	other := event + "\n" + event + "\n"
	nostr := []folderSample{
		{name: "events.jsonl", good: []byte(event), bad: []byte(forged)},
		{name: "more.jsonl.gz", good: commandtest.Gzipped(t, []byte(other)),
			bad: commandtest.Gzipped(t, []byte(event+"\n"+forged))},
	}

	good, bad := newRegtest(nil), newRegtest(broken)
	core := map[string][2][]byte{}
	for _, name := range []string{"blk00000.dat", "rev00000.dat", "xor.dat"} {
		data := []byte(readFile(t, filepath.Join(commandtest.CoreFolder, name)))
		wrong := bytes.Clone(data)
		wrong[len(wrong)/2] ^= 1
		core[name] = [2][]byte{data, wrong}
	}
	bitcoin := folderWorld{network: "regtest", samples: append([]folderSample{
		{name: "block.json", good: []byte(good.getblock()), bad: []byte(bad.getblock())},
	}, nostr...), nodes: []map[string][2][]byte{core}}

	block := exported(t, 2)
	answer := string(rpc(t, block))
	from := strings.Index(answer, `"from":"0x`) + 12
	lie := answer[:from] + string(answer[from]^1) + answer[from+1:]
	if answer[from] > '9' {
		lie = answer[:from] + "0" + answer[from+1:]
	}
	encoded := clitest.Must(rlp.EncodeToBytes(block))
	r := clitest.Must(block.Transactions()[0].MarshalBinary())
	wrong := bytes.Clone(encoded)
	wrong[bytes.Index(encoded, r)+len(r)-10] ^= 1
	ethereum := folderWorld{network: exportedChain, samples: append([]folderSample{
		{name: "answer.json", good: []byte(answer), bad: []byte(lie)},
		{name: "chain.rlp", good: encoded, bad: wrong},
	}, nostr...)}
	return []folderWorld{bitcoin, ethereum}
}

// oddNames lists file names that have a special meaning in other folders, or that are hard to
// print.
var oddNames = []string{"x.spent", "x.spent.gz", "blk00000.dat.spent", "rev00000.dat", "xor.dat",
	".lock", "debug.log", "a.report", "a.lock", "a.new", "a\nb", "-", " ", ".hidden", "\xff",
	"wallet.dat",
	"mempool.dat", "000005.ldb", "CURRENT", "blk0001.dat", "blk00000.dat.bak", "state", ".a.tmp"}

// oddFolders are names of folders. Some of them occur in a node's data directory.
var oddFolders = []string{"a", "index", "chainstate", "wallets", "x.spent", "blocks", "database",
	"indexes", "a\nb", "...", "blk00007.dat"}

// A folderTree is a random folder of files and folders. It records how the command check must treat
// each file.
type folderTree struct {
	t      *testing.T
	chance *rand.Rand
	root   string
	dirs   []string
	own    map[string]bool // files that are no inputs: a node's own
	nodes  map[string]bool // folders with blk*.dat files, and the data directories around them
	files  []*treeFile     // files that must be read
}

// A treeFile is a file that the command check must read. The field bad holds other content, with a
// forged signature, by which the test can replace the file's content.
type treeFile struct {
	path string
	bad  []byte
}

func (f *folderTree) pick(all []string) string { return all[f.chance.IntN(len(all))] }

// dir returns a random folder of the tree. In half of the calls it first tries to create one.
func (f *folderTree) dir() string {
	parent := f.pick(f.dirs)
	if f.chance.IntN(2) == 0 {
		return parent
	}
	dir := filepath.Join(parent, f.pick(oddFolders))
	if f.isOwn(dir) {
		return parent
	}
	if os.Mkdir(dir, 0o700) == nil {
		f.dirs = append(f.dirs, dir)
		return dir
	}
	return parent
}

// isOwn reports whether a node could have a file or folder of its own at path. The command would
// skip an input at such a path, so the tests put none there. isOwn may return true more often than
// necessary.
func (f *folderTree) isOwn(path string) bool {
	for dir := filepath.Dir(path); len(dir) >= len(f.root); dir = filepath.Dir(dir) {
		if f.nodes[dir] {
			switch filepath.Base(path) {
			case ".lock", "xor.dat", "rev00000.dat", "debug.log", "mempool.dat", "wallet.dat",
				"000005.ldb", "CURRENT", "blk00007.dat":
				return true
			}
		}
	}
	return false
}

func (f *folderTree) write(path string, data []byte) bool {
	if _, err := os.Lstat(path); err == nil {
		return false
	}
	write(f.t, path, data)
	return true
}

// add writes a sample into a random folder, under its own name or an odd one.
func (f *folderTree) add(s *folderSample) {
	dir, name := f.dir(), s.name
	if f.chance.IntN(2) == 0 {
		name = f.pick(oddNames)
	}
	path := filepath.Join(dir, name)
	if f.isOwn(path) || name == "rev00000.dat" && f.nodes[dir] || !f.write(path, s.good) {
		return
	}
	f.files = append(f.files, &treeFile{path, s.bad})
}

// node writes a node's folder, either alone or in a data directory that has other files of Bitcoin
// Core.
func (f *folderTree) node(files map[string][2][]byte) {
	base := filepath.Join(f.pick(f.dirs), fmt.Sprintf("node%d", len(f.nodes)))
	dir := base
	others := map[string]string{".lock": "", "index/000003.log": "x", "index/CURRENT": "x"}
	if f.chance.IntN(2) == 0 {
		dir = filepath.Join(base, "blocks")
		for _, name := range []string{".lock", "debug.log", "chainstate/MANIFEST-000002",
			"indexes/txindex/000004.ldb", "wallets/w/wallet.dat", "peers.dat"} {
			others["../"+name] = "x"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			f.t.Fatal(err)
		}
		f.dirs = append(f.dirs, filepath.Dir(path))
		write(f.t, path, []byte(others[name]))
		f.own[path] = true
	}
	f.nodes[dir], f.nodes[base] = true, true
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, data := filepath.Join(dir, name), files[name]
		write(f.t, path, data[0])
		f.own[path] = true
		if strings.HasPrefix(name, "blk") {
			f.files = append(f.files, &treeFile{path, data[1]})
		}
	}
}

// check runs koblitz check on the tree. The report must account for every file that must be read,
// and for the files in extra.
func (f *folderTree) check(network string, extra ...string) (status int, report string) {
	f.t.Helper()
	spoilt := len(extra) > 0 // if so, spoil may have added a node's folder
	r := checkJSON(f.t, "", "--network", network, f.root)
	report = fmt.Sprintf("%+v", r)
	told := map[string]bool{}
	for _, in := range r.Inputs {
		told[in.File] = true
	}
	for _, file := range f.files {
		extra = append(extra, file.path)
	}
	for _, path := range extra {
		unread := false
		valid := strings.ToValidUTF8(path, "\ufffd") // the path as the JSON report spells it
		for _, u := range r.Unreadable {
			unread = unread || strings.HasPrefix(u, valid+": ")
		}
		// The report need not mention path itself in two cases: path is a link that was followed,
		// or the error about a node's folder names another file of that folder.
		other := told[valid+"/file"] ||
			strings.HasSuffix(path, "blk00000.dat") && told[filepath.Dir(valid)]
		if !told[valid] && !unread && !other {
			f.t.Errorf("the report says nothing of %q", path)
		}
	}
	filepath.WalkDir(f.root, func(path string, d os.DirEntry, err error) error {
		if !spoilt && told[path] && f.own[path] && !strings.HasPrefix(filepath.Base(path), "blk") {
			f.t.Errorf("%q is read as an input, and is one of a node or of a block", path)
		}
		return nil
	})
	return r.Exit, report
}

func newFolderTree(t *testing.T, chance *rand.Rand, world *folderWorld) *folderTree {
	f := &folderTree{t: t, chance: chance, root: t.TempDir(), own: map[string]bool{},
		nodes: map[string]bool{}}
	f.dirs = []string{f.root}
	for len(f.files) == 0 {
		for range chance.IntN(3) {
			if len(world.nodes) > 0 {
				f.node(world.nodes[chance.IntN(len(world.nodes))])
			}
		}
		for range chance.IntN(8) {
			f.add(&world.samples[chance.IntN(len(world.samples))])
		}
	}
	return f
}

// spoil makes one random change to the tree after which the command must not end with status 0. It
// returns a description of the change, and the files that the report must mention.
func (f *folderTree) spoil(world *folderWorld) (what string, path []string) {
	must := func(err error) {
		if err != nil {
			f.t.Fatal(err)
		}
	}
	free := func(name string) (string, bool) {
		path := filepath.Join(f.pick(f.dirs), name)
		_, err := os.Lstat(path)
		return path, err != nil && !f.isOwn(path)
	}
	for {
		switch f.chance.IntN(6) {
		case 0:
			path, ok := free(f.pick(oddNames))
			if !ok {
				continue
			}
			must(os.WriteFile(path, nil, 0o600))
			return "an empty file", []string{path}
		case 1:
			path, ok := free(f.pick(oddNames))
			if !ok {
				continue
			}
			must(syscall.Mkfifo(path, 0o600))
			return "a pipe", []string{path}
		case 2:
			path, ok := free(f.pick(append(oddNames, oddFolders...)))
			if !ok {
				continue
			}
			dir := f.t.TempDir()
			write(f.t, filepath.Join(dir, "file"), world.samples[len(world.samples)-2].bad)
			must(os.Symlink(dir, path))
			return "a link to a folder", []string{path}
		case 3:
			path, ok := free(f.pick(oddNames))
			if !ok {
				continue
			}
			must(os.Symlink(filepath.Join(f.t.TempDir(), "none"), path))
			return "a broken link", []string{path}
		case 4: // the name of a file that is normally skipped
			s := world.samples[f.chance.IntN(len(world.samples))]
			path, ok := free(f.pick([]string{"x.spent", "y.spent.zst", "blk00000.dat", "rev00099.dat",
				"state.report", "state.lock"}))
			if !ok {
				continue
			}
			must(os.WriteFile(path, s.bad, 0o600))
			if dir := filepath.Dir(path); filepath.Base(path) == "blk00000.dat" { // a node's folder now
				f.nodes[dir] = true
				f.nodes[filepath.Dir(dir)] = filepath.Base(dir) == "blocks"
				f.files = slices.DeleteFunc(f.files, func(t *treeFile) bool { return f.isOwn(t.path) })
			}
			return "a forged " + s.name, []string{path}
		default:
			file := f.files[f.chance.IntN(len(f.files))]
			must(os.WriteFile(file.path, file.bad, 0o600))
			return "a forgery in a file that was right", []string{file.path}
		}
	}
}

// TestFoldersByChance creates random folders with files of all formats, inside and outside node
// folders, under names that have a special meaning in other folders. While all signatures are
// valid, the status must be 0. After one is forged, or one file is made unreadable, the status must
// not be 0. The report must account for every file that is not a node's own.
func TestFoldersByChance(t *testing.T) {
	trees := 40 / oneIn(4)
	if clitest.EveryCase() {
		trees = 3000
	}
	worlds := folderWorlds(t)
	for seed := range trees {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			chance := rand.New(rand.NewPCG(uint64(seed), 26))
			world := &worlds[chance.IntN(len(worlds))]
			f := newFolderTree(t, chance, world)
			if status, report := f.check(world.network); status != cli.ExitOK {
				t.Fatalf("status %d although all is right: %s", status, report)
			}
			what, paths := f.spoil(world)
			if status, report := f.check(world.network, paths...); status == cli.ExitOK {
				t.Errorf("%s: %q: status 0: %s", what, paths, report)
			}
		})
	}
}

// TestNamesAreOneLine checks that a line end in a file name never starts a new line on the
// terminal, not even in usage errors.
func TestNamesAreOneLine(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	name := in("a\nvalid 5")
	event := []byte(commandtest.SignedEvent(t, 1, "a"))
	write(t, name, event)
	if err := syscall.Mkfifo(in("p\nvalid 5"), 0o600); err != nil {
		t.Fatal(err)
	}
	former := in("former.state")
	expect(t, cli.ExitOK, nil, "", "check", "--state", former, write(t, in("b"), event))
	for _, args := range [][]string{
		{"check", "--state", in("s"), in("p\nvalid 5")},
		{"check", "--state", name, in("b")},
		{"check", "--state", former, name},
		{"check", "--keep", name, name},
		{"check", "--from", "1", name},
	} {
		_, stderr := expect(t, cli.ExitUsage, []string{`\nvalid 5`}, "", args...)
		if strings.Contains(stderr, "\nvalid 5") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
	_, stderr := expect(t, cli.ExitUsage, nil, "", "check", "--seckey", "x")
	if !strings.Contains(stderr, "\n"+cli.SecretAdvice+"\n") {
		t.Errorf("the advice is not as it was: %s", stderr)
	}
}
