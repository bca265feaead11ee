// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of programs with rt.hpp, on the CPU. They use memory that was closed, null handles, memory that is const, or a part
// of a buffer that is too small. They end objects in another order than usual. Each is an error with a sentence or has no
// effect; none is a crash, and none is work on memory that the program did not name. Ends with 0, or 1 after the lines that say
// what failed.
#include <cstdio>
#include <memory>
#include <rt.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::printf("line %d: expected: %s\n", line, what);
  ++failures;
}
#define EXPECT(condition) check((condition), #condition, __LINE__)

/** Runs `action`, which has to throw a Kind whose sentence has `part`. */
template <class Kind, class F>
void expectError(F action, const std::string& part, int line) {
  try {
    action();
    check(false, "an error", line);
  } catch (const Kind& error) {
    if (std::string(error.what()).find(part) == std::string::npos) check(false, error.what(), line);
  } catch (const std::exception& error) {
    check(false, error.what(), line);
  }
}
#define EXPECT_ERROR(Kind, part, action) expectError<rt::Kind>([&] { action; }, part, __LINE__)

constexpr std::uint32_t kCount = 100;

const char* const kSource = R"(
__kernel void scale(__global float* y, __global const float* x, float by, uint count) {
  const uint i = get_global_id(0);
  if (i < count) y[i] = x[i] * by;
}
__kernel void part(__global float* y, __local float* p) {
  p[get_local_id(0)] = 1.0f;
  y[get_global_id(0)] = p[get_local_id(0)];
}
)";

struct Setup {
  rt::Device device = rt::Device::byName("cpu");
  rt::Context context = rt::Context::create(device);
  rt::Stream stream = rt::Stream::create(context);
  rt::Module module = rt::Module::fromSource(kSource, context);
  rt::KernelFunction<float*, const float*, float, std::uint32_t> scale =
      module.kernel<float*, const float*, float, std::uint32_t>("scale");
  rt::Buffer<float> x = rt::Buffer<float>::create(kCount, context);
  rt::Buffer<float> y = rt::Buffer<float>::create(kCount, context);
};

/** A kernel would take the null address of a closed Buffer and follow it. */
void closedBuffers(const Setup& s) {
  const rt::Range all(kCount);
  auto gone = rt::Buffer<float>::create(kCount, s.context);
  const auto kept = std::move(gone);
  auto closed = rt::Buffer<float>::create(kCount, s.context);
  closed.close();
  closed.close();
  EXPECT(gone.closed() && closed.closed() && !kept.closed());  // NOLINT: what was moved from is what is tested
  const rt::Buffer<float> never;
  for (const rt::Buffer<float>* const buffer : {&std::as_const(gone), &std::as_const(closed), &never}) {  // NOLINT
    EXPECT_ERROR(InvalidHandle, "Argument 0 of the kernel", s.scale(s.stream, all, *buffer, s.x, 1.0f, kCount));
    EXPECT_ERROR(InvalidHandle, "Argument 1 of the kernel", s.scale(s.stream, all, s.y, *buffer, 1.0f, kCount));
    EXPECT(s.scale(rt::noThrow, s.stream, all, *buffer, s.x, 1.0f, kCount).status() == RT_ERROR_INVALID_HANDLE);
    EXPECT_ERROR(InvalidHandle, "destination", s.stream.copy(*buffer, std::vector<float>()));
    EXPECT_ERROR(InvalidHandle, "source", s.stream.copy(s.y, *buffer));
    EXPECT_ERROR(InvalidHandle, "destination", rt::copy(*buffer, std::vector<float>()));
    EXPECT_ERROR(InvalidHandle, "fill", s.stream.fill(*buffer, 1.0f));
    EXPECT_ERROR(InvalidHandle, "fill", s.stream.setBytes(*buffer, 1));
    EXPECT_ERROR(InvalidHandle, "fill", rt::setBytes(*buffer, 1));
    const rt::Graph graph = rt::Graph::create();
    EXPECT_ERROR(InvalidHandle, "Argument 0 of the kernel", graph.addKernel(s.scale, all, {}, *buffer, s.x, 1.0f, kCount));
    EXPECT_ERROR(InvalidHandle, "destination", graph.addCopy(*buffer, s.x, 4));
    EXPECT_ERROR(InvalidHandle, "source", graph.addCopy(s.x, *buffer, 4));
    EXPECT_ERROR(InvalidHandle, "destination", graph.addFill(*buffer, 1.0f, 1));
    EXPECT(graph.nodes().empty());
  }

  // A Buffer of 0 elements is no closed one, and itself is what a Buffer becomes that is assigned to itself.
  auto none = rt::Buffer<float>::create(0, s.context);
  EXPECT(!none.closed() && none.empty());
  s.scale(s.stream, rt::Range(0), none, none, 1.0f, 0u);
  s.stream.copy(none, std::vector<float>());
  s.stream.fill(none, 1.0f);
  auto same = rt::Buffer<float>::create(kCount, s.context);
  rt::Buffer<float>& alias = same;
  same = std::move(alias);
  EXPECT(!same.closed() && same.size() == kCount);
  s.stream.fill(same, 1.0f);
  s.stream.synchronize();
}

