// SPDX-License-Identifier: Apache-2.0

// Package comm has communicators of manyrt: collective operations between contexts, of this process, of processes of one host,
// and of several hosts. Its library is libmanyrt-comm.
//
// A Comm is one rank. Operations take buffers of its context and count all their elements; where one of the two is nil, the
// operation is in place in the other. With a stream they return at once, in its order; with a nil stream they are complete when
// they return, or at the end of their Group. Failures are errors of the package manyrt. All functions are safe for concurrent
// use; the ranks of one communicator call the same operations in the same order.
package comm

/*
#cgo pkg-config: manyrt-comm
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

	"manyrt"
)

// NoColor in Split takes no part in a new communicator.
const NoColor = C.RT_COMM_NO_COLOR

const messageBytes = 16384

var messages = sync.Pool{New: func() any { return new([messageBytes]C.char) }}

func failure(status manyrt.Status, format string, args ...any) error {
	return &manyrt.Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// call makes one call of C, which leaves its message in the buffer.
func call(function func(message *C.char, size C.size_t) C.rtStatus_t) error {
	buffer := messages.Get().(*[messageBytes]C.char)
	defer messages.Put(buffer)
	status := function(&buffer[0], messageBytes)
	if status >= 0 {
		return nil
	}
	text := C.GoString(&buffer[0])
	if text == "" {
		text = C.GoString(C.rtGetErrorString(status))
	}
	return &manyrt.Error{Status: manyrt.Status(status), Message: text}
}

// Options are those of a new communicator; the zero value has the defaults.
type Options struct {
	Timeout time.Duration // how long a rank waits for the others; 0: 5 minutes, negative: for ever
	Label   string        // for messages; cut to 63 bytes
}

func (o Options) raw() C.rtCommOptions_t {
	made := C.rtCommOptions_t{struct_size: C.sizeof_rtCommOptions_t, timeout_ns: C.uint64_t(o.Timeout.Nanoseconds())}
	if o.Timeout < 0 {
		made.timeout_ns = C.RT_TIMEOUT_INFINITE
	}
	for index := 0; index < len(o.Label) && index < len(made.label)-1; index++ {
		made.label[index] = C.char(o.Label[index])
	}
	return made
}

// UniqueID is what the ranks of Create find each other by: one rank makes it and hands its bytes to the others.
type UniqueID [256]byte

// NewUniqueID makes an id for one communicator.
func NewUniqueID() (UniqueID, error) {
	var raw C.rtCommUniqueId_t
	err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommGetUniqueIdWithMessage(m, n, &raw) })
	return *(*UniqueID)(unsafe.Pointer(&raw)), err
}

// Comm is one rank of a communicator.
type Comm struct {
	mutex      sync.Mutex
	handle     C.rtComm_t // nil: closed, or made by a group that is open
	context    *manyrt.Context
	rank, size int
}

// opened fills a rank that the library has made.
func (c *Comm) opened(handle C.rtComm_t) error {
	var rank, size C.int32_t
	c.mutex.Lock()
	c.handle = handle
	c.mutex.Unlock()
	runtime.SetFinalizer(c, (*Comm).Close)
	if err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommGetRankWithMessage(m, n, &rank, handle) }); err != nil {
		return err
	}
	err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommGetSizeWithMessage(m, n, &size, handle) })
	c.rank, c.size = int(rank), int(size)
	return err
}

// usable returns the handle, or an error if there is none.
func (c *Comm) usable() (C.rtComm_t, error) {
	if c == nil {
		return nil, failure(manyrt.ErrInvalidValue, "the communicator is nil")
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.handle == nil {
		return nil, failure(manyrt.ErrInvalidHandle, "the communicator is closed, or its group is open")
	}
	return c.handle, nil
}

// do makes a call with the handle.
func (c *Comm) do(function func(m *C.char, n C.size_t, handle C.rtComm_t) C.rtStatus_t) error {
	defer runtime.KeepAlive(c)
	handle, err := c.usable()
	if err != nil {
		return err
	}
	return call(func(m *C.char, n C.size_t) C.rtStatus_t { return function(m, n, handle) })
}

func contextHandle(context *manyrt.Context) (C.rtContext_t, error) {
	if context == nil {
		return nil, failure(manyrt.ErrInvalidValue, "the context is nil")
	}
	return C.rtContext_t(context.Handle()), nil
}

// number refuses what an int32_t of C would cut.
func number(value int, what string) (C.int32_t, error) {
	if int(int32(value)) != value {
		return 0, failure(manyrt.ErrInvalidValue, "%s is %d, which has more than 32 bits", what, value)
	}
	return C.int32_t(value), nil
}

// made is a rank that create makes: at once, or, within a group, when that ends. A null handle is a split without a color.
func made(context *manyrt.Context, create func(m *C.char, n C.size_t, out *C.rtComm_t) C.rtStatus_t) (*Comm, error) {
	defer runtime.KeepAlive(context)
	c := &Comm{context: context}
	out := (*C.rtComm_t)(C.calloc(1, C.size_t(unsafe.Sizeof(C.rtComm_t(nil)))))
	group := openGroup()
	if err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return create(m, n, out) }); err != nil {
		C.free(unsafe.Pointer(out))
		return nil, err
	}
	if group != nil {
		group.pending = append(group.pending, pending{c, out})
		return c, nil
	}
	handle := *out
	C.free(unsafe.Pointer(out))
	if handle == nil {
		return nil, nil
	}
	return c, c.opened(handle)
}

// CreateAll makes a communicator of contexts of this process, of any devices: rank i works in contexts[i].
func CreateAll(contexts []*manyrt.Context, options Options) ([]*Comm, error) {
	defer runtime.KeepAlive(contexts)
	if len(contexts) == 0 {
		return nil, failure(manyrt.ErrInvalidValue, "a communicator has at least one context")
	}
	raw := options.raw()
	handles, out := make([]C.rtContext_t, len(contexts)), make([]C.rtComm_t, len(contexts))
	for index, context := range contexts {
		handle, err := contextHandle(context)
		if err != nil {
			return nil, err
		}
		handles[index] = handle
	}
	if err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtCommCreateAllWithMessage(m, n, &out[0], &raw, &handles[0], C.uint32_t(len(contexts)))
	}); err != nil {
		return nil, err
	}
	ranks := make([]*Comm, len(contexts))
	var first error
	for index, context := range contexts {
		ranks[index] = &Comm{context: context}
		if err := ranks[index].opened(out[index]); first == nil {
			first = err
		}
	}
	return ranks, first
}

// Create makes one rank of a communicator by an id. It waits for the other ranks, each of which another goroutine or process
// makes; a goroutine that has several ranks makes them within a Group, whose end waits.
func Create(id UniqueID, rank, size int, context *manyrt.Context, options Options) (*Comm, error) {
	handle, err := contextHandle(context)
	if err != nil {
		return nil, err
	}
	order, err := number(rank, "the rank")
	if err != nil {
		return nil, err
	}
	count, err := number(size, "the size")
	if err != nil {
		return nil, err
	}
	raw, key := options.raw(), *(*C.rtCommUniqueId_t)(unsafe.Pointer(&id))
	return made(context, func(m *C.char, n C.size_t, out *C.rtComm_t) C.rtStatus_t {
		return C.rtCommCreateWithMessage(m, n, out, &raw, &key, order, count, handle)
	})
}

// FromEnvironment makes the rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and
// WORLD_SIZE. It waits for the other ranks, and is no part of a group.
func FromEnvironment(context *manyrt.Context, options Options) (*Comm, error) {
	handle, err := contextHandle(context)
	if err != nil {
		return nil, err
	}
	if openGroup() != nil {
		return nil, failure(manyrt.ErrInvalidValue, "FromEnvironment is no part of a group")
	}
	raw := options.raw()
	return made(context, func(m *C.char, n C.size_t, out *C.rtComm_t) C.rtStatus_t {
		return C.rtCommCreateFromEnvironmentWithMessage(m, n, out, &raw, handle)
	})
}

// FromMPI makes the rank that this process has in a communicator of MPI; mpiComm points to an MPI_Comm in memory of C. It waits
// for the other ranks, and is no part of a group. Where MPI allows one thread, the goroutine is locked to it.
func FromMPI(mpiComm unsafe.Pointer, context *manyrt.Context, options Options) (*Comm, error) {
	handle, err := contextHandle(context)
	if err != nil {
		return nil, err
	}
	if openGroup() != nil {
		return nil, failure(manyrt.ErrInvalidValue, "FromMPI is no part of a group")
	}
	raw := options.raw()
	return made(context, func(m *C.char, n C.size_t, out *C.rtComm_t) C.rtStatus_t {
		return C.rtCommCreateFromMpiWithMessage(m, n, out, &raw, mpiComm, handle)
	})
}

// Split makes the rank of a new communicator of all ranks with this color, in the order of key and then of rank; nil for NoColor,
// in a group a Comm that stays closed. Every rank calls it and waits for the others; within a Group its end does.
func (c *Comm) Split(color, key int) (*Comm, error) {
	defer runtime.KeepAlive(c)
	handle, err := c.usable()
	if err != nil {
		return nil, err
	}
	part, err := number(color, "the color")
	if err != nil {
		return nil, err
	}
	order, err := number(key, "the key")
	if err != nil {
		return nil, err
	}
	return made(c.context, func(m *C.char, n C.size_t, out *C.rtComm_t) C.rtStatus_t {
		return C.rtCommSplitWithMessage(m, n, out, part, order, handle)
	})
}

// Close ends the rank; a second call does nothing. Operations in flight go on.
func (c *Comm) Close() error {
	c.mutex.Lock()
	handle := c.handle
	c.handle = nil
	c.mutex.Unlock()
	if handle == nil {
		return nil
	}
	return call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommDestroyWithMessage(m, n, handle) })
}

// Rank returns the number of this rank, from 0.
func (c *Comm) Rank() int { return c.rank }

// Size returns how many ranks the communicator has.
func (c *Comm) Size() int { return c.size }

// Context returns the context of the rank.
func (c *Comm) Context() *manyrt.Context { return c.context }

// Handle returns the rtComm_t, for functions of rt_comm.h that a program calls with its own cgo; nil if it is closed.
func (c *Comm) Handle() unsafe.Pointer {
	handle, _ := c.usable()
	return unsafe.Pointer(handle)
}

func (c *Comm) String() string {
	if _, err := c.usable(); err != nil {
		return "manyrt communicator (closed)"
	}
	return fmt.Sprintf("manyrt communicator rank %d of %d", c.rank, c.size)
}

// Info tells what runs the operations of a rank.
type Info struct {
	Engine        Engine
	Transport     Transport
	EngineName    string // "in_process", "shared_memory", "mpi" or "nccl"
	Version       string // of NCCL or MPI in its own words, else of the library
	TransportName string
	LocalSize     int    // ranks in this process when the communicator was made
	Reason        string // where this process has its ranks on CUDA: why NCCL does not run them, else ""
}

// Info returns which engine runs the operations, and how.
func (c *Comm) Info() (Info, error) {
	raw := C.rtCommInfo_t{struct_size: C.sizeof_rtCommInfo_t}
	err := c.do(func(m *C.char, n C.size_t, handle C.rtComm_t) C.rtStatus_t {
		return C.rtCommGetInfoWithMessage(m, n, &raw, handle)
	})
	return Info{Engine(raw.engine), Transport(raw.transport), C.GoString(&raw.engine_name[0]),
		C.GoString(&raw.engine_version[0]), C.GoString(&raw.transport_name[0]), int(raw.local_size),
		C.GoString(&raw.reason[0])}, err
}

// Failure returns the first failure of the communicator as an error, nil if there is none, and the rank that it is about, -1 if
// it is about none.
func (c *Comm) Failure() (rank int, failed error) {
	var status C.rtStatus_t
	var about C.int32_t
	if err := c.do(func(m *C.char, n C.size_t, handle C.rtComm_t) C.rtStatus_t {
		return C.rtCommGetStatusWithMessage(m, n, &status, &about, handle)
	}); err != nil {
		return -1, err
	}
	if status >= 0 {
		return -1, nil
	}
	const bytes = 4096
	text := (*C.char)(C.calloc(1, bytes))
	defer C.free(unsafe.Pointer(text))
	if err := c.do(func(m *C.char, n C.size_t, handle C.rtComm_t) C.rtStatus_t {
		return C.rtCommGetStatusMessageWithMessage(m, n, text, bytes, nil, handle)
	}); err != nil {
		return int(about), err
	}
	return int(about), &manyrt.Error{Status: manyrt.Status(status), Message: strings.ToValidUTF8(C.GoString(text), "?")}
}

// Abort fails the communicator on all its ranks, and ends their waits.
func (c *Comm) Abort() error {
	return c.do(func(m *C.char, n C.size_t, handle C.rtComm_t) C.rtStatus_t {
		return C.rtCommAbortWithMessage(m, n, handle)
	})
}

// Synchronize waits for the work of a stream, as its own Synchronize; nil is the context's default stream. Where the communicator
// has failed, the error is its failure, with its sentence.
func (c *Comm) Synchronize(s *manyrt.Stream) error {
	defer runtime.KeepAlive(c)
	if _, err := c.usable(); err != nil {
		return err
	}
	var err error
	if s != nil {
		err = s.Synchronize()
	} else {
		var stream C.rtStream_t
		if stream, err = c.defaultStream(); err == nil {
			err = call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtStreamSynchronizeWithMessage(m, n, stream) })
		}
	}
	if err != nil {
		if _, own := c.Failure(); own != nil {
			return own
		}
	}
	return err
}

func (c *Comm) defaultStream() (C.rtStream_t, error) {
	var stream C.rtStream_t
	handle, err := contextHandle(c.context)
	if err != nil {
		return nil, err
	}
	err = call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtContextGetDefaultStreamWithMessage(m, n, &stream, handle)
	})
	return stream, err
}
