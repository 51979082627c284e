package changing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// The traced process has three pages at a fixed address, which the tracing process knows too: a
// header, the bytes, and code.
const (
	pageSize   = 4096
	headerPage = 0x5a0000000000
	bytesPage  = headerPage + pageSize
	codePage   = bytesPage + pageSize

	environment = "KOBLITZ_CHANGING"
)

// A header describes the bytes of a call.
type header struct {
	calls  uint64 // number of calls until now
	reads  uint64 // number of instructions that read the bytes
	length uint64
	second [pageSize - 24]byte
}

// traced reports whether this is the traced process.
func traced() bool { return os.Getenv(environment) != "" }

// memory maps the pages.
var memory = sync.OnceValues(func() (*header, error) {
	const protection = syscall.PROT_READ | syscall.PROT_WRITE
	const fixed = 0x100000 // MAP_FIXED_NOREPLACE
	p, _, errno := syscall.Syscall6(syscall.SYS_MMAP, headerPage, 3*pageSize, protection,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|fixed, ^uintptr(0), 0)
	if errno != 0 {
		return nil, errno
	}
	pages := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), 3*pageSize)
	copy(pages[2*pageSize:], []byte{0x0f, 0x05}) // SYSCALL
	err := syscall.Mprotect(pages[2*pageSize:], syscall.PROT_READ|syscall.PROT_EXEC)
	return (*header)(unsafe.Pointer(&pages[0])), err
})

// one is held during a call.
var one sync.Mutex

// each does the work of Each in the traced process.
func each(t testing.TB, first, second []byte, f func([]byte)) {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	h, err := memory()
	if err != nil || len(second) > len(h.second) {
		t.Fatalf("%d bytes: %v", len(second), err)
	}
	page := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(h), pageSize)), pageSize)
	b := page[:len(first):len(first)]
	copy(b, first)
	h.calls++
	h.reads, h.length = 0, uint64(copy(h.second[:], second))
	protect := func(protection int) {
		if err := syscall.Mprotect(page, protection); err != nil {
			t.Fatal(err)
		}
	}
	protect(syscall.PROT_NONE)
	defer func() {
		protect(syscall.PROT_READ | syscall.PROT_WRITE)
		if h.reads == 0 {
			t.Errorf("the bytes %x are not read", first)
		}
	}()
	f(b)
}

var traces struct {
	sync.Mutex
	begun map[string]bool // names of tests
}

// trace runs the test again in a traced process, if that did not happen yet.
func trace(t testing.TB) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	traces.Lock()
	defer traces.Unlock()
	if traces.begun[name] {
		return
	}
	if traces.begun == nil {
		traces.begun = make(map[string]bool)
	}
	traces.begun[name] = true
	out, err := run(name)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skip("without ptrace: memory changes in a traced process")
	}
	if err != nil {
		t.Errorf("%s in a traced process: %v\n%s", name, err, out)
	}
}