/** A null handle means the default stream or the current context: no owner has it. */
void ownersOfNothing(const Setup& s) {
  const rt::Stream stream(nullptr);
  EXPECT(!stream);
  EXPECT_ERROR(InvalidHandle, "stream", stream.synchronize());
  EXPECT_ERROR(InvalidHandle, "stream", s.scale(stream, rt::Range(kCount), s.y, s.x, 1.0f, kCount));
  const rt::Context context(nullptr);
  EXPECT(!context);
  EXPECT_ERROR(InvalidHandle, "context", rt::Stream::create(context));
  rt::Context released = rt::Context::create(s.device);
  const rt::Context again(released.release());
  EXPECT(again && !released);
  EXPECT_ERROR(InvalidHandle, "context", rt::Stream::create(released));
}

/** The bytes of local memory must not wrap around to a small number. */
void localMemory(const Setup& s) {
  const auto part = s.module.kernel<float*, rt::Local<float>>("part");
  const rt::Range range = rt::Range(64).inGroupsOf(64);
  EXPECT_ERROR(InvalidValue, "local memory", part(s.stream, range, s.y, rt::Local<float>((std::size_t{1} << 62) + 16)));
  EXPECT_ERROR(InvalidValue, "local memory", part(s.stream, range, s.y, rt::Local<float>(std::size_t{1} << 62)));
  EXPECT_ERROR(InvalidValue, "local memory", part(s.stream, range, s.y, rt::Local<float>(0)));
}

void graphMemory(const Setup& s) {
  const std::vector<float> constant(kCount, 1.0f);
  std::vector<float> host(kCount, 2.0f);
  const rt::Graph graph = rt::Graph::create();
  const std::uint64_t bytes = kCount * sizeof(float);
  EXPECT_ERROR(InvalidValue, "const", graph.addCopy(constant, s.x, bytes));
  EXPECT_ERROR(InvalidValue, "temporary", graph.addCopy(std::vector<float>(kCount), s.x, bytes));
  EXPECT_ERROR(InvalidValue, "const", graph.addFill(constant, 1.0f, kCount));
  EXPECT_ERROR(InvalidValue, "const",
               graph.addKernel(s.scale, rt::Range(kCount), {}, rt::GraphMemory(constant), s.x, 1.0f, kCount));
  EXPECT(graph.nodes().empty());
  graph.addCopy(host, s.x, bytes);
  graph.addCopy(s.y, constant, bytes);

  // Part of an allocation: the rest of it is not the buffer's.
  const rt::Graph fill = rt::Graph::create();
  const rt::GraphBuffer out = fill.addBuffer(bytes, RT_GRAPH_BUFFER_OUTPUT, "out");
  fill.addFill(out, 3.0f, kCount);
  const rt::GraphExec exec = rt::GraphExec::create(fill, s.context);
  const auto large = rt::Buffer<float>::create(3 * kCount, s.context);
  EXPECT_ERROR(InvalidValue, "\"out\" has 400 bytes", exec.bind(out, large.slice(kCount, kCount - 1)));
  EXPECT_ERROR(InvalidValue, "const", exec.bind(out, constant));
  EXPECT_ERROR(InvalidHandle, "closed", exec.bind(out, rt::Buffer<float>()));
  s.stream.fill(large, 0.0f);
  exec.bind(out, large.slice(kCount, kCount));
  exec.launch(s.stream);
  std::vector<float> back(3 * kCount);
  s.stream.copy(back, large);
  s.stream.synchronize();
  EXPECT(back[kCount - 1] == 0.0f && back[kCount] == 3.0f && back[2 * kCount - 1] == 3.0f && back[2 * kCount] == 0.0f);
}

