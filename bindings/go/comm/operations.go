// SPDX-License-Identifier: Apache-2.0

package comm

/*
#include "bridge.h"
*/
import "C"

import (
	"reflect"
	"runtime"
	"unsafe"

	"manyrt"
)

// Float16 is a number of 16 bits as in IEEE 754, by its bits, and BFloat16 the upper half of a float32.
type (
	Float16  uint16
	BFloat16 uint16
)

func typeOf[T manyrt.Element]() Type {
	var zero T
	switch any(zero).(type) {
	case Float16:
		return TypeF16
	case BFloat16:
		return TypeBf16
	}
	return map[reflect.Kind]Type{reflect.Int8: TypeI8, reflect.Uint8: TypeU8, reflect.Int16: TypeI16, reflect.Uint16: TypeU16,
		reflect.Int32: TypeI32, reflect.Uint32: TypeU32, reflect.Int64: TypeI64, reflect.Uint64: TypeU64,
		reflect.Float32: TypeF32, reflect.Float64: TypeF64}[reflect.TypeOf(zero).Kind()]
}

// operation is one with both ranges checked, as the functions of C take it.
type operation struct {
	receive, send unsafe.Pointer
	count         C.uint64_t
	kind          C.int32_t
	stream        C.rtStream_t
	comm          C.rtComm_t
}

// size returns the elements that a call counts; parts is how often the buffer has them.
func size[T manyrt.Element](b *manyrt.Buffer[T], side string, parts int) (int, error) {
	if err := b.Check(); err != nil {
		return 0, err
	}
	if b.Len()%parts != 0 {
		return 0, failure(manyrt.ErrInvalidValue, "'%s' has %d elements, which do not divide by the %d ranks", side, b.Len(), parts)
	}
	return b.Len() / parts, nil
}

// ranges says how often receive and send have the elements that a call counts, and which of them this rank does not have.
type ranges struct {
	receive, send     int
	noReceive, noSend bool
}

// run checks and submits an operation.
func run[T manyrt.Element](c *Comm, name string, receive, send *manyrt.Buffer[T], parts ranges, s *manyrt.Stream,
	submit func(m *C.char, n C.size_t, o *operation) C.rtStatus_t) error {
	defer runtime.KeepAlive(c)
	handle, err := c.usable()
	if err != nil {
		return err
	}
	if parts.noReceive {
		receive = nil
	}
	if parts.noSend {
		send = nil
	}
	if receive == nil && send == nil {
		return failure(manyrt.ErrInvalidValue, "%s of rank %d of %d has no buffer", name, c.rank, c.size)
	}
	o := operation{kind: C.int32_t(typeOf[T]()), comm: handle}
	var to, from int
	if receive != nil {
		if to, err = size(receive, "receive", parts.receive); err != nil {
			return err
		}
		o.receive, o.count = receive.Pointer(), C.uint64_t(to)
	}
	if send != nil {
		if from, err = size(send, "send", parts.send); err != nil {
			return err
		}
		if receive != nil && to != from {
			return failure(manyrt.ErrInvalidValue, "'receive' has %d elements and 'send' %d: %s among %d ranks takes %d to %d",
				receive.Len(), send.Len(), name, c.size, parts.receive, parts.send)
		}
		o.send, o.count = send.Pointer(), C.uint64_t(from)
	}
	// In place the smaller range is this rank's part of the larger.
	var zero T
	part := c.rank * int(o.count) * int(unsafe.Sizeof(zero))
	if receive == nil && !parts.noReceive {
		o.receive = o.send
		if parts.send > parts.receive {
			o.receive = unsafe.Add(o.send, part)
		}
	}
	if send == nil && !parts.noSend {
		o.send = o.receive
		if parts.receive > parts.send {
			o.send = unsafe.Add(o.receive, part)
		}
	}
	return c.submit(&o, s, submit, receive, send)
}

func (c *Comm) submit(o *operation, s *manyrt.Stream, submit func(m *C.char, n C.size_t, o *operation) C.rtStatus_t,
	memory ...any) error {
	defer runtime.KeepAlive(s)
	defer runtime.KeepAlive(memory)
	if s != nil {
		o.stream = C.rtStream_t(s.Handle())
	} else {
		var err error
		if o.stream, err = c.defaultStream(); err != nil {
			return err
		}
	}
	if err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return submit(m, n, o) }); err != nil {
		return err
	}
	if open := openGroup(); open != nil {
		open.keep(c, s, memory...)
		return nil
	}
	if s == nil {
		return c.Synchronize(nil)
	}
	return nil
}

// AllReduce reduces the elements of all ranks and gives every rank the result.
func AllReduce[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], reduction Reduction, s *manyrt.Stream) error {
	return run(c, "AllReduce", receive, send, ranges{receive: 1, send: 1}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommAllReduceWithMessage(m, n, o.receive, o.send, o.count, o.kind, C.int32_t(reduction), o.stream, o.comm)
		})
}

