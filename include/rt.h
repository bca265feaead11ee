/* SPDX-License-Identifier: Apache-2.0
 *
 * rt.h - the whole public interface of manyrt: devices, contexts, streams, events, fences, memory, modules and kernels,
 * one contract on every backend. Every function is `rtStatus_t rtNounVerb(outputs, inputs, owner)`; outputs come first,
 * the owner last (rtLaunchKernel excepted). C99 to C23 and C++11 onwards; nothing here needs more than a C
 * foreign-function interface: no struct by value, no varargs, no function-like macro.
 *
 * How to read the comments
 *   blocks:   never (bounded time), maybe (waits in the case that is named), yes (waits for work)
 *   capture:  what a call does on a capturing stream: node (recorded), unsafe (refused), outside (runs at once)
 *   errors:   RT_ERROR_ is left out. Every function may return, besides those listed: SHUT_DOWN (after rtShutdown), FORKED
 *             (in a forked child), OUT_OF_MEMORY (the library's own bookkeeping), BUSY (another thread resets the context),
 *             INTERNAL (a defect). Version, texts, destroys and frees work after rtShutdown and in a forked child too.
 *   A parameter that may be NULL says so. NULL for a context is the thread's current context (where none is set, the
 *   primary context of the default device); NULL for a stream is that context's default stream, which has no implicit
 *   order towards others. Every other NULL, stale, foreign or random handle is INVALID_HANDLE.
 *   On failure every output that is not NULL is set to NULL or 0 (a descriptor to -1), and rtGetLastErrorMessage has a
 *   sentence about it. Strings are UTF-8 and, like options, patterns and kernel arguments, copied before the call returns.
 *   Times are in nanoseconds, sizes in bytes unless a comment says otherwise. Every function may be called from any
 *   thread; none is async-signal-safe.
 */
#ifndef MANYRT_RT_H_
#define MANYRT_RT_H_

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX != 0xFFFFFFFFFFFFFFFFu
#error "manyrt needs a 64-bit platform: handles and addresses are 64 bits wide"
#endif

#define MANYRT_VERSION_MAJOR 0
#define MANYRT_VERSION_MINOR 3
#define MANYRT_VERSION_PATCH 0

/* Exported with C linkage; no exception ever leaves the library. */
#if defined(__GNUC__) || defined(__clang__)
#define RT_API __attribute__((visibility("default"), nothrow))
#else
#define RT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------------------------------------------------ */

/** 0 success, positive: not an error, negative: failure. */
typedef int32_t rtStatus_t;

enum rtStatusCode {
  RT_SUCCESS = 0,
  RT_NOT_READY = 1,                   /**< a query: the work is still pending; not an error */
  RT_ERROR_INVALID_VALUE = -1,        /**< an argument is outside what the function documents */
  RT_ERROR_INVALID_HANDLE = -2,       /**< null, stale, of another kind, or no handle at all */
  RT_ERROR_INVALID_DEVICE = -3,       /**< the ordinal is not that of a device */
  RT_ERROR_WRONG_CONTEXT = -4,        /**< the objects of one call belong to different contexts */
  RT_ERROR_OUT_OF_MEMORY = -5,        /**< device, host or a pool's limit */
  RT_ERROR_NOT_SUPPORTED = -6,        /**< legal, but this device or version cannot do it */
  RT_ERROR_NOT_FOUND = -7,            /**< no device, kernel or symbol of that name */
  RT_ERROR_BUILD_FAILED = -8,         /**< a kernel compiler refused the source */
  RT_ERROR_COMPILER_NOT_FOUND = -9,   /**< the kernel compiler is not installed */
  RT_ERROR_INVALID_IMAGE = -10,       /**< a kernel image is damaged or for another device */
  RT_ERROR_LAUNCH_FAILED = -11,       /**< a kernel, copy or callback failed while it ran */
  RT_ERROR_CAPTURE_UNSAFE = -12,      /**< the call cannot be part of a capture */
  RT_ERROR_CAPTURE_INVALIDATED = -13, /**< the capture was broken earlier */
  RT_ERROR_BUSY = -14,                /**< in use, or the call would wait for itself */
  RT_ERROR_TIMEOUT = -15,             /**< the given time passed first */
  RT_ERROR_DEVICE_LOST = -16,         /**< the device is gone for the rest of the process */
  RT_ERROR_BACKEND_UNAVAILABLE = -17, /**< the backend's driver is missing, disabled or not built in */
  RT_ERROR_DRIVER = -18,              /**< the driver failed in a way that has no code of its own */
  RT_ERROR_FORKED = -19,              /**< the process was forked after the library's first use */
  RT_ERROR_SHUT_DOWN = -20,           /**< rtShutdown has run */
  RT_ERROR_IO = -21,                  /**< a file could not be read or written */
  RT_ERROR_INTERNAL = -22             /**< a defect of the library */
};

/* ---- Handles: opaque and checked on every call; never an address -------------------------------------------------- */

typedef struct rtDevice_st* rtDevice_t;           /**< valid until rtShutdown; never destroyed */
typedef struct rtContext_st* rtContext_t;         /**< owns the streams, memory and modules of a device */
typedef struct rtStream_st* rtStream_t;           /**< work that runs in order */
typedef struct rtEvent_st* rtEvent_t;             /**< a point in a stream */
typedef struct rtFence_st* rtFence_t;             /**< a 64-bit timeline between host and streams of any backend */
typedef struct rtMemPool_st* rtMemPool_t;         /**< where allocations come from */
typedef struct rtKernel_st* rtKernel_t;           /**< a function over a grid of work-groups */
typedef struct rtModule_st* rtModule_t;           /**< a program for a device, with the kernels that are in it */
typedef struct rtGraph_st* rtGraph_t;             /**< nodes of work, their order, the buffers that come in and go out */
typedef struct rtGraphNode_st* rtGraphNode_t;     /**< one piece of work; belongs to its graph */
typedef struct rtGraphBuffer_st* rtGraphBuffer_t; /**< memory that is named before it is known; belongs to its graph */
typedef struct rtGraphValue_st* rtGraphValue_t;   /**< a number that is named before it is known; belongs to its graph */
typedef struct rtCapturePlan_st* rtCapturePlan_t; /**< how a graph runs in one context */
typedef struct rtGraphExec_st* rtGraphExec_t;     /**< what runs, many times, the same way */

enum rtHandleKind {
  RT_HANDLE_INVALID = -1,
  RT_HANDLE_ALL = 0, /**< the sum over all kinds */
  RT_HANDLE_DEVICE = 1,
  RT_HANDLE_CONTEXT = 2,
  RT_HANDLE_STREAM = 3,
  RT_HANDLE_EVENT = 4,
  RT_HANDLE_FENCE = 5,
  RT_HANDLE_MEM_POOL = 6,
  RT_HANDLE_KERNEL = 7,
  RT_HANDLE_ALLOCATION = 8, /**< live allocations and imported memory, though they are addresses */
  RT_HANDLE_MODULE = 9,     /**< with its kernels, which are not counted again */
  RT_HANDLE_GRAPH = 10,     /**< with its nodes, buffers and values, which are not counted again */
  RT_HANDLE_GRAPH_NODE = 11,
  RT_HANDLE_GRAPH_BUFFER = 12,
  RT_HANDLE_CAPTURE_PLAN = 13,
  RT_HANDLE_GRAPH_EXEC = 14,
  RT_HANDLE_GRAPH_VALUE = 15
};

/* ---- Other constants ---------------------------------------------------------------------------------------------- */

#define RT_TIMEOUT_INFINITE 0xFFFFFFFFFFFFFFFFu /* for every timeout_ns: wait for ever */
#define RT_ARGS_ALL 0xFFFFFFFFu                 /* for arg_count: as many as the kernel has */
#define RT_INFERRED 0xFFFFFFFFu                 /* for the count of dependencies, NULL then: from what nodes read and write */

enum rtLogLevel {
  RT_LOG_INVALID = -1,
  RT_LOG_NONE = 0,
  RT_LOG_ERROR = 1,
  RT_LOG_WARNING = 2,
  RT_LOG_INFO = 3,
  RT_LOG_DEBUG = 4
};

enum rtBackend {
  RT_BACKEND_INVALID = -1,
  RT_BACKEND_ALL = 0, /**< every backend but RT_BACKEND_NULL; for counting only */
  RT_BACKEND_CPU = 1,
  RT_BACKEND_CUDA = 2,
  RT_BACKEND_OPENCL = 3,
  RT_BACKEND_NULL = 4 /**< copies and fills work, kernels are accepted and not run; for tests */
};

enum rtDeviceKind {
  RT_DEVICE_KIND_INVALID = -1,
  RT_DEVICE_KIND_CPU = 1,
  RT_DEVICE_KIND_DISCRETE_GPU = 2,
  RT_DEVICE_KIND_INTEGRATED_GPU = 3,
  RT_DEVICE_KIND_ACCELERATOR = 4
};

/** How a device's addresses come about. */
enum rtMemoryTier {
  RT_MEMORY_TIER_INVALID = -1,
  RT_MEMORY_TIER_NATIVE = 0, /**< the driver's own addresses */
  RT_MEMORY_TIER_USM = 1,    /**< OpenCL unified shared memory */
  RT_MEMORY_TIER_SVM = 2,    /**< OpenCL shared virtual memory */
  RT_MEMORY_TIER_BUFFER = 3  /**< OpenCL buffers behind a reserved window of addresses */
};

/** For rtDeviceGetAttribute. */
enum rtAttribute {
  RT_ATTRIBUTE_INVALID = -1,
  RT_ATTRIBUTE_KIND = 0,
  RT_ATTRIBUTE_COMPUTE_UNITS = 1,
  RT_ATTRIBUTE_CLOCK_MHZ = 2,
  RT_ATTRIBUTE_SIMD_WIDTH = 3,
  RT_ATTRIBUTE_MAX_GROUP_ITEMS = 4,
  RT_ATTRIBUTE_MAX_GROUP_SIZE_X = 5,
  RT_ATTRIBUTE_MAX_GROUP_SIZE_Y = 6,
  RT_ATTRIBUTE_MAX_GROUP_SIZE_Z = 7,
  RT_ATTRIBUTE_MAX_GRID_SIZE_X = 8,
  RT_ATTRIBUTE_MAX_GRID_SIZE_Y = 9,
  RT_ATTRIBUTE_MAX_GRID_SIZE_Z = 10,
  RT_ATTRIBUTE_MEMORY_BYTES = 11,
  RT_ATTRIBUTE_MAX_ALLOCATION_BYTES = 12,
  RT_ATTRIBUTE_CACHE_LINE_BYTES = 13,
  RT_ATTRIBUTE_L1_BYTES = 14,
  RT_ATTRIBUTE_L2_BYTES = 15,
  RT_ATTRIBUTE_L3_BYTES = 16,
  RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP = 17,
  RT_ATTRIBUTE_UNIFIED_MEMORY = 18,
  RT_ATTRIBUTE_MEMORY_TIER = 19,
  RT_ATTRIBUTE_PRIORITY_LEAST = 20,
  RT_ATTRIBUTE_PRIORITY_GREATEST = 21,
  RT_ATTRIBUTE_NUMA_NODES = 22,   /**< CPU: NUMA nodes of the machine; elsewhere 1 */
  RT_ATTRIBUTE_HOST_THREADS = 23, /**< CPU: threads that run kernels; elsewhere 0 */
  RT_ATTRIBUTE_DLPACK_TYPE = 24,  /**< DLDeviceType of the device: kDLCPU, kDLCUDA, kDLOpenCL; null: kDLExtDev */
  RT_ATTRIBUTE_DLPACK_ID = 25     /**< device_id of a DLDevice: the index within the backend */
};

/** For rtDeviceHasCapability: one index for each optional thing. */
enum rtCapability {
  RT_CAPABILITY_INVALID = -1,
  RT_CAPABILITY_KERNELS = 0,            /**< kernels from source or images */
  RT_CAPABILITY_HOST_KERNELS = 1,       /**< rtKernelCreateFromHost */
  RT_CAPABILITY_SHARED_MEMORY = 2,      /**< rtMallocShared */
  RT_CAPABILITY_COOPERATIVE_LAUNCH = 3, /**< RT_LAUNCH_COOPERATIVE */
  RT_CAPABILITY_PEER_ACCESS = 4,        /**< rtContextEnablePeerAccess towards some device */
  RT_CAPABILITY_TIMING = 5,             /**< rtEventElapsedTime */
  RT_CAPABILITY_NATIVE_INTEROP = 6,     /**< rt...GetNative and rt...Import */
  RT_CAPABILITY_POINTERS_IN_MEMORY = 7, /**< kernels may follow addresses that they find in memory */
  RT_CAPABILITY_DOUBLE = 8,             /**< 64-bit floating point in kernels */
  RT_CAPABILITY_HALF = 9,               /**< 16-bit floating point in kernels */
  RT_CAPABILITY_ATOMICS_64 = 10,        /**< 64-bit atomics in kernels */
  RT_CAPABILITY_HOST_REGISTER = 11,     /**< rtHostRegister pins memory */
  RT_CAPABILITY_STREAM_PRIORITIES = 12, /**< more than one stream priority */
  RT_CAPABILITY_SUBGROUPS = 13          /**< sub-group functions in kernels (cl_khr_subgroups) */
};

/** How a thread waits in a call that blocks. */
enum rtWaitPolicy {
  RT_WAIT_INVALID = -1,
  RT_WAIT_DEFAULT = 0, /**< spins briefly, then blocks */
  RT_WAIT_SPIN = 1,
  RT_WAIT_YIELD = 2,
  RT_WAIT_BLOCK = 3
};

/** Flags of rtContextOptions_t. */
enum rtContextFlags {
  RT_CONTEXT_FLAGS_INVALID = -1,
  RT_CONTEXT_STRICT = 1 /**< kernels take addresses inside live memory of the library that the device reaches, and no others */
};

/** Flags of rtEventOptions_t. */
enum rtEventFlags {
  RT_EVENT_FLAGS_INVALID = -1,
  RT_EVENT_DISABLE_TIMING = 1 /**< cheaper; rtEventElapsedTime refuses the event */
};

/** Kinds of memory to allocate. */
enum rtMemoryKind {
  RT_MEMORY_INVALID = -1,
  RT_MEMORY_DEVICE = 0,
  RT_MEMORY_HOST = 1,  /**< pinned host memory */
  RT_MEMORY_SHARED = 2 /**< one address for host and device */
};

/** Kinds of memory that rtPointerGetAttributes reports. */
enum rtPointerKind {
  RT_POINTER_INVALID = -1,
  RT_POINTER_UNKNOWN = 0, /**< not memory of this library */
  RT_POINTER_DEVICE = 1,
  RT_POINTER_HOST = 2,
  RT_POINTER_SHARED = 3,
  RT_POINTER_REGISTERED = 4, /**< by rtHostRegister */
  RT_POINTER_IMPORTED = 5    /**< by rtMemImport */
};

/** Direction of a copy; a copy that contradicts the addresses is refused. Device memory is that of any device of any backend,
 *  including the CPU. All other memory is host memory, pinned or not. Shared memory counts as either. */
enum rtMemcpyKind {
  RT_MEMCPY_INVALID = -1,
  RT_MEMCPY_DEFAULT = 0, /**< inferred from the addresses */
  RT_MEMCPY_HOST_TO_HOST = 1,
  RT_MEMCPY_HOST_TO_DEVICE = 2,
  RT_MEMCPY_DEVICE_TO_HOST = 3,
  RT_MEMCPY_DEVICE_TO_DEVICE = 4 /**< one device or two, also of two backends */
};

/** Kinds of kernel arguments. */
enum rtArgKind {
  RT_ARG_INVALID = -1,
  RT_ARG_VALUE = 0,
  RT_ARG_POINTER = 1,    /**< an address of global memory, 8 bytes */
  RT_ARG_LOCAL = 2,      /**< local memory; args[i] points to a size_t, the bytes to reserve */
  RT_ARG_GRAPH_VALUE = 3 /**< in rtGraphArg_t alone: a named value of the graph */
};

/** Formats of the image that a module is made from. */
enum rtImageFormat {
  RT_IMAGE_INVALID = -1,
  RT_IMAGE_AUTO = 0,          /**< told from the bytes: an ELF file for CUDA is CUBIN, any other HOST_OBJECT; the
                                   marks of MANYRT, FATBIN and SPIRV; of text, what begins with .version is PTX, else
                                   OPENCL_C */
  RT_IMAGE_OPENCL_C = 1,      /**< OpenCL C 1.2 source; every device with RT_CAPABILITY_KERNELS */
  RT_IMAGE_CUDA_CXX = 2,      /**< CUDA C++ source; CUDA */
  RT_IMAGE_PTX = 3,           /**< CUDA */
  RT_IMAGE_CUBIN = 4,         /**< CUDA */
  RT_IMAGE_FATBIN = 5,        /**< CUDA */
  RT_IMAGE_SPIRV = 6,         /**< OpenCL */
  RT_IMAGE_OPENCL_BINARY = 7, /**< what clGetProgramInfo gave; OpenCL */
  RT_IMAGE_HOST_OBJECT = 8,   /**< a shared object that exports rtHostModule; CPU */
  RT_IMAGE_MANYRT = 9         /**< what rtModuleGetImage gave: code for one or more devices, and the source; every device with
                                   RT_CAPABILITY_KERNELS */
};

/** Flags of rtImageOptions_t. */
enum rtImageFlags {
  RT_IMAGE_FLAGS_INVALID = -1,
  RT_IMAGE_WITHOUT_SOURCE = 1 /**< the image has the code alone */
};

/** How far a module is: rtModuleWait, which waits for the first two, and rtModuleGetInfo. */
enum rtModuleState {
  RT_MODULE_INVALID = -1,
  RT_MODULE_READY = 0,     /**< its kernels can be launched; of rtModuleGetInfo: with quick code, and none is to follow */
  RT_MODULE_OPTIMIZED = 1, /**< and run the code that stays */
  RT_MODULE_QUICK = 2,     /**< launches run quick code, which optimised code is to replace */
  RT_MODULE_FAILED = 3     /**< launches run quick code; the optimised code could not be made */
};

/** Where the code of a module came from. */
enum rtModuleOrigin {
  RT_MODULE_ORIGIN_INVALID = -1,
  RT_MODULE_ORIGIN_IMAGE = 0,  /**< the program gave it */
  RT_MODULE_ORIGIN_BUILD = 1,  /**< a compiler made it during the call */
  RT_MODULE_ORIGIN_CACHE = 2,  /**< the folder of compiled kernels */
  RT_MODULE_ORIGIN_PROCESS = 3 /**< the process had it: it was built before, or by another thread at the same time */
};

