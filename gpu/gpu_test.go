package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

var errBackend = errors.New("the backend is not installed")

// A track is a set of simulated backends whose devices cannot be opened. It records the names of
// the devices that Open tries.
type track struct{ tried []string }

func (tr *track) backends() []backend {
	open := func(name string) func(int) (driver.Device, error) {
		return func(index int) (driver.Device, error) {
			tr.tried = append(tr.tried, fmt.Sprint(name, ":", index))
			return nil, fmt.Errorf("%s %d is in use", name, index)
		}
	}
	list := func(infos ...driver.Info) func() ([]driver.Info, error) {
		return func() ([]driver.Info, error) { return infos, nil }
	}
	return []backend{
		{"none", func() ([]driver.Info, error) { return nil, errBackend }, nil},
		{"cuda", list(driver.Info{Name: "cuda:0 A"}, driver.Info{Name: "cuda:1 B"}), open("cuda")},
		{"opencl", list(driver.Info{Name: "opencl:0 C", CPU: true}, driver.Info{Name: "opencl:1 A"}),
			open("opencl")},
	}
}

// TestChoice checks that Open tries devices in the order of List or of the given names, and a CPU
// only if it is named. The error says why each device could not be opened. Unless all named devices
// exist, it also says why backends have no devices.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		options []Option
		want    []string
		none    bool
	}{
		{nil, []string{"cuda:0", "cuda:1", "opencl:1"}, false},
		{[]Option{nil, Named()}, []string{"cuda:0", "cuda:1", "opencl:1"}, false},
		{[]Option{Named("cuda:1")}, []string{"cuda:1"}, false},
		{[]Option{Named("opencl:0")}, []string{"opencl:0"}, false},
		{[]Option{Named("opencl:")}, nil, true},
		{[]Option{Named("cuda:10")}, nil, true},
		{[]Option{Named("cuda:0 A")}, nil, true},
		{[]Option{Named("")}, nil, true},
		{[]Option{Named("cuda:0", "nothing:0")}, nil, true},
		{[]Option{Named("cuda:1", "cuda:0")}, []string{"cuda:1"}, false},
		{[]Option{All()}, []string{"cuda:0", "cuda:1"}, false},
		{[]Option{All(), Named("opencl:1"), Named("cuda:0")}, []string{"opencl:1"}, false},
	} {
		var tr track
		d, err := open(t.Context(), tr.backends(), nil, c.options)
		if d != nil || err == nil || !slices.Equal(tr.tried, c.want) {
			t.Errorf("tried %q, want %q: %v", tr.tried, c.want, err)
			continue
		}
		named := len(c.want) == 1 // a named device, which exists
		if errors.Is(err, ErrNone) != c.none || errors.Is(err, errBackend) == named {
			t.Error(err)
		}
		for _, device := range c.want {
			if !strings.Contains(err.Error(), strings.Replace(device, ":", " ", 1)+" is in use") {
				t.Errorf("%v says nothing of %s", err, device)
			}
		}
	}
	if _, err := open(t.Context(), nil, nil, nil); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestCPUAlone checks that if the only device is a CPU, the error says that it was skipped.
func TestCPUAlone(t *testing.T) {
	for _, which := range []Option{nil, All()} {
		var tr track
		backends := tr.backends()[2:]
		backends[0].list = func() ([]driver.Info, error) {
			return []driver.Info{{Name: "opencl:0 C", CPU: true}}, nil
		}
		d, err := open(t.Context(), backends, nil, []Option{which})
		if d != nil || !errors.Is(err, ErrNone) || tr.tried != nil ||
			!strings.Contains(err.Error(), "opencl:0 C is a CPU") {
			t.Errorf("tried %q: %v", tr.tried, err)
		}
	}
}

