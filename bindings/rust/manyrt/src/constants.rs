// Made by bindings/rust/generate.py from bindings/rt.json; not to be edited. SPDX-License-Identifier: Apache-2.0
//! The enumerations of the interface as types. A newer library may give values that have no name here.

use std::fmt;

/// The values of rtStatusCode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Status(pub i32);

impl Status {
    /// RT\_SUCCESS.
    pub const SUCCESS: Status = Status(manyrt_sys::RT_SUCCESS);
    /// a query: the work is still pending; not an error
    pub const NOT_READY: Status = Status(manyrt_sys::RT_NOT_READY);
    /// an argument is outside what the function documents
    pub const INVALID_VALUE: Status = Status(manyrt_sys::RT_ERROR_INVALID_VALUE);
    /// null, stale, of another kind, or no handle at all
    pub const INVALID_HANDLE: Status = Status(manyrt_sys::RT_ERROR_INVALID_HANDLE);
    /// the ordinal is not that of a device
    pub const INVALID_DEVICE: Status = Status(manyrt_sys::RT_ERROR_INVALID_DEVICE);
    /// the objects of one call belong to different contexts
    pub const WRONG_CONTEXT: Status = Status(manyrt_sys::RT_ERROR_WRONG_CONTEXT);
    /// device, host or a pool's limit
    pub const OUT_OF_MEMORY: Status = Status(manyrt_sys::RT_ERROR_OUT_OF_MEMORY);
    /// legal, but this device or version cannot do it
    pub const NOT_SUPPORTED: Status = Status(manyrt_sys::RT_ERROR_NOT_SUPPORTED);
    /// no device, kernel or symbol of that name
    pub const NOT_FOUND: Status = Status(manyrt_sys::RT_ERROR_NOT_FOUND);
    /// a kernel compiler refused the source
    pub const BUILD_FAILED: Status = Status(manyrt_sys::RT_ERROR_BUILD_FAILED);
    /// the kernel compiler is not installed
    pub const COMPILER_NOT_FOUND: Status = Status(manyrt_sys::RT_ERROR_COMPILER_NOT_FOUND);
    /// a kernel image is damaged or for another device
    pub const INVALID_IMAGE: Status = Status(manyrt_sys::RT_ERROR_INVALID_IMAGE);
    /// a kernel, copy or callback failed while it ran
    pub const LAUNCH_FAILED: Status = Status(manyrt_sys::RT_ERROR_LAUNCH_FAILED);
    /// the call cannot be part of a capture
    pub const CAPTURE_UNSAFE: Status = Status(manyrt_sys::RT_ERROR_CAPTURE_UNSAFE);
    /// the capture was broken earlier
    pub const CAPTURE_INVALIDATED: Status = Status(manyrt_sys::RT_ERROR_CAPTURE_INVALIDATED);
    /// in use, or the call would wait for itself
    pub const BUSY: Status = Status(manyrt_sys::RT_ERROR_BUSY);
    /// the given time passed first
    pub const TIMEOUT: Status = Status(manyrt_sys::RT_ERROR_TIMEOUT);
    /// the device is gone for the rest of the process
    pub const DEVICE_LOST: Status = Status(manyrt_sys::RT_ERROR_DEVICE_LOST);
    /// the backend's driver is missing, disabled or not built in
    pub const BACKEND_UNAVAILABLE: Status = Status(manyrt_sys::RT_ERROR_BACKEND_UNAVAILABLE);
    /// the driver failed in a way that has no code of its own
    pub const DRIVER: Status = Status(manyrt_sys::RT_ERROR_DRIVER);
    /// the process was forked after the library's first use
    pub const FORKED: Status = Status(manyrt_sys::RT_ERROR_FORKED);
    /// rtShutdown has run
    pub const SHUT_DOWN: Status = Status(manyrt_sys::RT_ERROR_SHUT_DOWN);
    /// a file could not be read or written
    pub const IO: Status = Status(manyrt_sys::RT_ERROR_IO);
    /// a defect of the library
    pub const INTERNAL: Status = Status(manyrt_sys::RT_ERROR_INTERNAL);
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Status::SUCCESS => f.write_str("SUCCESS"),
            Status::NOT_READY => f.write_str("NOT_READY"),
            Status::INVALID_VALUE => f.write_str("INVALID_VALUE"),
            Status::INVALID_HANDLE => f.write_str("INVALID_HANDLE"),
            Status::INVALID_DEVICE => f.write_str("INVALID_DEVICE"),
            Status::WRONG_CONTEXT => f.write_str("WRONG_CONTEXT"),
            Status::OUT_OF_MEMORY => f.write_str("OUT_OF_MEMORY"),
            Status::NOT_SUPPORTED => f.write_str("NOT_SUPPORTED"),
            Status::NOT_FOUND => f.write_str("NOT_FOUND"),
            Status::BUILD_FAILED => f.write_str("BUILD_FAILED"),
            Status::COMPILER_NOT_FOUND => f.write_str("COMPILER_NOT_FOUND"),
            Status::INVALID_IMAGE => f.write_str("INVALID_IMAGE"),
            Status::LAUNCH_FAILED => f.write_str("LAUNCH_FAILED"),
            Status::CAPTURE_UNSAFE => f.write_str("CAPTURE_UNSAFE"),
            Status::CAPTURE_INVALIDATED => f.write_str("CAPTURE_INVALIDATED"),
            Status::BUSY => f.write_str("BUSY"),
            Status::TIMEOUT => f.write_str("TIMEOUT"),
            Status::DEVICE_LOST => f.write_str("DEVICE_LOST"),
            Status::BACKEND_UNAVAILABLE => f.write_str("BACKEND_UNAVAILABLE"),
            Status::DRIVER => f.write_str("DRIVER"),
            Status::FORKED => f.write_str("FORKED"),
            Status::SHUT_DOWN => f.write_str("SHUT_DOWN"),
            Status::IO => f.write_str("IO"),
            Status::INTERNAL => f.write_str("INTERNAL"),
            Status(other) => write!(f, "Status({})", other),
        }
    }
}

/// The values of rtHandleKind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct HandleKind(pub i32);

impl HandleKind {
    /// the sum over all kinds
    pub const ALL: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_ALL);
    /// RT\_HANDLE\_DEVICE.
    pub const DEVICE: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_DEVICE);
    /// RT\_HANDLE\_CONTEXT.
    pub const CONTEXT: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_CONTEXT);
    /// RT\_HANDLE\_STREAM.
    pub const STREAM: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_STREAM);
    /// RT\_HANDLE\_EVENT.
    pub const EVENT: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_EVENT);
    /// RT\_HANDLE\_FENCE.
    pub const FENCE: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_FENCE);
    /// RT\_HANDLE\_MEM\_POOL.
    pub const MEM_POOL: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_MEM_POOL);
    /// RT\_HANDLE\_KERNEL.
    pub const KERNEL: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_KERNEL);
    /// live allocations and imported memory, though they are addresses
    pub const ALLOCATION: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_ALLOCATION);
    /// with its kernels, which are not counted again
    pub const MODULE: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_MODULE);
    /// with its nodes, buffers and values, which are not counted again
    pub const GRAPH: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_GRAPH);
    /// RT\_HANDLE\_GRAPH\_NODE.
    pub const GRAPH_NODE: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_GRAPH_NODE);
    /// RT\_HANDLE\_GRAPH\_BUFFER.
    pub const GRAPH_BUFFER: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_GRAPH_BUFFER);
    /// RT\_HANDLE\_CAPTURE\_PLAN.
    pub const CAPTURE_PLAN: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_CAPTURE_PLAN);
    /// RT\_HANDLE\_GRAPH\_EXEC.
    pub const GRAPH_EXEC: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_GRAPH_EXEC);
    /// RT\_HANDLE\_GRAPH\_VALUE.
    pub const GRAPH_VALUE: HandleKind = HandleKind(manyrt_sys::RT_HANDLE_GRAPH_VALUE);
}