/** Forms of a kernel's code. Results of kernels are the same bits in each. */
enum rtTier {
  RT_TIER_INVALID = -1,
  RT_TIER_DEFAULT = 0,   /**< of rtModuleOptions_t: as the build options and RT_CPU_BUILD say; of rtKernelInfo_t: not known */
  RT_TIER_QUICK = 1,     /**< compiled in a short time */
  RT_TIER_OPTIMIZED = 2, /**< compiled to run fast */
  RT_TIER_TIERED = 3,    /**< of rtModuleOptions_t alone: quick code, which optimised code replaces */
  RT_TIER_READY_MADE = 4 /**< of rtKernelInfo_t alone: the program brought the code, as an image or as a function */
};

/** How the work-items of a kernel meet at barriers. */
enum rtBarriers {
  RT_BARRIERS_INVALID = -1,
  RT_BARRIERS_UNKNOWN = 0, /**< not known, or the device's own way */
  RT_BARRIERS_NONE = 1,    /**< the kernel has none */
  RT_BARRIERS_SPLIT = 2,   /**< the code is split at them: loops over the work-items lie between them */
  RT_BARRIERS_FIBERS = 3   /**< each work-item has a stack of its own, which is slower */
};

/** Why a loop over the work-items of a kernel does not run as vectors of a CPU; the build log has it as a sentence. */
enum rtNoLanes {
  RT_LANES_INVALID = -1,
  RT_LANES_UNKNOWN = 0,   /**< not known, as of other devices, or of code that the program brought */
  RT_LANES_ALL = 1,       /**< all loops run as vectors */
  RT_LANES_OPTIONS = 2,   /**< the build's options forbid optimisations */
  RT_LANES_QUICK = 3,     /**< quick code has none */
  RT_LANES_FIBERS = 4,    /**< the work-items run on fibers: RT_BARRIERS_FIBERS */
  RT_LANES_HALVES = 5,    /**< there are no vectors of half */
  RT_LANES_NO_FORM = 6,   /**< an operation has no form for vectors */
  RT_LANES_COST = 7,      /**< work-items one by one are expected to take less time */
  RT_LANES_BLOCKS = 8,    /**< there are more places to jump to than lanes can go through */
  RT_LANES_REST = 9,      /**< only work-items that whole vectors leave, in groups of sizes not launched so far */
  RT_LANES_NOT_TRIED = 10 /**< nothing has looked for lanes, as on processors without vectors */
};

/** Qualifiers of a kernel's pointer argument; joined by or. */
enum rtQualifier {
  RT_QUALIFIER_INVALID = -1,
  RT_QUALIFIER_CONST = 1,    /**< of what it points to, as all of __constant */
  RT_QUALIFIER_RESTRICT = 2, /**< of the pointer */
  RT_QUALIFIER_VOLATILE = 4  /**< of what it points to */
};

/** The memory that an argument of a kernel points to. */
enum rtAddressSpace {
  RT_ADDRESS_SPACE_INVALID = -1,
  RT_ADDRESS_SPACE_UNKNOWN = 0,
  RT_ADDRESS_SPACE_PRIVATE = 1, /**< it is a value */
  RT_ADDRESS_SPACE_GLOBAL = 2,
  RT_ADDRESS_SPACE_CONSTANT = 3,
  RT_ADDRESS_SPACE_LOCAL = 4
};

/** The accesses of a kernel to the memory that an argument points to, as the compiler saw them. */
enum rtAccess {
  RT_ACCESS_INVALID = -1,
  RT_ACCESS_UNKNOWN = 0,
  RT_ACCESS_READ = 1,
  RT_ACCESS_WRITE = 2, /**< parts of it, maybe: what is not written keeps its contents */
  RT_ACCESS_READ_WRITE = 3,
  RT_ACCESS_NONE = 4 /**< neither */
};

/** Flags of rtLaunchOptions_t. */
enum rtLaunchFlags {
  RT_LAUNCH_FLAGS_INVALID = -1,
  RT_LAUNCH_COOPERATIVE = 1 /**< all work-groups run at the same time, or the launch is refused */
};

/** Kinds of nodes. */
enum rtGraphNodeType {
  RT_GRAPH_NODE_INVALID = -1,
  RT_GRAPH_NODE_EMPTY = 0,
  RT_GRAPH_NODE_KERNEL = 1,
  RT_GRAPH_NODE_MEMCPY = 2,
  RT_GRAPH_NODE_MEMCPY_2D = 3,
  RT_GRAPH_NODE_FILL = 4,
  RT_GRAPH_NODE_HOST = 5,
  RT_GRAPH_NODE_NATIVE = 6,
  RT_GRAPH_NODE_CHILD_GRAPH = 7,
  RT_GRAPH_NODE_EVENT_RECORD = 8,
  RT_GRAPH_NODE_EVENT_WAIT = 9,
  RT_GRAPH_NODE_FENCE_SIGNAL = 10,
  RT_GRAPH_NODE_FENCE_WAIT = 11,
  RT_GRAPH_NODE_PREFETCH = 12,   /**< from captures alone, as the next two */
  RT_GRAPH_NODE_ALLOCATION = 13, /**< memory of the graph's own, at the address that the capture gave */
  RT_GRAPH_NODE_FREE = 14
};

/** How a step of a plan runs. A step that cannot run in the context is refused when the plan is made. */
enum rtVerdict {
  RT_VERDICT_INVALID = -1,
  RT_VERDICT_NATIVE = 0, /**< kernels, copies, fills: all is fixed; a driver's own graph can hold it */
  RT_VERDICT_HOST = 1    /**< functions, events, fences: the library orders it anew at each launch */
};

/** For rtStreamIsCapturing. */
enum rtCaptureState {
  RT_CAPTURE_INVALID = -1,
  RT_CAPTURE_NONE = 0,
  RT_CAPTURE_ACTIVE = 1,
  RT_CAPTURE_INVALIDATED = 2 /**< broken: rtStreamEndCapture leaves it, with the cause */
};

/** Roles of a graph's buffer. */
enum rtGraphBufferRole {
  RT_GRAPH_BUFFER_INVALID = -1,
  RT_GRAPH_BUFFER_TEMPORARY = 0, /**< lives within one launch; memory is found when a plan is made */
  RT_GRAPH_BUFFER_INPUT = 1,     /**< bound by the program, comes in with its contents */
  RT_GRAPH_BUFFER_OUTPUT = 2,    /**< bound by the program, goes out with its contents */
  RT_GRAPH_BUFFER_CONSTANT = 3   /**< bound by the program and never written by a node */
};

/** Whether a node reads or writes memory. */
enum rtGraphAccess { RT_GRAPH_ACCESS_INVALID = -1, RT_GRAPH_READ = 1, RT_GRAPH_WRITE = 2 };

/** The records that a callback of the trace receives; joined by or: rtTraceSetCallback. */
enum rtTraceKind {
  RT_TRACE_INVALID = -1,
  RT_TRACE_CALLS = 1,       /**< the beginning and the end of each call of the program */
  RT_TRACE_SUBMISSIONS = 2, /**< work that a call has given to a stream */
  RT_TRACE_WORK = 4,        /**< work that is over, with its times on the device */
  RT_TRACE_BUILDS = 8,      /**< steps of builds: front end, compiler, a look into the cache */
  RT_TRACE_RANGES = 16      /**< ranges and marks of the program */
};

/** The event that one record of the trace describes. */
enum rtTraceRecordType {
  RT_TRACE_RECORD_INVALID = -1,
  RT_TRACE_RECORD_ENTER = 1,      /**< a call begins */
  RT_TRACE_RECORD_EXIT = 2,       /**< a call has ended */
  RT_TRACE_RECORD_SUBMISSION = 3, /**< a call has given work to a stream */
  RT_TRACE_RECORD_WORK = 4,       /**< work is over; what is short may come before its SUBMISSION */
  RT_TRACE_RECORD_BUILD = 5,      /**< a step of a build has ended */
  RT_TRACE_RECORD_RANGE_PUSH = 6, /**< rtTraceRangePush */
  RT_TRACE_RECORD_RANGE_POP = 7,  /**< rtTraceRangePop, with the whole range */
  RT_TRACE_RECORD_MARK = 8,       /**< rtTraceMark */
  RT_TRACE_RECORD_LOST = 9        /**< records or times are missing here */
};

/** Kinds of work of a stream. */
enum rtWorkKind {
  RT_WORK_INVALID = -1,
  RT_WORK_KERNEL = 1,
  RT_WORK_COPY = 2,
  RT_WORK_FILL = 3,
  RT_WORK_PREFETCH = 4,
  RT_WORK_GRAPH = 5, /**< a whole launch of a graph, beside its nodes */
  RT_WORK_TASK = 6,  /**< a native function, or the library's own */
  RT_WORK_HOST_FUNCTION = 7
};

/* ---- Callbacks ---------------------------------------------------------------------------------------------------- */
/* The library calls each of these with none of its locks held and, except for rtHostKernelFunction_t, from no place that keeps
 * another thread waiting. All rt calls are legal inside, except rtShutdown, which is BUSY, and the exceptions named below. */

/** Receives log lines on any thread, a line of a call before that call returns. message is borrowed until it returns.
 *  rt calls are legal inside, but rtSetLogCallback is BUSY; what they log goes to stderr.
 *  thread: any
 *  called: for each line, until another callback is set */
typedef void (*rtLogCallback_t)(int32_t level, const char* message, void* user);

/** Host function of a stream; status is RT_SUCCESS or the stream's failure. rt calls are legal inside; a call that waits for
 * the stream itself is BUSY.
 *  thread: library
 *  called: once for each submission; captured or in a graph once for each launch */
typedef void (*rtHostFunction_t)(void* user, rtStatus_t status);

/** Receives the native stream (see rtStreamGetNative) and submits native work to it. In a graph on CUDA this is a private
 * stream in capture: see rtGraphAddNativeNode. rt calls are legal inside; a call that waits for the stream itself is BUSY.
 *  thread: any
 *  called: once for each submission; in a graph as rtGraphAddNativeNode says */
typedef rtStatus_t (*rtNativeFunction_t)(const uint64_t native[2], void* user);

/** Releases user: called once, after its last use. If the last use ends in a call of the program, the function runs on that
 * thread before the call returns; else it runs soon after on a thread of the library. rt calls are legal inside. The object
 * that held user has ended by then: its stale handle is INVALID_HANDLE. In rtShutdown rt calls inside are SHUT_DOWN.
 *  thread: any
 *  called: once */
typedef void (*rtReleaseFunction_t)(void* user);

/** Called when a pool could not get size bytes. Returns nonzero if it has freed memory: the pool tries again. rt calls are
 * legal inside; rtContextReset of the pool's context is BUSY.
 *  thread: any
 *  called: for each allocation that found no memory, until another callback is set */
typedef int32_t (*rtOutOfMemoryCallback_t)(uint64_t size, void* user);

/** Describes the work-group that a host kernel is called for. */
typedef struct rtHostGroup_t {
  uint32_t group_id[3];    /**< index of this work-group */
  uint32_t group_count[3]; /**< work-groups in the grid */
  uint32_t group_size[3];  /**< work-items in this work-group; the kernel loops over them */
  uint32_t worker;         /**< index of the thread that runs this call; informational */
  uint64_t local_bytes;    /**< the launch's local_bytes */
  void* local_memory;      /**< local_bytes bytes, private to this work-group, 64-byte aligned, contents undefined */
} rtHostGroup_t;

/** A host kernel: called once for each work-group, on threads of the library and on threads that wait for the stream. The calls
 *  run in any order and at the same time.
 *  args[i] points to the value of argument i; for RT_ARG_LOCAL to a pointer to the reserved bytes. Makes no rt calls.
 *  thread: any
 *  called: for each work-group of each launch */
typedef void (*rtHostKernelFunction_t)(const rtHostGroup_t* group, void* const* args);

/** One record of the trace: rtTraceSetCallback. type says which fields count; the others are 0 or empty. Every text is borrowed
 *  until the callback returns, and none is NULL. Times are nanoseconds of CLOCK_MONOTONIC. */
typedef struct rtTraceRecord_t {
  uint32_t struct_size; /**< bytes that this library has filled */
  int32_t type;         /**< RT_TRACE_RECORD_* */
  uint64_t thread;      /**< the operating system's number of the thread that called, built or marked */
  uint64_t call;        /**< number of the call: the same in ENTER, EXIT and in SUBMISSION of what it gave to a stream */
  uint64_t stream;      /**< number of the stream: SUBMISSION, WORK */
  uint64_t serial;      /**< number of the submission in that stream; WORK has it too, nodes of a graph that of the launch */
  int64_t begin_ns;     /**< when it began; of ENTER, SUBMISSION, RANGE_PUSH and MARK the only time */
  int64_t end_ns;       /**< when it ended */
  int64_t waited_ns;    /**< EXIT: the part of the call in which its thread only waited */
  rtStatus_t status;    /**< EXIT: what the call returns */
  int32_t work;         /**< WORK: RT_WORK_* */
  int32_t copy;         /**< WORK, of a copy: RT_MEMCPY_* */
  uint32_t in_graph;    /**< WORK: 1 if it is a node of a graph */
  uint64_t bytes;       /**< WORK, of a copy or a fill */
  uint32_t grid[3];     /**< WORK, of a kernel: work-groups */
  uint32_t group[3];    /**< WORK, of a kernel: work-items in each */
  uint64_t lost;        /**< LOST: how many records did not fit, or pieces of work had no times */
  const char* name;     /**< of the function, the kernel or kind of work, the step, the range or the mark */
  const char* module;   /**< WORK, of a kernel, and BUILD: the module */
  const char* tier;     /**< WORK, of a kernel: "quick" or "optimized" code; empty if unknown */
  const char* device;   /**< SUBMISSION, WORK: as rtDeviceGetByName takes it */
  const char* label;    /**< SUBMISSION, WORK: of the stream */
} rtTraceRecord_t;
/* clang-format off */
#define RT_TRACE_RECORD_INIT                                                                                     \
  {sizeof(rtTraceRecord_t) /* struct_size */, 0 /* type */, 0 /* thread */, 0 /* call */, 0 /* stream */,        \
   0 /* serial */, 0 /* begin_ns */, 0 /* end_ns */, 0 /* waited_ns */, 0 /* status */, 0 /* work */,            \
   0 /* copy */, 0 /* in_graph */, 0 /* bytes */, {0, 0, 0} /* grid */, {0, 0, 0} /* group */, 0 /* lost */,     \
   NULL /* name */, NULL /* module */, NULL /* tier */, NULL /* device */, NULL /* label */}
/* clang-format on */

/** Receives records of the trace. rt calls are legal inside, and the callback is not told of them; it is told of the work that
 *  they submit. rtTraceSetCallback inside replaces the callback without waiting for other threads that are in it.
 *  ENTER, EXIT, RANGE_PUSH, RANGE_POP and MARK come on the thread that calls, on several threads at once. All others come one
 *  at a time, soon after what they tell, on any thread.
 *  thread: any
 *  called: for each record of the kinds asked for, until another callback is set */
typedef void (*rtTraceCallback_t)(const rtTraceRecord_t* record, void* user);

/* ---- Structs ------------------------------------------------------------------------------------------------------
 * Start from the RT_..._INIT macro, which sets struct_size. All zero apart from struct_size means the defaults, as a
 * NULL options pointer does. Structs grow at the end only; those of arrays and rtHostGroup_t never grow. */

/** Result of rtBackendGetInfo. */
typedef struct rtBackendInfo_t {
  uint32_t struct_size;
  int32_t backend;          /**< RT_BACKEND_* */
  int32_t available;        /**< 1 if its devices can be used */
  int32_t device_count;     /**< devices found */
  char name[64];            /**< "cpu", "cuda", "opencl", "null" */
  char driver_name[128];    /**< empty if unavailable */
  char driver_version[128]; /**< empty if unavailable */
  char reason[256];         /**< why it is unavailable, a sentence; else empty */
} rtBackendInfo_t;
/* clang-format off */
#define RT_BACKEND_INFO_INIT                                                                            \
  {sizeof(rtBackendInfo_t) /* struct_size */, 0 /* backend */, 0 /* available */, 0 /* device_count */, \
   {0} /* name */, {0} /* driver_name */, {0} /* driver_version */, {0} /* reason */}
/* clang-format on */

/** Result of rtDeviceGetProperties. */
typedef struct rtDeviceProperties_t {
  uint32_t struct_size;
  int32_t kind;    /**< RT_DEVICE_KIND_* */
  int32_t backend; /**< RT_BACKEND_* */
  int32_t ordinal; /**< index within the backend */
  char id[32];     /**< as rtDeviceGetByName takes it: "cpu", "cuda:0" */
  char name[256];  /**< the product's name */
  char vendor[128];
  char driver_version[128];
  char architecture[64];         /**< "sm_90", or the CPU's instruction set */
  char pci_bus_id[32];           /**< "0000:01:00.0", empty if there is none */
  uint8_t uuid[16];              /**< zeros if there is none */
  uint32_t compute_units;        /**< multiprocessors, or cores */
  uint32_t clock_mhz;            /**< highest clock, 0 if unknown */
  uint32_t simd_width;           /**< warp width, or 32-bit lanes of a SIMD register */
  uint32_t max_group_items;      /**< work-items in a work-group, at most */
  uint32_t max_group_size[3];    /**< and in each direction */
  uint32_t reserved;             /**< 0 */
  uint64_t max_grid_size[3];     /**< work-groups in each direction, at most */
  uint64_t memory_bytes;         /**< memory of the device */
  uint64_t max_allocation_bytes; /**< largest single allocation */
  uint64_t cache_line_bytes;     /**< 0 if unknown */
  uint64_t l1_bytes;             /**< caches: 0 if absent or unknown */
  uint64_t l2_bytes;             /**< OpenCL: the cache of global memory, whose level its drivers do not tell */
  uint64_t l3_bytes;
  uint64_t local_bytes_per_group; /**< local (CUDA: shared) memory of a work-group, at most */
  uint32_t unified_memory;        /**< 1 if host and device share one physical memory */
  int32_t memory_tier;            /**< RT_MEMORY_TIER_* */
  int32_t priority_least;         /**< of streams: 0 */
  int32_t priority_greatest;      /**< 0 or negative: higher priority */
} rtDeviceProperties_t;
/* clang-format off */
#define RT_DEVICE_PROPERTIES_INIT                                                                                \
  {sizeof(rtDeviceProperties_t) /* struct_size */, 0 /* kind */, 0 /* backend */, 0 /* ordinal */, {0} /* id */, \
   {0} /* name */, {0} /* vendor */, {0} /* driver_version */, {0} /* architecture */, {0} /* pci_bus_id */,     \
   {0} /* uuid */, 0 /* compute_units */, 0 /* clock_mhz */, 0 /* simd_width */, 0 /* max_group_items */,        \
   {0, 0, 0} /* max_group_size */, 0 /* reserved */, {0, 0, 0} /* max_grid_size */, 0 /* memory_bytes */,        \
   0 /* max_allocation_bytes */, 0 /* cache_line_bytes */, 0 /* l1_bytes */, 0 /* l2_bytes */, 0 /* l3_bytes */, \
   0 /* local_bytes_per_group */, 0 /* unified_memory */, 0 /* memory_tier */, 0 /* priority_least */,           \
   0 /* priority_greatest */}
