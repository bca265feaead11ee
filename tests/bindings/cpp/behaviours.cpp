// SPDX-License-Identifier: Apache-2.0
//
// The fifteen behaviours of tests/bindings/README.md for rt.hpp. run.py calls this program once for each of them:
//   behaviours BEHAVIOUR DEVICE
//
// It ends with 0 if the behaviour is as described there, 77 if the device cannot do it, else 1.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <rt.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what, int line) {
  std::cout << "line " << line << ": " << what << std::endl;
  std::exit(1);
}

#define EXPECT(condition) \
  if (!(condition)) fail("expected: " #condition, __LINE__)

#define EXPECT_EQUAL(actual, expected)                                  \
  do {                                                                  \
    const auto actual_ = (actual);                                      \
    const auto expected_ = (expected);                                  \
    if (!(actual_ == expected_)) {                                      \
      std::ostringstream text_;                                         \
      text_ << #actual " is " << actual_ << ", expected " << expected_; \
      fail(text_.str(), __LINE__);                                      \
    }                                                                   \
  } while (false)

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/** Runs `action`, which has to throw a Kind whose text has all of `parts`. */
template <class Kind, class F>
void expectError(int line, F action, std::initializer_list<std::string> parts) {
  try {
    action();
  } catch (const Kind& error) {
    std::cout << error.what() << std::endl;
    for (const std::string& part : parts) {
      if (!has(error.what(), part)) fail("the error does not name \"" + part + "\": " + error.what(), line);
    }
    return;
  } catch (const std::exception& error) {
    fail(std::string("an error of another kind: ") + error.what(), line);
  }
  fail("no error", line);
}

constexpr std::uint32_t kCount = 1000;

const char* const kSource = R"(
__kernel void blend(__global float* x, int shift, float by, __local float* part) {
  const uint i = get_global_id(0), l = get_local_id(0);
  part[l] = x[i] * by;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = part[l] + (float)shift;
}
__kernel void scale(__global float* y, __global const float* x, float by, uint count) {
  const uint i = get_global_id(0);
  if (i < count) y[i] = x[i] * by;
}
__kernel void spin(__global float* x, uint rounds) {
  float value = x[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) value = value * 0.9999f + 0.5f;
  x[get_global_id(0)] = value;
}
)";