impl fmt::Debug for HandleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            HandleKind::ALL => f.write_str("ALL"),
            HandleKind::DEVICE => f.write_str("DEVICE"),
            HandleKind::CONTEXT => f.write_str("CONTEXT"),
            HandleKind::STREAM => f.write_str("STREAM"),
            HandleKind::EVENT => f.write_str("EVENT"),
            HandleKind::FENCE => f.write_str("FENCE"),
            HandleKind::MEM_POOL => f.write_str("MEM_POOL"),
            HandleKind::KERNEL => f.write_str("KERNEL"),
            HandleKind::ALLOCATION => f.write_str("ALLOCATION"),
            HandleKind::MODULE => f.write_str("MODULE"),
            HandleKind::GRAPH => f.write_str("GRAPH"),
            HandleKind::GRAPH_NODE => f.write_str("GRAPH_NODE"),
            HandleKind::GRAPH_BUFFER => f.write_str("GRAPH_BUFFER"),
            HandleKind::CAPTURE_PLAN => f.write_str("CAPTURE_PLAN"),
            HandleKind::GRAPH_EXEC => f.write_str("GRAPH_EXEC"),
            HandleKind::GRAPH_VALUE => f.write_str("GRAPH_VALUE"),
            HandleKind(other) => write!(f, "HandleKind({})", other),
        }
    }
}

/// The values of rtLogLevel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LogLevel(pub i32);

impl LogLevel {
    /// RT\_LOG\_NONE.
    pub const NONE: LogLevel = LogLevel(manyrt_sys::RT_LOG_NONE);
    /// RT\_LOG\_ERROR.
    pub const ERROR: LogLevel = LogLevel(manyrt_sys::RT_LOG_ERROR);
    /// RT\_LOG\_WARNING.
    pub const WARNING: LogLevel = LogLevel(manyrt_sys::RT_LOG_WARNING);
    /// RT\_LOG\_INFO.
    pub const INFO: LogLevel = LogLevel(manyrt_sys::RT_LOG_INFO);
    /// RT\_LOG\_DEBUG.
    pub const DEBUG: LogLevel = LogLevel(manyrt_sys::RT_LOG_DEBUG);
}

impl fmt::Debug for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LogLevel::NONE => f.write_str("NONE"),
            LogLevel::ERROR => f.write_str("ERROR"),
            LogLevel::WARNING => f.write_str("WARNING"),
            LogLevel::INFO => f.write_str("INFO"),
            LogLevel::DEBUG => f.write_str("DEBUG"),
            LogLevel(other) => write!(f, "LogLevel({})", other),
        }
    }
}

/// The values of rtBackend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Backend(pub i32);

impl Backend {
    /// every backend but RT\_BACKEND\_NULL; for counting only
    pub const ALL: Backend = Backend(manyrt_sys::RT_BACKEND_ALL);
    /// RT\_BACKEND\_CPU.
    pub const CPU: Backend = Backend(manyrt_sys::RT_BACKEND_CPU);
    /// RT\_BACKEND\_CUDA.
    pub const CUDA: Backend = Backend(manyrt_sys::RT_BACKEND_CUDA);
    /// RT\_BACKEND\_OPENCL.
    pub const OPENCL: Backend = Backend(manyrt_sys::RT_BACKEND_OPENCL);
    /// copies and fills work, kernels are accepted and not run; for tests
    pub const NULL: Backend = Backend(manyrt_sys::RT_BACKEND_NULL);
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Backend::ALL => f.write_str("ALL"),
            Backend::CPU => f.write_str("CPU"),
            Backend::CUDA => f.write_str("CUDA"),
            Backend::OPENCL => f.write_str("OPENCL"),
            Backend::NULL => f.write_str("NULL"),
            Backend(other) => write!(f, "Backend({})", other),
        }
    }
}

/// The values of rtDeviceKind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DeviceKind(pub i32);

impl DeviceKind {
    /// RT\_DEVICE\_KIND\_CPU.
    pub const CPU: DeviceKind = DeviceKind(manyrt_sys::RT_DEVICE_KIND_CPU);
    /// RT\_DEVICE\_KIND\_DISCRETE\_GPU.
    pub const DISCRETE_GPU: DeviceKind = DeviceKind(manyrt_sys::RT_DEVICE_KIND_DISCRETE_GPU);
    /// RT\_DEVICE\_KIND\_INTEGRATED\_GPU.
    pub const INTEGRATED_GPU: DeviceKind = DeviceKind(manyrt_sys::RT_DEVICE_KIND_INTEGRATED_GPU);
    /// RT\_DEVICE\_KIND\_ACCELERATOR.
    pub const ACCELERATOR: DeviceKind = DeviceKind(manyrt_sys::RT_DEVICE_KIND_ACCELERATOR);
}

impl fmt::Debug for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DeviceKind::CPU => f.write_str("CPU"),
            DeviceKind::DISCRETE_GPU => f.write_str("DISCRETE_GPU"),
            DeviceKind::INTEGRATED_GPU => f.write_str("INTEGRATED_GPU"),
            DeviceKind::ACCELERATOR => f.write_str("ACCELERATOR"),
            DeviceKind(other) => write!(f, "DeviceKind({})", other),
        }
    }
}

/// How a device's addresses come about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct MemoryTier(pub i32);

impl MemoryTier {
    /// the driver's own addresses
    pub const NATIVE: MemoryTier = MemoryTier(manyrt_sys::RT_MEMORY_TIER_NATIVE);
    /// OpenCL unified shared memory
    pub const USM: MemoryTier = MemoryTier(manyrt_sys::RT_MEMORY_TIER_USM);
    /// OpenCL shared virtual memory
    pub const SVM: MemoryTier = MemoryTier(manyrt_sys::RT_MEMORY_TIER_SVM);
    /// OpenCL buffers behind a reserved window of addresses
    pub const BUFFER: MemoryTier = MemoryTier(manyrt_sys::RT_MEMORY_TIER_BUFFER);
}

impl fmt::Debug for MemoryTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MemoryTier::NATIVE => f.write_str("NATIVE"),
            MemoryTier::USM => f.write_str("USM"),
            MemoryTier::SVM => f.write_str("SVM"),
            MemoryTier::BUFFER => f.write_str("BUFFER"),
            MemoryTier(other) => write!(f, "MemoryTier({})", other),
        }
    }
}

/// For rtDeviceGetAttribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Attribute(pub i32);

