// Makes the objects and the valid arguments that valid_calls.h describes. Statuses are ignored where an object is only
// taken away again: some calls under test have destroyed it already.
#include "support/valid_calls.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace manyrt::calls {
namespace {

constexpr size_t kPage = 4096;

void hostFunction(void*, rtStatus_t) {}
void logFunction(int32_t, const char*, void*) {}
void traceFunction(const rtTraceRecord_t*, void*) {}
void releaseFunction(void*) {}
rtStatus_t nativeFunction(const uint64_t*, void*) { return RT_SUCCESS; }
int32_t outOfMemoryFunction(uint64_t, void*) { return 0; }
void kernelFunction(const rtHostGroup_t*, void* const*) {}

const rtHostArg_t kKernelArgs[1] = {{4, RT_ARG_VALUE}};

// Padded, so that it is text to the last of the 256 bytes that "size" says.
constexpr char kGraphFile[] = R"({"format": "manyrt-graph", "version": 1, "nodes": [{"kind": "empty"}]})";
const char kModuleSource[] = "__kernel void iota(uint value) {}\n";  // one value, as the function of the program takes
const char kSource[] = "__kernel void misuse(__global int* out) { out[0] = 1; }\n";

// Integers by the name of the argument. Those that depend on the device or the function stand in fillInteger.
const std::map<std::string, uint64_t> kIntegers = {
    {"ordinal", 0},
    {"attribute", RT_ATTRIBUTE_COMPUTE_UNITS},
    {"capability", RT_CAPABILITY_HOST_KERNELS},
    {"level", RT_LOG_ERROR},
    {"status", static_cast<uint32_t>(RT_ERROR_INVALID_VALUE)},
    {"on", 0},
    {"kind", 0},
    {"kinds", RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS | RT_TRACE_RANGES},
    {"size", 256},
    {"width", 16},
    {"height", 4},
    {"pitch", 64},
    {"dst_pitch", 64},
    {"src_pitch", 64},
    {"alignment", 0},
    {"pattern_size", 4},
    {"count", 16},
    {"value", kFenceValue},
    {"timeout_ns", 0},
    {"state", RT_MODULE_READY},
    {"bytes", 1 << 20},
    {"keep_bytes", 0},
    {"grid_x", 1},
    {"grid_y", 1},
    {"grid_z", 1},
    {"group_x", 1},
    {"group_y", 1},
    {"group_z", 1},
    {"group_size", 1},
    {"local_bytes", 0},
    {"arg_count", 1},
    {"index", 0},
    {"capacity", 8},
    {"role", RT_GRAPH_BUFFER_INPUT},
};

template <typename T, typename Create, typename Destroy>
uint64_t madeAndDestroyed(Create create, Destroy destroy) {
  T handle = nullptr;
  if (create(&handle) != RT_SUCCESS) return 0;
  (void)destroy(handle);
  return reinterpret_cast<uint64_t>(handle);
}

void* page() {
  void* memory = std::aligned_alloc(kPage, kPage);
  if (memory != nullptr) std::memset(memory, 0, kPage);
  return memory;
}

rtHostKernel_t hostKernel() {
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = kernelFunction;
  host.args = kKernelArgs;
  host.arg_count = 1;
  host.name = "misuse";
  return host;
}

}  // namespace

Environment::Environment(const std::string& deviceName, bool withStale) {
  ready_ = rtDeviceGetByName(&device_, deviceName.c_str()) == RT_SUCCESS &&
           rtDeviceGetBackend(&backend_, nullptr, device_) == RT_SUCCESS &&
           rtContextCreate(&context_, nullptr, device_) == RT_SUCCESS && rtContextSetCurrent(context_) == RT_SUCCESS;
  if (!ready_) return;
  if (withStale) makeStale();
  ready_ = makeObjects();
  handles_ = {{"rtDevice_t", word(device_)},
              {"rtContext_t", word(context_)},
              {"rtStream_t", word(stream_)},
              {"rtEvent_t", word(event_)},
              {"rtFence_t", word(fence_)},
              {"rtMemPool_t", word(pool_)},
              {"rtKernel_t", word(kernel_)},
              {"rtModule_t", word(module_)},
              {"rtGraph_t", word(graph_)},
              {"rtGraphNode_t", word(first_)},
              {"rtGraphBuffer_t", word(graphBuffer_)},
              {"rtGraphValue_t", word(graphValue_)},
              {"rtCapturePlan_t", word(plan_)},
              {"rtGraphExec_t", word(exec_)}};
}

