package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

var errRoad = errors.New("nothing of that road is installed")

// A track is roads that note which devices are tried, none of which can be opened.
type track struct{ tried []string }

func (tr *track) roads() []road {
	open := func(name string) func(int) (driver.Device, error) {
		return func(index int) (driver.Device, error) {
			tr.tried = append(tr.tried, fmt.Sprint(name, ":", index))
			return nil, fmt.Errorf("%s %d is in use", name, index)
		}
	}
	list := func(infos ...driver.Info) func() ([]driver.Info, error) {
		return func() ([]driver.Info, error) { return infos, nil }
	}
	return []road{
		{"none", func() ([]driver.Info, error) { return nil, errRoad }, nil},
		{"cuda", list(driver.Info{Name: "cuda:0 A"}, driver.Info{Name: "cuda:1 B"}), open("cuda")},
		{"opencl", list(driver.Info{Name: "opencl:0 C", CPU: true}, driver.Info{Name: "opencl:1 A"}),
			open("opencl")},
	}
}

// TestChoice: devices are tried in the order of the list, CPUs only by name, and the error says
// what each said.
func TestChoice(t *testing.T) {
	for name, want := range map[string][]string{
		"":         {"cuda:0", "cuda:1", "opencl:1"},
		"cuda:1":   {"cuda:1"},
		"opencl:0": {"opencl:0"},
		"opencl:":  nil,
		"cuda:10":  nil,
		"cuda:0 A": nil,
	} {
		var tr track
		d, err := open(tr.roads(), nil, []Option{nil, Named(name)})
		if d != nil || err == nil || !slices.Equal(tr.tried, want) {
			t.Errorf("%q: tried %q, want %q: %v", name, tr.tried, want, err)
			continue
		}
		if errors.Is(err, ErrNone) != (want == nil) || !errors.Is(err, errRoad) {
			t.Errorf("%q: %v", name, err)
		}
		for _, device := range want {
			if !strings.Contains(err.Error(), strings.Replace(device, ":", " ", 1)+" is in use") {
				t.Errorf("%q: %v says nothing of %s", name, err, device)
			}
		}
	}
	if _, err := open(nil, nil, nil); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestList: every device has a name that Named takes, and no other one has.
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

// TestForeign: devices that this package did not make are not closed by it.
func TestForeign(t *testing.T) {
	for _, d := range []*device.Device{nil, {}} {
		if err := Close(d); !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	}
}