std::vector<float> numbers() {
  std::vector<float> values(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
  return values;
}

struct Setup {
  explicit Setup(const std::string& id)
      : device(rt::Device::byName(id)), context(rt::Context::create(device)), stream(rt::Stream::create(context)) {}
  rt::Device device;
  rt::Context context;
  rt::Stream stream;
};

template <class H>
std::string text(const H& handle) {
  std::ostringstream out;
  out << handle;
  return out.str();
}

void create(const std::string& id) {
  const std::uint64_t before = rt::liveHandleCount();
  {
    const Setup s(id);
    const rt::Event event = rt::Event::create(s.context);
    const rt::Fence fence = rt::Fence::create(7, s.context);
    rt::MemPool pool = rt::MemPool::create(s.context);
    const rt::Graph graph = rt::Graph::create();
    EXPECT_EQUAL(rt::liveHandleCount(), before + 6);
    EXPECT_EQUAL(std::string(s.device.properties().id), id);
    EXPECT(has(text(s.device), "Device(") && has(text(s.context), "Context(") && has(text(s.stream), "Stream("));
    EXPECT(has(text(event), "Event(") && has(text(fence), "Fence(") && has(text(pool), "MemPool("));
    EXPECT(has(text(graph), "Graph("));
    EXPECT_EQUAL(fence.value(), std::uint64_t{7});
    pool.close();
    EXPECT_EQUAL(rt::liveHandleCount(), before + 5);
  }
  EXPECT_EQUAL(rt::liveHandleCount(), before);
}

void copyMemory(const std::string& id) {
  const Setup s(id);
  const std::vector<float> source = numbers();
  const auto a = rt::Buffer<float>::create(kCount, s.context);
  const auto b = rt::Buffer<float>::create(kCount, s.context);
  std::vector<float> back(kCount, -1.0f);
  rt::copy(a, source);
  rt::copy(b, a);
  rt::copy(back, b);
  EXPECT(back == source);

  back.assign(kCount, -1.0f);
  s.stream.fill(b, 0.0f);
  s.stream.copy(a, source);
  s.stream.copy(b, a);
  s.stream.copy(back, b);
  s.stream.synchronize();
  EXPECT(back == source);

  s.stream.fill(b, 5.0f);
  s.stream.copy(b.slice(0, kCount / 2), a.slice(kCount / 2, kCount / 2));
  s.stream.copy(back, b);
  s.stream.synchronize();
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQUAL(back[i], i < kCount / 2 ? source[i + kCount / 2] : 5.0f);

  const auto pinned = rt::HostBuffer<float>::create(kCount, s.context);
  rt::copy(pinned, a);
  EXPECT(std::equal(pinned.begin(), pinned.end(), source.begin()));
}

void launch(const std::string& id) {
  const Setup s(id);
  const rt::Module module = rt::Module::fromSource(kSource, s.context);
  const auto blend = module.kernel<float*, std::int32_t, float, rt::Local<float>>("blend");
  const std::vector<float> source = numbers();
  std::vector<float> back(kCount);
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  s.stream.copy(x, source);
  blend(s.stream, rt::Range(kCount).inGroupsOf(50), x, -3, 2.0f, rt::Local<float>(50));
  s.stream.copy(back, x);
  s.stream.synchronize();
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQUAL(back[i], source[i] * 2.0f - 3.0f);

  // Mistakes that the compiler does not see are refused when the kernel is made; what it sees is in refused.cpp.
  const auto wrong = [&](auto make, std::initializer_list<std::string> parts) {
    expectError<rt::InvalidValue>(__LINE__, make, parts);
  };
  wrong([&] { module.kernel<float*, std::int32_t, float>("blend"); }, {"\"blend\"", "4 arguments", "declares 3"});
  wrong([&] { module.kernel<float*, std::int32_t, double, rt::Local<float>>("blend"); }, {"\"by\"", "float", "double"});
  wrong([&] { module.kernel<float*, float, float, rt::Local<float>>("blend"); }, {"\"shift\"", "int", "float"});
  wrong([&] { module.kernel<float*, std::int64_t, float, rt::Local<float>>("blend"); }, {"\"shift\"", "4 bytes", "8 bytes"});
  wrong([&] { module.kernel<double*, std::int32_t, float, rt::Local<float>>("blend"); }, {"\"x\"", "float*", "double*"});
  wrong([&] { module.kernel<float*, std::int32_t, float, float*>("blend"); }, {"\"part\"", "__local"});
  expectError<rt::NotFound>(__LINE__, [&] { module.kernel<float*>("absent"); }, {"absent"});
}

void eventTime(const std::string& id) {
  const Setup s(id);
  const rt::Module module = rt::Module::fromSource(kSource, s.context);
  const auto spin = module.kernel<float*, std::uint32_t>("spin");
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  s.stream.fill(x, 1.0f);
  spin(s.stream, rt::Range(kCount), x, 1u);  // the first launch may build
  s.stream.synchronize();
  const rt::Event start = rt::Event::create(s.context);
  const rt::Event stop = rt::Event::create(s.context);
  const auto began = Clock::now();
  start.record(s.stream);
  spin(s.stream, rt::Range(kCount), x, 20000u);
  stop.record(s.stream);
  stop.synchronize();
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
  const auto time = stop.nanosecondsSince(start);
  const auto milliseconds = stop.millisecondsSince(start);
  EXPECT(time.has_value() && milliseconds.has_value());
  std::cout << *time << " ns on the device, " << limit << " ns on the host" << std::endl;
  EXPECT(*time > 0 && *time < limit);
  EXPECT(*milliseconds > 0.0f && static_cast<double>(*milliseconds) * 1e6 < static_cast<double>(limit));
}

void crossStreamWait(const std::string& id) {
  const Setup s(id);
  const rt::Stream other = rt::Stream::create(s.context);
  const rt::Event written = rt::Event::create(s.context);
  const rt::Fence gate = rt::Fence::create(0, s.context);
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  std::vector<float> back(kCount, -1.0f);
  rt::setBytes(x, 0);
  other.wait(gate, 1);
  other.fill(x, 8.0f);
  written.record(other);
  s.stream.wait(written);
  s.stream.copy(back, x);
  EXPECT(!s.stream.query());
  EXPECT(!s.stream.synchronizeFor(std::chrono::milliseconds(20)));
  gate.signal(1);
  s.stream.synchronize();
  for (const float value : back) EXPECT_EQUAL(value, 8.0f);
}

void useAfterClose(const std::string& id) {
  Setup s(id);
  const rt::StreamRef stale = s.stream;
  s.stream.close();
  s.stream.close();
  expectError<rt::InvalidHandle>(__LINE__, [&] { s.stream.synchronize(); }, {"stream"});
  expectError<rt::InvalidHandle>(__LINE__, [&] { (void)stale.query(); }, {"stream"});
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  const rt::Result<void> result = s.stream.fill(x, 1.0f, rt::noThrow);
  EXPECT(!result && result.status() == RT_ERROR_INVALID_HANDLE && !result.failure().message.empty());

  // An object that was moved from is closed too, and never the default stream.
  rt::Stream first = rt::Stream::create(s.context);
  const rt::Stream second = std::move(first);
  second.synchronize();
  expectError<rt::InvalidHandle>(__LINE__, [&] { first.synchronize(); }, {"stream"});  // NOLINT: that is what is tested
}

void wrongSize(const std::string& id) {
  const Setup s(id);
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  const std::vector<float> longer(kCount + 1);
  std::vector<float> shorter(kCount - 1);
  expectError<rt::InvalidValue>(__LINE__, [&] { rt::copy(x, longer); }, {"1001", "1000", "4004", "4000"});
  expectError<rt::InvalidValue>(__LINE__, [&] { s.stream.copy(shorter, x); }, {"1000", "999"});
  expectError<rt::InvalidValue>(__LINE__, [&] { x.slice(500, 501); }, {"501", "500", "1000"});
  expectError<rt::InvalidValue>(__LINE__, [&] { x.slice(1001, 0); }, {"1001", "1000"});
  EXPECT_EQUAL(x.slice(1000, 0).size(), std::size_t{0});
  const auto refused = x.slice(static_cast<std::size_t>(-1), 2, rt::noThrow);
  EXPECT(!refused && has(refused.failure().message, "1000"));
}

void buildError(const std::string& id) {
  const Setup s(id);
  const std::string source = "__kernel void broken(__global float* x) {\n  x[0] = undeclared_word;\n}\n";
  expectError<rt::BuildFailed>(__LINE__, [&] { rt::Module::fromSource(source, s.context); }, {":2", "undeclared_word"});
  const auto result = rt::Module::fromSource(source, s.context, {}, rt::noThrow);
  EXPECT(!result && has(result.failure().message, "undeclared_word"));
}

std::atomic<int> reported{0};

void callback(const std::string& id) {
  const Setup s(id);
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  std::vector<float> back(kCount, -1.0f);
  const rt::Fence gate = rt::Fence::create(0, s.context);
  std::atomic<float> seen{0.0f};
  const auto data = std::make_shared<float>(4.0f);
  s.stream.wait(gate, 1);
  s.stream.fill(x, 4.0f);
  s.stream.copy(back, x);
  s.stream.call([&, data] { seen = back[kCount - 1] * *data; });
  EXPECT_EQUAL(seen.load(), 0.0f);
  gate.signal(1);
  s.stream.synchronize();
  EXPECT_EQUAL(seen.load(), 16.0f);
  // The function goes after its call, on a thread of the library.
  const auto limit = Clock::now() + std::chrono::seconds(20);
  while (data.use_count() != 1 && Clock::now() < limit) std::this_thread::yield();
  EXPECT_EQUAL(data.use_count(), 1L);

  // A copy that would wait for the stream of the function that makes it is refused as a whole.
  const auto runtime = rt::Context::runtime(s.device);
  const auto values = runtime->allocateMemory(kCount * sizeof(float));
  std::vector<float> ours(kCount, -1.0f);
  runtime->memcpyH2D(values->data(), back.data(), kCount * sizeof(float), false);
  rtStatus_t refused = RT_SUCCESS;
  runtime->stream().call([&] {
    try {
      runtime->memcpyD2H(ours.data(), values->data(), kCount * sizeof(float), false);
    } catch (const rt::Error& error) {
      refused = error.status();
    }
  });
  runtime->syncStream();
  runtime->syncStream();  // for what the function may have submitted
  EXPECT_EQUAL(refused, rtStatus_t{RT_ERROR_BUSY});
  EXPECT_EQUAL(ours[0], -1.0f);
  EXPECT_EQUAL(ours[kCount - 1], -1.0f);

  rt::setCallbackExceptionHandler([](std::exception_ptr exception) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()) == "out of a callback") ++reported;
    }
  });
  s.stream.call([] { throw std::runtime_error("out of a callback"); });
  std::atomic<rtStatus_t> status{-1};
  s.stream.call([&](rtStatus_t now) { status = now; });
  s.stream.synchronize();
  EXPECT_EQUAL(reported.load(), 1);
  EXPECT_EQUAL(status.load(), rtStatus_t{RT_SUCCESS});
}