Environment::~Environment() {
  (void)rtContextSetCurrent(context_);
  (void)rtGraphExecDestroy(exec_);
  (void)rtCapturePlanDestroy(plan_);
  (void)rtGraphExecDestroy(otherExec_);
  for (rtGraph_t graph : {graph_, otherGraph_, fileGraph_}) (void)rtGraphDestroy(graph);
  unregister(registered_);
  unregister(toRegister_);
  for (void* pointer : {deviceMemory_, otherMemory_, pinned_, toFree_}) (void)rtFree(pointer);
  (void)rtKernelDestroy(kernel_);
  (void)rtModuleDestroy(module_);
  (void)rtModuleDestroy(kernelModule_);
  (void)rtMemPoolDestroy(pool_);
  (void)rtFenceDestroy(fence_);
  for (rtEvent_t event : {event_, start_, end_}) (void)rtEventDestroy(event);
  for (rtStream_t stream : {stream_, otherStream_}) {
    (void)rtStreamSynchronize(stream);
    (void)rtStreamDestroy(stream);
  }
  (void)rtContextSetCurrent(nullptr);
  (void)rtContextDestroy(context_);
  for (void* memory : {registered_, toRegister_, ordinary_}) std::free(memory);
}

// Any context does once the one that registered it is gone.
void Environment::unregister(void* memory) const {
  rtDevice_t cpu = nullptr;
  rtContext_t primary = nullptr;
  if (rtHostUnregister(memory, context_) != RT_ERROR_INVALID_HANDLE) return;
  if (rtDeviceGetByName(&cpu, "cpu") == RT_SUCCESS && rtContextGetPrimary(&primary, cpu) == RT_SUCCESS) {
    (void)rtHostUnregister(memory, primary);
  }
}

// Made before the objects that live, which then may take over their slots: the hardest kind of stale handle.
void Environment::makeStale() {
  stale_["rtContext_t"] =
      madeAndDestroyed<rtContext_t>([&](rtContext_t* out) { return rtContextCreate(out, nullptr, device_); }, rtContextDestroy);
  stale_["rtStream_t"] =
      madeAndDestroyed<rtStream_t>([&](rtStream_t* out) { return rtStreamCreate(out, nullptr, context_); }, rtStreamDestroy);
  stale_["rtEvent_t"] =
      madeAndDestroyed<rtEvent_t>([&](rtEvent_t* out) { return rtEventCreate(out, nullptr, context_); }, rtEventDestroy);
  stale_["rtFence_t"] =
      madeAndDestroyed<rtFence_t>([&](rtFence_t* out) { return rtFenceCreate(out, 0, context_); }, rtFenceDestroy);
  stale_["rtMemPool_t"] = madeAndDestroyed<rtMemPool_t>(
      [&](rtMemPool_t* out) { return rtMemPoolCreate(out, nullptr, context_); }, rtMemPoolDestroy);
  const rtHostKernel_t host = hostKernel();
  stale_["rtKernel_t"] = madeAndDestroyed<rtKernel_t>(
      [&](rtKernel_t* out) { return rtKernelCreateFromHost(out, &host, context_); }, rtKernelDestroy);
  if (makeModule(context_)) {
    rtKernel_t kernel = nullptr;
    if (rtModuleGetKernel(&kernel, "iota", module_) == RT_SUCCESS && stale_["rtKernel_t"] == 0)
      stale_["rtKernel_t"] = word(kernel);
    (void)rtModuleDestroy(module_);
    stale_["rtModule_t"] = word(std::exchange(module_, nullptr));
  }
  rtGraph_t graph = nullptr;
  rtGraphNode_t node = nullptr;
  rtGraphBuffer_t buffer = nullptr;
  rtGraphValue_t value = nullptr;
  if (rtGraphCreate(&graph) != RT_SUCCESS) return;
  (void)rtGraphAddEmptyNode(&node, nullptr, 0, graph);
  (void)rtGraphAddBuffer(&buffer, 16, RT_GRAPH_BUFFER_INPUT, nullptr, graph);
  rtCapturePlan_t plan = nullptr;
  rtGraphExec_t exec = nullptr;
  (void)rtCapturePlanCreate(&plan, nullptr, graph, context_);
  (void)rtGraphExecCreate(&exec, plan);
  (void)rtGraphAddValue(&value, 4, nullptr, nullptr, graph);  // after the plan, which wants it to be used
  (void)rtGraphExecDestroy(exec);
  (void)rtCapturePlanDestroy(plan);
  stale_["rtCapturePlan_t"] = word(plan);
  stale_["rtGraphExec_t"] = word(exec);
  (void)rtGraphDestroy(graph);
  stale_["rtGraph_t"] = word(graph);
  stale_["rtGraphNode_t"] = word(node);
  stale_["rtGraphBuffer_t"] = word(buffer);
  stale_["rtGraphValue_t"] = word(value);
}

