// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Element is a type that kernels and Go see in the same way.
type Element interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// memory is the part of a Buffer that does not depend on its type.
type memory struct {
	object
	pointer unsafe.Pointer
	bytes   int
	element string // as OpenCL C names it
	context *Context
	owner   *memory // of a slice
}

func (m *memory) usable() error {
	if m == nil {
		return failure(ErrInvalidValue, "the buffer is nil")
	}
	owner := m
	if m.owner != nil {
		owner = m.owner
	}
	if m.isClosed() || owner.isClosed() {
		return failure(ErrInvalidHandle, "the %s is closed", m.kind)
	}
	return nil // memory stays after the end of its context
}

// Buffer is memory for elements of one type.
type Buffer[T Element] struct {
	memory *memory
	count  int
}

// AnyBuffer is a Buffer of any type, for arguments of kernels and bindings of graphs.
type AnyBuffer interface{ untyped() *memory }

func (b *Buffer[T]) untyped() *memory {
	if b == nil {
		return nil
	}
	return b.memory
}

func untyped(b AnyBuffer) *memory {
	if b == nil {
		return nil
	}
	return b.untyped()
}

func elementName[T Element]() string {
	var zero T
	switch any(zero).(type) {
	case int8:
		return "char"
	case uint8:
		return "uchar"
	case int16:
		return "short"
	case uint16:
		return "ushort"
	case int32:
		return "int"
	case uint32:
		return "uint"
	case int64:
		return "long"
	case uint64:
		return "ulong"
	case float32:
		return "float"
	case float64:
		return "double"
	}
	return "" // a named type: its size is checked, its name is not
}

func byteCount[T Element](count int) (int, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if count < 1 || count > int(^uint(0)>>1)/size {
		return 0, failure(ErrInvalidValue, "a buffer has at least 1 element, and fewer than 2^63 bytes, not %d elements", count)
	}
	return count * size, nil
}

// Alloc allocates count elements of device memory. Their values are undefined.
func Alloc[T Element](c *Context, count int) (*Buffer[T], error) {
	return AllocKind[T](c, count, MemoryKindDevice)
}

// AllocKind allocates count elements of a kind of memory: of the device, pinned on the host, or shared.
func AllocKind[T Element](c *Context, count int, kind MemoryKind) (*Buffer[T], error) {
	bytes, err := byteCount[T](count)
	if err != nil {
		return nil, err
	}
	m, err := c.allocate(bytes, kind, elementName[T]())
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{m, count}, nil
}

// AllocFrom allocates count elements from a pool, in a stream's order.
func AllocFrom[T Element](p *Pool, s *Stream, count int) (*Buffer[T], error) {
	bytes, err := byteCount[T](count)
	if err != nil {
		return nil, err
	}
	m, err := p.allocate(bytes, s, elementName[T]())
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{m, count}, nil
}

func (c *Context) newMemory(bytes int, element string) *memory {
	return &memory{object: object{kind: "buffer", place: c.place}, bytes: bytes, element: element, context: c}
}

func (c *Context) allocate(bytes int, kind MemoryKind, element string) (*memory, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	made := c.newMemory(bytes, element)
	options := C.rtMallocOptions_t{struct_size: C.sizeof_rtMallocOptions_t, kind: C.int32_t(kind)}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMallocWithOptionsWithMessage(m, n, &made.pointer, C.size_t(bytes), &options, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, (*memory).close)
	return made, nil
}

func (m *memory) close() error {
	if m.owner != nil {
		return nil
	}
	return m.end(func(text *C.char, n C.size_t) C.rtStatus_t { return C.rtFreeWithMessage(text, n, m.pointer) })
}

// Close frees the memory when the streams have passed their present work. That of a slice frees nothing.
func (b *Buffer[T]) Close() error { return b.memory.close() }

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.count }

// Check returns an error if the buffer is nil, or it or the one that it is a slice of is closed.
func (b *Buffer[T]) Check() error { return b.untyped().usable() }

// Bytes returns the size in bytes.
func (b *Buffer[T]) Bytes() int { return b.memory.bytes }

// Pointer returns the address, valid until Close.
func (b *Buffer[T]) Pointer() unsafe.Pointer { return b.memory.pointer }

func (b *Buffer[T]) String() string { return b.memory.String() }

