// SPDX-License-Identifier: Apache-2.0
//
// The cost of launch, record and query through rt.hpp: overhead DEVICE CALLS RUNS.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <rt.hpp>

namespace {

using Clock = std::chrono::steady_clock;

template <typename Call>
void measure(const char* name, int calls, const Call& call) {
  const auto began = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  const double time = std::chrono::duration<double, std::nano>(Clock::now() - began).count();
  std::printf("%s %.1f\n", name, time / calls);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int calls = std::atoi(argv[2]), runs = std::atoi(argv[3]);
  const rt::Context context = rt::Context::create(rt::Device::byName(argv[1]));
  const rt::Stream stream = rt::Stream::create(context);
  const rt::Event event = rt::Event::create(context);
  const rt::Fence fence = rt::Fence::create(0, context);
  const auto data = rt::Buffer<float>::create(64, context);
  const rt::Module module = rt::Module::fromSource("kernel void f(global float *x, int n, float y) { x[n] = y; }", context);
  const auto kernel = module.kernel<float*, int, float>("f");
  std::uint64_t held = 0;
  for (int run = 0; run < runs; ++run) {
    stream.wait(fence, ++held);
    measure("launch", calls, [&] { kernel(stream, rt::Range(1), data, 1, 2.0f); });
    fence.signal(held);
    stream.synchronize();
    stream.wait(fence, ++held);
    measure("record", calls, [&] { event.record(stream); });
    fence.signal(held);
    stream.synchronize();
    measure("query", calls, [&] { static_cast<void>(stream.query()); });
  }
}