bool Environment::makeGraph() {
  rtGraphNode_t node = nullptr;
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.pattern_size = 1;
  fill.dst.pointer = deviceMemory_;
  fill.count = 256;
  return rtGraphCreate(&graph_) == RT_SUCCESS && rtGraphAddFillNode(&first_, &fill, nullptr, 0, graph_) == RT_SUCCESS &&
         rtGraphAddEmptyNode(&second_, &first_, 1, graph_) == RT_SUCCESS &&
         rtGraphAddBuffer(&graphBuffer_, 4096, RT_GRAPH_BUFFER_INPUT, "buffer", graph_) == RT_SUCCESS &&
         rtCapturePlanCreate(&plan_, nullptr, graph_, context_) == RT_SUCCESS &&
         rtGraphExecCreate(&exec_, plan_) == RT_SUCCESS &&
         rtGraphExecBindBuffer(graphBuffer_, otherMemory_, exec_) == RT_SUCCESS && makeExecOfOtherNodes() &&
         rtGraphCreate(&fileGraph_) == RT_SUCCESS && rtGraphAddEmptyNode(&node, nullptr, 0, fileGraph_) == RT_SUCCESS &&
         rtGraphAddBuffer(&fileBuffer_, 256, RT_GRAPH_BUFFER_INPUT, "buffer", fileGraph_) == RT_SUCCESS;
}

// A kernel of another context's, where the device has none of its own, is left out.
bool Environment::makeExecOfOtherNodes() {
  alignas(8) unsigned char bytes[kScratchBytes];
  const auto params = [&](const char* type) {
    Argument argument;
    argument.type = type;
    fillGraphParams(argument, bytes);
    return bytes;
  };
  bool made =
      rtGraphCreate(&otherGraph_) == RT_SUCCESS &&
      rtGraphAddMemcpyNode(&copyNode_, reinterpret_cast<const rtGraphMemcpyParams_t*>(params("const rtGraphMemcpyParams_t *")),
                           nullptr, 0, otherGraph_) == RT_SUCCESS &&
      rtGraphAddMemcpy2DNode(&rowsNode_,
                             reinterpret_cast<const rtGraphMemcpy2DParams_t*>(params("const rtGraphMemcpy2DParams_t *")),
                             &copyNode_, 1, otherGraph_) == RT_SUCCESS;
  if (made && ownKernel_) {
    made = rtGraphAddKernelNode(&kernelNode_,
                                reinterpret_cast<const rtGraphKernelParams_t*>(params("const rtGraphKernelParams_t *")),
                                &rowsNode_, 1, otherGraph_) == RT_SUCCESS &&
           addNodeWithValue();
  }
  return made && rtGraphInstantiate(&otherExec_, otherGraph_, context_) == RT_SUCCESS;
}