impl Attribute {
    /// RT\_ATTRIBUTE\_KIND.
    pub const KIND: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_KIND);
    /// RT\_ATTRIBUTE\_COMPUTE\_UNITS.
    pub const COMPUTE_UNITS: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_COMPUTE_UNITS);
    /// RT\_ATTRIBUTE\_CLOCK\_MHZ.
    pub const CLOCK_MHZ: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_CLOCK_MHZ);
    /// RT\_ATTRIBUTE\_SIMD\_WIDTH.
    pub const SIMD_WIDTH: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_SIMD_WIDTH);
    /// RT\_ATTRIBUTE\_MAX\_GROUP\_ITEMS.
    pub const MAX_GROUP_ITEMS: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GROUP_ITEMS);
    /// RT\_ATTRIBUTE\_MAX\_GROUP\_SIZE\_X.
    pub const MAX_GROUP_SIZE_X: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GROUP_SIZE_X);
    /// RT\_ATTRIBUTE\_MAX\_GROUP\_SIZE\_Y.
    pub const MAX_GROUP_SIZE_Y: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GROUP_SIZE_Y);
    /// RT\_ATTRIBUTE\_MAX\_GROUP\_SIZE\_Z.
    pub const MAX_GROUP_SIZE_Z: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GROUP_SIZE_Z);
    /// RT\_ATTRIBUTE\_MAX\_GRID\_SIZE\_X.
    pub const MAX_GRID_SIZE_X: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GRID_SIZE_X);
    /// RT\_ATTRIBUTE\_MAX\_GRID\_SIZE\_Y.
    pub const MAX_GRID_SIZE_Y: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GRID_SIZE_Y);
    /// RT\_ATTRIBUTE\_MAX\_GRID\_SIZE\_Z.
    pub const MAX_GRID_SIZE_Z: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_GRID_SIZE_Z);
    /// RT\_ATTRIBUTE\_MEMORY\_BYTES.
    pub const MEMORY_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MEMORY_BYTES);
    /// RT\_ATTRIBUTE\_MAX\_ALLOCATION\_BYTES.
    pub const MAX_ALLOCATION_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MAX_ALLOCATION_BYTES);
    /// RT\_ATTRIBUTE\_CACHE\_LINE\_BYTES.
    pub const CACHE_LINE_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_CACHE_LINE_BYTES);
    /// RT\_ATTRIBUTE\_L1\_BYTES.
    pub const L1_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_L1_BYTES);
    /// RT\_ATTRIBUTE\_L2\_BYTES.
    pub const L2_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_L2_BYTES);
    /// RT\_ATTRIBUTE\_L3\_BYTES.
    pub const L3_BYTES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_L3_BYTES);
    /// RT\_ATTRIBUTE\_LOCAL\_BYTES\_PER\_GROUP.
    pub const LOCAL_BYTES_PER_GROUP: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP);
    /// RT\_ATTRIBUTE\_UNIFIED\_MEMORY.
    pub const UNIFIED_MEMORY: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_UNIFIED_MEMORY);
    /// RT\_ATTRIBUTE\_MEMORY\_TIER.
    pub const MEMORY_TIER: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_MEMORY_TIER);
    /// RT\_ATTRIBUTE\_PRIORITY\_LEAST.
    pub const PRIORITY_LEAST: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_PRIORITY_LEAST);
    /// RT\_ATTRIBUTE\_PRIORITY\_GREATEST.
    pub const PRIORITY_GREATEST: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_PRIORITY_GREATEST);
    /// CPU: NUMA nodes of the machine; elsewhere 1
    pub const NUMA_NODES: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_NUMA_NODES);
    /// CPU: threads that run kernels; elsewhere 0
    pub const HOST_THREADS: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_HOST_THREADS);
    /// DLDeviceType of the device: kDLCPU, kDLCUDA, kDLOpenCL; null: kDLExtDev
    pub const DLPACK_TYPE: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_DLPACK_TYPE);
    /// device\_id of a DLDevice: the index within the backend
    pub const DLPACK_ID: Attribute = Attribute(manyrt_sys::RT_ATTRIBUTE_DLPACK_ID);
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Attribute::KIND => f.write_str("KIND"),
            Attribute::COMPUTE_UNITS => f.write_str("COMPUTE_UNITS"),
            Attribute::CLOCK_MHZ => f.write_str("CLOCK_MHZ"),
            Attribute::SIMD_WIDTH => f.write_str("SIMD_WIDTH"),
            Attribute::MAX_GROUP_ITEMS => f.write_str("MAX_GROUP_ITEMS"),
            Attribute::MAX_GROUP_SIZE_X => f.write_str("MAX_GROUP_SIZE_X"),
            Attribute::MAX_GROUP_SIZE_Y => f.write_str("MAX_GROUP_SIZE_Y"),
            Attribute::MAX_GROUP_SIZE_Z => f.write_str("MAX_GROUP_SIZE_Z"),
            Attribute::MAX_GRID_SIZE_X => f.write_str("MAX_GRID_SIZE_X"),
            Attribute::MAX_GRID_SIZE_Y => f.write_str("MAX_GRID_SIZE_Y"),
            Attribute::MAX_GRID_SIZE_Z => f.write_str("MAX_GRID_SIZE_Z"),
            Attribute::MEMORY_BYTES => f.write_str("MEMORY_BYTES"),
            Attribute::MAX_ALLOCATION_BYTES => f.write_str("MAX_ALLOCATION_BYTES"),
            Attribute::CACHE_LINE_BYTES => f.write_str("CACHE_LINE_BYTES"),
            Attribute::L1_BYTES => f.write_str("L1_BYTES"),
            Attribute::L2_BYTES => f.write_str("L2_BYTES"),
            Attribute::L3_BYTES => f.write_str("L3_BYTES"),
            Attribute::LOCAL_BYTES_PER_GROUP => f.write_str("LOCAL_BYTES_PER_GROUP"),
            Attribute::UNIFIED_MEMORY => f.write_str("UNIFIED_MEMORY"),
            Attribute::MEMORY_TIER => f.write_str("MEMORY_TIER"),
            Attribute::PRIORITY_LEAST => f.write_str("PRIORITY_LEAST"),
            Attribute::PRIORITY_GREATEST => f.write_str("PRIORITY_GREATEST"),
            Attribute::NUMA_NODES => f.write_str("NUMA_NODES"),
            Attribute::HOST_THREADS => f.write_str("HOST_THREADS"),
            Attribute::DLPACK_TYPE => f.write_str("DLPACK_TYPE"),
            Attribute::DLPACK_ID => f.write_str("DLPACK_ID"),
            Attribute(other) => write!(f, "Attribute({})", other),
        }
    }
}

/// For rtDeviceHasCapability: one index for each optional thing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Capability(pub i32);

