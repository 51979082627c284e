package secrettest

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// An Operation calls functions that handle secrets, and wipes their results. It passes each secret
// of these functions to record: a number modulo n, as 32 bytes, which record overwrites.
type Operation struct {
	Name string
	Run  func(record func(b []byte)) error
}

// variable is the environment variable that holds the name of the operation to run.
const variable = "KOBLITZ_SECRETTEST"

// Main is TestMain of a package whose tests call CheckMemory with the same operations. In a process
// that CheckMemory starts, Main runs one operation.
func Main(m *testing.M, operations []Operation) {
	name := os.Getenv(variable)
	if name == "" {
		os.Exit(m.Run())
	}
	for _, o := range operations {
		if o.Name == name {
			if err := serve(o.Run); err != nil {
				fmt.Fprintln(os.Stderr, name+":", err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, "no operation", name)
	os.Exit(2)
}

// recorded holds the secrets, masked so that they are not found.
var (
	recorded [1 << 12]byte
	size     int
)

// record appends b, masked, to recorded, and clears b. It masks one byte at a time, so that it
// makes no other copy of b.
func record(b []byte) {
	for i := range b {
		recorded[size] = b[i] ^ 0xa7
		size++
	}
	clear(b)
}

// serve runs an operation, prints what it records, and waits for the end of standard input.
func serve(run func(record func(b []byte)) error) error {
	growStack()
	if err := run(record); err != nil {
		return err
	}
	out := append(binary.LittleEndian.AppendUint32(nil, uint32(size)), recorded[:size]...)
	if _, err := os.Stdout.Write(out); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// growStack makes the stack as large as any operation needs: a stack that grows leaves a copy.
//
//go:noinline
func growStack() {
	var buf [1 << 16]byte
	runtime.KeepAlive(&buf)
}

// search runs the operation in another process, which collects no garbage, and returns a
// description of each piece of a recorded secret that remains in its memory. The dead part of the
// stack is searched too, but later calls of the operation may have overwritten a copy there.
func search(t *testing.T, o Operation) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Env = append(os.Environ(), variable+"="+o.Name, "GOGC=off",
		"GODEBUG=asyncpreemptoff=1,gcshrinkstackoff=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer in.Close()
	var length [4]byte
	if _, err := io.ReadFull(out, length[:]); err != nil {
		t.Fatalf("%s: %v", o.Name, err)
	}
	secrets := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(out, secrets); err != nil {
		t.Fatalf("%s: %v", o.Name, err)
	}
	for i := range secrets {
		secrets[i] ^= 0xa7
	}
	if len(secrets) == 0 || len(secrets)%32 != 0 {
		t.Fatalf("%s: it recorded %d bytes of secrets", o.Name, len(secrets))
	}
	var n Needles
	for i := 0; i < len(secrets); i += 32 {
		x := new(big.Int).SetBytes(secrets[i:][:32])
		n.Add(fmt.Sprintf("secret %d", i/32), x)
		n.Add(fmt.Sprintf("n − secret %d", i/32), x.Sub(reference.N(), x).Mod(x, reference.N()))
	}
	memory := Memory{PID: c.Process.Pid, End: math.MaxUint64}
	found, err := memory.Search(&n)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// CheckMemory reports an error for each operation that leaves a secret in memory, and for each
// whose name begins with "leak" that leaves none: those leave one on purpose. If a search finds a
// secret, it is made twice more, and one of these must find it too: a signal may save registers in
// memory at any moment.
func CheckMemory(t *testing.T, operations []Operation) {
	t.Helper()
	for _, o := range operations {
		found := search(t, o)
		if strings.HasPrefix(o.Name, "leak") {
			if len(found) == 0 {
				t.Errorf("%s: nothing is found", o.Name)
			}
			continue
		}
		for try := 1; try <= 2 && len(found) > 0; try++ {
			if len(search(t, o)) > 0 {
				t.Errorf("%s: %d pieces are left:\n%s", o.Name, len(found),
					strings.Join(found[:min(len(found), 4)], "\n"))
				break
			}
		}
	}
}
