// Made by bindings/rust/generate.py from bindings/rt.json; not to be edited. SPDX-License-Identifier: Apache-2.0

use std::os::raw::{c_char, c_void};

/// 0 success, positive: not an error, negative: failure.
pub type rtStatus_t = i32;

/// Opaque: see rtDevice\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtDevice_st {
    _private: [u8; 0],
}
/// valid until rtShutdown; never destroyed
pub type rtDevice_t = *mut rtDevice_st;

/// Opaque: see rtContext\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtContext_st {
    _private: [u8; 0],
}
/// owns the streams, memory and modules of a device
pub type rtContext_t = *mut rtContext_st;

/// Opaque: see rtStream\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtStream_st {
    _private: [u8; 0],
}
/// work that runs in order
pub type rtStream_t = *mut rtStream_st;

/// Opaque: see rtEvent\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtEvent_st {
    _private: [u8; 0],
}
/// a point in a stream
pub type rtEvent_t = *mut rtEvent_st;

/// Opaque: see rtFence\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtFence_st {
    _private: [u8; 0],
}
/// a 64-bit timeline between host and streams of any backend
pub type rtFence_t = *mut rtFence_st;

/// Opaque: see rtMemPool\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtMemPool_st {
    _private: [u8; 0],
}
/// where allocations come from
pub type rtMemPool_t = *mut rtMemPool_st;

/// Opaque: see rtKernel\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtKernel_st {
    _private: [u8; 0],
}
/// a function over a grid of work-groups
pub type rtKernel_t = *mut rtKernel_st;

/// Opaque: see rtModule\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtModule_st {
    _private: [u8; 0],
}
/// a program for a device, with the kernels that are in it
pub type rtModule_t = *mut rtModule_st;

/// Opaque: see rtGraph\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtGraph_st {
    _private: [u8; 0],
}
/// nodes of work, their order, the buffers that come in and go out
pub type rtGraph_t = *mut rtGraph_st;

/// Opaque: see rtGraphNode\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtGraphNode_st {
    _private: [u8; 0],
}
/// one piece of work; belongs to its graph
pub type rtGraphNode_t = *mut rtGraphNode_st;

/// Opaque: see rtGraphBuffer\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtGraphBuffer_st {
    _private: [u8; 0],
}
/// memory that is named before it is known; belongs to its graph
pub type rtGraphBuffer_t = *mut rtGraphBuffer_st;

/// Opaque: see rtGraphValue\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtGraphValue_st {
    _private: [u8; 0],
}
/// a number that is named before it is known; belongs to its graph
pub type rtGraphValue_t = *mut rtGraphValue_st;

/// Opaque: see rtCapturePlan\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtCapturePlan_st {
    _private: [u8; 0],
}
/// how a graph runs in one context
pub type rtCapturePlan_t = *mut rtCapturePlan_st;

/// Opaque: see rtGraphExec\_t.
#[repr(C)]
#[derive(Debug)]
pub struct rtGraphExec_st {
    _private: [u8; 0],
}
/// what runs, many times, the same way
pub type rtGraphExec_t = *mut rtGraphExec_st;

/// The version of the interface that these declarations were made from.
pub const MANYRT_VERSION_MAJOR: u32 = 0;
/// The version of the interface that these declarations were made from.
pub const MANYRT_VERSION_MINOR: u32 = 3;
/// The version of the interface that these declarations were made from.
pub const MANYRT_VERSION_PATCH: u32 = 0;
/// for every timeout\_ns: wait for ever
pub const RT_TIMEOUT_INFINITE: u64 = 0xFFFFFFFFFFFFFFFF;
/// for arg\_count: as many as the kernel has
pub const RT_ARGS_ALL: u32 = 0xFFFFFFFF;
/// for the count of dependencies, NULL then: from what nodes read and write
pub const RT_INFERRED: u32 = 0xFFFFFFFF;

// enum rtStatusCode
/// See enum rtStatusCode.
pub const RT_SUCCESS: i32 = 0;
/// a query: the work is still pending; not an error
pub const RT_NOT_READY: i32 = 1;
/// an argument is outside what the function documents
pub const RT_ERROR_INVALID_VALUE: i32 = -1;
/// null, stale, of another kind, or no handle at all
pub const RT_ERROR_INVALID_HANDLE: i32 = -2;
/// the ordinal is not that of a device
pub const RT_ERROR_INVALID_DEVICE: i32 = -3;
/// the objects of one call belong to different contexts
pub const RT_ERROR_WRONG_CONTEXT: i32 = -4;
/// device, host or a pool's limit
pub const RT_ERROR_OUT_OF_MEMORY: i32 = -5;
/// legal, but this device or version cannot do it
pub const RT_ERROR_NOT_SUPPORTED: i32 = -6;
/// no device, kernel or symbol of that name
pub const RT_ERROR_NOT_FOUND: i32 = -7;
/// a kernel compiler refused the source
pub const RT_ERROR_BUILD_FAILED: i32 = -8;
/// the kernel compiler is not installed
pub const RT_ERROR_COMPILER_NOT_FOUND: i32 = -9;
/// a kernel image is damaged or for another device
pub const RT_ERROR_INVALID_IMAGE: i32 = -10;
/// a kernel, copy or callback failed while it ran
pub const RT_ERROR_LAUNCH_FAILED: i32 = -11;
/// the call cannot be part of a capture
pub const RT_ERROR_CAPTURE_UNSAFE: i32 = -12;
/// the capture was broken earlier
pub const RT_ERROR_CAPTURE_INVALIDATED: i32 = -13;
/// in use, or the call would wait for itself
pub const RT_ERROR_BUSY: i32 = -14;
/// the given time passed first
pub const RT_ERROR_TIMEOUT: i32 = -15;
/// the device is gone for the rest of the process
pub const RT_ERROR_DEVICE_LOST: i32 = -16;
/// the backend's driver is missing, disabled or not built in
pub const RT_ERROR_BACKEND_UNAVAILABLE: i32 = -17;
/// the driver failed in a way that has no code of its own
pub const RT_ERROR_DRIVER: i32 = -18;
/// the process was forked after the library's first use
pub const RT_ERROR_FORKED: i32 = -19;
/// rtShutdown has run
pub const RT_ERROR_SHUT_DOWN: i32 = -20;
/// a file could not be read or written
pub const RT_ERROR_IO: i32 = -21;
/// a defect of the library
pub const RT_ERROR_INTERNAL: i32 = -22;

// enum rtHandleKind
/// See enum rtHandleKind.
pub const RT_HANDLE_INVALID: i32 = -1;
/// the sum over all kinds
pub const RT_HANDLE_ALL: i32 = 0;
/// See enum rtHandleKind.
pub const RT_HANDLE_DEVICE: i32 = 1;
/// See enum rtHandleKind.
pub const RT_HANDLE_CONTEXT: i32 = 2;
/// See enum rtHandleKind.
pub const RT_HANDLE_STREAM: i32 = 3;
/// See enum rtHandleKind.
pub const RT_HANDLE_EVENT: i32 = 4;
/// See enum rtHandleKind.
pub const RT_HANDLE_FENCE: i32 = 5;
/// See enum rtHandleKind.
pub const RT_HANDLE_MEM_POOL: i32 = 6;
/// See enum rtHandleKind.
pub const RT_HANDLE_KERNEL: i32 = 7;
/// live allocations and imported memory, though they are addresses
pub const RT_HANDLE_ALLOCATION: i32 = 8;
/// with its kernels, which are not counted again
pub const RT_HANDLE_MODULE: i32 = 9;
/// with its nodes, buffers and values, which are not counted again
pub const RT_HANDLE_GRAPH: i32 = 10;
/// See enum rtHandleKind.
pub const RT_HANDLE_GRAPH_NODE: i32 = 11;
/// See enum rtHandleKind.
pub const RT_HANDLE_GRAPH_BUFFER: i32 = 12;
/// See enum rtHandleKind.
pub const RT_HANDLE_CAPTURE_PLAN: i32 = 13;
/// See enum rtHandleKind.
pub const RT_HANDLE_GRAPH_EXEC: i32 = 14;
/// See enum rtHandleKind.
pub const RT_HANDLE_GRAPH_VALUE: i32 = 15;

// enum rtLogLevel
/// See enum rtLogLevel.
pub const RT_LOG_INVALID: i32 = -1;
/// See enum rtLogLevel.
pub const RT_LOG_NONE: i32 = 0;
/// See enum rtLogLevel.
pub const RT_LOG_ERROR: i32 = 1;
/// See enum rtLogLevel.
pub const RT_LOG_WARNING: i32 = 2;
/// See enum rtLogLevel.
pub const RT_LOG_INFO: i32 = 3;
/// See enum rtLogLevel.
pub const RT_LOG_DEBUG: i32 = 4;

// enum rtBackend
/// See enum rtBackend.
pub const RT_BACKEND_INVALID: i32 = -1;
/// every backend but RT\_BACKEND\_NULL; for counting only
pub const RT_BACKEND_ALL: i32 = 0;
/// See enum rtBackend.
pub const RT_BACKEND_CPU: i32 = 1;
/// See enum rtBackend.
pub const RT_BACKEND_CUDA: i32 = 2;
/// See enum rtBackend.
pub const RT_BACKEND_OPENCL: i32 = 3;
/// copies and fills work, kernels are accepted and not run; for tests
pub const RT_BACKEND_NULL: i32 = 4;

// enum rtDeviceKind
/// See enum rtDeviceKind.
pub const RT_DEVICE_KIND_INVALID: i32 = -1;
/// See enum rtDeviceKind.
pub const RT_DEVICE_KIND_CPU: i32 = 1;
/// See enum rtDeviceKind.
pub const RT_DEVICE_KIND_DISCRETE_GPU: i32 = 2;
/// See enum rtDeviceKind.
pub const RT_DEVICE_KIND_INTEGRATED_GPU: i32 = 3;
/// See enum rtDeviceKind.
pub const RT_DEVICE_KIND_ACCELERATOR: i32 = 4;

// enum rtMemoryTier
/// See enum rtMemoryTier.
pub const RT_MEMORY_TIER_INVALID: i32 = -1;
/// the driver's own addresses
pub const RT_MEMORY_TIER_NATIVE: i32 = 0;
/// OpenCL unified shared memory
pub const RT_MEMORY_TIER_USM: i32 = 1;
/// OpenCL shared virtual memory
pub const RT_MEMORY_TIER_SVM: i32 = 2;
/// OpenCL buffers behind a reserved window of addresses
pub const RT_MEMORY_TIER_BUFFER: i32 = 3;

// enum rtAttribute
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_INVALID: i32 = -1;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_KIND: i32 = 0;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_COMPUTE_UNITS: i32 = 1;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_CLOCK_MHZ: i32 = 2;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_SIMD_WIDTH: i32 = 3;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GROUP_ITEMS: i32 = 4;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GROUP_SIZE_X: i32 = 5;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GROUP_SIZE_Y: i32 = 6;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GROUP_SIZE_Z: i32 = 7;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GRID_SIZE_X: i32 = 8;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GRID_SIZE_Y: i32 = 9;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_GRID_SIZE_Z: i32 = 10;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MEMORY_BYTES: i32 = 11;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MAX_ALLOCATION_BYTES: i32 = 12;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_CACHE_LINE_BYTES: i32 = 13;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_L1_BYTES: i32 = 14;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_L2_BYTES: i32 = 15;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_L3_BYTES: i32 = 16;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP: i32 = 17;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_UNIFIED_MEMORY: i32 = 18;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_MEMORY_TIER: i32 = 19;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_PRIORITY_LEAST: i32 = 20;
/// See enum rtAttribute.
pub const RT_ATTRIBUTE_PRIORITY_GREATEST: i32 = 21;
/// CPU: NUMA nodes of the machine; elsewhere 1
pub const RT_ATTRIBUTE_NUMA_NODES: i32 = 22;
/// CPU: threads that run kernels; elsewhere 0
pub const RT_ATTRIBUTE_HOST_THREADS: i32 = 23;
/// DLDeviceType of the device: kDLCPU, kDLCUDA, kDLOpenCL; null: kDLExtDev
pub const RT_ATTRIBUTE_DLPACK_TYPE: i32 = 24;
/// device\_id of a DLDevice: the index within the backend
pub const RT_ATTRIBUTE_DLPACK_ID: i32 = 25;

// enum rtCapability
/// See enum rtCapability.
pub const RT_CAPABILITY_INVALID: i32 = -1;
/// kernels from source or images
pub const RT_CAPABILITY_KERNELS: i32 = 0;
/// rtKernelCreateFromHost
pub const RT_CAPABILITY_HOST_KERNELS: i32 = 1;
/// rtMallocShared
pub const RT_CAPABILITY_SHARED_MEMORY: i32 = 2;
/// RT\_LAUNCH\_COOPERATIVE
pub const RT_CAPABILITY_COOPERATIVE_LAUNCH: i32 = 3;
/// rtContextEnablePeerAccess towards some device
pub const RT_CAPABILITY_PEER_ACCESS: i32 = 4;
/// rtEventElapsedTime
pub const RT_CAPABILITY_TIMING: i32 = 5;
/// rt...GetNative and rt...Import
pub const RT_CAPABILITY_NATIVE_INTEROP: i32 = 6;
/// kernels may follow addresses that they find in memory
pub const RT_CAPABILITY_POINTERS_IN_MEMORY: i32 = 7;
/// 64-bit floating point in kernels
pub const RT_CAPABILITY_DOUBLE: i32 = 8;
/// 16-bit floating point in kernels
pub const RT_CAPABILITY_HALF: i32 = 9;
/// 64-bit atomics in kernels
pub const RT_CAPABILITY_ATOMICS_64: i32 = 10;
/// rtHostRegister pins memory
pub const RT_CAPABILITY_HOST_REGISTER: i32 = 11;
/// more than one stream priority
pub const RT_CAPABILITY_STREAM_PRIORITIES: i32 = 12;
/// sub-group functions in kernels (cl\_khr\_subgroups)
pub const RT_CAPABILITY_SUBGROUPS: i32 = 13;

// enum rtWaitPolicy
/// See enum rtWaitPolicy.
pub const RT_WAIT_INVALID: i32 = -1;
/// spins briefly, then blocks
pub const RT_WAIT_DEFAULT: i32 = 0;
/// See enum rtWaitPolicy.
pub const RT_WAIT_SPIN: i32 = 1;
/// See enum rtWaitPolicy.
pub const RT_WAIT_YIELD: i32 = 2;
/// See enum rtWaitPolicy.
pub const RT_WAIT_BLOCK: i32 = 3;

// enum rtContextFlags
/// See enum rtContextFlags.
pub const RT_CONTEXT_FLAGS_INVALID: i32 = -1;
/// kernels take addresses inside live memory of the library that the device reaches, and no others
pub const RT_CONTEXT_STRICT: i32 = 1;

// enum rtEventFlags
/// See enum rtEventFlags.
pub const RT_EVENT_FLAGS_INVALID: i32 = -1;
/// cheaper; rtEventElapsedTime refuses the event
pub const RT_EVENT_DISABLE_TIMING: i32 = 1;

// enum rtMemoryKind
/// See enum rtMemoryKind.
pub const RT_MEMORY_INVALID: i32 = -1;
/// See enum rtMemoryKind.
pub const RT_MEMORY_DEVICE: i32 = 0;
/// pinned host memory
pub const RT_MEMORY_HOST: i32 = 1;
/// one address for host and device
pub const RT_MEMORY_SHARED: i32 = 2;

// enum rtPointerKind
/// See enum rtPointerKind.
pub const RT_POINTER_INVALID: i32 = -1;
/// not memory of this library
pub const RT_POINTER_UNKNOWN: i32 = 0;
/// See enum rtPointerKind.
pub const RT_POINTER_DEVICE: i32 = 1;
/// See enum rtPointerKind.
pub const RT_POINTER_HOST: i32 = 2;
/// See enum rtPointerKind.
pub const RT_POINTER_SHARED: i32 = 3;
/// by rtHostRegister
pub const RT_POINTER_REGISTERED: i32 = 4;
/// by rtMemImport
pub const RT_POINTER_IMPORTED: i32 = 5;

// enum rtMemcpyKind
/// See enum rtMemcpyKind.
pub const RT_MEMCPY_INVALID: i32 = -1;
/// inferred from the addresses
pub const RT_MEMCPY_DEFAULT: i32 = 0;
/// See enum rtMemcpyKind.
pub const RT_MEMCPY_HOST_TO_HOST: i32 = 1;
/// See enum rtMemcpyKind.
pub const RT_MEMCPY_HOST_TO_DEVICE: i32 = 2;
/// See enum rtMemcpyKind.
pub const RT_MEMCPY_DEVICE_TO_HOST: i32 = 3;
/// one device or two, also of two backends
pub const RT_MEMCPY_DEVICE_TO_DEVICE: i32 = 4;

// enum rtArgKind
/// See enum rtArgKind.
pub const RT_ARG_INVALID: i32 = -1;
/// See enum rtArgKind.
pub const RT_ARG_VALUE: i32 = 0;
/// an address of global memory, 8 bytes
pub const RT_ARG_POINTER: i32 = 1;
/// local memory; args\[i\] points to a size\_t, the bytes to reserve
pub const RT_ARG_LOCAL: i32 = 2;
/// in rtGraphArg\_t alone: a named value of the graph
pub const RT_ARG_GRAPH_VALUE: i32 = 3;

// enum rtImageFormat
/// See enum rtImageFormat.
pub const RT_IMAGE_INVALID: i32 = -1;
/// told from the bytes: an ELF file for CUDA is CUBIN, any other HOST\_OBJECT; the marks of MANYRT, FATBIN and SPIRV; of text,
/// what begins with .version is PTX, else OPENCL\_C
pub const RT_IMAGE_AUTO: i32 = 0;
/// OpenCL C 1.2 source; every device with RT\_CAPABILITY\_KERNELS
pub const RT_IMAGE_OPENCL_C: i32 = 1;
/// CUDA C++ source; CUDA
pub const RT_IMAGE_CUDA_CXX: i32 = 2;
/// CUDA
pub const RT_IMAGE_PTX: i32 = 3;
/// CUDA
pub const RT_IMAGE_CUBIN: i32 = 4;
/// CUDA
pub const RT_IMAGE_FATBIN: i32 = 5;
/// OpenCL
pub const RT_IMAGE_SPIRV: i32 = 6;
/// what clGetProgramInfo gave; OpenCL
pub const RT_IMAGE_OPENCL_BINARY: i32 = 7;
/// a shared object that exports rtHostModule; CPU
pub const RT_IMAGE_HOST_OBJECT: i32 = 8;
/// what rtModuleGetImage gave: code for one or more devices, and the source; every device with RT\_CAPABILITY\_KERNELS
pub const RT_IMAGE_MANYRT: i32 = 9;

// enum rtImageFlags
/// See enum rtImageFlags.
pub const RT_IMAGE_FLAGS_INVALID: i32 = -1;
/// the image has the code alone
pub const RT_IMAGE_WITHOUT_SOURCE: i32 = 1;

// enum rtModuleState
/// See enum rtModuleState.
pub const RT_MODULE_INVALID: i32 = -1;
/// its kernels can be launched; of rtModuleGetInfo: with quick code, and none is to follow
pub const RT_MODULE_READY: i32 = 0;
/// and run the code that stays
pub const RT_MODULE_OPTIMIZED: i32 = 1;
/// launches run quick code, which optimised code is to replace
pub const RT_MODULE_QUICK: i32 = 2;
/// launches run quick code; the optimised code could not be made
pub const RT_MODULE_FAILED: i32 = 3;

// enum rtModuleOrigin
/// See enum rtModuleOrigin.
pub const RT_MODULE_ORIGIN_INVALID: i32 = -1;
/// the program gave it
pub const RT_MODULE_ORIGIN_IMAGE: i32 = 0;
/// a compiler made it during the call
pub const RT_MODULE_ORIGIN_BUILD: i32 = 1;
/// the folder of compiled kernels
pub const RT_MODULE_ORIGIN_CACHE: i32 = 2;
/// the process had it: it was built before, or by another thread at the same time
pub const RT_MODULE_ORIGIN_PROCESS: i32 = 3;

// enum rtTier
/// See enum rtTier.
pub const RT_TIER_INVALID: i32 = -1;
/// of rtModuleOptions\_t: as the build options and RT\_CPU\_BUILD say; of rtKernelInfo\_t: not known
pub const RT_TIER_DEFAULT: i32 = 0;
/// compiled in a short time
pub const RT_TIER_QUICK: i32 = 1;
/// compiled to run fast
pub const RT_TIER_OPTIMIZED: i32 = 2;
/// of rtModuleOptions\_t alone: quick code, which optimised code replaces
pub const RT_TIER_TIERED: i32 = 3;
/// of rtKernelInfo\_t alone: the program brought the code, as an image or as a function
pub const RT_TIER_READY_MADE: i32 = 4;

// enum rtBarriers
/// See enum rtBarriers.
pub const RT_BARRIERS_INVALID: i32 = -1;
/// not known, or the device's own way
pub const RT_BARRIERS_UNKNOWN: i32 = 0;
/// the kernel has none
pub const RT_BARRIERS_NONE: i32 = 1;
/// the code is split at them: loops over the work-items lie between them
pub const RT_BARRIERS_SPLIT: i32 = 2;
/// each work-item has a stack of its own, which is slower
pub const RT_BARRIERS_FIBERS: i32 = 3;

// enum rtNoLanes
/// See enum rtNoLanes.
pub const RT_LANES_INVALID: i32 = -1;
/// not known, as of other devices, or of code that the program brought
pub const RT_LANES_UNKNOWN: i32 = 0;
/// all loops run as vectors
pub const RT_LANES_ALL: i32 = 1;
/// the build's options forbid optimisations
pub const RT_LANES_OPTIONS: i32 = 2;
/// quick code has none
pub const RT_LANES_QUICK: i32 = 3;
/// the work-items run on fibers: RT\_BARRIERS\_FIBERS
pub const RT_LANES_FIBERS: i32 = 4;
/// there are no vectors of half
pub const RT_LANES_HALVES: i32 = 5;
/// an operation has no form for vectors
pub const RT_LANES_NO_FORM: i32 = 6;
/// work-items one by one are expected to take less time
pub const RT_LANES_COST: i32 = 7;
/// there are more places to jump to than lanes can go through
pub const RT_LANES_BLOCKS: i32 = 8;
/// only work-items that whole vectors leave, in groups of sizes not launched so far
pub const RT_LANES_REST: i32 = 9;
/// nothing has looked for lanes, as on processors without vectors
pub const RT_LANES_NOT_TRIED: i32 = 10;

// enum rtQualifier
/// See enum rtQualifier.
pub const RT_QUALIFIER_INVALID: i32 = -1;
/// of what it points to, as all of \_\_constant
pub const RT_QUALIFIER_CONST: i32 = 1;
/// of the pointer
pub const RT_QUALIFIER_RESTRICT: i32 = 2;
/// of what it points to
pub const RT_QUALIFIER_VOLATILE: i32 = 4;

// enum rtAddressSpace
/// See enum rtAddressSpace.
pub const RT_ADDRESS_SPACE_INVALID: i32 = -1;
/// See enum rtAddressSpace.
pub const RT_ADDRESS_SPACE_UNKNOWN: i32 = 0;
/// it is a value
pub const RT_ADDRESS_SPACE_PRIVATE: i32 = 1;
/// See enum rtAddressSpace.
pub const RT_ADDRESS_SPACE_GLOBAL: i32 = 2;
/// See enum rtAddressSpace.
pub const RT_ADDRESS_SPACE_CONSTANT: i32 = 3;
/// See enum rtAddressSpace.
pub const RT_ADDRESS_SPACE_LOCAL: i32 = 4;

// enum rtAccess
/// See enum rtAccess.
pub const RT_ACCESS_INVALID: i32 = -1;
/// See enum rtAccess.
pub const RT_ACCESS_UNKNOWN: i32 = 0;
/// See enum rtAccess.
pub const RT_ACCESS_READ: i32 = 1;
/// parts of it, maybe: what is not written keeps its contents
pub const RT_ACCESS_WRITE: i32 = 2;
/// See enum rtAccess.
pub const RT_ACCESS_READ_WRITE: i32 = 3;
/// neither
pub const RT_ACCESS_NONE: i32 = 4;

