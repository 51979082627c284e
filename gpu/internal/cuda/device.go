// Package cuda drives NVIDIA's GPUs through the CUDA driver, version 12 or newer. It calls libcuda
// without cgo. Where libcuda is not installed, and on platforms for which the package is not built,
// there are no devices. The driver compiles the PTX of the kernels for the device, and keeps the
// result in its own cache, unless the program has machine code for the device.
package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

const (
	// Drivers before CUDA 11.5 are reported to compile the instruction madc wrongly; 12 is the
	// first major version after that.
	oldestDriver = 12000

	// The kernels are compiled for compute capability 7.5.
	oldestMajor, oldestMinor = 7, 5

	// logSize is the size in bytes of the buffer for each of the compiler's logs.
	logSize = 8192
)

// List returns the devices of the installed CUDA driver: see API.List.
func List() ([]driver.Info, error) {
	a, err := Load()
	if err != nil {
		return nil, err
	}
	return a.List()
}

// Open opens the device with the given index of the installed CUDA driver.
func Open(index int) (driver.Device, error) {
	a, err := Load()
	if err != nil {
		return nil, err
	}
	return a.Open(index)
}

// List returns the devices of the driver, in the order of their indices. A device that the driver
// cannot describe has an empty Info, and the error says why; the others can be opened. If there are
// no devices, the error is ErrNone.
func (a *API) List() ([]driver.Info, error) {
	version, count, err := a.start()
	if err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("%w: the driver knows of none", ErrNone)
	}
	list := make([]driver.Info, count)
	for i := range list {
		id, failure := a.device(i)
		if failure == nil {
			list[i], failure = a.info(i, id, version)
		}
		if failure != nil {
			list[i] = driver.Info{}
			err = errors.Join(err, fmt.Errorf("cuda:%d: %w", i, failure))
		}
	}
	return list, err
}

// start initializes the driver, and returns its version and the number of devices.
func (a *API) start() (version, count int32, err error) {
	if err := a.failure("Init", a.Init(0)); err != nil {
		return 0, 0, err
	}
	if err := a.failure("DriverGetVersion", a.DriverGetVersion(&version)); err != nil {
		return 0, 0, err
	}
	if version < oldestDriver {
		return 0, 0, fmt.Errorf("%w: the driver is for %s, and CUDA 12.0 is needed",
			ErrNone, release(version))
	}
	err = a.failure("DeviceGetCount", a.DeviceGetCount(&count))
	return version, count, err
}

// release returns the usual notation of a CUDA version, such as "CUDA 12.4".
func release(version int32) string {
	return fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10)
}

func (a *API) device(index int) (id DeviceID, err error) {
	return id, a.failure("DeviceGet", a.DeviceGet(&id, int32(index)))
}

// info returns the description of a device: its name, driver, memory, clock and compute
// capability.
func (a *API) info(index int, id DeviceID, version int32) (info driver.Info, err error) {
	var name [128]byte
	var memory uintptr
	var units, clock, major, minor int32
	for _, c := range []struct {
		call   string
		result Result
	}{
		{"DeviceGetName", a.DeviceGetName(&name[0], int32(len(name)-1), id)},
		{"DeviceTotalMem", a.DeviceTotalMem(&memory, id)},
		{"DeviceGetAttribute", a.DeviceGetAttribute(&units, AttributeUnits, id)},
		{"DeviceGetAttribute", a.DeviceGetAttribute(&major, AttributeMajor, id)},
		{"DeviceGetAttribute", a.DeviceGetAttribute(&minor, AttributeMinor, id)},
	} {
		if err := a.failure(c.call, c.result); err != nil {
			return info, err
		}
	}
	if a.DeviceGetAttribute(&clock, AttributeClockRate, id) != Success {
		clock = 0 // some devices have no fixed clock rate, and work all the same
	}
	return driver.Info{
		Name:     fmt.Sprintf("cuda:%d %s", index, text(&name[0], len(name))),
		Driver:   release(version),
		Memory:   int64(memory),
		Units:    int(units),
		ClockMHz: int(clock / 1000),
		Major:    int(major),
		Minor:    int(minor),
	}, nil
}

