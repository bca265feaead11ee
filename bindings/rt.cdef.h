/* rt.h after the preprocessor, for cffi and LuaJIT; made by bindings/generate.py, not to be edited.
 * Fixed-width integers and size_t are known to both. Constants that fit in 32 bits are an enum at the end.
 * RT_TIMEOUT_INFINITE, with 64 bits, is none of them: LuaJIT reads no such number here. It is 2^64 - 1. */
typedef int32_t rtStatus_t;
enum rtStatusCode {
  RT_SUCCESS = 0,
  RT_NOT_READY = 1,
  RT_ERROR_INVALID_VALUE = -1,
  RT_ERROR_INVALID_HANDLE = -2,
  RT_ERROR_INVALID_DEVICE = -3,
  RT_ERROR_WRONG_CONTEXT = -4,
  RT_ERROR_OUT_OF_MEMORY = -5,
  RT_ERROR_NOT_SUPPORTED = -6,
  RT_ERROR_NOT_FOUND = -7,
  RT_ERROR_BUILD_FAILED = -8,
  RT_ERROR_COMPILER_NOT_FOUND = -9,
  RT_ERROR_INVALID_IMAGE = -10,
  RT_ERROR_LAUNCH_FAILED = -11,
  RT_ERROR_CAPTURE_UNSAFE = -12,
  RT_ERROR_CAPTURE_INVALIDATED = -13,
  RT_ERROR_BUSY = -14,
  RT_ERROR_TIMEOUT = -15,
  RT_ERROR_DEVICE_LOST = -16,
  RT_ERROR_BACKEND_UNAVAILABLE = -17,
  RT_ERROR_DRIVER = -18,
  RT_ERROR_FORKED = -19,
  RT_ERROR_SHUT_DOWN = -20,
  RT_ERROR_IO = -21,
  RT_ERROR_INTERNAL = -22
};
typedef struct rtDevice_st* rtDevice_t;
typedef struct rtContext_st* rtContext_t;
typedef struct rtStream_st* rtStream_t;
typedef struct rtEvent_st* rtEvent_t;
typedef struct rtFence_st* rtFence_t;
typedef struct rtMemPool_st* rtMemPool_t;
typedef struct rtKernel_st* rtKernel_t;
typedef struct rtModule_st* rtModule_t;
typedef struct rtGraph_st* rtGraph_t;
typedef struct rtGraphNode_st* rtGraphNode_t;
typedef struct rtGraphBuffer_st* rtGraphBuffer_t;
typedef struct rtGraphValue_st* rtGraphValue_t;
typedef struct rtCapturePlan_st* rtCapturePlan_t;
typedef struct rtGraphExec_st* rtGraphExec_t;
enum rtHandleKind {
  RT_HANDLE_INVALID = -1,
  RT_HANDLE_ALL = 0,
  RT_HANDLE_DEVICE = 1,
  RT_HANDLE_CONTEXT = 2,
  RT_HANDLE_STREAM = 3,
  RT_HANDLE_EVENT = 4,
  RT_HANDLE_FENCE = 5,
  RT_HANDLE_MEM_POOL = 6,
  RT_HANDLE_KERNEL = 7,
  RT_HANDLE_ALLOCATION = 8,
  RT_HANDLE_MODULE = 9,
  RT_HANDLE_GRAPH = 10,
  RT_HANDLE_GRAPH_NODE = 11,
  RT_HANDLE_GRAPH_BUFFER = 12,
  RT_HANDLE_CAPTURE_PLAN = 13,
  RT_HANDLE_GRAPH_EXEC = 14,
  RT_HANDLE_GRAPH_VALUE = 15
};
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
  RT_BACKEND_ALL = 0,
  RT_BACKEND_CPU = 1,
  RT_BACKEND_CUDA = 2,
  RT_BACKEND_OPENCL = 3,
  RT_BACKEND_NULL = 4
};
enum rtDeviceKind {
  RT_DEVICE_KIND_INVALID = -1,
  RT_DEVICE_KIND_CPU = 1,
  RT_DEVICE_KIND_DISCRETE_GPU = 2,
  RT_DEVICE_KIND_INTEGRATED_GPU = 3,
  RT_DEVICE_KIND_ACCELERATOR = 4
};
enum rtMemoryTier {
  RT_MEMORY_TIER_INVALID = -1,
  RT_MEMORY_TIER_NATIVE = 0,
  RT_MEMORY_TIER_USM = 1,
  RT_MEMORY_TIER_SVM = 2,
  RT_MEMORY_TIER_BUFFER = 3
};
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
  RT_ATTRIBUTE_NUMA_NODES = 22,
  RT_ATTRIBUTE_HOST_THREADS = 23,
  RT_ATTRIBUTE_DLPACK_TYPE = 24,
  RT_ATTRIBUTE_DLPACK_ID = 25
};
enum rtCapability {
  RT_CAPABILITY_INVALID = -1,
  RT_CAPABILITY_KERNELS = 0,
  RT_CAPABILITY_HOST_KERNELS = 1,
  RT_CAPABILITY_SHARED_MEMORY = 2,
  RT_CAPABILITY_COOPERATIVE_LAUNCH = 3,
  RT_CAPABILITY_PEER_ACCESS = 4,
  RT_CAPABILITY_TIMING = 5,
  RT_CAPABILITY_NATIVE_INTEROP = 6,
  RT_CAPABILITY_POINTERS_IN_MEMORY = 7,
  RT_CAPABILITY_DOUBLE = 8,
  RT_CAPABILITY_HALF = 9,
  RT_CAPABILITY_ATOMICS_64 = 10,
  RT_CAPABILITY_HOST_REGISTER = 11,
  RT_CAPABILITY_STREAM_PRIORITIES = 12,
  RT_CAPABILITY_SUBGROUPS = 13
};
enum rtWaitPolicy {
  RT_WAIT_INVALID = -1,
  RT_WAIT_DEFAULT = 0,
  RT_WAIT_SPIN = 1,
  RT_WAIT_YIELD = 2,
  RT_WAIT_BLOCK = 3
};
enum rtContextFlags {
  RT_CONTEXT_FLAGS_INVALID = -1,
  RT_CONTEXT_STRICT = 1
};
enum rtEventFlags {
  RT_EVENT_FLAGS_INVALID = -1,
  RT_EVENT_DISABLE_TIMING = 1
};
enum rtMemoryKind {
  RT_MEMORY_INVALID = -1,
  RT_MEMORY_DEVICE = 0,
  RT_MEMORY_HOST = 1,
  RT_MEMORY_SHARED = 2
};
enum rtPointerKind {
  RT_POINTER_INVALID = -1,
  RT_POINTER_UNKNOWN = 0,
  RT_POINTER_DEVICE = 1,
  RT_POINTER_HOST = 2,
  RT_POINTER_SHARED = 3,
  RT_POINTER_REGISTERED = 4,
  RT_POINTER_IMPORTED = 5
};
enum rtMemcpyKind {
  RT_MEMCPY_INVALID = -1,
  RT_MEMCPY_DEFAULT = 0,
  RT_MEMCPY_HOST_TO_HOST = 1,
  RT_MEMCPY_HOST_TO_DEVICE = 2,
  RT_MEMCPY_DEVICE_TO_HOST = 3,
  RT_MEMCPY_DEVICE_TO_DEVICE = 4
};
enum rtArgKind {
  RT_ARG_INVALID = -1,
  RT_ARG_VALUE = 0,
  RT_ARG_POINTER = 1,
  RT_ARG_LOCAL = 2,
  RT_ARG_GRAPH_VALUE = 3
};
enum rtImageFormat {
  RT_IMAGE_INVALID = -1,
  RT_IMAGE_AUTO = 0,
  RT_IMAGE_OPENCL_C = 1,
  RT_IMAGE_CUDA_CXX = 2,
  RT_IMAGE_PTX = 3,
  RT_IMAGE_CUBIN = 4,
  RT_IMAGE_FATBIN = 5,
  RT_IMAGE_SPIRV = 6,
  RT_IMAGE_OPENCL_BINARY = 7,
  RT_IMAGE_HOST_OBJECT = 8,
  RT_IMAGE_MANYRT = 9
};
enum rtImageFlags {
  RT_IMAGE_FLAGS_INVALID = -1,
  RT_IMAGE_WITHOUT_SOURCE = 1
};
enum rtModuleState {
  RT_MODULE_INVALID = -1,
  RT_MODULE_READY = 0,
  RT_MODULE_OPTIMIZED = 1,
  RT_MODULE_QUICK = 2,
  RT_MODULE_FAILED = 3
};
enum rtModuleOrigin {
  RT_MODULE_ORIGIN_INVALID = -1,
  RT_MODULE_ORIGIN_IMAGE = 0,
  RT_MODULE_ORIGIN_BUILD = 1,
  RT_MODULE_ORIGIN_CACHE = 2,
  RT_MODULE_ORIGIN_PROCESS = 3
};
enum rtTier {
  RT_TIER_INVALID = -1,
  RT_TIER_DEFAULT = 0,
  RT_TIER_QUICK = 1,
  RT_TIER_OPTIMIZED = 2,
  RT_TIER_TIERED = 3,
  RT_TIER_READY_MADE = 4
};
enum rtBarriers {
  RT_BARRIERS_INVALID = -1,
  RT_BARRIERS_UNKNOWN = 0,
  RT_BARRIERS_NONE = 1,
  RT_BARRIERS_SPLIT = 2,
  RT_BARRIERS_FIBERS = 3
};
enum rtNoLanes {
  RT_LANES_INVALID = -1,
  RT_LANES_UNKNOWN = 0,
  RT_LANES_ALL = 1,
  RT_LANES_OPTIONS = 2,
  RT_LANES_QUICK = 3,
  RT_LANES_FIBERS = 4,
  RT_LANES_HALVES = 5,
  RT_LANES_NO_FORM = 6,
  RT_LANES_COST = 7,
  RT_LANES_BLOCKS = 8,
  RT_LANES_REST = 9,
  RT_LANES_NOT_TRIED = 10
};
enum rtQualifier {
  RT_QUALIFIER_INVALID = -1,
  RT_QUALIFIER_CONST = 1,
  RT_QUALIFIER_RESTRICT = 2,
  RT_QUALIFIER_VOLATILE = 4
};
enum rtAddressSpace {
  RT_ADDRESS_SPACE_INVALID = -1,
  RT_ADDRESS_SPACE_UNKNOWN = 0,
  RT_ADDRESS_SPACE_PRIVATE = 1,
  RT_ADDRESS_SPACE_GLOBAL = 2,
  RT_ADDRESS_SPACE_CONSTANT = 3,
  RT_ADDRESS_SPACE_LOCAL = 4
};
enum rtAccess {
  RT_ACCESS_INVALID = -1,
  RT_ACCESS_UNKNOWN = 0,
  RT_ACCESS_READ = 1,
  RT_ACCESS_WRITE = 2,
  RT_ACCESS_READ_WRITE = 3,
  RT_ACCESS_NONE = 4
};
enum rtLaunchFlags {
  RT_LAUNCH_FLAGS_INVALID = -1,
  RT_LAUNCH_COOPERATIVE = 1
};
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
  RT_GRAPH_NODE_PREFETCH = 12,
  RT_GRAPH_NODE_ALLOCATION = 13,
  RT_GRAPH_NODE_FREE = 14
};
enum rtVerdict {
  RT_VERDICT_INVALID = -1,
  RT_VERDICT_NATIVE = 0,
  RT_VERDICT_HOST = 1
};
enum rtCaptureState {
  RT_CAPTURE_INVALID = -1,
  RT_CAPTURE_NONE = 0,
  RT_CAPTURE_ACTIVE = 1,
  RT_CAPTURE_INVALIDATED = 2
};
enum rtGraphBufferRole {
  RT_GRAPH_BUFFER_INVALID = -1,
  RT_GRAPH_BUFFER_TEMPORARY = 0,
  RT_GRAPH_BUFFER_INPUT = 1,
  RT_GRAPH_BUFFER_OUTPUT = 2,
  RT_GRAPH_BUFFER_CONSTANT = 3
};
enum rtGraphAccess { RT_GRAPH_ACCESS_INVALID = -1, RT_GRAPH_READ = 1, RT_GRAPH_WRITE = 2 };
enum rtTraceKind {
  RT_TRACE_INVALID = -1,
  RT_TRACE_CALLS = 1,
  RT_TRACE_SUBMISSIONS = 2,
  RT_TRACE_WORK = 4,
  RT_TRACE_BUILDS = 8,
  RT_TRACE_RANGES = 16
};
enum rtTraceRecordType {
  RT_TRACE_RECORD_INVALID = -1,
  RT_TRACE_RECORD_ENTER = 1,
  RT_TRACE_RECORD_EXIT = 2,
  RT_TRACE_RECORD_SUBMISSION = 3,
  RT_TRACE_RECORD_WORK = 4,
  RT_TRACE_RECORD_BUILD = 5,
  RT_TRACE_RECORD_RANGE_PUSH = 6,
  RT_TRACE_RECORD_RANGE_POP = 7,
  RT_TRACE_RECORD_MARK = 8,
  RT_TRACE_RECORD_LOST = 9
};
enum rtWorkKind {
  RT_WORK_INVALID = -1,
  RT_WORK_KERNEL = 1,
  RT_WORK_COPY = 2,
  RT_WORK_FILL = 3,
  RT_WORK_PREFETCH = 4,
  RT_WORK_GRAPH = 5,
  RT_WORK_TASK = 6,
  RT_WORK_HOST_FUNCTION = 7
};
typedef void (*rtLogCallback_t)(int32_t level, const char* message, void* user);
typedef void (*rtHostFunction_t)(void* user, rtStatus_t status);
typedef rtStatus_t (*rtNativeFunction_t)(const uint64_t native[2], void* user);
typedef void (*rtReleaseFunction_t)(void* user);
typedef int32_t (*rtOutOfMemoryCallback_t)(uint64_t size, void* user);
typedef struct rtHostGroup_t {
  uint32_t group_id[3];
  uint32_t group_count[3];
  uint32_t group_size[3];
  uint32_t worker;
  uint64_t local_bytes;
  void* local_memory;
} rtHostGroup_t;
typedef void (*rtHostKernelFunction_t)(const rtHostGroup_t* group, void* const* args);
typedef struct rtTraceRecord_t {
  uint32_t struct_size;
  int32_t type;
  uint64_t thread;
  uint64_t call;
  uint64_t stream;
  uint64_t serial;
  int64_t begin_ns;
  int64_t end_ns;
  int64_t waited_ns;
  rtStatus_t status;
  int32_t work;
  int32_t copy;
  uint32_t in_graph;
  uint64_t bytes;
  uint32_t grid[3];
  uint32_t group[3];
  uint64_t lost;
  const char* name;
  const char* module;
  const char* tier;
  const char* device;
  const char* label;
} rtTraceRecord_t;
typedef void (*rtTraceCallback_t)(const rtTraceRecord_t* record, void* user);
typedef struct rtBackendInfo_t {
  uint32_t struct_size;
  int32_t backend;
  int32_t available;
  int32_t device_count;
  char name[64];
  char driver_name[128];
  char driver_version[128];
  char reason[256];
} rtBackendInfo_t;
typedef struct rtDeviceProperties_t {
  uint32_t struct_size;
  int32_t kind;
  int32_t backend;
  int32_t ordinal;
  char id[32];
  char name[256];
  char vendor[128];
  char driver_version[128];
  char architecture[64];
  char pci_bus_id[32];
  uint8_t uuid[16];
  uint32_t compute_units;
  uint32_t clock_mhz;
  uint32_t simd_width;
  uint32_t max_group_items;
  uint32_t max_group_size[3];
  uint32_t reserved;
  uint64_t max_grid_size[3];
  uint64_t memory_bytes;
  uint64_t max_allocation_bytes;
  uint64_t cache_line_bytes;
  uint64_t l1_bytes;
  uint64_t l2_bytes;
  uint64_t l3_bytes;
  uint64_t local_bytes_per_group;
  uint32_t unified_memory;
  int32_t memory_tier;
  int32_t priority_least;
  int32_t priority_greatest;
} rtDeviceProperties_t;
typedef struct rtContextOptions_t {
  uint32_t struct_size;
  int32_t wait_policy;
  uint32_t cpu_threads;
  uint32_t flags;
  char label[64];
} rtContextOptions_t;
typedef struct rtStreamOptions_t {
  uint32_t struct_size;
  int32_t priority;
  uint32_t flags;
  uint32_t reserved;
  char label[64];
} rtStreamOptions_t;
typedef struct rtEventOptions_t {
  uint32_t struct_size;
  uint32_t flags;
} rtEventOptions_t;
typedef struct rtMallocOptions_t {
  uint32_t struct_size;
  int32_t kind;
  uint64_t alignment;
  uint32_t flags;
  uint32_t reserved;
  char label[64];
} rtMallocOptions_t;
typedef struct rtPointerAttributes_t {
  uint32_t struct_size;
  int32_t kind;
  void* base;
  uint64_t size;
  rtContext_t context;
  rtDevice_t device;
} rtPointerAttributes_t;
typedef struct rtMemPoolOptions_t {
  uint32_t struct_size;
  int32_t kind;
  uint64_t initial_bytes;
  uint64_t maximum_bytes;
  uint64_t release_threshold;
  char label[64];
} rtMemPoolOptions_t;
typedef struct rtMemPoolStats_t {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t live_bytes;
  uint64_t live_count;
  uint64_t reserved_bytes;
  uint64_t peak_live_bytes;
  uint64_t peak_reserved_bytes;
  uint64_t pending_bytes;
  uint64_t allocation_count;
  uint64_t free_count;
  uint64_t reuse_count;
  uint64_t driver_allocation_count;
} rtMemPoolStats_t;
typedef struct rtContextStats_t {
  uint32_t struct_size;
  uint32_t reserved;
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
  uint64_t points_native;
} rtContextStats_t;
typedef struct rtHostArg_t {
  uint32_t size;
  int32_t kind;
} rtHostArg_t;
typedef struct rtHostKernel_t {
  uint32_t struct_size;
  uint32_t arg_count;
  rtHostKernelFunction_t function;
  const rtHostArg_t* args;
  const char* name;
  uint32_t max_group_items;
  uint32_t flags;
} rtHostKernel_t;
typedef struct rtHostModuleArg_t {
  uint32_t size;
  int32_t kind;
  const char* name;
  const char* type_name;
} rtHostModuleArg_t;
typedef struct rtHostModuleKernel_t {
  const char* name;
  rtHostKernelFunction_t function;
  const rtHostModuleArg_t* args;
  uint32_t arg_count;
  uint32_t flags;
  uint32_t max_group_items;
  uint32_t required_group_size[3];
  uint64_t local_bytes;
  uint64_t scratch_bytes;
  uint64_t scratch_bytes_per_item;
} rtHostModuleKernel_t;
typedef struct rtHostModuleGlobal_t {
  const char* name;
  void* address;
  uint64_t size;
} rtHostModuleGlobal_t;
typedef struct rtHostModule_t {
  uint32_t struct_size;
  uint32_t kernel_count;
  const rtHostModuleKernel_t* kernels;
  const rtHostModuleGlobal_t* globals;
  uint32_t global_count;
  uint32_t flags;
} rtHostModule_t;
typedef struct rtModuleOptions_t {
  uint32_t struct_size;
  int32_t format;
  const char* build_options;
  const char* name;
  uint32_t header_count;
  uint32_t reserved;
  const char* const* header_names;
  const char* const* headers;
  int32_t tier;
  uint32_t flags;
} rtModuleOptions_t;
typedef struct rtImageOptions_t {
  uint32_t struct_size;
  uint32_t flags;
} rtImageOptions_t;
typedef struct rtModuleInfo_t {
  uint32_t struct_size;
  int32_t state;
  int32_t origin;
  uint32_t kernel_count;
  uint64_t code_bytes;
  uint64_t load_ns;
  char name[256];
} rtModuleInfo_t;
typedef struct rtKernelInfo_t {
  uint32_t struct_size;
  uint32_t arg_count;
  uint32_t max_group_items;
  uint32_t reserved;
  uint64_t local_bytes;
  uint64_t private_bytes;
  uint32_t required_group_size[3];
  uint32_t preferred_group_multiple;
  char name[256];
  int32_t tier;
  int32_t barriers;
  uint32_t lanes;
  int32_t lane_dimension;
  int32_t no_lanes;
  uint32_t registers;
  uint32_t groups_per_unit;
  uint32_t scalar_loops;
} rtKernelInfo_t;
typedef struct rtKernelArgInfo_t {
  uint32_t struct_size;
  uint32_t index;
  uint32_t size;
  int32_t kind;
  char name[64];
  char type_name[64];
  uint32_t qualifiers;
  int32_t address_space;
  int32_t access;
} rtKernelArgInfo_t;
typedef struct rtLaunchOptions_t {
  uint32_t struct_size;
  uint32_t flags;
  const uint32_t* arg_sizes;
  uint32_t arg_size_count;
  uint32_t reserved;
  uint64_t global_offset[3];
} rtLaunchOptions_t;
typedef struct rtGraphOperand_t {
  rtGraphBuffer_t buffer;
  uint64_t offset;
  void* pointer;
} rtGraphOperand_t;
typedef struct rtGraphArg_t {
  int32_t kind;
  uint32_t access;
  uint64_t size;
  const void* value;
  rtGraphOperand_t memory;
} rtGraphArg_t;
typedef struct rtGraphKernelParams_t {
  uint32_t struct_size;
  uint32_t arg_count;
  rtKernel_t kernel;
  const char* name;
  const rtGraphArg_t* args;
  uint32_t grid[3];
  uint32_t group[3];
  uint32_t local_bytes;
  uint32_t flags;
  uint64_t global_offset[3];
} rtGraphKernelParams_t;
typedef struct rtGraphMemcpyParams_t {
  uint32_t struct_size;
  int32_t kind;
  rtGraphOperand_t dst;
  rtGraphOperand_t src;
  uint64_t size;
} rtGraphMemcpyParams_t;
typedef struct rtGraphMemcpy2DParams_t {
  uint32_t struct_size;
  int32_t kind;
  rtGraphOperand_t dst;
  rtGraphOperand_t src;
  uint64_t dst_pitch;
  uint64_t src_pitch;
  uint64_t width;
  uint64_t height;
} rtGraphMemcpy2DParams_t;
typedef struct rtGraphFillParams_t {
  uint32_t struct_size;
  uint32_t pattern_size;
  uint8_t pattern[16];
  rtGraphOperand_t dst;
  uint64_t count;
  uint64_t pitch;
  uint64_t height;
} rtGraphFillParams_t;
typedef struct rtGraphHostParams_t {
  uint32_t struct_size;
  uint32_t reserved;
  rtHostFunction_t function;
  void* user;
  rtReleaseFunction_t release;
} rtGraphHostParams_t;
typedef struct rtGraphNativeParams_t {
  uint32_t struct_size;
  uint32_t reserved;
  rtNativeFunction_t function;
  void* user;
  rtReleaseFunction_t release;
} rtGraphNativeParams_t;
typedef struct rtGraphBinding_t {
  rtGraphBuffer_t buffer;
  rtGraphOperand_t memory;
} rtGraphBinding_t;
typedef struct rtGraphValueBinding_t {
  rtGraphValue_t value;
  rtGraphValue_t outer;
  const void* data;
  uint64_t size;
} rtGraphValueBinding_t;
typedef struct rtGraphChildParams_t {
  uint32_t struct_size;
  uint32_t binding_count;
  rtGraph_t graph;
  const rtGraphBinding_t* bindings;
  uint32_t value_binding_count;
  uint32_t reserved;
  const rtGraphValueBinding_t* value_bindings;
} rtGraphChildParams_t;
typedef struct rtGraphEventParams_t {
  uint32_t struct_size;
  uint32_t reserved;
  rtEvent_t event;
} rtGraphEventParams_t;
typedef struct rtGraphFenceParams_t {
  uint32_t struct_size;
  uint32_t reserved;
  rtFence_t fence;
  uint64_t value;
} rtGraphFenceParams_t;
typedef struct rtGraphBufferInfo_t {
  uint32_t struct_size;
  int32_t role;
  uint64_t size;
  char name[128];
} rtGraphBufferInfo_t;
typedef struct rtGraphValueInfo_t {
  uint32_t struct_size;
  uint32_t size;
  uint32_t has_initial;
  char name[128];
} rtGraphValueInfo_t;
typedef struct rtCapturePlanOptions_t {
  uint32_t struct_size;
  uint32_t module_count;
  const rtModule_t* modules;
  uint32_t max_streams;
  uint32_t flags;
} rtCapturePlanOptions_t;
typedef struct rtCapturePlanInfo_t {
  uint32_t struct_size;
  uint32_t node_count;
  uint32_t step_count;
  uint32_t level_count;
  uint32_t stream_count;
  uint32_t dependency_count;
  uint64_t temporary_bytes;
  uint64_t temporary_bytes_without_reuse;
  uint64_t temporary_bytes_live;
  uint32_t buffer_count;
  uint32_t reserved;
} rtCapturePlanInfo_t;
typedef struct rtCapturePlanStep_t {
  uint32_t struct_size;
  int32_t type;
  rtGraphNode_t node;
  uint32_t stream;
  uint32_t level;
  int32_t verdict;
  uint32_t dependency_count;
  uint64_t memory_offset;
} rtCapturePlanStep_t;
typedef struct rtCapturePlanBuffer_t {
  uint32_t struct_size;
  int32_t role;
  uint64_t size;
  uint64_t offset;
  uint32_t first_step;
  uint32_t last_step;
} rtCapturePlanBuffer_t;
rtStatus_t rtGetVersion(uint32_t* version);
rtStatus_t rtInit(void);
rtStatus_t rtShutdown(void);
const char* rtGetErrorName(rtStatus_t status);
const char* rtGetErrorString(rtStatus_t status);
rtStatus_t rtGetLastErrorMessage(char* buffer, size_t size, size_t* needed);
rtStatus_t rtSetLogCallback(rtLogCallback_t callback, void* user, int32_t level);
rtStatus_t rtLogWrite(int32_t level, const char* line);
rtStatus_t rtGetLiveHandleCount(uint64_t* count, int32_t kind);
rtStatus_t rtBackendGetInfo(rtBackendInfo_t* info, int32_t backend);
rtStatus_t rtDeviceGetCount(int32_t* count, int32_t backend);
rtStatus_t rtDeviceGet(rtDevice_t* device, int32_t backend, int32_t ordinal);
rtStatus_t rtDeviceGetByName(rtDevice_t* device, const char* name);
rtStatus_t rtDeviceGetBackend(int32_t* backend, int32_t* ordinal, rtDevice_t device);
rtStatus_t rtDeviceGetProperties(rtDeviceProperties_t* properties, rtDevice_t device);
rtStatus_t rtDeviceGetAttribute(int64_t* value, int32_t attribute, rtDevice_t device);
rtStatus_t rtDeviceHasCapability(int32_t* has, int32_t capability, rtDevice_t device);
rtStatus_t rtDeviceGetMemInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtDevice_t device);
rtStatus_t rtDeviceCanAccessPeer(int32_t* can, rtDevice_t peer, rtDevice_t device);
rtStatus_t rtDeviceSynchronize(rtDevice_t device);
rtStatus_t rtDeviceGetStatus(rtStatus_t* status, rtDevice_t device);
rtStatus_t rtDeviceGetLossMessage(char* buffer, size_t size, size_t* needed, rtDevice_t device);
rtStatus_t rtContextCreate(rtContext_t* context, const rtContextOptions_t* options, rtDevice_t device);
rtStatus_t rtContextDestroy(rtContext_t context);
rtStatus_t rtContextGetPrimary(rtContext_t* context, rtDevice_t device);
rtStatus_t rtContextSetCurrent(rtContext_t context);
rtStatus_t rtContextGetCurrent(rtContext_t* context);
rtStatus_t rtContextGetDevice(rtDevice_t* device, rtContext_t context);
rtStatus_t rtContextGetDefaultStream(rtStream_t* stream, rtContext_t context);
rtStatus_t rtContextGetDefaultPool(rtMemPool_t* pool, rtContext_t context);
rtStatus_t rtContextGetStats(rtContextStats_t* stats, rtContext_t context);
rtStatus_t rtContextSetDefaultPool(rtMemPool_t pool, rtContext_t context);
rtStatus_t rtContextSynchronize(rtContext_t context);
rtStatus_t rtContextReset(rtContext_t context);
rtStatus_t rtContextEnablePeerAccess(rtContext_t peer, rtContext_t context);
rtStatus_t rtContextSetUserData(void* user, rtReleaseFunction_t release, rtContext_t context);
rtStatus_t rtContextGetUserData(void** user, rtContext_t context);
rtStatus_t rtStreamCreate(rtStream_t* stream, const rtStreamOptions_t* options, rtContext_t context);
rtStatus_t rtStreamDestroy(rtStream_t stream);
rtStatus_t rtStreamSynchronize(rtStream_t stream);
rtStatus_t rtStreamQuery(rtStream_t stream);
rtStatus_t rtStreamSynchronizeFor(uint64_t timeout_ns, rtStream_t stream);
rtStatus_t rtStreamWaitEvent(rtEvent_t event, rtStream_t stream);
rtStatus_t rtStreamWaitStream(rtStream_t other, rtStream_t stream);
rtStatus_t rtStreamWaitContext(rtContext_t other, rtStream_t stream);
rtStatus_t rtStreamWaitPointer(const void* pointer, rtStream_t stream);
rtStatus_t rtStreamGetContext(rtContext_t* context, rtStream_t stream);
rtStatus_t rtStreamGetPriority(int32_t* priority, rtStream_t stream);
rtStatus_t rtLaunchHostFunction(rtHostFunction_t function, void* user, rtStream_t stream);
rtStatus_t rtLaunchHostFunctionWithRelease(rtHostFunction_t function, void* user, rtReleaseFunction_t release,
    rtStream_t stream);