/* clang-format on */

/** Options of rtContextCreate. */
typedef struct rtContextOptions_t {
  uint32_t struct_size;
  int32_t wait_policy;  /**< RT_WAIT_* */
  uint32_t cpu_threads; /**< CPU: threads that run kernels; 0: as the device */
  uint32_t flags;       /**< 0 or RT_CONTEXT_STRICT */
  char label[64];       /**< for messages and traces; terminated */
} rtContextOptions_t;
/* clang-format off */
#define RT_CONTEXT_OPTIONS_INIT                                                                           \
  {sizeof(rtContextOptions_t) /* struct_size */, 0 /* wait_policy */, 0 /* cpu_threads */, 0 /* flags */, \
   {0} /* label */}
/* clang-format on */

/** Options of rtStreamCreate. */
typedef struct rtStreamOptions_t {
  uint32_t struct_size;
  int32_t priority;  /**< 0 normal, negative higher; clamped to the device's range */
  uint32_t flags;    /**< 0 */
  uint32_t reserved; /**< 0 */
  char label[64];    /**< for messages and traces; terminated */
} rtStreamOptions_t;
/* clang-format off */
#define RT_STREAM_OPTIONS_INIT                                                                                      \
  {sizeof(rtStreamOptions_t) /* struct_size */, 0 /* priority */, 0 /* flags */, 0 /* reserved */, {0} /* label */}
/* clang-format on */

/** Options of rtEventCreate. */
typedef struct rtEventOptions_t {
  uint32_t struct_size;
  uint32_t flags; /**< 0 or RT_EVENT_DISABLE_TIMING */
} rtEventOptions_t;
/* clang-format off */
#define RT_EVENT_OPTIONS_INIT                                 \
  {sizeof(rtEventOptions_t) /* struct_size */, 0 /* flags */}
/* clang-format on */

/** Options of rtMallocWithOptions. */
typedef struct rtMallocOptions_t {
  uint32_t struct_size;
  int32_t kind;       /**< RT_MEMORY_* */
  uint64_t alignment; /**< a power of two; 0: 256 */
  uint32_t flags;     /**< 0 */
  uint32_t reserved;  /**< 0 */
  char label[64];     /**< for messages and traces; terminated */
} rtMallocOptions_t;
/* clang-format off */
#define RT_MALLOC_OPTIONS_INIT                                                                                    \
  {sizeof(rtMallocOptions_t) /* struct_size */, 0 /* kind */, 0 /* alignment */, 0 /* flags */, 0 /* reserved */, \
   {0} /* label */}
/* clang-format on */

/** Result of rtPointerGetAttributes. */
typedef struct rtPointerAttributes_t {
  uint32_t struct_size;
  int32_t kind;        /**< RT_POINTER_* */
  void* base;          /**< first byte of the allocation; may be NULL if the memory is unknown */
  uint64_t size;       /**< bytes that were asked for */
  rtContext_t context; /**< the owner; may be NULL if the memory is unknown */
  rtDevice_t device;   /**< the owner's device; may be NULL if the memory is unknown */
} rtPointerAttributes_t;
/* clang-format off */
#define RT_POINTER_ATTRIBUTES_INIT                                                                                   \
  {sizeof(rtPointerAttributes_t) /* struct_size */, 0 /* kind */, NULL /* base */, 0 /* size */, NULL /* context */, \
   NULL /* device */}
/* clang-format on */

/** Options of rtMemPoolCreate. */
typedef struct rtMemPoolOptions_t {
  uint32_t struct_size;
  int32_t kind;               /**< RT_MEMORY_* */
  uint64_t initial_bytes;     /**< reserved at once */
  uint64_t maximum_bytes;     /**< hard limit; 0: none */
  uint64_t release_threshold; /**< unused bytes kept when streams are synchronised; above, they go back */
  char label[64];             /**< for messages and traces; terminated */
} rtMemPoolOptions_t;
/* clang-format off */
#define RT_MEM_POOL_OPTIONS_INIT                                                                             \
  {sizeof(rtMemPoolOptions_t) /* struct_size */, 0 /* kind */, 0 /* initial_bytes */, 0 /* maximum_bytes */, \
   0 /* release_threshold */, {0} /* label */}
/* clang-format on */

/** Result of rtMemPoolGetStats. Live and peak count the bytes asked for, reserved those taken from the driver. */
typedef struct rtMemPoolStats_t {
  uint32_t struct_size;
  uint32_t reserved;                /**< 0 */
  uint64_t live_bytes;              /**< allocated and not freed */
  uint64_t live_count;              /**< allocations not freed */
  uint64_t reserved_bytes;          /**< taken from the driver and not given back */
  uint64_t peak_live_bytes;         /**< highest live_bytes since rtMemPoolResetPeak. Exact where one stream
                                         allocates between two calls of rtMemPoolGetStats; of several at once, up to
                                         64 KiB, or a 64th of its live bytes, too high for each; of several threads
                                         at once, each stream counts with the most of its last frees */
  uint64_t peak_reserved_bytes;     /**< highest reserved_bytes since rtMemPoolResetPeak */
  uint64_t pending_bytes;           /**< freed, and held by work in flight or by a graph */
  uint64_t allocation_count;        /**< allocations so far */
  uint64_t free_count;              /**< frees so far */
  uint64_t reuse_count;             /**< allocations served from freed memory */
  uint64_t driver_allocation_count; /**< allocations asked of the driver */
} rtMemPoolStats_t;
/* clang-format off */
#define RT_MEM_POOL_STATS_INIT                                                                           \
  {sizeof(rtMemPoolStats_t) /* struct_size */, 0 /* reserved */, 0 /* live_bytes */, 0 /* live_count */, \
   0 /* reserved_bytes */, 0 /* peak_live_bytes */, 0 /* peak_reserved_bytes */, 0 /* pending_bytes */,  \
   0 /* allocation_count */, 0 /* free_count */, 0 /* reuse_count */, 0 /* driver_allocation_count */}
/* clang-format on */

/** Counters of a context's recycled objects: native streams, events, and points. A record in flight has a point, and so has an
 *  event that was recorded. Includes the library's own streams and points, but not its events.
 *  created: handed out so far; recycled: how many of these had been used before; live: in use now; native: that exist now, in
 *  use or kept for the next use. */
typedef struct rtContextStats_t {
  uint32_t struct_size;
  uint32_t reserved; /**< 0 */
  uint64_t streams_created;
  uint64_t streams_recycled;
  uint64_t streams_live;
  uint64_t streams_native;
  uint64_t events_created;
  uint64_t events_recycled;
  uint64_t events_live;
  uint64_t points_created;
  uint64_t points_recycled;
  uint64_t points_live;
  uint64_t points_native; /**< native events on CUDA */
} rtContextStats_t;
/* clang-format off */
#define RT_CONTEXT_STATS_INIT                                                                                        \
  {sizeof(rtContextStats_t) /* struct_size */, 0 /* reserved */, 0 /* streams_created */, 0 /* streams_recycled */,  \
   0 /* streams_live */, 0 /* streams_native */, 0 /* events_created */, 0 /* events_recycled */,                    \
   0 /* events_live */, 0 /* points_created */, 0 /* points_recycled */, 0 /* points_live */, 0 /* points_native */}
/* clang-format on */

/** One argument of a host kernel; used in arrays, never grows. */
typedef struct rtHostArg_t {
  uint32_t size; /**< bytes of the value; 8 for RT_ARG_POINTER and RT_ARG_LOCAL */
  int32_t kind;  /**< RT_ARG_* */
} rtHostArg_t;

/** The description of a host kernel, for rtKernelCreateFromHost. */
typedef struct rtHostKernel_t {
  uint32_t struct_size;
  uint32_t arg_count;              /**< elements of args */
  rtHostKernelFunction_t function; /**< must stay loaded until the kernel's last launch is complete */
  const rtHostArg_t* args;         /**< copied; may be NULL if arg_count is 0 */
  const char* name;                /**< copied; may be NULL */
  uint32_t max_group_items;        /**< largest work-group that function takes; 0: the device's */
  uint32_t flags;                  /**< 0 */
} rtHostKernel_t;
/* clang-format off */
#define RT_HOST_KERNEL_INIT                                                                           \
  {sizeof(rtHostKernel_t) /* struct_size */, 0 /* arg_count */, NULL /* function */, NULL /* args */, \
   NULL /* name */, 0 /* max_group_items */, 0 /* flags */}
/* clang-format on */

/** One argument of a kernel in a host module; used in arrays, never grows. */
typedef struct rtHostModuleArg_t {
  uint32_t size;         /**< bytes of the value; 8 for RT_ARG_POINTER and RT_ARG_LOCAL */
  int32_t kind;          /**< RT_ARG_* */
  const char* name;      /**< may be NULL */
  const char* type_name; /**< may be NULL */
} rtHostModuleArg_t;

/** One kernel of a host module; used in arrays, never grows. If any of the three numbers of bytes is not 0, the group's
 *  local_memory is larger by that much, for the kernel's own use. These bytes follow the launch's local_bytes, rounded up to
 *  64. */
typedef struct rtHostModuleKernel_t {
  const char* name;
  rtHostKernelFunction_t function;
  const rtHostModuleArg_t* args;   /**< may be NULL if arg_count is 0 */
  uint32_t arg_count;              /**< elements of args */
  uint32_t flags;                  /**< 0 */
  uint32_t max_group_items;        /**< largest work-group that function takes; 0: the device's */
  uint32_t required_group_size[3]; /**< zeros: any */
  uint64_t local_bytes;            /**< local memory of each work-group, counted against the device's limit */
  uint64_t scratch_bytes;          /**< of each work-group, not counted */
  uint64_t scratch_bytes_per_item; /**< the same for each of its work-items */
} rtHostModuleKernel_t;

/** A variable of a host module, for rtModuleGetGlobal; used in arrays, never grows. */
typedef struct rtHostModuleGlobal_t {
  const char* name;
  void* address; /**< size bytes */
  uint64_t size; /**< bytes */
} rtHostModuleGlobal_t;

/** The table that a shared object exports with C linkage as rtHostModule, to be loaded as RT_IMAGE_HOST_OBJECT. */
typedef struct rtHostModule_t {
  uint32_t struct_size;
  uint32_t kernel_count;               /**< elements of kernels */
  const rtHostModuleKernel_t* kernels; /**< may be NULL if kernel_count is 0 */
  const rtHostModuleGlobal_t* globals; /**< may be NULL if global_count is 0 */
  uint32_t global_count;               /**< elements of globals */
  uint32_t flags;                      /**< 0 */
} rtHostModule_t;
/* clang-format off */
#define RT_HOST_MODULE_INIT                                                                                \
  {sizeof(rtHostModule_t) /* struct_size */, 0 /* kernel_count */, NULL /* kernels */, NULL /* globals */, \
   0 /* global_count */, 0 /* flags */}
/* clang-format on */

/** Options of rtModuleLoadData, rtModuleLoadFile and rtModuleBuildMany. */
typedef struct rtModuleOptions_t {
  uint32_t struct_size;
  int32_t format;                  /**< RT_IMAGE_* */
  const char* build_options;       /**< of source: as rtModuleCreateFromSource takes them; may be NULL */
  const char* name;                /**< in messages; may be NULL: "kernel.cl", or the path of the file */
  uint32_t header_count;           /**< elements of header_names and headers */
  uint32_t reserved;               /**< 0 */
  const char* const* header_names; /**< of source: what #include calls each of headers; may be NULL if there are none */
  const char* const* headers;      /**< their texts, found before any file; may be NULL if there are none */
  int32_t tier;                    /**< of OpenCL C on the CPU: RT_TIER_*, which counts before the build options */
  uint32_t flags;                  /**< 0 */
} rtModuleOptions_t;
/* clang-format off */
#define RT_MODULE_OPTIONS_INIT                                                                             \
  {sizeof(rtModuleOptions_t) /* struct_size */, 0 /* format */, NULL /* build_options */, NULL /* name */, \
   0 /* header_count */, 0 /* reserved */, NULL /* header_names */, NULL /* headers */, 0 /* tier */,      \
   0 /* flags */}
/* clang-format on */

/** Options of rtModuleGetImage. */
typedef struct rtImageOptions_t {
  uint32_t struct_size;
  uint32_t flags; /**< 0 or RT_IMAGE_WITHOUT_SOURCE */
} rtImageOptions_t;
/* clang-format off */
#define RT_IMAGE_OPTIONS_INIT \
  {sizeof(rtImageOptions_t) /* struct_size */, 0 /* flags */}
/* clang-format on */

/** Result of rtModuleGetInfo. */
typedef struct rtModuleInfo_t {
  uint32_t struct_size;
  int32_t state;         /**< RT_MODULE_* */
  int32_t origin;        /**< RT_MODULE_ORIGIN_* */
  uint32_t kernel_count; /**< kernels of the module */
  uint64_t code_bytes;   /**< of the code that runs at the moment, in the form that was loaded; 0 if unknown */
  uint64_t load_ns;      /**< nanoseconds that building and loading took the call that made the module */
  char name[256];        /**< as in messages */
} rtModuleInfo_t;
/* clang-format off */
#define RT_MODULE_INFO_INIT                                                                       \
  {sizeof(rtModuleInfo_t) /* struct_size */, 0 /* state */, 0 /* origin */, 0 /* kernel_count */, \
   0 /* code_bytes */, 0 /* load_ns */, {0} /* name */}
/* clang-format on */

/** Result of rtKernelGetInfo. */
typedef struct rtKernelInfo_t {
  uint32_t struct_size;
  uint32_t arg_count;
  uint32_t max_group_items;          /**< largest work-group */
  uint32_t reserved;                 /**< 0 */
  uint64_t local_bytes;              /**< local memory that the kernel itself uses in each work-group */
  uint64_t private_bytes;            /**< memory of each work-item that did not fit into registers */
  uint32_t required_group_size[3];   /**< zeros: any */
  uint32_t preferred_group_multiple; /**< work-items: a good group size is a multiple of it */
  char name[256];
  int32_t tier;             /**< RT_TIER_*; this and what follows are of the code that a launch would run now */
  int32_t barriers;         /**< RT_BARRIERS_* */
  uint32_t lanes;           /**< CPU: work-items that run side by side as one vector, at most; 0: none, or not known */
  int32_t lane_dimension;   /**< along which these are neighbours, 0 to 2; -1: there are none */
  int32_t no_lanes;         /**< RT_LANES_*: why not all loops over work-items run as vectors */
  uint32_t registers;       /**< CUDA: registers of a work-item; 0: not known */
  uint32_t groups_per_unit; /**< CUDA: work-groups of max_group_items that a compute unit runs at the same time, where a launch
                                 asks for no local memory; 0: not known */
  uint32_t scalar_loops;    /**< CPU: loops over work-items that do not run as vectors; 0: all do, or not known */
} rtKernelInfo_t;
/* clang-format off */
#define RT_KERNEL_INFO_INIT                                                                                \
  {sizeof(rtKernelInfo_t) /* struct_size */, 0 /* arg_count */, 0 /* max_group_items */, 0 /* reserved */, \
   0 /* local_bytes */, 0 /* private_bytes */, {0, 0, 0} /* required_group_size */,                        \
   0 /* preferred_group_multiple */, {0} /* name */, 0 /* tier */, 0 /* barriers */, 0 /* lanes */,        \
   0 /* lane_dimension */, 0 /* no_lanes */, 0 /* registers */, 0 /* groups_per_unit */,                  \
   0 /* scalar_loops */}
/* clang-format on */

/** Result of rtKernelGetArgInfo. */
typedef struct rtKernelArgInfo_t {
  uint32_t struct_size;
  uint32_t index;
  uint32_t size;         /**< bytes of the value */
  int32_t kind;          /**< RT_ARG_* */
  char name[64];         /**< empty if unknown */
  char type_name[64];    /**< empty if unknown */
  uint32_t qualifiers;   /**< RT_QUALIFIER_CONST and its like, joined by or; 0 if unknown */
  int32_t address_space; /**< RT_ADDRESS_SPACE_* */
  int32_t access;        /**< RT_ACCESS_*; unknown if it is a value */
} rtKernelArgInfo_t;
/* clang-format off */
#define RT_KERNEL_ARG_INFO_INIT                                                                            \
  {sizeof(rtKernelArgInfo_t) /* struct_size */, 0 /* index */, 0 /* size */, 0 /* kind */, {0} /* name */, \
   {0} /* type_name */, 0 /* qualifiers */, 0 /* address_space */, 0 /* access */}
/* clang-format on */

/** Options of rtLaunchKernelWithOptions. */
typedef struct rtLaunchOptions_t {
  uint32_t struct_size;
  uint32_t flags;            /**< 0 or RT_LAUNCH_COOPERATIVE */
  const uint32_t* arg_sizes; /**< sizes of the arguments as the caller has them: INVALID_VALUE where the kernel, of source or of
                                  an image, has others; may be NULL */
  uint32_t arg_size_count;   /**< elements of arg_sizes */
  uint32_t reserved;         /**< 0 */
  uint64_t global_offset[3]; /**< get_global_id() of the first work-item: see rtLaunchKernelWithOptions */
} rtLaunchOptions_t;
/* clang-format off */
#define RT_LAUNCH_OPTIONS_INIT                                                                               \
  {sizeof(rtLaunchOptions_t) /* struct_size */, 0 /* flags */, NULL /* arg_sizes */, 0 /* arg_size_count */, \
   0 /* reserved */, {0, 0, 0} /* global_offset */}
/* clang-format on */

/** Memory that a node names: a place in a buffer of its graph, or an address; used in arrays, never grows. */
typedef struct rtGraphOperand_t {
  rtGraphBuffer_t buffer; /**< of the same graph; may be NULL if pointer is meant */
  uint64_t offset;        /**< bytes from the start of buffer; 0 where buffer is NULL */
  void* pointer;          /**< an address, refused beside buffer; may be NULL if buffer is given, or as an argument */
} rtGraphOperand_t;

/** One argument of a kernel in a graph; used in arrays, never grows. */
typedef struct rtGraphArg_t {
  int32_t kind;            /**< RT_ARG_* */
  uint32_t access;         /**< RT_ARG_POINTER: RT_GRAPH_READ, RT_GRAPH_WRITE or both; 0: both */
  uint64_t size;           /**< RT_ARG_VALUE: bytes at value; RT_ARG_LOCAL: bytes to reserve; RT_ARG_POINTER: bytes
                                that are used; 0: unknown, up to the end; RT_ARG_GRAPH_VALUE: 0, or those of the value */
  const void* value;       /**< RT_ARG_VALUE: the value, copied; RT_ARG_GRAPH_VALUE: its rtGraphValue_t, of the same
                                graph; may be NULL if kind is another */
  rtGraphOperand_t memory; /**< RT_ARG_POINTER; else zeros */
} rtGraphArg_t;