// run returns the output of a test in a traced process.
func run(test string) (string, error) {
	out, err := os.CreateTemp("", "changing")
	if err != nil {
		return "", err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	runtime.LockOSThread() // only this thread can trace the process
	defer runtime.UnlockOSThread()
	args := []string{os.Args[0], "-test.run=^" + test + "$", "-test.v", "-test.timeout=5m"}
	p, err := os.StartProcess(os.Args[0], args, &os.ProcAttr{
		Env:   append(os.Environ(), environment+"=1"),
		Files: []*os.File{nil, out, out},
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return "", err
	}
	tr := tracer{pid: p.Pid}
	defer syscall.Kill(p.Pid, syscall.SIGKILL)
	status, err := tr.follow()
	if err == nil && status.ExitStatus() != 0 {
		err = fmt.Errorf("status %x", uint32(status))
	}
	text, _ := os.ReadFile(out.Name())
	if err == nil && !strings.Contains(string(text), "=== RUN   "+test+"\n") {
		err = fmt.Errorf("no such test")
	}
	return string(text), err
}

// A tracer follows a process whose bytes are on a page without permissions. After each fault there
// it lets one instruction have them.
type tracer struct {
	pid   int
	calls uint64      // the calls of the process until now
	seen  map[int]int // the run of instructions that read a place in the present call
	last  uint64      // address of the last instruction that read
	run   int         // number of the present run of instructions, one right after the other
}

// follow returns the status with which the process ends.
func (tr *tracer) follow() (status syscall.WaitStatus, err error) {
	const exitKill = 0x100000
	if _, err = syscall.Wait4(tr.pid, &status, syscall.WALL, nil); err != nil {
		return status, err
	}
	err = syscall.PtraceSetOptions(tr.pid, syscall.PTRACE_O_TRACECLONE|exitKill)
	thread := tr.pid
	signal := 0
	for err == nil {
		err = syscall.PtraceCont(thread, signal)
		if err == syscall.ESRCH { // the thread ends
			err = nil
		}
		if err != nil {
			break
		}
		thread, err = syscall.Wait4(-1, &status, syscall.WALL, nil)
		for err == nil && !status.Stopped() {
			if thread == tr.pid {
				return status, nil
			}
			thread, err = syscall.Wait4(-1, &status, syscall.WALL, nil)
		}
		if err != nil {
			break
		}
		signal = 0
		switch s := status.StopSignal(); s {
		case syscall.SIGTRAP, syscall.SIGSTOP: // a new thread or program
		case syscall.SIGSEGV:
			var place int
			if place, err = faultPlace(thread); err == nil && place >= 0 {
				signal, err = tr.read(thread, place)
			} else {
				signal = int(s)
			}
		default:
			signal = int(s)
		}
	}
	return status, err
}

// faultPlace returns the address at which a thread faulted, relative to the bytes, or -1 if it is
// elsewhere.
func faultPlace(thread int) (int, error) {
	const getSigInfo = 0x4202
	var info [128]byte
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getSigInfo, uintptr(thread), 0,
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	address := binary.LittleEndian.Uint64(info[16:])
	if address < bytesPage || address >= bytesPage+pageSize {
		return -1, nil
	}
	return int(address - bytesPage), nil
}

// read runs the instruction of a thread that reads the bytes from the given place on. It returns a
// signal for the thread.
func (tr *tracer) read(thread, place int) (signal int, err error) {
	var h header
	counts := (*[unsafe.Offsetof(h.second)]byte)(unsafe.Pointer(&h))[:]
	if _, err = syscall.PtracePeekData(thread, headerPage, counts); err != nil {
		return 0, err
	}
	if h.calls != tr.calls {
		tr.calls, tr.seen = h.calls, make(map[int]int)
	}
	var r syscall.PtraceRegs
	if err = syscall.PtraceGetRegs(thread, &r); err != nil {
		return 0, err
	}
	var code [2]byte
	if _, err = syscall.PtracePeekText(thread, uintptr(r.Rip), code[:]); err != nil {
		return 0, err
	}
	// TESTB AX, (register) is Go's comparison of a pointer with nil. It uses no byte.
	if code[0] != 0x84 && (code[0]&0xf0 != 0x40 || code[1] != 0x84) {
		// A copy of odd length is a few loads that overlap, one right after the other.
		if r.Rip <= tr.last || r.Rip >= tr.last+64 {
			tr.run++
		}
		tr.last = r.Rip
		if run, seen := tr.seen[place]; seen && run != tr.run {
			second := h.second[:h.length]
			_, err = syscall.PtracePeekData(thread, headerPage+uintptr(len(counts)), second)
			if err == nil {
				_, err = syscall.PtracePokeData(thread, bytesPage, second)
			}
			if err != nil {
				return 0, err
			}
			return protect(thread, syscall.PROT_READ|syscall.PROT_WRITE) // for the rest of the call
		}
		tr.seen[place] = tr.run
		count := binary.LittleEndian.AppendUint64(nil, h.reads+1)
		if _, err = syscall.PtracePokeData(thread, headerPage+8, count); err != nil {
			return 0, err
		}
	}
	for _, step := range []func() (int, error){
		func() (int, error) { return protect(thread, syscall.PROT_READ|syscall.PROT_WRITE) },
		func() (int, error) { return singleStep(thread) },
		func() (int, error) { return protect(thread, syscall.PROT_NONE) },
	} {
		s, err := step()
		if err != nil {
			return 0, err
		}
		if s != 0 {
			signal = s
		}
	}
	return signal, nil
}

// protect changes the permissions of the page with the bytes. It lets the thread make the system
// call.
func protect(thread, protection int) (signal int, err error) {
	var saved syscall.PtraceRegs
	if err = syscall.PtraceGetRegs(thread, &saved); err != nil {
		return 0, err
	}
	call := saved
	call.Rip, call.Rax, call.Orig_rax = codePage, syscall.SYS_MPROTECT, ^uint64(0)
	call.Rdi, call.Rsi, call.Rdx = bytesPage, pageSize, uint64(protection)
	if err = syscall.PtraceSetRegs(thread, &call); err != nil {
		return 0, err
	}
	if signal, err = singleStep(thread); err != nil {
		return 0, err
	}
	if err = syscall.PtraceGetRegs(thread, &call); err != nil {
		return 0, err
	}
	if call.Rax != 0 {
		return 0, fmt.Errorf("mprotect: %d", int64(call.Rax))
	}
	return signal, syscall.PtraceSetRegs(thread, &saved)
}

// singleStep lets a thread run one instruction. It returns a signal that arrived meanwhile.
func singleStep(thread int) (signal int, err error) {
	for {
		if err = syscall.PtraceSingleStep(thread); err != nil {
			return 0, err
		}
		var status syscall.WaitStatus
		if _, err = syscall.Wait4(thread, &status, syscall.WALL, nil); err != nil {
			return 0, err
		}
		switch {
		case !status.Stopped():
			return 0, fmt.Errorf("the thread ended")
		case status.StopSignal() == syscall.SIGTRAP:
			return signal, nil
		case status.StopSignal() == syscall.SIGSEGV:
			return 0, fmt.Errorf("the instruction faults")
		}
		signal = int(status.StopSignal())
	}
}
