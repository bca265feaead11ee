// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// Module is a program for a device, with its kernels.
type Module struct {
	object
	handle  C.rtModule_t
	context *Context
}

// NewModule builds a module from OpenCL C source; options are those of clBuildProgram. It may block while a compiler runs.
func (c *Context) NewModule(source, options string) (*Module, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	for what, given := range map[string]string{"the source": source, "the options": options} {
		if err := withoutNul(given, what); err != nil {
			return nil, err
		}
	}
	text, flags := C.CString(source), C.CString(options)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(flags))
	made := &Module{object: object{kind: "module", place: c.place, parent: &c.object}, context: c}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtModuleCreateFromSourceWithMessage(m, n, &made.handle, text, flags, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, (*Module).Close)
	return made, nil
}

// LoadModule makes a module of a file of OpenCL C, or of any other format that the device takes: CUDA C++, PTX, cubin, SPIR-V.
// It may block while the file is read or a compiler runs.
func (c *Context) LoadModule(path, options string) (*Module, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	for what, given := range map[string]string{"the path": path, "the options": options} {
		if err := withoutNul(given, what); err != nil {
			return nil, err
		}
	}
	file, flags := C.CString(path), C.CString(options)
	defer C.free(unsafe.Pointer(file))
	defer C.free(unsafe.Pointer(flags))
	made := &Module{object: object{kind: "module", place: c.place, parent: &c.object}, context: c}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.manyrtLoadFile(m, n, &made.handle, file, flags, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, (*Module).Close)
	return made, nil
}

// Close ends the module and its kernels; launches in flight complete.
func (m *Module) Close() error {
	return m.end(func(text *C.char, n C.size_t) C.rtStatus_t { return C.rtModuleDestroyWithMessage(text, n, m.handle) })
}

type argument struct {
	text     string
	fullType string // as the source has it
	typeName string // without the star of a pointer
	kind     C.int32_t
	size     int
}

// Kernel is a function of a module, and ends with it.
type Kernel struct {
	handle    C.rtKernel_t
	module    *Module
	name      string
	arguments []argument
}

// WaitOptimized waits until launches run the code that stays, which the CPU has some time after the first, at most limit;
// ErrTimeout if the limit passes.
func (m *Module) WaitOptimized(limit time.Duration) error {
	defer runtime.KeepAlive(m)
	if err := m.usable(); err != nil {
		return err
	}
	_, err := call(func(text *C.char, n C.size_t) C.rtStatus_t {
		return C.rtModuleWaitWithMessage(text, n, m.handle, C.RT_MODULE_OPTIMIZED, nanoseconds(limit))
	})
	return err
}

// Kernel finds a kernel by its name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	defer runtime.KeepAlive(m)
	if err := m.usable(); err != nil {
		return nil, err
	}
	if err := withoutNul(name, "the name of a kernel"); err != nil {
		return nil, err
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	kernel := &Kernel{module: m, name: name}
	if _, err := call(func(message *C.char, n C.size_t) C.rtStatus_t {
		return C.rtModuleGetKernelWithMessage(message, n, &kernel.handle, text, m.handle)
	}); err != nil {
		return nil, err
	}
	info := C.rtKernelInfo_t{struct_size: C.sizeof_rtKernelInfo_t}
	if _, err := call(func(message *C.char, n C.size_t) C.rtStatus_t {
		return C.rtKernelGetInfoWithMessage(message, n, &info, kernel.handle)
	}); err != nil {
		return nil, err
	}
	for index := 0; index < int(info.arg_count); index++ {
		one := C.rtKernelArgInfo_t{struct_size: C.sizeof_rtKernelArgInfo_t}
		if _, err := call(func(message *C.char, n C.size_t) C.rtStatus_t {
			return C.rtKernelGetArgInfoWithMessage(message, n, &one, C.uint32_t(index), kernel.handle)
		}); err != nil {
			return nil, err
		}
		kernel.arguments = append(kernel.arguments, argument{
			text:     fmt.Sprintf("argument %d (%s) of kernel %s", index, C.GoString(&one.name[0]), name),
			fullType: C.GoString(&one.type_name[0]),
			typeName: strings.TrimSpace(strings.TrimSuffix(C.GoString(&one.type_name[0]), "*")),
			kind:     one.kind, size: int(one.size)})
	}
	return kernel, nil
}