// Slice returns the elements from begin up to, not including, end, as a view that keeps the memory alive.
func (b *Buffer[T]) Slice(begin, end int) (*Buffer[T], error) {
	if err := b.memory.usable(); err != nil {
		return nil, err
	}
	if begin < 0 || end <= begin || end > b.count {
		return nil, failure(ErrInvalidValue, "the slice [%d:%d] is outside of a buffer of %d elements, or empty", begin, end, b.count)
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	owner := b.memory
	if owner.owner != nil {
		owner = owner.owner
	}
	part := b.memory.context.newMemory((end-begin)*size, b.memory.element)
	part.pointer, part.owner = unsafe.Add(b.memory.pointer, begin*size), owner
	return &Buffer[T]{part, end - begin}, nil
}

// copyMemory copies bytes and waits, or, with a stream, in its order.
func copyMemory(to, from unsafe.Pointer, bytes int, s *Stream) error {
	target, source := (*C.uchar)(to), (*C.uchar)(from)
	if s == nil {
		_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t { return C.manyrtCopy(m, n, target, source, C.size_t(bytes)) })
		return err
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.manyrtCopyAsync(m, n, target, source, C.size_t(bytes), s.handle)
	})
}

// checkHost refuses what a copy from or to memory of Go cannot do.
func (m *memory) checkHost(values int, s *Stream) error {
	if err := m.usable(); err != nil {
		return err
	}
	if values != m.bytes {
		return failure(ErrInvalidValue, "the values have %d bytes, the buffer has %d", values, m.bytes)
	}
	if s == nil {
		return nil
	}
	captured, err := s.capturing()
	if err == nil && captured {
		err = failure(ErrInvalidValue, "a graph does not use memory of Go: copy between buffers, of which one may be pinned")
	}
	return err
}

// Upload copies values to the buffer, as many as it has. With a stream in its order; the values have been read when it returns.
// A nil stream waits for the copy.
func (b *Buffer[T]) Upload(values []T, s *Stream) error {
	defer runtime.KeepAlive(b)
	var zero T
	if err := b.memory.checkHost(len(values)*int(unsafe.Sizeof(zero)), s); err != nil {
		return err
	}
	return copyMemory(b.memory.pointer, unsafe.Pointer(&values[0]), b.memory.bytes, s)
}

// Download copies the buffer to values, as many as it has, with a stream after its earlier work, and waits. Where it returns an
// error the values are unchanged.
func (b *Buffer[T]) Download(values []T, s *Stream) error {
	defer runtime.KeepAlive(b)
	var zero T
	if err := b.memory.checkHost(len(values)*int(unsafe.Sizeof(zero)), s); err != nil {
		return err
	}
	if s == nil {
		return copyMemory(unsafe.Pointer(&values[0]), b.memory.pointer, b.memory.bytes, nil)
	}
	// Memory of Go may not be written to after the call, so that the copy goes through memory of C.
	staging := C.malloc(C.size_t(b.memory.bytes))
	if err := copyMemory(staging, b.memory.pointer, b.memory.bytes, s); err != nil {
		C.free(staging)
		return err
	}
	if err := s.Synchronize(); err != nil {
		C.manyrtFreeAfter(staging, s.handle) // the copy may be still to come, as within a host function of this stream
		runtime.KeepAlive(s)
		return err
	}
	copy(values, unsafe.Slice((*T)(staging), len(values)))
	C.free(staging)
	return nil
}

// CopyFrom copies another buffer of the same size, of any device. With a stream in its order; nil waits.
func (b *Buffer[T]) CopyFrom(other *Buffer[T], s *Stream) error {
	defer runtime.KeepAlive(b)
	defer runtime.KeepAlive(other)
	source := other.untyped()
	for _, m := range []*memory{b.memory, source} {
		if err := m.usable(); err != nil {
			return err
		}
	}
	if b.memory.bytes != source.bytes {
		return failure(ErrInvalidValue, "the source has %d bytes, the buffer has %d", source.bytes, b.memory.bytes)
	}
	return copyMemory(b.memory.pointer, source.pointer, b.memory.bytes, s)
}

// Fill sets every element to a value in a stream's order. A nil stream is an error.
func (b *Buffer[T]) Fill(value T, s *Stream) error {
	defer runtime.KeepAlive(b)
	return b.memory.fill(unsafe.Pointer(&value), int(unsafe.Sizeof(value)), b.count, s)
}

func (m *memory) fill(pattern unsafe.Pointer, size, count int, s *Stream) error {
	if err := m.usable(); err != nil {
		return err
	}
	return s.do(func(text *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemFillAsyncWithMessage(text, n, m.pointer, pattern, C.size_t(size), C.size_t(count), s.handle)
	})
}

// Prefetch moves shared memory towards a device, or to the host with nil, in a stream's order. It is a hint.
func (b *Buffer[T]) Prefetch(d *Device, s *Stream) error {
	defer runtime.KeepAlive(b)
	if err := b.memory.usable(); err != nil {
		return err
	}
	var destination C.rtDevice_t
	if d != nil {
		destination = d.handle
	}
	return s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemPrefetchAsyncWithMessage(m, n, b.memory.pointer, C.size_t(b.memory.bytes), destination, s.handle)
	})
}

