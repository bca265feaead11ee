// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import "unsafe"

// LoadGraph makes a graph from a graph file (docs/graph-file.md). Its kernels are built by Instantiate, for this context.
func (c *Context) LoadGraph(file []byte) (*Graph, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	if len(file) == 0 {
		return nil, failure(ErrInvalidValue, "the graph file is empty")
	}
	data := C.CBytes(file)
	defer C.free(data)
	g := newGraph(c)
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphLoadWithMessage(m, n, &g.handle, data, C.size_t(len(file)))
	}); err != nil {
		return nil, err
	}
	return g, nil
}

// Save returns the graph as a graph file. One that names handles or addresses, as captured work does, is ErrNotSupported.
func (g *Graph) Save() ([]byte, error) {
	var needed C.size_t
	if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphSaveWithMessage(m, n, nil, 0, &needed, g.handle)
	}); err != nil {
		return nil, err
	}
	data := C.malloc(needed + 1)
	defer C.free(data)
	if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphSaveWithMessage(m, n, data, needed, nil, g.handle)
	}); err != nil {
		return nil, err
	}
	return C.GoBytes(data, C.int(needed)), nil
}

// Dot returns the graph in the language of Graphviz.
func (g *Graph) Dot() (string, error) {
	if err := g.usable(); err != nil {
		return "", err
	}
	return text(func(m *C.char, n C.size_t, buffer *C.char, size C.size_t, needed *C.size_t) C.rtStatus_t {
		return C.rtGraphExportDotWithMessage(m, n, buffer, size, needed, g.handle)
	})
}

// Buffers returns the buffers of the graph that are no temporaries, in the order of the file or of their calls of Buffer.
func (g *Graph) Buffers() ([]*GraphBuffer, error) {
	var count C.uint32_t
	if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphGetBuffersWithMessage(m, n, nil, 0, &count, g.handle)
	}); err != nil || count == 0 {
		return nil, err
	}
	block := C.calloc(C.size_t(count), C.size_t(unsafe.Sizeof(C.rtGraphBuffer_t(nil))))
	defer C.free(block)
	handles := unsafe.Slice((*C.rtGraphBuffer_t)(block), int(count))
	if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtGraphGetBuffersWithMessage(m, n, &handles[0], count, &count, g.handle)
	}); err != nil {
		return nil, err
	}
	var buffers []*GraphBuffer
	for _, handle := range handles {
		info := C.rtGraphBufferInfo_t{struct_size: C.sizeof_rtGraphBufferInfo_t}
		if err := g.do(func(m *C.char, n C.size_t) C.rtStatus_t {
			return C.rtGraphBufferGetInfoWithMessage(m, n, &info, handle)
		}); err != nil {
			return nil, err
		}
		if info.role != C.RT_GRAPH_BUFFER_TEMPORARY {
			buffers = append(buffers, &GraphBuffer{handle, g, int(info.size), C.GoString(&info.name[0]), BufferRole(info.role)})
		}
	}
	return buffers, nil
}