impl Capability {
    /// kernels from source or images
    pub const KERNELS: Capability = Capability(manyrt_sys::RT_CAPABILITY_KERNELS);
    /// rtKernelCreateFromHost
    pub const HOST_KERNELS: Capability = Capability(manyrt_sys::RT_CAPABILITY_HOST_KERNELS);
    /// rtMallocShared
    pub const SHARED_MEMORY: Capability = Capability(manyrt_sys::RT_CAPABILITY_SHARED_MEMORY);
    /// RT\_LAUNCH\_COOPERATIVE
    pub const COOPERATIVE_LAUNCH: Capability = Capability(manyrt_sys::RT_CAPABILITY_COOPERATIVE_LAUNCH);
    /// rtContextEnablePeerAccess towards some device
    pub const PEER_ACCESS: Capability = Capability(manyrt_sys::RT_CAPABILITY_PEER_ACCESS);
    /// rtEventElapsedTime
    pub const TIMING: Capability = Capability(manyrt_sys::RT_CAPABILITY_TIMING);
    /// rt...GetNative and rt...Import
    pub const NATIVE_INTEROP: Capability = Capability(manyrt_sys::RT_CAPABILITY_NATIVE_INTEROP);
    /// kernels may follow addresses that they find in memory
    pub const POINTERS_IN_MEMORY: Capability = Capability(manyrt_sys::RT_CAPABILITY_POINTERS_IN_MEMORY);
    /// 64-bit floating point in kernels
    pub const DOUBLE: Capability = Capability(manyrt_sys::RT_CAPABILITY_DOUBLE);
    /// 16-bit floating point in kernels
    pub const HALF: Capability = Capability(manyrt_sys::RT_CAPABILITY_HALF);
    /// 64-bit atomics in kernels
    pub const ATOMICS_64: Capability = Capability(manyrt_sys::RT_CAPABILITY_ATOMICS_64);
    /// rtHostRegister pins memory
    pub const HOST_REGISTER: Capability = Capability(manyrt_sys::RT_CAPABILITY_HOST_REGISTER);
    /// more than one stream priority
    pub const STREAM_PRIORITIES: Capability = Capability(manyrt_sys::RT_CAPABILITY_STREAM_PRIORITIES);
    /// sub-group functions in kernels (cl\_khr\_subgroups)
    pub const SUBGROUPS: Capability = Capability(manyrt_sys::RT_CAPABILITY_SUBGROUPS);
}

impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Capability::KERNELS => f.write_str("KERNELS"),
            Capability::HOST_KERNELS => f.write_str("HOST_KERNELS"),
            Capability::SHARED_MEMORY => f.write_str("SHARED_MEMORY"),
            Capability::COOPERATIVE_LAUNCH => f.write_str("COOPERATIVE_LAUNCH"),
            Capability::PEER_ACCESS => f.write_str("PEER_ACCESS"),
            Capability::TIMING => f.write_str("TIMING"),
            Capability::NATIVE_INTEROP => f.write_str("NATIVE_INTEROP"),
            Capability::POINTERS_IN_MEMORY => f.write_str("POINTERS_IN_MEMORY"),
            Capability::DOUBLE => f.write_str("DOUBLE"),
            Capability::HALF => f.write_str("HALF"),
            Capability::ATOMICS_64 => f.write_str("ATOMICS_64"),
            Capability::HOST_REGISTER => f.write_str("HOST_REGISTER"),
            Capability::STREAM_PRIORITIES => f.write_str("STREAM_PRIORITIES"),
            Capability::SUBGROUPS => f.write_str("SUBGROUPS"),
            Capability(other) => write!(f, "Capability({})", other),
        }
    }
}

/// How a thread waits in a call that blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WaitPolicy(pub i32);

impl WaitPolicy {
    /// spins briefly, then blocks
    pub const DEFAULT: WaitPolicy = WaitPolicy(manyrt_sys::RT_WAIT_DEFAULT);
    /// RT\_WAIT\_SPIN.
    pub const SPIN: WaitPolicy = WaitPolicy(manyrt_sys::RT_WAIT_SPIN);
    /// RT\_WAIT\_YIELD.
    pub const YIELD: WaitPolicy = WaitPolicy(manyrt_sys::RT_WAIT_YIELD);
    /// RT\_WAIT\_BLOCK.
    pub const BLOCK: WaitPolicy = WaitPolicy(manyrt_sys::RT_WAIT_BLOCK);
}

impl fmt::Debug for WaitPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WaitPolicy::DEFAULT => f.write_str("DEFAULT"),
            WaitPolicy::SPIN => f.write_str("SPIN"),
            WaitPolicy::YIELD => f.write_str("YIELD"),
            WaitPolicy::BLOCK => f.write_str("BLOCK"),
            WaitPolicy(other) => write!(f, "WaitPolicy({})", other),
        }
    }
}

/// Flags of rtContextOptions\_t.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ContextFlags(pub i32);

impl ContextFlags {
    /// kernels take addresses inside live memory of the library that the device reaches, and no others
    pub const STRICT: ContextFlags = ContextFlags(manyrt_sys::RT_CONTEXT_STRICT);
}

impl fmt::Debug for ContextFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ContextFlags::STRICT => f.write_str("STRICT"),
            ContextFlags(other) => write!(f, "ContextFlags({})", other),
        }
    }
}

/// Flags of rtEventOptions\_t.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct EventFlags(pub i32);

impl EventFlags {
    /// cheaper; rtEventElapsedTime refuses the event
    pub const DISABLE_TIMING: EventFlags = EventFlags(manyrt_sys::RT_EVENT_DISABLE_TIMING);
}

impl fmt::Debug for EventFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EventFlags::DISABLE_TIMING => f.write_str("DISABLE_TIMING"),
            EventFlags(other) => write!(f, "EventFlags({})", other),
        }
    }
}

/// Kinds of memory to allocate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct MemoryKind(pub i32);

impl MemoryKind {
    /// RT\_MEMORY\_DEVICE.
    pub const DEVICE: MemoryKind = MemoryKind(manyrt_sys::RT_MEMORY_DEVICE);
    /// pinned host memory
    pub const HOST: MemoryKind = MemoryKind(manyrt_sys::RT_MEMORY_HOST);
    /// one address for host and device
    pub const SHARED: MemoryKind = MemoryKind(manyrt_sys::RT_MEMORY_SHARED);
}

impl fmt::Debug for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MemoryKind::DEVICE => f.write_str("DEVICE"),
            MemoryKind::HOST => f.write_str("HOST"),
            MemoryKind::SHARED => f.write_str("SHARED"),
            MemoryKind(other) => write!(f, "MemoryKind({})", other),
        }
    }
}

/// Kinds of memory that rtPointerGetAttributes reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PointerKind(pub i32);

impl PointerKind {
    /// not memory of this library
    pub const UNKNOWN: PointerKind = PointerKind(manyrt_sys::RT_POINTER_UNKNOWN);
    /// RT\_POINTER\_DEVICE.
    pub const DEVICE: PointerKind = PointerKind(manyrt_sys::RT_POINTER_DEVICE);
    /// RT\_POINTER\_HOST.
    pub const HOST: PointerKind = PointerKind(manyrt_sys::RT_POINTER_HOST);
    /// RT\_POINTER\_SHARED.
    pub const SHARED: PointerKind = PointerKind(manyrt_sys::RT_POINTER_SHARED);
    /// by rtHostRegister
    pub const REGISTERED: PointerKind = PointerKind(manyrt_sys::RT_POINTER_REGISTERED);
    /// by rtMemImport
    pub const IMPORTED: PointerKind = PointerKind(manyrt_sys::RT_POINTER_IMPORTED);
}

impl fmt::Debug for PointerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PointerKind::UNKNOWN => f.write_str("UNKNOWN"),
            PointerKind::DEVICE => f.write_str("DEVICE"),
            PointerKind::HOST => f.write_str("HOST"),
            PointerKind::SHARED => f.write_str("SHARED"),
            PointerKind::REGISTERED => f.write_str("REGISTERED"),
            PointerKind::IMPORTED => f.write_str("IMPORTED"),
            PointerKind(other) => write!(f, "PointerKind({})", other),
        }
    }
}