/** The node that rtGraphAddKernelNode adds. */
typedef struct rtGraphKernelParams_t {
  uint32_t struct_size;
  uint32_t arg_count;        /**< elements of args */
  rtKernel_t kernel;         /**< may be NULL if name is given */
  const char* name;          /**< a kernel that is found when a plan is made; may be NULL if kernel is given */
  const rtGraphArg_t* args;  /**< may be NULL if arg_count is 0 */
  uint32_t grid[3];          /**< work-groups; a zero: nothing runs */
  uint32_t group[3];         /**< work-items in each, none 0; where grid and group are all zeros, both are 1 x 1 x 1 */
  uint32_t local_bytes;      /**< as for rtLaunchKernel */
  uint32_t flags;            /**< 0 or RT_LAUNCH_COOPERATIVE */
  uint64_t global_offset[3]; /**< as in rtLaunchOptions_t */
} rtGraphKernelParams_t;
/* clang-format off */
#define RT_GRAPH_KERNEL_PARAMS_INIT                                                                               \
  {sizeof(rtGraphKernelParams_t) /* struct_size */, 0 /* arg_count */, NULL /* kernel */, NULL /* name */,        \
   NULL /* args */, {1, 1, 1} /* grid */, {1, 1, 1} /* group */, 0 /* local_bytes */, 0 /* flags */,              \
   {0, 0, 0} /* global_offset */}
/* clang-format on */

/** The node that rtGraphAddMemcpyNode adds. */
typedef struct rtGraphMemcpyParams_t {
  uint32_t struct_size;
  int32_t kind; /**< RT_MEMCPY_* */
  rtGraphOperand_t dst;
  rtGraphOperand_t src;
  uint64_t size; /**< bytes, not 0 */
} rtGraphMemcpyParams_t;
/* clang-format off */
#define RT_GRAPH_MEMCPY_PARAMS_INIT                                                                     \
  {sizeof(rtGraphMemcpyParams_t) /* struct_size */, 0 /* kind */, {NULL, 0, NULL} /* dst */,            \
   {NULL, 0, NULL} /* src */, 0 /* size */}
/* clang-format on */

/** The node that rtGraphAddMemcpy2DNode adds. */
typedef struct rtGraphMemcpy2DParams_t {
  uint32_t struct_size;
  int32_t kind; /**< RT_MEMCPY_* */
  rtGraphOperand_t dst;
  rtGraphOperand_t src;
  uint64_t dst_pitch; /**< bytes from row to row, at least width */
  uint64_t src_pitch;
  uint64_t width;  /**< bytes of a row, not 0 */
  uint64_t height; /**< rows, not 0 */
} rtGraphMemcpy2DParams_t;
/* clang-format off */
#define RT_GRAPH_MEMCPY_2D_PARAMS_INIT                                                                  \
  {sizeof(rtGraphMemcpy2DParams_t) /* struct_size */, 0 /* kind */, {NULL, 0, NULL} /* dst */,          \
   {NULL, 0, NULL} /* src */, 0 /* dst_pitch */, 0 /* src_pitch */, 0 /* width */, 0 /* height */}
/* clang-format on */

/** The node that rtGraphAddFillNode adds: `height` rows of `count` patterns. */
typedef struct rtGraphFillParams_t {
  uint32_t struct_size;
  uint32_t pattern_size; /**< 1, 2, 4, 8, 16 */
  uint8_t pattern[16];
  rtGraphOperand_t dst; /**< aligned to the pattern */
  uint64_t count;       /**< patterns in a row, not 0 */
  uint64_t pitch;       /**< bytes from row to row; not used for one row */
  uint64_t height;      /**< rows; 0 is one */
} rtGraphFillParams_t;
/* clang-format off */
#define RT_GRAPH_FILL_PARAMS_INIT                                                                       \
  {sizeof(rtGraphFillParams_t) /* struct_size */, 0 /* pattern_size */, {0} /* pattern */,              \
   {NULL, 0, NULL} /* dst */, 0 /* count */, 0 /* pitch */, 0 /* height */}
/* clang-format on */

/** The node that rtGraphAddHostNode adds. */
typedef struct rtGraphHostParams_t {
  uint32_t struct_size;
  uint32_t reserved; /**< 0 */
  rtHostFunction_t function;
  void* user;                  /**< passed to function; may be NULL */
  rtReleaseFunction_t release; /**< called once with user when graph, plans and execs are gone; may be NULL */
} rtGraphHostParams_t;
/* clang-format off */
#define RT_GRAPH_HOST_PARAMS_INIT                                                                       \
  {sizeof(rtGraphHostParams_t) /* struct_size */, 0 /* reserved */, NULL /* function */, NULL /* user */, \
   NULL /* release */}
/* clang-format on */

/** The node that rtGraphAddNativeNode adds. */
typedef struct rtGraphNativeParams_t {
  uint32_t struct_size;
  uint32_t reserved; /**< 0 */
  rtNativeFunction_t function;
  void* user;                  /**< passed to function; may be NULL */
  rtReleaseFunction_t release; /**< called once with user when graph, plans and execs are gone; may be NULL */
} rtGraphNativeParams_t;
/* clang-format off */
#define RT_GRAPH_NATIVE_PARAMS_INIT                                                                       \
  {sizeof(rtGraphNativeParams_t) /* struct_size */, 0 /* reserved */, NULL /* function */, NULL /* user */, \
   NULL /* release */}
/* clang-format on */

/** The memory that a buffer of a child graph is bound to; used in arrays, never grows. */
typedef struct rtGraphBinding_t {
  rtGraphBuffer_t buffer;  /**< of the child */
  rtGraphOperand_t memory; /**< in the graph that has the node, or an address */
} rtGraphBinding_t;

/** The meaning of a child graph's value; used in arrays, never grows. */
typedef struct rtGraphValueBinding_t {
  rtGraphValue_t value; /**< of the child */
  rtGraphValue_t outer; /**< of the graph that has the node, with the same size; may be NULL if data is given */
  const void* data;     /**< size bytes, copied; may be NULL if outer is given */
  uint64_t size;        /**< those of value; 0 where data is NULL */
} rtGraphValueBinding_t;

/** The node that rtGraphAddChildGraphNode adds. */
typedef struct rtGraphChildParams_t {
  uint32_t struct_size;
  uint32_t binding_count;           /**< elements of bindings */
  rtGraph_t graph;                  /**< copied as it is now */
  const rtGraphBinding_t* bindings; /**< one for each buffer of graph that is no temporary; may be NULL if there is none */
  uint32_t value_binding_count;     /**< elements of value_bindings */
  uint32_t reserved;                /**< 0 */
  const rtGraphValueBinding_t* value_bindings; /**< one for each value of graph that has none at first; may be NULL if
                                                    there is none */
} rtGraphChildParams_t;
/* clang-format off */
#define RT_GRAPH_CHILD_PARAMS_INIT                                                                        \
  {sizeof(rtGraphChildParams_t) /* struct_size */, 0 /* binding_count */, NULL /* graph */, NULL /* bindings */, \
   0 /* value_binding_count */, 0 /* reserved */, NULL /* value_bindings */}
/* clang-format on */

/** The node that rtGraphAddEventRecordNode or rtGraphAddEventWaitNode adds. */
typedef struct rtGraphEventParams_t {
  uint32_t struct_size;
  uint32_t reserved; /**< 0 */
  rtEvent_t event;
} rtGraphEventParams_t;
/* clang-format off */
#define RT_GRAPH_EVENT_PARAMS_INIT                                                            \
  {sizeof(rtGraphEventParams_t) /* struct_size */, 0 /* reserved */, NULL /* event */}
/* clang-format on */

/** The node that rtGraphAddFenceSignalNode or rtGraphAddFenceWaitNode adds. */
typedef struct rtGraphFenceParams_t {
  uint32_t struct_size;
  uint32_t reserved; /**< 0 */
  rtFence_t fence;
  uint64_t value;
} rtGraphFenceParams_t;
/* clang-format off */
#define RT_GRAPH_FENCE_PARAMS_INIT                                                                      \
  {sizeof(rtGraphFenceParams_t) /* struct_size */, 0 /* reserved */, NULL /* fence */, 0 /* value */}
/* clang-format on */

/** Result of rtGraphBufferGetInfo. */
typedef struct rtGraphBufferInfo_t {
  uint32_t struct_size;
  int32_t role;   /**< RT_GRAPH_BUFFER_* */
  uint64_t size;  /**< bytes */
  char name[128]; /**< cut to what fits; empty: it has none */
} rtGraphBufferInfo_t;
/* clang-format off */
#define RT_GRAPH_BUFFER_INFO_INIT \
  {sizeof(rtGraphBufferInfo_t) /* struct_size */, 0 /* role */, 0 /* size */, {0} /* name */}
/* clang-format on */

/** Result of rtGraphValueGetInfo. */
typedef struct rtGraphValueInfo_t {
  uint32_t struct_size;
  uint32_t size;        /**< bytes */
  uint32_t has_initial; /**< 1: launches before rtGraphExecBindValue have the bytes given to rtGraphAddValue; else 0 */
  char name[128];       /**< cut to what fits; empty: it has none */
} rtGraphValueInfo_t;
/* clang-format off */
#define RT_GRAPH_VALUE_INFO_INIT \
  {sizeof(rtGraphValueInfo_t) /* struct_size */, 0 /* size */, 0 /* has_initial */, {0} /* name */}
/* clang-format on */

/** Options of rtCapturePlanCreate. */
typedef struct rtCapturePlanOptions_t {
  uint32_t struct_size;
  uint32_t module_count;     /**< elements of modules */
  const rtModule_t* modules; /**< where kernels that are named are found, the first one first; may be NULL if there are none */
  uint32_t max_streams;      /**< at most, 64 and less; 0: 4 */
  uint32_t flags;            /**< 0 */
} rtCapturePlanOptions_t;
/* clang-format off */
#define RT_CAPTURE_PLAN_OPTIONS_INIT                                                                          \
  {sizeof(rtCapturePlanOptions_t) /* struct_size */, 0 /* module_count */, NULL /* modules */, 0 /* max_streams */, \
   0 /* flags */}
/* clang-format on */

/** Result of rtCapturePlanGetInfo. */
typedef struct rtCapturePlanInfo_t {
  uint32_t struct_size;
  uint32_t node_count;                    /**< of the graph */
  uint32_t step_count;                    /**< with what child graphs consist of */
  uint32_t level_count;                   /**< steps on the longest way */
  uint32_t stream_count;                  /**< with that of the launch */
  uint32_t dependency_count;              /**< that do not follow from others */
  uint64_t temporary_bytes;               /**< of an exec, for all temporaries */
  uint64_t temporary_bytes_without_reuse; /**< if each had its own place */
  uint64_t temporary_bytes_live;          /**< of those of which no two may share, at most: no plan needs less */
  uint32_t buffer_count;                  /**< of the graph, with the temporaries of child graphs */
  uint32_t reserved;                      /**< 0 */
} rtCapturePlanInfo_t;
/* clang-format off */
#define RT_CAPTURE_PLAN_INFO_INIT                                                                             \
  {sizeof(rtCapturePlanInfo_t) /* struct_size */, 0 /* node_count */, 0 /* step_count */, 0 /* level_count */, \
   0 /* stream_count */, 0 /* dependency_count */, 0 /* temporary_bytes */,                                    \
   0 /* temporary_bytes_without_reuse */, 0 /* temporary_bytes_live */, 0 /* buffer_count */, 0 /* reserved */}
/* clang-format on */

/** Result of rtCapturePlanGetStep. */
typedef struct rtCapturePlanStep_t {
  uint32_t struct_size;
  int32_t type;              /**< RT_GRAPH_NODE_* */
  rtGraphNode_t node;        /**< of the graph; of a child graph's step the node that holds the child */
  uint32_t stream;           /**< 0: that of the launch */
  uint32_t level;            /**< steps on the longest way to it */
  int32_t verdict;           /**< RT_VERDICT_* */
  uint32_t dependency_count; /**< that do not follow from others */
  uint64_t memory_offset;    /**< of the temporaries that it uses the lowest place; UINT64_MAX: it uses none */
} rtCapturePlanStep_t;
/* clang-format off */
#define RT_CAPTURE_PLAN_STEP_INIT                                                                        \
  {sizeof(rtCapturePlanStep_t) /* struct_size */, 0 /* type */, NULL /* node */, 0 /* stream */,         \
   0 /* level */, 0 /* verdict */, 0 /* dependency_count */, 0 /* memory_offset */}
/* clang-format on */

/** Result of rtCapturePlanGetBuffer. */
typedef struct rtCapturePlanBuffer_t {
  uint32_t struct_size;
  int32_t role;        /**< RT_GRAPH_BUFFER_* */
  uint64_t size;       /**< bytes */
  uint64_t offset;     /**< of a temporary that is used: its place among all temporaries; UINT64_MAX: it has none */
  uint32_t first_step; /**< the first and the last step that names it; first_step above last_step: none does */
  uint32_t last_step;
} rtCapturePlanBuffer_t;
/* clang-format off */
#define RT_CAPTURE_PLAN_BUFFER_INIT                                                                 \
  {sizeof(rtCapturePlanBuffer_t) /* struct_size */, 0 /* role */, 0 /* size */, 0 /* offset */,     \
   0 /* first_step */, 0 /* last_step */}
/* clang-format on */

/* ---- Library ------------------------------------------------------------------------------------------------------ */

/** Returns the version of the library, which may be newer than this header's.
 *  @param[out] version  receives major * 10000 + minor * 100 + patch
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtGetVersion(uint32_t* version);

/** Starts the library and counts a reference. Optional: the first use starts it too, without a reference.
 *  blocks: never
 *  capture: outside
 *  errors: none */
RT_API rtStatus_t rtInit(void);

/** Gives back one rtInit. The last one, or one without rtInit, ends the library for good. It refuses new work on all threads
 *  and in host functions, then waits for work in flight. Afterwards only version, texts, destroys and frees work.
 *  While it waits, calls that let work end still work: rtFenceSignal, waits and queries of streams, events, fences, contexts
 *  and devices, destroys and frees. It waits as long as work in flight waits for a fence that nothing signals.
 *  blocks: yes
 *  capture: outside
 *  errors: BUSY (inside a function that the library calls), OUT_OF_MEMORY (the library goes on) */
RT_API rtStatus_t rtShutdown(void);

/** Returns the name of a status, such as "RT_ERROR_INVALID_VALUE". Never NULL; static, never freed.
 *  @param[in] status  any value
 *  blocks: never
 *  capture: outside
 *  errors: none */
RT_API const char* rtGetErrorName(rtStatus_t status);

/** Returns the general meaning of a status; rtGetLastErrorMessage has the particulars. Never NULL; static, never freed.
 *  @param[in] status  any value
 *  blocks: never
 *  capture: outside
 *  errors: none */
RT_API const char* rtGetErrorString(rtStatus_t status);

/** Returns the sentence of this thread's last failed call: what was asked, the limit it met, the words of the driver.
 *  Success does not clear it. Empty if no call has failed. A short buffer is truncated and terminated.
 *  The sentence is on the operating system's thread. In a language whose code may move to another thread between two calls,
 *  such as Go, call through rt_message.h. Each of its functions fetches the sentence before it returns.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtGetLastErrorMessage(char* buffer, size_t size, size_t* needed);

/** Sends log lines to callback. When this returns, the earlier callback has run for the last time.
 *  @param[in] callback  may be NULL: stderr
 *  @param[in] user      passed to callback; may be NULL
 *  @param[in] level     RT_LOG_*: the most verbose level to pass on
 *  blocks: maybe, while another thread is inside the earlier callback
 *  capture: outside
 *  errors: INVALID_VALUE, BUSY (inside a log callback) */
RT_API rtStatus_t rtSetLogCallback(rtLogCallback_t callback, void* user, int32_t level);

/** Writes a line to the log, for libraries that are built on this one. A line that is more verbose than wanted is dropped.
 *  @param[in] level  RT_LOG_*, but RT_LOG_NONE
 *  @param[in] line   copied; of more than 1023 bytes these
 *  blocks: maybe, in the log callback
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtLogWrite(int32_t level, const char* line);

/** Counts the handles of a kind that the program has made and not destroyed, for leak checks. Devices, primary contexts,
 *  default streams and default pools are not counted.
 *  @param[out] count  receives the number
 *  @param[in]  kind   RT_HANDLE_*
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtGetLiveHandleCount(uint64_t* count, int32_t kind);

/* ---- Backends and devices ----------------------------------------------------------------------------------------- */

/** Tells whether a backend can be used, and if not, why.
 *  @param[inout] info     struct_size set by the caller; receives the rest
 *  @param[in]    backend  RT_BACKEND_*, but RT_BACKEND_ALL
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, NOT_SUPPORTED */
RT_API rtStatus_t rtBackendGetInfo(rtBackendInfo_t* info, int32_t backend);

/** Returns the number of devices, as cudaGetDeviceCount. 0 and success if a driver is missing.
 *  @param[out] count    receives the number
 *  @param[in]  backend  RT_BACKEND_*; RT_BACKEND_ALL leaves RT_BACKEND_NULL out
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtDeviceGetCount(int32_t* count, int32_t backend);

/** Finds a device by its index. A second call gives an equal handle, valid until rtShutdown; there is nothing to destroy.
 *  @param[out] device   receives the device
 *  @param[in]  backend  RT_BACKEND_*; with RT_BACKEND_ALL the ordinal counts over all backends
 *  @param[in]  ordinal  0 to count - 1
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_DEVICE, BACKEND_UNAVAILABLE */
RT_API rtStatus_t rtDeviceGet(rtDevice_t* device, int32_t backend, int32_t ordinal);

/** Finds a device by its id: "cpu", "cuda:0", "opencl:1", "null:0".
 *  @param[out] device  receives the device
 *  @param[in]  name    the id; may be NULL: the one that RT_DEVICE names, else the best
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, NOT_FOUND */
RT_API rtStatus_t rtDeviceGetByName(rtDevice_t* device, const char* name);