void outOfMemory(const std::string& id) {
  const Setup s(id);
  const std::string bytes = std::to_string(std::uint64_t{1} << 60);
  expectError<rt::OutOfMemory>(__LINE__, [&] { rt::Buffer<std::byte>::create(std::size_t{1} << 60, s.context); }, {bytes});
  expectError<rt::OutOfMemory>(__LINE__, [&] { rt::Buffer<double>::create(std::size_t{1} << 62, s.context); }, {"2^64"});
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  std::vector<float> back(kCount);
  s.stream.fill(x, 2.0f);
  s.stream.copy(back, x);
  s.stream.synchronize();
  EXPECT_EQUAL(back[kCount - 1], 2.0f);
}

void replay(const std::string& id) {
  const Setup s(id);
  const rt::Module module = rt::Module::fromSource(kSource, s.context);
  const auto scale = module.kernel<float*, const float*, float, std::uint32_t>("scale");
  const auto first = rt::Buffer<float>::create(kCount, s.context);
  const auto second = rt::Buffer<float>::create(kCount, s.context);
  const auto middle = rt::Buffer<float>::create(kCount, s.context);
  const auto result = rt::Buffer<float>::create(kCount, s.context);
  rt::copy(first, numbers());
  rt::copy(second, std::vector<float>(kCount, 7.0f));

  s.stream.beginCapture();
  EXPECT_EQUAL(s.stream.captureState(), RT_CAPTURE_ACTIVE);
  scale(s.stream, rt::Range(kCount), middle, first, 3.0f, kCount);
  s.stream.copy(result, middle);
  std::atomic<int> captured{0};
  s.stream.call([&] { ++captured; });
  const rt::Graph graph = s.stream.endCapture();
  EXPECT_EQUAL(graph.nodes().size(), std::size_t{3});
  const rt::GraphBuffer in = graph.makeBuffer(first, RT_GRAPH_BUFFER_INPUT, "in");
  const rt::GraphExec exec = rt::GraphExec::create(graph, s.context);
  for (int i = 0; i < 10; ++i) {
    s.stream.fill(result, 0.0f);
    exec.bind(in, i < 5 ? first : second);
    exec.launch(s.stream);
    std::vector<float> back(kCount, -1.0f);
    s.stream.copy(back, result);
    s.stream.synchronize();
    for (std::uint32_t j = 0; j < kCount; ++j) EXPECT_EQUAL(back[j], i < 5 ? static_cast<float>(j) * 3.0f : 21.0f);
  }
  EXPECT_EQUAL(captured.load(), 10);

  // The same graph, built node by node: with buffers, a typed kernel, a host function that lives as long as the graph.
  const rt::Graph built = rt::Graph::create();
  const rt::GraphBuffer from = built.addBuffer(kCount * sizeof(float), RT_GRAPH_BUFFER_INPUT, "from");
  const rt::GraphBuffer part = built.addBuffer(kCount * sizeof(float), RT_GRAPH_BUFFER_TEMPORARY, "part");
  const rt::GraphBuffer to = built.addBuffer(kCount * sizeof(float), RT_GRAPH_BUFFER_OUTPUT, "to");
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const rt::GraphNode node = built.addKernel(scale, rt::Range(kCount), {}, part, from, 0.5f, kCount);
  built.addCopy(to, part, kCount * sizeof(float), {node});
  built.addHost([calls] { ++*calls; });
  const rt::GraphExec run = rt::GraphExec::create(built, s.context);
  run.bind(from, first);
  run.bind(to, result);
  run.launch(s.stream);
  run.launch(s.stream);
  std::vector<float> back(kCount, -1.0f);
  s.stream.copy(back, result);
  s.stream.synchronize();
  for (std::uint32_t j = 0; j < kCount; ++j) EXPECT_EQUAL(back[j], static_cast<float>(j) * 0.5f);
  EXPECT_EQUAL(calls->load(), 2);
}