// Pool is where buffers come from.
type Pool struct {
	object
	handle  C.rtMemPool_t
	context *Context
}

// NewPool makes a pool of a kind of memory with a hard limit in bytes; 0: none.
func (c *Context) NewPool(kind MemoryKind, maximum uint64) (*Pool, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	p := &Pool{object: object{kind: "pool", place: c.place, parent: &c.object}, context: c}
	options := C.rtMemPoolOptions_t{struct_size: C.sizeof_rtMemPoolOptions_t, kind: C.int32_t(kind),
		maximum_bytes: C.uint64_t(maximum)}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemPoolCreateWithMessage(m, n, &p.handle, &options, c.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(p, (*Pool).Close)
	return p, nil
}

// Close ends the pool; its buffers stay until their own Close.
func (p *Pool) Close() error {
	return p.end(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtMemPoolDestroyWithMessage(m, n, p.handle) })
}

func (p *Pool) allocate(bytes int, s *Stream, element string) (*memory, error) {
	defer runtime.KeepAlive(p)
	if err := p.usable(); err != nil {
		return nil, err
	}
	made := p.context.newMemory(bytes, element)
	if err := s.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMallocFromPoolWithMessage(m, n, &made.pointer, C.size_t(bytes), 0, s.handle, p.handle)
	}); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, (*memory).close)
	return made, nil
}

// PoolStatistics counts bytes and allocations of a pool.
type PoolStatistics struct {
	LiveBytes, LiveCount                          uint64 // allocated and not freed
	ReservedBytes                                 uint64 // taken from the driver
	PeakLiveBytes, PeakReservedBytes              uint64 // since ResetPeak
	PendingBytes                                  uint64 // freed, and held by work in flight or by a graph
	Allocations, Frees, Reuses, DriverAllocations uint64 // so far
}

func (p *Pool) do(function func(m *C.char, n C.size_t) C.rtStatus_t) error {
	defer runtime.KeepAlive(p)
	if err := p.usable(); err != nil {
		return err
	}
	_, err := call(function)
	return err
}

// Statistics returns the pool's numbers.
func (p *Pool) Statistics() (PoolStatistics, error) {
	stats := C.rtMemPoolStats_t{struct_size: C.sizeof_rtMemPoolStats_t}
	err := p.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemPoolGetStatsWithMessage(m, n, &stats, p.handle)
	})
	return PoolStatistics{LiveBytes: uint64(stats.live_bytes), LiveCount: uint64(stats.live_count),
		ReservedBytes: uint64(stats.reserved_bytes), PeakLiveBytes: uint64(stats.peak_live_bytes),
		PeakReservedBytes: uint64(stats.peak_reserved_bytes), PendingBytes: uint64(stats.pending_bytes),
		Allocations: uint64(stats.allocation_count), Frees: uint64(stats.free_count), Reuses: uint64(stats.reuse_count),
		DriverAllocations: uint64(stats.driver_allocation_count)}, err
}

// LiveBytes returns the bytes that are allocated from the pool and not freed.
func (p *Pool) LiveBytes() (uint64, error) {
	stats, err := p.Statistics()
	return stats.LiveBytes, err
}

// ResetPeak starts the peaks of Statistics again from the present.
func (p *Pool) ResetPeak() error {
	return p.do(func(m *C.char, n C.size_t) C.rtStatus_t { return C.rtMemPoolResetPeakWithMessage(m, n, p.handle) })
}

// Trim gives unused memory back to the driver, down to keep bytes.
func (p *Pool) Trim(keep uint64) error {
	return p.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemPoolTrimWithMessage(m, n, C.uint64_t(keep), p.handle)
	})
}

// SetReleaseThreshold sets how many unused bytes the pool keeps at a synchronise.
func (p *Pool) SetReleaseThreshold(bytes uint64) error {
	return p.do(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemPoolSetReleaseThresholdWithMessage(m, n, C.uint64_t(bytes), p.handle)
	})
}

// JSON returns the blocks and statistics of the pool.
func (p *Pool) JSON() (string, error) {
	defer runtime.KeepAlive(p)
	if err := p.usable(); err != nil {
		return "", err
	}
	return text(func(m *C.char, n C.size_t, buffer *C.char, size C.size_t, needed *C.size_t) C.rtStatus_t {
		return C.rtMemPoolDumpJsonWithMessage(m, n, buffer, size, needed, p.handle)
	})
}
