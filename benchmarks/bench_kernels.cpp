// Kernels from source on the CPU (P15): matrix product with barriers, group reduction, n-body, a stream of memory, as users
// write them, with uint indices. Beside PoCL's two drivers, which build the same source, and loops written by hand with
// OpenMP. Before anything is timed, the results of all are compared.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

rtContext_t context;
rtStream_t stream;
std::unique_ptr<OpenMpPeer> gomp;
std::string gomp_why;

std::string read(const std::string& name) {
  std::ifstream file(std::string(BENCH_KERNELS) + "/" + name + ".cl");
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) {
    fprintf(stderr, "The file %s.cl is missing.\n", name.c_str());
    exit(EXIT_FAILURE);
  }
  return text.str();
}

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  uint32_t state = 12345;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f;
  }
  return result;
}

// A kernel, its arguments, and the same on every candidate.
struct Task {
  std::string name;
  std::string options;
  uint32_t global[2] = {1, 1}, local[2] = {1, 1};
  struct Argument {
    std::vector<float> contents;  // of a buffer
    std::vector<unsigned char> value;
    size_t local_bytes = 0;
  };
  std::vector<Argument> arguments;
  uint32_t result = 0;  // index of the buffer that is compared
  double tolerance = 1e-4;
  std::function<void(std::vector<std::vector<float>>&)> by_hand;
  uint64_t bytes = 0;
};

Task::Argument buffer(std::vector<float> contents) { return {std::move(contents), {}, 0}; }
template <class T>
Task::Argument value(T number) {
  Task::Argument argument;
  argument.value.resize(sizeof number);
  memcpy(argument.value.data(), &number, sizeof number);
  return argument;
}
Task::Argument localMemory(size_t bytes) { return {{}, {}, bytes}; }

void compare(const Task& task, const std::string& side, const std::vector<float>& expected, const std::vector<float>& found) {
  double largest = 0;
  for (float v : expected) largest = std::max(largest, std::fabs(static_cast<double>(v)));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected[i])) <= task.tolerance * largest) continue;
    fprintf(stderr, "%s: %s has %g at %zu, others have %g.\n", task.name.c_str(), side.c_str(), static_cast<double>(found[i]),
            i, static_cast<double>(expected[i]));
    exit(EXIT_FAILURE);
  }
}

class Ours {
 public:
  explicit Ours(const Task& task) : task_(task) {
    const rtStatus_t built = rtModuleCreateFromSource(&module_, read(task.name).c_str(), task.options.c_str(), context);
    if (built != RT_SUCCESS) {
      std::vector<char> log(65536);
      rtGetLastErrorMessage(log.data(), log.size(), nullptr);
      fprintf(stderr, "%s\n", log.data());
      exit(EXIT_FAILURE);
    }
    RT_CHECK(rtModuleGetKernel(&kernel_, task.name.c_str(), module_));
    for (const Task::Argument& argument : task.arguments) {
      Held held;
      if (!argument.contents.empty()) {
        RT_CHECK(rtMalloc(&held.address, argument.contents.size() * sizeof(float), context));
        RT_CHECK(rtMemcpy(held.address, argument.contents.data(), argument.contents.size() * sizeof(float), RT_MEMCPY_DEFAULT));
      }
      held.local_bytes = argument.local_bytes;
      held.value = argument.value;
      held_.push_back(held);
    }
    for (Held& held : held_) {
      args_.push_back(held.address != nullptr ? static_cast<void*>(&held.address)
                      : held.local_bytes != 0 ? static_cast<void*>(&held.local_bytes)
                                              : static_cast<void*>(held.value.data()));
    }
  }
  void run() {
    RT_CHECK(rtLaunchKernel(kernel_, task_.global[0] / task_.local[0], task_.global[1] / task_.local[1], 1, task_.local[0],
                            task_.local[1], 1, 0, stream, args_.data(), static_cast<uint32_t>(args_.size())));
    RT_CHECK(rtStreamSynchronize(stream));
  }
  std::vector<float> result() {
    std::vector<float> out(task_.arguments[task_.result].contents.size());
    RT_CHECK(rtMemcpy(out.data(), held_[task_.result].address, out.size() * sizeof(float), RT_MEMCPY_DEFAULT));
    return out;
  }

 private:
  struct Held {
    void* address = nullptr;
    size_t local_bytes = 0;
    std::vector<unsigned char> value;
  };
  const Task& task_;
  rtModule_t module_ = nullptr;
  rtKernel_t kernel_ = nullptr;
  std::vector<Held> held_;
  std::vector<void*> args_;
};

std::unique_ptr<OpenClKernel> peerOf(const char* driver, const Task& task, std::string* why) {
  auto peer = OpenClKernel::build(driver, read(task.name), task.options.c_str(), task.name.c_str(), why);
  if (!peer) return nullptr;
  for (uint32_t i = 0; i < task.arguments.size(); ++i) {
    const Task::Argument& argument = task.arguments[i];
    if (!argument.contents.empty()) {
      peer->buffer(i, argument.contents.size() * sizeof(float), argument.contents.data());
    } else if (argument.local_bytes != 0) {
      peer->value(i, argument.local_bytes, nullptr);
    } else {
      peer->value(i, argument.value.size(), argument.value.data());
    }
  }
  return peer;
}

