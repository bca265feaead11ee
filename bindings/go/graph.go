// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"sync"
)

// Graph is work that Stream.Capture has recorded.
type Graph struct {
	object
	handle  C.rtGraph_t
	context *Context
}

func newGraph(c *Context) *Graph {
	g := &Graph{object: object{kind: "graph", place: c.place}, context: c}
	runtime.SetFinalizer(g, (*Graph).Close)
	return g
}

// NewGraph makes an empty graph.
func (c *Context) NewGraph() (*Graph, error) {
	g := newGraph(c)
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtGraphCreateWithMessage(m, n, &g.handle) })
	return g, err
}

// Close ends the graph and its buffers; what was made executable stays.
func (g *Graph) Close() error {
	return g.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtGraphDestroyWithMessage(m, n, g.handle) })
}

func (g *Graph) do(function func(m *C.char, n C.size_t) C.rtStatus_t) error {
	defer runtime.KeepAlive(g)
	if err := g.usable(); err != nil {
		return err
	}
	_, err := call(function)
	return err
}

// NodeCount returns how many nodes the graph has.
func (g *Graph) NodeCount() (int, error) {
	var count C.uint32_t
	err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphGetNodesWithMessage(m, n, nil, 0, &count, g.handle)
	})
	return int(count), err
}

// GraphBuffer is memory of a graph that Exec.Bind gives; it belongs to the graph.
type GraphBuffer struct {
	handle C.rtGraphBuffer_t
	graph  *Graph
	bytes  int
	name   string
	role   BufferRole
}

// Name returns the buffer's name in the graph file, or an empty text.
func (b *GraphBuffer) Name() string { return b.name }

// Role returns what the buffer is for.
func (b *GraphBuffer) Role() BufferRole { return b.role }

// Bytes returns the size in bytes.
func (b *GraphBuffer) Bytes() int { return b.bytes }

// Buffer turns a buffer that the graph's nodes use into one that is bound.
func (g *Graph) Buffer(b AnyBuffer, role BufferRole) (*GraphBuffer, error) {
	memory := untyped(b)
	defer runtime.KeepAlive(memory)
	if err := memory.usable(); err != nil {
		return nil, err
	}
	made := &GraphBuffer{graph: g, bytes: memory.bytes, role: role}
	err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphMakeBufferWithMessage(m, n, &made.handle, memory.pointer, C.uint64_t(memory.bytes), C.int32_t(role), nil,
			g.handle)
	})
	return made, err
}

// Exec is a graph that runs, many times.
type Exec struct {
	object
	handle C.rtGraphExec_t
	graph  *Graph
	guard  sync.Mutex
	bound  map[*GraphBuffer]*memory // kept alive as long as launches use them
}

// Instantiate makes the graph executable in its context.
func (g *Graph) Instantiate() (*Exec, error) {
	e := &Exec{object: object{kind: "graph exec", place: g.place, parent: &g.context.object}, graph: g,
		bound: map[*GraphBuffer]*memory{}}
	if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphInstantiateWithMessage(m, n, &e.handle, g.handle, g.context.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(e, (*Exec).Close)
	return e, nil
}

// Close ends the exec; launches in flight complete.
func (e *Exec) Close() error {
	return e.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtGraphExecDestroyWithMessage(m, n, e.handle) })
}

// Bind binds memory to a buffer of the graph, from the next launch on.
func (e *Exec) Bind(buffer *GraphBuffer, b AnyBuffer) error {
	defer runtime.KeepAlive(e)
	memory := untyped(b)
	if err := memory.usable(); err != nil {
		return err
	} else if err := e.usable(); err != nil {
		return err
	}
	if buffer == nil {
		return failure(ErrInvalidValue, "the buffer of the graph is nil")
	}
	if memory.bytes < buffer.bytes {
		return failure(ErrInvalidValue, "the buffer has %d bytes, that of the graph has %d", memory.bytes, buffer.bytes)
	}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphExecBindBufferWithMessage(m, n, buffer.handle, memory.pointer, e.handle)
	})
	if err == nil {
		e.guard.Lock()
		e.bound[buffer] = memory
		e.guard.Unlock()
	}
	return err
}

// Launch runs the graph in a stream's order. It does not wait.
func (e *Exec) Launch(s *Stream) error {
	defer runtime.KeepAlive(e)
	if err := e.usable(); err != nil {
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtGraphLaunchWithMessage(m, n, e.handle, s.handle) })
}
