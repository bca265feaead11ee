// Is memory handed out again before its last use? Usage: stamps DEVICE SECONDS [SEED [broken]]
//
// Threads work by random schedules on streams of their own and of each other. A block gets a stamp, a number that no other
// block has, from a kernel that takes its time; other kernels compare it, on this stream and, after a wait, on others; copies
// and graphs do the same. The program frees as soon as it may, with all of that in flight. Whatever the pool hands out too
// early gets another stamp, and a comparison that comes later finds it. 1: one has; 77: there is no such device, or it runs no
// kernels. With "broken", some frees do not wait for what another stream still does, a mistake of the program that must be
// found.
#include <rt.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr char kSource[] = R"(
__kernel void stamp(__global uint* block, uint count, uint stride, uint value, uint turns) {
  const uint i = get_global_id(0);
  uint number = value + i;
  for (uint turn = 0; turn < turns; ++turn) number = number * 1664525u + 1013904223u;
  if (i < count) block[i * stride] = number == 7u && stride == 0u ? number : value;
}
__kernel void compare(__global const uint* block, uint count, uint stride, uint value, uint turns, __global uint* wrong) {
  const uint i = get_global_id(0);
  uint number = value + i;
  for (uint turn = 0; turn < turns; ++turn) number = number * 1664525u + 1013904223u;
  if (i >= count || (number == 7u && stride == 0u)) return;
  if (block[i * stride] != value && atomic_inc(wrong) == 0) {
    wrong[1] = block[i * stride];
    wrong[2] = value;
  }
}
)";
constexpr int kThreads = 3, kStreamsOfEach = 2, kMostLive = 40;
constexpr uint32_t kGroup = 64, kMostWords = 2048;

