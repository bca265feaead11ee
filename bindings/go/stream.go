// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"sync"
	"time"
)

// Stream is work that runs in order.
type Stream struct {
	object
	handle  C.rtStream_t
	context *Context
	panics  *panicList
}

// NewStream makes a stream; a negative priority is higher.
func (c *Context) NewStream(priority int) (*Stream, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	s := &Stream{object: object{kind: "stream", place: c.place, parent: &c.object}, context: c, panics: &panicList{}}
	if int(int32(priority)) != priority {
		return nil, failure(ErrInvalidValue, "the priority is %d, which has more than 32 bits", priority)
	}
	options := C.rtStreamOptions_t{struct_size: C.sizeof_rtStreamOptions_t, priority: C.int32_t(priority)}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamCreateWithMessage(m, n, &s.handle, &options, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(s, (*Stream).Close)
	return s, nil
}

// Close ends the stream; its work completes.
func (s *Stream) Close() error {
	return s.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtStreamDestroyWithMessage(m, n, s.handle) })
}

func (s *Stream) do(function func(m *C.char, n C.size_t) C.rtStatus_t) error {
	if s == nil {
		return failure(ErrInvalidValue, "the stream is nil")
	}
	defer runtime.KeepAlive(s)
	if err := s.usable(); err != nil {
		return err
	}
	_, err := call(function)
	return err
}

// Synchronize waits for the work of the stream. It returns, and clears, the stream's failure, or the first panic of its host
// functions as a *PanicError.
func (s *Stream) Synchronize() error {
	err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtStreamSynchronizeWithMessage(m, n, s.handle) })
	if err != nil {
		return err
	}
	return s.panics.take()
}

// SynchronizeFor is as Synchronize, waits at most limit, and clears nothing; ErrTimeout if the limit passes.
func (s *Stream) SynchronizeFor(limit time.Duration) error {
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamSynchronizeForWithMessage(m, n, nanoseconds(limit), s.handle)
	})
}

// Done tells whether all work submitted so far is complete.
func (s *Stream) Done() (bool, error) {
	defer runtime.KeepAlive(s)
	if err := s.usable(); err != nil {
		return false, err
	}
	status, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtStreamQueryWithMessage(m, n, s.handle) })
	return status == Success, err
}

// WaitEvent makes later work wait for the last record of an event.
func (s *Stream) WaitEvent(e *Event) error {
	if e == nil {
		return failure(ErrInvalidValue, "the event is nil")
	}
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamWaitEventWithMessage(m, n, e.handle, s.handle)
	})
}

// WaitStream makes later work wait for all work that another stream has now.
func (s *Stream) WaitStream(other *Stream) error {
	if other == nil {
		return failure(ErrInvalidValue, "the stream is nil")
	}
	defer runtime.KeepAlive(other)
	if err := other.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamWaitStreamWithMessage(m, n, other.handle, s.handle)
	})
}

// WaitContext makes later work wait for all work that all streams of a context have now.
func (s *Stream) WaitContext(c *Context) error {
	if c == nil {
		return failure(ErrInvalidValue, "the context is nil")
	}
	defer runtime.KeepAlive(c)
	if err := c.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamWaitContextWithMessage(m, n, c.handle, s.handle)
	})
}

// Priority returns the priority; a negative one is higher than 0.
func (s *Stream) Priority() (int, error) {
	var priority C.int32_t
	err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamGetPriorityWithMessage(m, n, &priority, s.handle)
	})
	return int(priority), err
}

// WaitFence makes later work wait until a fence has reached a value.
func (s *Stream) WaitFence(f *Fence, value uint64) error {
	if f == nil {
		return failure(ErrInvalidValue, "the fence is nil")
	}
	defer runtime.KeepAlive(f)
	if err := f.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamWaitFenceWithMessage(m, n, f.handle, C.uint64_t(value), s.handle)
	})
}

// SignalFence raises a fence to a value when the stream's earlier work is complete. No finalizer ends the fence before.
func (s *Stream) SignalFence(f *Fence, value uint64) error {
	if f == nil {
		return failure(ErrInvalidValue, "the fence is nil")
	}
	defer runtime.KeepAlive(f)
	if err := f.usable(); err != nil {
		return err
	}
	err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamSignalFenceWithMessage(m, n, f.handle, C.uint64_t(value), s.handle)
	})
	if err == nil {
		keepSignalled(f, value)
	}
	return err
}

// WaitBuffer makes later work wait for the last use of a buffer of any context, on any stream.
func (s *Stream) WaitBuffer(b AnyBuffer) error {
	memory := untyped(b)
	defer runtime.KeepAlive(memory)
	if err := memory.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamWaitPointerWithMessage(m, n, memory.pointer, s.handle)
	})
}

// PanicError is what a host function panicked with.
type PanicError struct{ Value any }

func (p *PanicError) Error() string { return fmt.Sprintf("a host function panicked: %v", p.Value) }

// panicList keeps the first panic of a stream's host functions.
type panicList struct {
	mutex sync.Mutex
	first error
}

func (p *panicList) add(value any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.first == nil {
		p.first = &PanicError{value}
	}
}

func (p *panicList) take() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	first := p.first
	p.first = nil
	return first
}

type hostCall struct {
	function func(failure error)
	panics   *panicList
}

// capturing tells whether the stream takes part in a capture.
func (s *Stream) capturing() (bool, error) {
	var state C.int32_t
	err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamIsCapturingWithMessage(m, n, &state, s.handle)
	})
	return state != C.RT_CAPTURE_NONE, err
}

// HostFunction calls a function once, after the work ahead of it, on a thread of the library. Its argument is the stream's
// failure, or nil. It must not wait for the stream. A panic is recovered; Synchronize of this stream returns it. In a capture
// it becomes a part of the graph, and is called once for each launch, also of another stream.
func (s *Stream) HostFunction(function func(failure error)) error {
	if function == nil {
		return failure(ErrInvalidValue, "the host function is nil")
	}
	handle := cgo.NewHandle(hostCall{function, s.panics})
	err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.manyrtLaunchHost(m, n, C.uintptr_t(handle), s.handle)
	})
	if err != nil {
		handle.Delete()
	}
	return err
}

// Capture records what body submits to the stream as a graph.
func (s *Stream) Capture(body func() error) (*Graph, error) {
	if err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtStreamBeginCaptureWithMessage(m, n, s.handle)
	}); err != nil {
		return nil, err
	}
	graph := newGraph(s.context)
	ended := false
	end := func() error {
		ended = true
		return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
			return C.rtStreamEndCaptureWithMessage(m, n, &graph.handle, s.handle)
		})
	}
	defer func() { // a panic in body does not leave the stream in the capture
		if !ended && end() == nil {
			graph.Close()
		}
	}()
	problem := body()
	if err := end(); err != nil {
		if problem != nil {
			return nil, problem
		}
		return nil, err
	}
	if problem != nil {
		graph.Close()
		return nil, problem
	}
	return graph, nil
}