func (k *Kernel) String() string { return "manyrt kernel " + k.name + " on " + k.module.place }

// Dim is up to three sizes; a size of 0 is 1.
type Dim struct{ X, Y, Z uint32 }

func (d Dim) sizes() [3]C.uint32_t {
	all := [3]C.uint32_t{C.uint32_t(d.X), C.uint32_t(d.Y), C.uint32_t(d.Z)}
	for index := range all {
		if all[index] == 0 {
			all[index] = 1
		}
	}
	return all
}

// SuggestGroup returns a work-group for a number of work-items in all, with local memory in bytes for each group.
func (k *Kernel) SuggestGroup(items Dim, local int) (Dim, error) {
	defer runtime.KeepAlive(k.module)
	if err := k.module.usable(); err != nil {
		return Dim{}, err
	}
	if local < 0 || int(uint32(local)) != local {
		return Dim{}, failure(ErrInvalidValue, "%d bytes of local memory are none", local)
	}
	wanted, group := items.sizes(), [3]C.uint32_t{}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtKernelSuggestGroupSizeWithMessage(m, n, &group[0], &wanted[0], C.uint32_t(local), k.handle)
	})
	return Dim{uint32(group[0]), uint32(group[1]), uint32(group[2])}, err
}

// Local is local memory of a kernel, in bytes.
type Local int

var kinds = map[string]reflect.Kind{
	"char": reflect.Int8, "short": reflect.Int16, "int": reflect.Int32, "long": reflect.Int64,
	"uchar": reflect.Uint8, "ushort": reflect.Uint16, "uint": reflect.Uint32, "ulong": reflect.Uint64,
	"float": reflect.Float32, "double": reflect.Float64,
}

// write checks a value against the argument and writes it to memory of 16 bytes.
func (a *argument) write(value any, to unsafe.Pointer) error {
	switch given := value.(type) {
	case AnyBuffer:
		m := given.untyped()
		if a.kind != C.RT_ARG_POINTER {
			return failure(ErrInvalidValue, "%s has to be a %s, not a buffer", a.text, a.typeName)
		}
		if m == nil {
			return failure(ErrInvalidValue, "%s is a nil buffer", a.text)
		}
		if _, known := kinds[a.typeName]; known && m.element != "" && m.element != a.typeName {
			return failure(ErrInvalidValue, "%s points to %s, not to %s", a.text, a.typeName, m.element)
		}
		if err := m.usable(); err != nil {
			return failure(ErrInvalidHandle, "%s is a buffer that is closed", a.text)
		}
		*(*unsafe.Pointer)(to) = m.pointer
		return nil
	case Local:
		if a.kind != C.RT_ARG_LOCAL || given < 1 {
			return failure(ErrInvalidValue, "%s has to be a %s, not local memory of %d bytes", a.text, a.typeName, int(given))
		}
		*(*C.size_t)(to) = C.size_t(given)
		return nil
	}
	if a.kind == C.RT_ARG_POINTER {
		return failure(ErrInvalidValue, "%s has to be a buffer of %s, not %T", a.text, a.typeName, value)
	} else if a.kind == C.RT_ARG_LOCAL {
		return failure(ErrInvalidValue, "%s has to be manyrt.Local(bytes), not %T", a.text, value)
	}
	return a.writeNumber(value, to)
}

