// SPDX-License-Identifier: Apache-2.0

package comm

/*
#include "bridge.h"

// The group that is open on this thread, as a runtime/cgo.Handle. A group locks its goroutine to the thread.
static __thread uintptr_t manyrtOpenGroup;
static inline uintptr_t manyrtGetGroup(void) { return manyrtOpenGroup; }
static inline void manyrtSetGroup(uintptr_t group) { manyrtOpenGroup = group; }
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"

	"manyrt"
)

// pending is a rank that the end of a group makes; out is memory of C.
type pending struct {
	comm *Comm
	out  *C.rtComm_t
}

// group is what the calls of an open group need until the end of the outermost one.
type group struct {
	pending []pending
	waits   []*Comm // operations without a stream
	memory  []any
}

// openGroup returns the group of this goroutine's thread, or nil.
func openGroup() *group {
	if handle := C.manyrtGetGroup(); handle != 0 {
		return cgo.Handle(handle).Value().(*group)
	}
	return nil
}

// Group calls body and submits its operations at the end, as one: sends and receives among them do not wait for each other. Ranks
// that are made inside can be used after it. After an error of body, which is returned, nothing is submitted. Groups nest; the
// outermost counts. body makes the calls in its own goroutine.
func Group(body func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommGroupBeginWithMessage(m, n) }); err != nil {
		return err
	}
	outermost := openGroup() == nil
	if outermost {
		C.manyrtSetGroup(C.uintptr_t(cgo.NewHandle(&group{})))
	}
	ended := false
	defer func() {
		if !ended { // a panic in body
			_ = endGroup(outermost, true)
		}
	}()
	err := body()
	ended = true
	if failed := endGroup(outermost, err != nil); err == nil {
		err = failed
	}
	return err
}

// endGroup ends the group; refused: without submitting anything.
func endGroup(outermost, refused bool) error {
	if refused {
		C.rtCommBarrier(nil, nil) // a refused call: nothing of the group is submitted then
	}
	err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtCommGroupEndWithMessage(m, n) })
	if !outermost {
		return err
	}
	handle := cgo.Handle(C.manyrtGetGroup())
	open := handle.Value().(*group)
	C.manyrtSetGroup(0)
	handle.Delete()
	for _, rank := range open.pending {
		handle := *rank.out
		C.free(unsafe.Pointer(rank.out))
		switch {
		case handle == nil:
		case err != nil: // others of the group have failed
			C.rtCommDestroy(handle)
		default:
			err = rank.comm.opened(handle)
		}
	}
	for _, comm := range open.waits {
		if err == nil {
			err = comm.Synchronize(nil)
		}
	}
	runtime.KeepAlive(open.memory)
	return err
}

// keep has the objects live until the group ends, and the caller wait then for an operation without a stream.
func (g *group) keep(c *Comm, s *manyrt.Stream, memory ...any) {
	g.memory = append(append(g.memory, c, s), memory...)
	if s == nil {
		g.waits = append(g.waits, c)
	}
}