/** Returns backend and ordinal of a device: the inverse of rtDeviceGet.
 *  @param[out] backend  receives RT_BACKEND_*
 *  @param[out] ordinal  receives the index within the backend; may be NULL
 *  @param[in]  device   the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtDeviceGetBackend(int32_t* backend, int32_t* ordinal, rtDevice_t device);

/** Describes a device and its limits, as cudaGetDeviceProperties.
 *  @param[inout] properties  struct_size set by the caller; receives the rest
 *  @param[in]    device      the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtDeviceGetProperties(rtDeviceProperties_t* properties, rtDevice_t device);

/** Returns one number of a device, as cudaDeviceGetAttribute: every integer property, and more. A clock or a cache that the
 * driver does not tell, or the device does not have, is NOT_SUPPORTED.
 *  @param[out] value      receives the number
 *  @param[in]  attribute  RT_ATTRIBUTE_*
 *  @param[in]  device     the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtDeviceGetAttribute(int64_t* value, int32_t attribute, rtDevice_t device);

/** Tells whether a device has an optional capability.
 *  @param[out] has         receives 1 or 0
 *  @param[in]  capability  RT_CAPABILITY_*
 *  @param[in]  device      the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtDeviceHasCapability(int32_t* has, int32_t capability, rtDevice_t device);

/** Returns free and total memory of a device, as its driver reports them. Creates no context.
 *  @param[out] free_bytes   receives the free bytes; may be NULL
 *  @param[out] total_bytes  receives all bytes; may be NULL
 *  @param[in]  device       the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtDeviceGetMemInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtDevice_t device);

/** Tells whether device can read and write peer's memory directly, as cudaDeviceCanAccessPeer. Copies work either way.
 *  @param[out] can     receives 1 or 0
 *  @param[in]  peer    the device that has the memory
 *  @param[in]  device  the device that accesses it
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtDeviceCanAccessPeer(int32_t* can, rtDevice_t peer, rtDevice_t device);

/** Waits for all work submitted to the device's contexts before the call began. Returns the first failure and clears none.
 *  @param[in] device  the device
 *  blocks: yes
 *  capture: outside
 *  errors: INVALID_HANDLE, BUSY (inside a host function), LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtDeviceSynchronize(rtDevice_t device);

/** Returns the state of a device: RT_SUCCESS, or RT_ERROR_DEVICE_LOST for ever.
 *  @param[out] status  receives the state
 *  @param[in]  device  the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtDeviceGetStatus(rtStatus_t* status, rtDevice_t device);

/** Tells in words how a device was lost; empty if it is not. A short buffer is truncated and terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  @param[in]  device  the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtDeviceGetLossMessage(char* buffer, size_t size, size_t* needed, rtDevice_t device);

/* ---- Contexts ----------------------------------------------------------------------------------------------------- */

/** Makes a context of a device, as cuCtxCreate, but leaves the thread's current context alone.
 *  @param[out] context  receives the context, which the caller destroys
 *  @param[in]  options  may be NULL
 *  @param[in]  device   the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextCreate(rtContext_t* context, const rtContextOptions_t* options, rtDevice_t device);

/** Ends a context. Handles of its children are stale at once, work in flight completes, memory stays until its own
 *  rtFree. Fences of the context end as with rtFenceDestroy. A wait for a value that is not reached fails, even if a stream has
 *  accepted the signal. A primary context is refused.
 *  @param[in] context  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (a primary context), INVALID_HANDLE */
RT_API rtStatus_t rtContextDestroy(rtContext_t context);

/** Returns the primary context of a device: one for all callers, which lives until rtShutdown.
 *  @param[out] context  receives the context; borrowed
 *  @param[in]  device   the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextGetPrimary(rtContext_t* context, rtDevice_t device);

/** Sets the context that NULL means on this thread, as cuCtxSetCurrent. After the destruction of that context, calls with NULL
 *  return INVALID_HANDLE on this thread until another one is set.
 *  @param[in] context  borrowed; may be NULL: back to the default device's primary context
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtContextSetCurrent(rtContext_t context);

/** Returns this thread's current context. Creates nothing.
 *  @param[out] context  receives what rtContextSetCurrent set here, or NULL; borrowed
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtContextGetCurrent(rtContext_t* context);

/** Returns the device of a context.
 *  @param[out] device   receives the device
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtContextGetDevice(rtDevice_t* device, rtContext_t context);

/** Returns the stream that NULL means for a context. It lives as long as the context and cannot be destroyed.
 *  @param[out] stream   receives the stream; borrowed
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextGetDefaultStream(rtStream_t* stream, rtContext_t context);

/** Returns the pool that rtMalloc and rtMallocAsync use.
 *  @param[out] pool     receives the pool; borrowed
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextGetDefaultPool(rtMemPool_t* pool, rtContext_t context);

/** Counts the streams, events and points of a context. While other threads work, the counts may be a moment old.
 *  @param[inout] stats    struct_size set by the caller; receives the rest, 0 before the context's first use
 *  @param[in]    context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtContextGetStats(rtContextStats_t* stats, rtContext_t context);

/** Makes a pool of device memory the one that rtMalloc and rtMallocAsync use. When it is destroyed, they use the context's own
 *  pool again.
 *  @param[in] pool     a pool of this context; borrowed
 *  @param[in] context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND */
RT_API rtStatus_t rtContextSetDefaultPool(rtMemPool_t pool, rtContext_t context);

/** Waits for all work submitted to the context's streams before the call began, and not for work that other threads submit
 *  meanwhile. Returns the first failure and clears none.
 *  @param[in] context  may be NULL: current
 *  blocks: yes
 *  capture: outside
 *  errors: INVALID_HANDLE, NOT_FOUND, BUSY (inside a host function of the context), LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER */
RT_API rtStatus_t rtContextSynchronize(rtContext_t context);

/** Gives back all that the context has made at its first use (native context, pools, queues, caches). The next use makes it
 *  again. Waits for work that was submitted before the call. Meanwhile creating any object in the context is BUSY.
 *  @param[in] context  may be NULL: current; a primary one is legal
 *  blocks: maybe, for work in flight to leave
 *  capture: outside
 *  errors: INVALID_HANDLE, NOT_FOUND, BUSY (a stream, event, fence, pool, kernel, module or allocation of it is
 *    alive) */
RT_API rtStatus_t rtContextReset(rtContext_t context);

/** Lets kernels of context use addresses of peer, as cudaDeviceEnablePeerAccess, until one of the two contexts is reset. A
 * second call is success. Copies do not need it.
 *  @param[in] peer     the context that has the memory; may be NULL: current
 *  @param[in] context  the context that accesses it; may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextEnablePeerAccess(rtContext_t peer, rtContext_t context);

/** Keeps one pointer with a context, for the state of an operator library. The earlier pointer is released.
 *  @param[in] user     kept; may be NULL
 *  @param[in] release  called once with user when it is replaced or the context ends; may be NULL
 *  @param[in] context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY */
RT_API rtStatus_t rtContextSetUserData(void* user, rtReleaseFunction_t release, rtContext_t context);

/** Returns the pointer that rtContextSetUserData has set, else NULL.
 *  @param[out] user     receives the pointer
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtContextGetUserData(void** user, rtContext_t context);

/* ---- Streams ------------------------------------------------------------------------------------------------------ */

/** Makes a stream, as cudaStreamCreateWithPriority with cudaStreamNonBlocking. Its work runs in order; towards other
 *  streams there is no order but that of events and fences.
 *  @param[out] stream   receives the stream, which the caller destroys
 *  @param[in]  options  may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED, NOT_FOUND, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamCreate(rtStream_t* stream, const rtStreamOptions_t* options, rtContext_t context);

/** Ends a stream. Work submitted before completes. A context's default stream is refused.
 *  @param[in] stream  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (a default stream), INVALID_HANDLE */
RT_API rtStatus_t rtStreamDestroy(rtStream_t stream);

/** Waits for all work submitted to the stream so far, as cudaStreamSynchronize. Returns the stream's failure and, alone
 *  of all calls, clears it.
 *  @param[in] stream  may be NULL: default
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_HANDLE, NOT_FOUND, BUSY (inside a host function of the stream), CAPTURE_UNSAFE, LAUNCH_FAILED,
 *    DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamSynchronize(rtStream_t stream);

/** Tells whether all work submitted so far is complete: RT_SUCCESS, RT_NOT_READY, or the stream's failure. Work that another
 * call has shown to be complete is never RT_NOT_READY here: an event, the stream up to it, and all work before them.
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_HANDLE, NOT_FOUND, CAPTURE_UNSAFE, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamQuery(rtStream_t stream);

/** As rtStreamSynchronize with a limit; does not clear a failure.
 *  @param[in] timeout_ns  nanoseconds; 0 polls, RT_TIMEOUT_INFINITE is for ever
 *  @param[in] stream      may be NULL: default
 *  blocks: yes
 *  capture: unsafe
 *  errors: TIMEOUT, INVALID_HANDLE, NOT_FOUND, BUSY (inside a host function of the stream), CAPTURE_UNSAFE,
 *    LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamSynchronizeFor(uint64_t timeout_ns, rtStream_t stream);

/** Makes later work of the stream wait for the event's last record, as cudaStreamWaitEvent; also between contexts and
 *  backends. An event that was never recorded is complete.
 *  @param[in] event   may be destroyed or recorded again afterwards
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_HANDLE, NOT_FOUND, CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamWaitEvent(rtEvent_t event, rtStream_t stream);

/** Makes later work of the stream wait for all work that other has now.
 *  @param[in] other   may be NULL: default
 *  @param[in] stream  may be NULL: default; the same as other: nothing happens
 *  blocks: never
 *  capture: node
 *  errors: INVALID_HANDLE, NOT_FOUND, CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamWaitStream(rtStream_t other, rtStream_t stream);

/** Makes later work of the stream wait for all work that the streams of a context have now. The stream takes over their
 * failures, except those of destroyed streams.
 *  @param[in] other   may be NULL: current
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_HANDLE, NOT_FOUND, CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamWaitContext(rtContext_t other, rtStream_t stream);

/** Makes later work of the stream wait for the last use of memory, for the exchange of arrays between libraries (DLPack, array
 *  protocols). The library does not track which stream uses which memory. So it waits for all present work of the streams of
 *  the memory's context, and for work with this memory in other contexts. The stream takes over the failures of the owner's
 *  streams, as rtStreamWaitContext does.
 *  @param[in] pointer  an address inside an allocation, registered or imported memory
 *  @param[in] stream   may be NULL: default
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamWaitPointer(const void* pointer, rtStream_t stream);

/** Returns the context of a stream.
 *  @param[out] context  receives the context; borrowed
 *  @param[in]  stream   may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtStreamGetContext(rtContext_t* context, rtStream_t stream);

/** Returns the priority of a stream after clamping: 0 is normal, negative is higher.
 *  @param[out] priority  receives the priority
 *  @param[in]  stream    may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtStreamGetPriority(int32_t* priority, rtStream_t stream);

/** Calls a function in the stream's order, as cudaLaunchHostFunc, on a thread of the library. It is called exactly once for
 *  each success of this call, also after rtStreamDestroy. In a capture the call becomes a node, and the function is called once
 *  for each launch of it. If the stream has failed, the function gets the failure. rt calls are legal inside, and the current
 *  context is that of the stream. A wait for the function's own stream is BUSY.
 *  @param[in] function  called once; captured: once for each launch
 *  @param[in] user      passed to function; may be NULL
 *  @param[in] stream    may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtLaunchHostFunction(rtHostFunction_t function, void* user, rtStream_t stream);

/** Like rtLaunchHostFunction. release(user) is called after the last use of user: after function returned; if captured, when
 *  the graph and all its plans and execs are destroyed. If this call fails, user stays the caller's, and release is not called.
 *  @param[in] function  as for rtLaunchHostFunction
 *  @param[in] user      passed to function and release; may be NULL
 *  @param[in] release   called once with user; may be NULL
 *  @param[in] stream    may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtLaunchHostFunctionWithRelease(rtHostFunction_t function, void* user, rtReleaseFunction_t release,
                                                  rtStream_t stream);

/* ---- Events and fences -------------------------------------------------------------------------------------------- */

/** Makes an event, as cudaEventCreate. Timing is on unless the options say otherwise.
 *  @param[out] event    receives the event, which the caller destroys
 *  @param[in]  options  may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventCreate(rtEvent_t* event, const rtEventOptions_t* options, rtContext_t context);

/** Ends an event. Waits that were submitted keep its record.
 *  @param[in] event  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtEventDestroy(rtEvent_t event);

/** Tells whether the last record is complete: RT_SUCCESS, RT_NOT_READY, or the failure before it. An event that was never
 * recorded is complete.
 *  @param[in] event  the event
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_HANDLE, CAPTURE_UNSAFE, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventQuery(rtEvent_t event);

/** Waits for the last record, as cudaEventSynchronize.
 *  @param[in] event  the event
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_HANDLE, BUSY (inside a host function of its stream), CAPTURE_UNSAFE, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER */
RT_API rtStatus_t rtEventSynchronize(rtEvent_t event);

/** As rtEventSynchronize with a limit.
 *  @param[in] timeout_ns  nanoseconds; 0 polls, RT_TIMEOUT_INFINITE is for ever
 *  @param[in] event       the event
 *  blocks: yes
 *  capture: unsafe
 *  errors: TIMEOUT, INVALID_HANDLE, BUSY (inside a host function of its stream), CAPTURE_UNSAFE, LAUNCH_FAILED,
 *    DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventSynchronizeFor(uint64_t timeout_ns, rtEvent_t event);

/** Opens a descriptor that can be read once the event's last record is reached, for event loops (poll, epoll, select). A record
 *  that failed is reached too: rtEventQuery tells. An event that was never recorded is reached. A later record does not change
 *  the descriptor.
 *  @param[out] descriptor  receives an eventfd, which the caller closes with close(); -1 on failure
 *  @param[in]  event       the event
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_VALUE, INVALID_HANDLE, CAPTURE_UNSAFE, OUT_OF_MEMORY */
RT_API rtStatus_t rtEventGetDescriptor(int32_t* descriptor, rtEvent_t event);

/** Records in the event all work that the stream has now, as cudaEventRecord. Replaces the earlier record.
 *  @param[in] event   an event of the stream's context
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtEventRecord(rtEvent_t event, rtStream_t stream);

/** Returns the device time between two records, as cudaEventElapsedTime. RT_NOT_READY while one is pending.
 *  @param[out] milliseconds  receives the time; negative if end came first
 *  @param[in]  start         a timed, recorded event
 *  @param[in]  end           a timed, recorded event of the same device
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_VALUE (never recorded, untimed, two devices), INVALID_HANDLE, CAPTURE_UNSAFE, LAUNCH_FAILED,
 *    DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventElapsedTime(float* milliseconds, rtEvent_t start, rtEvent_t end);

/** As rtEventElapsedTime, in nanoseconds.
 *  @param[out] nanoseconds  receives the time; negative if end came first
 *  @param[in]  start        a timed, recorded event
 *  @param[in]  end          a timed, recorded event of the same device
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_VALUE (never recorded, untimed, two devices), INVALID_HANDLE, CAPTURE_UNSAFE, LAUNCH_FAILED,
 *    DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventElapsedNanoseconds(int64_t* nanoseconds, rtEvent_t start, rtEvent_t end);

/** Returns when the stream passed the last record, on the host's clock. RT_NOT_READY while it is pending. A device's clock is
 *  placed on the host's anew where that was long ago, as for a trace; the error grows with the time between that and the
 *  record, since clocks drift. So ask soon.
 *  @param[out] host_ns   receives nanoseconds of CLOCK_MONOTONIC
 *  @param[out] error_ns  receives how far from it the time may be, earlier or later; 0 on the CPU; may be NULL
 *  @param[in]  event     a timed, recorded event
 *  blocks: maybe, up to 0.2 s, while the device's clock is looked at
 *  capture: unsafe
 *  errors: INVALID_VALUE (never recorded, untimed), INVALID_HANDLE, CAPTURE_UNSAFE, NOT_SUPPORTED (the driver gives no times),
 *    BUSY (the device has too much to do to tell its clock), LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventGetTimestamp(uint64_t* host_ns, uint64_t* error_ns, rtEvent_t event);

/** Makes a fence, as a Vulkan timeline semaphore: a value that only grows. The host and streams of any context and backend
 *  signal it and wait for it. A wait may come before its signal.
 *  @param[out] fence    receives the fence, which the caller destroys
 *  @param[in]  value    the first value
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY */
RT_API rtStatus_t rtFenceCreate(rtFence_t* fence, uint64_t value, rtContext_t context);

/** Ends a fence. Waits for it fail with INVALID_HANDLE; a waiting stream latches that failure.
 *  @param[in] fence  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtFenceDestroy(rtFence_t fence);

/** Returns the present value of a fence.
 *  @param[out] value  receives the value
 *  @param[in]  fence  the fence
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtFenceGetValue(uint64_t* value, rtFence_t fence);

/** Raises a fence from the host.
 *  @param[in] value  at least the present value
 *  @param[in] fence  the fence
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_VALUE (below the present value), INVALID_HANDLE, CAPTURE_UNSAFE */
RT_API rtStatus_t rtFenceSignal(uint64_t value, rtFence_t fence);

/** Waits on the host until a fence has reached a value.
 *  @param[in] value  the value to wait for
 *  @param[in] fence  the fence
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_HANDLE, CAPTURE_UNSAFE */
RT_API rtStatus_t rtFenceWait(uint64_t value, rtFence_t fence);

/** As rtFenceWait with a limit.
 *  @param[in] timeout_ns  nanoseconds; 0 polls, RT_TIMEOUT_INFINITE is for ever
 *  @param[in] value       the value to wait for
 *  @param[in] fence       the fence
 *  blocks: yes
 *  capture: unsafe
 *  errors: TIMEOUT, INVALID_HANDLE, CAPTURE_UNSAFE */
RT_API rtStatus_t rtFenceWaitFor(uint64_t timeout_ns, uint64_t value, rtFence_t fence);

/** Raises a fence when the stream's earlier work is complete. If the fence has a higher value by then, the stream latches
 *  INVALID_VALUE. If the stream has failed, waits for the value fail with its cause until the fence reaches the value.
 *  @param[in] fence   a fence of any context
 *  @param[in] value   the value to reach
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamSignalFence(rtFence_t fence, uint64_t value, rtStream_t stream);

/** Makes later work of the stream wait until a fence has reached a value.
 *  @param[in] fence   a fence of any context
 *  @param[in] value   the value to wait for
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamWaitFence(rtFence_t fence, uint64_t value, rtStream_t stream);

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

/** Allocates device memory, as cudaMalloc, 256-byte aligned. Addresses allow arithmetic on every backend.
 *  @param[out] pointer  receives the address, for rtFree; NULL if size is 0
 *  @param[in]  size     bytes
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMalloc(void** pointer, size_t size, rtContext_t context);

/** Allocates pinned host memory, as cudaMallocHost; ordinary memory, with a log line, if the device has none.
 *  @param[out] pointer  receives the address, for rtFree; NULL if size is 0
 *  @param[in]  size     bytes
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMallocHost(void** pointer, size_t size, rtContext_t context);

/** Allocates memory with one address for host and device, as cudaMallocManaged or fine-grained SVM.
 *  @param[out] pointer  receives the address, for rtFree; NULL if size is 0
 *  @param[in]  size     bytes
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMallocShared(void** pointer, size_t size, rtContext_t context);

/** Allocates device memory in a stream's order, as cudaMallocAsync: usable by later work of the stream at once. In a capture
 * the memory keeps its address and belongs to the graph. All that is made of the graph shares it. So two of its execs, a clone,
 * or a graph that has it as a child must not run at the same time.
 *  @param[out] pointer  receives the address, for rtFree or rtFreeAsync; NULL if size is 0
 *  @param[in]  size     bytes
 *  @param[in]  stream   may be NULL: default
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER,
 *    CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMallocAsync(void** pointer, size_t size, rtStream_t stream);

/** Allocates memory of a kind, with an alignment and a label.
 *  @param[out] pointer  receives the address, for rtFree; NULL if size is 0
 *  @param[in]  size     bytes
 *  @param[in]  options  may be NULL: as rtMalloc
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMallocWithOptions(void** pointer, size_t size, const rtMallocOptions_t* options, rtContext_t context);

/** Frees memory of any kind and any allocator, from any thread. Does not block. The memory is reused once present work is
 * complete on all streams of its context, and on other streams that were given an address inside.
 *  @param[in] pointer  as the allocation gave it; may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (not the start of an allocation, or freed already) */