void add(Task given) {
  static std::vector<std::unique_ptr<Task>> tasks;
  tasks.push_back(std::make_unique<Task>(std::move(given)));
  const Task& task = *tasks.back();
  auto ours = std::make_shared<Ours>(task);
  ours->run();
  const std::vector<float> expected = ours->result();
  Comparison comparison("P15_" + task.name);
  comparison.bytes(task.bytes);
  comparison.ours("manyrt", hot([ours] { ours->run(); }));
  for (const char* driver : {"basic", "pthread"}) {
    std::string why;
    std::shared_ptr<OpenClKernel> peer = peerOf(driver, task, &why);
    const std::string name = std::string("pocl_") + driver;
    if (!peer) {
      comparison.missing(name, why);
      continue;
    }
    const size_t global[2] = {task.global[0], task.global[1]}, local[2] = {task.local[0], task.local[1]};
    auto run = [peer, global, local] { peer->run(global, local); };
    run();
    std::vector<float> found(expected.size());
    peer->read(task.result, found.size() * sizeof(float), found.data());
    compare(task, name, expected, found);
    comparison.peer(name, hot(run));
  }
  if (gomp && gomp->symbol(("bench_" + task.name).c_str()) != nullptr) {
    auto copies = std::make_shared<std::vector<std::vector<float>>>();
    for (const Task::Argument& argument : task.arguments) copies->push_back(argument.contents);
    auto run = [&task, copies] { task.by_hand(*copies); };
    run();
    compare(task, "libgomp", expected, (*copies)[task.result]);
    comparison.peer("libgomp", hot(run));
  } else {
    comparison.missing("libgomp", gomp_why);
  }
  registerComparison(std::move(comparison));
}

template <class Function>
Function byHand(const char* name) {
  return gomp ? reinterpret_cast<Function>(gomp->symbol(name)) : nullptr;
}

struct Size {
  uint32_t x, y;
};
Task makeTask(const char* name, const char* options, Size global, Size local, uint32_t result) {
  Task task;
  task.name = name;
  task.options = options;
  task.global[0] = global.x;
  task.global[1] = global.y;
  task.local[0] = local.x;
  task.local[1] = local.y;
  task.result = result;
  return task;
}

void addMatmul(uint32_t n) {
  Task task = makeTask("matmul", "", {n, n}, {16, 16}, 2);
  task.arguments = {buffer(numbers(n * n)), buffer(numbers(n * n)), buffer(std::vector<float>(n * n)), value(n)};
  auto function = byHand<void (*)(const float*, const float*, float*, uint32_t)>("bench_matmul");
  task.by_hand = [=](auto& b) { function(b[0].data(), b[1].data(), b[2].data(), n); };
  add(std::move(task));
}

void addReduce(uint32_t groups, uint32_t size) {
  Task task = makeTask("reduce", "", {groups * size, 1}, {size, 1}, 1);
  task.arguments = {buffer(numbers(groups * size)), buffer(std::vector<float>(groups)), localMemory(size * sizeof(float))};
  auto function = byHand<void (*)(const float*, float*, uint32_t, uint32_t)>("bench_reduce");
  task.by_hand = [=](auto& b) { function(b[0].data(), b[1].data(), groups, size); };
  task.bytes = uint64_t{groups} * size * sizeof(float);
  add(std::move(task));
}

void addNbody(uint32_t count, uint32_t size) {
  Task task = makeTask("nbody", "-cl-fast-relaxed-math", {count, 1}, {size, 1}, 1);
  task.tolerance = 1e-3;
  task.arguments = {buffer(numbers(4 * count)), buffer(std::vector<float>(4 * count)), value(count), value(0.01f),
                    localMemory(size * 4 * sizeof(float))};
  auto function = byHand<void (*)(const float*, float*, uint32_t, float)>("bench_nbody");
  task.by_hand = [=](auto& b) { function(b[0].data(), b[1].data(), count, 0.01f); };
  add(std::move(task));
}

void addTriad(uint32_t count, uint32_t size) {
  Task task = makeTask("triad", "", {count, 1}, {size, 1}, 2);
  task.arguments = {buffer(numbers(count)), buffer(numbers(count)), buffer(std::vector<float>(count)), value(0.75f),
                    value(count)};
  auto function = byHand<void (*)(const float*, const float*, float*, float, uint32_t)>("bench_triad");
  task.by_hand = [=](auto& b) { function(b[0].data(), b[1].data(), b[2].data(), 0.75f, count); };
  task.bytes = uint64_t{count} * 3 * sizeof(float);
  add(std::move(task));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("RT_CPU_BUILD", "optimized", 0);  // or what the caller wants to see: "quick"
  begin(&argc, argv);
  prepareEnvironment();
  std::string none;
  (void)startOpenCl(&none);  // its threads may use every core: those that a pinned thread makes stay on its core
  note("peer_opencl", OpenClPeer::version());
  {
    Pinning pinning;
    gomp = OpenMpPeer::find("libgomp", &gomp_why);
    if (gomp) gomp->parallel();
    pinning.done();
  }
  {
    Pinning pinning;
    context = createContext("cpu", 0);
    stream = createStream(context);
    rtKernel_t kernel = createKernel(context, emptyKernel, {});
    RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0));
    RT_CHECK(rtStreamSynchronize(stream));
    pinning.done();
  }
  pinHere(0);
  note("peer_libgomp", gomp ? gomp->compiler() : "missing");
  addMatmul(256);
  addReduce(4096, 256);
  addNbody(2048, 256);
  addTriad(4 << 20, 256);
  return finish();
}