rtStatus_t rtEventCreate(rtEvent_t* event, const rtEventOptions_t* options, rtContext_t context);
rtStatus_t rtEventDestroy(rtEvent_t event);
rtStatus_t rtEventQuery(rtEvent_t event);
rtStatus_t rtEventSynchronize(rtEvent_t event);
rtStatus_t rtEventSynchronizeFor(uint64_t timeout_ns, rtEvent_t event);
rtStatus_t rtEventGetDescriptor(int32_t* descriptor, rtEvent_t event);
rtStatus_t rtEventRecord(rtEvent_t event, rtStream_t stream);
rtStatus_t rtEventElapsedTime(float* milliseconds, rtEvent_t start, rtEvent_t end);
rtStatus_t rtEventElapsedNanoseconds(int64_t* nanoseconds, rtEvent_t start, rtEvent_t end);
rtStatus_t rtEventGetTimestamp(uint64_t* host_ns, uint64_t* error_ns, rtEvent_t event);
rtStatus_t rtFenceCreate(rtFence_t* fence, uint64_t value, rtContext_t context);
rtStatus_t rtFenceDestroy(rtFence_t fence);
rtStatus_t rtFenceGetValue(uint64_t* value, rtFence_t fence);
rtStatus_t rtFenceSignal(uint64_t value, rtFence_t fence);
rtStatus_t rtFenceWait(uint64_t value, rtFence_t fence);
rtStatus_t rtFenceWaitFor(uint64_t timeout_ns, uint64_t value, rtFence_t fence);
rtStatus_t rtStreamSignalFence(rtFence_t fence, uint64_t value, rtStream_t stream);
rtStatus_t rtStreamWaitFence(rtFence_t fence, uint64_t value, rtStream_t stream);
rtStatus_t rtMalloc(void** pointer, size_t size, rtContext_t context);
rtStatus_t rtMallocHost(void** pointer, size_t size, rtContext_t context);
rtStatus_t rtMallocShared(void** pointer, size_t size, rtContext_t context);
rtStatus_t rtMallocAsync(void** pointer, size_t size, rtStream_t stream);
rtStatus_t rtMallocWithOptions(void** pointer, size_t size, const rtMallocOptions_t* options, rtContext_t context);
rtStatus_t rtFree(void* pointer);
rtStatus_t rtFreeAsync(void* pointer, rtStream_t stream);
rtStatus_t rtHostRegister(void* pointer, size_t size, rtContext_t context);
rtStatus_t rtHostUnregister(void* pointer, rtContext_t context);
rtStatus_t rtHostGetDevicePointer(void** device_pointer, void* host, rtContext_t context);
rtStatus_t rtPointerGetAttributes(rtPointerAttributes_t* attributes, const void* pointer);
rtStatus_t rtMemGetInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtContext_t context);
rtStatus_t rtMemcpy(void* dst, const void* src, size_t size, int32_t kind);
rtStatus_t rtMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
    int32_t kind);