// TestModel checks that devices whose descriptions differ only in the device number are of the same
// model.
func TestModel(t *testing.T) {
	model := func(i driver.Info) driver.Info { return (&candidate{info: i}).model() }
	a := driver.Info{Name: "cuda:0 A 100", Driver: "1", Memory: 5, Units: 6, ClockMHz: 7}
	b := a
	b.Name = "cuda:11 A 100"
	if model(a) != model(b) {
		t.Errorf("%+v, %+v", model(a), model(b))
	}
	for _, change := range []func(i *driver.Info){
		func(i *driver.Info) { i.Name = "cuda:11 A 200" },
		func(i *driver.Info) { i.Name = "opencl:11 A 100" },
		func(i *driver.Info) { i.Memory++ },
		func(i *driver.Info) { i.Units++ },
		func(i *driver.Info) { i.Driver = "2" },
	} {
		c := b
		if change(&c); model(a) == model(c) {
			t.Errorf("%+v is no other model", c)
		}
	}
}

// TestUndescribed checks that a device that the driver cannot describe is skipped, the devices
// after it keep their indices, and the error says what is wrong if none can be opened.
func TestUndescribed(t *testing.T) {
	var tr track
	backends := tr.backends()[1:2]
	backends[0].list = func() ([]driver.Info, error) {
		return []driver.Info{{}, {Name: "cuda:1 B"}}, errBackend
	}
	_, err := open(t.Context(), backends, nil, nil)
	if !slices.Equal(tr.tried, []string{"cuda:1"}) || !errors.Is(err, errBackend) {
		t.Errorf("tried %q: %v", tr.tried, err)
	}
}

// A stuck is a simulated device whose Load blocks until the test releases it.
type stuck struct {
	driver.Device
	loading, release, closed chan bool
}

func (s *stuck) Info() driver.Info { return driver.Info{Name: "cuda:0 A"} }

func (s *stuck) Load(*driver.Program) error {
	close(s.loading)
	<-s.release
	return errBackend
}

func (s *stuck) Close() error {
	close(s.closed)
	return nil
}

// TestOpenContext checks that OpenContext returns when ctx ends, and the device is closed when the
// driver function returns.
func TestOpenContext(t *testing.T) {
	s := &stuck{loading: make(chan bool), release: make(chan bool), closed: make(chan bool)}
	cuda := backend{"cuda", func() ([]driver.Info, error) { return []driver.Info{s.Info()}, nil },
		func(int) (driver.Device, error) { return s, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.loading
		cancel()
	}()
	told := OnOpen(func(Opening) { t.Error("it was opened") })
	if d, err := open(ctx, []backend{cuda}, func() []byte { return nil }, []Option{told}); d != nil ||
		!errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-s.closed:
		t.Error("a device is closed while the driver compiles")
	default:
	}
	close(s.release)
	<-s.closed
	// If the context has ended, OpenContext opens nothing. A nil context never ends.
	if d, err := OpenContext(ctx); d != nil || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var tr track
	d, err := open(context.Context(nil), tr.backends(), nil, nil)
	if d != nil || err == nil || len(tr.tried) == 0 {
		t.Error(d, err)
	}
}

// TestList checks that List gives the name, units and memory of every device, and that the names
// differ in their first words. The option Named selects a device by this word.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range List() {
		word, rest, _ := strings.Cut(info.Name, " ")
		if seen[word] || rest == "" || info.Units < 1 || info.Memory < 1 {
			t.Errorf("%+v", info)
		}
		seen[word] = true
	}
}

// TestForeign checks that Close returns an error for a device that this package did not open.
func TestForeign(t *testing.T) {
	for _, d := range []*device.Device{nil, {}} {
		if err := Close(d); !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	}
}

// TestHookEnds checks that Open returns even if a hook ends its goroutine, as a failing test does.
func TestHookEnds(t *testing.T) {
	var tr track
	opts := []Option{All(), OnError(func(error) { runtime.Goexit() })}
	if d, err := open(t.Context(), tr.backends(), nil, opts); d != nil || !errors.Is(err, errHook) {
		t.Error(d, err)
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		_, _ = open(context.Background(), tr.backends(), nil, opts)
		t.Error("the hook is called by another goroutine")
	}()
	<-ended
}

// TestHookLate checks that after OpenContext has returned because ctx ended, no hook is still
// running and none is called.
func TestHookLate(t *testing.T) {
	var tr track
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	d, err := open(ctx, tr.backends(), nil, []Option{All(), OnError(func(error) {
		cancel()
		time.Sleep(10 * time.Millisecond)
		told++
	})})
	if d != nil || err == nil || told != 1 {
		t.Errorf("%v, told %d errors", err, told)
	}
}