bool Environment::addNodeWithValue() {
  rtGraphNode_t node = nullptr;
  if (rtGraphAddValue(&graphValue_, 4, "abc", "value", otherGraph_) != RT_SUCCESS) return false;
  const rtGraphArg_t args[1] = {{RT_ARG_GRAPH_VALUE, 0, 0, graphValue_, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = kernel_;
  params.args = args;
  params.arg_count = 1;
  return rtGraphAddKernelNode(&node, &params, &kernelNode_, 1, otherGraph_) == RT_SUCCESS;
}

void Environment::fillGraphParams(const Argument& argument, unsigned char* scratch) const {
  const rtGraphOperand_t dst = {nullptr, 0, deviceMemory_}, src = {nullptr, 0, otherMemory_};
  if (argument.type == "const rtGraphKernelParams_t *") {
    static const uint32_t value = 1;
    static const rtGraphArg_t args[1] = {{RT_ARG_VALUE, 0, sizeof value, &value, {nullptr, 0, nullptr}}};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel_;
    params.args = args;
    params.arg_count = 1;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphMemcpyParams_t *") {
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst = dst;
    params.src = src;
    params.size = 256;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphMemcpy2DParams_t *") {
    rtGraphMemcpy2DParams_t params = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
    params.dst = dst;
    params.src = src;
    params.dst_pitch = params.src_pitch = 64;
    params.width = 16;
    params.height = 4;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphFillParams_t *") {
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.dst = dst;
    params.pattern_size = 4;
    params.count = 16;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphHostParams_t *") {
    rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
    params.function = hostFunction;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphNativeParams_t *") {
    rtGraphNativeParams_t params = RT_GRAPH_NATIVE_PARAMS_INIT;
    params.function = nativeFunction;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphChildParams_t *") {
    const rtGraphBinding_t binding = {fileBuffer_, dst};
    rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
    params.graph = fileGraph_;
    params.bindings = reinterpret_cast<const rtGraphBinding_t*>(scratch + kScratchBytes / 2);
    std::memcpy(scratch + kScratchBytes / 2, &binding, sizeof binding);
    params.binding_count = 1;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphEventParams_t *") {
    rtGraphEventParams_t params = RT_GRAPH_EVENT_PARAMS_INIT;
    params.event = event_;
    std::memcpy(scratch, &params, sizeof params);
  } else if (argument.type == "const rtGraphFenceParams_t *") {
    rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
    params.fence = fence_;
    params.value = kFenceValue;
    std::memcpy(scratch, &params, sizeof params);
  }
}

bool Environment::makeObjects() {
  const bool made =
      rtStreamCreate(&stream_, nullptr, context_) == RT_SUCCESS &&
      rtStreamCreate(&otherStream_, nullptr, context_) == RT_SUCCESS &&
      rtEventCreate(&event_, nullptr, context_) == RT_SUCCESS && rtEventCreate(&start_, nullptr, context_) == RT_SUCCESS &&
      rtEventCreate(&end_, nullptr, context_) == RT_SUCCESS && rtFenceCreate(&fence_, kFenceValue, context_) == RT_SUCCESS &&
      rtMemPoolCreate(&pool_, nullptr, context_) == RT_SUCCESS &&
      rtMalloc(&deviceMemory_, kAllocationBytes, context_) == RT_SUCCESS &&
      rtMalloc(&otherMemory_, kAllocationBytes, context_) == RT_SUCCESS &&
      rtMalloc(&toFree_, kAllocationBytes, context_) == RT_SUCCESS &&
      rtMallocHost(&pinned_, kAllocationBytes, context_) == RT_SUCCESS;
  if (!made) return false;
  (void)rtEventRecord(start_, stream_);
  (void)rtEventRecord(end_, stream_);
  if (rtStreamSynchronize(stream_) != RT_SUCCESS) return false;
  registered_ = page();
  toRegister_ = page();
  ordinary_ = page();
  (void)rtHostRegister(registered_, kPage, context_);
  // A device without kernels or modules still gets some that live, of another context.
  rtDevice_t cpu = nullptr;
  rtContext_t primary = nullptr;
  return rtDeviceGetByName(&cpu, "cpu") == RT_SUCCESS && rtContextGetPrimary(&primary, cpu) == RT_SUCCESS &&
         ((ownKernel_ = makeKernel(context_)) || makeKernel(primary)) && (makeModule(context_) || makeModule(primary)) &&
         makeGraph();
}

bool Environment::makeKernel(rtContext_t owner) {
  const rtHostKernel_t host = hostKernel();
  if (rtKernelCreateFromHost(&kernel_, &host, owner) == RT_SUCCESS) return true;
  return rtModuleCreateFromSource(&kernelModule_, kModuleSource, nullptr, owner) == RT_SUCCESS &&
         rtModuleGetKernel(&kernel_, "iota", kernelModule_) == RT_SUCCESS;
}

bool Environment::makeModule(rtContext_t owner) {
  return rtModuleLoadFile(&module_, HOST_MODULE_PATH, nullptr, owner) == RT_SUCCESS ||
         rtModuleCreateFromSource(&module_, kModuleSource, nullptr, owner) == RT_SUCCESS;
}

std::optional<std::string> Environment::prepare(const Function& function, Call& call) {
  for (auto& scratch : call.scratch) scratch.fill(kUnwritten);
  call.words.fill(0);
  // rtHostUnregister needs the context: after this call the registration could not be given back.
  if (function.name == "rtContextDestroy") (void)rtHostUnregister(registered_, context_);
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    const bool known = argument.isPointer() || argument.type.ends_with("Callback_t") || argument.type.ends_with("Function_t")
                           ? fillPointer(function, argument, call.scratch[i].data(), call.words[i])
                       : handles_.contains(argument.type) ? fillHandle(function, argument, call.words[i])
                                                          : fillInteger(argument, call.words[i]);
    if (!known) return argument.type + " " + argument.name;
    if (function.name == "rtGraphExecBindValue" && argument.name == "size") call.words[i] = 4;
  }
  return std::nullopt;
}

bool Environment::fillHandle(const Function& function, const Argument& argument, uint64_t& value) const {
  value = handles_.at(argument.type);
  if (argument.name == "other" && argument.type == "rtStream_t") value = word(otherStream_);
  if (argument.name == "start") value = word(start_);
  if (argument.name == "end") value = word(end_);
  // Has been recorded.
  if (function.name == "rtEventGetNative" || function.name == "rtEventGetTimestamp") value = word(end_);
  if (function.name == "rtGraphSave") value = word(fileGraph_);  // the other ones name addresses
  const std::map<std::string, rtGraphNode_t> nodes = {{"rtGraphExecSetKernelParams", kernelNode_},
                                                      {"rtGraphExecSetMemcpyParams", copyNode_},
                                                      {"rtGraphExecSetMemcpy2DParams", rowsNode_}};
  if (const auto found = nodes.find(function.name); found != nodes.end() && found->second != nullptr) {
    value = argument.type == "rtGraphNode_t" ? word(found->second) : word(otherExec_);
  }
  if (function.name == "rtGraphExecBindValue" && argument.type == "rtGraphExec_t") value = word(otherExec_);
  return true;
}

bool Environment::fillInteger(const Argument& argument, uint64_t& value) const {
  if (argument.name == "backend") {
    value = static_cast<uint64_t>(backend_);
    return true;
  }
  if (argument.name == "count" && argument.type == "uint32_t") {  // of nodes
    value = 1;
    return true;
  }
  const auto found = kIntegers.find(argument.name);
  if (found == kIntegers.end()) return false;
  value = found->second;
  return true;
}

bool Environment::fillPointer(const Function& function, const Argument& argument, unsigned char* scratch, uint64_t& value) {
  value = word(scratch);
  if (argument.isOutput()) {
    if (argument.versioned) {
      std::memset(scratch, kUnwritten, argument.pointeeBytes);
      std::memcpy(scratch, &argument.pointeeBytes, sizeof(uint32_t));
    }
    return true;
  }
  if (argument.versioned) {
    std::memset(scratch, 0, kScratchBytes);
    std::memcpy(scratch, &argument.pointeeBytes, sizeof(uint32_t));
    if (argument.type == "const rtHostKernel_t *") {
      const rtHostKernel_t host = hostKernel();
      std::memcpy(scratch, &host, sizeof(host));
    }
    fillGraphParams(argument, scratch);
    return true;
  }
  const std::map<std::string, uint64_t> callbacks = {
      {"rtHostFunction_t", reinterpret_cast<uint64_t>(&hostFunction)},
      {"rtLogCallback_t", reinterpret_cast<uint64_t>(&logFunction)},
      {"rtTraceCallback_t", reinterpret_cast<uint64_t>(&traceFunction)},
      {"rtReleaseFunction_t", reinterpret_cast<uint64_t>(&releaseFunction)},
      {"rtNativeFunction_t", reinterpret_cast<uint64_t>(&nativeFunction)},
      {"rtOutOfMemoryCallback_t", reinterpret_cast<uint64_t>(&outOfMemoryFunction)},
  };
  if (const auto found = callbacks.find(argument.type); found != callbacks.end()) {
    value = found->second;
    return true;
  }
  // Addresses by the name of the argument; what `pointer` has to be depends on the function.
  const std::map<std::string, uint64_t> addresses = {
      {"user", word(ordinary_)},        {"dst", word(deviceMemory_)}, {"src", word(otherMemory_)},
      {"pointer", word(deviceMemory_)}, {"host", word(pinned_)},      {"args", word(argumentPointers_)},
  };
  if (function.name == "rtFree" || function.name == "rtFreeAsync") {
    value = word(toFree_);
  } else if (function.name == "rtHostRegister") {
    value = word(toRegister_);
  } else if (function.name == "rtHostUnregister") {
    value = word(registered_);
  } else if (argument.name == "name" || argument.name == "line") {
    const bool global = function.name == "rtModuleGetGlobal";
    std::strcpy(reinterpret_cast<char*>(scratch), global ? "counter" : function.name == "rtModuleGetKernel" ? "iota" : "cpu");
  } else if (argument.name == "file") {
    std::strcpy(reinterpret_cast<char*>(scratch), "/dev/null");
  } else if (argument.name == "path") {
    std::strcpy(reinterpret_cast<char*>(scratch), HOST_MODULE_PATH);
  } else if (argument.name == "data" && function.name == "rtGraphLoad") {
    std::memset(scratch, ' ', kScratchBytes);
    std::memcpy(scratch, kGraphFile, sizeof kGraphFile - 1);
  } else if (argument.name == "initial" || (argument.name == "data" && function.name == "rtGraphExecBindValue")) {
    std::memset(scratch, 0x22, kScratchBytes);
  } else if (argument.name == "sources") {
    static const char* const sources[] = {kSource};
    value = reinterpret_cast<uint64_t>(&sources);
  } else if (argument.type == "const rtModuleOptions_t *const *") {
    static const rtModuleOptions_t* const options[] = {nullptr};
    value = reinterpret_cast<uint64_t>(&options);
  } else if (argument.name == "source" || argument.name == "image") {
    std::memset(scratch, ' ', kScratchBytes - 1);
    scratch[kScratchBytes - 1] = '\0';
    std::memcpy(scratch, kSource, sizeof kSource - 1);
  } else if (argument.type == "const char *" && argument.name == "options") {
    std::strcpy(reinterpret_cast<char*>(scratch), "-DMISUSE=1");
  } else if (argument.name == "native") {
    uint64_t native[2] = {0, 0};
    if (function.name == "rtContextImport") (void)rtContextGetNative(native, context_);
    if (function.name == "rtStreamImport") (void)rtStreamGetNative(native, stream_);
    if (function.name == "rtEventImport") (void)rtEventGetNative(native, end_);
    if (function.name.starts_with("rtMemImport") && backend_ == RT_BACKEND_OPENCL) {
      // A driver cannot tell that a word is no cl_mem, and in the other tiers the library has none.
      int64_t tier = 0;
      (void)rtDeviceGetAttribute(&tier, RT_ATTRIBUTE_MEMORY_TIER, device_);
      if (tier == RT_MEMORY_TIER_BUFFER) (void)rtPointerGetNative(native, otherMemory_);
    } else if (native[0] == 0) {
      native[0] = word(ordinary_);
    }
    std::memcpy(scratch, native, sizeof(native));
  } else if (argument.name == "grid" || argument.name == "group" || argument.name == "items") {
    const uint32_t sizes[3] = {1, 1, 1};
    std::memcpy(scratch, sizes, sizeof(sizes));
  } else if (argument.type == "const rtGraphNode_t *") {  // an edge that can be added twice and taken away once
    std::memcpy(scratch, argument.name == "to" ? &second_ : &first_, sizeof first_);
  } else if (argument.name == "pattern") {
    std::memset(scratch, 0x11, 16);
  } else if (const auto found = addresses.find(argument.name); found != addresses.end()) {
    value = found->second;
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> outputsNotZeroed(const Function& function, const Call& call) {
  std::vector<std::string> names;
  uint64_t textSize = 0, count = 1;
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    if (function.arguments[i].name == "size") textSize = call.words[i];
    if (function.arguments[i].name == "count") count = call.words[i];
  }
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    const auto* bytes = call.scratch[i].data();
    if (!argument.isOutput() || call.words[i] != reinterpret_cast<uint64_t>(bytes)) continue;
    size_t first = 0;
    if (argument.versioned) {
      uint32_t size = 0;
      std::memcpy(&size, bytes, sizeof(size));
      if (size < argument.pointeeBytes) continue;  // how much may be written is not known
      first = sizeof(size);
    }
    if (argument.type == "char *" && textSize == 0) continue;
    if (argument.name == "statuses") continue;  // each has the status of its source, or of the call
    // An array without elements, or of a length that is refused, is not written.
    if (argument.name == "modules" && (count == 0 || count > 65536)) continue;
    // 0 is a descriptor that a program may well have open: -1 is none.
    const unsigned char none = argument.name == "descriptor" ? 0xFF : 0;
    const auto isNone = [&](unsigned char byte) { return byte == none; };
    if (!std::all_of(bytes + first, bytes + argument.pointeeBytes, isNone)) names.push_back(argument.name);
  }
  return names;
}

void Environment::release(const Function& function, const Call& call) {
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    if (argument.direction != Direction::out || call.words[i] == 0 || argument.pointeeBytes != 8) continue;
    void* made = nullptr;
    std::memcpy(&made, reinterpret_cast<const void*>(call.words[i]), sizeof(made));
    // A handle from a getter is borrowed and refused by its destroy function, or part of this environment.
    const bool creates = function.name.ends_with("Create") || function.name.ends_with("CreateFromHost") ||
                         function.name.starts_with("rtModuleCreateFromSource") || function.name.starts_with("rtModuleLoad") ||
                         function.name == "rtModuleBuildMany" || function.name.ends_with("Import") ||
                         function.name == "rtMemImportWithRelease" || function.name.starts_with("rtMalloc") ||
                         function.name == "rtGraphClone" || function.name == "rtGraphLoad" ||
                         function.name == "rtGraphInstantiate" || function.name == "rtStreamEndCapture";
    if (!creates) continue;
    if (argument.type == "void **") (void)rtFree(made);
    if (argument.type == "rtContext_t *") (void)rtContextDestroy(static_cast<rtContext_t>(made));
    if (argument.type == "rtStream_t *") (void)rtStreamDestroy(static_cast<rtStream_t>(made));
    if (argument.type == "rtEvent_t *") (void)rtEventDestroy(static_cast<rtEvent_t>(made));
    if (argument.type == "rtFence_t *") (void)rtFenceDestroy(static_cast<rtFence_t>(made));
    if (argument.type == "rtMemPool_t *") (void)rtMemPoolDestroy(static_cast<rtMemPool_t>(made));
    if (argument.type == "rtKernel_t *") (void)rtKernelDestroy(static_cast<rtKernel_t>(made));
    if (argument.type == "rtGraphExec_t *") (void)rtGraphExecDestroy(static_cast<rtGraphExec_t>(made));
    if (argument.type == "rtCapturePlan_t *") (void)rtCapturePlanDestroy(static_cast<rtCapturePlan_t>(made));
    if (argument.type == "rtGraph_t *") (void)rtGraphDestroy(static_cast<rtGraph_t>(made));
    if (argument.type == "rtModule_t *") (void)rtModuleDestroy(static_cast<rtModule_t>(made));
  }
  if (function.name == "rtHostRegister") (void)rtHostUnregister(toRegister_, context_);
  if (function.name == "rtSetLogCallback") (void)rtSetLogCallback(nullptr, nullptr, RT_LOG_ERROR);
  if (function.name == "rtTraceStart") (void)rtTraceStop();
  if (function.name == "rtTraceRangePush") (void)rtTraceRangePop();
  if (function.name == "rtTraceSetCallback") (void)rtTraceSetCallback(nullptr, nullptr, 0);
  if (function.name == "rtInit") (void)rtShutdown();
  if (function.name == "rtEventGetDescriptor" && call.words[0] != 0) {
    int32_t descriptor = -1;
    std::memcpy(&descriptor, reinterpret_cast<const void*>(call.words[0]), sizeof(descriptor));
    (void)close(descriptor);
  }
}

}  // namespace manyrt::calls