rtStatus_t rtMemcpyAsync(void* dst, const void* src, size_t size, int32_t kind, rtStream_t stream);
rtStatus_t rtMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
    int32_t kind, rtStream_t stream);
rtStatus_t rtMemset(void* dst, int32_t value, size_t size);
rtStatus_t rtMemsetAsync(void* dst, int32_t value, size_t size, rtStream_t stream);
rtStatus_t rtMemset2DAsync(void* dst, size_t pitch, int32_t value, size_t width, size_t height, rtStream_t stream);
rtStatus_t rtMemFillAsync(void* dst, const void* pattern, size_t pattern_size, size_t count, rtStream_t stream);
rtStatus_t rtMemPrefetchAsync(const void* pointer, size_t size, rtDevice_t destination, rtStream_t stream);
rtStatus_t rtMemPoolCreate(rtMemPool_t* pool, const rtMemPoolOptions_t* options, rtContext_t context);
rtStatus_t rtMemPoolDestroy(rtMemPool_t pool);
rtStatus_t rtMemPoolTrim(uint64_t keep_bytes, rtMemPool_t pool);
rtStatus_t rtMemPoolSetLimit(uint64_t bytes, rtMemPool_t pool);
rtStatus_t rtMemPoolSetReleaseThreshold(uint64_t bytes, rtMemPool_t pool);
rtStatus_t rtMallocFromPool(void** pointer, size_t size, size_t alignment, rtStream_t stream, rtMemPool_t pool);
rtStatus_t rtMemPoolSetPinMode(int32_t on, rtMemPool_t pool);
rtStatus_t rtMemPoolGetStats(rtMemPoolStats_t* stats, rtMemPool_t pool);
rtStatus_t rtMemPoolResetPeak(rtMemPool_t pool);
rtStatus_t rtMemPoolDumpJson(char* buffer, size_t size, size_t* needed, rtMemPool_t pool);
rtStatus_t rtMemPoolSetOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user, rtMemPool_t pool);
rtStatus_t rtModuleCreateFromSource(rtModule_t* module, const char* source, const char* options, rtContext_t context);
rtStatus_t rtModuleCreateFromSources(rtModule_t* module, const char* const* sources, uint32_t count, const char* options,
    rtContext_t context);