RT_API rtStatus_t rtFree(void* pointer);

/** Frees memory in a stream's order, as cudaFreeAsync: later work of the stream must not use it.
 *  @param[in] pointer  as the allocation gave it; may be NULL: nothing happens
 *  @param[in] stream   may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (not the start of an allocation, or freed already), INVALID_HANDLE, NOT_FOUND,
 *    CAPTURE_UNSAFE, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtFreeAsync(void* pointer, rtStream_t stream);

/** Pins the program's own memory, as cudaHostRegister. The library borrows it until rtHostUnregister.
 *  @param[in] pointer  first byte, size bytes
 *  @param[in] size     bytes, not 0
 *  @param[in] context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (0 bytes, not mapped, or overlaps memory that is known), INVALID_HANDLE, NOT_FOUND,
 *    OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtHostRegister(void* pointer, size_t size, rtContext_t context);

/** Ends rtHostRegister when the work that the context's streams had at the call is complete, since it may use the range.
 *  @param[in] pointer  as given to rtHostRegister
 *  @param[in] context  the one it was registered with, or any if that is destroyed; may be NULL: current
 *  blocks: maybe, for that work
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, BUSY, DRIVER */
RT_API rtStatus_t rtHostUnregister(void* pointer, rtContext_t context);

/** Returns the address by which kernels reach pinned, shared or registered host memory, as cudaHostGetDevicePointer.
 *  @param[out] device_pointer  receives the address
 *  @param[in]  host            an address inside such memory
 *  @param[in]  context         may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtHostGetDevicePointer(void** device_pointer, void* host, rtContext_t context);

/** Describes the memory at an address, as cudaPointerGetAttributes. Unknown memory is success and RT_POINTER_UNKNOWN.
 *  @param[inout] attributes  struct_size set by the caller; receives the rest
 *  @param[in]    pointer     any address, interior ones too; may be NULL
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, NOT_SUPPORTED */
RT_API rtStatus_t rtPointerGetAttributes(rtPointerAttributes_t* attributes, const void* pointer);

/** Returns the memory of a context's device. Free bytes are those of the driver and the unused ones of the context's pools of
 *  device memory.
 *  @param[out] free_bytes   receives the free bytes; may be NULL
 *  @param[out] total_bytes  receives all bytes; may be NULL
 *  @param[in]  context      may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE, NOT_FOUND, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemGetInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtContext_t context);

/** Copies and waits, as cudaMemcpy: on the default stream of the context that owns dst's device side (else src's), after
 *  its earlier work. No order towards other streams. Any two devices of any backends.
 *  @param[in] dst   first byte to write, size bytes; may be NULL if size is 0
 *  @param[in] src   first byte to read, size bytes; may be NULL if size is 0
 *  @param[in] size  bytes; 0 is success
 *  @param[in] kind  RT_MEMCPY_*
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_VALUE (leaves an allocation, overlaps, contradicts kind), INVALID_HANDLE, NOT_FOUND, BUSY,
 *    CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemcpy(void* dst, const void* src, size_t size, int32_t kind);

/** Copies a rectangle and waits, as cudaMemcpy2D; otherwise as rtMemcpy.
 *  @param[in] dst        first byte to write, of height rows; may be NULL if width or height is 0
 *  @param[in] dst_pitch  bytes from row to row, at least width
 *  @param[in] src        first byte to read, of height rows; may be NULL if width or height is 0
 *  @param[in] src_pitch  bytes from row to row, at least width
 *  @param[in] width      bytes of a row; 0 is success
 *  @param[in] height     rows; 0 is success
 *  @param[in] kind       RT_MEMCPY_*
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_VALUE (leaves an allocation, overlaps, contradicts kind, pitch below width), INVALID_HANDLE,
 *    NOT_FOUND, BUSY, CAPTURE_UNSAFE, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                             int32_t kind);

/** Copies in a stream's order, as cudaMemcpyAsync. A source in memory that the library does not know (pageable: neither
 *  allocated, registered nor imported) has been read when the call returns. The call waits for earlier copies that write to
 *  such a source; the program completes other work that writes there before the call. An idle stream copies at once, on the
 *  calling thread. After pending work the source travels in the stream (up to 4 KiB) or in staging memory of the context. If a
 *  copy would hold more than 64 MiB of it, or finds none, the call waits until the copy is complete. In a host function of the
 *  stream that is BUSY. Any other source is read in the stream's order. The program keeps it valid and unchanged until the copy
 *  is complete, and a destination valid as long. A capture records the address; rtGraphLaunch says when it is read.
 *  @param[in] dst     first byte to write, size bytes; may be NULL if size is 0
 *  @param[in] src     first byte to read, size bytes; may be NULL if size is 0
 *  @param[in] size    bytes; 0 is success
 *  @param[in] kind    RT_MEMCPY_*
 *  @param[in] stream  of dst's or src's context (host to host: any); may be NULL: default
 *  blocks: maybe, from or to pageable host memory; from it, after more than 64 MiB of staged copies, for the stream
 *  capture: node
 *  errors: INVALID_VALUE (leaves an allocation, overlaps, contradicts kind), INVALID_HANDLE, WRONG_CONTEXT,
 *    NOT_FOUND, BUSY, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemcpyAsync(void* dst, const void* src, size_t size, int32_t kind, rtStream_t stream);

/** Copies a rectangle in a stream's order, as cudaMemcpy2DAsync; otherwise as rtMemcpyAsync.
 *  @param[in] dst        first byte to write, of height rows; may be NULL if width or height is 0
 *  @param[in] dst_pitch  bytes from row to row, at least width
 *  @param[in] src        first byte to read, of height rows; may be NULL if width or height is 0
 *  @param[in] src_pitch  bytes from row to row, at least width
 *  @param[in] width      bytes of a row; 0 is success
 *  @param[in] height     rows; 0 is success
 *  @param[in] kind       RT_MEMCPY_*
 *  @param[in] stream     of dst's or src's context (host to host: any); may be NULL: default
 *  blocks: maybe, from or to pageable host memory; from it, after more than 64 MiB of staged copies, for the stream
 *  capture: node
 *  errors: INVALID_VALUE (leaves an allocation, overlaps, contradicts kind, pitch below width), INVALID_HANDLE,
 *    WRONG_CONTEXT, NOT_FOUND, BUSY, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                                  int32_t kind, rtStream_t stream);

/** Sets bytes and waits, as cudaMemset, on the default stream of the context that owns dst. As for every fill, dst is memory
 *  that the library allocated, registered or imported, or a module's global.
 *  @param[in] dst    first byte, size bytes; may be NULL if size is 0
 *  @param[in] value  its low 8 bits fill every byte
 *  @param[in] size   bytes; 0 is success
 *  blocks: yes
 *  capture: unsafe
 *  errors: INVALID_VALUE (unknown memory, leaves an allocation), INVALID_HANDLE, NOT_FOUND, BUSY, CAPTURE_UNSAFE,
 *    OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemset(void* dst, int32_t value, size_t size);

/** Sets bytes in a stream's order, as cudaMemsetAsync.
 *  @param[in] dst     first byte, size bytes; may be NULL if size is 0
 *  @param[in] value   its low 8 bits fill every byte
 *  @param[in] size    bytes; 0 is success
 *  @param[in] stream  of dst's context; may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (unknown memory, leaves an allocation), INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND,
 *    OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemsetAsync(void* dst, int32_t value, size_t size, rtStream_t stream);

/** Sets the bytes of a rectangle in a stream's order, as cudaMemset2DAsync.
 *  @param[in] dst     first byte, of height rows; may be NULL if width or height is 0
 *  @param[in] pitch   bytes from row to row, at least width
 *  @param[in] value   its low 8 bits fill every byte
 *  @param[in] width   bytes of a row; 0 is success
 *  @param[in] height  rows; 0 is success
 *  @param[in] stream  of dst's context; may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (unknown memory, leaves an allocation, pitch below width), INVALID_HANDLE, WRONG_CONTEXT,
 *    NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemset2DAsync(void* dst, size_t pitch, int32_t value, size_t width, size_t height, rtStream_t stream);

/** Repeats a pattern in a stream's order, as clEnqueueFillBuffer.
 *  @param[in] dst           first byte, pattern_size * count bytes, aligned to the pattern; may be NULL if count is 0
 *  @param[in] pattern       pattern_size bytes, copied
 *  @param[in] pattern_size  1, 2, 4, 8 or 16 bytes
 *  @param[in] count         repetitions; 0 is success
 *  @param[in] stream        of dst's context; may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (unknown memory, leaves an allocation, pattern size, alignment), INVALID_HANDLE, WRONG_CONTEXT,
 *    NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemFillAsync(void* dst, const void* pattern, size_t pattern_size, size_t count, rtStream_t stream);

/** Moves shared memory to where it is used next, as cudaMemPrefetchAsync. A hint: a device that cannot do it does nothing.
 *  @param[in] pointer      first byte, size bytes inside an allocation; may be NULL if size is 0
 *  @param[in] size         bytes; 0 is success
 *  @param[in] destination  may be NULL: the host
 *  @param[in] stream       may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (unknown memory, leaves an allocation), INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND,
 *    OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMemPrefetchAsync(const void* pointer, size_t size, rtDevice_t destination, rtStream_t stream);

/* ---- Pools -------------------------------------------------------------------------------------------------------- */

/** Makes a pool, as cudaMemPoolCreate.
 *  @param[out] pool     receives the pool, which the caller destroys
 *  @param[in]  options  may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemPoolCreate(rtMemPool_t* pool, const rtMemPoolOptions_t* options, rtContext_t context);

/** Ends a pool. Its allocations stay until their own rtFree; then its memory goes back. A context's own default pool is
 *  refused.
 *  @param[in] pool  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (a context's own pool), INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolDestroy(rtMemPool_t pool);

/** Gives unused memory back to the driver, as cudaMemPoolTrimTo.
 *  @param[in] keep_bytes  unused bytes to keep
 *  @param[in] pool        the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolTrim(uint64_t keep_bytes, rtMemPool_t pool);

/** Limits the memory that a pool takes from the driver; above the limit, allocations are OUT_OF_MEMORY.
 *  @param[in] bytes  the limit; 0: none. A limit below what the pool has refuses further memory alone
 *  @param[in] pool   the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolSetLimit(uint64_t bytes, rtMemPool_t pool);

/** Sets how many unused bytes a pool keeps when streams are synchronised, as cudaMemPoolAttrReleaseThreshold.
 *  @param[in] bytes  unused bytes to keep
 *  @param[in] pool   the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolSetReleaseThreshold(uint64_t bytes, rtMemPool_t pool);

/** Allocates from a pool in a stream's order, as cudaMallocFromPoolAsync.
 *  @param[out] pointer    receives the address, for rtFree or rtFreeAsync; NULL if size is 0
 *  @param[in]  size       bytes
 *  @param[in]  alignment  a power of two; 0: 256
 *  @param[in]  stream     a stream of the pool's context; may be NULL: default
 *  @param[in]  pool       the pool
 *  blocks: maybe, where memory is out: for work that holds freed memory, at most 2 s in which none of it ends
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, OUT_OF_MEMORY, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtMallocFromPool(void** pointer, size_t size, size_t alignment, rtStream_t stream, rtMemPool_t pool);

/** While on, memory that the pool allocates is pinned. Freed or not, it stays reserved until pin mode is off and all graphs
 *  captured or instantiated meanwhile are gone. They may hold an address as a value. Memory that is freed and pinned is
 *  pending; one capture may be given it again.
 *  @param[in] on    1 or 0; for all threads
 *  @param[in] pool  the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtMemPoolSetPinMode(int32_t on, rtMemPool_t pool);

/** Returns the statistics of a pool.
 *  @param[inout] stats  struct_size set by the caller; receives the rest
 *  @param[in]    pool   the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED */
RT_API rtStatus_t rtMemPoolGetStats(rtMemPoolStats_t* stats, rtMemPool_t pool);

/** Sets the peaks of the statistics to the present values.
 *  @param[in] pool  the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolResetPeak(rtMemPool_t pool);

/** Writes the blocks and statistics of a pool, and the counts of rtContextGetStats, as JSON. A short buffer is truncated and
 * terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  @param[in]  pool    the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolDumpJson(char* buffer, size_t size, size_t* needed, rtMemPool_t pool);

/** Sets a function that is called before an allocation of the pool fails. It may free memory and ask for another attempt.
 *  @param[in] callback  on the allocating thread, without a lock held; may be NULL: none
 *  @param[in] user      passed to callback; may be NULL
 *  @param[in] pool      the pool
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtMemPoolSetOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user, rtMemPool_t pool);

/* ---- Modules ------------------------------------------------------------------------------------------------------ */

/** Builds a module from OpenCL C 1.2, the language that every device with RT_CAPABILITY_KERNELS takes; as
 *  clBuildProgram. A failed build is BUILD_FAILED, and rtGetLastErrorMessage has the compiler's log. One source with the same
 *  options is one program of a context: modules of it that live at the same time share code and variables.
 *  @param[out] module   receives the module, which the caller destroys
 *  @param[in]  source   text, borrowed for the call
 *  @param[in]  options  -D, -I, -cl-fast-relaxed-math and others of clBuildProgram; may be NULL: none
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, while a compiler runs
 *  capture: outside
 *  errors: INVALID_VALUE (options too), INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, BUILD_FAILED,
 *    COMPILER_NOT_FOUND, BUSY, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleCreateFromSource(rtModule_t* module, const char* source, const char* options, rtContext_t context);

/** Builds one module from several sources, as clCompileProgram and clLinkProgram. Each source has macros of its own, and
 *  messages call them kernel0.cl, kernel1.cl and so on. A function that one source declares may be defined in any other, and
 *  the module has the kernels of all. Types, constants, declarations, static and inline functions of a header that several
 *  sources share are there once if their text is the same. Otherwise a name means one thing in all sources, static or not: two
 *  meanings are BUILD_FAILED with both places. So is a function that is called and defined nowhere. A count of 0, or of more
 *  than 65,536, is INVALID_VALUE.
 *  @param[out] module   receives the module, which the caller destroys
 *  @param[in]  sources  count texts, borrowed for the call
 *  @param[in]  count    elements of sources
 *  @param[in]  options  of each source, as rtModuleCreateFromSource takes them; may be NULL: none
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, while a compiler runs
 *  capture: outside
 *  errors: INVALID_VALUE (options too), INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, BUILD_FAILED,
 *    COMPILER_NOT_FOUND, INVALID_IMAGE (no text), BUSY, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleCreateFromSources(rtModule_t* module, const char* const* sources, uint32_t count, const char* options,
                                            rtContext_t context);

/** Builds many modules, each from a source of its own, side by side on the cores of the host. The result is that of a call
 *  of rtModuleLoadData for each source, in less time. A source that fails keeps no other from being built: all that can be
 *  built are given. The call then returns the status of the first source that failed, in the order of the array, and the
 *  message names that source. A count of 0, or of more than 65,536, is INVALID_VALUE.
 *  @param[out] modules   receives count modules, which the caller destroys; NULL where a source failed
 *  @param[out] statuses  receives count statuses, one for each source; may be NULL. Where the call is refused as a whole, each
 *    is the status that it returns
 *  @param[in]  sources   count texts, borrowed for the call
 *  @param[in]  count     elements of each
 *  @param[in]  options   count pointers to options, whose format is RT_IMAGE_AUTO or that of a text; may be NULL; an element
 *    may be NULL
 *  @param[in]  context   may be NULL: current
 *  blocks: maybe, while compilers run
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED (a format of another device), BUILD_FAILED,
 *    COMPILER_NOT_FOUND, INVALID_IMAGE (not of OpenCL C), BUSY, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleBuildMany(rtModule_t* modules, rtStatus_t* statuses, const char* const* sources, uint32_t count,
                                    const rtModuleOptions_t* const* options, rtContext_t context);

/** Makes a module from source or machine code in memory, as cuModuleLoadDataEx.
 *  @param[out] module   receives the module, which the caller destroys
 *  @param[in]  image    size bytes, borrowed for the call
 *  @param[in]  size     bytes, not 0
 *  @param[in]  options  may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, while a compiler runs
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED (a format or an image of another
 *    device), BUILD_FAILED, COMPILER_NOT_FOUND, INVALID_IMAGE, BUSY, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleLoadData(rtModule_t* module, const void* image, size_t size, const rtModuleOptions_t* options,
                                   rtContext_t context);

/** As rtModuleLoadData, from a file, as cuModuleLoad. The file is read once and not needed afterwards.
 *  @param[out] module   receives the module, which the caller destroys
 *  @param[in]  path     of a regular file
 *  @param[in]  options  may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, while the file is read or a compiler runs
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED (a format or an image of another
 *    device), BUILD_FAILED, COMPILER_NOT_FOUND, INVALID_IMAGE, BUSY, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleLoadFile(rtModule_t* module, const char* path, const rtModuleOptions_t* options, rtContext_t context);

/** Writes the code of a module and its source as an image (docs/design/images.md). rtModuleLoadData and rtModuleLoadFile take
 * it on any machine: code that suits the device is loaded without a compiler, else the source is built. Waits for optimised
 * code. For the CPU and CUDA the same source and options give the same bytes on the same machine. Machine code in an image is
 * run as it is: load images from places that are trusted.
 *  @param[out] buffer   receives the image, at most size bytes; may be NULL if size is 0
 *  @param[in]  size     bytes of buffer
 *  @param[out] needed   receives the bytes of the whole image; may be NULL
 *  @param[in]  options  may be NULL
 *  @param[in]  module   the module
 *  blocks: maybe, while optimised code is being made
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED (the program gave the code; the driver gives none, and
 *    there is no source), IO, SHUT_DOWN, DRIVER */
RT_API rtStatus_t rtModuleGetImage(void* buffer, size_t size, size_t* needed, const rtImageOptions_t* options,
                                   rtModule_t module);

