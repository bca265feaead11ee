// SPDX-License-Identifier: Apache-2.0
//
// cpp_runtime: the whole life of a Runtime of rt.hpp on one page. It has memory of the device, pinned memory of the host, an
// asynchronous copy and a timed region. Two operators are recorded as a graph and executed again and again. Everything is freed
// by its owner. The C form of the same program is runtime_tour.c.
#include <cstdio>
#include <cstdlib>
#include <rt.hpp>

namespace {

constexpr std::uint32_t kCount = 1 << 16;
constexpr int kRuns = 3;

const char* const kSource = R"(
__kernel void scale(__global float* x, float by, uint count) {
  const uint i = get_global_id(0);
  if (i < count) x[i] *= by;
}
__kernel void shift(__global float* x, float by, uint count) {
  const uint i = get_global_id(0);
  if (i < count) x[i] += by;
}
)";

float input(std::uint32_t i) { return static_cast<float>(i % 1000); }

int run() {
  const std::size_t size = kCount * sizeof(float);
  const auto runtime = rt::Context::runtime(rt::Device::best());  // the device that RT_DEVICE names, else the best one
  const auto memory = runtime->activate()->allocateMemory(size);
  const auto pinned = runtime->allocatePinnedHostMemory(size);
  float* const x = memory->as<float>();
  float* const host = pinned->as<float>();
  for (std::uint32_t i = 0; i < kCount; ++i) host[i] = input(i);

  runtime->memcpyH2D(x, host, size, true);
  runtime->syncStream();  // now the host may write to its memory again

  const auto module = rt::Module::fromSource(kSource, runtime->context());
  const auto scale = module.kernel<float*, float, std::uint32_t>("scale");
  const auto shift = module.kernel<float*, float, std::uint32_t>("shift");
  const rt::Range all(kCount);

  rt::Event start = runtime->createEvent();
  rt::Event stop = runtime->createEvent();
  runtime->recordEvent(start);
  scale(runtime->stream(), all, x, 2.0f, kCount);
  runtime->recordEvent(stop);
  runtime->synchronizeEvent(stop);
  const float milliseconds = runtime->elapsedTime(start, stop);
  runtime->destroyEvent(start);
  runtime->destroyEvent(stop);

  // Recorded, not run: the two operators become one graph, whose memory keeps its address.
  runtime->startGraphRecording();
  runtime->addGraphOperator([&](rt::Runtime& self) { scale(self.stream(), all, x, 0.5f, kCount); });
  runtime->addGraphOperator([&](rt::Runtime& self) { shift(self.stream(), all, x, 1.0f, kCount); });
  const auto graph = runtime->stopGraphRecording();
  for (int i = 0; i < kRuns; ++i) graph->execute();

  runtime->memcpyD2H(host, x, size);
  runtime->syncStream();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    float expected = 2.0f * input(i);
    for (int j = 0; j < kRuns; ++j) expected = expected * 0.5f + 1.0f;
    if (host[i] != expected) {
      std::fprintf(stderr, "element %u is %g, expected %g\n", i, static_cast<double>(host[i]), static_cast<double>(expected));
      return EXIT_FAILURE;
    }
  }
  std::printf("%s: one kernel took %.3f ms; the graph of two ran %d times; element 999 is %.3f\n",
              runtime->device().properties().id, static_cast<double>(milliseconds), kRuns, static_cast<double>(host[999]));
  return EXIT_SUCCESS;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const rt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
