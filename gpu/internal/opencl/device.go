package opencl

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A candidate is a device of a platform that is not open yet.
type candidate struct {
	platform platformID
	device   deviceID
}

// candidates returns all devices, in the order of the platforms. It skips a platform that fails,
// since its driver may be left over from other hardware. If there is no device at all, it returns
// the error of the platform that failed.
func (a *API) candidates() ([]candidate, error) {
	platforms, err := a.platforms()
	if err != nil {
		return nil, err
	}
	var all []candidate
	var failed error
	for _, p := range platforms {
		devices, err := a.devices(p)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, d := range devices {
			all = append(all, candidate{p, d})
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	return nil, failed
}

// info returns the description of a device. index is its number in List.
func (a *API) info(index int, d deviceID) driver.Info {
	return driver.Info{
		Name:     fmt.Sprintf("opencl:%d %s", index, a.text(d, deviceName)),
		Driver:   a.text(d, deviceDriver),
		Memory:   int64(a.number(d, deviceMemory)),
		Units:    int(a.number(d, deviceUnits)),
		ClockMHz: int(a.number(d, deviceClock)),
		CPU:      a.number(d, deviceType)&deviceTypeCPU != 0,
	}
}

// List returns all devices. The number in a device's Name is the index to pass to Open. If there
// are no devices, the error is ErrNone.
func List() ([]driver.Info, error) {
	a, err := Load()
	if err != nil {
		return nil, err
	}
	return a.List()
}

// List returns all devices, as the function List does.
func (a *API) List() ([]driver.Info, error) {
	candidates, err := a.candidates()
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, fmt.Errorf("%w: the loader finds no driver that has one", ErrNone)
	}
	list := make([]driver.Info, len(candidates))
	for i, p := range candidates {
		list[i] = a.info(i, p.device)
	}
	return list, nil
}

// A device implements driver.Device.
type device struct {
	*API
	info    driver.Info
	device  deviceID
	context contextID

	mu       sync.Mutex
	programs []programID
}

// Open opens the device that has the given index in List: see API.Open.
func Open(index int) (driver.Device, error) {
	a, err := Load()
	if err != nil {
		return nil, err
	}
	return a.Open(index)
}

// Open opens the device that has the given index in List. It refuses a device that is big-endian,
// that has no compiler, or whose groups are smaller than driver.Group.
func (a *API) Open(index int) (driver.Device, error) {
	candidates, err := a.candidates()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(candidates) {
		return nil, fmt.Errorf("%w: %d of %d", ErrNone, index, len(candidates))
	}
	p := candidates[index]
	if err := a.capable(p.device); err != nil {
		return nil, err
	}
	d := &device{API: a, info: a.info(index, p.device), device: p.device}
	var code int32
	properties := []uintptr{contextPlatform, uintptr(p.platform), 0}
	d.context = a.CreateContext(&properties[0], 1, &d.device, 0, 0, &code)
	if err := failure("CreateContext", code); err != nil {
		return nil, err
	}
	return d, nil
}

// capable returns an error if the kernels cannot run on a device.
func (a *API) capable(d deviceID) error {
	for _, need := range []struct {
		property uint32
		least    uint64
		without  string
	}{
		{deviceAvailable, 1, "the device is not available"},
		{deviceCompiler, 1, "the device has no compiler"},
		{deviceLittle, 1, "the device is big-endian"},
		{deviceGroup, driver.Group, "the device's groups are too small"},
	} {
		if got := a.number(d, need.property); got < need.least {
			return fmt.Errorf("opencl: %s: %d, and %d is needed", need.without, got, need.least)
		}
	}
	return nil
}

// buildOptions includes -w, which turns off warnings, because some drivers print warnings to
// standard error, where users of the library do not expect them.
const buildOptions = "-cl-std=CL1.2 -w"

// Load compiles the source of a program. If compiling fails, the error includes the compiler's log.
// The driver may cache the result for later processes. This package does not cache it in a file:
// anyone who could write to the file would control the verdicts.
func (d *device) Load(p *driver.Program) error {
	text := []byte(p.Source)
	if len(text) == 0 {
		return errors.New("opencl: no source")
	}
	var code int32
	size, start := uintptr(len(text)), &text[0]
	program := d.CreateProgramWithSource(d.context, 1, &start, &size, &code)
	runtime.KeepAlive(text)
	if err := failure("CreateProgramWithSource", code); err != nil {
		return err
	}
	code = d.BuildProgram(program, 1, &d.device, buildOptions, 0, 0)
	if err := failure("BuildProgram", code); err != nil {
		err = fmt.Errorf("%w: %s", err, d.buildLog(program, d.device))
		d.ReleaseProgram(program)
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.programs = append(d.programs, program)
	return nil
}

// kernel creates the kernel object for the kernel called name. code is the driver's error code.
func (d *device) kernel(name string) (k kernelID, code int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	code = codeKernelName
	for _, p := range d.programs {
		if k = d.CreateKernel(p, name, &code); code != codeKernelName {
			break
		}
	}
	return k, code
}

func (d *device) Info() driver.Info { return d.info }

// Close frees the programs and the context.
func (d *device) Close() error {
	var err error
	for _, p := range d.programs {
		err = errors.Join(err, failure("ReleaseProgram", d.ReleaseProgram(p)))
	}
	err = errors.Join(err, failure("ReleaseContext", d.ReleaseContext(d.context)))
	return err
}