rtStatus_t rtModuleBuildMany(rtModule_t* modules, rtStatus_t* statuses, const char* const* sources, uint32_t count,
    const rtModuleOptions_t* const* options, rtContext_t context);
rtStatus_t rtModuleLoadData(rtModule_t* module, const void* image, size_t size, const rtModuleOptions_t* options,
    rtContext_t context);
rtStatus_t rtModuleLoadFile(rtModule_t* module, const char* path, const rtModuleOptions_t* options, rtContext_t context);
rtStatus_t rtModuleGetImage(void* buffer, size_t size, size_t* needed, const rtImageOptions_t* options,
    rtModule_t module);
rtStatus_t rtModuleDestroy(rtModule_t module);
rtStatus_t rtModuleGetBuildLog(char* buffer, size_t size, size_t* needed, rtModule_t module);
rtStatus_t rtModuleGetInfo(rtModuleInfo_t* info, rtModule_t module);
rtStatus_t rtModuleWait(rtModule_t module, int32_t state, uint64_t timeout_ns);
rtStatus_t rtModuleGetKernel(rtKernel_t* kernel, const char* name, rtModule_t module);
rtStatus_t rtModuleGetKernelCount(uint32_t* count, rtModule_t module);
rtStatus_t rtModuleGetKernelByIndex(rtKernel_t* kernel, uint32_t index, rtModule_t module);
rtStatus_t rtModuleGetGlobal(void** pointer, uint64_t* size, const char* name, rtModule_t module);
rtStatus_t rtKernelCreateFromHost(rtKernel_t* kernel, const rtHostKernel_t* host, rtContext_t context);
rtStatus_t rtKernelDestroy(rtKernel_t kernel);
rtStatus_t rtKernelGetName(char* buffer, size_t size, size_t* needed, rtKernel_t kernel);
rtStatus_t rtKernelGetInfo(rtKernelInfo_t* info, rtKernel_t kernel);
rtStatus_t rtKernelGetArgInfo(rtKernelArgInfo_t* info, uint32_t index, rtKernel_t kernel);
rtStatus_t rtKernelSuggestGroupSize(uint32_t group[3], const uint32_t items[3], uint32_t local_bytes, rtKernel_t kernel);
rtStatus_t rtKernelGetMaxActiveGroups(uint32_t* groups, uint32_t group_size, uint32_t local_bytes, rtKernel_t kernel);
rtStatus_t rtLaunchKernel(rtKernel_t kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t group_x,
    uint32_t group_y, uint32_t group_z, uint32_t local_bytes, rtStream_t stream, void* const* args,
    uint32_t arg_count);