/// Direction of a copy; a copy that contradicts the addresses is refused. Device memory is that of any device of any backend,
/// including the CPU. All other memory is host memory, pinned or not. Shared memory counts as either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct MemcpyKind(pub i32);

impl MemcpyKind {
    /// inferred from the addresses
    pub const DEFAULT: MemcpyKind = MemcpyKind(manyrt_sys::RT_MEMCPY_DEFAULT);
    /// RT\_MEMCPY\_HOST\_TO\_HOST.
    pub const HOST_TO_HOST: MemcpyKind = MemcpyKind(manyrt_sys::RT_MEMCPY_HOST_TO_HOST);
    /// RT\_MEMCPY\_HOST\_TO\_DEVICE.
    pub const HOST_TO_DEVICE: MemcpyKind = MemcpyKind(manyrt_sys::RT_MEMCPY_HOST_TO_DEVICE);
    /// RT\_MEMCPY\_DEVICE\_TO\_HOST.
    pub const DEVICE_TO_HOST: MemcpyKind = MemcpyKind(manyrt_sys::RT_MEMCPY_DEVICE_TO_HOST);
    /// one device or two, also of two backends
    pub const DEVICE_TO_DEVICE: MemcpyKind = MemcpyKind(manyrt_sys::RT_MEMCPY_DEVICE_TO_DEVICE);
}

impl fmt::Debug for MemcpyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MemcpyKind::DEFAULT => f.write_str("DEFAULT"),
            MemcpyKind::HOST_TO_HOST => f.write_str("HOST_TO_HOST"),
            MemcpyKind::HOST_TO_DEVICE => f.write_str("HOST_TO_DEVICE"),
            MemcpyKind::DEVICE_TO_HOST => f.write_str("DEVICE_TO_HOST"),
            MemcpyKind::DEVICE_TO_DEVICE => f.write_str("DEVICE_TO_DEVICE"),
            MemcpyKind(other) => write!(f, "MemcpyKind({})", other),
        }
    }
}

/// Kinds of kernel arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ArgKind(pub i32);

impl ArgKind {
    /// RT\_ARG\_VALUE.
    pub const VALUE: ArgKind = ArgKind(manyrt_sys::RT_ARG_VALUE);
    /// an address of global memory, 8 bytes
    pub const POINTER: ArgKind = ArgKind(manyrt_sys::RT_ARG_POINTER);
    /// local memory; args\[i\] points to a size\_t, the bytes to reserve
    pub const LOCAL: ArgKind = ArgKind(manyrt_sys::RT_ARG_LOCAL);
    /// in rtGraphArg\_t alone: a named value of the graph
    pub const GRAPH_VALUE: ArgKind = ArgKind(manyrt_sys::RT_ARG_GRAPH_VALUE);
}

impl fmt::Debug for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ArgKind::VALUE => f.write_str("VALUE"),
            ArgKind::POINTER => f.write_str("POINTER"),
            ArgKind::LOCAL => f.write_str("LOCAL"),
            ArgKind::GRAPH_VALUE => f.write_str("GRAPH_VALUE"),
            ArgKind(other) => write!(f, "ArgKind({})", other),
        }
    }
}

/// Formats of the image that a module is made from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ImageFormat(pub i32);

impl ImageFormat {
    /// told from the bytes: an ELF file for CUDA is CUBIN, any other HOST\_OBJECT; the marks of MANYRT, FATBIN and SPIRV; of
    /// text, what begins with .version is PTX, else OPENCL\_C
    pub const AUTO: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_AUTO);
    /// OpenCL C 1.2 source; every device with RT\_CAPABILITY\_KERNELS
    pub const OPENCL_C: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_OPENCL_C);
    /// CUDA C++ source; CUDA
    pub const CUDA_CXX: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_CUDA_CXX);
    /// CUDA
    pub const PTX: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_PTX);
    /// CUDA
    pub const CUBIN: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_CUBIN);
    /// CUDA
    pub const FATBIN: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_FATBIN);
    /// OpenCL
    pub const SPIRV: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_SPIRV);
    /// what clGetProgramInfo gave; OpenCL
    pub const OPENCL_BINARY: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_OPENCL_BINARY);
    /// a shared object that exports rtHostModule; CPU
    pub const HOST_OBJECT: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_HOST_OBJECT);
    /// what rtModuleGetImage gave: code for one or more devices, and the source; every device with RT\_CAPABILITY\_KERNELS
    pub const MANYRT: ImageFormat = ImageFormat(manyrt_sys::RT_IMAGE_MANYRT);
}

impl fmt::Debug for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ImageFormat::AUTO => f.write_str("AUTO"),
            ImageFormat::OPENCL_C => f.write_str("OPENCL_C"),
            ImageFormat::CUDA_CXX => f.write_str("CUDA_CXX"),
            ImageFormat::PTX => f.write_str("PTX"),
            ImageFormat::CUBIN => f.write_str("CUBIN"),
            ImageFormat::FATBIN => f.write_str("FATBIN"),
            ImageFormat::SPIRV => f.write_str("SPIRV"),
            ImageFormat::OPENCL_BINARY => f.write_str("OPENCL_BINARY"),
            ImageFormat::HOST_OBJECT => f.write_str("HOST_OBJECT"),
            ImageFormat::MANYRT => f.write_str("MANYRT"),
            ImageFormat(other) => write!(f, "ImageFormat({})", other),
        }
    }
}

/// Flags of rtImageOptions\_t.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ImageFlags(pub i32);

impl ImageFlags {
    /// the image has the code alone
    pub const WITHOUT_SOURCE: ImageFlags = ImageFlags(manyrt_sys::RT_IMAGE_WITHOUT_SOURCE);
}

impl fmt::Debug for ImageFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ImageFlags::WITHOUT_SOURCE => f.write_str("WITHOUT_SOURCE"),
            ImageFlags(other) => write!(f, "ImageFlags({})", other),
        }
    }
}

/// How far a module is: rtModuleWait, which waits for the first two, and rtModuleGetInfo.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ModuleState(pub i32);

impl ModuleState {
    /// its kernels can be launched; of rtModuleGetInfo: with quick code, and none is to follow
    pub const READY: ModuleState = ModuleState(manyrt_sys::RT_MODULE_READY);
    /// and run the code that stays
    pub const OPTIMIZED: ModuleState = ModuleState(manyrt_sys::RT_MODULE_OPTIMIZED);
    /// launches run quick code, which optimised code is to replace
    pub const QUICK: ModuleState = ModuleState(manyrt_sys::RT_MODULE_QUICK);
    /// launches run quick code; the optimised code could not be made
    pub const FAILED: ModuleState = ModuleState(manyrt_sys::RT_MODULE_FAILED);
}

impl fmt::Debug for ModuleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ModuleState::READY => f.write_str("READY"),
            ModuleState::OPTIMIZED => f.write_str("OPTIMIZED"),
            ModuleState::QUICK => f.write_str("QUICK"),
            ModuleState::FAILED => f.write_str("FAILED"),
            ModuleState(other) => write!(f, "ModuleState({})", other),
        }
    }
}

/// Where the code of a module came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ModuleOrigin(pub i32);