// writeNumber takes the type of the argument, and int where the argument is an integer that holds the value.
func (a *argument) writeNumber(value any, to unsafe.Pointer) error {
	wanted, known := kinds[a.typeName]
	given := reflect.ValueOf(value)
	if !known || !given.IsValid() {
		return failure(ErrInvalidValue, "%s is a %s of %d bytes, which cannot be passed by value from %T", a.text, a.typeName,
			a.size, value)
	}
	kind := given.Kind()
	if kind == reflect.Int && wanted >= reflect.Int8 && wanted <= reflect.Uint64 {
		if number := given.Int(); !fits(number, wanted) {
			return failure(ErrInvalidValue, "%s has to be a %s, and %d is none", a.text, a.typeName, number)
		}
	} else if kind != wanted {
		return failure(ErrInvalidValue, "%s has to be a %s (%s), not %T", a.text, a.typeName, wanted, value)
	}
	var bits uint64
	switch {
	case kind == reflect.Float32:
		bits = uint64(math.Float32bits(float32(given.Float())))
	case kind == reflect.Float64:
		bits = math.Float64bits(given.Float())
	case given.CanInt():
		bits = uint64(given.Int())
	default:
		bits = given.Uint()
	}
	C.memcpy(to, unsafe.Pointer(&bits), C.size_t(a.size)) // little-endian, as all platforms of the library
	return nil
}

func fits(number int64, kind reflect.Kind) bool {
	if kind >= reflect.Uint8 {
		return number >= 0 && !reflect.New(reflect.TypeOf([]any{uint8(0), uint16(0), uint32(0), uint64(0)}[kind-reflect.Uint8])).
			Elem().OverflowUint(uint64(number))
	}
	return !reflect.New(reflect.TypeOf([]any{int8(0), int16(0), int32(0), int64(0)}[kind-reflect.Int8])).Elem().OverflowInt(number)
}

// Launch launches the kernel in a stream's order with one value for each argument: buffers, numbers of the argument's type (or
// int for an integer that holds it), and Local. grid is in work-groups, group in work-items. It does not wait.
func (k *Kernel) Launch(s *Stream, grid, group Dim, values ...any) error {
	return k.LaunchFrom(s, Offset{}, grid, group, values...)
}

// Offset is where the ids of a launch begin, in each direction: what get_global_id of the first work-item returns.
type Offset struct{ X, Y, Z uint64 }

// LaunchFrom is Launch with ids that begin at an offset.
func (k *Kernel) LaunchFrom(s *Stream, offset Offset, grid, group Dim, values ...any) error {
	defer runtime.KeepAlive(values)
	defer runtime.KeepAlive(k.module)
	if err := k.module.usable(); err != nil {
		return err
	}
	if len(values) != len(k.arguments) {
		ending := "s"
		if len(k.arguments) == 1 {
			ending = ""
		}
		text := fmt.Sprintf("kernel %s takes %d argument%s, not %d", k.name, len(k.arguments), ending, len(values))
		if len(values) < len(k.arguments) {
			missing := k.arguments[len(values)]
			text += "; " + missing.text + ", of type " + missing.fullType + ", is missing"
		}
		return failure(ErrInvalidValue, "%s", text)
	}
	// One block of C: the pointers, and after them the values.
	block := C.calloc(C.size_t(len(values)+1), 24)
	defer C.free(block)
	pointers := unsafe.Slice((*unsafe.Pointer)(block), len(values)+1)
	for index, value := range values {
		place := unsafe.Add(block, 8*(len(values)+1)+16*index)
		if err := k.arguments[index].write(value, place); err != nil {
			return err
		}
		pointers[index] = place
	}
	groups, items := grid.sizes(), group.sizes()
	if offset != (Offset{}) {
		options := C.rtLaunchOptions_t{struct_size: C.sizeof_rtLaunchOptions_t}
		options.global_offset = [3]C.uint64_t{C.uint64_t(offset.X), C.uint64_t(offset.Y), C.uint64_t(offset.Z)}
		return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
			return C.rtLaunchKernelWithOptionsWithMessage(m, n, k.handle, &groups[0], &items[0], 0, &options, &pointers[0],
				C.uint32_t(len(values)), s.handle)
		})
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtLaunchKernelWithMessage(m, n, k.handle, groups[0], groups[1], groups[2], items[0], items[1], items[2], 0, s.handle,
			&pointers[0], C.uint32_t(len(values)))
	})
}