// enum rtLaunchFlags
/// See enum rtLaunchFlags.
pub const RT_LAUNCH_FLAGS_INVALID: i32 = -1;
/// all work-groups run at the same time, or the launch is refused
pub const RT_LAUNCH_COOPERATIVE: i32 = 1;

// enum rtGraphNodeType
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_INVALID: i32 = -1;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_EMPTY: i32 = 0;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_KERNEL: i32 = 1;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_MEMCPY: i32 = 2;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_MEMCPY_2D: i32 = 3;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_FILL: i32 = 4;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_HOST: i32 = 5;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_NATIVE: i32 = 6;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_CHILD_GRAPH: i32 = 7;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_EVENT_RECORD: i32 = 8;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_EVENT_WAIT: i32 = 9;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_FENCE_SIGNAL: i32 = 10;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_FENCE_WAIT: i32 = 11;
/// from captures alone, as the next two
pub const RT_GRAPH_NODE_PREFETCH: i32 = 12;
/// memory of the graph's own, at the address that the capture gave
pub const RT_GRAPH_NODE_ALLOCATION: i32 = 13;
/// See enum rtGraphNodeType.
pub const RT_GRAPH_NODE_FREE: i32 = 14;

// enum rtVerdict
/// See enum rtVerdict.
pub const RT_VERDICT_INVALID: i32 = -1;
/// kernels, copies, fills: all is fixed; a driver's own graph can hold it
pub const RT_VERDICT_NATIVE: i32 = 0;
/// functions, events, fences: the library orders it anew at each launch
pub const RT_VERDICT_HOST: i32 = 1;

// enum rtCaptureState
/// See enum rtCaptureState.
pub const RT_CAPTURE_INVALID: i32 = -1;
/// See enum rtCaptureState.
pub const RT_CAPTURE_NONE: i32 = 0;
/// See enum rtCaptureState.
pub const RT_CAPTURE_ACTIVE: i32 = 1;
/// broken: rtStreamEndCapture leaves it, with the cause
pub const RT_CAPTURE_INVALIDATED: i32 = 2;

// enum rtGraphBufferRole
/// See enum rtGraphBufferRole.
pub const RT_GRAPH_BUFFER_INVALID: i32 = -1;
/// lives within one launch; memory is found when a plan is made
pub const RT_GRAPH_BUFFER_TEMPORARY: i32 = 0;
/// bound by the program, comes in with its contents
pub const RT_GRAPH_BUFFER_INPUT: i32 = 1;
/// bound by the program, goes out with its contents
pub const RT_GRAPH_BUFFER_OUTPUT: i32 = 2;
/// bound by the program and never written by a node
pub const RT_GRAPH_BUFFER_CONSTANT: i32 = 3;

// enum rtGraphAccess
/// See enum rtGraphAccess.
pub const RT_GRAPH_ACCESS_INVALID: i32 = -1;
/// See enum rtGraphAccess.
pub const RT_GRAPH_READ: i32 = 1;
/// See enum rtGraphAccess.
pub const RT_GRAPH_WRITE: i32 = 2;

// enum rtTraceKind
/// See enum rtTraceKind.
pub const RT_TRACE_INVALID: i32 = -1;
/// the beginning and the end of each call of the program
pub const RT_TRACE_CALLS: i32 = 1;
/// work that a call has given to a stream
pub const RT_TRACE_SUBMISSIONS: i32 = 2;
/// work that is over, with its times on the device
pub const RT_TRACE_WORK: i32 = 4;
/// steps of builds: front end, compiler, a look into the cache
pub const RT_TRACE_BUILDS: i32 = 8;
/// ranges and marks of the program
pub const RT_TRACE_RANGES: i32 = 16;

// enum rtTraceRecordType
/// See enum rtTraceRecordType.
pub const RT_TRACE_RECORD_INVALID: i32 = -1;
/// a call begins
pub const RT_TRACE_RECORD_ENTER: i32 = 1;
/// a call has ended
pub const RT_TRACE_RECORD_EXIT: i32 = 2;
/// a call has given work to a stream
pub const RT_TRACE_RECORD_SUBMISSION: i32 = 3;
/// work is over; what is short may come before its SUBMISSION
pub const RT_TRACE_RECORD_WORK: i32 = 4;
/// a step of a build has ended
pub const RT_TRACE_RECORD_BUILD: i32 = 5;
/// rtTraceRangePush
pub const RT_TRACE_RECORD_RANGE_PUSH: i32 = 6;
/// rtTraceRangePop, with the whole range
pub const RT_TRACE_RECORD_RANGE_POP: i32 = 7;
/// rtTraceMark
pub const RT_TRACE_RECORD_MARK: i32 = 8;
/// records or times are missing here
pub const RT_TRACE_RECORD_LOST: i32 = 9;

// enum rtWorkKind
/// See enum rtWorkKind.
pub const RT_WORK_INVALID: i32 = -1;
/// See enum rtWorkKind.
pub const RT_WORK_KERNEL: i32 = 1;
/// See enum rtWorkKind.
pub const RT_WORK_COPY: i32 = 2;
/// See enum rtWorkKind.
pub const RT_WORK_FILL: i32 = 3;
/// See enum rtWorkKind.
pub const RT_WORK_PREFETCH: i32 = 4;
/// a whole launch of a graph, beside its nodes
pub const RT_WORK_GRAPH: i32 = 5;
/// a native function, or the library's own
pub const RT_WORK_TASK: i32 = 6;
/// See enum rtWorkKind.
pub const RT_WORK_HOST_FUNCTION: i32 = 7;

/// Receives log lines on any thread, a line of a call before that call returns. message is borrowed until it returns. rt calls
/// are legal inside, but rtSetLogCallback is BUSY; what they log goes to stderr.
pub type rtLogCallback_t = Option<unsafe extern "C" fn(
    level: i32,
    message: *const c_char,
    user: *mut c_void,
)>;

/// Host function of a stream; status is RT\_SUCCESS or the stream's failure. rt calls are legal inside; a call that waits for
/// the stream itself is BUSY.
pub type rtHostFunction_t = Option<unsafe extern "C" fn(user: *mut c_void, status: rtStatus_t)>;

/// Receives the native stream (see rtStreamGetNative) and submits native work to it. In a graph on CUDA this is a private
/// stream in capture: see rtGraphAddNativeNode. rt calls are legal inside; a call that waits for the stream itself is BUSY.
pub type rtNativeFunction_t = Option<unsafe extern "C" fn(
    native: *const u64,
    user: *mut c_void,
) -> rtStatus_t>;

/// Releases user: called once, after its last use. If the last use ends in a call of the program, the function runs on that
/// thread before the call returns; else it runs soon after on a thread of the library. rt calls are legal inside. The object
/// that held user has ended by then: its stale handle is INVALID\_HANDLE. In rtShutdown rt calls inside are SHUT\_DOWN.
pub type rtReleaseFunction_t = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Called when a pool could not get size bytes. Returns nonzero if it has freed memory: the pool tries again. rt calls are
/// legal inside; rtContextReset of the pool's context is BUSY.
pub type rtOutOfMemoryCallback_t = Option<unsafe extern "C" fn(
    size: u64,
    user: *mut c_void,
) -> i32>;

/// A host kernel: called once for each work-group, on threads of the library and on threads that wait for the stream. The calls
/// run in any order and at the same time. args\[i\] points to the value of argument i; for RT\_ARG\_LOCAL to a pointer to the
/// reserved bytes. Makes no rt calls.
pub type rtHostKernelFunction_t = Option<unsafe extern "C" fn(
    group: *const rtHostGroup_t,
    args: *const *mut c_void,
)>;

/// Receives records of the trace. rt calls are legal inside, and the callback is not told of them; it is told of the work that
/// they submit. rtTraceSetCallback inside replaces the callback without waiting for other threads that are in it. ENTER, EXIT,
/// RANGE\_PUSH, RANGE\_POP and MARK come on the thread that calls, on several threads at once. All others come one at a time,
/// soon after what they tell, on any thread.
pub type rtTraceCallback_t = Option<unsafe extern "C" fn(
    record: *const rtTraceRecord_t,
    user: *mut c_void,
)>;

/// Describes the work-group that a host kernel is called for.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostGroup_t {
    /// index of this work-group
    pub group_id: [u32; 3],
    /// work-groups in the grid
    pub group_count: [u32; 3],
    /// work-items in this work-group; the kernel loops over them
    pub group_size: [u32; 3],
    /// index of the thread that runs this call; informational
    pub worker: u32,
    /// the launch's local\_bytes
    pub local_bytes: u64,
    /// local\_bytes bytes, private to this work-group, 64-byte aligned, contents undefined
    pub local_memory: *mut c_void,
}

/// One record of the trace: rtTraceSetCallback. type says which fields count; the others are 0 or empty. Every text is borrowed
/// until the callback returns, and none is NULL. Times are nanoseconds of CLOCK\_MONOTONIC.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtTraceRecord_t {
    /// bytes that this library has filled
    pub struct_size: u32,
    /// RT\_TRACE\_RECORD\_\*
    pub type_: i32,
    /// the operating system's number of the thread that called, built or marked
    pub thread: u64,
    /// number of the call: the same in ENTER, EXIT and in SUBMISSION of what it gave to a stream
    pub call: u64,
    /// number of the stream: SUBMISSION, WORK
    pub stream: u64,
    /// number of the submission in that stream; WORK has it too, nodes of a graph that of the launch
    pub serial: u64,
    /// when it began; of ENTER, SUBMISSION, RANGE\_PUSH and MARK the only time
    pub begin_ns: i64,
    /// when it ended
    pub end_ns: i64,
    /// EXIT: the part of the call in which its thread only waited
    pub waited_ns: i64,
    /// EXIT: what the call returns
    pub status: rtStatus_t,
    /// WORK: RT\_WORK\_\*
    pub work: i32,
    /// WORK, of a copy: RT\_MEMCPY\_\*
    pub copy: i32,
    /// WORK: 1 if it is a node of a graph
    pub in_graph: u32,
    /// WORK, of a copy or a fill
    pub bytes: u64,
    /// WORK, of a kernel: work-groups
    pub grid: [u32; 3],
    /// WORK, of a kernel: work-items in each
    pub group: [u32; 3],
    /// LOST: how many records did not fit, or pieces of work had no times
    pub lost: u64,
    /// of the function, the kernel or kind of work, the step, the range or the mark
    pub name: *const c_char,
    /// WORK, of a kernel, and BUILD: the module
    pub module: *const c_char,
    /// WORK, of a kernel: "quick" or "optimized" code; empty if unknown
    pub tier: *const c_char,
    /// SUBMISSION, WORK: as rtDeviceGetByName takes it
    pub device: *const c_char,
    /// SUBMISSION, WORK: of the stream
    pub label: *const c_char,
}

impl Default for rtTraceRecord_t {
    /// As RT\_TRACE\_RECORD\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtTraceRecord_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            type_: 0,
            thread: 0,
            call: 0,
            stream: 0,
            serial: 0,
            begin_ns: 0,
            end_ns: 0,
            waited_ns: 0,
            status: 0,
            work: 0,
            copy: 0,
            in_graph: 0,
            bytes: 0,
            grid: [0; 3],
            group: [0; 3],
            lost: 0,
            name: std::ptr::null(),
            module: std::ptr::null(),
            tier: std::ptr::null(),
            device: std::ptr::null(),
            label: std::ptr::null(),
        }
    }
}

/// Result of rtBackendGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtBackendInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_BACKEND\_\*
    pub backend: i32,
    /// 1 if its devices can be used
    pub available: i32,
    /// devices found
    pub device_count: i32,
    /// "cpu", "cuda", "opencl", "null"
    pub name: [c_char; 64],
    /// empty if unavailable
    pub driver_name: [c_char; 128],
    /// empty if unavailable
    pub driver_version: [c_char; 128],
    /// why it is unavailable, a sentence; else empty
    pub reason: [c_char; 256],
}

impl Default for rtBackendInfo_t {
    /// As RT\_BACKEND\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtBackendInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            backend: 0,
            available: 0,
            device_count: 0,
            name: [0; 64],
            driver_name: [0; 128],
            driver_version: [0; 128],
            reason: [0; 256],
        }
    }
}

/// Result of rtDeviceGetProperties.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtDeviceProperties_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_DEVICE\_KIND\_\*
    pub kind: i32,
    /// RT\_BACKEND\_\*
    pub backend: i32,
    /// index within the backend
    pub ordinal: i32,
    /// as rtDeviceGetByName takes it: "cpu", "cuda:0"
    pub id: [c_char; 32],
    /// the product's name
    pub name: [c_char; 256],
    /// vendor.
    pub vendor: [c_char; 128],
    /// driver version.
    pub driver_version: [c_char; 128],
    /// "sm\_90", or the CPU's instruction set
    pub architecture: [c_char; 64],
    /// "0000:01:00.0", empty if there is none
    pub pci_bus_id: [c_char; 32],
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
    /// 0
    pub reserved: u32,
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
    pub memory_tier: i32,
    /// of streams: 0
    pub priority_least: i32,
    /// 0 or negative: higher priority
    pub priority_greatest: i32,
}

impl Default for rtDeviceProperties_t {
    /// As RT\_DEVICE\_PROPERTIES\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtDeviceProperties_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            backend: 0,
            ordinal: 0,
            id: [0; 32],
            name: [0; 256],
            vendor: [0; 128],
            driver_version: [0; 128],
            architecture: [0; 64],
            pci_bus_id: [0; 32],
            uuid: [0; 16],
            compute_units: 0,
            clock_mhz: 0,
            simd_width: 0,
            max_group_items: 0,
            max_group_size: [0; 3],
            reserved: 0,
            max_grid_size: [0; 3],
            memory_bytes: 0,
            max_allocation_bytes: 0,
            cache_line_bytes: 0,
            l1_bytes: 0,
            l2_bytes: 0,
            l3_bytes: 0,
            local_bytes_per_group: 0,
            unified_memory: 0,
            memory_tier: 0,
            priority_least: 0,
            priority_greatest: 0,
        }
    }
}

/// Options of rtContextCreate.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtContextOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_WAIT\_\*
    pub wait_policy: i32,
    /// CPU: threads that run kernels; 0: as the device
    pub cpu_threads: u32,
    /// 0 or RT\_CONTEXT\_STRICT
    pub flags: u32,
    /// for messages and traces; terminated
    pub label: [c_char; 64],
}

impl Default for rtContextOptions_t {
    /// As RT\_CONTEXT\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtContextOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            wait_policy: 0,
            cpu_threads: 0,
            flags: 0,
            label: [0; 64],
        }
    }
}

/// Options of rtStreamCreate.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtStreamOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// 0 normal, negative higher; clamped to the device's range
    pub priority: i32,
    /// 0
    pub flags: u32,
    /// 0
    pub reserved: u32,
    /// for messages and traces; terminated
    pub label: [c_char; 64],
}

impl Default for rtStreamOptions_t {
    /// As RT\_STREAM\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtStreamOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            priority: 0,
            flags: 0,
            reserved: 0,
            label: [0; 64],
        }
    }
}

/// Options of rtEventCreate.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtEventOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// 0 or RT\_EVENT\_DISABLE\_TIMING
    pub flags: u32,
}

impl Default for rtEventOptions_t {
    /// As RT\_EVENT\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtEventOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            flags: 0,
        }
    }
}

/// Options of rtMallocWithOptions.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtMallocOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_MEMORY\_\*
    pub kind: i32,
    /// a power of two; 0: 256
    pub alignment: u64,
    /// 0
    pub flags: u32,
    /// 0
    pub reserved: u32,
    /// for messages and traces; terminated
    pub label: [c_char; 64],
}

impl Default for rtMallocOptions_t {
    /// As RT\_MALLOC\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtMallocOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            alignment: 0,
            flags: 0,
            reserved: 0,
            label: [0; 64],
        }
    }
}

/// Result of rtPointerGetAttributes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtPointerAttributes_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_POINTER\_\*
    pub kind: i32,
    /// first byte of the allocation; may be NULL if the memory is unknown
    pub base: *mut c_void,
    /// bytes that were asked for
    pub size: u64,
    /// the owner; may be NULL if the memory is unknown
    pub context: rtContext_t,
    /// the owner's device; may be NULL if the memory is unknown
    pub device: rtDevice_t,
}

impl Default for rtPointerAttributes_t {
    /// As RT\_POINTER\_ATTRIBUTES\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtPointerAttributes_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            base: std::ptr::null_mut(),
            size: 0,
            context: std::ptr::null_mut(),
            device: std::ptr::null_mut(),
        }
    }
}

/// Options of rtMemPoolCreate.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtMemPoolOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_MEMORY\_\*
    pub kind: i32,
    /// reserved at once
    pub initial_bytes: u64,
    /// hard limit; 0: none
    pub maximum_bytes: u64,
    /// unused bytes kept when streams are synchronised; above, they go back
    pub release_threshold: u64,
    /// for messages and traces; terminated
    pub label: [c_char; 64],
}

impl Default for rtMemPoolOptions_t {
    /// As RT\_MEM\_POOL\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtMemPoolOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            initial_bytes: 0,
            maximum_bytes: 0,
            release_threshold: 0,
            label: [0; 64],
        }
    }
}

/// Result of rtMemPoolGetStats. Live and peak count the bytes asked for, reserved those taken from the driver.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtMemPoolStats_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
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

impl Default for rtMemPoolStats_t {
    /// As RT\_MEM\_POOL\_STATS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtMemPoolStats_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            live_bytes: 0,
            live_count: 0,
            reserved_bytes: 0,
            peak_live_bytes: 0,
            peak_reserved_bytes: 0,
            pending_bytes: 0,
            allocation_count: 0,
            free_count: 0,
            reuse_count: 0,
            driver_allocation_count: 0,
        }
    }
}

/// Counters of a context's recycled objects: native streams, events, and points. A record in flight has a point, and so has an
/// event that was recorded. Includes the library's own streams and points, but not its events. created: handed out so far;
/// recycled: how many of these had been used before; live: in use now; native: that exist now, in use or kept for the next use.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtContextStats_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
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

impl Default for rtContextStats_t {
    /// As RT\_CONTEXT\_STATS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtContextStats_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            streams_created: 0,
            streams_recycled: 0,
            streams_live: 0,
            streams_native: 0,
            events_created: 0,
            events_recycled: 0,
            events_live: 0,
            points_created: 0,
            points_recycled: 0,
            points_live: 0,
            points_native: 0,
        }
    }
}

/// One argument of a host kernel; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostArg_t {
    /// bytes of the value; 8 for RT\_ARG\_POINTER and RT\_ARG\_LOCAL
    pub size: u32,
    /// RT\_ARG\_\*
    pub kind: i32,
}

/// The description of a host kernel, for rtKernelCreateFromHost.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostKernel_t {
    /// struct size.
    pub struct_size: u32,
    /// elements of args
    pub arg_count: u32,
    /// must stay loaded until the kernel's last launch is complete
    pub function: rtHostKernelFunction_t,
    /// copied; may be NULL if arg\_count is 0
    pub args: *const rtHostArg_t,
    /// copied; may be NULL
    pub name: *const c_char,
    /// largest work-group that function takes; 0: the device's
    pub max_group_items: u32,
    /// 0
    pub flags: u32,
}

impl Default for rtHostKernel_t {
    /// As RT\_HOST\_KERNEL\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtHostKernel_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            arg_count: 0,
            function: None,
            args: std::ptr::null(),
            name: std::ptr::null(),
            max_group_items: 0,
            flags: 0,
        }
    }
}

/// One argument of a kernel in a host module; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostModuleArg_t {
    /// bytes of the value; 8 for RT\_ARG\_POINTER and RT\_ARG\_LOCAL
    pub size: u32,
    /// RT\_ARG\_\*
    pub kind: i32,
    /// may be NULL
    pub name: *const c_char,
    /// may be NULL
    pub type_name: *const c_char,
}

/// One kernel of a host module; used in arrays, never grows. If any of the three numbers of bytes is not 0, the group's
/// local\_memory is larger by that much, for the kernel's own use. These bytes follow the launch's local\_bytes, rounded up to
/// 64.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostModuleKernel_t {
    /// name.
    pub name: *const c_char,
    /// function.
    pub function: rtHostKernelFunction_t,
    /// may be NULL if arg\_count is 0
    pub args: *const rtHostModuleArg_t,
    /// elements of args
    pub arg_count: u32,
    /// 0
    pub flags: u32,
    /// largest work-group that function takes; 0: the device's
    pub max_group_items: u32,
    /// zeros: any
    pub required_group_size: [u32; 3],
    /// local memory of each work-group, counted against the device's limit
    pub local_bytes: u64,
    /// of each work-group, not counted
    pub scratch_bytes: u64,
    /// the same for each of its work-items
    pub scratch_bytes_per_item: u64,
}

/// A variable of a host module, for rtModuleGetGlobal; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostModuleGlobal_t {
    /// name.
    pub name: *const c_char,
    /// size bytes
    pub address: *mut c_void,
    /// bytes
    pub size: u64,
}

/// The table that a shared object exports with C linkage as rtHostModule, to be loaded as RT\_IMAGE\_HOST\_OBJECT.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtHostModule_t {
    /// struct size.
    pub struct_size: u32,
    /// elements of kernels
    pub kernel_count: u32,
    /// may be NULL if kernel\_count is 0
    pub kernels: *const rtHostModuleKernel_t,
    /// may be NULL if global\_count is 0
    pub globals: *const rtHostModuleGlobal_t,
    /// elements of globals
    pub global_count: u32,
    /// 0
    pub flags: u32,
}

impl Default for rtHostModule_t {
    /// As RT\_HOST\_MODULE\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtHostModule_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kernel_count: 0,
            kernels: std::ptr::null(),
            globals: std::ptr::null(),
            global_count: 0,
            flags: 0,
        }
    }
}

/// Options of rtModuleLoadData, rtModuleLoadFile and rtModuleBuildMany.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtModuleOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_IMAGE\_\*
    pub format: i32,
    /// of source: as rtModuleCreateFromSource takes them; may be NULL
    pub build_options: *const c_char,
    /// in messages; may be NULL: "kernel.cl", or the path of the file
    pub name: *const c_char,
    /// elements of header\_names and headers
    pub header_count: u32,
    /// 0
    pub reserved: u32,
    /// of source: what #include calls each of headers; may be NULL if there are none
    pub header_names: *const *const c_char,
    /// their texts, found before any file; may be NULL if there are none
    pub headers: *const *const c_char,
    /// of OpenCL C on the CPU: RT\_TIER\_\*, which counts before the build options
    pub tier: i32,
    /// 0
    pub flags: u32,
}

impl Default for rtModuleOptions_t {
    /// As RT\_MODULE\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtModuleOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            format: 0,
            build_options: std::ptr::null(),
            name: std::ptr::null(),
            header_count: 0,
            reserved: 0,
            header_names: std::ptr::null(),
            headers: std::ptr::null(),
            tier: 0,
            flags: 0,
        }
    }
}

/// Options of rtModuleGetImage.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtImageOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// 0 or RT\_IMAGE\_WITHOUT\_SOURCE
    pub flags: u32,
}

impl Default for rtImageOptions_t {
    /// As RT\_IMAGE\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtImageOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            flags: 0,
        }
    }
}

/// Result of rtModuleGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtModuleInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_MODULE\_\*
    pub state: i32,
    /// RT\_MODULE\_ORIGIN\_\*
    pub origin: i32,
    /// kernels of the module
    pub kernel_count: u32,
    /// of the code that runs at the moment, in the form that was loaded; 0 if unknown
    pub code_bytes: u64,
    /// nanoseconds that building and loading took the call that made the module
    pub load_ns: u64,
    /// as in messages
    pub name: [c_char; 256],
}

impl Default for rtModuleInfo_t {
    /// As RT\_MODULE\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtModuleInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            state: 0,
            origin: 0,
            kernel_count: 0,
            code_bytes: 0,
            load_ns: 0,
            name: [0; 256],
        }
    }
}