impl ModuleOrigin {
    /// the program gave it
    pub const IMAGE: ModuleOrigin = ModuleOrigin(manyrt_sys::RT_MODULE_ORIGIN_IMAGE);
    /// a compiler made it during the call
    pub const BUILD: ModuleOrigin = ModuleOrigin(manyrt_sys::RT_MODULE_ORIGIN_BUILD);
    /// the folder of compiled kernels
    pub const CACHE: ModuleOrigin = ModuleOrigin(manyrt_sys::RT_MODULE_ORIGIN_CACHE);
    /// the process had it: it was built before, or by another thread at the same time
    pub const PROCESS: ModuleOrigin = ModuleOrigin(manyrt_sys::RT_MODULE_ORIGIN_PROCESS);
}

impl fmt::Debug for ModuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ModuleOrigin::IMAGE => f.write_str("IMAGE"),
            ModuleOrigin::BUILD => f.write_str("BUILD"),
            ModuleOrigin::CACHE => f.write_str("CACHE"),
            ModuleOrigin::PROCESS => f.write_str("PROCESS"),
            ModuleOrigin(other) => write!(f, "ModuleOrigin({})", other),
        }
    }
}

/// Forms of a kernel's code. Results of kernels are the same bits in each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Tier(pub i32);

impl Tier {
    /// of rtModuleOptions\_t: as the build options and RT\_CPU\_BUILD say; of rtKernelInfo\_t: not known
    pub const DEFAULT: Tier = Tier(manyrt_sys::RT_TIER_DEFAULT);
    /// compiled in a short time
    pub const QUICK: Tier = Tier(manyrt_sys::RT_TIER_QUICK);
    /// compiled to run fast
    pub const OPTIMIZED: Tier = Tier(manyrt_sys::RT_TIER_OPTIMIZED);
    /// of rtModuleOptions\_t alone: quick code, which optimised code replaces
    pub const TIERED: Tier = Tier(manyrt_sys::RT_TIER_TIERED);
    /// of rtKernelInfo\_t alone: the program brought the code, as an image or as a function
    pub const READY_MADE: Tier = Tier(manyrt_sys::RT_TIER_READY_MADE);
}

impl fmt::Debug for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Tier::DEFAULT => f.write_str("DEFAULT"),
            Tier::QUICK => f.write_str("QUICK"),
            Tier::OPTIMIZED => f.write_str("OPTIMIZED"),
            Tier::TIERED => f.write_str("TIERED"),
            Tier::READY_MADE => f.write_str("READY_MADE"),
            Tier(other) => write!(f, "Tier({})", other),
        }
    }
}

/// How the work-items of a kernel meet at barriers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Barriers(pub i32);

impl Barriers {
    /// not known, or the device's own way
    pub const UNKNOWN: Barriers = Barriers(manyrt_sys::RT_BARRIERS_UNKNOWN);
    /// the kernel has none
    pub const NONE: Barriers = Barriers(manyrt_sys::RT_BARRIERS_NONE);
    /// the code is split at them: loops over the work-items lie between them
    pub const SPLIT: Barriers = Barriers(manyrt_sys::RT_BARRIERS_SPLIT);
    /// each work-item has a stack of its own, which is slower
    pub const FIBERS: Barriers = Barriers(manyrt_sys::RT_BARRIERS_FIBERS);
}

impl fmt::Debug for Barriers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Barriers::UNKNOWN => f.write_str("UNKNOWN"),
            Barriers::NONE => f.write_str("NONE"),
            Barriers::SPLIT => f.write_str("SPLIT"),
            Barriers::FIBERS => f.write_str("FIBERS"),
            Barriers(other) => write!(f, "Barriers({})", other),
        }
    }
}

/// Why a loop over the work-items of a kernel does not run as vectors of a CPU; the build log has it as a sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct NoLanes(pub i32);

impl NoLanes {
    /// not known, as of other devices, or of code that the program brought
    pub const UNKNOWN: NoLanes = NoLanes(manyrt_sys::RT_LANES_UNKNOWN);
    /// all loops run as vectors
    pub const ALL: NoLanes = NoLanes(manyrt_sys::RT_LANES_ALL);
    /// the build's options forbid optimisations
    pub const OPTIONS: NoLanes = NoLanes(manyrt_sys::RT_LANES_OPTIONS);
    /// quick code has none
    pub const QUICK: NoLanes = NoLanes(manyrt_sys::RT_LANES_QUICK);
    /// the work-items run on fibers: RT\_BARRIERS\_FIBERS
    pub const FIBERS: NoLanes = NoLanes(manyrt_sys::RT_LANES_FIBERS);
    /// there are no vectors of half
    pub const HALVES: NoLanes = NoLanes(manyrt_sys::RT_LANES_HALVES);
    /// an operation has no form for vectors
    pub const NO_FORM: NoLanes = NoLanes(manyrt_sys::RT_LANES_NO_FORM);
    /// work-items one by one are expected to take less time
    pub const COST: NoLanes = NoLanes(manyrt_sys::RT_LANES_COST);
    /// there are more places to jump to than lanes can go through
    pub const BLOCKS: NoLanes = NoLanes(manyrt_sys::RT_LANES_BLOCKS);
    /// only work-items that whole vectors leave, in groups of sizes not launched so far
    pub const REST: NoLanes = NoLanes(manyrt_sys::RT_LANES_REST);
    /// nothing has looked for lanes, as on processors without vectors
    pub const NOT_TRIED: NoLanes = NoLanes(manyrt_sys::RT_LANES_NOT_TRIED);
}

impl fmt::Debug for NoLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            NoLanes::UNKNOWN => f.write_str("UNKNOWN"),
            NoLanes::ALL => f.write_str("ALL"),
            NoLanes::OPTIONS => f.write_str("OPTIONS"),
            NoLanes::QUICK => f.write_str("QUICK"),
            NoLanes::FIBERS => f.write_str("FIBERS"),
            NoLanes::HALVES => f.write_str("HALVES"),
            NoLanes::NO_FORM => f.write_str("NO_FORM"),
            NoLanes::COST => f.write_str("COST"),
            NoLanes::BLOCKS => f.write_str("BLOCKS"),
            NoLanes::REST => f.write_str("REST"),
            NoLanes::NOT_TRIED => f.write_str("NOT_TRIED"),
            NoLanes(other) => write!(f, "NoLanes({})", other),
        }
    }
}

/// Qualifiers of a kernel's pointer argument; joined by or.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Qualifier(pub i32);

impl Qualifier {
    /// of what it points to, as all of \_\_constant
    pub const CONST: Qualifier = Qualifier(manyrt_sys::RT_QUALIFIER_CONST);
    /// of the pointer
    pub const RESTRICT: Qualifier = Qualifier(manyrt_sys::RT_QUALIFIER_RESTRICT);
    /// of what it points to
    pub const VOLATILE: Qualifier = Qualifier(manyrt_sys::RT_QUALIFIER_VOLATILE);
}

impl fmt::Debug for Qualifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Qualifier::CONST => f.write_str("CONST"),
            Qualifier::RESTRICT => f.write_str("RESTRICT"),
            Qualifier::VOLATILE => f.write_str("VOLATILE"),
            Qualifier(other) => write!(f, "Qualifier({})", other),
        }
    }
}

/// The memory that an argument of a kernel points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct AddressSpace(pub i32);

