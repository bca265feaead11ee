// How costs grow (P20). A launch beside up to 10,000 streams, and an allocation beside up to a million live blocks. Plans of up
// to 100,000 nodes in many shapes, with the memory that they take at most. Plans of up to 10,000 temporaries, with their bytes
// beside those that are live at once.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "graph_shapes.h"
#include "machine.h"

namespace {

using namespace bench;

std::string numbered(const std::string& name, uint64_t number) { return name + '_' + std::to_string(number); }

// ---- Launches beside streams that have had work

struct Streams {
  rtContext_t context;
  rtKernel_t kernel;
  std::vector<rtStream_t> all;
  size_t next = 0;

  Streams(const char* device, uint32_t count)
      : context(createContext(device, 1)), kernel(createKernel(context, emptyKernel, {})) {
    for (uint32_t i = 0; i < count; ++i) all.push_back(createStream(context));
    for (rtStream_t stream : all) launch(stream);
    for (rtStream_t stream : all) RT_CHECK(rtStreamSynchronize(stream));
  }
  void launch(rtStream_t stream) const { RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0)); }
  void launchInTurn() {
    launch(all[next]);
    next = next + 1 < all.size() ? next + 1 : 0;
  }
};

void registerLaunches() {
  constexpr uint32_t kCounts[] = {1, 10, 100, 1000, 10'000};
  Comparison call("P20_launch_null"), turn("P20_launch_null_in_turn"), run("P20_launch_synchronize_cpu");
  for (uint32_t count : kCounts) {
    const auto null = std::make_shared<Streams>("null:0", count), cpu = std::make_shared<Streams>("cpu", count);
    call.ours(numbered("streams", count), hot([null] { null->launch(null->all[0]); }));
    turn.ours(numbered("streams", count), hot([null] { null->launchInTurn(); }));
    run.ours(numbered("streams", count), hot([cpu] {
               cpu->launch(cpu->all[0]);
               RT_CHECK(rtStreamSynchronize(cpu->all[0]));
             }));
  }
  for (Comparison* each : {&call, &turn, &run}) {
    each->floor("exported_call", exportedCall());
    registerComparison(std::move(*each));
  }
}

// ---- Allocations beside live blocks

struct Blocks {
  rtContext_t context = createContext("cpu", 1);
  rtStream_t stream = createStream(context);
  std::mt19937 random{3};

  explicit Blocks(uint32_t live) {
    void* pointer;
    for (uint32_t i = 0; i < live; ++i) RT_CHECK(rtMallocAsync(&pointer, 1 + random() % 1024, stream));
    RT_CHECK(rtStreamSynchronize(stream));
  }
  void allocateAndFree() {
    void* pointer;
    RT_CHECK(rtMallocAsync(&pointer, 1 + random() % 1024, stream));
    RT_CHECK(rtFreeAsync(pointer, stream));
  }
};

void registerAllocations() {
  Comparison comparison("P20_malloc_free_async");
  for (uint32_t live : {1000u, 10'000u, 100'000u, 1'000'000u}) {
    const auto blocks = std::make_shared<Blocks>(live);
    comparison.ours(numbered("live", live), hot([blocks] { blocks->allocateAndFree(); }));
  }
  comparison.floor("exported_call", exportedCall());
  registerComparison(std::move(comparison));
}

// ---- Plans

// A line of /proc/self/status, in bytes; 0 where there is none.
double statusBytes(const char* key) {
  FILE* file = fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double bytes = 0;
  while (fgets(line, sizeof line, file) != nullptr) {
    if (strncmp(line, key, strlen(key)) == 0) bytes = 1024 * strtod(line + strlen(key), nullptr);
  }
  fclose(file);
  return bytes;
}

// How much more memory the process has while `call` runs, at most. Free memory of the heap does not hide any of it.
template <class Call>
double peakBytes(Call call) {
  malloc_trim(0);
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return 0;
  fputs("5", file);  // the peak is now
  fclose(file);
  const double before = statusBytes("VmRSS:");
  call();
  return statusBytes("VmHWM:") - before;
}

class Planner {
 public:
  // A temporary of 1 to 100,000 bytes for each node, which writes it, if `temporaries`: the nodes that wait for it read it.
  Planner(const GraphShape& shape, uint32_t count, bool temporaries) : count_(count) {
    static rtContext_t context = createContext("cpu", 1);
    context_ = context;
    RT_CHECK(rtGraphCreate(&graph_));
    const Dependencies dependencies = shape.make(count);
    std::vector<rtGraphNode_t> nodes(count), before;
    std::vector<rtGraphBuffer_t> buffers(temporaries ? count : 0);
    std::mt19937 random(7);
    for (rtGraphBuffer_t& each : buffers) {
      RT_CHECK(rtGraphAddBuffer(&each, 1 + random() % 100'000, RT_GRAPH_BUFFER_TEMPORARY, nullptr, graph_));
    }
    for (uint32_t i = 0; i < count; ++i) {
      before.clear();
      std::vector<rtGraphArg_t> args;
      if (temporaries) args.push_back(argument(buffers[i], RT_GRAPH_WRITE));
      for (uint32_t first : dependencies[i]) {
        before.push_back(nodes[first]);
        if (temporaries && args.size() < kMostArgs) args.push_back(argument(buffers[first], RT_GRAPH_READ));
      }
      rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
      params.kernel = kernelOf(args.size());
      params.args = args.data();
      params.arg_count = static_cast<uint32_t>(args.size());
      RT_CHECK(rtGraphAddKernelNode(&nodes[i], &params, before.data(), static_cast<uint32_t>(before.size()), graph_));
    }
  }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  ~Planner() { RT_CHECK(rtGraphDestroy(graph_)); }

  // Nanoseconds.
  double plan() const {
    const int64_t start = nanoseconds();
    const rtCapturePlan_t made = create();
    const int64_t end = nanoseconds();
    RT_CHECK(rtCapturePlanDestroy(made));
    return static_cast<double>(end - start);
  }
  double instantiate() const {
    rtGraphExec_t exec;
    const int64_t start = nanoseconds();
    RT_CHECK(rtGraphInstantiate(&exec, graph_, context_));
    const int64_t end = nanoseconds();
    RT_CHECK(rtGraphExecDestroy(exec));
    return static_cast<double>(end - start);
  }
  double peak() const {
    rtCapturePlan_t made;
    const double bytes = peakBytes([&] { made = create(); });
    RT_CHECK(rtCapturePlanDestroy(made));
    return bytes;
  }
  rtCapturePlanInfo_t info() const {
    rtCapturePlanInfo_t info = RT_CAPTURE_PLAN_INFO_INIT;
    const rtCapturePlan_t made = create();
    RT_CHECK(rtCapturePlanGetInfo(&info, made));
    RT_CHECK(rtCapturePlanDestroy(made));
    return info;
  }
  double count() const { return count_; }

 private:
  static constexpr size_t kMostArgs = 4;

  static rtGraphArg_t argument(rtGraphBuffer_t buffer, uint32_t access) {
    rtGraphArg_t argument{};
    argument.kind = RT_ARG_POINTER;
    argument.access = access;
    argument.memory.buffer = buffer;
    return argument;
  }
  rtKernel_t kernelOf(size_t args) const {
    static std::map<size_t, rtKernel_t> kernels;
    rtKernel_t& kernel = kernels[args];
    if (kernel == nullptr) kernel = createKernel(context_, emptyKernel, std::vector<rtHostArg_t>(args, {8, RT_ARG_POINTER}));
    return kernel;
  }
  rtCapturePlan_t create() const {
    rtCapturePlan_t plan;
    RT_CHECK(rtCapturePlanCreate(&plan, nullptr, graph_, context_));
    return plan;
  }

  const double count_;
  rtContext_t context_;
  rtGraph_t graph_;
};

// A graph lives while its comparison runs: others do not share the memory of the process with it.
template <class Figure>
Measure ofPlan(std::shared_ptr<std::map<uint32_t, Planner>> graphs, uint32_t count, Figure figure) {
  return [=](int64_t) { return figure(graphs->at(count)); };
}

void registerPlans(const GraphShape& shape) {
  constexpr uint32_t kCounts[] = {1000, 10'000, 100'000};
  const std::string name = shape.name;
  const auto graphs = std::make_shared<std::map<uint32_t, Planner>>();
  const auto make = [=] {
    for (uint32_t count : kCounts) graphs->try_emplace(count, shape, count, false);
  };
  Comparison time("P20_plan_" + name), bytes("P20_plan_bytes_" + name);
  for (uint32_t count : kCounts) {
    time.ours(numbered("plan", count), ofPlan(graphs, count, [](const Planner& each) { return each.plan() / each.count(); }));
    time.ours(numbered("instantiate", count),
              ofPlan(graphs, count, [](const Planner& each) { return each.instantiate() / each.count(); }));
    bytes.ours(numbered("plan", count), ofPlan(graphs, count, [](const Planner& each) { return each.peak(); }));
  }
  registerComparison(std::move(time.settle(false).before(make).after([=] { graphs->clear(); })));
  registerComparison(std::move(bytes.settle(false).inBytes().before(make).after([=] { graphs->clear(); })));
}

void registerTemporaries(const GraphShape& shape, uint32_t count) {
  const std::string name = shape.name;
  const auto graphs = std::make_shared<std::map<uint32_t, Planner>>();
  const auto make = [=] { graphs->try_emplace(count, shape, count, true); };
  Comparison time(numbered("P20_temporaries_" + name, count));
  time.ours("plan", ofPlan(graphs, count, [](const Planner& each) { return each.plan(); }));
  registerComparison(std::move(time.settle(false).before(make).after([=] { graphs->clear(); })));
  Comparison bytes(numbered("P20_temporary_bytes_" + name, count));  // the same each time
  const auto info = std::make_shared<rtCapturePlanInfo_t>();
  bytes.ours("planned", [=](int64_t) { return static_cast<double>(info->temporary_bytes); });
  bytes.peer("live", [=](int64_t) { return static_cast<double>(info->temporary_bytes_live); });
  bytes.peer("without_reuse", [=](int64_t) { return static_cast<double>(info->temporary_bytes_without_reuse); });
  registerComparison(std::move(bytes.settle(false).inBytes().before([=] {
    make();
    *info = graphs->at(count).info();
    graphs->clear();
  })));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  pinHere(0);
  registerLaunches();
  registerAllocations();
  for (const GraphShape& shape : kGraphShapes) registerPlans(shape);
  for (const GraphShape& shape : kGraphShapes) {
    for (uint32_t count : {1000u, 10'000u}) registerTemporaries(shape, count);
  }
  return finish();
}