/** Ends a module and the handles of its kernels at once. Launches already submitted complete.
 *  @param[in] module  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtModuleDestroy(rtModule_t module);

/** Returns the compiler's warnings and remarks on a source that it accepted. Empty for machine code. A short buffer is
 * truncated and terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  @param[in]  module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtModuleGetBuildLog(char* buffer, size_t size, size_t* needed, rtModule_t module);

/** Tells which code the kernels of a module run, where it came from and how long that took. A log of level info has the same.
 *  @param[inout] info    struct_size set by the caller; receives the rest
 *  @param[in]    module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtModuleGetInfo(rtModuleInfo_t* info, rtModule_t module);

/** Waits until a module has come so far. A source is compiled twice for the CPU: quickly before rtModuleCreateFromSource
 * returns, and optimised in the background; launches take the optimised code from then on, with the same results. Where there
 * is one form alone, and on all other devices, the call returns at once.
 *  @param[in] module      the module
 *  @param[in] state       RT_MODULE_READY or RT_MODULE_OPTIMIZED
 *  @param[in] timeout_ns  nanoseconds; 0 polls, RT_TIMEOUT_INFINITE is for ever
 *  blocks: yes
 *  capture: outside
 *  errors: TIMEOUT, INVALID_VALUE, INVALID_HANDLE, BUILD_FAILED (there is no optimised code, and the first stays), SHUT_DOWN */
RT_API rtStatus_t rtModuleWait(rtModule_t module, int32_t state, uint64_t timeout_ns);

/** Finds a kernel of a module, as cuModuleGetFunction. A second call gives the same handle. The handle belongs to the module
 * and ends with it; rtKernelDestroy has no effect on it.
 *  @param[out] kernel  receives the kernel; borrowed until the module ends
 *  @param[in]  name    as in the source
 *  @param[in]  module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND */
RT_API rtStatus_t rtModuleGetKernel(rtKernel_t* kernel, const char* name, rtModule_t module);

/** Returns how many kernels a module has.
 *  @param[out] count   receives the number
 *  @param[in]  module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtModuleGetKernelCount(uint32_t* count, rtModule_t module);

/** Finds a kernel of a module by its index, in the order of the source. It is the same handle as that of rtModuleGetKernel.
 *  @param[out] kernel  receives the kernel; borrowed until the module ends
 *  @param[in]  index   0 to the count - 1
 *  @param[in]  module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtModuleGetKernelByIndex(rtKernel_t* kernel, uint32_t index, rtModule_t module);

/** Finds a global variable of a module, as cuModuleGetGlobal. In OpenCL C 1.2 these are the __constant variables of program
 *  scope, which must not be written to.
 *  @param[out] pointer  receives the device address; borrowed until the module ends
 *  @param[out] size     receives the variable's bytes; may be NULL
 *  @param[in]  name     as in the source
 *  @param[in]  module   the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, WRONG_CONTEXT, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtModuleGetGlobal(void** pointer, uint64_t* size, const char* name, rtModule_t module);

/* ---- Kernels ------------------------------------------------------------------------------------------------------ */

/** Makes a kernel from a C function, which the device calls once for each work-group of the grid.
 *  @param[out] kernel   receives the kernel, which the caller destroys
 *  @param[in]  host     copied
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtKernelCreateFromHost(rtKernel_t* kernel, const rtHostKernel_t* host, rtContext_t context);

/** Ends a kernel. Launches already submitted complete. A kernel of a module ends with the module: nothing happens.
 *  @param[in] kernel  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtKernelDestroy(rtKernel_t kernel);

/** Returns the name of a kernel. A short buffer is truncated and terminated.
 *  @param[out] buffer  receives the text; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes that the whole text takes with its terminator; may be NULL
 *  @param[in]  kernel  the kernel
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtKernelGetName(char* buffer, size_t size, size_t* needed, rtKernel_t kernel);

/** Describes the arguments and the needs of a kernel, as cudaFuncGetAttributes.
 *  @param[inout] info    struct_size set by the caller; receives the rest
 *  @param[in]    kernel  the kernel
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtKernelGetInfo(rtKernelInfo_t* info, rtKernel_t kernel);

/** Describes one argument of a kernel, as clGetKernelArgInfo.
 *  @param[inout] info    struct_size set by the caller; receives the rest
 *  @param[in]    index   0 to arg_count - 1
 *  @param[in]    kernel  the kernel
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtKernelGetArgInfo(rtKernelArgInfo_t* info, uint32_t index, rtKernel_t kernel);

/** Suggests a work-group for a number of work-items, as cudaOccupancyMaxPotentialBlockSize.
 *  @param[out] group        receives 3 sizes, each at least 1
 *  @param[in]  items        3 numbers of work-items in all
 *  @param[in]  local_bytes  local memory of each work-group
 *  @param[in]  kernel       the kernel
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, DRIVER */
RT_API rtStatus_t rtKernelSuggestGroupSize(uint32_t group[3], const uint32_t items[3], uint32_t local_bytes, rtKernel_t kernel);

/** Returns how many work-groups the whole device runs at the same time, which is the limit of a cooperative launch.
 *  @param[out] groups       receives the number
 *  @param[in]  group_size   work-items of a work-group, not 0
 *  @param[in]  local_bytes  local memory of each work-group
 *  @param[in]  kernel       the kernel
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, DRIVER */
RT_API rtStatus_t rtKernelGetMaxActiveGroups(uint32_t* groups, uint32_t group_size, uint32_t local_bytes, rtKernel_t kernel);

/** Launches a kernel, as cudaLaunchKernel. The grid is in work-groups: if one of its sizes is 0, nothing runs.
 *  @param[in] kernel       a kernel of the stream's context
 *  @param[in] grid_x       work-groups in x
 *  @param[in] grid_y       work-groups in y
 *  @param[in] grid_z       work-groups in z
 *  @param[in] group_x      work-items of a work-group in x, not 0
 *  @param[in] group_y      work-items of a work-group in y, not 0
 *  @param[in] group_z      work-items of a work-group in z, not 0
 *  @param[in] local_bytes  local memory of each work-group, besides the kernel's own; 0 for kernels from OpenCL C
 *  @param[in] stream       may be NULL: default
 *  @param[in] args         arg_count pointers to the values, which are copied; may be NULL if there are none
 *  @param[in] arg_count    elements of args, or RT_ARGS_ALL
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (group, grid, argument), INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, OUT_OF_MEMORY,
 *    NOT_SUPPORTED, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtLaunchKernel(rtKernel_t kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t group_x,
                                 uint32_t group_y, uint32_t group_z, uint32_t local_bytes, rtStream_t stream, void* const* args,
                                 uint32_t arg_count);

/** As rtLaunchKernel, with options: cooperative, argument sizes for images that carry none, a global offset. The offset is
 *  added to what get_global_id() returns, and get_global_offset() returns it; get_global_linear_id() counts from 0. Offset and
 *  work-items of a direction together stay within what ids hold on the device: 2,147,418,111 on the CPU, 2^31 on CUDA, 2^32
 *  on OpenCL; more is INVALID_VALUE. Functions of the host, host objects and machine code of CUDA know no offset:
 *  NOT_SUPPORTED.
 *  @param[in] kernel       a kernel of the stream's context
 *  @param[in] grid         3 numbers of work-groups
 *  @param[in] group        3 numbers of work-items in a work-group, none 0
 *  @param[in] local_bytes  local memory of each work-group, besides the kernel's own; 0 for kernels from OpenCL C
 *  @param[in] options      may be NULL
 *  @param[in] args         arg_count pointers to the values, which are copied; may be NULL if there are none
 *  @param[in] arg_count    elements of args, or RT_ARGS_ALL
 *  @param[in] stream       may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (group, grid, argument), INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, OUT_OF_MEMORY,
 *    NOT_SUPPORTED, LAUNCH_FAILED, DEVICE_LOST, DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtLaunchKernelWithOptions(rtKernel_t kernel, const uint32_t grid[3], const uint32_t group[3],
                                            uint32_t local_bytes, const rtLaunchOptions_t* options, void* const* args,
                                            uint32_t arg_count, rtStream_t stream);

/* ---- Graphs: what is to be done, in which order, with which buffers --------------------------------------------- */

/** Makes an empty graph. It belongs to no context until a node names an object of one.
 *  @param[out] graph  receives the graph, which the caller destroys
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphCreate(rtGraph_t* graph);

/** Destroys a graph; its nodes and buffers become stale. Plans and execs that were made from it stay.
 *  @param[in] graph  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtGraphDestroy(rtGraph_t graph);

/** Copies a graph. The copy has nodes and buffers of its own, in the same order.
 *  @param[out] clone  receives the copy, which the caller destroys
 *  @param[in]  graph  the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphClone(rtGraph_t* clone, rtGraph_t graph);

/** Names memory before it is known. Two buffers of a graph are two memories that do not overlap.
 *  @param[out] buffer  receives the buffer, which belongs to the graph
 *  @param[in]  size    bytes, not 0, and 2^57 at most
 *  @param[in]  role    RT_GRAPH_BUFFER_*
 *  @param[in]  name    for messages; may be NULL
 *  @param[in]  graph   the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphAddBuffer(rtGraphBuffer_t* buffer, uint64_t size, int32_t role, const char* name, rtGraph_t graph);

/** Turns the addresses of a range that nodes name into offsets in a new buffer. Addresses inside values are not found.
 *  @param[out] buffer   receives the buffer, which belongs to the graph
 *  @param[in]  pointer  the first byte of the range, size bytes
 *  @param[in]  size     bytes, not 0; no node may leave the range
 *  @param[in]  role     RT_GRAPH_BUFFER_*
 *  @param[in]  name     for messages; may be NULL
 *  @param[in]  graph    the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (also: no node names an address inside), INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphMakeBuffer(rtGraphBuffer_t* buffer, void* pointer, uint64_t size, int32_t role, const char* name,
                                    rtGraph_t graph);

/** Adds the launch of a kernel. A kernel handle is checked now, a kernel name when a plan is made.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY,
 *    NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddKernelNode(rtGraphNode_t* node, const rtGraphKernelParams_t* params,
                                       const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a copy of one piece.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddMemcpyNode(rtGraphNode_t* node, const rtGraphMemcpyParams_t* params,
                                       const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a copy of rows.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddMemcpy2DNode(rtGraphNode_t* node, const rtGraphMemcpy2DParams_t* params,
                                         const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a fill with a pattern.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddFillNode(rtGraphNode_t* node, const rtGraphFillParams_t* params, const rtGraphNode_t* dependencies,
                                     uint32_t count, rtGraph_t graph);

/** Adds a host function, which is called once for each launch, as rtLaunchHostFunction does. Inferred dependencies order it
 * with all other nodes.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied; release is only called if the node was added
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddHostNode(rtGraphNode_t* node, const rtGraphHostParams_t* params, const rtGraphNode_t* dependencies,
                                     uint32_t count, rtGraph_t graph);

/** Adds a call that submits work to the driver's own stream, as rtStreamLaunchNative does. Inferred dependencies order it with
 *  all other nodes. On CUDA the calling thread calls the function once for each exec of the graph, and at rtGraphExecUpdate,
 *  with a private stream in capture. Its work becomes part of the exec, and launches do not call it. Its status, or the failure
 *  of a call that cannot be captured (a wait for the stream), is that of rtGraphExecCreate, rtGraphInstantiate or
 *  rtGraphExecUpdate. On other backends it is called at each launch, on a thread of the library.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied; release is only called if the node was added
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddNativeNode(rtGraphNode_t* node, const rtGraphNativeParams_t* params,
                                       const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a node that does nothing, where dependencies meet.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphAddEmptyNode(rtGraphNode_t* node, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a whole graph as one node, as it is now. Later changes of it have no effect.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddChildGraphNode(rtGraphNode_t* node, const rtGraphChildParams_t* params,
                                           const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds the record of an event: each launch records it again.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddEventRecordNode(rtGraphNode_t* node, const rtGraphEventParams_t* params,
                                            const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a wait for the last record that an event has at the time of the launch.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddEventWaitNode(rtGraphNode_t* node, const rtGraphEventParams_t* params,
                                          const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds the signal of a fence.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddFenceSignalNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params,
                                            const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Adds a wait for a value of a fence.
 *  @param[out] node          receives the node, which belongs to the graph
 *  @param[in]  params        copied
 *  @param[in]  dependencies  count nodes of graph that come before; may be NULL if count is 0 or RT_INFERRED
 *  @param[in]  count         elements of dependencies, or RT_INFERRED
 *  @param[in]  graph         the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED */
RT_API rtStatus_t rtGraphAddFenceWaitNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params,
                                          const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);

/** Makes to[i] wait for from[i]. A dependency that exists stays. A circle is refused, and nothing is changed.
 *  @param[in] from   count nodes of graph; may be NULL if count is 0
 *  @param[in] to     count nodes of graph; may be NULL if count is 0
 *  @param[in] count  elements of each
 *  @param[in] graph  the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphAddDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph);

/** Removes dependencies. A missing one is refused, and nothing is changed.
 *  @param[in] from   count nodes of graph; may be NULL if count is 0
 *  @param[in] to     count nodes of graph; may be NULL if count is 0
 *  @param[in] count  elements of each
 *  @param[in] graph  the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphRemoveDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count,
                                            rtGraph_t graph);

/** Returns the nodes of a graph, in the order in which they were added.
 *  @param[out] nodes     receives at most capacity nodes; may be NULL if capacity is 0
 *  @param[in]  capacity  elements of nodes
 *  @param[out] count     receives how many there are
 *  @param[in]  graph     the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphGetNodes(rtGraphNode_t* nodes, uint32_t capacity, uint32_t* count, rtGraph_t graph);

/** Returns the dependencies of a graph: to[i] waits for from[i].
 *  @param[out] from      receives at most capacity nodes; may be NULL if capacity is 0
 *  @param[out] to        receives at most capacity nodes; may be NULL if capacity is 0
 *  @param[in]  capacity  elements of each
 *  @param[out] count     receives how many there are
 *  @param[in]  graph     the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphGetEdges(rtGraphNode_t* from, rtGraphNode_t* to, uint32_t capacity, uint32_t* count, rtGraph_t graph);

/** Returns the kind of a node.
 *  @param[out] type  receives RT_GRAPH_NODE_*
 *  @param[in]  node  the node
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphNodeGetType(int32_t* type, rtGraphNode_t node);

/** Writes a graph as text for Graphviz.
 *  @param[out] buffer  receives the text, terminated, truncated to size; may be NULL if size is 0
 *  @param[in]  size    bytes of buffer
 *  @param[out] needed  receives the bytes of the whole text with its terminator; may be NULL
 *  @param[in]  graph   the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphExportDot(char* buffer, size_t size, size_t* needed, rtGraph_t graph);

/** Returns the buffers of a graph, in the order in which they were added; those of a file in the order of the file.
 *  @param[out] buffers   receives as many as fit; may be NULL if capacity is 0
 *  @param[in]  capacity  elements of buffers
 *  @param[out] count     receives how many there are
 *  @param[in]  graph     the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphGetBuffers(rtGraphBuffer_t* buffers, uint32_t capacity, uint32_t* count, rtGraph_t graph);

/** Describes a buffer.
 *  @param[inout] info    receives size, role and name; struct_size is set by the caller
 *  @param[in]    buffer  the buffer
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphBufferGetInfo(rtGraphBufferInfo_t* info, rtGraphBuffer_t buffer);

/** Names a value that arguments of any number of kernel nodes are (RT_ARG_GRAPH_VALUE), such as the position of a token.
 *  rtGraphExecBindValue says what it is, once for all of them. A plan of a graph with a value that no node uses is refused.
 *  @param[out] value    receives the value, which belongs to the graph
 *  @param[in]  size     bytes, 1 to 4096: those of the arguments
 *  @param[in]  initial  size bytes, copied: what it is until it is bound; may be NULL: it is bound before the first launch
 *  @param[in]  name     for messages and files; may be NULL
 *  @param[in]  graph    the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY */
RT_API rtStatus_t rtGraphAddValue(rtGraphValue_t* value, uint64_t size, const void* initial, const char* name, rtGraph_t graph);

/** Returns the values of a graph, in the order in which they were added; those of a file in the order of the file.
 *  @param[out] values    receives as many as fit; may be NULL if capacity is 0
 *  @param[in]  capacity  elements of values
 *  @param[out] count     receives how many there are
 *  @param[in]  graph     the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphGetValues(rtGraphValue_t* values, uint32_t capacity, uint32_t* count, rtGraph_t graph);

/** Describes a value.
 *  @param[inout] info   receives size and name; struct_size is set by the caller
 *  @param[in]    value  the value
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtGraphValueGetInfo(rtGraphValueInfo_t* info, rtGraphValue_t value);

/** Writes a graph as a file (docs/graph-file.md): JSON with kernel sources, buffers and nodes. The same graph gives the same
 *  bytes, and so does the graph that rtGraphLoad makes from them. A kernel of a module that was built from OpenCL C without
 *  headers is written with its source, any other kernel by name alone.
 *  @param[out] data    receives the file, at most size bytes; may be NULL if size is 0
 *  @param[in]  size    bytes of data
 *  @param[out] needed  receives the bytes of the whole file; may be NULL
 *  @param[in]  graph   the graph
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (a name or source that is not UTF-8), INVALID_HANDLE, NOT_SUPPORTED (a node that means something
 *    in this process alone: an address, an event, a fence, a function) */
RT_API rtStatus_t rtGraphSave(void* data, size_t size, size_t* needed, rtGraph_t graph);

/** Makes a graph from a file. It belongs to no context: kernels are built or found when a plan is made. The message about a
 * fault of the file has line, column and the path of the value, as in "nodes[3].grid".
 *  @param[out] graph  receives the graph, which the caller destroys
 *  @param[in]  data   the file, size bytes, copied
 *  @param[in]  size   bytes of data, not 0
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, NOT_SUPPORTED (a file of a later version) */
RT_API rtStatus_t rtGraphLoad(rtGraph_t* graph, const void* data, size_t size);

/* ---- Plans and execs: how a graph runs, and running it ------------------------------------------------------------ */

/** Plans how a graph, as it is now, runs in a context: kernels, order, streams, offsets of temporaries.
 *  @param[out] plan     receives the plan, which the caller destroys
 *  @param[in]  options  may be NULL
 *  @param[in]  graph    the graph
 *  @param[in]  context  may be NULL: current
 *  blocks: maybe, where a source of a graph file is built
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT (the graph is bound to another), NOT_FOUND (a kernel),
 *    BUILD_FAILED, COMPILER_NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, IO, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtCapturePlanCreate(rtCapturePlan_t* plan, const rtCapturePlanOptions_t* options, rtGraph_t graph,
                                      rtContext_t context);

/** Destroys a plan. Execs that were made from it stay.
 *  @param[in] plan  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtCapturePlanDestroy(rtCapturePlan_t plan);

/** Returns the numbers of a plan.
 *  @param[inout] info  receives the numbers; struct_size is set by the caller
 *  @param[in]    plan  the plan
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCapturePlanGetInfo(rtCapturePlanInfo_t* info, rtCapturePlan_t plan);

/** Describes one step of a plan. Steps are numbered in the order of their submission.
 *  @param[inout] step   receives the step; struct_size is set by the caller
 *  @param[in]    index  below step_count
 *  @param[in]    plan   the plan
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCapturePlanGetStep(rtCapturePlanStep_t* step, uint32_t index, rtCapturePlan_t plan);

/** Describes one buffer of a plan: those of the graph come first, in their order, then the temporaries of child graphs.
 *  @param[inout] buffer  receives the buffer; struct_size is set by the caller
 *  @param[in]    index   below buffer_count
 *  @param[in]    plan    the plan
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE */
RT_API rtStatus_t rtCapturePlanGetBuffer(rtCapturePlanBuffer_t* buffer, uint32_t index, rtCapturePlan_t plan);

