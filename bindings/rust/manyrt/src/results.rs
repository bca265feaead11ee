// Made by bindings/rust/generate.py from bindings/rt.json; not to be edited. SPDX-License-Identifier: Apache-2.0
//! What the library says about devices, kernels, pools and graphs, as Rust values.

use crate::constants::*;
use crate::error::text;

/// Result of rtBackendGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackendInfo {
    /// RT\_BACKEND\_\*
    pub backend: Backend,
    /// 1 if its devices can be used
    pub available: i32,
    /// devices found
    pub device_count: i32,
    /// "cpu", "cuda", "opencl", "null"
    pub name: String,
    /// empty if unavailable
    pub driver_name: String,
    /// empty if unavailable
    pub driver_version: String,
    /// why it is unavailable, a sentence; else empty
    pub reason: String,
}

impl BackendInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtBackendInfo_t) -> Self {
        BackendInfo {
            backend: Backend(raw.backend),
            available: raw.available,
            device_count: raw.device_count,
            name: text(&raw.name),
            driver_name: text(&raw.driver_name),
            driver_version: text(&raw.driver_version),
            reason: text(&raw.reason),
        }
    }
}

/// Result of rtDeviceGetProperties.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// RT\_DEVICE\_KIND\_\*
    pub kind: DeviceKind,
    /// RT\_BACKEND\_\*
    pub backend: Backend,
    /// index within the backend
    pub ordinal: i32,
    /// as rtDeviceGetByName takes it: "cpu", "cuda:0"
    pub id: String,
    /// the product's name
    pub name: String,
    /// vendor.
    pub vendor: String,
    /// driver version.
    pub driver_version: String,
    /// "sm\_90", or the CPU's instruction set
    pub architecture: String,
    /// "0000:01:00.0", empty if there is none
    pub pci_bus_id: String,
    /// zeros if there is none
    pub uuid: [u8; 16],
    /// multiprocessors, or cores
    pub compute_units: u32,
    /// highest clock, 0 if unknown
    pub clock_mhz: u32,
    /// warp width, or 32-bit lanes of a SIMD register
    pub simd_width: u32,
    /// work-items in a work-group, at most
    pub max_group_items: u32,
    /// and in each direction
    pub max_group_size: [u32; 3],
    /// work-groups in each direction, at most
    pub max_grid_size: [u64; 3],
    /// memory of the device
    pub memory_bytes: u64,
    /// largest single allocation
    pub max_allocation_bytes: u64,
    /// 0 if unknown
    pub cache_line_bytes: u64,
    /// caches: 0 if absent or unknown
    pub l1_bytes: u64,
    /// OpenCL: the cache of global memory, whose level its drivers do not tell
    pub l2_bytes: u64,
    /// l3 bytes.
    pub l3_bytes: u64,
    /// local (CUDA: shared) memory of a work-group, at most
    pub local_bytes_per_group: u64,
    /// 1 if host and device share one physical memory
    pub unified_memory: u32,
    /// RT\_MEMORY\_TIER\_\*
    pub memory_tier: MemoryTier,
    /// of streams: 0
    pub priority_least: i32,
    /// 0 or negative: higher priority
    pub priority_greatest: i32,
}

impl DeviceProperties {
    pub(crate) fn new(raw: &manyrt_sys::rtDeviceProperties_t) -> Self {
        DeviceProperties {
            kind: DeviceKind(raw.kind),
            backend: Backend(raw.backend),
            ordinal: raw.ordinal,
            id: text(&raw.id),
            name: text(&raw.name),
            vendor: text(&raw.vendor),
            driver_version: text(&raw.driver_version),
            architecture: text(&raw.architecture),
            pci_bus_id: text(&raw.pci_bus_id),
            uuid: raw.uuid,
            compute_units: raw.compute_units,
            clock_mhz: raw.clock_mhz,
            simd_width: raw.simd_width,
            max_group_items: raw.max_group_items,
            max_group_size: raw.max_group_size,
            max_grid_size: raw.max_grid_size,
            memory_bytes: raw.memory_bytes,
            max_allocation_bytes: raw.max_allocation_bytes,
            cache_line_bytes: raw.cache_line_bytes,
            l1_bytes: raw.l1_bytes,
            l2_bytes: raw.l2_bytes,
            l3_bytes: raw.l3_bytes,
            local_bytes_per_group: raw.local_bytes_per_group,
            unified_memory: raw.unified_memory,
            memory_tier: MemoryTier(raw.memory_tier),
            priority_least: raw.priority_least,
            priority_greatest: raw.priority_greatest,
        }
    }
}

