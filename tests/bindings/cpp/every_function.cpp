// SPDX-License-Identifier: Apache-2.0
//
// Calls every function of rt.h through rt.hpp, once, with a Result. functions.py compares what the object file of this program
// refers to with rt.json; here each call has to succeed, or to give the one failure that is documented for a CPU. No function
// of rt.h is named in this file.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <rt.hpp>
#include <thread>

namespace {

int failures = 0;

/** The value of a call that has to succeed. */
template <class T>
T ok(rt::Result<T> result, int line) {
  if (!result) {
    std::printf("line %d: %s: %s\n", line, result.failure().name(), result.failure().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/** A call that has to fail with this status. */
template <class T>
void refused(const rt::Result<T>& result, rtStatus_t status, int line) {
  if (result.status() == status) return;
  std::printf("line %d: status %d, expected %d\n", line, result.status(), status);
  ++failures;
}

void expect(bool holds, int line) {
  if (holds) return;
  std::printf("line %d: not as expected\n", line);
  ++failures;
}

#define OK(...) ok(__VA_ARGS__, __LINE__)
#define REFUSED(call, status) refused(call, status, __LINE__)
#define EXPECT(condition) expect(condition, __LINE__)

constexpr rt::NoThrow no;
constexpr std::uint32_t kCount = 256;
constexpr std::size_t kBytes = kCount * sizeof(float);

const char* const kSource =
    "__constant int table[4] = {1, 2, 3, 4};\n"
    "__kernel void add(__global float* x, float by) { x[get_global_id(0)] += by; }\n"
    "__kernel void look(__global int* x) { x[get_global_id(0)] = table[get_global_id(0) & 3]; }\n";

void library() {
  OK(rt::init(no));
  OK(rt::checkVersion(rt::libraryVersion(), rt::headerVersion, no));
  EXPECT(std::strlen(rt::errorString(RT_ERROR_IO)) > 0);
  OK(rt::setLogCallback(nullptr, nullptr, RT_LOG_WARNING, no));
  OK(rt::writeLog(RT_LOG_DEBUG, "a line", no));
  OK(rt::liveHandleCount(RT_HANDLE_ALL, no));
  EXPECT(OK(rt::backendInfo(RT_BACKEND_CPU, no)).available == 1);
}

void trace() {
  std::uint64_t records = 0;
  const auto callback = [](const rtTraceRecord_t*, void* user) { ++*static_cast<std::uint64_t*>(user); };
  OK(rt::startTrace("/dev/null", no));
  OK(rt::setTraceCallback(callback, &records, RT_TRACE_RANGES, no));
  OK(rt::beginRange("range", no));
  OK(rt::mark("mark", no));
  OK(rt::endRange(no));
  { const rt::TraceRange range("scope"); }
  REFUSED(rt::endRange(no), RT_ERROR_INVALID_VALUE);
  OK(rt::setTraceCallback(nullptr, nullptr, 0, no));
  EXPECT(records == 5);
  OK(rt::stopTrace(no));
}

void devices(rt::Device cpu) {
  EXPECT(OK(rt::Device::count(RT_BACKEND_CPU, no)) == 1);
  EXPECT(OK(rt::Device::at(RT_BACKEND_CPU, 0, no)) == cpu);
  OK(rt::Device::best(no));
  EXPECT(OK(cpu.backend(no)) == RT_BACKEND_CPU);
  EXPECT(OK(cpu.ordinal(no)) == 0);
  EXPECT(OK(cpu.properties(no)).compute_units == static_cast<std::uint32_t>(OK(cpu.attribute(RT_ATTRIBUTE_COMPUTE_UNITS, no))));
  EXPECT(OK(cpu.has(RT_CAPABILITY_HOST_KERNELS, no)));
  EXPECT(OK(cpu.memoryInfo(no)).totalBytes > 0);
  OK(cpu.canAccess(cpu, no));
  OK(cpu.synchronize(no));
  EXPECT(OK(cpu.status(no)) == RT_SUCCESS);
  EXPECT(OK(cpu.lossMessage(no)).empty());
  OK(cpu.native(no));
}

void contexts(rt::Device cpu) {
  rt::ContextOptions options;
  options.setLabel("every function");
  const rt::Context context = OK(rt::Context::create(cpu, options, no));
  const rt::ContextRef primary = OK(rt::ContextRef::primary(cpu, no));
  OK(context.makeCurrent(no));
  EXPECT(OK(rt::ContextRef::current(no)) == context);
  EXPECT(OK(context.device(no)) == cpu);
  OK(context.defaultStream(no));
  {
    const rt::MemPool pool = OK(rt::MemPool::create(context, {}, no));
    const rt::MemPoolRef before = OK(context.defaultPool(no));
    OK(context.setDefaultPool(pool, no));
    EXPECT(OK(context.defaultPool(no)) == pool);
    OK(context.setDefaultPool(before, no));
  }
  OK(context.synchronize(no));
  OK(context.reset(no));
  OK(context.enablePeerAccess(primary, no));
  EXPECT(OK(context.memoryInfo(no)).totalBytes > 0);
  OK(context.setUserData(std::make_unique<int>(5), no));
  EXPECT(*static_cast<int*>(OK(context.userData(no))) == 5);
  OK(rt::Context::fromNative(OK(context.native(no)), cpu, no));
  OK(rt::ContextRef().makeCurrent(no));
}

void streams(const rt::Context& context) {
  const rt::Stream stream = OK(rt::Stream::create(context, {}, no));
  const rt::Stream other = OK(rt::Stream::create(context, {}, no));
  const auto memory = OK(rt::Buffer<float>::create(kCount, context, no));
  const rt::Event start = OK(rt::Event::create(context, 0, no));
  const rt::Event stop = OK(rt::Event::create(context, 0, no));
  const rt::Fence fence = OK(rt::Fence::create(0, context, no));
  EXPECT(OK(stream.context(no)) == context);
  EXPECT(OK(stream.priority(no)) == 0);
  OK(start.record(stream, no));
  OK(other.wait(start, no));
  OK(other.wait(stream, no));
  OK(other.wait(context, no));
  OK(stop.record(stream, no));
  OK(stream.signal(fence, 1, no));
  OK(other.wait(fence, 2, no));
  OK(fence.wait(1, no));
  EXPECT(!OK(fence.waitFor(std::chrono::nanoseconds(0), 2, no)));
  OK(fence.signal(2, no));
  EXPECT(OK(fence.value(no)) == 2);
  OK(other.synchronize(no));
  EXPECT(OK(other.query(no)));
  EXPECT(OK(stream.synchronizeFor(rt::waitForever, no)));
  OK(stop.synchronize(no));
  EXPECT(OK(stop.synchronizeFor(std::chrono::seconds(1), no)));
  EXPECT(OK(stop.query(no)));
  EXPECT(OK(stop.millisecondsSince(start, no)).has_value());
  EXPECT(OK(stop.nanosecondsSince(start, no)).has_value());
  EXPECT(OK(stop.timestamp(no))->hostNs != 0);
  OK(rt::Stream::fromNative(OK(stream.native(no)), context, no));
  OK(rt::Event::fromNative(OK(stop.native(no)), context, no));
  OK(stream.call([] {}, no));
  OK(stream.callHost([](void*, rtStatus_t) {}, nullptr, nullptr, no));
  OK(stream.callHost([](void*, rtStatus_t) {}, nullptr, [](void*) {}, no));
  OK(other.waitForUse(memory.data(), no));
  const int descriptor = OK(stop.descriptor(no));
  EXPECT(descriptor >= 0 && close(descriptor) == 0);
  const rtNativeFunction_t native = [](const std::uint64_t*, void*) -> rtStatus_t { return RT_SUCCESS; };
  OK(stream.callNative(native, nullptr, nullptr, no));
  OK(stream.callNative(
      native, nullptr, [](void*) {}, no));
  OK(stream.synchronize(no));
  EXPECT(OK(stream.callNativeAtOnce(native, nullptr, no)));
}

void memory(const rt::Context& context, rt::Device cpu) {
  const rt::Stream stream = OK(rt::Stream::create(context, {}, no));
  const auto device = OK(rt::Buffer<float>::create(kCount, context, no));
  const auto labelled = OK(rt::Buffer<float>::create(kCount, rt::MallocOptions(), context, no));
  const auto shared = OK(rt::SharedBuffer<float>::create(kCount, context, no));
  const auto pinned = OK(rt::HostBuffer<float>::create(kCount, context, no));
  auto async = OK(rt::Buffer<float>::createAsync(kCount, stream, no));
  std::vector<float> foreign(kCount);
  const rt::Native address{reinterpret_cast<std::uintptr_t>(foreign.data()), 0};
  OK(rt::Buffer<float>::fromNative(address, kCount, context, no));
  const auto owner = std::make_shared<int>(0);
  OK(rt::Buffer<float>::fromNative(address, kCount, owner, context, no));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (owner.use_count() != 1 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT(owner.use_count() == 1);
  std::vector<float> host(kCount, 1.0f);
  OK(rt::copy(device, host, no));
  OK(rt::copyBytes(labelled.data(), device.data(), kBytes, RT_MEMCPY_DEVICE_TO_DEVICE, no));
  OK(rt::copyRows(pinned.data(), 64, device.data(), 64, 32, 16, RT_MEMCPY_DEFAULT, no));
  OK(rt::setBytes(device, 0, no));
  OK(stream.copy(async, labelled, no));
  OK(stream.copyRows(labelled.data(), 64, device.data(), 64, 32, 16, RT_MEMCPY_DEFAULT, no));
  OK(stream.setBytes(shared, 0, no));
  OK(stream.setRows(labelled.data(), 64, 1, 32, 16, no));
  OK(stream.fill(labelled, 2.5f, no));
  OK(stream.prefetch(shared, cpu, no));
  OK(stream.copy(host, async, no));
  OK(async.closeAsync(stream, no));
  OK(stream.synchronize(no));
  EXPECT(host[kCount - 1] == 1.0f && shared[0] == 0.0f && !async);
  EXPECT(OK(rt::pointerAttributes(device.data() + 1, no)).base == device.data());
  EXPECT(OK(rt::pointerNative(device.data(), no))[0] != 0);
  EXPECT(OK(rt::hostDevicePointer(pinned.span(), context, no)).size() == kCount);
  { const rt::Registration registration = OK(rt::Registration::create(rt::Span<float>(host), context, no)); }

  const rt::MemPool pool = OK(rt::MemPool::create(context, {}, no));
  OK(pool.setLimit(1 << 20, no));
  OK(pool.setReleaseThreshold(1 << 16, no));
  OK(pool.setOutOfMemoryCallback([](std::uint64_t, void*) -> std::int32_t { return 0; }, nullptr, no));
  OK(pool.setPinMode(true, no));
  {
    const auto pooled = OK(rt::Buffer<float>::fromPool(kCount, pool, stream, 512, no));
    EXPECT(OK(pool.stats(no)).live_bytes == kBytes);
    EXPECT(OK(context.stats(no)).streams_live > 0);
  }
  OK(pool.setPinMode(false, no));
  OK(pool.resetPeak(no));
  EXPECT(OK(pool.dumpJson(no)).front() == '{');
  OK(pool.trim(0, no));
}

void modules(const rt::Context& context) {
  const rt::Stream stream = OK(rt::Stream::create(context, {}, no));
  const rt::Module module = OK(rt::Module::fromSource(kSource, context, "", no));
  const rt::Module loaded = OK(rt::Module::fromData(rt::Span<const char>(kSource, std::strlen(kSource)), context, {}, no));
  REFUSED(rt::Module::fromFile("absent.cl", context, {}, no), RT_ERROR_IO);
  rt::ModuleOptions named;
  named.name = "second.cl";
  std::vector<rt::Result<rt::Module>> many =
      rt::Module::buildMany({kSource, "__kernel void bad() { absent(); }", kSource}, context, {{}, named, {}});
  EXPECT(many.size() == 3 && many[0].ok() && !many[1].ok() && many[2].ok());
  EXPECT(many[1].status() == RT_ERROR_BUILD_FAILED);
  EXPECT(many[1].failure().message.find("Source 1 of 3 (\"second.cl\"): ") != std::string::npos);
  EXPECT(OK(many[2]->kernelCount(no)) == 2);
  EXPECT(rt::Module::buildMany({}, context).empty());
  const rt::Module joined = OK(rt::Module::fromSources(
      {"int far(void); __kernel void one(__global int* x) { x[0] = far(); }", "int far(void) { return VALUE; }"}, context,
      "-DVALUE=4", no));
  EXPECT(OK(joined.kernelCount(no)) == 1);
  OK(module.buildLog(no));
  OK(module.image(true, no));
  OK(module.waitOptimized(rt::waitForever, no));
  EXPECT(OK(module.info(no)).kernel_count == 2);
  EXPECT(OK(module.kernelCount(no)) == 2);
  EXPECT(OK(OK(module.kernelAt(0, no)).name(no)) == "add");
  EXPECT(OK(module.global("table", no)).size() == 16);
  OK(module.native(no));
  const rt::KernelRef kernel = OK(module.kernelRef("add", no));
  EXPECT(OK(kernel.info(no)).arg_count == 2);
  EXPECT(OK(kernel.argInfo(1, no)).size == 4);
  EXPECT(OK(kernel.suggestGroupSize({kCount, 1, 1}, 0, no))[0] > 0);
  EXPECT(OK(kernel.maxActiveGroups(64, 0, no)) > 0);

  const auto x = OK(rt::Buffer<float>::create(kCount, context, no));
  OK(stream.fill(x, 0.0f, no));
  float* address = x.data();
  float by = 1.0f;
  void* const values[] = {&address, &by};
  const rt::Range range = rt::Range(kCount).inGroupsOf(64);
  OK(kernel.launch(stream, range, values, 0, no));
  OK(kernel.launch(stream, range, values, rtLaunchOptions_t RT_LAUNCH_OPTIONS_INIT, 0, no));
  const auto add = OK(module.kernel<float*, float>("add", no));
  OK(add(rt::noThrow, stream, rt::Range::ofGroups({kCount / 32, 1, 1}, {32, 1, 1}), x, 1.0f));
  OK(add(rt::noThrow, stream, rt::Range(16).inGroupsOf(16).from(kCount - 16), x, 1.0f));
  OK(kernel.launch(stream, rt::Range(16).inGroupsOf(16).from(kCount - 16), values, 0, no));
  std::vector<float> back(kCount);
  OK(stream.copy(back, x, no));
  OK(stream.synchronize(no));
  EXPECT(std::accumulate(back.begin(), back.end(), 0.0f) == 3.0f * kCount + 2.0f * 16);
  EXPECT(back[kCount - 17] == 3.0f && back[kCount - 16] == 5.0f);

  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = [](const rtHostGroup_t*, void* const*) {};
  OK(OK(rt::Kernel::fromHost(host, context, no)).typed(no));
}

void graphs(const rt::Context& context) {
  const rt::Stream stream = OK(rt::Stream::create(context, {}, no));
  const rt::Event event = OK(rt::Event::create(context, 0, no));
  const rt::Fence fence = OK(rt::Fence::create(0, context, no));
  const rt::Module module = OK(rt::Module::fromSource(kSource, context, "", no));
  const auto add = OK(module.kernel<float*, float>("add", no));
  const auto memory = OK(rt::Buffer<float>::create(kCount, context, no));
  const rt::Range range = rt::Range(kCount).inGroupsOf(64);

  const rt::Graph graph = OK(rt::Graph::create(no));
  const rt::GraphBuffer in = OK(graph.addBuffer(kBytes, RT_GRAPH_BUFFER_INPUT, "in", no));
  const rt::GraphBuffer out = OK(graph.addBuffer(kBytes, RT_GRAPH_BUFFER_OUTPUT, "out", no));
  const rt::GraphNode copy = OK(graph.addCopy(out, in, kBytes, {}, RT_MEMCPY_DEFAULT, no));
  const rt::GraphNode launch = OK(graph.addKernel(no, add, range, {copy}, out, 1.0f));
  EXPECT(OK(launch.type(no)) == RT_GRAPH_NODE_KERNEL);
  EXPECT(OK(in.info(no)).size == kBytes);
  const rt::GraphNode fill = OK(graph.addFill(out, 1.0f, 16, {launch}, no));
  rtGraphMemcpy2DParams_t rows = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
  rows.dst = rt::GraphMemory(out);
  rows.src = rt::GraphMemory(in);
  rows.dst_pitch = rows.src_pitch = 64;
  rows.width = 32;
  rows.height = 4;
  const rt::GraphNode copyRows = OK(graph.addCopyRows(rows, {fill}, no));
  const rt::GraphNode empty = OK(graph.addEmpty({launch}, no));
  OK(graph.addDependency(empty, copyRows, no));
  OK(graph.removeDependency(empty, copyRows, no));
  EXPECT(OK(graph.nodes(no)).size() == 5 && OK(graph.buffers(no)).size() == 2 && OK(graph.edges(no)).size() == 4);
  EXPECT(OK(graph.dot(no)).find("digraph") != std::string::npos);
  const rt::Graph loaded = OK(rt::Graph::load(OK(graph.save(no)), no));
  EXPECT(OK(loaded.nodes(no)).size() == 5);
  const rt::Graph clone = OK(graph.clone(no));

  const rt::Graph named = OK(rt::Graph::create(no));
  const rt::GraphValueOf<float> addend = OK(named.addValue<float>("addend", no));
  const rt::GraphValueOf<float> again = OK(named.addValueWith(2.0f, "again", no));
  EXPECT(OK(addend.info(no)).size == sizeof(float) && OK(again.info(no)).has_initial == 1 && OK(named.values(no)).size() == 2);
  OK(named.addKernel(no, add, range, {}, memory, addend));
  OK(named.addKernel(no, add, range, {}, memory, again));
  const rt::GraphExec valued = OK(rt::GraphExec::create(named, context, no));
  REFUSED(valued.launch(stream, no), RT_ERROR_INVALID_VALUE);  // addend is not bound
  OK(valued.bind(addend, 1.0f, no));
  OK(valued.bindValue(again, 3.0f, no));
  REFUSED(valued.bindValue(again, 3.0, no), RT_ERROR_INVALID_VALUE);
  OK(valued.launch(stream, no));

  const rt::CapturePlan plan = OK(rt::CapturePlan::create(graph, context, {}, no));
  EXPECT(OK(plan.info(no)).node_count == 5);
  EXPECT(OK(plan.step(0, no)).type == RT_GRAPH_NODE_MEMCPY);
  EXPECT(OK(plan.buffer(0, no)).size == kBytes);
  const rt::GraphExec exec = OK(rt::GraphExec::create(plan, no));
  const auto result = OK(rt::Buffer<float>::create(kCount, context, no));
  OK(exec.bind(in, memory, no));
  OK(exec.bindRange(out, result, no));
  rtGraphMemcpyParams_t half = RT_GRAPH_MEMCPY_PARAMS_INIT;
  half.dst = rt::GraphMemory(out);
  half.src = rt::GraphMemory(in);
  half.size = kBytes / 2;
  OK(exec.set(copy, half, no));
  OK(exec.set(copyRows, rows, no));
  rtGraphFillParams_t zero = RT_GRAPH_FILL_PARAMS_INIT;
  zero.pattern_size = 4;
  zero.dst = rt::GraphMemory(out);
  zero.count = 16;
  OK(exec.set(fill, zero, no));
  rtGraphKernelParams_t kernel = RT_GRAPH_KERNEL_PARAMS_INIT;
  const float by = 2.0f;
  const rtGraphArg_t args[] = {{RT_ARG_POINTER, 0, 0, nullptr, rt::GraphMemory(out)},
                               {RT_ARG_VALUE, 0, sizeof(by), &by, {nullptr, 0, nullptr}}};
  kernel.kernel = add.kernel().get();
  kernel.args = args;
  kernel.arg_count = 2;
  kernel.grid[0] = kCount / 64;
  kernel.group[0] = 64;
  OK(exec.set(launch, kernel, no));
  OK(exec.update(clone, no));
  OK(stream.setBytes(memory, 0, no));
  OK(exec.launch(stream, no));
  OK(stream.synchronize(no));

  const rt::Graph second = OK(rt::Graph::create(no));
  int calls = 0;
  const rt::GraphNode host = OK(second.addHost([&calls] { ++calls; }, rt::Dependencies::none(), no));
  OK(second.addEventRecord(event, {host}, no));
  OK(second.addEventWait(event, {host}, no));
  OK(second.addFenceSignal(fence, 3, {host}, no));
  OK(second.addFenceWait(fence, 3, {host}, no));
  rtGraphNativeParams_t native = RT_GRAPH_NATIVE_PARAMS_INIT;
  native.function = [](const std::uint64_t*, void*) -> rtStatus_t { return RT_SUCCESS; };
  OK(OK(rt::Graph::create(no)).addNative(native, rt::Dependencies::none(), no));
  const rtGraphBinding_t bindings[] = {{in.get(), rt::GraphMemory(memory)}, {out.get(), rt::GraphMemory(result)}};
  OK(second.addChild(graph, bindings, {host}, no));
  rtGraphChildParams_t child = RT_GRAPH_CHILD_PARAMS_INIT;
  child.graph = graph.get();
  child.bindings = bindings;
  child.binding_count = 2;
  OK(OK(rt::Graph::create(no)).addChild(child, rt::Dependencies::none(), no));
  const rt::GraphExec run = OK(rt::GraphExec::create(second, context, no));
  OK(run.launch(stream, no));
  OK(stream.synchronize(no));
  EXPECT(calls == 1);

  OK(stream.beginCapture(no));
  EXPECT(OK(stream.captureState(no)) == RT_CAPTURE_ACTIVE);
  OK(stream.fill(memory, 4.0f, no));
  OK(stream.capturedNode(no));
  OK(stream.call([] {}, no));
  const rt::Graph captured = OK(stream.endCapture(no));
  OK(captured.makeBuffer(memory, RT_GRAPH_BUFFER_OUTPUT, "memory", no));
}

}  // namespace

int main() {
  library();
  trace();
  const rt::Device cpu = OK(rt::Device::byName("cpu", no));
  devices(cpu);
  contexts(cpu);
  {
    const rt::Context context = OK(rt::Context::create(cpu, {}, no));
    streams(context);
    memory(context, cpu);
    modules(context);
    graphs(context);
  }
  EXPECT(OK(rt::liveHandleCount(RT_HANDLE_ALL, no)) == 0);
  OK(rt::shutdown(no));
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