void check(rtStatus_t status, const char* call) {
  if (status == RT_SUCCESS) return;
  char message[1024] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  std::fprintf(stderr, "stamps: %s: %s: %s\n", call, rtGetErrorName(status), message);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

struct Block {
  unsigned char* memory = nullptr;
  size_t bytes = 0;
  uint32_t value = 0;
  rtStream_t stream = nullptr;  // after whose work all uses are
};

struct Counts {
  uint64_t blocks = 0, stamps = 0, comparisons = 0, graphs = 0;
};

// A device, and what all threads share.
class World {
 public:
  explicit World(rtDevice_t device) {
    CHECK(rtContextCreate(&context, nullptr, device));
    CHECK(rtModuleCreateFromSource(&module_, kSource, nullptr, context));
    CHECK(rtModuleGetKernel(&stamp, "stamp", module_));
    CHECK(rtModuleGetKernel(&compare, "compare", module_));
    CHECK(rtContextGetDefaultPool(&pool, context));
    CHECK(rtMalloc(reinterpret_cast<void**>(&wrong), 3 * sizeof *wrong, context));
    CHECK(rtMemset(wrong, 0, 3 * sizeof *wrong));
  }
  void end() {
    CHECK(rtFree(wrong));
    CHECK(rtModuleDestroy(module_));
    CHECK(rtContextDestroy(context));
  }

  rtContext_t context = nullptr;
  rtKernel_t stamp = nullptr, compare = nullptr;
  rtMemPool_t pool = nullptr;
  uint32_t* wrong = nullptr;
  std::atomic<uint32_t> next_value{1};
  // Blocks that any thread may take over.
  std::mutex lock;
  std::vector<Block> handed_over;

 private:
  rtModule_t module_ = nullptr;
};

class Worker {
 public:
  Worker(World& world, uint64_t seed, bool broken) : world_(world), random_(seed), broken_(broken) {
    for (rtStream_t& stream : streams_) CHECK(rtStreamCreate(&stream, nullptr, world_.context));
    CHECK(rtStreamCreate(&capture_, nullptr, world_.context));
  }

  void run(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) step();
    for (Block& block : live_) free(block);
  }
  // After all threads, since others' blocks are after these streams.
  void end() {
    for (const rtStream_t stream : streams_) CHECK(rtStreamDestroy(stream));
    CHECK(rtStreamDestroy(capture_));
  }
  const Counts& counts() const { return counts_; }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  rtStream_t anyStream() { return streams_[below(kStreamsOfEach)]; }

  void step() {
    const uint32_t what = below(32);
    if (live_.empty() || (what < 10 && live_.size() < kMostLive)) {
      allocate();
    } else if (what < 19) {
      Block& block = live_[below(static_cast<uint32_t>(live_.size()))];
      goTo(block, anyStream());
      compare(block, block.stream);
    } else if (what < 21) {
      Block& block = live_[below(static_cast<uint32_t>(live_.size()))];
      goTo(block, anyStream());
      stamp(&block);
    } else if (what < 22) {
      copy();
    } else if (what < 23) {
      replay();
    } else if (what < 24) {
      exchange();
    } else if (what < 25) {
      if (below(4) == 0) CHECK(rtStreamSynchronize(anyStream()));
      if (below(16) == 0 && !broken_) CHECK(rtMemPoolTrim(0, world_.pool));
    } else {
      const uint32_t index = below(static_cast<uint32_t>(live_.size()));
      free(live_[index]);
      live_[index] = live_.back();
      live_.pop_back();
    }
  }

  // The stream waits for all uses so far, and the block goes on there.
  void goTo(Block& block, rtStream_t stream) {
    if (block.stream != stream) CHECK(rtStreamWaitStream(block.stream, stream));
    block.stream = stream;
  }

  void allocate() {
    Block block;
    const uint32_t shape = below(8);
    // Freed memory of the broken schedules stays with the pool: what is used there would end the process otherwise.
    block.bytes = 4 + below(shape < 5 || broken_ ? 20'000 : shape < 7 ? 700'000 : 3'000'000);
    block.stream = anyStream();
    void* memory = nullptr;
    if (below(4) == 0) {
      CHECK(rtMalloc(&memory, block.bytes, world_.context));
    } else {
      CHECK(rtMallocAsync(&memory, block.bytes, block.stream));
    }
    block.memory = static_cast<unsigned char*>(memory);
    ++counts_.blocks;
    stamp(&block);
    live_.push_back(block);
  }

  void free(Block& block) {
    const uint32_t how = below(8);
    if (broken_ && how < 4) {
      const rtStream_t other = block.stream == streams_[0] ? streams_[1] : streams_[0];
      compare(block, block.stream);
      CHECK(rtFreeAsync(block.memory, other));
    } else if (how < 5) {
      CHECK(rtFreeAsync(block.memory, block.stream));
    } else if (how < 7) {
      goTo(block, anyStream());
      CHECK(rtFreeAsync(block.memory, block.stream));
    } else {
      CHECK(rtFree(block.memory));  // everything that was submitted may still use it
    }
  }

  struct Shape {
    uint32_t count, stride;
  };
  static Shape shapeOf(const Block& block) {
    const auto words = static_cast<uint32_t>(block.bytes / sizeof(uint32_t));
    const uint32_t stride = words > kMostWords ? words / kMostWords : 1;
    return {words / stride, stride};
  }
  template <class... More>
  void launch(rtKernel_t kernel, const Block& block, rtStream_t stream, More... more) {
    void* memory = block.memory;
    auto [count, stride] = shapeOf(block);
    uint32_t value = block.value, turns = below(6) == 0 ? below(20'000) : below(50);
    void* args[] = {&memory, &count, &stride, &value, &turns, static_cast<void*>(&more)...};
    CHECK(rtLaunchKernel(kernel, (count + kGroup - 1) / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, 5 + sizeof...(more)));
  }
  void stamp(Block* block) {
    block->value = world_.next_value.fetch_add(1);
    launch(world_.stamp, *block, block->stream);
    ++counts_.stamps;
  }
  void compare(const Block& block, rtStream_t stream) {
    launch(world_.compare, block, stream, world_.wrong);
    ++counts_.comparisons;
  }

  // Into a block that is as large, which the copy makes the same stamp of.
  void copy() {
    const Block from = live_[below(static_cast<uint32_t>(live_.size()))];
    Block to = from;
    to.stream = anyStream();
    void* memory = nullptr;
    CHECK(rtMallocAsync(&memory, to.bytes, to.stream));
    to.memory = static_cast<unsigned char*>(memory);
    if (to.stream != from.stream) CHECK(rtStreamWaitStream(from.stream, to.stream));
    CHECK(rtMemcpyAsync(to.memory, from.memory, to.bytes, RT_MEMCPY_DEFAULT, to.stream));
    compare(to, to.stream);
    if (to.stream != from.stream) CHECK(rtStreamWaitStream(to.stream, from.stream));  // `from` is after its copy
    ++counts_.blocks;
    if (live_.size() < kMostLive) {
      live_.push_back(to);
    } else {
      free(to);
    }
  }

  // The block is freed while a graph that names it is at work, and its own temporary memory comes and goes in it.
  void replay() {
    Block block;
    block.stream = capture_;
    block.bytes = 4 + below(200'000);
    void* memory = nullptr;
    CHECK(rtMallocAsync(&memory, block.bytes, block.stream));
    block.memory = static_cast<unsigned char*>(memory);
    rtGraph_t graph = nullptr;
    rtGraphExec_t exec = nullptr;
    CHECK(rtStreamBeginCapture(block.stream));
    stamp(&block);
    compare(block, block.stream);
    Block temporary = block;
    temporary.bytes = 4 + below(200'000);
    CHECK(rtMallocAsync(&memory, temporary.bytes, block.stream));
    temporary.memory = static_cast<unsigned char*>(memory);
    stamp(&temporary);
    compare(temporary, block.stream);
    compare(block, block.stream);
    CHECK(rtFreeAsync(temporary.memory, block.stream));
    CHECK(rtStreamEndCapture(&graph, block.stream));
    CHECK(rtGraphInstantiate(&exec, graph, world_.context));
    CHECK(rtGraphDestroy(graph));
    for (uint32_t turn = 0; turn < 1 + below(3); ++turn) CHECK(rtGraphLaunch(exec, block.stream));
    CHECK(rtFreeAsync(block.memory, block.stream));
    CHECK(rtGraphExecDestroy(exec));
    ++counts_.graphs;
  }

  // Another thread goes on with the block.
  void exchange() {
    const std::lock_guard guard(world_.lock);
    if (!world_.handed_over.empty() && live_.size() < kMostLive) {
      live_.push_back(world_.handed_over.back());
      world_.handed_over.pop_back();
      return;
    }
    const uint32_t index = below(static_cast<uint32_t>(live_.size()));
    world_.handed_over.push_back(live_[index]);
    live_[index] = live_.back();
    live_.pop_back();
  }

  World& world_;
  std::mt19937_64 random_;
  const bool broken_;
  rtStream_t streams_[kStreamsOfEach] = {};
  rtStream_t capture_ = nullptr;  // of no block, so that no other thread submits to it
  std::vector<Block> live_;
  Counts counts_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::atof(argv[2]) <= 0) {
    std::fprintf(stderr, "usage: stamps DEVICE SECONDS [SEED [broken]]\n");
    return 2;
  }
  const double seconds = std::atof(argv[2]);
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const bool broken = argc > 4 && std::strcmp(argv[4], "broken") == 0;
  rtDevice_t device = nullptr;
  int32_t kernels = 0;
  if (rtDeviceGetByName(&device, argv[1]) != RT_SUCCESS) return 77;
  CHECK(rtDeviceHasCapability(&kernels, RT_CAPABILITY_KERNELS, device));
  if (kernels == 0) return 77;

  World world(device);
  std::vector<Worker> workers;
  for (int i = 0; i < kThreads; ++i) workers.emplace_back(world, seed * kThreads + static_cast<uint64_t>(i), broken);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&] { worker.run(seconds); });
  for (std::thread& thread : threads) thread.join();
  CHECK(rtContextSynchronize(world.context));
  Counts all;
  for (Worker& worker : workers) {
    const Counts& counts = worker.counts();
    all.blocks += counts.blocks;
    all.stamps += counts.stamps;
    all.comparisons += counts.comparisons;
    all.graphs += counts.graphs;
    worker.end();
  }
  for (const Block& block : world.handed_over) CHECK(rtFree(block.memory));
  uint32_t wrong[3] = {};
  CHECK(rtMemcpy(wrong, world.wrong, sizeof wrong, RT_MEMCPY_DEFAULT));
  world.end();
  std::printf("%s, seed %llu: %llu blocks, %llu stamps, %llu comparisons, %llu graphs; %u wrong words", argv[1],
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(all.blocks),
              static_cast<unsigned long long>(all.stamps), static_cast<unsigned long long>(all.comparisons),
              static_cast<unsigned long long>(all.graphs), wrong[0]);
  if (wrong[0] != 0) std::printf(", the first is %u in place of %u", wrong[1], wrong[2]);
  std::printf("\n");
  return wrong[0] != 0 ? 1 : 0;
}
