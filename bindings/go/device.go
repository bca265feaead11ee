// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include "bridge.h"
*/
import "C"

import "runtime"

// Properties describe a device. Numbers that are unknown, and texts that there are not, are 0 and empty.
type Properties struct {
	ID, Name, Vendor, DriverVersion, Architecture, PCIBusID string
	UUID                                                    [16]byte
	Kind                                                    DeviceKind
	Backend                                                 Backend
	Ordinal                                                 int // within the backend
	ComputeUnits, ClockMHz, SIMDWidth                       int
	MaxGroupItems                                           int // of a work-group
	MaxGroupSize                                            [3]uint32
	MaxGridSize                                             [3]uint64 // in work-groups
	MemoryBytes, MaxAllocationBytes                         uint64
	CacheLineBytes, L1Bytes, L2Bytes, L3Bytes               uint64
	LocalBytesPerGroup                                      uint64
	UnifiedMemory                                           bool // host and device share one physical memory
	MemoryTier                                              MemoryTier
	PriorityLeast, PriorityGreatest                         int // of streams
}

// Properties returns the device's properties.
func (d *Device) Properties() (Properties, error) {
	p := C.rtDeviceProperties_t{struct_size: C.sizeof_rtDeviceProperties_t}
	if _, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtDeviceGetPropertiesWithMessage(m, n, &p, d.handle)
	}); err != nil {
		return Properties{}, err
	}
	made := Properties{
		ID: C.GoString(&p.id[0]), Name: C.GoString(&p.name[0]), Vendor: C.GoString(&p.vendor[0]),
		DriverVersion: C.GoString(&p.driver_version[0]), Architecture: C.GoString(&p.architecture[0]),
		PCIBusID: C.GoString(&p.pci_bus_id[0]), Kind: DeviceKind(p.kind), Backend: Backend(p.backend), Ordinal: int(p.ordinal),
		ComputeUnits: int(p.compute_units), ClockMHz: int(p.clock_mhz), SIMDWidth: int(p.simd_width),
		MaxGroupItems: int(p.max_group_items), MemoryBytes: uint64(p.memory_bytes),
		MaxAllocationBytes: uint64(p.max_allocation_bytes), CacheLineBytes: uint64(p.cache_line_bytes),
		L1Bytes: uint64(p.l1_bytes), L2Bytes: uint64(p.l2_bytes), L3Bytes: uint64(p.l3_bytes),
		LocalBytesPerGroup: uint64(p.local_bytes_per_group), UnifiedMemory: p.unified_memory == 1,
		MemoryTier: MemoryTier(p.memory_tier), PriorityLeast: int(p.priority_least), PriorityGreatest: int(p.priority_greatest)}
	for index := range made.UUID {
		made.UUID[index] = byte(p.uuid[index])
	}
	for index := range made.MaxGroupSize {
		made.MaxGroupSize[index], made.MaxGridSize[index] = uint32(p.max_group_size[index]), uint64(p.max_grid_size[index])
	}
	return made, nil
}

// Memory returns the free and all bytes of the device, and makes no context for it.
func (d *Device) Memory() (free, total uint64, err error) {
	var unused, all C.uint64_t
	_, err = call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtDeviceGetMemInfoWithMessage(m, n, &unused, &all, d.handle)
	})
	return uint64(unused), uint64(all), err
}

// Memory returns the free and all bytes of the context's device. What its pools have not used counts as free.
func (c *Context) Memory() (free, total uint64, err error) {
	defer runtime.KeepAlive(c)
	if err := c.usable(); err != nil {
		return 0, 0, err
	}
	var unused, all C.uint64_t
	_, err = call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtMemGetInfoWithMessage(m, n, &unused, &all, c.handle)
	})
	return uint64(unused), uint64(all), err
}

// ObjectCounts counts objects that are handed out again and again: so far, of these not for the first time, and in use now.
// Native ones exist now, in use or kept for the next use; of events there are none.
type ObjectCounts struct{ Created, Recycled, Live, Native uint64 }

// ContextStatistics counts the streams and events of a context, and the points behind its events.
type ContextStatistics struct{ Streams, Events, Points ObjectCounts }

// Statistics returns the context's counts.
func (c *Context) Statistics() (ContextStatistics, error) {
	defer runtime.KeepAlive(c)
	if err := c.usable(); err != nil {
		return ContextStatistics{}, err
	}
	stats := C.rtContextStats_t{struct_size: C.sizeof_rtContextStats_t}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtContextGetStatsWithMessage(m, n, &stats, c.handle)
	})
	return ContextStatistics{
		Streams: ObjectCounts{uint64(stats.streams_created), uint64(stats.streams_recycled), uint64(stats.streams_live),
			uint64(stats.streams_native)},
		Events: ObjectCounts{uint64(stats.events_created), uint64(stats.events_recycled), uint64(stats.events_live), 0},
		Points: ObjectCounts{uint64(stats.points_created), uint64(stats.points_recycled), uint64(stats.points_live),
			uint64(stats.points_native)}}, err
}

// BackendInfo tells whether a backend can be used.
type BackendInfo struct {
	Name, DriverName, DriverVersion string
	Available                       bool
	Devices                         int
	Reason                          string // why it is not available, as a sentence
}

// Info returns what there is of a backend: its driver and devices, or why there are none.
func (b Backend) Info() (BackendInfo, error) {
	info := C.rtBackendInfo_t{struct_size: C.sizeof_rtBackendInfo_t}
	_, err := call(func(m *C.char, n C.size_t) C.rtStatus_t {
		return C.rtBackendGetInfoWithMessage(m, n, &info, C.int32_t(b))
	})
	return BackendInfo{C.GoString(&info.name[0]), C.GoString(&info.driver_name[0]), C.GoString(&info.driver_version[0]),
		info.available == 1, int(info.device_count), C.GoString(&info.reason[0])}, err
}