/// Result of rtKernelGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtKernelInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// arg count.
    pub arg_count: u32,
    /// largest work-group
    pub max_group_items: u32,
    /// 0
    pub reserved: u32,
    /// local memory that the kernel itself uses in each work-group
    pub local_bytes: u64,
    /// memory of each work-item that did not fit into registers
    pub private_bytes: u64,
    /// zeros: any
    pub required_group_size: [u32; 3],
    /// work-items: a good group size is a multiple of it
    pub preferred_group_multiple: u32,
    /// name.
    pub name: [c_char; 256],
    /// RT\_TIER\_\*; this and what follows are of the code that a launch would run now
    pub tier: i32,
    /// RT\_BARRIERS\_\*
    pub barriers: i32,
    /// CPU: work-items that run side by side as one vector, at most; 0: none, or not known
    pub lanes: u32,
    /// along which these are neighbours, 0 to 2; -1: there are none
    pub lane_dimension: i32,
    /// RT\_LANES\_\*: why not all loops over work-items run as vectors
    pub no_lanes: i32,
    /// CUDA: registers of a work-item; 0: not known
    pub registers: u32,
    /// CUDA: work-groups of max\_group\_items that a compute unit runs at the same time, where a launch asks for no local
    /// memory; 0: not known
    pub groups_per_unit: u32,
    /// CPU: loops over work-items that do not run as vectors; 0: all do, or not known
    pub scalar_loops: u32,
}

impl Default for rtKernelInfo_t {
    /// As RT\_KERNEL\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtKernelInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            arg_count: 0,
            max_group_items: 0,
            reserved: 0,
            local_bytes: 0,
            private_bytes: 0,
            required_group_size: [0; 3],
            preferred_group_multiple: 0,
            name: [0; 256],
            tier: 0,
            barriers: 0,
            lanes: 0,
            lane_dimension: 0,
            no_lanes: 0,
            registers: 0,
            groups_per_unit: 0,
            scalar_loops: 0,
        }
    }
}

/// Result of rtKernelGetArgInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtKernelArgInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// index.
    pub index: u32,
    /// bytes of the value
    pub size: u32,
    /// RT\_ARG\_\*
    pub kind: i32,
    /// empty if unknown
    pub name: [c_char; 64],
    /// empty if unknown
    pub type_name: [c_char; 64],
    /// RT\_QUALIFIER\_CONST and its like, joined by or; 0 if unknown
    pub qualifiers: u32,
    /// RT\_ADDRESS\_SPACE\_\*
    pub address_space: i32,
    /// RT\_ACCESS\_\*; unknown if it is a value
    pub access: i32,
}

impl Default for rtKernelArgInfo_t {
    /// As RT\_KERNEL\_ARG\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtKernelArgInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            index: 0,
            size: 0,
            kind: 0,
            name: [0; 64],
            type_name: [0; 64],
            qualifiers: 0,
            address_space: 0,
            access: 0,
        }
    }
}

/// Options of rtLaunchKernelWithOptions.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtLaunchOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// 0 or RT\_LAUNCH\_COOPERATIVE
    pub flags: u32,
    /// sizes of the arguments as the caller has them: INVALID\_VALUE where the kernel, of source or of an image, has others;
    /// may be NULL
    pub arg_sizes: *const u32,
    /// elements of arg\_sizes
    pub arg_size_count: u32,
    /// 0
    pub reserved: u32,
    /// get\_global\_id() of the first work-item: see rtLaunchKernelWithOptions
    pub global_offset: [u64; 3],
}

impl Default for rtLaunchOptions_t {
    /// As RT\_LAUNCH\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtLaunchOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            flags: 0,
            arg_sizes: std::ptr::null(),
            arg_size_count: 0,
            reserved: 0,
            global_offset: [0; 3],
        }
    }
}

/// Memory that a node names: a place in a buffer of its graph, or an address; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphOperand_t {
    /// of the same graph; may be NULL if pointer is meant
    pub buffer: rtGraphBuffer_t,
    /// bytes from the start of buffer; 0 where buffer is NULL
    pub offset: u64,
    /// an address, refused beside buffer; may be NULL if buffer is given, or as an argument
    pub pointer: *mut c_void,
}

/// One argument of a kernel in a graph; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphArg_t {
    /// RT\_ARG\_\*
    pub kind: i32,
    /// RT\_ARG\_POINTER: RT\_GRAPH\_READ, RT\_GRAPH\_WRITE or both; 0: both
    pub access: u32,
    /// RT\_ARG\_VALUE: bytes at value; RT\_ARG\_LOCAL: bytes to reserve; RT\_ARG\_POINTER: bytes that are used; 0: unknown, up
    /// to the end; RT\_ARG\_GRAPH\_VALUE: 0, or those of the value
    pub size: u64,
    /// RT\_ARG\_VALUE: the value, copied; RT\_ARG\_GRAPH\_VALUE: its rtGraphValue\_t, of the same graph; may be NULL if kind is
    /// another
    pub value: *const c_void,
    /// RT\_ARG\_POINTER; else zeros
    pub memory: rtGraphOperand_t,
}

/// The node that rtGraphAddKernelNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphKernelParams_t {
    /// struct size.
    pub struct_size: u32,
    /// elements of args
    pub arg_count: u32,
    /// may be NULL if name is given
    pub kernel: rtKernel_t,
    /// a kernel that is found when a plan is made; may be NULL if kernel is given
    pub name: *const c_char,
    /// may be NULL if arg\_count is 0
    pub args: *const rtGraphArg_t,
    /// work-groups; a zero: nothing runs
    pub grid: [u32; 3],
    /// work-items in each, none 0; where grid and group are all zeros, both are 1 x 1 x 1
    pub group: [u32; 3],
    /// as for rtLaunchKernel
    pub local_bytes: u32,
    /// 0 or RT\_LAUNCH\_COOPERATIVE
    pub flags: u32,
    /// as in rtLaunchOptions\_t
    pub global_offset: [u64; 3],
}

impl Default for rtGraphKernelParams_t {
    /// As RT\_GRAPH\_KERNEL\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphKernelParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            arg_count: 0,
            kernel: std::ptr::null_mut(),
            name: std::ptr::null(),
            args: std::ptr::null(),
            grid: [1; 3],
            group: [1; 3],
            local_bytes: 0,
            flags: 0,
            global_offset: [0; 3],
        }
    }
}

/// The node that rtGraphAddMemcpyNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphMemcpyParams_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_MEMCPY\_\*
    pub kind: i32,
    /// dst.
    pub dst: rtGraphOperand_t,
    /// src.
    pub src: rtGraphOperand_t,
    /// bytes, not 0
    pub size: u64,
}

impl Default for rtGraphMemcpyParams_t {
    /// As RT\_GRAPH\_MEMCPY\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphMemcpyParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            dst: rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() },
            src: rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() },
            size: 0,
        }
    }
}

/// The node that rtGraphAddMemcpy2DNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphMemcpy2DParams_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_MEMCPY\_\*
    pub kind: i32,
    /// dst.
    pub dst: rtGraphOperand_t,
    /// src.
    pub src: rtGraphOperand_t,
    /// bytes from row to row, at least width
    pub dst_pitch: u64,
    /// src pitch.
    pub src_pitch: u64,
    /// bytes of a row, not 0
    pub width: u64,
    /// rows, not 0
    pub height: u64,
}

impl Default for rtGraphMemcpy2DParams_t {
    /// As RT\_GRAPH\_MEMCPY\_2D\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphMemcpy2DParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            kind: 0,
            dst: rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() },
            src: rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() },
            dst_pitch: 0,
            src_pitch: 0,
            width: 0,
            height: 0,
        }
    }
}

/// The node that rtGraphAddFillNode adds: \`height\` rows of \`count\` patterns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphFillParams_t {
    /// struct size.
    pub struct_size: u32,
    /// 1, 2, 4, 8, 16
    pub pattern_size: u32,
    /// pattern.
    pub pattern: [u8; 16],
    /// aligned to the pattern
    pub dst: rtGraphOperand_t,
    /// patterns in a row, not 0
    pub count: u64,
    /// bytes from row to row; not used for one row
    pub pitch: u64,
    /// rows; 0 is one
    pub height: u64,
}

impl Default for rtGraphFillParams_t {
    /// As RT\_GRAPH\_FILL\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphFillParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            pattern_size: 0,
            pattern: [0; 16],
            dst: rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() },
            count: 0,
            pitch: 0,
            height: 0,
        }
    }
}

/// The node that rtGraphAddHostNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphHostParams_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// function.
    pub function: rtHostFunction_t,
    /// passed to function; may be NULL
    pub user: *mut c_void,
    /// called once with user when graph, plans and execs are gone; may be NULL
    pub release: rtReleaseFunction_t,
}

impl Default for rtGraphHostParams_t {
    /// As RT\_GRAPH\_HOST\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphHostParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            function: None,
            user: std::ptr::null_mut(),
            release: None,
        }
    }
}

/// The node that rtGraphAddNativeNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphNativeParams_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// function.
    pub function: rtNativeFunction_t,
    /// passed to function; may be NULL
    pub user: *mut c_void,
    /// called once with user when graph, plans and execs are gone; may be NULL
    pub release: rtReleaseFunction_t,
}

impl Default for rtGraphNativeParams_t {
    /// As RT\_GRAPH\_NATIVE\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphNativeParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            function: None,
            user: std::ptr::null_mut(),
            release: None,
        }
    }
}

/// The memory that a buffer of a child graph is bound to; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphBinding_t {
    /// of the child
    pub buffer: rtGraphBuffer_t,
    /// in the graph that has the node, or an address
    pub memory: rtGraphOperand_t,
}

/// The meaning of a child graph's value; used in arrays, never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphValueBinding_t {
    /// of the child
    pub value: rtGraphValue_t,
    /// of the graph that has the node, with the same size; may be NULL if data is given
    pub outer: rtGraphValue_t,
    /// size bytes, copied; may be NULL if outer is given
    pub data: *const c_void,
    /// those of value; 0 where data is NULL
    pub size: u64,
}

/// The node that rtGraphAddChildGraphNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphChildParams_t {
    /// struct size.
    pub struct_size: u32,
    /// elements of bindings
    pub binding_count: u32,
    /// copied as it is now
    pub graph: rtGraph_t,
    /// one for each buffer of graph that is no temporary; may be NULL if there is none
    pub bindings: *const rtGraphBinding_t,
    /// elements of value\_bindings
    pub value_binding_count: u32,
    /// 0
    pub reserved: u32,
    /// one for each value of graph that has none at first; may be NULL if there is none
    pub value_bindings: *const rtGraphValueBinding_t,
}

impl Default for rtGraphChildParams_t {
    /// As RT\_GRAPH\_CHILD\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphChildParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            binding_count: 0,
            graph: std::ptr::null_mut(),
            bindings: std::ptr::null(),
            value_binding_count: 0,
            reserved: 0,
            value_bindings: std::ptr::null(),
        }
    }
}

/// The node that rtGraphAddEventRecordNode or rtGraphAddEventWaitNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphEventParams_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// event.
    pub event: rtEvent_t,
}

impl Default for rtGraphEventParams_t {
    /// As RT\_GRAPH\_EVENT\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphEventParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            event: std::ptr::null_mut(),
        }
    }
}

/// The node that rtGraphAddFenceSignalNode or rtGraphAddFenceWaitNode adds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphFenceParams_t {
    /// struct size.
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// fence.
    pub fence: rtFence_t,
    /// value.
    pub value: u64,
}

impl Default for rtGraphFenceParams_t {
    /// As RT\_GRAPH\_FENCE\_PARAMS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphFenceParams_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            reserved: 0,
            fence: std::ptr::null_mut(),
            value: 0,
        }
    }
}

/// Result of rtGraphBufferGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphBufferInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_GRAPH\_BUFFER\_\*
    pub role: i32,
    /// bytes
    pub size: u64,
    /// cut to what fits; empty: it has none
    pub name: [c_char; 128],
}

impl Default for rtGraphBufferInfo_t {
    /// As RT\_GRAPH\_BUFFER\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphBufferInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            role: 0,
            size: 0,
            name: [0; 128],
        }
    }
}

/// Result of rtGraphValueGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtGraphValueInfo_t {
    /// struct size.
    pub struct_size: u32,
    /// bytes
    pub size: u32,
    /// 1: launches before rtGraphExecBindValue have the bytes given to rtGraphAddValue; else 0
    pub has_initial: u32,
    /// cut to what fits; empty: it has none
    pub name: [c_char; 128],
}

impl Default for rtGraphValueInfo_t {
    /// As RT\_GRAPH\_VALUE\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtGraphValueInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            size: 0,
            has_initial: 0,
            name: [0; 128],
        }
    }
}

/// Options of rtCapturePlanCreate.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCapturePlanOptions_t {
    /// struct size.
    pub struct_size: u32,
    /// elements of modules
    pub module_count: u32,
    /// where kernels that are named are found, the first one first; may be NULL if there are none
    pub modules: *const rtModule_t,
    /// at most, 64 and less; 0: 4
    pub max_streams: u32,
    /// 0
    pub flags: u32,
}

impl Default for rtCapturePlanOptions_t {
    /// As RT\_CAPTURE\_PLAN\_OPTIONS\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCapturePlanOptions_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            module_count: 0,
            modules: std::ptr::null(),
            max_streams: 0,
            flags: 0,
        }
    }
}

/// Result of rtCapturePlanGetInfo.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCapturePlanInfo_t {
    /// struct size.
    pub struct_size: u32,
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
    /// 0
    pub reserved: u32,
}

impl Default for rtCapturePlanInfo_t {
    /// As RT\_CAPTURE\_PLAN\_INFO\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCapturePlanInfo_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            node_count: 0,
            step_count: 0,
            level_count: 0,
            stream_count: 0,
            dependency_count: 0,
            temporary_bytes: 0,
            temporary_bytes_without_reuse: 0,
            temporary_bytes_live: 0,
            buffer_count: 0,
            reserved: 0,
        }
    }
}

/// Result of rtCapturePlanGetStep.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCapturePlanStep_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_GRAPH\_NODE\_\*
    pub type_: i32,
    /// of the graph; of a child graph's step the node that holds the child
    pub node: rtGraphNode_t,
    /// 0: that of the launch
    pub stream: u32,
    /// steps on the longest way to it
    pub level: u32,
    /// RT\_VERDICT\_\*
    pub verdict: i32,
    /// that do not follow from others
    pub dependency_count: u32,
    /// of the temporaries that it uses the lowest place; UINT64\_MAX: it uses none
    pub memory_offset: u64,
}

impl Default for rtCapturePlanStep_t {
    /// As RT\_CAPTURE\_PLAN\_STEP\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCapturePlanStep_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            type_: 0,
            node: std::ptr::null_mut(),
            stream: 0,
            level: 0,
            verdict: 0,
            dependency_count: 0,
            memory_offset: 0,
        }
    }
}

/// Result of rtCapturePlanGetBuffer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rtCapturePlanBuffer_t {
    /// struct size.
    pub struct_size: u32,
    /// RT\_GRAPH\_BUFFER\_\*
    pub role: i32,
    /// bytes
    pub size: u64,
    /// of a temporary that is used: its place among all temporaries; UINT64\_MAX: it has none
    pub offset: u64,
    /// the first and the last step that names it; first\_step above last\_step: none does
    pub first_step: u32,
    /// last step.
    pub last_step: u32,
}

impl Default for rtCapturePlanBuffer_t {
    /// As RT\_CAPTURE\_PLAN\_BUFFER\_INIT: struct\_size is set, and the rest means the defaults.
    fn default() -> Self {
        rtCapturePlanBuffer_t {
            struct_size: std::mem::size_of::<Self>() as u32,
            role: 0,
            size: 0,
            offset: 0,
            first_step: 0,
            last_step: 0,
        }
    }
}