impl AddressSpace {
    /// RT\_ADDRESS\_SPACE\_UNKNOWN.
    pub const UNKNOWN: AddressSpace = AddressSpace(manyrt_sys::RT_ADDRESS_SPACE_UNKNOWN);
    /// it is a value
    pub const PRIVATE: AddressSpace = AddressSpace(manyrt_sys::RT_ADDRESS_SPACE_PRIVATE);
    /// RT\_ADDRESS\_SPACE\_GLOBAL.
    pub const GLOBAL: AddressSpace = AddressSpace(manyrt_sys::RT_ADDRESS_SPACE_GLOBAL);
    /// RT\_ADDRESS\_SPACE\_CONSTANT.
    pub const CONSTANT: AddressSpace = AddressSpace(manyrt_sys::RT_ADDRESS_SPACE_CONSTANT);
    /// RT\_ADDRESS\_SPACE\_LOCAL.
    pub const LOCAL: AddressSpace = AddressSpace(manyrt_sys::RT_ADDRESS_SPACE_LOCAL);
}

impl fmt::Debug for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AddressSpace::UNKNOWN => f.write_str("UNKNOWN"),
            AddressSpace::PRIVATE => f.write_str("PRIVATE"),
            AddressSpace::GLOBAL => f.write_str("GLOBAL"),
            AddressSpace::CONSTANT => f.write_str("CONSTANT"),
            AddressSpace::LOCAL => f.write_str("LOCAL"),
            AddressSpace(other) => write!(f, "AddressSpace({})", other),
        }
    }
}

/// The accesses of a kernel to the memory that an argument points to, as the compiler saw them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Access(pub i32);

impl Access {
    /// RT\_ACCESS\_UNKNOWN.
    pub const UNKNOWN: Access = Access(manyrt_sys::RT_ACCESS_UNKNOWN);
    /// RT\_ACCESS\_READ.
    pub const READ: Access = Access(manyrt_sys::RT_ACCESS_READ);
    /// parts of it, maybe: what is not written keeps its contents
    pub const WRITE: Access = Access(manyrt_sys::RT_ACCESS_WRITE);
    /// RT\_ACCESS\_READ\_WRITE.
    pub const READ_WRITE: Access = Access(manyrt_sys::RT_ACCESS_READ_WRITE);
    /// neither
    pub const NONE: Access = Access(manyrt_sys::RT_ACCESS_NONE);
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Access::UNKNOWN => f.write_str("UNKNOWN"),
            Access::READ => f.write_str("READ"),
            Access::WRITE => f.write_str("WRITE"),
            Access::READ_WRITE => f.write_str("READ_WRITE"),
            Access::NONE => f.write_str("NONE"),
            Access(other) => write!(f, "Access({})", other),
        }
    }
}

/// Flags of rtLaunchOptions\_t.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LaunchFlags(pub i32);

impl LaunchFlags {
    /// all work-groups run at the same time, or the launch is refused
    pub const COOPERATIVE: LaunchFlags = LaunchFlags(manyrt_sys::RT_LAUNCH_COOPERATIVE);
}

impl fmt::Debug for LaunchFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LaunchFlags::COOPERATIVE => f.write_str("COOPERATIVE"),
            LaunchFlags(other) => write!(f, "LaunchFlags({})", other),
        }
    }
}

/// Kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GraphNodeType(pub i32);

impl GraphNodeType {
    /// RT\_GRAPH\_NODE\_EMPTY.
    pub const EMPTY: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_EMPTY);
    /// RT\_GRAPH\_NODE\_KERNEL.
    pub const KERNEL: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_KERNEL);
    /// RT\_GRAPH\_NODE\_MEMCPY.
    pub const MEMCPY: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_MEMCPY);
    /// RT\_GRAPH\_NODE\_MEMCPY\_2D.
    pub const MEMCPY_2D: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_MEMCPY_2D);
    /// RT\_GRAPH\_NODE\_FILL.
    pub const FILL: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_FILL);
    /// RT\_GRAPH\_NODE\_HOST.
    pub const HOST: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_HOST);
    /// RT\_GRAPH\_NODE\_NATIVE.
    pub const NATIVE: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_NATIVE);
    /// RT\_GRAPH\_NODE\_CHILD\_GRAPH.
    pub const CHILD_GRAPH: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_CHILD_GRAPH);
    /// RT\_GRAPH\_NODE\_EVENT\_RECORD.
    pub const EVENT_RECORD: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_EVENT_RECORD);
    /// RT\_GRAPH\_NODE\_EVENT\_WAIT.
    pub const EVENT_WAIT: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_EVENT_WAIT);
    /// RT\_GRAPH\_NODE\_FENCE\_SIGNAL.
    pub const FENCE_SIGNAL: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_FENCE_SIGNAL);
    /// RT\_GRAPH\_NODE\_FENCE\_WAIT.
    pub const FENCE_WAIT: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_FENCE_WAIT);
    /// from captures alone, as the next two
    pub const PREFETCH: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_PREFETCH);
    /// memory of the graph's own, at the address that the capture gave
    pub const ALLOCATION: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_ALLOCATION);
    /// RT\_GRAPH\_NODE\_FREE.
    pub const FREE: GraphNodeType = GraphNodeType(manyrt_sys::RT_GRAPH_NODE_FREE);
}

impl fmt::Debug for GraphNodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GraphNodeType::EMPTY => f.write_str("EMPTY"),
            GraphNodeType::KERNEL => f.write_str("KERNEL"),
            GraphNodeType::MEMCPY => f.write_str("MEMCPY"),
            GraphNodeType::MEMCPY_2D => f.write_str("MEMCPY_2D"),
            GraphNodeType::FILL => f.write_str("FILL"),
            GraphNodeType::HOST => f.write_str("HOST"),
            GraphNodeType::NATIVE => f.write_str("NATIVE"),
            GraphNodeType::CHILD_GRAPH => f.write_str("CHILD_GRAPH"),
            GraphNodeType::EVENT_RECORD => f.write_str("EVENT_RECORD"),
            GraphNodeType::EVENT_WAIT => f.write_str("EVENT_WAIT"),
            GraphNodeType::FENCE_SIGNAL => f.write_str("FENCE_SIGNAL"),
            GraphNodeType::FENCE_WAIT => f.write_str("FENCE_WAIT"),
            GraphNodeType::PREFETCH => f.write_str("PREFETCH"),
            GraphNodeType::ALLOCATION => f.write_str("ALLOCATION"),
            GraphNodeType::FREE => f.write_str("FREE"),
            GraphNodeType(other) => write!(f, "GraphNodeType({})", other),
        }
    }
}

/// How a step of a plan runs. A step that cannot run in the context is refused when the plan is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Verdict(pub i32);

impl Verdict {
    /// kernels, copies, fills: all is fixed; a driver's own graph can hold it
    pub const NATIVE: Verdict = Verdict(manyrt_sys::RT_VERDICT_NATIVE);
    /// functions, events, fences: the library orders it anew at each launch
    pub const HOST: Verdict = Verdict(manyrt_sys::RT_VERDICT_HOST);
}

impl fmt::Debug for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Verdict::NATIVE => f.write_str("NATIVE"),
            Verdict::HOST => f.write_str("HOST"),
            Verdict(other) => write!(f, "Verdict({})", other),
        }
    }
}

/// For rtStreamIsCapturing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CaptureState(pub i32);

impl CaptureState {
    /// RT\_CAPTURE\_NONE.
    pub const NONE: CaptureState = CaptureState(manyrt_sys::RT_CAPTURE_NONE);
    /// RT\_CAPTURE\_ACTIVE.
    pub const ACTIVE: CaptureState = CaptureState(manyrt_sys::RT_CAPTURE_ACTIVE);
    /// broken: rtStreamEndCapture leaves it, with the cause
    pub const INVALIDATED: CaptureState = CaptureState(manyrt_sys::RT_CAPTURE_INVALIDATED);
}

