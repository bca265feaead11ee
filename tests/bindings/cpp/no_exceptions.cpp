// SPDX-License-Identifier: Apache-2.0
//
// rt.hpp in a program without exceptions: every call returns rt::Result, with or without rt::noThrow.
#include <cstdio>
#include <rt.hpp>
#include <type_traits>
#include <vector>

int main() {
  const rt::Result<rt::Device> device = rt::Device::byName("cpu");
  if (!device) return 1;
  const rt::Result<rt::Context> context = rt::Context::create(*device);
  const rt::Result<rt::Stream> stream = rt::Stream::create(*context);
  const rt::Result<rt::Buffer<float>> x = rt::Buffer<float>::create(100, *context);
  std::vector<float> host(100, 3.0f), back(100);
  if (!stream->copy(*x, host) || !stream->copy(back, *x) || !stream->synchronize()) return 2;
  bool called = false;
  if (!stream->call([&] { called = true; }) || !stream->synchronize(rt::noThrow) || !called) return 3;
  static_assert(std::is_same_v<decltype(stream->query()), rt::Result<bool>>);

  const rt::Result<rt::Buffer<float>> large = rt::Buffer<float>::create(std::size_t{1} << 58, *context);
  if (large || large.status() != RT_ERROR_OUT_OF_MEMORY) return 4;
  std::printf("%s: %s\n", large.failure().name(), large.failure().message.c_str());
  return back == host ? 0 : 5;
}