// A device implements driver.Device with a CUDA device.
type device struct {
	*API
	info    driver.Info
	id      DeviceID
	context Context

	mu        sync.Mutex
	modules   []ModuleID
	functions map[string]Function
}

// Open opens the device with the given index.
func (a *API) Open(index int) (driver.Device, error) {
	version, count, err := a.start()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= int(count) {
		return nil, fmt.Errorf("%w: index %d of %d", ErrNone, index, count)
	}
	d := &device{API: a, functions: make(map[string]Function)}
	if d.id, err = a.device(index); err != nil {
		return nil, err
	}
	if d.info, err = a.info(index, d.id, version); err != nil {
		return nil, err
	}
	if err := old(d.info); err != nil {
		return nil, err
	}
	// Other users of the device in this process share its primary context.
	if err := a.failure("DevicePrimaryCtxRetain",
		a.DevicePrimaryCtxRetain(&d.context, d.id)); err != nil {
		return nil, err
	}
	return d, nil
}

// old returns an error if a device's compute capability is lower than the one for which the kernels
// are compiled.
func old(i driver.Info) error {
	if i.Major < oldestMajor || i.Major == oldestMajor && i.Minor < oldestMinor {
		return fmt.Errorf("%w: compute capability %d.%d, and %d.%d is needed",
			ErrNone, i.Major, i.Minor, oldestMajor, oldestMinor)
	}
	return nil
}

// do calls f on a thread on which the device's context is current. The program may itself use CUDA
// on that thread, so do restores the context that was current before.
func (d *device) do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.failure("CtxPushCurrent", d.CtxPushCurrent(d.context)); err != nil {
		return err
	}
	err := f()
	// The result of CtxPopCurrent is ignored: it may be the error of an earlier launch, which Wait
	// returns too.
	var popped Context
	d.CtxPopCurrent(&popped)
	return err
}

// Load loads the machine code of a program. If the program has none for the device, or the driver
// refuses the code, the driver compiles the PTX. If that fails, the error includes the compiler's
// log.
func (d *device) Load(p *driver.Program) error {
	return d.do(func() error {
		if p.Cubin != nil {
			if code := p.Cubin(d.info.Major, d.info.Minor); code != nil && d.load(code) == nil {
				return nil
			}
		}
		return d.load([]byte(p.PTX))
	})
}

// load has the driver load PTX or machine code. The device's context must be current.
func (d *device) load(image []byte) error {
	image = append(image, 0) // the end of a text
	var module ModuleID
	info, problem := make([]byte, logSize+1), make([]byte, logSize+1)
	options := jitOptions
	values := JITValues{unsafe.Pointer(&info[0]), logSize, unsafe.Pointer(&problem[0]), logSize}
	err := d.failure("ModuleLoadDataEx", d.ModuleLoadDataEx(&module, &image[0],
		uint32(len(options)), &options, &values))
	runtime.KeepAlive(image)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.modules = append(d.modules, module)
		return nil
	}
	for _, log := range [][]byte{problem, info} {
		if said := strings.TrimSpace(text(&log[0], logSize)); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}
	return err
}

func (d *device) Info() driver.Info { return d.info }

// function returns the named kernel. The device's context must be current.
func (d *device) function(name string) (f Function, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.functions[name]; ok {
		return f, nil
	}
	result := ErrorNotFound
	for _, m := range d.modules {
		if result = d.ModuleGetFunction(&f, m, name); result != ErrorNotFound {
			break
		}
	}
	if err := d.failure("ModuleGetFunction "+name, result); err != nil {
		return 0, err
	}
	d.functions[name] = f
	return f, nil
}

// Close unloads the kernels and frees the device. It continues after errors, and returns all of
// them.
func (d *device) Close() error {
	err := d.do(func() (err error) {
		for _, m := range d.modules {
			err = errors.Join(err, d.failure("ModuleUnload", d.ModuleUnload(m)))
		}
		return err
	})
	released := d.failure("DevicePrimaryCtxRelease", d.DevicePrimaryCtxRelease(d.id))
	if err == nil {
		err = released
	}
	return err
}