/// Counters of a context's recycled objects: native streams, events, and points. A record in flight has a point, and so has an
/// event that was recorded. Includes the library's own streams and points, but not its events. created: handed out so far;
/// recycled: how many of these had been used before; live: in use now; native: that exist now, in use or kept for the next use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextStats {
    /// streams created.
    pub streams_created: u64,
    /// streams recycled.
    pub streams_recycled: u64,
    /// streams live.
    pub streams_live: u64,
    /// streams native.
    pub streams_native: u64,
    /// events created.
    pub events_created: u64,
    /// events recycled.
    pub events_recycled: u64,
    /// events live.
    pub events_live: u64,
    /// points created.
    pub points_created: u64,
    /// points recycled.
    pub points_recycled: u64,
    /// points live.
    pub points_live: u64,
    /// native events on CUDA
    pub points_native: u64,
}

impl ContextStats {
    pub(crate) fn new(raw: &manyrt_sys::rtContextStats_t) -> Self {
        ContextStats {
            streams_created: raw.streams_created,
            streams_recycled: raw.streams_recycled,
            streams_live: raw.streams_live,
            streams_native: raw.streams_native,
            events_created: raw.events_created,
            events_recycled: raw.events_recycled,
            events_live: raw.events_live,
            points_created: raw.points_created,
            points_recycled: raw.points_recycled,
            points_live: raw.points_live,
            points_native: raw.points_native,
        }
    }
}

/// Result of rtMemPoolGetStats. Live and peak count the bytes asked for, reserved those taken from the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemPoolStats {
    /// allocated and not freed
    pub live_bytes: u64,
    /// allocations not freed
    pub live_count: u64,
    /// taken from the driver and not given back
    pub reserved_bytes: u64,
    /// highest live\_bytes since rtMemPoolResetPeak. Exact where one stream allocates between two calls of rtMemPoolGetStats;
    /// of several at once, up to 64 KiB, or a 64th of its live bytes, too high for each; of several threads at once, each
    /// stream counts with the most of its last frees
    pub peak_live_bytes: u64,
    /// highest reserved\_bytes since rtMemPoolResetPeak
    pub peak_reserved_bytes: u64,
    /// freed, and held by work in flight or by a graph
    pub pending_bytes: u64,
    /// allocations so far
    pub allocation_count: u64,
    /// frees so far
    pub free_count: u64,
    /// allocations served from freed memory
    pub reuse_count: u64,
    /// allocations asked of the driver
    pub driver_allocation_count: u64,
}

impl MemPoolStats {
    pub(crate) fn new(raw: &manyrt_sys::rtMemPoolStats_t) -> Self {
        MemPoolStats {
            live_bytes: raw.live_bytes,
            live_count: raw.live_count,
            reserved_bytes: raw.reserved_bytes,
            peak_live_bytes: raw.peak_live_bytes,
            peak_reserved_bytes: raw.peak_reserved_bytes,
            pending_bytes: raw.pending_bytes,
            allocation_count: raw.allocation_count,
            free_count: raw.free_count,
            reuse_count: raw.reuse_count,
            driver_allocation_count: raw.driver_allocation_count,
        }
    }
}

/// Result of rtModuleGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModuleInfo {
    /// RT\_MODULE\_\*
    pub state: ModuleState,
    /// RT\_MODULE\_ORIGIN\_\*
    pub origin: ModuleOrigin,
    /// kernels of the module
    pub kernel_count: u32,
    /// of the code that runs at the moment, in the form that was loaded; 0 if unknown
    pub code_bytes: u64,
    /// nanoseconds that building and loading took the call that made the module
    pub load_ns: u64,
    /// as in messages
    pub name: String,
}

impl ModuleInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtModuleInfo_t) -> Self {
        ModuleInfo {
            state: ModuleState(raw.state),
            origin: ModuleOrigin(raw.origin),
            kernel_count: raw.kernel_count,
            code_bytes: raw.code_bytes,
            load_ns: raw.load_ns,
            name: text(&raw.name),
        }
    }
}

/// Result of rtKernelGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// arg count.
    pub arg_count: u32,
    /// largest work-group
    pub max_group_items: u32,
    /// local memory that the kernel itself uses in each work-group
    pub local_bytes: u64,
    /// memory of each work-item that did not fit into registers
    pub private_bytes: u64,
    /// zeros: any
    pub required_group_size: [u32; 3],
    /// work-items: a good group size is a multiple of it
    pub preferred_group_multiple: u32,
    /// name.
    pub name: String,
    /// RT\_TIER\_\*; this and what follows are of the code that a launch would run now
    pub tier: Tier,
    /// RT\_BARRIERS\_\*
    pub barriers: Barriers,
    /// CPU: work-items that run side by side as one vector, at most; 0: none, or not known
    pub lanes: u32,
    /// along which these are neighbours, 0 to 2; -1: there are none
    pub lane_dimension: i32,
    /// RT\_LANES\_\*: why not all loops over work-items run as vectors
    pub no_lanes: NoLanes,
    /// CUDA: registers of a work-item; 0: not known
    pub registers: u32,
    /// CUDA: work-groups of max\_group\_items that a compute unit runs at the same time, where a launch asks for no local
    /// memory; 0: not known
    pub groups_per_unit: u32,
    /// CPU: loops over work-items that do not run as vectors; 0: all do, or not known
    pub scalar_loops: u32,
}