void twoDevices(const std::string& id) {
  const Setup s(id);
  const std::string otherId = id == "cpu" ? "null:0" : "cpu";
  const Setup other(otherId);
  const auto x = rt::Buffer<float>::create(kCount, s.context);
  const auto y = rt::Buffer<float>::create(kCount, other.context);
  const std::vector<float> source = numbers();
  std::vector<float> back(kCount);
  s.stream.copy(x, source);
  s.stream.copy(y, x);
  s.stream.synchronize();
  rt::copy(back, y);
  EXPECT(back == source);
  expectError<rt::WrongContext>(__LINE__, [&] { other.stream.fill(x, 1.0f); }, {id, otherId});
  const auto refused = s.stream.fill(y, 1.0f, rt::noThrow);
  EXPECT(!refused && has(refused.failure().message, id) && has(refused.failure().message, otherId));
}

void version(const std::string& id) {
  EXPECT_EQUAL(rt::headerVersion.major, std::uint32_t{MANYRT_VERSION_MAJOR});
  const rt::Version library = rt::libraryVersion();
  std::cout << "rt.hpp " << rt::headerVersion.text() << ", libmanyrt " << library.text() << std::endl;
  rt::checkVersion();
  rt::Device::byName(id);
  const rt::Version needed{library.major, library.minor + 1, 0};
  expectError<rt::NotSupported>(__LINE__, [&] { rt::checkVersion(library, needed); },
                                {"too old", library.text(), needed.text(), "libmanyrt0"});
  expectError<rt::NotSupported>(__LINE__,
                                [&] {
                                  rt::checkVersion(rt::Version{7, 1, 0}, library);
                                },
                                {"another major version", "7.1.0", library.text()});
  rt::checkVersion(needed, library);  // a newer library of the same major version fits
}