/** The program's own memory: registered where another context becomes current, and where its context ends first. */
void registrations(const Setup& s) {
  std::vector<float> host(100000);
  const auto registered = [&] { return rt::pointerAttributes(host.data()).kind == RT_POINTER_REGISTERED; };
  {
    const rt::Registration registration = rt::Registration::create(host);  // of the current context: none is set
    const rt::Context other = rt::Context::create(s.device);
    other.makeCurrent();
  }
  EXPECT(!registered());
  // The other context has ended while it was current, so that a null context is an error on this thread.
  EXPECT_ERROR(InvalidHandle, "context", rt::Registration::create(host));
  rt::ContextRef().makeCurrent();
  {
    rt::Context ends = rt::Context::create(s.device);
    const rt::Registration registration = rt::Registration::create(host, ends);
    EXPECT(registered());
    ends.close();
  }
  EXPECT(!registered());
  {
    rt::Registration first = rt::Registration::create(rt::Span<float>(host), s.context);
    std::thread([second = std::move(first)] { EXPECT(rt::Stream::create().query()); }).join();
  }
  EXPECT(!registered());
  // Memory has a new owner as soon as the old one has ended.
  const rt::Registration again = rt::Registration::create(host, s.context);
  EXPECT(registered());
}

/** Ends in an unusual order. The rest is stale and has no effect; memory stays. */
void orderOfEnds(const Setup& s) {
  auto context = std::make_unique<rt::Context>(rt::Context::create(s.device));
  const rt::Stream stream = rt::Stream::create(*context);
  const rt::Event event = rt::Event::create(*context);
  auto module = std::make_unique<rt::Module>(rt::Module::fromSource(kSource, *context));
  const auto scale = module->kernel<float*, const float*, float, std::uint32_t>("scale");
  const auto x = rt::Buffer<float>::create(kCount, *context);
  stream.fill(x, 4.0f);
  stream.synchronize();
  module.reset();
  EXPECT_ERROR(InvalidHandle, "kernel", scale(stream, rt::Range(kCount), x, x, 1.0f, kCount));
  context.reset();
  EXPECT_ERROR(InvalidHandle, "stream", stream.synchronize());
  EXPECT_ERROR(InvalidHandle, "event", event.record(stream));
  std::vector<float> back(kCount);
  rt::copy(back, x);
  EXPECT(back[kCount - 1] == 4.0f);

  // A thread that ends with a context current, one that its thread has closed, and one that an exception ends.
  std::thread([&] {
    const rt::Context current = rt::Context::create(s.device);
    current.makeCurrent();
    rt::Stream::create().call([] {});
  }).join();
  try {
    const rt::Context inner = rt::Context::create(s.device);
    const rt::Stream capturing = rt::Stream::create(inner);
    const auto held = rt::Buffer<float>::create(kCount, inner);
    capturing.beginCapture();
    capturing.fill(held, 1.0f);
    held.slice(kCount, 1);
    EXPECT(false);
  } catch (const rt::InvalidValue&) {
  }
  s.stream.synchronize();
}

/** Containers of the host wherever memory of the host is taken, and images as bytes or words. */
void containers(const Setup& s) {
  std::vector<float> host(kCount);
  const std::string text(kSource);
  EXPECT(rt::Module::fromData(text, s.context).kernelCount() == 2);
  EXPECT(rt::Module::fromData(std::vector<unsigned char>(text.begin(), text.end()), s.context).kernelCount() == 2);
  std::vector<std::byte> image(text.size());
  std::memcpy(image.data(), text.data(), text.size());
  EXPECT(rt::Module::fromData(image, s.context).kernelCount() == 2);
  const auto pinned = rt::HostBuffer<float>::create(kCount, s.context);
  EXPECT(rt::hostDevicePointer(pinned, s.context).size() == kCount);
#if defined(__cpp_lib_span)
  const std::span<float> standard = pinned.span();
  s.stream.copy(standard, s.x);
  s.stream.copy(std::span<float>(host), s.x);
  s.stream.synchronize();
  EXPECT(standard.data() == pinned.data() && rt::Span<const float>(standard).size() == kCount);
#endif
  const rt::Graph graph = rt::Graph::create();
  graph.addCopy(host, s.x, kCount * sizeof(float));
  const rt::GraphBuffer out = graph.makeBuffer(host, RT_GRAPH_BUFFER_OUTPUT, "out");
  const rt::GraphExec exec = rt::GraphExec::create(graph, s.context);
  s.stream.fill(s.x, 6.0f);
  exec.bind(out, host);
  exec.launch(s.stream);
  s.stream.synchronize();
  EXPECT(host[kCount - 1] == 6.0f);
}

}  // namespace

int main() {
  try {
    const Setup s;
    for (const auto part : {closedBuffers, ownersOfNothing, localMemory, graphMemory, registrations, orderOfEnds, containers}) {
      part(s);
    }
  } catch (const std::exception& error) {
    std::printf("not expected: %s\n", error.what());
    return 1;
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