// Reduce reduces the elements of all ranks and gives root the result. The other ranks need no receive.
func Reduce[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], reduction Reduction, root int, s *manyrt.Stream) error {
	to, err := number(root, "the root")
	if err != nil {
		return err
	}
	return run(c, "Reduce", receive, send, ranges{receive: 1, send: 1, noReceive: c != nil && c.rank != root && send != nil}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommReduceWithMessage(m, n, o.receive, o.send, o.count, o.kind, C.int32_t(reduction), to, o.stream, o.comm)
		})
}

// Broadcast gives every rank the elements of root: those of send there, or of receive without it.
func Broadcast[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], root int, s *manyrt.Stream) error {
	from, err := number(root, "the root")
	if err != nil {
		return err
	}
	return run(c, "Broadcast", receive, send, ranges{receive: 1, send: 1, noSend: c != nil && c.rank != root}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommBroadcastWithMessage(m, n, o.receive, o.send, o.count, o.kind, from, o.stream, o.comm)
		})
}

// AllGather gives every rank the elements of all, in rank order: receive has Size times the elements of send.
func AllGather[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], s *manyrt.Stream) error {
	return run(c, "AllGather", receive, send, ranges{receive: c.parts(), send: 1}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommAllGatherWithMessage(m, n, o.receive, o.send, o.count, o.kind, o.stream, o.comm)
		})
}

// ReduceScatter reduces the elements of all ranks and gives each its part: send has Size times the elements of receive.
func ReduceScatter[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], reduction Reduction, s *manyrt.Stream) error {
	return run(c, "ReduceScatter", receive, send, ranges{receive: 1, send: c.parts()}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommReduceScatterWithMessage(m, n, o.receive, o.send, o.count, o.kind, C.int32_t(reduction), o.stream, o.comm)
		})
}

// AllToAll gives each rank its part of every rank, in rank order. In place on all ranks or on none.
func AllToAll[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], s *manyrt.Stream) error {
	return run(c, "AllToAll", receive, send, ranges{receive: c.parts(), send: c.parts()}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommAllToAllWithMessage(m, n, o.receive, o.send, o.count, o.kind, o.stream, o.comm)
		})
}

// Gather gives root the elements of all ranks, in rank order. Without send root has its own in its part of receive.
func Gather[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], root int, s *manyrt.Stream) error {
	to, err := number(root, "the root")
	if err != nil {
		return err
	}
	return run(c, "Gather", receive, send, ranges{receive: c.parts(), send: 1, noReceive: c != nil && c.rank != root}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommGatherWithMessage(m, n, o.receive, o.send, o.count, o.kind, to, o.stream, o.comm)
		})
}

// Scatter gives each rank its part of root's elements. Without receive root keeps its own in its part of send.
func Scatter[T manyrt.Element](c *Comm, receive, send *manyrt.Buffer[T], root int, s *manyrt.Stream) error {
	from, err := number(root, "the root")
	if err != nil {
		return err
	}
	return run(c, "Scatter", receive, send, ranges{receive: 1, send: c.parts(), noSend: c != nil && c.rank != root}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommScatterWithMessage(m, n, o.receive, o.send, o.count, o.kind, from, o.stream, o.comm)
		})
}

// Send sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups.
func Send[T manyrt.Element](c *Comm, send *manyrt.Buffer[T], peer int, s *manyrt.Stream) error {
	to, err := number(peer, "the peer")
	if err != nil {
		return err
	}
	return run(c, "Send", nil, send, ranges{receive: 1, send: 1, noReceive: true}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommSendWithMessage(m, n, o.send, o.count, o.kind, to, o.stream, o.comm)
		})
}

// Receive receives what a rank sends.
func Receive[T manyrt.Element](c *Comm, receive *manyrt.Buffer[T], peer int, s *manyrt.Stream) error {
	from, err := number(peer, "the peer")
	if err != nil {
		return err
	}
	return run(c, "Receive", receive, nil, ranges{receive: 1, send: 1, noSend: true}, s,
		func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
			return C.rtCommReceiveWithMessage(m, n, o.receive, o.count, o.kind, from, o.stream, o.comm)
		})
}

// Barrier has later work of the stream wait until the streams of all ranks have come here; with a nil stream the caller waits.
func (c *Comm) Barrier(s *manyrt.Stream) error {
	defer runtime.KeepAlive(c)
	handle, err := c.usable()
	if err != nil {
		return err
	}
	return c.submit(&operation{comm: handle}, s, func(m *C.char, n C.size_t, o *operation) C.rtStatus_t {
		return C.rtCommBarrierWithMessage(m, n, o.stream, o.comm)
	})
}

// parts is the number of parts of a range that has one for each rank.
func (c *Comm) parts() int {
	if c == nil || c.size == 0 {
		return 1 // run refuses the communicator
	}
	return c.size
}
