// SPDX-License-Identifier: Apache-2.0

package manyrt

import "unsafe"

// Handle returns the handle of C, such as an rtDevice_t, for functions of rt.h that a program calls with its own cgo. Like those
// of the other types it is valid until Close, and runtime.KeepAlive keeps its object until the call of C is over.
func (d *Device) Handle() unsafe.Pointer { return unsafe.Pointer(d.handle) }

// Handle returns the rtContext_t.
func (c *Context) Handle() unsafe.Pointer { return unsafe.Pointer(c.handle) }

// Handle returns the rtStream_t.
func (s *Stream) Handle() unsafe.Pointer { return unsafe.Pointer(s.handle) }

// Handle returns the rtEvent_t.
func (e *Event) Handle() unsafe.Pointer { return unsafe.Pointer(e.handle) }

// Handle returns the rtFence_t.
func (f *Fence) Handle() unsafe.Pointer { return unsafe.Pointer(f.handle) }

// Handle returns the rtMemPool_t.
func (p *Pool) Handle() unsafe.Pointer { return unsafe.Pointer(p.handle) }

// Handle returns the rtModule_t.
func (m *Module) Handle() unsafe.Pointer { return unsafe.Pointer(m.handle) }

// Handle returns the rtKernel_t.
func (k *Kernel) Handle() unsafe.Pointer { return unsafe.Pointer(k.handle) }

// Handle returns the rtGraph_t.
func (g *Graph) Handle() unsafe.Pointer { return unsafe.Pointer(g.handle) }

// Handle returns the rtGraphBuffer_t.
func (b *GraphBuffer) Handle() unsafe.Pointer { return unsafe.Pointer(b.handle) }

// Handle returns the rtGraphExec_t.
func (e *Exec) Handle() unsafe.Pointer { return unsafe.Pointer(e.handle) }
