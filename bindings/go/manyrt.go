// SPDX-License-Identifier: Apache-2.0

// Package manyrt runs work on the devices of the manyrt library: contexts, streams, events, fences, typed buffers, pools,
// kernels and graphs on CPU, CUDA and OpenCL.
//
// Every object has Close, which is legal twice, and a finalizer that does the same; work in flight completes. An object
// keeps the context it was made in alive. All functions are safe for concurrent use. A failure is an *Error with the
// sentence of the library, and errors.Is(err, manyrt.ErrOutOfMemory) tells its kind.
package manyrt

/*
#cgo pkg-config: manyrt
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Status is what the functions of the library return. The failures (ErrBusy and others) are errors to compare with.
type Status int32

// Error returns the name, such as RT_ERROR_BUSY.
func (s Status) Error() string { return s.Name() }

// Name returns the name of the status in rt.h.
func (s Status) Name() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("RT_STATUS_%d", int32(s))
}

// Error is a failure of the library or of this package, with a sentence about it.
type Error struct {
	Status  Status
	Message string
}

// Name returns the name of the status in rt.h.
func (e *Error) Name() string { return e.Status.Name() }

func (e *Error) Error() string { return e.Status.Name() + ": " + e.Message }

// Unwrap returns the status, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Status }

func failure(status Status, format string, args ...any) error {
	return &Error{status, fmt.Sprintf(format, args...)}
}

const messageBytes = 16384

var messages = sync.Pool{New: func() any { return new([messageBytes]C.char) }}

// call makes one call of C, which leaves its message in the buffer. Positive statuses are no failures.
func call(function func(message *C.char, size C.size_t) C.rtStatus_t) (Status, error) {
	buffer := messages.Get().(*[messageBytes]C.char)
	defer messages.Put(buffer)
	status := Status(function(&buffer[0], messageBytes))
	if status >= 0 {
		return status, nil
	}
	text := C.GoString(&buffer[0])
	if text == "" {
		text = C.GoString(C.rtGetErrorString(C.rtStatus_t(status)))
	}
	return status, &Error{status, text}
}

// text returns what a function of C with a buffer, its size and the size that is needed writes.
func text(get func(m *C.char, n C.size_t, buffer *C.char, size C.size_t, needed *C.size_t) C.rtStatus_t) (string, error) {
	var needed C.size_t
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return get(m, n, nil, 0, &needed) }); err != nil {
		return "", err
	}
	buffer := (*C.char)(C.malloc(needed + 1))
	defer C.free(unsafe.Pointer(buffer))
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return get(m, n, buffer, needed, nil) }); err != nil {
		return "", err
	}
	return C.GoString(buffer), nil
}

// withoutNul refuses a text that C would end at a NUL character.
func withoutNul(text, what string) error {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return failure(ErrInvalidValue, "%s has a NUL character at byte %d", what, at)
	}
	return nil
}

// LibraryVersion returns the version of the library: major * 10000 + minor * 100 + patch.
func LibraryVersion() int {
	var version C.uint32_t
	C.rtGetVersion(&version)
	return int(version)
}

// CheckVersion refuses a library of another major version, and one that is older than this package, patches apart.
// OpenDevice calls it with LibraryVersion.
func CheckVersion(library int) error {
	switch {
	case library/10000 != Version/10000:
		return failure(ErrNotSupported, "the library is manyrt %s, of another major version than the Go package %s",
			versionText(library), versionText(Version))
	case library/100 < Version/100:
		return failure(ErrNotSupported, "the library is manyrt %s, too old for the Go package %s",
			versionText(library), versionText(Version))
	}
	return nil
}

func versionText(version int) string {
	return fmt.Sprintf("%d.%d.%d", version/10000, version/100%100, version%100)
}

// SetLog sends the library's log lines up to a level to a function, on any thread; nil: to stderr. It may wait while another
// thread is inside the earlier function. Inside a log function it is ErrBusy. A panic in the function is told on stderr.
func SetLog(function LogFunction, level LogLevel) error {
	on, wanted := C.int(0), (*LogFunction)(nil)
	if function != nil {
		on, wanted = 1, &function
	}
	earlier := logFunction.Swap(wanted)
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.manyrtSetLog(m, n, on, C.int32_t(level)) })
	if err != nil {
		logFunction.CompareAndSwap(wanted, earlier)
	}
	return err
}

// LiveHandles returns how many handles the program has made and not closed.
func LiveHandles() (int, error) {
	var count C.uint64_t
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGetLiveHandleCountWithMessage(m, n, &count, C.RT_HANDLE_ALL)
	})
	return int(count), err
}

// object guards the end of a handle: which kind it is, where, and whether it is closed.
type object struct {
	mutex  sync.Mutex
	kind   string
	place  string
	closed bool
	parent *object
}

func (o *object) String() string {
	if o.isClosed() {
		return "manyrt " + o.kind + " (closed)"
	}
	return "manyrt " + o.kind + " on " + o.place
}

func (o *object) isClosed() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.closed
}

// usable returns an error if the object or its parent is closed.
func (o *object) usable() error {
	if o.isClosed() {
		return failure(ErrInvalidHandle, "the %s is closed", o.kind)
	}
	if o.parent != nil && o.parent.isClosed() {
		return failure(ErrInvalidHandle, "the %s is closed with its %s", o.kind, o.parent.kind)
	}
	return nil
}

// end runs destroy at the first call. After the end of the parent the handle is gone already.
func (o *object) end(destroy func(m *C.char, n C.size_t) C.rtStatus_t) error {
	o.mutex.Lock()
	if o.closed {
		o.mutex.Unlock()
		return nil
	}
	o.closed = true
	o.mutex.Unlock()
	status, err := call(destroy)
	if status == ErrInvalidHandle && o.parent != nil && o.parent.isClosed() {
		return nil
	}
	return err
}

// nanoseconds returns a limit for the library; a negative one waits for ever.
func nanoseconds(limit time.Duration) C.uint64_t {
	if limit < 0 {
		return C.RT_TIMEOUT_INFINITE
	}
	return C.uint64_t(limit.Nanoseconds())
}

// Device is one of the machine. It is never closed.
type Device struct {
	handle C.rtDevice_t
	id     string
	name   string
}

// OpenDevice finds a device by its id, "cpu" or "opencl:0"; "" is the one that RT_DEVICE names, else the best.
func OpenDevice(id string) (*Device, error) {
	if err := CheckVersion(LibraryVersion()); err != nil {
		return nil, err
	}
	var name *C.char
	if err := withoutNul(id, "the id of a device"); err != nil {
		return nil, err
	}
	if id != "" {
		name = C.CString(id)
		defer C.free(unsafe.Pointer(name))
	}
	device := &Device{}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtDeviceGetByNameWithMessage(m, n, &device.handle, name)
	}); err != nil {
		return nil, err
	}
	properties, err := device.Properties()
	device.id, device.name = properties.ID, properties.Name
	return device, err
}

// ID returns the id, as OpenDevice takes it.
func (d *Device) ID() string { return d.id }

// Name returns the product's name.
func (d *Device) Name() string { return d.name }

func (d *Device) String() string { return "manyrt device " + d.id }

// Has tells whether the device has an optional capability.
func (d *Device) Has(capability Capability) (bool, error) {
	var has C.int32_t
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtDeviceHasCapabilityWithMessage(m, n, &has, C.int32_t(capability), d.handle)
	})
	return has == 1, err
}

// Attribute returns a number of the device.
func (d *Device) Attribute(attribute Attribute) (int64, error) {
	var value C.int64_t
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtDeviceGetAttributeWithMessage(m, n, &value, C.int32_t(attribute), d.handle)
	})
	return int64(value), err
}

// Context owns the streams, memory and modules of a device.
type Context struct {
	object
	handle C.rtContext_t
	device *Device
}

// NewContext makes a context of its own.
func (d *Device) NewContext() (*Context, error) {
	c := &Context{object: object{kind: "context", place: d.id}, device: d}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtContextCreateWithMessage(m, n, &c.handle, nil, d.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(c, (*Context).Close)
	return c, nil
}

// Close ends the context and the handles of what was made in it; memory stays until its own Close.
func (c *Context) Close() error {
	return c.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtContextDestroyWithMessage(m, n, c.handle) })
}

// Device returns the context's device.
func (c *Context) Device() *Device { return c.device }

// Synchronize waits for all work of the context.
func (c *Context) Synchronize() error {
	defer runtime.KeepAlive(c)
	if err := c.usable(); err != nil {
		return err
	}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtContextSynchronizeWithMessage(m, n, c.handle) })
	return err
}

// Event is a point in a stream, with its time on the device.
type Event struct {
	object
	handle  C.rtEvent_t
	context *Context
}

// NewEvent makes a timed event.
func (c *Context) NewEvent() (*Event, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	e := &Event{object: object{kind: "event", place: c.place, parent: &c.object}, context: c}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtEventCreateWithMessage(m, n, &e.handle, nil, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(e, (*Event).Close)
	return e, nil
}

// Close ends the event; waits that were submitted keep its record.
func (e *Event) Close() error {
	return e.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtEventDestroyWithMessage(m, n, e.handle) })
}

// Record records the work that the stream has now.
func (e *Event) Record(s *Stream) error {
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtEventRecordWithMessage(m, n, e.handle, s.handle) })
}

// Done tells whether the last record is complete.
func (e *Event) Done() (bool, error) {
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return false, err
	}
	status, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtEventQueryWithMessage(m, n, e.handle) })
	return status == Success, err
}

// Wait waits for the last record, at most limit (negative: for ever), and returns ErrTimeout if that passes.
func (e *Event) Wait(limit time.Duration) error {
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return err
	}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtEventSynchronizeForWithMessage(m, n, nanoseconds(limit), e.handle)
	})
	return err
}

// Descriptor opens an eventfd that can be read once the last record is reached, for event loops. The caller closes it.
func (e *Event) Descriptor() (int, error) {
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return -1, err
	}
	var descriptor C.int32_t
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtEventGetDescriptorWithMessage(m, n, &descriptor, e.handle)
	})
	return int(descriptor), err
}

// Since returns the device's time from the record of start to this one. It is NotReady, as an error, while one is pending.
func (e *Event) Since(start *Event) (time.Duration, error) {
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(start)
	if start == nil {
		return 0, failure(ErrInvalidValue, "the start is nil")
	}
	for _, event := range []*Event{e, start} {
		if err := event.usable(); err != nil {
			return 0, err
		}
	}
	var elapsed C.int64_t
	status, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtEventElapsedNanosecondsWithMessage(m, n, &elapsed, start.handle, e.handle)
	})
	if err == nil && status == NotReady {
		err = failure(NotReady, "one of the two events is pending")
	}
	return time.Duration(elapsed), err
}

// Fence is a value that only grows, which the host and streams of any device signal and wait for.
type Fence struct {
	object
	handle  C.rtFence_t
	context *Context
}

// NewFence makes a fence with a first value.
func (c *Context) NewFence(value uint64) (*Fence, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	f := &Fence{object: object{kind: "fence", place: c.place, parent: &c.object}, context: c}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtFenceCreateWithMessage(m, n, &f.handle, C.uint64_t(value), c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(f, (*Fence).Close)
	return f, nil
}

// Close ends the fence; waits for it fail.
func (f *Fence) Close() error {
	return f.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtFenceDestroyWithMessage(m, n, f.handle) })
}

func (f *Fence) do(function func(m *C.char, n C.size_t) C.rtStatus_t) error {
	defer runtime.KeepAlive(f)
	if err := f.usable(); err != nil {
		return err
	}
	_, err := call(function)
	return err
}

// signalled has the fences that a stream will signal, with the value. The end of a fence fails what waits for it, so that a
// finalizer does not end them before.
var (
	signalled      = map[*Fence]uint64{}
	signalledGuard sync.Mutex
)

func keepSignalled(f *Fence, value uint64) {
	signalledGuard.Lock()
	defer signalledGuard.Unlock()
	for fence, last := range signalled {
		if reached, err := fence.Value(); err != nil || reached >= last {
			delete(signalled, fence)
		}
	}
	if signalled[f] < value {
		signalled[f] = value
	}
}

// Value returns the present value.
func (f *Fence) Value() (uint64, error) {
	var value C.uint64_t
	err := f.do(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtFenceGetValueWithMessage(m, n, &value, f.handle) })
	return uint64(value), err
}

// Signal raises the fence from the host.
func (f *Fence) Signal(value uint64) error {
	return f.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtFenceSignalWithMessage(m, n, C.uint64_t(value), f.handle)
	})
}

// Wait waits until the fence has reached a value, at most limit (negative: for ever); ErrTimeout if that passes.
func (f *Fence) Wait(value uint64, limit time.Duration) error {
	return f.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtFenceWaitForWithMessage(m, n, nanoseconds(limit), C.uint64_t(value), f.handle)
	})
}