rtStatus_t rtLaunchKernelWithOptions(rtKernel_t kernel, const uint32_t grid[3], const uint32_t group[3],
    uint32_t local_bytes, const rtLaunchOptions_t* options, void* const* args,
    uint32_t arg_count, rtStream_t stream);
rtStatus_t rtGraphCreate(rtGraph_t* graph);
rtStatus_t rtGraphDestroy(rtGraph_t graph);
rtStatus_t rtGraphClone(rtGraph_t* clone, rtGraph_t graph);
rtStatus_t rtGraphAddBuffer(rtGraphBuffer_t* buffer, uint64_t size, int32_t role, const char* name, rtGraph_t graph);
rtStatus_t rtGraphMakeBuffer(rtGraphBuffer_t* buffer, void* pointer, uint64_t size, int32_t role, const char* name,
    rtGraph_t graph);
rtStatus_t rtGraphAddKernelNode(rtGraphNode_t* node, const rtGraphKernelParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddMemcpyNode(rtGraphNode_t* node, const rtGraphMemcpyParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddMemcpy2DNode(rtGraphNode_t* node, const rtGraphMemcpy2DParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddFillNode(rtGraphNode_t* node, const rtGraphFillParams_t* params, const rtGraphNode_t* dependencies,
    uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddHostNode(rtGraphNode_t* node, const rtGraphHostParams_t* params, const rtGraphNode_t* dependencies,
    uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddNativeNode(rtGraphNode_t* node, const rtGraphNativeParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddEmptyNode(rtGraphNode_t* node, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddChildGraphNode(rtGraphNode_t* node, const rtGraphChildParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddEventRecordNode(rtGraphNode_t* node, const rtGraphEventParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddEventWaitNode(rtGraphNode_t* node, const rtGraphEventParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddFenceSignalNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddFenceWaitNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphAddDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph);
rtStatus_t rtGraphRemoveDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count,
    rtGraph_t graph);
rtStatus_t rtGraphGetNodes(rtGraphNode_t* nodes, uint32_t capacity, uint32_t* count, rtGraph_t graph);
rtStatus_t rtGraphGetEdges(rtGraphNode_t* from, rtGraphNode_t* to, uint32_t capacity, uint32_t* count, rtGraph_t graph);
rtStatus_t rtGraphNodeGetType(int32_t* type, rtGraphNode_t node);
rtStatus_t rtGraphExportDot(char* buffer, size_t size, size_t* needed, rtGraph_t graph);
rtStatus_t rtGraphGetBuffers(rtGraphBuffer_t* buffers, uint32_t capacity, uint32_t* count, rtGraph_t graph);
rtStatus_t rtGraphBufferGetInfo(rtGraphBufferInfo_t* info, rtGraphBuffer_t buffer);
rtStatus_t rtGraphAddValue(rtGraphValue_t* value, uint64_t size, const void* initial, const char* name, rtGraph_t graph);
rtStatus_t rtGraphGetValues(rtGraphValue_t* values, uint32_t capacity, uint32_t* count, rtGraph_t graph);
rtStatus_t rtGraphValueGetInfo(rtGraphValueInfo_t* info, rtGraphValue_t value);
rtStatus_t rtGraphSave(void* data, size_t size, size_t* needed, rtGraph_t graph);
rtStatus_t rtGraphLoad(rtGraph_t* graph, const void* data, size_t size);
rtStatus_t rtCapturePlanCreate(rtCapturePlan_t* plan, const rtCapturePlanOptions_t* options, rtGraph_t graph,
    rtContext_t context);
rtStatus_t rtCapturePlanDestroy(rtCapturePlan_t plan);
rtStatus_t rtCapturePlanGetInfo(rtCapturePlanInfo_t* info, rtCapturePlan_t plan);
rtStatus_t rtCapturePlanGetStep(rtCapturePlanStep_t* step, uint32_t index, rtCapturePlan_t plan);
rtStatus_t rtCapturePlanGetBuffer(rtCapturePlanBuffer_t* buffer, uint32_t index, rtCapturePlan_t plan);
rtStatus_t rtGraphExecCreate(rtGraphExec_t* exec, rtCapturePlan_t plan);
rtStatus_t rtGraphInstantiate(rtGraphExec_t* exec, rtGraph_t graph, rtContext_t context);
rtStatus_t rtGraphExecDestroy(rtGraphExec_t exec);
rtStatus_t rtGraphExecBindBuffer(rtGraphBuffer_t buffer, void* pointer, rtGraphExec_t exec);
rtStatus_t rtGraphExecBindBufferRange(rtGraphBuffer_t buffer, void* pointer, uint64_t size, rtGraphExec_t exec);
rtStatus_t rtGraphExecBindValue(rtGraphValue_t value, const void* data, uint64_t size, rtGraphExec_t exec);
rtStatus_t rtGraphExecSetKernelParams(rtGraphNode_t node, const rtGraphKernelParams_t* params, rtGraphExec_t exec);
rtStatus_t rtGraphExecSetMemcpyParams(rtGraphNode_t node, const rtGraphMemcpyParams_t* params, rtGraphExec_t exec);
rtStatus_t rtGraphExecSetMemcpy2DParams(rtGraphNode_t node, const rtGraphMemcpy2DParams_t* params, rtGraphExec_t exec);
rtStatus_t rtGraphExecSetFillParams(rtGraphNode_t node, const rtGraphFillParams_t* params, rtGraphExec_t exec);
rtStatus_t rtGraphExecUpdate(rtGraph_t graph, rtGraphExec_t exec);
rtStatus_t rtGraphLaunch(rtGraphExec_t exec, rtStream_t stream);
rtStatus_t rtStreamBeginCapture(rtStream_t stream);
rtStatus_t rtStreamEndCapture(rtGraph_t* graph, rtStream_t stream);
rtStatus_t rtStreamIsCapturing(int32_t* state, rtStream_t stream);
rtStatus_t rtStreamGetCapturedNode(rtGraphNode_t* last, rtStream_t stream);
rtStatus_t rtDeviceGetNative(uint64_t native[2], rtDevice_t device);
rtStatus_t rtContextGetNative(uint64_t native[2], rtContext_t context);
rtStatus_t rtStreamGetNative(uint64_t native[2], rtStream_t stream);
rtStatus_t rtEventGetNative(uint64_t native[2], rtEvent_t event);
rtStatus_t rtModuleGetNative(uint64_t native[2], rtModule_t module);
rtStatus_t rtPointerGetNative(uint64_t native[2], const void* pointer);
rtStatus_t rtContextImport(rtContext_t* context, const uint64_t native[2], rtDevice_t device);
rtStatus_t rtStreamImport(rtStream_t* stream, const uint64_t native[2], rtContext_t context);
rtStatus_t rtEventImport(rtEvent_t* event, const uint64_t native[2], rtContext_t context);
rtStatus_t rtMemImport(void** pointer, const uint64_t native[2], uint64_t size, rtContext_t context);
rtStatus_t rtMemImportWithRelease(void** pointer, const uint64_t native[2], uint64_t size, void* user,
    rtReleaseFunction_t release, rtContext_t context);
rtStatus_t rtStreamLaunchNative(rtNativeFunction_t function, void* user, rtStream_t stream);
rtStatus_t rtStreamLaunchNativeWithRelease(rtNativeFunction_t function, void* user, rtReleaseFunction_t release,
    rtStream_t stream);
rtStatus_t rtStreamCallNative(rtNativeFunction_t function, void* user, rtStream_t stream);
rtStatus_t rtTraceStart(const char* file);
rtStatus_t rtTraceStop(void);
rtStatus_t rtTraceRangePush(const char* name);
rtStatus_t rtTraceRangePop(void);
rtStatus_t rtTraceMark(const char* name);
rtStatus_t rtTraceSetCallback(rtTraceCallback_t callback, void* user, uint32_t kinds);
enum rtConstant {
  MANYRT_VERSION_MAJOR = 0,
  MANYRT_VERSION_MINOR = 3,
  MANYRT_VERSION_PATCH = 0,
  RT_ARGS_ALL = 4294967295,
  RT_INFERRED = 4294967295
};