impl KernelInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtKernelInfo_t) -> Self {
        KernelInfo {
            arg_count: raw.arg_count,
            max_group_items: raw.max_group_items,
            local_bytes: raw.local_bytes,
            private_bytes: raw.private_bytes,
            required_group_size: raw.required_group_size,
            preferred_group_multiple: raw.preferred_group_multiple,
            name: text(&raw.name),
            tier: Tier(raw.tier),
            barriers: Barriers(raw.barriers),
            lanes: raw.lanes,
            lane_dimension: raw.lane_dimension,
            no_lanes: NoLanes(raw.no_lanes),
            registers: raw.registers,
            groups_per_unit: raw.groups_per_unit,
            scalar_loops: raw.scalar_loops,
        }
    }
}

/// Result of rtKernelGetArgInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelArgInfo {
    /// index.
    pub index: u32,
    /// bytes of the value
    pub size: u32,
    /// RT\_ARG\_\*
    pub kind: ArgKind,
    /// empty if unknown
    pub name: String,
    /// empty if unknown
    pub type_name: String,
    /// RT\_QUALIFIER\_CONST and its like, joined by or; 0 if unknown
    pub qualifiers: u32,
    /// RT\_ADDRESS\_SPACE\_\*
    pub address_space: AddressSpace,
    /// RT\_ACCESS\_\*; unknown if it is a value
    pub access: Access,
}

impl KernelArgInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtKernelArgInfo_t) -> Self {
        KernelArgInfo {
            index: raw.index,
            size: raw.size,
            kind: ArgKind(raw.kind),
            name: text(&raw.name),
            type_name: text(&raw.type_name),
            qualifiers: raw.qualifiers,
            address_space: AddressSpace(raw.address_space),
            access: Access(raw.access),
        }
    }
}

/// Result of rtGraphBufferGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphBufferInfo {
    /// RT\_GRAPH\_BUFFER\_\*
    pub role: GraphBufferRole,
    /// bytes
    pub size: u64,
    /// cut to what fits; empty: it has none
    pub name: String,
}

impl GraphBufferInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtGraphBufferInfo_t) -> Self {
        GraphBufferInfo {
            role: GraphBufferRole(raw.role),
            size: raw.size,
            name: text(&raw.name),
        }
    }
}

/// Result of rtGraphValueGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphValueInfo {
    /// bytes
    pub size: u32,
    /// 1: launches before rtGraphExecBindValue have the bytes given to rtGraphAddValue; else 0
    pub has_initial: u32,
    /// cut to what fits; empty: it has none
    pub name: String,
}

impl GraphValueInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtGraphValueInfo_t) -> Self {
        GraphValueInfo {
            size: raw.size,
            has_initial: raw.has_initial,
            name: text(&raw.name),
        }
    }
}

/// Result of rtCapturePlanGetInfo.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapturePlanInfo {
    /// of the graph
    pub node_count: u32,
    /// with what child graphs consist of
    pub step_count: u32,
    /// steps on the longest way
    pub level_count: u32,
    /// with that of the launch
    pub stream_count: u32,
    /// that do not follow from others
    pub dependency_count: u32,
    /// of an exec, for all temporaries
    pub temporary_bytes: u64,
    /// if each had its own place
    pub temporary_bytes_without_reuse: u64,
    /// of those of which no two may share, at most: no plan needs less
    pub temporary_bytes_live: u64,
    /// of the graph, with the temporaries of child graphs
    pub buffer_count: u32,
}

impl CapturePlanInfo {
    pub(crate) fn new(raw: &manyrt_sys::rtCapturePlanInfo_t) -> Self {
        CapturePlanInfo {
            node_count: raw.node_count,
            step_count: raw.step_count,
            level_count: raw.level_count,
            stream_count: raw.stream_count,
            dependency_count: raw.dependency_count,
            temporary_bytes: raw.temporary_bytes,
            temporary_bytes_without_reuse: raw.temporary_bytes_without_reuse,
            temporary_bytes_live: raw.temporary_bytes_live,
            buffer_count: raw.buffer_count,
        }
    }
}

/// Result of rtCapturePlanGetBuffer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapturePlanBuffer {
    /// RT\_GRAPH\_BUFFER\_\*
    pub role: GraphBufferRole,
    /// bytes
    pub size: u64,
    /// of a temporary that is used: its place among all temporaries; UINT64\_MAX: it has none
    pub offset: u64,
    /// the first and the last step that names it; first\_step above last\_step: none does
    pub first_step: u32,
    /// last step.
    pub last_step: u32,
}

impl CapturePlanBuffer {
    pub(crate) fn new(raw: &manyrt_sys::rtCapturePlanBuffer_t) -> Self {
        CapturePlanBuffer {
            role: GraphBufferRole(raw.role),
            size: raw.size,
            offset: raw.offset,
            first_step: raw.first_step,
            last_step: raw.last_step,
        }
    }
}