extern "C" {
    /// Returns the version of the library, which may be newer than this header's.
    ///
    /// - out version: receives major \* 10000 + minor \* 100 + patch
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtGetVersion(version: *mut u32) -> rtStatus_t;

    /// Starts the library and counts a reference. Optional: the first use starts it too, without a reference.
    ///
    /// - blocks: never
    /// - capture: outside
    /// - errors: none
    pub fn rtInit() -> rtStatus_t;

    /// Gives back one rtInit. The last one, or one without rtInit, ends the library for good. It refuses new work on all
    /// threads and in host functions, then waits for work in flight. Afterwards only version, texts, destroys and frees work.
    /// While it waits, calls that let work end still work: rtFenceSignal, waits and queries of streams, events, fences,
    /// contexts and devices, destroys and frees. It waits as long as work in flight waits for a fence that nothing signals.
    ///
    /// - blocks: yes
    /// - capture: outside
    /// - errors: BUSY (inside a function that the library calls), OUT\_OF\_MEMORY (the library goes on)
    pub fn rtShutdown() -> rtStatus_t;

    /// Returns the name of a status, such as "RT\_ERROR\_INVALID\_VALUE". Never NULL; static, never freed.
    ///
    /// - in status: any value
    /// - blocks: never
    /// - capture: outside
    /// - errors: none
    pub fn rtGetErrorName(status: rtStatus_t) -> *const c_char;

    /// Returns the general meaning of a status; rtGetLastErrorMessage has the particulars. Never NULL; static, never freed.
    ///
    /// - in status: any value
    /// - blocks: never
    /// - capture: outside
    /// - errors: none
    pub fn rtGetErrorString(status: rtStatus_t) -> *const c_char;

    /// Returns the sentence of this thread's last failed call: what was asked, the limit it met, the words of the driver.
    /// Success does not clear it. Empty if no call has failed. A short buffer is truncated and terminated. The sentence is on
    /// the operating system's thread. In a language whose code may move to another thread between two calls, such as Go, call
    /// through rt\_message.h. Each of its functions fetches the sentence before it returns.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtGetLastErrorMessage(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
    ) -> rtStatus_t;

    /// Sends log lines to callback. When this returns, the earlier callback has run for the last time.
    ///
    /// - in callback: may be NULL: stderr
    /// - in user: passed to callback; may be NULL
    /// - in level: RT\_LOG\_\*: the most verbose level to pass on
    /// - blocks: maybe, while another thread is inside the earlier callback
    /// - capture: outside
    /// - errors: INVALID\_VALUE, BUSY (inside a log callback)
    pub fn rtSetLogCallback(
        callback: rtLogCallback_t,
        user: *mut c_void,
        level: i32,
    ) -> rtStatus_t;

    /// Writes a line to the log, for libraries that are built on this one. A line that is more verbose than wanted is dropped.
    ///
    /// - in level: RT\_LOG\_\*, but RT\_LOG\_NONE
    /// - in line: copied; of more than 1023 bytes these
    /// - blocks: maybe, in the log callback
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtLogWrite(level: i32, line: *const c_char) -> rtStatus_t;

    /// Counts the handles of a kind that the program has made and not destroyed, for leak checks. Devices, primary contexts,
    /// default streams and default pools are not counted.
    ///
    /// - out count: receives the number
    /// - in kind: RT\_HANDLE\_\*
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtGetLiveHandleCount(count: *mut u64, kind: i32) -> rtStatus_t;

    /// Tells whether a backend can be used, and if not, why.
    ///
    /// - inout info: struct\_size set by the caller; receives the rest
    /// - in backend: RT\_BACKEND\_\*, but RT\_BACKEND\_ALL
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, NOT\_SUPPORTED
    pub fn rtBackendGetInfo(info: *mut rtBackendInfo_t, backend: i32) -> rtStatus_t;

    /// Returns the number of devices, as cudaGetDeviceCount. 0 and success if a driver is missing.
    ///
    /// - out count: receives the number
    /// - in backend: RT\_BACKEND\_\*; RT\_BACKEND\_ALL leaves RT\_BACKEND\_NULL out
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtDeviceGetCount(count: *mut i32, backend: i32) -> rtStatus_t;

    /// Finds a device by its index. A second call gives an equal handle, valid until rtShutdown; there is nothing to destroy.
    ///
    /// - out device: receives the device
    /// - in backend: RT\_BACKEND\_\*; with RT\_BACKEND\_ALL the ordinal counts over all backends
    /// - in ordinal: 0 to count - 1
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_DEVICE, BACKEND\_UNAVAILABLE
    pub fn rtDeviceGet(device: *mut rtDevice_t, backend: i32, ordinal: i32) -> rtStatus_t;

    /// Finds a device by its id: "cpu", "cuda:0", "opencl:1", "null:0".
    ///
    /// - out device: receives the device
    /// - in name: the id; may be NULL: the one that RT\_DEVICE names, else the best
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, NOT\_FOUND
    pub fn rtDeviceGetByName(device: *mut rtDevice_t, name: *const c_char) -> rtStatus_t;

    /// Returns backend and ordinal of a device: the inverse of rtDeviceGet.
    ///
    /// - out backend: receives RT\_BACKEND\_\*
    /// - out ordinal: receives the index within the backend; may be NULL
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtDeviceGetBackend(
        backend: *mut i32,
        ordinal: *mut i32,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Describes a device and its limits, as cudaGetDeviceProperties.
    ///
    /// - inout properties: struct\_size set by the caller; receives the rest
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED, DRIVER
    pub fn rtDeviceGetProperties(
        properties: *mut rtDeviceProperties_t,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Returns one number of a device, as cudaDeviceGetAttribute: every integer property, and more. A clock or a cache that the
    /// driver does not tell, or the device does not have, is NOT\_SUPPORTED.
    ///
    /// - out value: receives the number
    /// - in attribute: RT\_ATTRIBUTE\_\*
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED, DRIVER
    pub fn rtDeviceGetAttribute(value: *mut i64, attribute: i32, device: rtDevice_t) -> rtStatus_t;

    /// Tells whether a device has an optional capability.
    ///
    /// - out has: receives 1 or 0
    /// - in capability: RT\_CAPABILITY\_\*
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtDeviceHasCapability(has: *mut i32, capability: i32, device: rtDevice_t) -> rtStatus_t;

    /// Returns free and total memory of a device, as its driver reports them. Creates no context.
    ///
    /// - out free\_bytes: receives the free bytes; may be NULL
    /// - out total\_bytes: receives all bytes; may be NULL
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, DEVICE\_LOST, DRIVER
    pub fn rtDeviceGetMemInfo(
        free_bytes: *mut u64,
        total_bytes: *mut u64,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Tells whether device can read and write peer's memory directly, as cudaDeviceCanAccessPeer. Copies work either way.
    ///
    /// - out can: receives 1 or 0
    /// - in peer: the device that has the memory
    /// - in device: the device that accesses it
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtDeviceCanAccessPeer(
        can: *mut i32,
        peer: rtDevice_t,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Waits for all work submitted to the device's contexts before the call began. Returns the first failure and clears none.
    ///
    /// - in device: the device
    /// - blocks: yes
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, BUSY (inside a host function), LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtDeviceSynchronize(device: rtDevice_t) -> rtStatus_t;

    /// Returns the state of a device: RT\_SUCCESS, or RT\_ERROR\_DEVICE\_LOST for ever.
    ///
    /// - out status: receives the state
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtDeviceGetStatus(status: *mut rtStatus_t, device: rtDevice_t) -> rtStatus_t;

    /// Tells in words how a device was lost; empty if it is not. A short buffer is truncated and terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtDeviceGetLossMessage(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Makes a context of a device, as cuCtxCreate, but leaves the thread's current context alone.
    ///
    /// - out context: receives the context, which the caller destroys
    /// - in options: may be NULL
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtContextCreate(
        context: *mut rtContext_t,
        options: *const rtContextOptions_t,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Ends a context. Handles of its children are stale at once, work in flight completes, memory stays until its own rtFree.
    /// Fences of the context end as with rtFenceDestroy. A wait for a value that is not reached fails, even if a stream has
    /// accepted the signal. A primary context is refused.
    ///
    /// - in context: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (a primary context), INVALID\_HANDLE
    pub fn rtContextDestroy(context: rtContext_t) -> rtStatus_t;

    /// Returns the primary context of a device: one for all callers, which lives until rtShutdown.
    ///
    /// - out context: receives the context; borrowed
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtContextGetPrimary(context: *mut rtContext_t, device: rtDevice_t) -> rtStatus_t;

    /// Sets the context that NULL means on this thread, as cuCtxSetCurrent. After the destruction of that context, calls with
    /// NULL return INVALID\_HANDLE on this thread until another one is set.
    ///
    /// - in context: borrowed; may be NULL: back to the default device's primary context
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtContextSetCurrent(context: rtContext_t) -> rtStatus_t;

    /// Returns this thread's current context. Creates nothing.
    ///
    /// - out context: receives what rtContextSetCurrent set here, or NULL; borrowed
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtContextGetCurrent(context: *mut rtContext_t) -> rtStatus_t;

    /// Returns the device of a context.
    ///
    /// - out device: receives the device
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtContextGetDevice(device: *mut rtDevice_t, context: rtContext_t) -> rtStatus_t;

    /// Returns the stream that NULL means for a context. It lives as long as the context and cannot be destroyed.
    ///
    /// - out stream: receives the stream; borrowed
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtContextGetDefaultStream(stream: *mut rtStream_t, context: rtContext_t) -> rtStatus_t;

    /// Returns the pool that rtMalloc and rtMallocAsync use.
    ///
    /// - out pool: receives the pool; borrowed
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtContextGetDefaultPool(pool: *mut rtMemPool_t, context: rtContext_t) -> rtStatus_t;

    /// Counts the streams, events and points of a context. While other threads work, the counts may be a moment old.
    ///
    /// - inout stats: struct\_size set by the caller; receives the rest, 0 before the context's first use
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtContextGetStats(stats: *mut rtContextStats_t, context: rtContext_t) -> rtStatus_t;

    /// Makes a pool of device memory the one that rtMalloc and rtMallocAsync use. When it is destroyed, they use the context's
    /// own pool again.
    ///
    /// - in pool: a pool of this context; borrowed
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND
    pub fn rtContextSetDefaultPool(pool: rtMemPool_t, context: rtContext_t) -> rtStatus_t;

    /// Waits for all work submitted to the context's streams before the call began, and not for work that other threads submit
    /// meanwhile. Returns the first failure and clears none.
    ///
    /// - in context: may be NULL: current
    /// - blocks: yes
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, BUSY (inside a host function of the context), LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER
    pub fn rtContextSynchronize(context: rtContext_t) -> rtStatus_t;

    /// Gives back all that the context has made at its first use (native context, pools, queues, caches). The next use makes it
    /// again. Waits for work that was submitted before the call. Meanwhile creating any object in the context is BUSY.
    ///
    /// - in context: may be NULL: current; a primary one is legal
    /// - blocks: maybe, for work in flight to leave
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, BUSY (a stream, event, fence, pool, kernel, module or allocation of it is alive)
    pub fn rtContextReset(context: rtContext_t) -> rtStatus_t;

    /// Lets kernels of context use addresses of peer, as cudaDeviceEnablePeerAccess, until one of the two contexts is reset. A
    /// second call is success. Copies do not need it.
    ///
    /// - in peer: the context that has the memory; may be NULL: current
    /// - in context: the context that accesses it; may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtContextEnablePeerAccess(peer: rtContext_t, context: rtContext_t) -> rtStatus_t;

    /// Keeps one pointer with a context, for the state of an operator library. The earlier pointer is released.
    ///
    /// - in user: kept; may be NULL
    /// - in release: called once with user when it is replaced or the context ends; may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY
    pub fn rtContextSetUserData(
        user: *mut c_void,
        release: rtReleaseFunction_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Returns the pointer that rtContextSetUserData has set, else NULL.
    ///
    /// - out user: receives the pointer
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtContextGetUserData(user: *mut *mut c_void, context: rtContext_t) -> rtStatus_t;

    /// Makes a stream, as cudaStreamCreateWithPriority with cudaStreamNonBlocking. Its work runs in order; towards other
    /// streams there is no order but that of events and fences.
    ///
    /// - out stream: receives the stream, which the caller destroys
    /// - in options: may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED, NOT\_FOUND, DEVICE\_LOST, DRIVER
    pub fn rtStreamCreate(
        stream: *mut rtStream_t,
        options: *const rtStreamOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Ends a stream. Work submitted before completes. A context's default stream is refused.
    ///
    /// - in stream: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (a default stream), INVALID\_HANDLE
    pub fn rtStreamDestroy(stream: rtStream_t) -> rtStatus_t;

    /// Waits for all work submitted to the stream so far, as cudaStreamSynchronize. Returns the stream's failure and, alone of
    /// all calls, clears it.
    ///
    /// - in stream: may be NULL: default
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, BUSY (inside a host function of the stream), CAPTURE\_UNSAFE, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER
    pub fn rtStreamSynchronize(stream: rtStream_t) -> rtStatus_t;

    /// Tells whether all work submitted so far is complete: RT\_SUCCESS, RT\_NOT\_READY, or the stream's failure. Work that
    /// another call has shown to be complete is never RT\_NOT\_READY here: an event, the stream up to it, and all work before
    /// them.
    ///
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, CAPTURE\_UNSAFE, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtStreamQuery(stream: rtStream_t) -> rtStatus_t;

    /// As rtStreamSynchronize with a limit; does not clear a failure.
    ///
    /// - in timeout\_ns: nanoseconds; 0 polls, RT\_TIMEOUT\_INFINITE is for ever
    /// - in stream: may be NULL: default
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: TIMEOUT, INVALID\_HANDLE, NOT\_FOUND, BUSY (inside a host function of the stream), CAPTURE\_UNSAFE,
    /// - LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtStreamSynchronizeFor(timeout_ns: u64, stream: rtStream_t) -> rtStatus_t;

    /// Makes later work of the stream wait for the event's last record, as cudaStreamWaitEvent; also between contexts and
    /// backends. An event that was never recorded is complete.
    ///
    /// - in event: may be destroyed or recorded again afterwards
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtStreamWaitEvent(event: rtEvent_t, stream: rtStream_t) -> rtStatus_t;

    /// Makes later work of the stream wait for all work that other has now.
    ///
    /// - in other: may be NULL: default
    /// - in stream: may be NULL: default; the same as other: nothing happens
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtStreamWaitStream(other: rtStream_t, stream: rtStream_t) -> rtStatus_t;

    /// Makes later work of the stream wait for all work that the streams of a context have now. The stream takes over their
    /// failures, except those of destroyed streams.
    ///
    /// - in other: may be NULL: current
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtStreamWaitContext(other: rtContext_t, stream: rtStream_t) -> rtStatus_t;

    /// Makes later work of the stream wait for the last use of memory, for the exchange of arrays between libraries (DLPack,
    /// array protocols). The library does not track which stream uses which memory. So it waits for all present work of the
    /// streams of the memory's context, and for work with this memory in other contexts. The stream takes over the failures of
    /// the owner's streams, as rtStreamWaitContext does.
    ///
    /// - in pointer: an address inside an allocation, registered or imported memory
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER
    pub fn rtStreamWaitPointer(pointer: *const c_void, stream: rtStream_t) -> rtStatus_t;

    /// Returns the context of a stream.
    ///
    /// - out context: receives the context; borrowed
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtStreamGetContext(context: *mut rtContext_t, stream: rtStream_t) -> rtStatus_t;

    /// Returns the priority of a stream after clamping: 0 is normal, negative is higher.
    ///
    /// - out priority: receives the priority
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtStreamGetPriority(priority: *mut i32, stream: rtStream_t) -> rtStatus_t;

    /// Calls a function in the stream's order, as cudaLaunchHostFunc, on a thread of the library. It is called exactly once for
    /// each success of this call, also after rtStreamDestroy. In a capture the call becomes a node, and the function is called
    /// once for each launch of it. If the stream has failed, the function gets the failure. rt calls are legal inside, and the
    /// current context is that of the stream. A wait for the function's own stream is BUSY.
    ///
    /// - in function: called once; captured: once for each launch
    /// - in user: passed to function; may be NULL
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtLaunchHostFunction(
        function: rtHostFunction_t,
        user: *mut c_void,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Like rtLaunchHostFunction. release(user) is called after the last use of user: after function returned; if captured,
    /// when the graph and all its plans and execs are destroyed. If this call fails, user stays the caller's, and release is
    /// not called.
    ///
    /// - in function: as for rtLaunchHostFunction
    /// - in user: passed to function and release; may be NULL
    /// - in release: called once with user; may be NULL
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtLaunchHostFunctionWithRelease(
        function: rtHostFunction_t,
        user: *mut c_void,
        release: rtReleaseFunction_t,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Makes an event, as cudaEventCreate. Timing is on unless the options say otherwise.
    ///
    /// - out event: receives the event, which the caller destroys
    /// - in options: may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtEventCreate(
        event: *mut rtEvent_t,
        options: *const rtEventOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Ends an event. Waits that were submitted keep its record.
    ///
    /// - in event: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtEventDestroy(event: rtEvent_t) -> rtStatus_t;

    /// Tells whether the last record is complete: RT\_SUCCESS, RT\_NOT\_READY, or the failure before it. An event that was
    /// never recorded is complete.
    ///
    /// - in event: the event
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, CAPTURE\_UNSAFE, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtEventQuery(event: rtEvent_t) -> rtStatus_t;

    /// Waits for the last record, as cudaEventSynchronize.
    ///
    /// - in event: the event
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, BUSY (inside a host function of its stream), CAPTURE\_UNSAFE, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER
    pub fn rtEventSynchronize(event: rtEvent_t) -> rtStatus_t;

    /// As rtEventSynchronize with a limit.
    ///
    /// - in timeout\_ns: nanoseconds; 0 polls, RT\_TIMEOUT\_INFINITE is for ever
    /// - in event: the event
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: TIMEOUT, INVALID\_HANDLE, BUSY (inside a host function of its stream), CAPTURE\_UNSAFE, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER
    pub fn rtEventSynchronizeFor(timeout_ns: u64, event: rtEvent_t) -> rtStatus_t;

    /// Opens a descriptor that can be read once the event's last record is reached, for event loops (poll, epoll, select). A
    /// record that failed is reached too: rtEventQuery tells. An event that was never recorded is reached. A later record does
    /// not change the descriptor.
    ///
    /// - out descriptor: receives an eventfd, which the caller closes with close(); -1 on failure
    /// - in event: the event
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY
    pub fn rtEventGetDescriptor(descriptor: *mut i32, event: rtEvent_t) -> rtStatus_t;

    /// Records in the event all work that the stream has now, as cudaEventRecord. Replaces the earlier record.
    ///
    /// - in event: an event of the stream's context
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtEventRecord(event: rtEvent_t, stream: rtStream_t) -> rtStatus_t;

    /// Returns the device time between two records, as cudaEventElapsedTime. RT\_NOT\_READY while one is pending.
    ///
    /// - out milliseconds: receives the time; negative if end came first
    /// - in start: a timed, recorded event
    /// - in end: a timed, recorded event of the same device
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (never recorded, untimed, two devices), INVALID\_HANDLE, CAPTURE\_UNSAFE, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER
    pub fn rtEventElapsedTime(
        milliseconds: *mut f32,
        start: rtEvent_t,
        end: rtEvent_t,
    ) -> rtStatus_t;

    /// As rtEventElapsedTime, in nanoseconds.
    ///
    /// - out nanoseconds: receives the time; negative if end came first
    /// - in start: a timed, recorded event
    /// - in end: a timed, recorded event of the same device
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (never recorded, untimed, two devices), INVALID\_HANDLE, CAPTURE\_UNSAFE, LAUNCH\_FAILED,
    /// - DEVICE\_LOST, DRIVER
    pub fn rtEventElapsedNanoseconds(
        nanoseconds: *mut i64,
        start: rtEvent_t,
        end: rtEvent_t,
    ) -> rtStatus_t;

    /// Returns when the stream passed the last record, on the host's clock. RT\_NOT\_READY while it is pending. A device's
    /// clock is placed on the host's anew where that was long ago, as for a trace; the error grows with the time between that
    /// and the record, since clocks drift. So ask soon.
    ///
    /// - out host\_ns: receives nanoseconds of CLOCK\_MONOTONIC
    /// - out error\_ns: receives how far from it the time may be, earlier or later; 0 on the CPU; may be NULL
    /// - in event: a timed, recorded event
    /// - blocks: maybe, up to 0.2 s, while the device's clock is looked at
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (never recorded, untimed), INVALID\_HANDLE, CAPTURE\_UNSAFE, NOT\_SUPPORTED (the driver gives
    /// - no times), BUSY (the device has too much to do to tell its clock), LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtEventGetTimestamp(
        host_ns: *mut u64,
        error_ns: *mut u64,
        event: rtEvent_t,
    ) -> rtStatus_t;

    /// Makes a fence, as a Vulkan timeline semaphore: a value that only grows. The host and streams of any context and backend
    /// signal it and wait for it. A wait may come before its signal.
    ///
    /// - out fence: receives the fence, which the caller destroys
    /// - in value: the first value
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY
    pub fn rtFenceCreate(fence: *mut rtFence_t, value: u64, context: rtContext_t) -> rtStatus_t;

    /// Ends a fence. Waits for it fail with INVALID\_HANDLE; a waiting stream latches that failure.
    ///
    /// - in fence: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtFenceDestroy(fence: rtFence_t) -> rtStatus_t;

    /// Returns the present value of a fence.
    ///
    /// - out value: receives the value
    /// - in fence: the fence
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtFenceGetValue(value: *mut u64, fence: rtFence_t) -> rtStatus_t;

    /// Raises a fence from the host.
    ///
    /// - in value: at least the present value
    /// - in fence: the fence
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (below the present value), INVALID\_HANDLE, CAPTURE\_UNSAFE
    pub fn rtFenceSignal(value: u64, fence: rtFence_t) -> rtStatus_t;

    /// Waits on the host until a fence has reached a value.
    ///
    /// - in value: the value to wait for
    /// - in fence: the fence
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, CAPTURE\_UNSAFE
    pub fn rtFenceWait(value: u64, fence: rtFence_t) -> rtStatus_t;

    /// As rtFenceWait with a limit.
    ///
    /// - in timeout\_ns: nanoseconds; 0 polls, RT\_TIMEOUT\_INFINITE is for ever
    /// - in value: the value to wait for
    /// - in fence: the fence
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: TIMEOUT, INVALID\_HANDLE, CAPTURE\_UNSAFE
    pub fn rtFenceWaitFor(timeout_ns: u64, value: u64, fence: rtFence_t) -> rtStatus_t;

    /// Raises a fence when the stream's earlier work is complete. If the fence has a higher value by then, the stream latches
    /// INVALID\_VALUE. If the stream has failed, waits for the value fail with its cause until the fence reaches the value.
    ///
    /// - in fence: a fence of any context
    /// - in value: the value to reach
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtStreamSignalFence(fence: rtFence_t, value: u64, stream: rtStream_t) -> rtStatus_t;

    /// Makes later work of the stream wait until a fence has reached a value.
    ///
    /// - in fence: a fence of any context
    /// - in value: the value to wait for
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtStreamWaitFence(fence: rtFence_t, value: u64, stream: rtStream_t) -> rtStatus_t;

    /// Allocates device memory, as cudaMalloc, 256-byte aligned. Addresses allow arithmetic on every backend.
    ///
    /// - out pointer: receives the address, for rtFree; NULL if size is 0
    /// - in size: bytes
    /// - in context: may be NULL: current
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtMalloc(pointer: *mut *mut c_void, size: usize, context: rtContext_t) -> rtStatus_t;

    /// Allocates pinned host memory, as cudaMallocHost; ordinary memory, with a log line, if the device has none.
    ///
    /// - out pointer: receives the address, for rtFree; NULL if size is 0
    /// - in size: bytes
    /// - in context: may be NULL: current
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtMallocHost(
        pointer: *mut *mut c_void,
        size: usize,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Allocates memory with one address for host and device, as cudaMallocManaged or fine-grained SVM.
    ///
    /// - out pointer: receives the address, for rtFree; NULL if size is 0
    /// - in size: bytes
    /// - in context: may be NULL: current
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtMallocShared(
        pointer: *mut *mut c_void,
        size: usize,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Allocates device memory in a stream's order, as cudaMallocAsync: usable by later work of the stream at once. In a
    /// capture the memory keeps its address and belongs to the graph. All that is made of the graph shares it. So two of its
    /// execs, a clone, or a graph that has it as a child must not run at the same time.
    ///
    /// - out pointer: receives the address, for rtFree or rtFreeAsync; NULL if size is 0
    /// - in size: bytes
    /// - in stream: may be NULL: default
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER,
    /// - CAPTURE\_INVALIDATED
    pub fn rtMallocAsync(pointer: *mut *mut c_void, size: usize, stream: rtStream_t) -> rtStatus_t;

    /// Allocates memory of a kind, with an alignment and a label.
    ///
    /// - out pointer: receives the address, for rtFree; NULL if size is 0
    /// - in size: bytes
    /// - in options: may be NULL: as rtMalloc
    /// - in context: may be NULL: current
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtMallocWithOptions(
        pointer: *mut *mut c_void,
        size: usize,
        options: *const rtMallocOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Frees memory of any kind and any allocator, from any thread. Does not block. The memory is reused once present work is
    /// complete on all streams of its context, and on other streams that were given an address inside.
    ///
    /// - in pointer: as the allocation gave it; may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (not the start of an allocation, or freed already)
    pub fn rtFree(pointer: *mut c_void) -> rtStatus_t;

    /// Frees memory in a stream's order, as cudaFreeAsync: later work of the stream must not use it.
    ///
    /// - in pointer: as the allocation gave it; may be NULL: nothing happens
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (not the start of an allocation, or freed already), INVALID\_HANDLE, NOT\_FOUND,
    /// - CAPTURE\_UNSAFE, CAPTURE\_INVALIDATED
    pub fn rtFreeAsync(pointer: *mut c_void, stream: rtStream_t) -> rtStatus_t;

    /// Pins the program's own memory, as cudaHostRegister. The library borrows it until rtHostUnregister.
    ///
    /// - in pointer: first byte, size bytes
    /// - in size: bytes, not 0
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (0 bytes, not mapped, or overlaps memory that is known), INVALID\_HANDLE, NOT\_FOUND,
    /// - OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtHostRegister(pointer: *mut c_void, size: usize, context: rtContext_t) -> rtStatus_t;

    /// Ends rtHostRegister when the work that the context's streams had at the call is complete, since it may use the range.
    ///
    /// - in pointer: as given to rtHostRegister
    /// - in context: the one it was registered with, or any if that is destroyed; may be NULL: current
    /// - blocks: maybe, for that work
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, BUSY, DRIVER
    pub fn rtHostUnregister(pointer: *mut c_void, context: rtContext_t) -> rtStatus_t;

    /// Returns the address by which kernels reach pinned, shared or registered host memory, as cudaHostGetDevicePointer.
    ///
    /// - out device\_pointer: receives the address
    /// - in host: an address inside such memory
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED, DRIVER
    pub fn rtHostGetDevicePointer(
        device_pointer: *mut *mut c_void,
        host: *mut c_void,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Describes the memory at an address, as cudaPointerGetAttributes. Unknown memory is success and RT\_POINTER\_UNKNOWN.
    ///
    /// - inout attributes: struct\_size set by the caller; receives the rest
    /// - in pointer: any address, interior ones too; may be NULL
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, NOT\_SUPPORTED
    pub fn rtPointerGetAttributes(
        attributes: *mut rtPointerAttributes_t,
        pointer: *const c_void,
    ) -> rtStatus_t;

    /// Returns the memory of a context's device. Free bytes are those of the driver and the unused ones of the context's pools
    /// of device memory.
    ///
    /// - out free\_bytes: receives the free bytes; may be NULL
    /// - out total\_bytes: receives all bytes; may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, DEVICE\_LOST, DRIVER
    pub fn rtMemGetInfo(
        free_bytes: *mut u64,
        total_bytes: *mut u64,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Copies and waits, as cudaMemcpy: on the default stream of the context that owns dst's device side (else src's), after
    /// its earlier work. No order towards other streams. Any two devices of any backends.
    ///
    /// - in dst: first byte to write, size bytes; may be NULL if size is 0
    /// - in src: first byte to read, size bytes; may be NULL if size is 0
    /// - in size: bytes; 0 is success
    /// - in kind: RT\_MEMCPY\_\*
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (leaves an allocation, overlaps, contradicts kind), INVALID\_HANDLE, NOT\_FOUND, BUSY,
    /// - CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtMemcpy(dst: *mut c_void, src: *const c_void, size: usize, kind: i32) -> rtStatus_t;

    /// Copies a rectangle and waits, as cudaMemcpy2D; otherwise as rtMemcpy.
    ///
    /// - in dst: first byte to write, of height rows; may be NULL if width or height is 0
    /// - in dst\_pitch: bytes from row to row, at least width
    /// - in src: first byte to read, of height rows; may be NULL if width or height is 0
    /// - in src\_pitch: bytes from row to row, at least width
    /// - in width: bytes of a row; 0 is success
    /// - in height: rows; 0 is success
    /// - in kind: RT\_MEMCPY\_\*
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (leaves an allocation, overlaps, contradicts kind, pitch below width), INVALID\_HANDLE,
    /// - NOT\_FOUND, BUSY, CAPTURE\_UNSAFE, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtMemcpy2D(
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        kind: i32,
    ) -> rtStatus_t;

    /// Copies in a stream's order, as cudaMemcpyAsync. A source in memory that the library does not know (pageable: neither
    /// allocated, registered nor imported) has been read when the call returns. The call waits for earlier copies that write to
    /// such a source; the program completes other work that writes there before the call. An idle stream copies at once, on the
    /// calling thread. After pending work the source travels in the stream (up to 4 KiB) or in staging memory of the context.
    /// If a copy would hold more than 64 MiB of it, or finds none, the call waits until the copy is complete. In a host
    /// function of the stream that is BUSY. Any other source is read in the stream's order. The program keeps it valid and
    /// unchanged until the copy is complete, and a destination valid as long. A capture records the address; rtGraphLaunch says
    /// when it is read.
    ///
    /// - in dst: first byte to write, size bytes; may be NULL if size is 0
    /// - in src: first byte to read, size bytes; may be NULL if size is 0
    /// - in size: bytes; 0 is success
    /// - in kind: RT\_MEMCPY\_\*
    /// - in stream: of dst's or src's context (host to host: any); may be NULL: default
    /// - blocks: maybe, from or to pageable host memory; from it, after more than 64 MiB of staged copies, for the stream
    /// - capture: node
    /// - errors: INVALID\_VALUE (leaves an allocation, overlaps, contradicts kind), INVALID\_HANDLE, WRONG\_CONTEXT,
    /// - NOT\_FOUND, BUSY, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemcpyAsync(
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        kind: i32,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Copies a rectangle in a stream's order, as cudaMemcpy2DAsync; otherwise as rtMemcpyAsync.
    ///
    /// - in dst: first byte to write, of height rows; may be NULL if width or height is 0
    /// - in dst\_pitch: bytes from row to row, at least width
    /// - in src: first byte to read, of height rows; may be NULL if width or height is 0
    /// - in src\_pitch: bytes from row to row, at least width
    /// - in width: bytes of a row; 0 is success
    /// - in height: rows; 0 is success
    /// - in kind: RT\_MEMCPY\_\*
    /// - in stream: of dst's or src's context (host to host: any); may be NULL: default
    /// - blocks: maybe, from or to pageable host memory; from it, after more than 64 MiB of staged copies, for the stream
    /// - capture: node
    /// - errors: INVALID\_VALUE (leaves an allocation, overlaps, contradicts kind, pitch below width), INVALID\_HANDLE,
    /// - WRONG\_CONTEXT, NOT\_FOUND, BUSY, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemcpy2DAsync(
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        kind: i32,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Sets bytes and waits, as cudaMemset, on the default stream of the context that owns dst. As for every fill, dst is
    /// memory that the library allocated, registered or imported, or a module's global.
    ///
    /// - in dst: first byte, size bytes; may be NULL if size is 0
    /// - in value: its low 8 bits fill every byte
    /// - in size: bytes; 0 is success
    /// - blocks: yes
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE (unknown memory, leaves an allocation), INVALID\_HANDLE, NOT\_FOUND, BUSY, CAPTURE\_UNSAFE,
    /// - OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER
    pub fn rtMemset(dst: *mut c_void, value: i32, size: usize) -> rtStatus_t;

    /// Sets bytes in a stream's order, as cudaMemsetAsync.
    ///
    /// - in dst: first byte, size bytes; may be NULL if size is 0
    /// - in value: its low 8 bits fill every byte
    /// - in size: bytes; 0 is success
    /// - in stream: of dst's context; may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (unknown memory, leaves an allocation), INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND,
    /// - OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemsetAsync(
        dst: *mut c_void,
        value: i32,
        size: usize,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Sets the bytes of a rectangle in a stream's order, as cudaMemset2DAsync.
    ///
    /// - in dst: first byte, of height rows; may be NULL if width or height is 0
    /// - in pitch: bytes from row to row, at least width
    /// - in value: its low 8 bits fill every byte
    /// - in width: bytes of a row; 0 is success
    /// - in height: rows; 0 is success
    /// - in stream: of dst's context; may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (unknown memory, leaves an allocation, pitch below width), INVALID\_HANDLE, WRONG\_CONTEXT,
    /// - NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemset2DAsync(
        dst: *mut c_void,
        pitch: usize,
        value: i32,
        width: usize,
        height: usize,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Repeats a pattern in a stream's order, as clEnqueueFillBuffer.
    ///
    /// - in dst: first byte, pattern\_size \* count bytes, aligned to the pattern; may be NULL if count is 0
    /// - in pattern: pattern\_size bytes, copied
    /// - in pattern\_size: 1, 2, 4, 8 or 16 bytes
    /// - in count: repetitions; 0 is success
    /// - in stream: of dst's context; may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (unknown memory, leaves an allocation, pattern size, alignment), INVALID\_HANDLE,
    /// - WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemFillAsync(
        dst: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        count: usize,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Moves shared memory to where it is used next, as cudaMemPrefetchAsync. A hint: a device that cannot do it does nothing.
    ///
    /// - in pointer: first byte, size bytes inside an allocation; may be NULL if size is 0
    /// - in size: bytes; 0 is success
    /// - in destination: may be NULL: the host
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (unknown memory, leaves an allocation), INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND,
    /// - OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMemPrefetchAsync(
        pointer: *const c_void,
        size: usize,
        destination: rtDevice_t,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Makes a pool, as cudaMemPoolCreate.
    ///
    /// - out pool: receives the pool, which the caller destroys
    /// - in options: may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtMemPoolCreate(
        pool: *mut rtMemPool_t,
        options: *const rtMemPoolOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Ends a pool. Its allocations stay until their own rtFree; then its memory goes back. A context's own default pool is
    /// refused.
    ///
    /// - in pool: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (a context's own pool), INVALID\_HANDLE
    pub fn rtMemPoolDestroy(pool: rtMemPool_t) -> rtStatus_t;

    /// Gives unused memory back to the driver, as cudaMemPoolTrimTo.
    ///
    /// - in keep\_bytes: unused bytes to keep
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtMemPoolTrim(keep_bytes: u64, pool: rtMemPool_t) -> rtStatus_t;

    /// Limits the memory that a pool takes from the driver; above the limit, allocations are OUT\_OF\_MEMORY.
    ///
    /// - in bytes: the limit; 0: none. A limit below what the pool has refuses further memory alone
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtMemPoolSetLimit(bytes: u64, pool: rtMemPool_t) -> rtStatus_t;

    /// Sets how many unused bytes a pool keeps when streams are synchronised, as cudaMemPoolAttrReleaseThreshold.
    ///
    /// - in bytes: unused bytes to keep
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtMemPoolSetReleaseThreshold(bytes: u64, pool: rtMemPool_t) -> rtStatus_t;

    /// Allocates from a pool in a stream's order, as cudaMallocFromPoolAsync.
    ///
    /// - out pointer: receives the address, for rtFree or rtFreeAsync; NULL if size is 0
    /// - in size: bytes
    /// - in alignment: a power of two; 0: 256
    /// - in stream: a stream of the pool's context; may be NULL: default
    /// - in pool: the pool
    /// - blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER, CAPTURE\_INVALIDATED
    pub fn rtMallocFromPool(
        pointer: *mut *mut c_void,
        size: usize,
        alignment: usize,
        stream: rtStream_t,
        pool: rtMemPool_t,
    ) -> rtStatus_t;

    /// While on, memory that the pool allocates is pinned. Freed or not, it stays reserved until pin mode is off and all graphs
    /// captured or instantiated meanwhile are gone. They may hold an address as a value. Memory that is freed and pinned is
    /// pending; one capture may be given it again.
    ///
    /// - in on: 1 or 0; for all threads
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtMemPoolSetPinMode(on: i32, pool: rtMemPool_t) -> rtStatus_t;

    /// Returns the statistics of a pool.
    ///
    /// - inout stats: struct\_size set by the caller; receives the rest
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED
    pub fn rtMemPoolGetStats(stats: *mut rtMemPoolStats_t, pool: rtMemPool_t) -> rtStatus_t;

    /// Sets the peaks of the statistics to the present values.
    ///
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtMemPoolResetPeak(pool: rtMemPool_t) -> rtStatus_t;

    /// Writes the blocks and statistics of a pool, and the counts of rtContextGetStats, as JSON. A short buffer is truncated
    /// and terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtMemPoolDumpJson(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        pool: rtMemPool_t,
    ) -> rtStatus_t;

    /// Sets a function that is called before an allocation of the pool fails. It may free memory and ask for another attempt.
    ///
    /// - in callback: on the allocating thread, without a lock held; may be NULL: none
    /// - in user: passed to callback; may be NULL
    /// - in pool: the pool
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtMemPoolSetOutOfMemoryCallback(
        callback: rtOutOfMemoryCallback_t,
        user: *mut c_void,
        pool: rtMemPool_t,
    ) -> rtStatus_t;

    /// Builds a module from OpenCL C 1.2, the language that every device with RT\_CAPABILITY\_KERNELS takes; as clBuildProgram.
    /// A failed build is BUILD\_FAILED, and rtGetLastErrorMessage has the compiler's log. One source with the same options is
    /// one program of a context: modules of it that live at the same time share code and variables.
    ///
    /// - out module: receives the module, which the caller destroys
    /// - in source: text, borrowed for the call
    /// - in options: -D, -I, -cl-fast-relaxed-math and others of clBuildProgram; may be NULL: none
    /// - in context: may be NULL: current
    /// - blocks: maybe, while a compiler runs
    /// - capture: outside
    /// - errors: INVALID\_VALUE (options too), INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, BUILD\_FAILED,
    /// - COMPILER\_NOT\_FOUND, BUSY, IO, DEVICE\_LOST, DRIVER
    pub fn rtModuleCreateFromSource(
        module: *mut rtModule_t,
        source: *const c_char,
        options: *const c_char,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Builds one module from several sources, as clCompileProgram and clLinkProgram. Each source has macros of its own, and
    /// messages call them kernel0.cl, kernel1.cl and so on. A function that one source declares may be defined in any other,
    /// and the module has the kernels of all. Types, constants, declarations, static and inline functions of a header that
    /// several sources share are there once if their text is the same. Otherwise a name means one thing in all sources, static
    /// or not: two meanings are BUILD\_FAILED with both places. So is a function that is called and defined nowhere. A count of
    /// 0, or of more than 65,536, is INVALID\_VALUE.
    ///
    /// - out module: receives the module, which the caller destroys
    /// - in sources: count texts, borrowed for the call
    /// - in count: elements of sources
    /// - in options: of each source, as rtModuleCreateFromSource takes them; may be NULL: none
    /// - in context: may be NULL: current
    /// - blocks: maybe, while a compiler runs
    /// - capture: outside
    /// - errors: INVALID\_VALUE (options too), INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, BUILD\_FAILED,
    /// - COMPILER\_NOT\_FOUND, INVALID\_IMAGE (no text), BUSY, IO, DEVICE\_LOST, DRIVER
    pub fn rtModuleCreateFromSources(
        module: *mut rtModule_t,
        sources: *const *const c_char,
        count: u32,
        options: *const c_char,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Builds many modules, each from a source of its own, side by side on the cores of the host. The result is that of a call
    /// of rtModuleLoadData for each source, in less time. A source that fails keeps no other from being built: all that can be
    /// built are given. The call then returns the status of the first source that failed, in the order of the array, and the
    /// message names that source. A count of 0, or of more than 65,536, is INVALID\_VALUE.
    ///
    /// - out modules: receives count modules, which the caller destroys; NULL where a source failed
    /// - out statuses: receives count statuses, one for each source; may be NULL. Where the call is refused as a whole, each is
    /// - the status that it returns
    /// - in sources: count texts, borrowed for the call
    /// - in count: elements of each
    /// - in options: count pointers to options, whose format is RT\_IMAGE\_AUTO or that of a text; may be NULL; an element may
    /// - be NULL
    /// - in context: may be NULL: current
    /// - blocks: maybe, while compilers run
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED (a format of another device),
    /// - BUILD\_FAILED, COMPILER\_NOT\_FOUND, INVALID\_IMAGE (not of OpenCL C), BUSY, IO, DEVICE\_LOST, DRIVER
    pub fn rtModuleBuildMany(
        modules: *mut rtModule_t,
        statuses: *mut rtStatus_t,
        sources: *const *const c_char,
        count: u32,
        options: *const *const rtModuleOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Makes a module from source or machine code in memory, as cuModuleLoadDataEx.
    ///
    /// - out module: receives the module, which the caller destroys
    /// - in image: size bytes, borrowed for the call
    /// - in size: bytes, not 0
    /// - in options: may be NULL
    /// - in context: may be NULL: current
    /// - blocks: maybe, while a compiler runs
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED (a format or an image of another
    /// - device), BUILD\_FAILED, COMPILER\_NOT\_FOUND, INVALID\_IMAGE, BUSY, IO, DEVICE\_LOST, DRIVER
    pub fn rtModuleLoadData(
        module: *mut rtModule_t,
        image: *const c_void,
        size: usize,
        options: *const rtModuleOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// As rtModuleLoadData, from a file, as cuModuleLoad. The file is read once and not needed afterwards.
    ///
    /// - out module: receives the module, which the caller destroys
    /// - in path: of a regular file
    /// - in options: may be NULL
    /// - in context: may be NULL: current
    /// - blocks: maybe, while the file is read or a compiler runs
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED (a format or an image of another
    /// - device), BUILD\_FAILED, COMPILER\_NOT\_FOUND, INVALID\_IMAGE, BUSY, IO, DEVICE\_LOST, DRIVER
    pub fn rtModuleLoadFile(
        module: *mut rtModule_t,
        path: *const c_char,
        options: *const rtModuleOptions_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Writes the code of a module and its source as an image (docs/design/images.md). rtModuleLoadData and rtModuleLoadFile
    /// take it on any machine: code that suits the device is loaded without a compiler, else the source is built. Waits for
    /// optimised code. For the CPU and CUDA the same source and options give the same bytes on the same machine. Machine code
    /// in an image is run as it is: load images from places that are trusted.
    ///
    /// - out buffer: receives the image, at most size bytes; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes of the whole image; may be NULL
    /// - in options: may be NULL
    /// - in module: the module
    /// - blocks: maybe, while optimised code is being made
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED (the program gave the code; the driver gives
    /// - none, and there is no source), IO, SHUT\_DOWN, DRIVER
    pub fn rtModuleGetImage(
        buffer: *mut c_void,
        size: usize,
        needed: *mut usize,
        options: *const rtImageOptions_t,
        module: rtModule_t,
    ) -> rtStatus_t;

    /// Ends a module and the handles of its kernels at once. Launches already submitted complete.
    ///
    /// - in module: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtModuleDestroy(module: rtModule_t) -> rtStatus_t;

    /// Returns the compiler's warnings and remarks on a source that it accepted. Empty for machine code. A short buffer is
    /// truncated and terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtModuleGetBuildLog(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        module: rtModule_t,
    ) -> rtStatus_t;

    /// Tells which code the kernels of a module run, where it came from and how long that took. A log of level info has the
    /// same.
    ///
    /// - inout info: struct\_size set by the caller; receives the rest
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtModuleGetInfo(info: *mut rtModuleInfo_t, module: rtModule_t) -> rtStatus_t;

    /// Waits until a module has come so far. A source is compiled twice for the CPU: quickly before rtModuleCreateFromSource
    /// returns, and optimised in the background; launches take the optimised code from then on, with the same results. Where
    /// there is one form alone, and on all other devices, the call returns at once.
    ///
    /// - in module: the module
    /// - in state: RT\_MODULE\_READY or RT\_MODULE\_OPTIMIZED
    /// - in timeout\_ns: nanoseconds; 0 polls, RT\_TIMEOUT\_INFINITE is for ever
    /// - blocks: yes
    /// - capture: outside
    /// - errors: TIMEOUT, INVALID\_VALUE, INVALID\_HANDLE, BUILD\_FAILED (there is no optimised code, and the first stays),
    /// - SHUT\_DOWN
    pub fn rtModuleWait(module: rtModule_t, state: i32, timeout_ns: u64) -> rtStatus_t;

    /// Finds a kernel of a module, as cuModuleGetFunction. A second call gives the same handle. The handle belongs to the
    /// module and ends with it; rtKernelDestroy has no effect on it.
    ///
    /// - out kernel: receives the kernel; borrowed until the module ends
    /// - in name: as in the source
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND
    pub fn rtModuleGetKernel(
        kernel: *mut rtKernel_t,
        name: *const c_char,
        module: rtModule_t,
    ) -> rtStatus_t;

    /// Returns how many kernels a module has.
    ///
    /// - out count: receives the number
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtModuleGetKernelCount(count: *mut u32, module: rtModule_t) -> rtStatus_t;

    /// Finds a kernel of a module by its index, in the order of the source. It is the same handle as that of rtModuleGetKernel.
    ///
    /// - out kernel: receives the kernel; borrowed until the module ends
    /// - in index: 0 to the count - 1
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtModuleGetKernelByIndex(
        kernel: *mut rtKernel_t,
        index: u32,
        module: rtModule_t,
    ) -> rtStatus_t;

    /// Finds a global variable of a module, as cuModuleGetGlobal. In OpenCL C 1.2 these are the \_\_constant variables of
    /// program scope, which must not be written to.
    ///
    /// - out pointer: receives the device address; borrowed until the module ends
    /// - out size: receives the variable's bytes; may be NULL
    /// - in name: as in the source
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED, WRONG\_CONTEXT, OUT\_OF\_MEMORY, DEVICE\_LOST,
    /// - DRIVER
    pub fn rtModuleGetGlobal(
        pointer: *mut *mut c_void,
        size: *mut u64,
        name: *const c_char,
        module: rtModule_t,
    ) -> rtStatus_t;

    /// Makes a kernel from a C function, which the device calls once for each work-group of the grid.
    ///
    /// - out kernel: receives the kernel, which the caller destroys
    /// - in host: copied
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DRIVER
    pub fn rtKernelCreateFromHost(
        kernel: *mut rtKernel_t,
        host: *const rtHostKernel_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Ends a kernel. Launches already submitted complete. A kernel of a module ends with the module: nothing happens.
    ///
    /// - in kernel: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtKernelDestroy(kernel: rtKernel_t) -> rtStatus_t;

    /// Returns the name of a kernel. A short buffer is truncated and terminated.
    ///
    /// - out buffer: receives the text; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes that the whole text takes with its terminator; may be NULL
    /// - in kernel: the kernel
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtKernelGetName(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        kernel: rtKernel_t,
    ) -> rtStatus_t;

    /// Describes the arguments and the needs of a kernel, as cudaFuncGetAttributes.
    ///
    /// - inout info: struct\_size set by the caller; receives the rest
    /// - in kernel: the kernel
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED, DRIVER
    pub fn rtKernelGetInfo(info: *mut rtKernelInfo_t, kernel: rtKernel_t) -> rtStatus_t;

    /// Describes one argument of a kernel, as clGetKernelArgInfo.
    ///
    /// - inout info: struct\_size set by the caller; receives the rest
    /// - in index: 0 to arg\_count - 1
    /// - in kernel: the kernel
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED, DRIVER
    pub fn rtKernelGetArgInfo(
        info: *mut rtKernelArgInfo_t,
        index: u32,
        kernel: rtKernel_t,
    ) -> rtStatus_t;

    /// Suggests a work-group for a number of work-items, as cudaOccupancyMaxPotentialBlockSize.
    ///
    /// - out group: receives 3 sizes, each at least 1
    /// - in items: 3 numbers of work-items in all
    /// - in local\_bytes: local memory of each work-group
    /// - in kernel: the kernel
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, DRIVER
    pub fn rtKernelSuggestGroupSize(
        group: *mut u32,
        items: *const u32,
        local_bytes: u32,
        kernel: rtKernel_t,
    ) -> rtStatus_t;

    /// Returns how many work-groups the whole device runs at the same time, which is the limit of a cooperative launch.
    ///
    /// - out groups: receives the number
    /// - in group\_size: work-items of a work-group, not 0
    /// - in local\_bytes: local memory of each work-group
    /// - in kernel: the kernel
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, DRIVER
    pub fn rtKernelGetMaxActiveGroups(
        groups: *mut u32,
        group_size: u32,
        local_bytes: u32,
        kernel: rtKernel_t,
    ) -> rtStatus_t;

    /// Launches a kernel, as cudaLaunchKernel. The grid is in work-groups: if one of its sizes is 0, nothing runs.
    ///
    /// - in kernel: a kernel of the stream's context
    /// - in grid\_x: work-groups in x
    /// - in grid\_y: work-groups in y
    /// - in grid\_z: work-groups in z
    /// - in group\_x: work-items of a work-group in x, not 0
    /// - in group\_y: work-items of a work-group in y, not 0
    /// - in group\_z: work-items of a work-group in z, not 0
    /// - in local\_bytes: local memory of each work-group, besides the kernel's own; 0 for kernels from OpenCL C
    /// - in stream: may be NULL: default
    /// - in args: arg\_count pointers to the values, which are copied; may be NULL if there are none
    /// - in arg\_count: elements of args, or RT\_ARGS\_ALL
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (group, grid, argument), INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY,
    /// - NOT\_SUPPORTED, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtLaunchKernel(
        kernel: rtKernel_t,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        group_x: u32,
        group_y: u32,
        group_z: u32,
        local_bytes: u32,
        stream: rtStream_t,
        args: *const *mut c_void,
        arg_count: u32,
    ) -> rtStatus_t;

    /// As rtLaunchKernel, with options: cooperative, argument sizes for images that carry none, a global offset. The offset is
    /// added to what get\_global\_id() returns, and get\_global\_offset() returns it; get\_global\_linear\_id() counts from 0.
    /// Offset and work-items of a direction together stay within what ids hold on the device: 2,147,418,111 on the CPU, 2^31 on
    /// CUDA, 2^32 on OpenCL; more is INVALID\_VALUE. Functions of the host, host objects and machine code of CUDA know no
    /// offset: NOT\_SUPPORTED.
    ///
    /// - in kernel: a kernel of the stream's context
    /// - in grid: 3 numbers of work-groups
    /// - in group: 3 numbers of work-items in a work-group, none 0
    /// - in local\_bytes: local memory of each work-group, besides the kernel's own; 0 for kernels from OpenCL C
    /// - in options: may be NULL
    /// - in args: arg\_count pointers to the values, which are copied; may be NULL if there are none
    /// - in arg\_count: elements of args, or RT\_ARGS\_ALL
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (group, grid, argument), INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY,
    /// - NOT\_SUPPORTED, LAUNCH\_FAILED, DEVICE\_LOST, DRIVER, CAPTURE\_INVALIDATED
    pub fn rtLaunchKernelWithOptions(
        kernel: rtKernel_t,
        grid: *const u32,
        group: *const u32,
        local_bytes: u32,
        options: *const rtLaunchOptions_t,
        args: *const *mut c_void,
        arg_count: u32,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Makes an empty graph. It belongs to no context until a node names an object of one.
    ///
    /// - out graph: receives the graph, which the caller destroys
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, OUT\_OF\_MEMORY
    pub fn rtGraphCreate(graph: *mut rtGraph_t) -> rtStatus_t;

    /// Destroys a graph; its nodes and buffers become stale. Plans and execs that were made from it stay.
    ///
    /// - in graph: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtGraphDestroy(graph: rtGraph_t) -> rtStatus_t;

    /// Copies a graph. The copy has nodes and buffers of its own, in the same order.
    ///
    /// - out clone: receives the copy, which the caller destroys
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphClone(clone: *mut rtGraph_t, graph: rtGraph_t) -> rtStatus_t;

    /// Names memory before it is known. Two buffers of a graph are two memories that do not overlap.
    ///
    /// - out buffer: receives the buffer, which belongs to the graph
    /// - in size: bytes, not 0, and 2^57 at most
    /// - in role: RT\_GRAPH\_BUFFER\_\*
    /// - in name: for messages; may be NULL
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphAddBuffer(
        buffer: *mut rtGraphBuffer_t,
        size: u64,
        role: i32,
        name: *const c_char,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Turns the addresses of a range that nodes name into offsets in a new buffer. Addresses inside values are not found.
    ///
    /// - out buffer: receives the buffer, which belongs to the graph
    /// - in pointer: the first byte of the range, size bytes
    /// - in size: bytes, not 0; no node may leave the range
    /// - in role: RT\_GRAPH\_BUFFER\_\*
    /// - in name: for messages; may be NULL
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (also: no node names an address inside), INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphMakeBuffer(
        buffer: *mut rtGraphBuffer_t,
        pointer: *mut c_void,
        size: u64,
        role: i32,
        name: *const c_char,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds the launch of a kernel. A kernel handle is checked now, a kernel name when a plan is made.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddKernelNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphKernelParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a copy of one piece.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddMemcpyNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphMemcpyParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a copy of rows.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddMemcpy2DNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphMemcpy2DParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a fill with a pattern.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddFillNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphFillParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a host function, which is called once for each launch, as rtLaunchHostFunction does. Inferred dependencies order it
    /// with all other nodes.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied; release is only called if the node was added
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddHostNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphHostParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a call that submits work to the driver's own stream, as rtStreamLaunchNative does. Inferred dependencies order it
    /// with all other nodes. On CUDA the calling thread calls the function once for each exec of the graph, and at
    /// rtGraphExecUpdate, with a private stream in capture. Its work becomes part of the exec, and launches do not call it. Its
    /// status, or the failure of a call that cannot be captured (a wait for the stream), is that of rtGraphExecCreate,
    /// rtGraphInstantiate or rtGraphExecUpdate. On other backends it is called at each launch, on a thread of the library.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied; release is only called if the node was added
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddNativeNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphNativeParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a node that does nothing, where dependencies meet.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphAddEmptyNode(
        node: *mut rtGraphNode_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a whole graph as one node, as it is now. Later changes of it have no effect.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddChildGraphNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphChildParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds the record of an event: each launch records it again.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddEventRecordNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphEventParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a wait for the last record that an event has at the time of the launch.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddEventWaitNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphEventParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds the signal of a fence.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddFenceSignalNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphFenceParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Adds a wait for a value of a fence.
    ///
    /// - out node: receives the node, which belongs to the graph
    /// - in params: copied
    /// - in dependencies: count nodes of graph that come before; may be NULL if count is 0 or RT\_INFERRED
    /// - in count: elements of dependencies, or RT\_INFERRED
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED
    pub fn rtGraphAddFenceWaitNode(
        node: *mut rtGraphNode_t,
        params: *const rtGraphFenceParams_t,
        dependencies: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Makes to\[i\] wait for from\[i\]. A dependency that exists stays. A circle is refused, and nothing is changed.
    ///
    /// - in from: count nodes of graph; may be NULL if count is 0
    /// - in to: count nodes of graph; may be NULL if count is 0
    /// - in count: elements of each
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphAddDependencies(
        from: *const rtGraphNode_t,
        to: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Removes dependencies. A missing one is refused, and nothing is changed.
    ///
    /// - in from: count nodes of graph; may be NULL if count is 0
    /// - in to: count nodes of graph; may be NULL if count is 0
    /// - in count: elements of each
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphRemoveDependencies(
        from: *const rtGraphNode_t,
        to: *const rtGraphNode_t,
        count: u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Returns the nodes of a graph, in the order in which they were added.
    ///
    /// - out nodes: receives at most capacity nodes; may be NULL if capacity is 0
    /// - in capacity: elements of nodes
    /// - out count: receives how many there are
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphGetNodes(
        nodes: *mut rtGraphNode_t,
        capacity: u32,
        count: *mut u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Returns the dependencies of a graph: to\[i\] waits for from\[i\].
    ///
    /// - out from: receives at most capacity nodes; may be NULL if capacity is 0
    /// - out to: receives at most capacity nodes; may be NULL if capacity is 0
    /// - in capacity: elements of each
    /// - out count: receives how many there are
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphGetEdges(
        from: *mut rtGraphNode_t,
        to: *mut rtGraphNode_t,
        capacity: u32,
        count: *mut u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Returns the kind of a node.
    ///
    /// - out type: receives RT\_GRAPH\_NODE\_\*
    /// - in node: the node
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphNodeGetType(type_: *mut i32, node: rtGraphNode_t) -> rtStatus_t;

    /// Writes a graph as text for Graphviz.
    ///
    /// - out buffer: receives the text, terminated, truncated to size; may be NULL if size is 0
    /// - in size: bytes of buffer
    /// - out needed: receives the bytes of the whole text with its terminator; may be NULL
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphExportDot(
        buffer: *mut c_char,
        size: usize,
        needed: *mut usize,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Returns the buffers of a graph, in the order in which they were added; those of a file in the order of the file.
    ///
    /// - out buffers: receives as many as fit; may be NULL if capacity is 0
    /// - in capacity: elements of buffers
    /// - out count: receives how many there are
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphGetBuffers(
        buffers: *mut rtGraphBuffer_t,
        capacity: u32,
        count: *mut u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Describes a buffer.
    ///
    /// - inout info: receives size, role and name; struct\_size is set by the caller
    /// - in buffer: the buffer
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphBufferGetInfo(
        info: *mut rtGraphBufferInfo_t,
        buffer: rtGraphBuffer_t,
    ) -> rtStatus_t;

    /// Names a value that arguments of any number of kernel nodes are (RT\_ARG\_GRAPH\_VALUE), such as the position of a token.
    /// rtGraphExecBindValue says what it is, once for all of them. A plan of a graph with a value that no node uses is refused.
    ///
    /// - out value: receives the value, which belongs to the graph
    /// - in size: bytes, 1 to 4096: those of the arguments
    /// - in initial: size bytes, copied: what it is until it is bound; may be NULL: it is bound before the first launch
    /// - in name: for messages and files; may be NULL
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY
    pub fn rtGraphAddValue(
        value: *mut rtGraphValue_t,
        size: u64,
        initial: *const c_void,
        name: *const c_char,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Returns the values of a graph, in the order in which they were added; those of a file in the order of the file.
    ///
    /// - out values: receives as many as fit; may be NULL if capacity is 0
    /// - in capacity: elements of values
    /// - out count: receives how many there are
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphGetValues(
        values: *mut rtGraphValue_t,
        capacity: u32,
        count: *mut u32,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Describes a value.
    ///
    /// - inout info: receives size and name; struct\_size is set by the caller
    /// - in value: the value
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtGraphValueGetInfo(info: *mut rtGraphValueInfo_t, value: rtGraphValue_t) -> rtStatus_t;

    /// Writes a graph as a file (docs/graph-file.md): JSON with kernel sources, buffers and nodes. The same graph gives the
    /// same bytes, and so does the graph that rtGraphLoad makes from them. A kernel of a module that was built from OpenCL C
    /// without headers is written with its source, any other kernel by name alone.
    ///
    /// - out data: receives the file, at most size bytes; may be NULL if size is 0
    /// - in size: bytes of data
    /// - out needed: receives the bytes of the whole file; may be NULL
    /// - in graph: the graph
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (a name or source that is not UTF-8), INVALID\_HANDLE, NOT\_SUPPORTED (a node that means
    /// - something in this process alone: an address, an event, a fence, a function)
    pub fn rtGraphSave(
        data: *mut c_void,
        size: usize,
        needed: *mut usize,
        graph: rtGraph_t,
    ) -> rtStatus_t;

    /// Makes a graph from a file. It belongs to no context: kernels are built or found when a plan is made. The message about a
    /// fault of the file has line, column and the path of the value, as in "nodes\[3\].grid".
    ///
    /// - out graph: receives the graph, which the caller destroys
    /// - in data: the file, size bytes, copied
    /// - in size: bytes of data, not 0
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, NOT\_SUPPORTED (a file of a later version)
    pub fn rtGraphLoad(graph: *mut rtGraph_t, data: *const c_void, size: usize) -> rtStatus_t;

    /// Plans how a graph, as it is now, runs in a context: kernels, order, streams, offsets of temporaries.
    ///
    /// - out plan: receives the plan, which the caller destroys
    /// - in options: may be NULL
    /// - in graph: the graph
    /// - in context: may be NULL: current
    /// - blocks: maybe, where a source of a graph file is built
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT (the graph is bound to another), NOT\_FOUND (a kernel),
    /// - BUILD\_FAILED, COMPILER\_NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, IO, DEVICE\_LOST, DRIVER
    pub fn rtCapturePlanCreate(
        plan: *mut rtCapturePlan_t,
        options: *const rtCapturePlanOptions_t,
        graph: rtGraph_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Destroys a plan. Execs that were made from it stay.
    ///
    /// - in plan: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtCapturePlanDestroy(plan: rtCapturePlan_t) -> rtStatus_t;

    /// Returns the numbers of a plan.
    ///
    /// - inout info: receives the numbers; struct\_size is set by the caller
    /// - in plan: the plan
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCapturePlanGetInfo(
        info: *mut rtCapturePlanInfo_t,
        plan: rtCapturePlan_t,
    ) -> rtStatus_t;

    /// Describes one step of a plan. Steps are numbered in the order of their submission.
    ///
    /// - inout step: receives the step; struct\_size is set by the caller
    /// - in index: below step\_count
    /// - in plan: the plan
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCapturePlanGetStep(
        step: *mut rtCapturePlanStep_t,
        index: u32,
        plan: rtCapturePlan_t,
    ) -> rtStatus_t;

    /// Describes one buffer of a plan: those of the graph come first, in their order, then the temporaries of child graphs.
    ///
    /// - inout buffer: receives the buffer; struct\_size is set by the caller
    /// - in index: below buffer\_count
    /// - in plan: the plan
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE
    pub fn rtCapturePlanGetBuffer(
        buffer: *mut rtCapturePlanBuffer_t,
        index: u32,
        plan: rtCapturePlan_t,
    ) -> rtStatus_t;

    /// Makes an exec: the plan with memory for temporaries, streams of its own and bindings. Buffers of memory that a capture
    /// has recorded are bound; buffers of rtGraphAddBuffer are not.
    ///
    /// - out exec: receives the exec, which the caller destroys
    /// - in plan: the plan
    /// - blocks: maybe, where memory has to be found
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE,
    /// - BUSY, DEVICE\_LOST, DRIVER, LAUNCH\_FAILED (a native function threw), CAPTURE\_INVALIDATED (it did what cannot be
    /// - recorded)
    pub fn rtGraphExecCreate(exec: *mut rtGraphExec_t, plan: rtCapturePlan_t) -> rtStatus_t;

    /// Makes a plan with default options, and an exec of it, in one call.
    ///
    /// - out exec: receives the exec, which the caller destroys
    /// - in graph: the graph
    /// - in context: may be NULL: the one that the graph is bound to, else current
    /// - blocks: maybe, where a source of a graph file is built or memory has to be found
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, NOT\_FOUND, BUILD\_FAILED, COMPILER\_NOT\_FOUND,
    /// - OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, BUSY, IO, DEVICE\_LOST, DRIVER, LAUNCH\_FAILED (a native function
    /// - threw), CAPTURE\_INVALIDATED (it did what cannot be recorded)
    pub fn rtGraphInstantiate(
        exec: *mut rtGraphExec_t,
        graph: rtGraph_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Destroys an exec. Launches in flight complete, and its leases end after them.
    ///
    /// - in exec: may be NULL: nothing happens
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_HANDLE
    pub fn rtGraphExecDestroy(exec: rtGraphExec_t) -> rtStatus_t;

    /// Binds memory to a buffer, from the next launch on. The exec leases the memory until the buffer is bound again.
    ///
    /// - in buffer: of the graph that the exec was made of; no temporary
    /// - in pointer: at least as many bytes as the buffer has
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecBindBuffer(
        buffer: rtGraphBuffer_t,
        pointer: *mut c_void,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Binds less memory than the buffer has: the first \`size\` bytes of it, from the next launch on. The program changes
    /// nodes that use more before that launch. A launch that is captured meanwhile becomes a child graph with a buffer of this
    /// size.
    ///
    /// - in buffer: of the graph that the exec was made of; no temporary
    /// - in pointer: size bytes
    /// - in size: bytes, not 0, at most those of the buffer
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecBindBufferRange(
        buffer: rtGraphBuffer_t,
        pointer: *mut c_void,
        size: u64,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Says what a value is, for all nodes that use it, from the next launch on. Launches in flight have what they were
    /// launched with.
    ///
    /// - in value: of the graph that the exec was made of
    /// - in data: size bytes, copied
    /// - in size: bytes of the value
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecBindValue(
        value: rtGraphValue_t,
        data: *const c_void,
        size: u64,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Exchanges the parameters of the launch of a kernel, from the next launch on. Order and dependencies stay.
    ///
    /// - in node: of the graph that the exec was made of
    /// - in params: copied; an argument that names a buffer or a value follows what is bound to it later
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecSetKernelParams(
        node: rtGraphNode_t,
        params: *const rtGraphKernelParams_t,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Exchanges the parameters of a copy of one piece, from the next launch on. Order and dependencies stay.
    ///
    /// - in node: of the graph that the exec was made of
    /// - in params: copied
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecSetMemcpyParams(
        node: rtGraphNode_t,
        params: *const rtGraphMemcpyParams_t,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Exchanges the parameters of a copy of rows, from the next launch on. Order and dependencies stay.
    ///
    /// - in node: of the graph that the exec was made of
    /// - in params: copied
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecSetMemcpy2DParams(
        node: rtGraphNode_t,
        params: *const rtGraphMemcpy2DParams_t,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Exchanges the parameters of a fill, from the next launch on. Order and dependencies stay.
    ///
    /// - in node: of the graph that the exec was made of
    /// - in params: copied
    /// - in exec: the exec
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER
    pub fn rtGraphExecSetFillParams(
        node: rtGraphNode_t,
        params: *const rtGraphFillParams_t,
        exec: rtGraphExec_t,
    ) -> rtStatus_t;

    /// Exchanges all parameters for those of another graph with the same nodes, in the same order, and the same dependencies,
    /// also inside child graphs. A kernel handle may be any kernel. A kernel name has to be the same, with the same source if
    /// the graph has one. The same nodes have to use the temporaries. Buffers may be smaller, not larger. A graph that differs
    /// is refused, and nothing is changed. Values have the same number and sizes, and keep what is bound to them.
    ///
    /// - in graph: the other graph
    /// - in exec: the exec
    /// - blocks: maybe, where native functions are called (CUDA)
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, WRONG\_CONTEXT, OUT\_OF\_MEMORY, NOT\_SUPPORTED, INVALID\_IMAGE, DRIVER,
    /// - LAUNCH\_FAILED (a native function threw), CAPTURE\_INVALIDATED (it did what cannot be recorded)
    pub fn rtGraphExecUpdate(graph: rtGraph_t, exec: rtGraphExec_t) -> rtStatus_t;

    /// Runs an exec in a stream's order, one launch after another. In a capture it becomes a child graph with its present
    /// bindings. A node that fails is the stream's failure: later work, in the graph and in the stream, is skipped. Pageable
    /// sources are read in the call or later, in the stream's order. The program completes writes to them before the call, and
    /// keeps them unchanged until the launch is complete.
    ///
    /// - in exec: the exec
    /// - in stream: of the exec's context; may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE (a buffer or a value is not bound, or a buffer is too small), INVALID\_HANDLE, WRONG\_CONTEXT,
    /// - NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, LAUNCH\_FAILED, CAPTURE\_UNSAFE (an event recorded in a capture),
    /// - CAPTURE\_INVALIDATED, DEVICE\_LOST, DRIVER
    pub fn rtGraphLaunch(exec: rtGraphExec_t, stream: rtStream_t) -> rtStatus_t;

    /// Begins to record the work of a stream as a graph. Streams that wait for its events, or for it, join the capture. All
    /// other streams, on any thread, go on as before.
    ///
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: unsafe
    /// - errors: INVALID\_HANDLE, NOT\_FOUND, BUSY (it is capturing already), OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtStreamBeginCapture(stream: rtStream_t) -> rtStatus_t;

    /// Ends a capture, on the stream on which it began, from any thread. A stream that only joined is refused, and its capture
    /// goes on. In all other cases the stream, and every stream that has joined, leaves the capture. The first stream has to
    /// wait for the work of every other one; waits and records of events are no such work.
    ///
    /// - out graph: receives the graph, which the caller destroys
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (not capturing, or it only joined), INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY,
    /// - CAPTURE\_INVALIDATED (broken earlier, or a stream that joined was not waited for), DRIVER, DEVICE\_LOST
    pub fn rtStreamEndCapture(graph: *mut rtGraph_t, stream: rtStream_t) -> rtStatus_t;

    /// Tells whether a stream takes part in a capture.
    ///
    /// - out state: receives RT\_CAPTURE\_\*
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, DEVICE\_LOST, DRIVER
    pub fn rtStreamIsCapturing(state: *mut i32, stream: rtStream_t) -> rtStatus_t;

    /// Returns the node after which a capturing stream goes on: the one that it recorded last, or that it waits for. If it
    /// waits for several nodes, the call adds an empty node after all of them.
    ///
    /// - out last: receives the node, which belongs to the graph to be; NULL if there is none yet
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (not capturing), INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, CAPTURE\_INVALIDATED,
    /// - DEVICE\_LOST, DRIVER
    pub fn rtStreamGetCapturedNode(last: *mut rtGraphNode_t, stream: rtStream_t) -> rtStatus_t;

    /// Returns the driver's device: CUDA CUdevice; OpenCL cl\_device\_id.
    ///
    /// - out native: receives 2 values; borrowed
    /// - in device: the device
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED
    pub fn rtDeviceGetNative(native: *mut u64, device: rtDevice_t) -> rtStatus_t;

    /// Returns the driver's context: CUDA CUcontext; OpenCL cl\_context.
    ///
    /// - out native: receives 2 values; borrowed until the context ends
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED, DRIVER
    pub fn rtContextGetNative(native: *mut u64, context: rtContext_t) -> rtStatus_t;

    /// Returns the driver's stream: CUDA cudaStream\_t; OpenCL cl\_command\_queue.
    ///
    /// - out native: receives 2 values; borrowed until the stream ends
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, NOT\_SUPPORTED, DRIVER
    pub fn rtStreamGetNative(native: *mut u64, stream: rtStream_t) -> rtStatus_t;

    /// Returns the driver's event: CUDA cudaEvent\_t; OpenCL cl\_event.
    ///
    /// - out native: receives 2 values; borrowed until the event ends or is recorded again
    /// - in event: the event
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED, DRIVER
    pub fn rtEventGetNative(native: *mut u64, event: rtEvent_t) -> rtStatus_t;

    /// Returns the driver's module: CUDA CUmodule; OpenCL cl\_program; CPU the rtHostModule\_t.
    ///
    /// - out native: receives 2 values; borrowed until the module ends
    /// - in module: the module
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_SUPPORTED
    pub fn rtModuleGetNative(native: *mut u64, module: rtModule_t) -> rtStatus_t;

    /// Returns the driver's form of an address. CUDA and CPU: the address and 0. OpenCL, by the memory tier of the device
    /// (memory\_tier of rtDeviceProperties\_t): in the tier buffer the cl\_mem and the offset in it. In the tiers usm and svm
    /// the driver has no object for memory: the address, for clSetKernelArgMemPointerINTEL or clSetKernelArgSVMPointer, and 0.
    /// Host memory that is ordinary memory to the driver: the address and 0.
    ///
    /// - out native: receives 2 values; borrowed until the memory is freed
    /// - in pointer: an address inside an allocation
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, NOT\_SUPPORTED
    pub fn rtPointerGetNative(native: *mut u64, pointer: *const c_void) -> rtStatus_t;

    /// Makes a context from one of another library. rtContextDestroy only detaches it.
    ///
    /// - out context: receives the context, which the caller destroys
    /// - in native: 2 values, as rtContextGetNative gives them; borrowed until the context ends
    /// - in device: the device of that context
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtContextImport(
        context: *mut rtContext_t,
        native: *const u64,
        device: rtDevice_t,
    ) -> rtStatus_t;

    /// Makes a stream from one of another library, such as PyTorch, CuPy or PyOpenCL. rtStreamDestroy only detaches it. On CUDA
    /// native\[0\] may be 0 or 1, the legacy default stream of the context, and 2, the default stream of the calling thread.
    ///
    /// - out stream: receives the stream, which the caller destroys
    /// - in native: 2 values, as rtStreamGetNative gives them; borrowed until the stream ends
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtStreamImport(
        stream: *mut rtStream_t,
        native: *const u64,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Makes an event from one of another library. rtEventDestroy only detaches it.
    ///
    /// - out event: receives the event, which the caller destroys
    /// - in native: 2 values, as rtEventGetNative gives them; borrowed until the event ends
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtEventImport(
        event: *mut rtEvent_t,
        native: *const u64,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Makes memory of another library known to this one. rtFree only detaches it. An address may be imported more than once.
    /// Each rtFree of it gives back one import, the newest first, and the memory is known until the last. OpenCL takes a
    /// cl\_mem of its context and an offset in it, in every memory tier; no address, and what is no cl\_mem may end the
    /// process.
    ///
    /// - out pointer: receives the address, for rtFree
    /// - in native: 2 values, as rtPointerGetNative gives them (OpenCL: in the tier buffer); borrowed until rtFree
    /// - in size: bytes, not 0
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtMemImport(
        pointer: *mut *mut c_void,
        native: *const u64,
        size: u64,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Like rtMemImport. release(user) is called when the library has done with the memory: after rtFree, and after all work
    /// and all graphs that use it. If this call fails, release is not called.
    ///
    /// - out pointer: receives the address, for rtFree
    /// - in native: 2 values, as rtPointerGetNative gives them; borrowed until release is called
    /// - in size: bytes, not 0
    /// - in user: passed to release; may be NULL
    /// - in release: called once with user; may be NULL
    /// - in context: may be NULL: current
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, DEVICE\_LOST, DRIVER
    pub fn rtMemImportWithRelease(
        pointer: *mut *mut c_void,
        native: *const u64,
        size: u64,
        user: *mut c_void,
        release: rtReleaseFunction_t,
        context: rtContext_t,
    ) -> rtStatus_t;

    /// Calls a function that submits work to the driver's own stream. It is called in the stream's order, on a thread of the
    /// library or on one that waits for the stream. In a capture it becomes a node: see rtGraphAddNativeNode for when that is
    /// called.
    ///
    /// - in function: receives the native stream; a failure that it returns is the stream's
    /// - in user: passed to function; may be NULL
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER, CAPTURE\_INVALIDATED
    pub fn rtStreamLaunchNative(
        function: rtNativeFunction_t,
        user: *mut c_void,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Like rtStreamLaunchNative. release(user) is called after the last use of user, as with rtLaunchHostFunctionWithRelease.
    ///
    /// - in function: as for rtStreamLaunchNative
    /// - in user: passed to function and release; may be NULL
    /// - in release: called once with user; may be NULL
    /// - in stream: may be NULL: default
    /// - blocks: never
    /// - capture: node
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER, CAPTURE\_INVALIDATED
    pub fn rtStreamLaunchNativeWithRelease(
        function: rtNativeFunction_t,
        user: *mut c_void,
        release: rtReleaseFunction_t,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Like rtStreamLaunchNative, but at once and on the calling thread, which is faster. For functions that only submit. If
    /// earlier work is not with the driver yet, the result is RT\_NOT\_READY and function is not called. So it is after a host
    /// function, or a wait for another device. On the CPU: if earlier work is not complete. Work that other threads submit to
    /// the stream meanwhile is ordered after it.
    ///
    /// - in function: receives the native stream; a failure that it returns is the stream's, and this call returns it
    /// - in user: passed to function; may be NULL
    /// - in stream: may be NULL: default
    /// - blocks: maybe, as long as function does
    /// - capture: unsafe
    /// - errors: INVALID\_VALUE, INVALID\_HANDLE, NOT\_FOUND, OUT\_OF\_MEMORY, NOT\_SUPPORTED, LAUNCH\_FAILED, DEVICE\_LOST,
    /// - DRIVER, CAPTURE\_UNSAFE
    pub fn rtStreamCallNative(
        function: rtNativeFunction_t,
        user: *mut c_void,
        stream: rtStream_t,
    ) -> rtStatus_t;

    /// Begins a timeline in Chrome's trace format, as RT\_TRACE does for the whole process. It has calls, builds, memory, and
    /// the work of every stream with its times on the device. Streams may be older: their work is timed from the next
    /// submission on. An exec of a graph that is older is timed as a whole on CUDA, with its nodes elsewhere. Work submitted
    /// before is not in it on CUDA and OpenCL.
    ///
    /// - in file: a path; what is there is replaced
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE, IO, BUSY (a timeline is being written, by RT\_TRACE or another call)
    pub fn rtTraceStart(file: *const c_char) -> rtStatus_t;

    /// Ends the timeline of rtTraceStart or RT\_TRACE; its file is complete then. Work that is not over by now is missing: wait
    /// for it first. On CUDA and OpenCL the file says how much is lost. rtShutdown and the exit of the process end a timeline
    /// too.
    ///
    /// - blocks: maybe, while drivers are asked for the last times
    /// - capture: outside
    /// - errors: INVALID\_VALUE (there is no timeline), IO (the file is incomplete)
    pub fn rtTraceStop() -> rtStatus_t;

    /// Begins a range of this thread, such as a step of training. Ranges nest. A range is a span of the thread in the timeline,
    /// if one was being written or a callback was set when it began; a tool for NVTX, which NVTX\_INJECTION64\_PATH names, is
    /// told of it in any case.
    ///
    /// - in name: any text; copied
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtTraceRangePush(name: *const c_char) -> rtStatus_t;

    /// Ends the range that this thread began last. Pushes and pops are counted whether or not anything listens.
    ///
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE (this thread has no range)
    pub fn rtTraceRangePop() -> rtStatus_t;

    /// Puts a mark at this moment of this thread.
    ///
    /// - in name: any text; copied
    /// - blocks: never
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtTraceMark(name: *const c_char) -> rtStatus_t;

    /// Sends records of the trace to callback, for a profiler of the program's own: calls, what they submit, the work that
    /// follows, builds, ranges. A callback that was told of a call's beginning is told of its end. The functions of this
    /// chapter, rtShutdown, rtGetVersion and texts are not told. When this returns, the earlier callback has all records of
    /// what was over, and runs no more; called inside a callback of the trace it returns at once. Records of submissions, work
    /// and builds wait in a queue: where a callback is too slow, LOST tells how many did not fit. rtShutdown delivers what is
    /// left, the exit of a process does not.
    ///
    /// - in callback: may be NULL: none
    /// - in user: passed to callback; may be NULL
    /// - in kinds: RT\_TRACE\_CALLS, RT\_TRACE\_SUBMISSIONS, RT\_TRACE\_WORK, RT\_TRACE\_BUILDS, RT\_TRACE\_RANGES, joined by
    /// - or
    /// - blocks: maybe, while another thread is inside the earlier callback
    /// - capture: outside
    /// - errors: INVALID\_VALUE
    pub fn rtTraceSetCallback(
        callback: rtTraceCallback_t,
        user: *mut c_void,
        kinds: u32,
    ) -> rtStatus_t;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{align_of, size_of, MaybeUninit};
    use std::ptr::addr_of;

    macro_rules! offset {
        ($type:ty, $field:ident) => {{
            let value = MaybeUninit::<$type>::uninit();
            // SAFETY: only the address of the field is taken; nothing is read.
            let field = unsafe { addr_of!((*value.as_ptr()).$field) };
            field as usize - value.as_ptr() as usize
        }};
    }

    #[test]
    fn layout_of_rtHostGroup_t() {
        assert_eq!((size_of::<rtHostGroup_t>(), align_of::<rtHostGroup_t>()), (56, 8));
        assert_eq!(offset!(rtHostGroup_t, group_id), 0);
        assert_eq!(offset!(rtHostGroup_t, group_count), 12);
        assert_eq!(offset!(rtHostGroup_t, group_size), 24);
        assert_eq!(offset!(rtHostGroup_t, worker), 36);
        assert_eq!(offset!(rtHostGroup_t, local_bytes), 40);
        assert_eq!(offset!(rtHostGroup_t, local_memory), 48);
    }

    #[test]
    fn layout_of_rtTraceRecord_t() {
        assert_eq!((size_of::<rtTraceRecord_t>(), align_of::<rtTraceRecord_t>()), (160, 8));
        assert_eq!(offset!(rtTraceRecord_t, struct_size), 0);
        assert_eq!(offset!(rtTraceRecord_t, type_), 4);
        assert_eq!(offset!(rtTraceRecord_t, thread), 8);
        assert_eq!(offset!(rtTraceRecord_t, call), 16);
        assert_eq!(offset!(rtTraceRecord_t, stream), 24);
        assert_eq!(offset!(rtTraceRecord_t, serial), 32);
        assert_eq!(offset!(rtTraceRecord_t, begin_ns), 40);
        assert_eq!(offset!(rtTraceRecord_t, end_ns), 48);
        assert_eq!(offset!(rtTraceRecord_t, waited_ns), 56);
        assert_eq!(offset!(rtTraceRecord_t, status), 64);
        assert_eq!(offset!(rtTraceRecord_t, work), 68);
        assert_eq!(offset!(rtTraceRecord_t, copy), 72);
        assert_eq!(offset!(rtTraceRecord_t, in_graph), 76);
        assert_eq!(offset!(rtTraceRecord_t, bytes), 80);
        assert_eq!(offset!(rtTraceRecord_t, grid), 88);
        assert_eq!(offset!(rtTraceRecord_t, group), 100);
        assert_eq!(offset!(rtTraceRecord_t, lost), 112);
        assert_eq!(offset!(rtTraceRecord_t, name), 120);
        assert_eq!(offset!(rtTraceRecord_t, module), 128);
        assert_eq!(offset!(rtTraceRecord_t, tier), 136);
        assert_eq!(offset!(rtTraceRecord_t, device), 144);
        assert_eq!(offset!(rtTraceRecord_t, label), 152);
    }

    #[test]
    fn layout_of_rtBackendInfo_t() {
        assert_eq!((size_of::<rtBackendInfo_t>(), align_of::<rtBackendInfo_t>()), (592, 4));
        assert_eq!(offset!(rtBackendInfo_t, struct_size), 0);
        assert_eq!(offset!(rtBackendInfo_t, backend), 4);
        assert_eq!(offset!(rtBackendInfo_t, available), 8);
        assert_eq!(offset!(rtBackendInfo_t, device_count), 12);
        assert_eq!(offset!(rtBackendInfo_t, name), 16);
        assert_eq!(offset!(rtBackendInfo_t, driver_name), 80);
        assert_eq!(offset!(rtBackendInfo_t, driver_version), 208);
        assert_eq!(offset!(rtBackendInfo_t, reason), 336);
    }

    #[test]
    fn layout_of_rtDeviceProperties_t() {
        assert_eq!((size_of::<rtDeviceProperties_t>(), align_of::<rtDeviceProperties_t>()), (800, 8));
        assert_eq!(offset!(rtDeviceProperties_t, struct_size), 0);
        assert_eq!(offset!(rtDeviceProperties_t, kind), 4);
        assert_eq!(offset!(rtDeviceProperties_t, backend), 8);
        assert_eq!(offset!(rtDeviceProperties_t, ordinal), 12);
        assert_eq!(offset!(rtDeviceProperties_t, id), 16);
        assert_eq!(offset!(rtDeviceProperties_t, name), 48);
        assert_eq!(offset!(rtDeviceProperties_t, vendor), 304);
        assert_eq!(offset!(rtDeviceProperties_t, driver_version), 432);
        assert_eq!(offset!(rtDeviceProperties_t, architecture), 560);
        assert_eq!(offset!(rtDeviceProperties_t, pci_bus_id), 624);
        assert_eq!(offset!(rtDeviceProperties_t, uuid), 656);
        assert_eq!(offset!(rtDeviceProperties_t, compute_units), 672);
        assert_eq!(offset!(rtDeviceProperties_t, clock_mhz), 676);
        assert_eq!(offset!(rtDeviceProperties_t, simd_width), 680);
        assert_eq!(offset!(rtDeviceProperties_t, max_group_items), 684);
        assert_eq!(offset!(rtDeviceProperties_t, max_group_size), 688);
        assert_eq!(offset!(rtDeviceProperties_t, reserved), 700);
        assert_eq!(offset!(rtDeviceProperties_t, max_grid_size), 704);
        assert_eq!(offset!(rtDeviceProperties_t, memory_bytes), 728);
        assert_eq!(offset!(rtDeviceProperties_t, max_allocation_bytes), 736);
        assert_eq!(offset!(rtDeviceProperties_t, cache_line_bytes), 744);
        assert_eq!(offset!(rtDeviceProperties_t, l1_bytes), 752);
        assert_eq!(offset!(rtDeviceProperties_t, l2_bytes), 760);
        assert_eq!(offset!(rtDeviceProperties_t, l3_bytes), 768);
        assert_eq!(offset!(rtDeviceProperties_t, local_bytes_per_group), 776);
        assert_eq!(offset!(rtDeviceProperties_t, unified_memory), 784);
        assert_eq!(offset!(rtDeviceProperties_t, memory_tier), 788);
        assert_eq!(offset!(rtDeviceProperties_t, priority_least), 792);
        assert_eq!(offset!(rtDeviceProperties_t, priority_greatest), 796);
    }

    #[test]
    fn layout_of_rtContextOptions_t() {
        assert_eq!((size_of::<rtContextOptions_t>(), align_of::<rtContextOptions_t>()), (80, 4));
        assert_eq!(offset!(rtContextOptions_t, struct_size), 0);
        assert_eq!(offset!(rtContextOptions_t, wait_policy), 4);
        assert_eq!(offset!(rtContextOptions_t, cpu_threads), 8);
        assert_eq!(offset!(rtContextOptions_t, flags), 12);
        assert_eq!(offset!(rtContextOptions_t, label), 16);
    }

    #[test]
    fn layout_of_rtStreamOptions_t() {
        assert_eq!((size_of::<rtStreamOptions_t>(), align_of::<rtStreamOptions_t>()), (80, 4));
        assert_eq!(offset!(rtStreamOptions_t, struct_size), 0);
        assert_eq!(offset!(rtStreamOptions_t, priority), 4);
        assert_eq!(offset!(rtStreamOptions_t, flags), 8);
        assert_eq!(offset!(rtStreamOptions_t, reserved), 12);
        assert_eq!(offset!(rtStreamOptions_t, label), 16);
    }

    #[test]
    fn layout_of_rtEventOptions_t() {
        assert_eq!((size_of::<rtEventOptions_t>(), align_of::<rtEventOptions_t>()), (8, 4));
        assert_eq!(offset!(rtEventOptions_t, struct_size), 0);
        assert_eq!(offset!(rtEventOptions_t, flags), 4);
    }

    #[test]
    fn layout_of_rtMallocOptions_t() {
        assert_eq!((size_of::<rtMallocOptions_t>(), align_of::<rtMallocOptions_t>()), (88, 8));
        assert_eq!(offset!(rtMallocOptions_t, struct_size), 0);
        assert_eq!(offset!(rtMallocOptions_t, kind), 4);
        assert_eq!(offset!(rtMallocOptions_t, alignment), 8);
        assert_eq!(offset!(rtMallocOptions_t, flags), 16);
        assert_eq!(offset!(rtMallocOptions_t, reserved), 20);
        assert_eq!(offset!(rtMallocOptions_t, label), 24);
    }

    #[test]
    fn layout_of_rtPointerAttributes_t() {
        assert_eq!((size_of::<rtPointerAttributes_t>(), align_of::<rtPointerAttributes_t>()), (40, 8));
        assert_eq!(offset!(rtPointerAttributes_t, struct_size), 0);
        assert_eq!(offset!(rtPointerAttributes_t, kind), 4);
        assert_eq!(offset!(rtPointerAttributes_t, base), 8);
        assert_eq!(offset!(rtPointerAttributes_t, size), 16);
        assert_eq!(offset!(rtPointerAttributes_t, context), 24);
        assert_eq!(offset!(rtPointerAttributes_t, device), 32);
    }

    #[test]
    fn layout_of_rtMemPoolOptions_t() {
        assert_eq!((size_of::<rtMemPoolOptions_t>(), align_of::<rtMemPoolOptions_t>()), (96, 8));
        assert_eq!(offset!(rtMemPoolOptions_t, struct_size), 0);
        assert_eq!(offset!(rtMemPoolOptions_t, kind), 4);
        assert_eq!(offset!(rtMemPoolOptions_t, initial_bytes), 8);
        assert_eq!(offset!(rtMemPoolOptions_t, maximum_bytes), 16);
        assert_eq!(offset!(rtMemPoolOptions_t, release_threshold), 24);
        assert_eq!(offset!(rtMemPoolOptions_t, label), 32);
    }

    #[test]
    fn layout_of_rtMemPoolStats_t() {
        assert_eq!((size_of::<rtMemPoolStats_t>(), align_of::<rtMemPoolStats_t>()), (88, 8));
        assert_eq!(offset!(rtMemPoolStats_t, struct_size), 0);
        assert_eq!(offset!(rtMemPoolStats_t, reserved), 4);
        assert_eq!(offset!(rtMemPoolStats_t, live_bytes), 8);
        assert_eq!(offset!(rtMemPoolStats_t, live_count), 16);
        assert_eq!(offset!(rtMemPoolStats_t, reserved_bytes), 24);
        assert_eq!(offset!(rtMemPoolStats_t, peak_live_bytes), 32);
        assert_eq!(offset!(rtMemPoolStats_t, peak_reserved_bytes), 40);
        assert_eq!(offset!(rtMemPoolStats_t, pending_bytes), 48);
        assert_eq!(offset!(rtMemPoolStats_t, allocation_count), 56);
        assert_eq!(offset!(rtMemPoolStats_t, free_count), 64);
        assert_eq!(offset!(rtMemPoolStats_t, reuse_count), 72);
        assert_eq!(offset!(rtMemPoolStats_t, driver_allocation_count), 80);
    }

    #[test]
    fn layout_of_rtContextStats_t() {
        assert_eq!((size_of::<rtContextStats_t>(), align_of::<rtContextStats_t>()), (96, 8));
        assert_eq!(offset!(rtContextStats_t, struct_size), 0);
        assert_eq!(offset!(rtContextStats_t, reserved), 4);
        assert_eq!(offset!(rtContextStats_t, streams_created), 8);
        assert_eq!(offset!(rtContextStats_t, streams_recycled), 16);
        assert_eq!(offset!(rtContextStats_t, streams_live), 24);
        assert_eq!(offset!(rtContextStats_t, streams_native), 32);
        assert_eq!(offset!(rtContextStats_t, events_created), 40);
        assert_eq!(offset!(rtContextStats_t, events_recycled), 48);
        assert_eq!(offset!(rtContextStats_t, events_live), 56);
        assert_eq!(offset!(rtContextStats_t, points_created), 64);
        assert_eq!(offset!(rtContextStats_t, points_recycled), 72);
        assert_eq!(offset!(rtContextStats_t, points_live), 80);
        assert_eq!(offset!(rtContextStats_t, points_native), 88);
    }

    #[test]
    fn layout_of_rtHostArg_t() {
        assert_eq!((size_of::<rtHostArg_t>(), align_of::<rtHostArg_t>()), (8, 4));
        assert_eq!(offset!(rtHostArg_t, size), 0);
        assert_eq!(offset!(rtHostArg_t, kind), 4);
    }

    #[test]
    fn layout_of_rtHostKernel_t() {
        assert_eq!((size_of::<rtHostKernel_t>(), align_of::<rtHostKernel_t>()), (40, 8));
        assert_eq!(offset!(rtHostKernel_t, struct_size), 0);
        assert_eq!(offset!(rtHostKernel_t, arg_count), 4);
        assert_eq!(offset!(rtHostKernel_t, function), 8);
        assert_eq!(offset!(rtHostKernel_t, args), 16);
        assert_eq!(offset!(rtHostKernel_t, name), 24);
        assert_eq!(offset!(rtHostKernel_t, max_group_items), 32);
        assert_eq!(offset!(rtHostKernel_t, flags), 36);
    }

    #[test]
    fn layout_of_rtHostModuleArg_t() {
        assert_eq!((size_of::<rtHostModuleArg_t>(), align_of::<rtHostModuleArg_t>()), (24, 8));
        assert_eq!(offset!(rtHostModuleArg_t, size), 0);
        assert_eq!(offset!(rtHostModuleArg_t, kind), 4);
        assert_eq!(offset!(rtHostModuleArg_t, name), 8);
        assert_eq!(offset!(rtHostModuleArg_t, type_name), 16);
    }

    #[test]
    fn layout_of_rtHostModuleKernel_t() {
        assert_eq!((size_of::<rtHostModuleKernel_t>(), align_of::<rtHostModuleKernel_t>()), (72, 8));
        assert_eq!(offset!(rtHostModuleKernel_t, name), 0);
        assert_eq!(offset!(rtHostModuleKernel_t, function), 8);
        assert_eq!(offset!(rtHostModuleKernel_t, args), 16);
        assert_eq!(offset!(rtHostModuleKernel_t, arg_count), 24);
        assert_eq!(offset!(rtHostModuleKernel_t, flags), 28);
        assert_eq!(offset!(rtHostModuleKernel_t, max_group_items), 32);
        assert_eq!(offset!(rtHostModuleKernel_t, required_group_size), 36);
        assert_eq!(offset!(rtHostModuleKernel_t, local_bytes), 48);
        assert_eq!(offset!(rtHostModuleKernel_t, scratch_bytes), 56);
        assert_eq!(offset!(rtHostModuleKernel_t, scratch_bytes_per_item), 64);
    }

    #[test]
    fn layout_of_rtHostModuleGlobal_t() {
        assert_eq!((size_of::<rtHostModuleGlobal_t>(), align_of::<rtHostModuleGlobal_t>()), (24, 8));
        assert_eq!(offset!(rtHostModuleGlobal_t, name), 0);
        assert_eq!(offset!(rtHostModuleGlobal_t, address), 8);
        assert_eq!(offset!(rtHostModuleGlobal_t, size), 16);
    }

    #[test]
    fn layout_of_rtHostModule_t() {
        assert_eq!((size_of::<rtHostModule_t>(), align_of::<rtHostModule_t>()), (32, 8));
        assert_eq!(offset!(rtHostModule_t, struct_size), 0);
        assert_eq!(offset!(rtHostModule_t, kernel_count), 4);
        assert_eq!(offset!(rtHostModule_t, kernels), 8);
        assert_eq!(offset!(rtHostModule_t, globals), 16);
        assert_eq!(offset!(rtHostModule_t, global_count), 24);
        assert_eq!(offset!(rtHostModule_t, flags), 28);
    }

    #[test]
    fn layout_of_rtModuleOptions_t() {
        assert_eq!((size_of::<rtModuleOptions_t>(), align_of::<rtModuleOptions_t>()), (56, 8));
        assert_eq!(offset!(rtModuleOptions_t, struct_size), 0);
        assert_eq!(offset!(rtModuleOptions_t, format), 4);
        assert_eq!(offset!(rtModuleOptions_t, build_options), 8);
        assert_eq!(offset!(rtModuleOptions_t, name), 16);
        assert_eq!(offset!(rtModuleOptions_t, header_count), 24);
        assert_eq!(offset!(rtModuleOptions_t, reserved), 28);
        assert_eq!(offset!(rtModuleOptions_t, header_names), 32);
        assert_eq!(offset!(rtModuleOptions_t, headers), 40);
        assert_eq!(offset!(rtModuleOptions_t, tier), 48);
        assert_eq!(offset!(rtModuleOptions_t, flags), 52);
    }

    #[test]
    fn layout_of_rtImageOptions_t() {
        assert_eq!((size_of::<rtImageOptions_t>(), align_of::<rtImageOptions_t>()), (8, 4));
        assert_eq!(offset!(rtImageOptions_t, struct_size), 0);
        assert_eq!(offset!(rtImageOptions_t, flags), 4);
    }

    #[test]
    fn layout_of_rtModuleInfo_t() {
        assert_eq!((size_of::<rtModuleInfo_t>(), align_of::<rtModuleInfo_t>()), (288, 8));
        assert_eq!(offset!(rtModuleInfo_t, struct_size), 0);
        assert_eq!(offset!(rtModuleInfo_t, state), 4);
        assert_eq!(offset!(rtModuleInfo_t, origin), 8);
        assert_eq!(offset!(rtModuleInfo_t, kernel_count), 12);
        assert_eq!(offset!(rtModuleInfo_t, code_bytes), 16);
        assert_eq!(offset!(rtModuleInfo_t, load_ns), 24);
        assert_eq!(offset!(rtModuleInfo_t, name), 32);
    }

    #[test]
    fn layout_of_rtKernelInfo_t() {
        assert_eq!((size_of::<rtKernelInfo_t>(), align_of::<rtKernelInfo_t>()), (336, 8));
        assert_eq!(offset!(rtKernelInfo_t, struct_size), 0);
        assert_eq!(offset!(rtKernelInfo_t, arg_count), 4);
        assert_eq!(offset!(rtKernelInfo_t, max_group_items), 8);
        assert_eq!(offset!(rtKernelInfo_t, reserved), 12);
        assert_eq!(offset!(rtKernelInfo_t, local_bytes), 16);
        assert_eq!(offset!(rtKernelInfo_t, private_bytes), 24);
        assert_eq!(offset!(rtKernelInfo_t, required_group_size), 32);
        assert_eq!(offset!(rtKernelInfo_t, preferred_group_multiple), 44);
        assert_eq!(offset!(rtKernelInfo_t, name), 48);
        assert_eq!(offset!(rtKernelInfo_t, tier), 304);
        assert_eq!(offset!(rtKernelInfo_t, barriers), 308);
        assert_eq!(offset!(rtKernelInfo_t, lanes), 312);
        assert_eq!(offset!(rtKernelInfo_t, lane_dimension), 316);
        assert_eq!(offset!(rtKernelInfo_t, no_lanes), 320);
        assert_eq!(offset!(rtKernelInfo_t, registers), 324);
        assert_eq!(offset!(rtKernelInfo_t, groups_per_unit), 328);
        assert_eq!(offset!(rtKernelInfo_t, scalar_loops), 332);
    }

    #[test]
    fn layout_of_rtKernelArgInfo_t() {
        assert_eq!((size_of::<rtKernelArgInfo_t>(), align_of::<rtKernelArgInfo_t>()), (156, 4));
        assert_eq!(offset!(rtKernelArgInfo_t, struct_size), 0);
        assert_eq!(offset!(rtKernelArgInfo_t, index), 4);
        assert_eq!(offset!(rtKernelArgInfo_t, size), 8);
        assert_eq!(offset!(rtKernelArgInfo_t, kind), 12);
        assert_eq!(offset!(rtKernelArgInfo_t, name), 16);
        assert_eq!(offset!(rtKernelArgInfo_t, type_name), 80);
        assert_eq!(offset!(rtKernelArgInfo_t, qualifiers), 144);
        assert_eq!(offset!(rtKernelArgInfo_t, address_space), 148);
        assert_eq!(offset!(rtKernelArgInfo_t, access), 152);
    }

    #[test]
    fn layout_of_rtLaunchOptions_t() {
        assert_eq!((size_of::<rtLaunchOptions_t>(), align_of::<rtLaunchOptions_t>()), (48, 8));
        assert_eq!(offset!(rtLaunchOptions_t, struct_size), 0);
        assert_eq!(offset!(rtLaunchOptions_t, flags), 4);
        assert_eq!(offset!(rtLaunchOptions_t, arg_sizes), 8);
        assert_eq!(offset!(rtLaunchOptions_t, arg_size_count), 16);
        assert_eq!(offset!(rtLaunchOptions_t, reserved), 20);
        assert_eq!(offset!(rtLaunchOptions_t, global_offset), 24);
    }

    #[test]
    fn layout_of_rtGraphOperand_t() {
        assert_eq!((size_of::<rtGraphOperand_t>(), align_of::<rtGraphOperand_t>()), (24, 8));
        assert_eq!(offset!(rtGraphOperand_t, buffer), 0);
        assert_eq!(offset!(rtGraphOperand_t, offset), 8);
        assert_eq!(offset!(rtGraphOperand_t, pointer), 16);
    }

    #[test]
    fn layout_of_rtGraphArg_t() {
        assert_eq!((size_of::<rtGraphArg_t>(), align_of::<rtGraphArg_t>()), (48, 8));
        assert_eq!(offset!(rtGraphArg_t, kind), 0);
        assert_eq!(offset!(rtGraphArg_t, access), 4);
        assert_eq!(offset!(rtGraphArg_t, size), 8);
        assert_eq!(offset!(rtGraphArg_t, value), 16);
        assert_eq!(offset!(rtGraphArg_t, memory), 24);
    }

    #[test]
    fn layout_of_rtGraphKernelParams_t() {
        assert_eq!((size_of::<rtGraphKernelParams_t>(), align_of::<rtGraphKernelParams_t>()), (88, 8));
        assert_eq!(offset!(rtGraphKernelParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphKernelParams_t, arg_count), 4);
        assert_eq!(offset!(rtGraphKernelParams_t, kernel), 8);
        assert_eq!(offset!(rtGraphKernelParams_t, name), 16);
        assert_eq!(offset!(rtGraphKernelParams_t, args), 24);
        assert_eq!(offset!(rtGraphKernelParams_t, grid), 32);
        assert_eq!(offset!(rtGraphKernelParams_t, group), 44);
        assert_eq!(offset!(rtGraphKernelParams_t, local_bytes), 56);
        assert_eq!(offset!(rtGraphKernelParams_t, flags), 60);
        assert_eq!(offset!(rtGraphKernelParams_t, global_offset), 64);
    }

    #[test]
    fn layout_of_rtGraphMemcpyParams_t() {
        assert_eq!((size_of::<rtGraphMemcpyParams_t>(), align_of::<rtGraphMemcpyParams_t>()), (64, 8));
        assert_eq!(offset!(rtGraphMemcpyParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphMemcpyParams_t, kind), 4);
        assert_eq!(offset!(rtGraphMemcpyParams_t, dst), 8);
        assert_eq!(offset!(rtGraphMemcpyParams_t, src), 32);
        assert_eq!(offset!(rtGraphMemcpyParams_t, size), 56);
    }

    #[test]
    fn layout_of_rtGraphMemcpy2DParams_t() {
        assert_eq!((size_of::<rtGraphMemcpy2DParams_t>(), align_of::<rtGraphMemcpy2DParams_t>()), (88, 8));
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, kind), 4);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, dst), 8);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, src), 32);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, dst_pitch), 56);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, src_pitch), 64);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, width), 72);
        assert_eq!(offset!(rtGraphMemcpy2DParams_t, height), 80);
    }

    #[test]
    fn layout_of_rtGraphFillParams_t() {
        assert_eq!((size_of::<rtGraphFillParams_t>(), align_of::<rtGraphFillParams_t>()), (72, 8));
        assert_eq!(offset!(rtGraphFillParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphFillParams_t, pattern_size), 4);
        assert_eq!(offset!(rtGraphFillParams_t, pattern), 8);
        assert_eq!(offset!(rtGraphFillParams_t, dst), 24);
        assert_eq!(offset!(rtGraphFillParams_t, count), 48);
        assert_eq!(offset!(rtGraphFillParams_t, pitch), 56);
        assert_eq!(offset!(rtGraphFillParams_t, height), 64);
    }

    #[test]
    fn layout_of_rtGraphHostParams_t() {
        assert_eq!((size_of::<rtGraphHostParams_t>(), align_of::<rtGraphHostParams_t>()), (32, 8));
        assert_eq!(offset!(rtGraphHostParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphHostParams_t, reserved), 4);
        assert_eq!(offset!(rtGraphHostParams_t, function), 8);
        assert_eq!(offset!(rtGraphHostParams_t, user), 16);
        assert_eq!(offset!(rtGraphHostParams_t, release), 24);
    }

    #[test]
    fn layout_of_rtGraphNativeParams_t() {
        assert_eq!((size_of::<rtGraphNativeParams_t>(), align_of::<rtGraphNativeParams_t>()), (32, 8));
        assert_eq!(offset!(rtGraphNativeParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphNativeParams_t, reserved), 4);
        assert_eq!(offset!(rtGraphNativeParams_t, function), 8);
        assert_eq!(offset!(rtGraphNativeParams_t, user), 16);
        assert_eq!(offset!(rtGraphNativeParams_t, release), 24);
    }

    #[test]
    fn layout_of_rtGraphBinding_t() {
        assert_eq!((size_of::<rtGraphBinding_t>(), align_of::<rtGraphBinding_t>()), (32, 8));
        assert_eq!(offset!(rtGraphBinding_t, buffer), 0);
        assert_eq!(offset!(rtGraphBinding_t, memory), 8);
    }

    #[test]
    fn layout_of_rtGraphValueBinding_t() {
        assert_eq!((size_of::<rtGraphValueBinding_t>(), align_of::<rtGraphValueBinding_t>()), (32, 8));
        assert_eq!(offset!(rtGraphValueBinding_t, value), 0);
        assert_eq!(offset!(rtGraphValueBinding_t, outer), 8);
        assert_eq!(offset!(rtGraphValueBinding_t, data), 16);
        assert_eq!(offset!(rtGraphValueBinding_t, size), 24);
    }

    #[test]
    fn layout_of_rtGraphChildParams_t() {
        assert_eq!((size_of::<rtGraphChildParams_t>(), align_of::<rtGraphChildParams_t>()), (40, 8));
        assert_eq!(offset!(rtGraphChildParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphChildParams_t, binding_count), 4);
        assert_eq!(offset!(rtGraphChildParams_t, graph), 8);
        assert_eq!(offset!(rtGraphChildParams_t, bindings), 16);
        assert_eq!(offset!(rtGraphChildParams_t, value_binding_count), 24);
        assert_eq!(offset!(rtGraphChildParams_t, reserved), 28);
        assert_eq!(offset!(rtGraphChildParams_t, value_bindings), 32);
    }

    #[test]
    fn layout_of_rtGraphEventParams_t() {
        assert_eq!((size_of::<rtGraphEventParams_t>(), align_of::<rtGraphEventParams_t>()), (16, 8));
        assert_eq!(offset!(rtGraphEventParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphEventParams_t, reserved), 4);
        assert_eq!(offset!(rtGraphEventParams_t, event), 8);
    }

    #[test]
    fn layout_of_rtGraphFenceParams_t() {
        assert_eq!((size_of::<rtGraphFenceParams_t>(), align_of::<rtGraphFenceParams_t>()), (24, 8));
        assert_eq!(offset!(rtGraphFenceParams_t, struct_size), 0);
        assert_eq!(offset!(rtGraphFenceParams_t, reserved), 4);
        assert_eq!(offset!(rtGraphFenceParams_t, fence), 8);
        assert_eq!(offset!(rtGraphFenceParams_t, value), 16);
    }

    #[test]
    fn layout_of_rtGraphBufferInfo_t() {
        assert_eq!((size_of::<rtGraphBufferInfo_t>(), align_of::<rtGraphBufferInfo_t>()), (144, 8));
        assert_eq!(offset!(rtGraphBufferInfo_t, struct_size), 0);
        assert_eq!(offset!(rtGraphBufferInfo_t, role), 4);
        assert_eq!(offset!(rtGraphBufferInfo_t, size), 8);
        assert_eq!(offset!(rtGraphBufferInfo_t, name), 16);
    }

    #[test]
    fn layout_of_rtGraphValueInfo_t() {
        assert_eq!((size_of::<rtGraphValueInfo_t>(), align_of::<rtGraphValueInfo_t>()), (140, 4));
        assert_eq!(offset!(rtGraphValueInfo_t, struct_size), 0);
        assert_eq!(offset!(rtGraphValueInfo_t, size), 4);
        assert_eq!(offset!(rtGraphValueInfo_t, has_initial), 8);
        assert_eq!(offset!(rtGraphValueInfo_t, name), 12);
    }

    #[test]
    fn layout_of_rtCapturePlanOptions_t() {
        assert_eq!((size_of::<rtCapturePlanOptions_t>(), align_of::<rtCapturePlanOptions_t>()), (24, 8));
        assert_eq!(offset!(rtCapturePlanOptions_t, struct_size), 0);
        assert_eq!(offset!(rtCapturePlanOptions_t, module_count), 4);
        assert_eq!(offset!(rtCapturePlanOptions_t, modules), 8);
        assert_eq!(offset!(rtCapturePlanOptions_t, max_streams), 16);
        assert_eq!(offset!(rtCapturePlanOptions_t, flags), 20);
    }

    #[test]
    fn layout_of_rtCapturePlanInfo_t() {
        assert_eq!((size_of::<rtCapturePlanInfo_t>(), align_of::<rtCapturePlanInfo_t>()), (56, 8));
        assert_eq!(offset!(rtCapturePlanInfo_t, struct_size), 0);
        assert_eq!(offset!(rtCapturePlanInfo_t, node_count), 4);
        assert_eq!(offset!(rtCapturePlanInfo_t, step_count), 8);
        assert_eq!(offset!(rtCapturePlanInfo_t, level_count), 12);
        assert_eq!(offset!(rtCapturePlanInfo_t, stream_count), 16);
        assert_eq!(offset!(rtCapturePlanInfo_t, dependency_count), 20);
        assert_eq!(offset!(rtCapturePlanInfo_t, temporary_bytes), 24);
        assert_eq!(offset!(rtCapturePlanInfo_t, temporary_bytes_without_reuse), 32);
        assert_eq!(offset!(rtCapturePlanInfo_t, temporary_bytes_live), 40);
        assert_eq!(offset!(rtCapturePlanInfo_t, buffer_count), 48);
        assert_eq!(offset!(rtCapturePlanInfo_t, reserved), 52);
    }

    #[test]
    fn layout_of_rtCapturePlanStep_t() {
        assert_eq!((size_of::<rtCapturePlanStep_t>(), align_of::<rtCapturePlanStep_t>()), (40, 8));
        assert_eq!(offset!(rtCapturePlanStep_t, struct_size), 0);
        assert_eq!(offset!(rtCapturePlanStep_t, type_), 4);
        assert_eq!(offset!(rtCapturePlanStep_t, node), 8);
        assert_eq!(offset!(rtCapturePlanStep_t, stream), 16);
        assert_eq!(offset!(rtCapturePlanStep_t, level), 20);
        assert_eq!(offset!(rtCapturePlanStep_t, verdict), 24);
        assert_eq!(offset!(rtCapturePlanStep_t, dependency_count), 28);
        assert_eq!(offset!(rtCapturePlanStep_t, memory_offset), 32);
    }

    #[test]
    fn layout_of_rtCapturePlanBuffer_t() {
        assert_eq!((size_of::<rtCapturePlanBuffer_t>(), align_of::<rtCapturePlanBuffer_t>()), (32, 8));
        assert_eq!(offset!(rtCapturePlanBuffer_t, struct_size), 0);
        assert_eq!(offset!(rtCapturePlanBuffer_t, role), 4);
        assert_eq!(offset!(rtCapturePlanBuffer_t, size), 8);
        assert_eq!(offset!(rtCapturePlanBuffer_t, offset), 16);
        assert_eq!(offset!(rtCapturePlanBuffer_t, first_step), 24);
        assert_eq!(offset!(rtCapturePlanBuffer_t, last_step), 28);
    }

    #[test]
    fn every_function_is_linked() {
        let functions: [(&str, *const ()); 194] = [
            ("rtGetVersion", rtGetVersion as *const ()),
            ("rtInit", rtInit as *const ()),
            ("rtShutdown", rtShutdown as *const ()),
            ("rtGetErrorName", rtGetErrorName as *const ()),
            ("rtGetErrorString", rtGetErrorString as *const ()),
            ("rtGetLastErrorMessage", rtGetLastErrorMessage as *const ()),
            ("rtSetLogCallback", rtSetLogCallback as *const ()),
            ("rtLogWrite", rtLogWrite as *const ()),
            ("rtGetLiveHandleCount", rtGetLiveHandleCount as *const ()),
            ("rtBackendGetInfo", rtBackendGetInfo as *const ()),
            ("rtDeviceGetCount", rtDeviceGetCount as *const ()),
            ("rtDeviceGet", rtDeviceGet as *const ()),
            ("rtDeviceGetByName", rtDeviceGetByName as *const ()),
            ("rtDeviceGetBackend", rtDeviceGetBackend as *const ()),
            ("rtDeviceGetProperties", rtDeviceGetProperties as *const ()),
            ("rtDeviceGetAttribute", rtDeviceGetAttribute as *const ()),
            ("rtDeviceHasCapability", rtDeviceHasCapability as *const ()),
            ("rtDeviceGetMemInfo", rtDeviceGetMemInfo as *const ()),
            ("rtDeviceCanAccessPeer", rtDeviceCanAccessPeer as *const ()),
            ("rtDeviceSynchronize", rtDeviceSynchronize as *const ()),
            ("rtDeviceGetStatus", rtDeviceGetStatus as *const ()),
            ("rtDeviceGetLossMessage", rtDeviceGetLossMessage as *const ()),
            ("rtContextCreate", rtContextCreate as *const ()),
            ("rtContextDestroy", rtContextDestroy as *const ()),
            ("rtContextGetPrimary", rtContextGetPrimary as *const ()),
            ("rtContextSetCurrent", rtContextSetCurrent as *const ()),
            ("rtContextGetCurrent", rtContextGetCurrent as *const ()),
            ("rtContextGetDevice", rtContextGetDevice as *const ()),
            ("rtContextGetDefaultStream", rtContextGetDefaultStream as *const ()),
            ("rtContextGetDefaultPool", rtContextGetDefaultPool as *const ()),
            ("rtContextGetStats", rtContextGetStats as *const ()),
            ("rtContextSetDefaultPool", rtContextSetDefaultPool as *const ()),
            ("rtContextSynchronize", rtContextSynchronize as *const ()),
            ("rtContextReset", rtContextReset as *const ()),
            ("rtContextEnablePeerAccess", rtContextEnablePeerAccess as *const ()),
            ("rtContextSetUserData", rtContextSetUserData as *const ()),
            ("rtContextGetUserData", rtContextGetUserData as *const ()),
            ("rtStreamCreate", rtStreamCreate as *const ()),
            ("rtStreamDestroy", rtStreamDestroy as *const ()),
            ("rtStreamSynchronize", rtStreamSynchronize as *const ()),
            ("rtStreamQuery", rtStreamQuery as *const ()),
            ("rtStreamSynchronizeFor", rtStreamSynchronizeFor as *const ()),
            ("rtStreamWaitEvent", rtStreamWaitEvent as *const ()),
            ("rtStreamWaitStream", rtStreamWaitStream as *const ()),
            ("rtStreamWaitContext", rtStreamWaitContext as *const ()),
            ("rtStreamWaitPointer", rtStreamWaitPointer as *const ()),
            ("rtStreamGetContext", rtStreamGetContext as *const ()),
            ("rtStreamGetPriority", rtStreamGetPriority as *const ()),
            ("rtLaunchHostFunction", rtLaunchHostFunction as *const ()),
            ("rtLaunchHostFunctionWithRelease", rtLaunchHostFunctionWithRelease as *const ()),
            ("rtEventCreate", rtEventCreate as *const ()),
            ("rtEventDestroy", rtEventDestroy as *const ()),
            ("rtEventQuery", rtEventQuery as *const ()),
            ("rtEventSynchronize", rtEventSynchronize as *const ()),
            ("rtEventSynchronizeFor", rtEventSynchronizeFor as *const ()),
            ("rtEventGetDescriptor", rtEventGetDescriptor as *const ()),
            ("rtEventRecord", rtEventRecord as *const ()),
            ("rtEventElapsedTime", rtEventElapsedTime as *const ()),
            ("rtEventElapsedNanoseconds", rtEventElapsedNanoseconds as *const ()),
            ("rtEventGetTimestamp", rtEventGetTimestamp as *const ()),
            ("rtFenceCreate", rtFenceCreate as *const ()),
            ("rtFenceDestroy", rtFenceDestroy as *const ()),
            ("rtFenceGetValue", rtFenceGetValue as *const ()),
            ("rtFenceSignal", rtFenceSignal as *const ()),
            ("rtFenceWait", rtFenceWait as *const ()),
            ("rtFenceWaitFor", rtFenceWaitFor as *const ()),
            ("rtStreamSignalFence", rtStreamSignalFence as *const ()),
            ("rtStreamWaitFence", rtStreamWaitFence as *const ()),
            ("rtMalloc", rtMalloc as *const ()),
            ("rtMallocHost", rtMallocHost as *const ()),
            ("rtMallocShared", rtMallocShared as *const ()),
            ("rtMallocAsync", rtMallocAsync as *const ()),
            ("rtMallocWithOptions", rtMallocWithOptions as *const ()),
            ("rtFree", rtFree as *const ()),
            ("rtFreeAsync", rtFreeAsync as *const ()),
            ("rtHostRegister", rtHostRegister as *const ()),
            ("rtHostUnregister", rtHostUnregister as *const ()),
            ("rtHostGetDevicePointer", rtHostGetDevicePointer as *const ()),
            ("rtPointerGetAttributes", rtPointerGetAttributes as *const ()),
            ("rtMemGetInfo", rtMemGetInfo as *const ()),
            ("rtMemcpy", rtMemcpy as *const ()),
            ("rtMemcpy2D", rtMemcpy2D as *const ()),
            ("rtMemcpyAsync", rtMemcpyAsync as *const ()),
            ("rtMemcpy2DAsync", rtMemcpy2DAsync as *const ()),
            ("rtMemset", rtMemset as *const ()),
            ("rtMemsetAsync", rtMemsetAsync as *const ()),
            ("rtMemset2DAsync", rtMemset2DAsync as *const ()),
            ("rtMemFillAsync", rtMemFillAsync as *const ()),
            ("rtMemPrefetchAsync", rtMemPrefetchAsync as *const ()),
            ("rtMemPoolCreate", rtMemPoolCreate as *const ()),
            ("rtMemPoolDestroy", rtMemPoolDestroy as *const ()),
            ("rtMemPoolTrim", rtMemPoolTrim as *const ()),
            ("rtMemPoolSetLimit", rtMemPoolSetLimit as *const ()),
            ("rtMemPoolSetReleaseThreshold", rtMemPoolSetReleaseThreshold as *const ()),
            ("rtMallocFromPool", rtMallocFromPool as *const ()),
            ("rtMemPoolSetPinMode", rtMemPoolSetPinMode as *const ()),
            ("rtMemPoolGetStats", rtMemPoolGetStats as *const ()),
            ("rtMemPoolResetPeak", rtMemPoolResetPeak as *const ()),
            ("rtMemPoolDumpJson", rtMemPoolDumpJson as *const ()),
            ("rtMemPoolSetOutOfMemoryCallback", rtMemPoolSetOutOfMemoryCallback as *const ()),
            ("rtModuleCreateFromSource", rtModuleCreateFromSource as *const ()),
            ("rtModuleCreateFromSources", rtModuleCreateFromSources as *const ()),
            ("rtModuleBuildMany", rtModuleBuildMany as *const ()),
            ("rtModuleLoadData", rtModuleLoadData as *const ()),
            ("rtModuleLoadFile", rtModuleLoadFile as *const ()),
            ("rtModuleGetImage", rtModuleGetImage as *const ()),
            ("rtModuleDestroy", rtModuleDestroy as *const ()),
            ("rtModuleGetBuildLog", rtModuleGetBuildLog as *const ()),
            ("rtModuleGetInfo", rtModuleGetInfo as *const ()),
            ("rtModuleWait", rtModuleWait as *const ()),
            ("rtModuleGetKernel", rtModuleGetKernel as *const ()),
            ("rtModuleGetKernelCount", rtModuleGetKernelCount as *const ()),
            ("rtModuleGetKernelByIndex", rtModuleGetKernelByIndex as *const ()),
            ("rtModuleGetGlobal", rtModuleGetGlobal as *const ()),
            ("rtKernelCreateFromHost", rtKernelCreateFromHost as *const ()),
            ("rtKernelDestroy", rtKernelDestroy as *const ()),
            ("rtKernelGetName", rtKernelGetName as *const ()),
            ("rtKernelGetInfo", rtKernelGetInfo as *const ()),
            ("rtKernelGetArgInfo", rtKernelGetArgInfo as *const ()),
            ("rtKernelSuggestGroupSize", rtKernelSuggestGroupSize as *const ()),
            ("rtKernelGetMaxActiveGroups", rtKernelGetMaxActiveGroups as *const ()),
            ("rtLaunchKernel", rtLaunchKernel as *const ()),
            ("rtLaunchKernelWithOptions", rtLaunchKernelWithOptions as *const ()),
            ("rtGraphCreate", rtGraphCreate as *const ()),
            ("rtGraphDestroy", rtGraphDestroy as *const ()),
            ("rtGraphClone", rtGraphClone as *const ()),
            ("rtGraphAddBuffer", rtGraphAddBuffer as *const ()),
            ("rtGraphMakeBuffer", rtGraphMakeBuffer as *const ()),
            ("rtGraphAddKernelNode", rtGraphAddKernelNode as *const ()),
            ("rtGraphAddMemcpyNode", rtGraphAddMemcpyNode as *const ()),
            ("rtGraphAddMemcpy2DNode", rtGraphAddMemcpy2DNode as *const ()),
            ("rtGraphAddFillNode", rtGraphAddFillNode as *const ()),
            ("rtGraphAddHostNode", rtGraphAddHostNode as *const ()),
            ("rtGraphAddNativeNode", rtGraphAddNativeNode as *const ()),
            ("rtGraphAddEmptyNode", rtGraphAddEmptyNode as *const ()),
            ("rtGraphAddChildGraphNode", rtGraphAddChildGraphNode as *const ()),
            ("rtGraphAddEventRecordNode", rtGraphAddEventRecordNode as *const ()),
            ("rtGraphAddEventWaitNode", rtGraphAddEventWaitNode as *const ()),
            ("rtGraphAddFenceSignalNode", rtGraphAddFenceSignalNode as *const ()),
            ("rtGraphAddFenceWaitNode", rtGraphAddFenceWaitNode as *const ()),
            ("rtGraphAddDependencies", rtGraphAddDependencies as *const ()),
            ("rtGraphRemoveDependencies", rtGraphRemoveDependencies as *const ()),
            ("rtGraphGetNodes", rtGraphGetNodes as *const ()),
            ("rtGraphGetEdges", rtGraphGetEdges as *const ()),
            ("rtGraphNodeGetType", rtGraphNodeGetType as *const ()),
            ("rtGraphExportDot", rtGraphExportDot as *const ()),
            ("rtGraphGetBuffers", rtGraphGetBuffers as *const ()),
            ("rtGraphBufferGetInfo", rtGraphBufferGetInfo as *const ()),
            ("rtGraphAddValue", rtGraphAddValue as *const ()),
            ("rtGraphGetValues", rtGraphGetValues as *const ()),
            ("rtGraphValueGetInfo", rtGraphValueGetInfo as *const ()),
            ("rtGraphSave", rtGraphSave as *const ()),
            ("rtGraphLoad", rtGraphLoad as *const ()),
            ("rtCapturePlanCreate", rtCapturePlanCreate as *const ()),
            ("rtCapturePlanDestroy", rtCapturePlanDestroy as *const ()),
            ("rtCapturePlanGetInfo", rtCapturePlanGetInfo as *const ()),
            ("rtCapturePlanGetStep", rtCapturePlanGetStep as *const ()),
            ("rtCapturePlanGetBuffer", rtCapturePlanGetBuffer as *const ()),
            ("rtGraphExecCreate", rtGraphExecCreate as *const ()),
            ("rtGraphInstantiate", rtGraphInstantiate as *const ()),
            ("rtGraphExecDestroy", rtGraphExecDestroy as *const ()),
            ("rtGraphExecBindBuffer", rtGraphExecBindBuffer as *const ()),
            ("rtGraphExecBindBufferRange", rtGraphExecBindBufferRange as *const ()),
            ("rtGraphExecBindValue", rtGraphExecBindValue as *const ()),
            ("rtGraphExecSetKernelParams", rtGraphExecSetKernelParams as *const ()),
            ("rtGraphExecSetMemcpyParams", rtGraphExecSetMemcpyParams as *const ()),
            ("rtGraphExecSetMemcpy2DParams", rtGraphExecSetMemcpy2DParams as *const ()),
            ("rtGraphExecSetFillParams", rtGraphExecSetFillParams as *const ()),
            ("rtGraphExecUpdate", rtGraphExecUpdate as *const ()),
            ("rtGraphLaunch", rtGraphLaunch as *const ()),
            ("rtStreamBeginCapture", rtStreamBeginCapture as *const ()),
            ("rtStreamEndCapture", rtStreamEndCapture as *const ()),
            ("rtStreamIsCapturing", rtStreamIsCapturing as *const ()),
            ("rtStreamGetCapturedNode", rtStreamGetCapturedNode as *const ()),
            ("rtDeviceGetNative", rtDeviceGetNative as *const ()),
            ("rtContextGetNative", rtContextGetNative as *const ()),
            ("rtStreamGetNative", rtStreamGetNative as *const ()),
            ("rtEventGetNative", rtEventGetNative as *const ()),
            ("rtModuleGetNative", rtModuleGetNative as *const ()),
            ("rtPointerGetNative", rtPointerGetNative as *const ()),
            ("rtContextImport", rtContextImport as *const ()),
            ("rtStreamImport", rtStreamImport as *const ()),
            ("rtEventImport", rtEventImport as *const ()),
            ("rtMemImport", rtMemImport as *const ()),
            ("rtMemImportWithRelease", rtMemImportWithRelease as *const ()),
            ("rtStreamLaunchNative", rtStreamLaunchNative as *const ()),
            ("rtStreamLaunchNativeWithRelease", rtStreamLaunchNativeWithRelease as *const ()),
            ("rtStreamCallNative", rtStreamCallNative as *const ()),
            ("rtTraceStart", rtTraceStart as *const ()),
            ("rtTraceStop", rtTraceStop as *const ()),
            ("rtTraceRangePush", rtTraceRangePush as *const ()),
            ("rtTraceRangePop", rtTraceRangePop as *const ()),
            ("rtTraceMark", rtTraceMark as *const ()),
            ("rtTraceSetCallback", rtTraceSetCallback as *const ()),
        ];
        let mut addresses: Vec<_> = functions.iter().map(|(_, address)| *address).collect();
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), functions.len(), "two names have one address");
    }
}
