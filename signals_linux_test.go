package koblitz_test

import (
	"bytes"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestSignals checks that signals that arrive during assembly functions change no result. Several
// threads sign, verify, compute shared secrets and parse keys. Each thread gets one signal after
// another, every second one of the kind by which Go interrupts goroutines. Meanwhile garbage is
// collected, so the runtime reads the registers and stacks of goroutines, which assembly must keep
// valid at each instruction.
func TestSignals(t *testing.T) {
	goal := 500
	if !cputest.Deep() {
		goal = 100
	}
	cputest.Run(t, func(t *testing.T) {
		var want [4][]byte
		for i := range want {
			want[i] = results(t, byte(i))
		}
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, syscall.SIGUSR1)
		defer signal.Stop(arrived)

		var begun, ended sync.WaitGroup
		var sent, threads [3]atomic.Int64 // one counter per worker
		for k := range threads {
			begun.Add(1)
			ended.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				threads[k].Store(int64(syscall.Gettid()))
				begun.Done()
				for round := 0; round < len(want) || sent[k].Load() < int64(goal); round++ {
					i := round % len(want)
					if got := results(t, byte(i)); !bytes.Equal(got, want[i]) {
						t.Errorf("under signals the operations give\n%x, want\n%x", got, want[i])
						return
					}
				}
			})
		}
		begun.Wait()
		pid := uintptr(syscall.Getpid())
		for n := range goal {
			kind := []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1}[n%2]
			for k := range threads {
				syscall.RawSyscall(syscall.SYS_TGKILL, pid, uintptr(threads[k].Load()), uintptr(kind))
				sent[k].Add(1)
			}
			if n%50 == 0 {
				runtime.GC()
			}
			runtime.Gosched()
		}
		ended.Wait()
		<-arrived // without any signal this would test nothing
	}, cputest.Portable, cputest.Registers())
}