impl fmt::Debug for CaptureState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CaptureState::NONE => f.write_str("NONE"),
            CaptureState::ACTIVE => f.write_str("ACTIVE"),
            CaptureState::INVALIDATED => f.write_str("INVALIDATED"),
            CaptureState(other) => write!(f, "CaptureState({})", other),
        }
    }
}

/// Roles of a graph's buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GraphBufferRole(pub i32);

impl GraphBufferRole {
    /// lives within one launch; memory is found when a plan is made
    pub const TEMPORARY: GraphBufferRole = GraphBufferRole(manyrt_sys::RT_GRAPH_BUFFER_TEMPORARY);
    /// bound by the program, comes in with its contents
    pub const INPUT: GraphBufferRole = GraphBufferRole(manyrt_sys::RT_GRAPH_BUFFER_INPUT);
    /// bound by the program, goes out with its contents
    pub const OUTPUT: GraphBufferRole = GraphBufferRole(manyrt_sys::RT_GRAPH_BUFFER_OUTPUT);
    /// bound by the program and never written by a node
    pub const CONSTANT: GraphBufferRole = GraphBufferRole(manyrt_sys::RT_GRAPH_BUFFER_CONSTANT);
}

impl fmt::Debug for GraphBufferRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GraphBufferRole::TEMPORARY => f.write_str("TEMPORARY"),
            GraphBufferRole::INPUT => f.write_str("INPUT"),
            GraphBufferRole::OUTPUT => f.write_str("OUTPUT"),
            GraphBufferRole::CONSTANT => f.write_str("CONSTANT"),
            GraphBufferRole(other) => write!(f, "GraphBufferRole({})", other),
        }
    }
}

/// Whether a node reads or writes memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GraphAccess(pub i32);

impl GraphAccess {
    /// RT\_GRAPH\_READ.
    pub const READ: GraphAccess = GraphAccess(manyrt_sys::RT_GRAPH_READ);
    /// RT\_GRAPH\_WRITE.
    pub const WRITE: GraphAccess = GraphAccess(manyrt_sys::RT_GRAPH_WRITE);
}

impl fmt::Debug for GraphAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GraphAccess::READ => f.write_str("READ"),
            GraphAccess::WRITE => f.write_str("WRITE"),
            GraphAccess(other) => write!(f, "GraphAccess({})", other),
        }
    }
}

/// The records that a callback of the trace receives; joined by or: rtTraceSetCallback.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct TraceKind(pub i32);

impl TraceKind {
    /// the beginning and the end of each call of the program
    pub const CALLS: TraceKind = TraceKind(manyrt_sys::RT_TRACE_CALLS);
    /// work that a call has given to a stream
    pub const SUBMISSIONS: TraceKind = TraceKind(manyrt_sys::RT_TRACE_SUBMISSIONS);
    /// work that is over, with its times on the device
    pub const WORK: TraceKind = TraceKind(manyrt_sys::RT_TRACE_WORK);
    /// steps of builds: front end, compiler, a look into the cache
    pub const BUILDS: TraceKind = TraceKind(manyrt_sys::RT_TRACE_BUILDS);
    /// ranges and marks of the program
    pub const RANGES: TraceKind = TraceKind(manyrt_sys::RT_TRACE_RANGES);
}

impl fmt::Debug for TraceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TraceKind::CALLS => f.write_str("CALLS"),
            TraceKind::SUBMISSIONS => f.write_str("SUBMISSIONS"),
            TraceKind::WORK => f.write_str("WORK"),
            TraceKind::BUILDS => f.write_str("BUILDS"),
            TraceKind::RANGES => f.write_str("RANGES"),
            TraceKind(other) => write!(f, "TraceKind({})", other),
        }
    }
}

/// The event that one record of the trace describes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct TraceRecordType(pub i32);

impl TraceRecordType {
    /// a call begins
    pub const ENTER: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_ENTER);
    /// a call has ended
    pub const EXIT: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_EXIT);
    /// a call has given work to a stream
    pub const SUBMISSION: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_SUBMISSION);
    /// work is over; what is short may come before its SUBMISSION
    pub const WORK: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_WORK);
    /// a step of a build has ended
    pub const BUILD: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_BUILD);
    /// rtTraceRangePush
    pub const RANGE_PUSH: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_RANGE_PUSH);
    /// rtTraceRangePop, with the whole range
    pub const RANGE_POP: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_RANGE_POP);
    /// rtTraceMark
    pub const MARK: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_MARK);
    /// records or times are missing here
    pub const LOST: TraceRecordType = TraceRecordType(manyrt_sys::RT_TRACE_RECORD_LOST);
}

impl fmt::Debug for TraceRecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TraceRecordType::ENTER => f.write_str("ENTER"),
            TraceRecordType::EXIT => f.write_str("EXIT"),
            TraceRecordType::SUBMISSION => f.write_str("SUBMISSION"),
            TraceRecordType::WORK => f.write_str("WORK"),
            TraceRecordType::BUILD => f.write_str("BUILD"),
            TraceRecordType::RANGE_PUSH => f.write_str("RANGE_PUSH"),
            TraceRecordType::RANGE_POP => f.write_str("RANGE_POP"),
            TraceRecordType::MARK => f.write_str("MARK"),
            TraceRecordType::LOST => f.write_str("LOST"),
            TraceRecordType(other) => write!(f, "TraceRecordType({})", other),
        }
    }
}

/// Kinds of work of a stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WorkKind(pub i32);

impl WorkKind {
    /// RT\_WORK\_KERNEL.
    pub const KERNEL: WorkKind = WorkKind(manyrt_sys::RT_WORK_KERNEL);
    /// RT\_WORK\_COPY.
    pub const COPY: WorkKind = WorkKind(manyrt_sys::RT_WORK_COPY);
    /// RT\_WORK\_FILL.
    pub const FILL: WorkKind = WorkKind(manyrt_sys::RT_WORK_FILL);
    /// RT\_WORK\_PREFETCH.
    pub const PREFETCH: WorkKind = WorkKind(manyrt_sys::RT_WORK_PREFETCH);
    /// a whole launch of a graph, beside its nodes
    pub const GRAPH: WorkKind = WorkKind(manyrt_sys::RT_WORK_GRAPH);
    /// a native function, or the library's own
    pub const TASK: WorkKind = WorkKind(manyrt_sys::RT_WORK_TASK);
    /// RT\_WORK\_HOST\_FUNCTION.
    pub const HOST_FUNCTION: WorkKind = WorkKind(manyrt_sys::RT_WORK_HOST_FUNCTION);
}

impl fmt::Debug for WorkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WorkKind::KERNEL => f.write_str("KERNEL"),
            WorkKind::COPY => f.write_str("COPY"),
            WorkKind::FILL => f.write_str("FILL"),
            WorkKind::PREFETCH => f.write_str("PREFETCH"),
            WorkKind::GRAPH => f.write_str("GRAPH"),
            WorkKind::TASK => f.write_str("TASK"),
            WorkKind::HOST_FUNCTION => f.write_str("HOST_FUNCTION"),
            WorkKind(other) => write!(f, "WorkKind({})", other),
        }
    }
}