/** The output of a command, with its exit status. */
std::pair<int, std::string> outputOf(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  EXPECT(pipe != nullptr);
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
  return {pclose(pipe), output};
}

void missingLibrary(const std::string&) {
  // A program whose rt.hpp was copied, without the rest of the library.
  const auto compiled = outputOf(MANYRT_TEST_CXX " -std=c++17 -fsyntax-only -I" MANYRT_TEST_HEADERS " " MANYRT_TEST_PROGRAM);
  EXPECT(compiled.first != 0);
  if (!has(compiled.second, "libmanyrt-dev")) fail("the compiler's output names no package:\n" + compiled.second, __LINE__);
  // The example's own project, where find_package(manyrt) finds nothing.
  const auto configured =
      outputOf(MANYRT_TEST_CMAKE " -S " MANYRT_TEST_PROJECT " -B " MANYRT_TEST_BUILD
                                 " -DCMAKE_DISABLE_FIND_PACKAGE_manyrt=ON -DCMAKE_CXX_COMPILER=" MANYRT_TEST_CXX);
  EXPECT(configured.first != 0);
  if (!has(configured.second, "libmanyrt-dev")) fail("the output of CMake names no package:\n" + configured.second, __LINE__);
}

void exitWithWork(const std::string& id) {
  static Setup* const s = new Setup(id);  // never closed, as in a program that just ends
  static auto* const module = new rt::Module(rt::Module::fromSource(kSource, s->context));
  static auto* const x = new rt::Buffer<float>(rt::Buffer<float>::create(kCount, s->context));
  // Pinned, since a copy to ordinary memory may wait for the stream.
  static auto* const back = new rt::HostBuffer<float>(rt::HostBuffer<float>::create(kCount, s->context));
  static auto* const hold = new rt::Fence(rt::Fence::create(0, s->context));
  const auto spin = module->kernel<float*, std::uint32_t>("spin");
  s->stream.wait(*hold, 1);
  s->stream.fill(*x, 1.0f);
  for (int i = 0; i < 20; ++i) spin(s->stream, rt::Range(kCount), *x, 200000u);
  s->stream.call([] {});
  s->stream.copy(*back, *x);
  EXPECT(!s->stream.query());
  hold->signal(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(const std::string&)> behaviours = {{"create", create},
                                                                          {"copy", copyMemory},
                                                                          {"launch", launch},
                                                                          {"event_time", eventTime},
                                                                          {"cross_stream_wait", crossStreamWait},
                                                                          {"use_after_close", useAfterClose},
                                                                          {"wrong_size", wrongSize},
                                                                          {"build_error", buildError},
                                                                          {"callback", callback},
                                                                          {"out_of_memory", outOfMemory},
                                                                          {"replay", replay},
                                                                          {"two_devices", twoDevices},
                                                                          {"version", version},
                                                                          {"missing_library", missingLibrary},
                                                                          {"exit_with_work", exitWithWork}};
  const auto found = argc == 3 ? behaviours.find(argv[1]) : behaviours.end();
  if (found == behaviours.end()) {
    std::cerr << "usage: behaviours BEHAVIOUR DEVICE" << std::endl;
    return 2;
  }
  try {
    found->second(argv[2]);
  } catch (const rt::CompilerNotFound& error) {
    std::cout << error.what() << std::endl;
    return 77;
  } catch (const std::exception& error) {
    std::cout << "not expected: " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