/** Makes an exec: the plan with memory for temporaries, streams of its own and bindings. Buffers of memory that a capture has
 *  recorded are bound; buffers of rtGraphAddBuffer are not.
 *  @param[out] exec  receives the exec, which the caller destroys
 *  @param[in]  plan  the plan
 *  blocks: maybe, where memory has to be found
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, BUSY,
 *    DEVICE_LOST, DRIVER, LAUNCH_FAILED (a native function threw), CAPTURE_INVALIDATED (it did what cannot be recorded) */
RT_API rtStatus_t rtGraphExecCreate(rtGraphExec_t* exec, rtCapturePlan_t plan);

/** Makes a plan with default options, and an exec of it, in one call.
 *  @param[out] exec     receives the exec, which the caller destroys
 *  @param[in]  graph    the graph
 *  @param[in]  context  may be NULL: the one that the graph is bound to, else current
 *  blocks: maybe, where a source of a graph file is built or memory has to be found
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, NOT_FOUND, BUILD_FAILED, COMPILER_NOT_FOUND,
 *    OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, BUSY, IO, DEVICE_LOST, DRIVER, LAUNCH_FAILED (a native function
 *    threw), CAPTURE_INVALIDATED (it did what cannot be recorded) */
RT_API rtStatus_t rtGraphInstantiate(rtGraphExec_t* exec, rtGraph_t graph, rtContext_t context);

/** Destroys an exec. Launches in flight complete, and its leases end after them.
 *  @param[in] exec  may be NULL: nothing happens
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_HANDLE */
RT_API rtStatus_t rtGraphExecDestroy(rtGraphExec_t exec);

/* The sizes of a graph are maxima: an exec is planned once and runs batches of any smaller size. Values, sizes of copies and
 * fills and bound memory change from launch to launch, without a new plan and without more memory. A grid may also grow, if its
 * kernel stays inside its buffers. Several calls make such a change together, in any order. An intermediate state (a copy of
 * more bytes than are bound, overlapping sides of a copy) is no failure of these calls. A launch before the change is complete
 * is INVALID_VALUE and names node and buffer. The library knows which part of a buffer a kernel uses if its argument says so
 * (rtGraphArg_t.size). A value beyond a maximum is INVALID_VALUE at once. On CUDA each call changes a node in place. The driver
 * may have to instantiate again for a copy of rows. So it may for a node that did nothing when all buffers were first bound (a
 * grid of 0). So it may for a fill of more bytes than at that time. */

/** Binds memory to a buffer, from the next launch on. The exec leases the memory until the buffer is bound again.
 *  @param[in] buffer   of the graph that the exec was made of; no temporary
 *  @param[in] pointer  at least as many bytes as the buffer has
 *  @param[in] exec     the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecBindBuffer(rtGraphBuffer_t buffer, void* pointer, rtGraphExec_t exec);

/** Binds less memory than the buffer has: the first `size` bytes of it, from the next launch on. The program changes nodes that
 * use more before that launch. A launch that is captured meanwhile becomes a child graph with a buffer of this size.
 *  @param[in] buffer   of the graph that the exec was made of; no temporary
 *  @param[in] pointer  size bytes
 *  @param[in] size     bytes, not 0, at most those of the buffer
 *  @param[in] exec     the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecBindBufferRange(rtGraphBuffer_t buffer, void* pointer, uint64_t size, rtGraphExec_t exec);

/** Says what a value is, for all nodes that use it, from the next launch on. Launches in flight have what they were launched
 *  with.
 *  @param[in] value  of the graph that the exec was made of
 *  @param[in] data   size bytes, copied
 *  @param[in] size   bytes of the value
 *  @param[in] exec   the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecBindValue(rtGraphValue_t value, const void* data, uint64_t size, rtGraphExec_t exec);

/** Exchanges the parameters of the launch of a kernel, from the next launch on. Order and dependencies stay.
 *  @param[in] node    of the graph that the exec was made of
 *  @param[in] params  copied; an argument that names a buffer or a value follows what is bound to it later
 *  @param[in] exec    the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecSetKernelParams(rtGraphNode_t node, const rtGraphKernelParams_t* params, rtGraphExec_t exec);

/** Exchanges the parameters of a copy of one piece, from the next launch on. Order and dependencies stay.
 *  @param[in] node    of the graph that the exec was made of
 *  @param[in] params  copied
 *  @param[in] exec    the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecSetMemcpyParams(rtGraphNode_t node, const rtGraphMemcpyParams_t* params, rtGraphExec_t exec);

/** Exchanges the parameters of a copy of rows, from the next launch on. Order and dependencies stay.
 *  @param[in] node    of the graph that the exec was made of
 *  @param[in] params  copied
 *  @param[in] exec    the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecSetMemcpy2DParams(rtGraphNode_t node, const rtGraphMemcpy2DParams_t* params, rtGraphExec_t exec);

/** Exchanges the parameters of a fill, from the next launch on. Order and dependencies stay.
 *  @param[in] node    of the graph that the exec was made of
 *  @param[in] params  copied
 *  @param[in] exec    the exec
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER */
RT_API rtStatus_t rtGraphExecSetFillParams(rtGraphNode_t node, const rtGraphFillParams_t* params, rtGraphExec_t exec);

/** Exchanges all parameters for those of another graph with the same nodes, in the same order, and the same dependencies, also
 *  inside child graphs. A kernel handle may be any kernel. A kernel name has to be the same, with the same source if the graph
 *  has one. The same nodes have to use the temporaries. Buffers may be smaller, not larger. A graph that differs is refused,
 *  and nothing is changed. Values have the same number and sizes, and keep what is bound to them.
 *  @param[in] graph  the other graph
 *  @param[in] exec   the exec
 *  blocks: maybe, where native functions are called (CUDA)
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, WRONG_CONTEXT, OUT_OF_MEMORY, NOT_SUPPORTED, INVALID_IMAGE, DRIVER,
 *    LAUNCH_FAILED (a native function threw), CAPTURE_INVALIDATED (it did what cannot be recorded) */
RT_API rtStatus_t rtGraphExecUpdate(rtGraph_t graph, rtGraphExec_t exec);

/** Runs an exec in a stream's order, one launch after another. In a capture it becomes a child graph with its present bindings.
 *  A node that fails is the stream's failure: later work, in the graph and in the stream, is skipped. Pageable sources are read
 *  in the call or later, in the stream's order. The program completes writes to them before the call, and keeps them unchanged
 *  until the launch is complete.
 *  @param[in] exec    the exec
 *  @param[in] stream  of the exec's context; may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE (a buffer or a value is not bound, or a buffer is too small), INVALID_HANDLE, WRONG_CONTEXT,
 *    NOT_FOUND, OUT_OF_MEMORY,
 *    NOT_SUPPORTED, LAUNCH_FAILED, CAPTURE_UNSAFE (an event recorded in a capture), CAPTURE_INVALIDATED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtGraphLaunch(rtGraphExec_t exec, rtStream_t stream);

/* ---- Capture: a stream's work becomes a graph instead of running --------------------------------------------------- */

/** Begins to record the work of a stream as a graph. Streams that wait for its events, or for it, join the capture. All other
 *  streams, on any thread, go on as before.
 *  @param[in] stream  may be NULL: default
 *  blocks: never
 *  capture: unsafe
 *  errors: INVALID_HANDLE, NOT_FOUND, BUSY (it is capturing already), OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamBeginCapture(rtStream_t stream);

/** Ends a capture, on the stream on which it began, from any thread. A stream that only joined is refused, and its capture goes
 *  on. In all other cases the stream, and every stream that has joined, leaves the capture. The first stream has to wait for
 *  the work of every other one; waits and records of events are no such work.
 *  @param[out] graph   receives the graph, which the caller destroys
 *  @param[in]  stream  may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (not capturing, or it only joined), INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY,
 *    CAPTURE_INVALIDATED (broken earlier, or a stream that joined was not waited for), DRIVER, DEVICE_LOST */
RT_API rtStatus_t rtStreamEndCapture(rtGraph_t* graph, rtStream_t stream);

/** Tells whether a stream takes part in a capture.
 *  @param[out] state   receives RT_CAPTURE_*
 *  @param[in]  stream  may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamIsCapturing(int32_t* state, rtStream_t stream);

/** Returns the node after which a capturing stream goes on: the one that it recorded last, or that it waits for. If it waits
 * for several nodes, the call adds an empty node after all of them.
 *  @param[out] last    receives the node, which belongs to the graph to be; NULL if there is none yet
 *  @param[in]  stream  may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (not capturing), INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, CAPTURE_INVALIDATED, DEVICE_LOST,
 *    DRIVER */
RT_API rtStatus_t rtStreamGetCapturedNode(rtGraphNode_t* last, rtStream_t stream);

/* ---- Interop: the driver's own objects, borrowed in both directions ------------------------------------------------ */

/** Returns the driver's device: CUDA CUdevice; OpenCL cl_device_id.
 *  @param[out] native  receives 2 values; borrowed
 *  @param[in]  device  the device
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED */
RT_API rtStatus_t rtDeviceGetNative(uint64_t native[2], rtDevice_t device);

/** Returns the driver's context: CUDA CUcontext; OpenCL cl_context.
 *  @param[out] native   receives 2 values; borrowed until the context ends
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtContextGetNative(uint64_t native[2], rtContext_t context);

/** Returns the driver's stream: CUDA cudaStream_t; OpenCL cl_command_queue.
 *  @param[out] native  receives 2 values; borrowed until the stream ends
 *  @param[in]  stream  may be NULL: default
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtStreamGetNative(uint64_t native[2], rtStream_t stream);

/** Returns the driver's event: CUDA cudaEvent_t; OpenCL cl_event.
 *  @param[out] native  receives 2 values; borrowed until the event ends or is recorded again
 *  @param[in]  event   the event
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, DRIVER */
RT_API rtStatus_t rtEventGetNative(uint64_t native[2], rtEvent_t event);

/** Returns the driver's module: CUDA CUmodule; OpenCL cl_program; CPU the rtHostModule_t.
 *  @param[out] native  receives 2 values; borrowed until the module ends
 *  @param[in]  module  the module
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED */
RT_API rtStatus_t rtModuleGetNative(uint64_t native[2], rtModule_t module);

/** Returns the driver's form of an address. CUDA and CPU: the address and 0. OpenCL, by the memory tier of the device
 * (memory_tier of rtDeviceProperties_t): in the tier buffer the cl_mem and the offset in it. In the tiers usm and svm the
 * driver has no object for memory: the address, for clSetKernelArgMemPointerINTEL or clSetKernelArgSVMPointer, and 0. Host
 * memory that is ordinary memory to the driver: the address and 0.
 *  @param[out] native   receives 2 values; borrowed until the memory is freed
 *  @param[in]  pointer  an address inside an allocation
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, NOT_SUPPORTED */
RT_API rtStatus_t rtPointerGetNative(uint64_t native[2], const void* pointer);

/** Makes a context from one of another library. rtContextDestroy only detaches it.
 *  @param[out] context  receives the context, which the caller destroys
 *  @param[in]  native   2 values, as rtContextGetNative gives them; borrowed until the context ends
 *  @param[in]  device   the device of that context
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtContextImport(rtContext_t* context, const uint64_t native[2], rtDevice_t device);

/** Makes a stream from one of another library, such as PyTorch, CuPy or PyOpenCL. rtStreamDestroy only detaches it.
 *  On CUDA native[0] may be 0 or 1, the legacy default stream of the context, and 2, the default stream of the calling thread.
 *  @param[out] stream   receives the stream, which the caller destroys
 *  @param[in]  native   2 values, as rtStreamGetNative gives them; borrowed until the stream ends
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtStreamImport(rtStream_t* stream, const uint64_t native[2], rtContext_t context);

/** Makes an event from one of another library. rtEventDestroy only detaches it.
 *  @param[out] event    receives the event, which the caller destroys
 *  @param[in]  native   2 values, as rtEventGetNative gives them; borrowed until the event ends
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtEventImport(rtEvent_t* event, const uint64_t native[2], rtContext_t context);

/** Makes memory of another library known to this one. rtFree only detaches it. An address may be imported more than once. Each
 *  rtFree of it gives back one import, the newest first, and the memory is known until the last. OpenCL takes a cl_mem of its
 *  context and an offset in it, in every memory tier; no address, and what is no cl_mem may end the process.
 *  @param[out] pointer  receives the address, for rtFree
 *  @param[in]  native   2 values, as rtPointerGetNative gives them (OpenCL: in the tier buffer); borrowed until rtFree
 *  @param[in]  size     bytes, not 0
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemImport(void** pointer, const uint64_t native[2], uint64_t size, rtContext_t context);

/** Like rtMemImport. release(user) is called when the library has done with the memory: after rtFree, and after all work and
 *  all graphs that use it. If this call fails, release is not called.
 *  @param[out] pointer  receives the address, for rtFree
 *  @param[in]  native   2 values, as rtPointerGetNative gives them; borrowed until release is called
 *  @param[in]  size     bytes, not 0
 *  @param[in]  user     passed to release; may be NULL
 *  @param[in]  release  called once with user; may be NULL
 *  @param[in]  context  may be NULL: current
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, DEVICE_LOST, DRIVER */
RT_API rtStatus_t rtMemImportWithRelease(void** pointer, const uint64_t native[2], uint64_t size, void* user,
                                         rtReleaseFunction_t release, rtContext_t context);

/** Calls a function that submits work to the driver's own stream. It is called in the stream's order, on a thread of the
 * library or on one that waits for the stream. In a capture it becomes a node: see rtGraphAddNativeNode for when that is
 * called.
 *  @param[in] function  receives the native stream; a failure that it returns is the stream's
 *  @param[in] user      passed to function; may be NULL
 *  @param[in] stream    may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamLaunchNative(rtNativeFunction_t function, void* user, rtStream_t stream);

/** Like rtStreamLaunchNative. release(user) is called after the last use of user, as with rtLaunchHostFunctionWithRelease.
 *  @param[in] function  as for rtStreamLaunchNative
 *  @param[in] user      passed to function and release; may be NULL
 *  @param[in] release   called once with user; may be NULL
 *  @param[in] stream    may be NULL: default
 *  blocks: never
 *  capture: node
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_INVALIDATED */
RT_API rtStatus_t rtStreamLaunchNativeWithRelease(rtNativeFunction_t function, void* user, rtReleaseFunction_t release,
                                                  rtStream_t stream);

/** Like rtStreamLaunchNative, but at once and on the calling thread, which is faster. For functions that only submit.
 *  If earlier work is not with the driver yet, the result is RT_NOT_READY and function is not called. So it is after a host
 *  function, or a wait for another device. On the CPU: if earlier work is not complete. Work that other threads submit to the
 *  stream meanwhile is ordered after it.
 *  @param[in] function  receives the native stream; a failure that it returns is the stream's, and this call returns it
 *  @param[in] user      passed to function; may be NULL
 *  @param[in] stream    may be NULL: default
 *  blocks: maybe, as long as function does
 *  capture: unsafe
 *  errors: INVALID_VALUE, INVALID_HANDLE, NOT_FOUND, OUT_OF_MEMORY, NOT_SUPPORTED, LAUNCH_FAILED, DEVICE_LOST,
 *    DRIVER, CAPTURE_UNSAFE */
RT_API rtStatus_t rtStreamCallNative(rtNativeFunction_t function, void* user, rtStream_t stream);

/* ---- Trace: a timeline of the program, and records for tools ---------------------------------------------------- */

/** Begins a timeline in Chrome's trace format, as RT_TRACE does for the whole process. It has calls, builds, memory, and the
 *  work of every stream with its times on the device. Streams may be older: their work is timed from the next submission on. An
 *  exec of a graph that is older is timed as a whole on CUDA, with its nodes elsewhere. Work submitted before is not in it on
 *  CUDA and OpenCL.
 *  @param[in] file  a path; what is there is replaced
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE, IO, BUSY (a timeline is being written, by RT_TRACE or another call) */
RT_API rtStatus_t rtTraceStart(const char* file);

/** Ends the timeline of rtTraceStart or RT_TRACE; its file is complete then. Work that is not over by now is missing: wait for
 *  it first. On CUDA and OpenCL the file says how much is lost. rtShutdown and the exit of the process end a timeline too.
 *  blocks: maybe, while drivers are asked for the last times
 *  capture: outside
 *  errors: INVALID_VALUE (there is no timeline), IO (the file is incomplete) */
RT_API rtStatus_t rtTraceStop(void);

/** Begins a range of this thread, such as a step of training. Ranges nest. A range is a span of the thread in the timeline, if
 *  one was being written or a callback was set when it began; a tool for NVTX, which NVTX_INJECTION64_PATH names, is told of it
 *  in any case.
 *  @param[in] name  any text; copied
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtTraceRangePush(const char* name);

/** Ends the range that this thread began last. Pushes and pops are counted whether or not anything listens.
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE (this thread has no range) */
RT_API rtStatus_t rtTraceRangePop(void);

/** Puts a mark at this moment of this thread.
 *  @param[in] name  any text; copied
 *  blocks: never
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtTraceMark(const char* name);

/** Sends records of the trace to callback, for a profiler of the program's own: calls, what they submit, the work that follows,
 *  builds, ranges. A callback that was told of a call's beginning is told of its end. The functions of this chapter,
 * rtShutdown, rtGetVersion and texts are not told. When this returns, the earlier callback has all records of what was over,
 * and runs no more; called inside a callback of the trace it returns at once. Records of submissions, work and builds wait in a
 * queue: where a callback is too slow, LOST tells how many did not fit. rtShutdown delivers what is left, the exit of a process
 * does not.
 *  @param[in] callback  may be NULL: none
 *  @param[in] user      passed to callback; may be NULL
 *  @param[in] kinds     RT_TRACE_CALLS, RT_TRACE_SUBMISSIONS, RT_TRACE_WORK, RT_TRACE_BUILDS, RT_TRACE_RANGES, joined by or
 *  blocks: maybe, while another thread is inside the earlier callback
 *  capture: outside
 *  errors: INVALID_VALUE */
RT_API rtStatus_t rtTraceSetCallback(rtTraceCallback_t callback, void* user, uint32_t kinds);

#ifdef __cplusplus
}
#endif

#endif /* MANYRT_RT_H_ */
