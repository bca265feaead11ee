// Every function of rt.h inside every kind of function that the library calls: it returns, and inside release functions with
// what it returns outside; rtShutdown alone is BUSY. A watchdog ends the process where one does not return. The arguments are
// those of valid_calls.h, but that the graph and the exec are the very ones at whose end the function is called.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "base/handles/epoch.h"
#include "base/log.h"
#include "support/function_table.h"
#include "support/library_reference.h"
#include "support/valid_calls.h"

namespace manyrt::misuse {

using namespace calls;
namespace {

constexpr std::chrono::seconds kDeadline(60);

[[maybe_unused]] const auto* const kLibrary = ::testing::AddGlobalTestEnvironment(new rttest::LibraryReference);

class Watchdog {
 public:
  explicit Watchdog(std::string what) : what_(std::move(what)), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kDeadline, [&] { return over_; })) return;
    std::fprintf(stderr, "%s has not returned\n", what_.c_str());
    std::abort();
  }

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// A call that a callback makes, once, and its outcome.
struct Inside {
  const Function* function = nullptr;
  Call call;
  std::atomic<int> called{0};
  std::atomic<bool> done{false};
  rtStatus_t status = RT_SUCCESS;
  rtStatus_t shutdown = RT_SUCCESS;

  void run() {
    if (called.fetch_add(1) != 0) return;
    shutdown = rtShutdown();
    status = function->call(call.words.data());
    if (function->name == "rtTraceRangePush") (void)rtTraceRangePop();  // of this thread, which others run on later
    done.store(true);
  }
};

void onRelease(void* user) { static_cast<Inside*>(user)->run(); }
void onHost(void* user, rtStatus_t) { static_cast<Inside*>(user)->run(); }
rtStatus_t onNative(const uint64_t*, void* user) {
  static_cast<Inside*>(user)->run();
  return RT_SUCCESS;
}
int32_t onOutOfMemory(uint64_t, void* user) {
  static_cast<Inside*>(user)->run();
  return 0;
}
void onTrace(const rtTraceRecord_t*, void* user) { static_cast<Inside*>(user)->run(); }
void onLog(int32_t, const char*, void* user) { static_cast<Inside*>(user)->run(); }
void nothing(void*, rtStatus_t) {}

// The objects that a callback comes from; made before the arguments, which may name them.
struct Origin {
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtMemPool_t pool = nullptr;
  rtGraph_t graph = nullptr;
  rtGraphExec_t exec = nullptr;

  void make(const char* device_name) {
    rtDevice_t device = nullptr;
    ASSERT_EQ(rtDeviceGetByName(&device, device_name), RT_SUCCESS);
    ASSERT_EQ(rtContextCreate(&context, nullptr, device), RT_SUCCESS);
    ASSERT_EQ(rtStreamCreate(&stream, nullptr, context), RT_SUCCESS);
  }
  // A graph of one host node whose release is `inside`, or nothing.
  void makeGraph(rtGraph_t* made, Inside* inside) {
    rtGraphNode_t node = nullptr;
    rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
    params.function = nothing;
    params.user = inside;
    params.release = inside != nullptr ? onRelease : nullptr;
    ASSERT_EQ(rtGraphCreate(made), RT_SUCCESS);
    ASSERT_EQ(rtGraphAddHostNode(&node, &params, nullptr, 0, *made), RT_SUCCESS);
  }
  void makeExec(Inside& inside) {
    makeGraph(&graph, &inside);
    ASSERT_EQ(rtGraphInstantiate(&exec, graph, context), RT_SUCCESS);
  }
  ~Origin() {
    (void)rtGraphExecDestroy(exec);
    (void)rtGraphDestroy(graph);
    (void)rtMemPoolDestroy(pool);
    (void)rtStreamSynchronize(stream);
    (void)rtStreamDestroy(stream);
    (void)rtContextDestroy(context);
  }
};

struct Way {
  const char* name;
  bool release;  // rt calls inside return what they return outside
  std::function<void(Origin&, Inside&)> prepare;
  std::function<void(Origin&, Inside&)> call;  // the callback has run, or will by itself
};

void unused(Origin&, Inside&) {}

const std::vector<Way>& ways() {
  static const auto* all = new std::vector<Way>{
      {"UserDataReplaced", true,
       [](Origin& at, Inside& in) { ASSERT_EQ(rtContextSetUserData(&in, onRelease, at.context), RT_SUCCESS); },
       [](Origin& at, Inside&) { EXPECT_EQ(rtContextSetUserData(nullptr, nullptr, at.context), RT_SUCCESS); }},
      {"ContextDestroyed", true,
       [](Origin& at, Inside& in) { ASSERT_EQ(rtContextSetUserData(&in, onRelease, at.context), RT_SUCCESS); },
       [](Origin& at, Inside&) { EXPECT_EQ(rtContextDestroy(at.context), RT_SUCCESS); }},
      {"GraphDestroyed", true, [](Origin& at, Inside& in) { at.makeGraph(&at.graph, &in); },
       [](Origin& at, Inside&) { EXPECT_EQ(rtGraphDestroy(at.graph), RT_SUCCESS); }},
      {"ExecUpdated", true,
       [](Origin& at, Inside& in) {
         rtGraph_t first = nullptr;
         at.makeGraph(&first, nullptr);
         ASSERT_EQ(rtGraphInstantiate(&at.exec, first, at.context), RT_SUCCESS);
         EXPECT_EQ(rtGraphDestroy(first), RT_SUCCESS);
         at.makeGraph(&at.graph, &in);
         ASSERT_EQ(rtGraphExecUpdate(at.graph, at.exec), RT_SUCCESS);
       },
       [](Origin& at, Inside& in) {
         EXPECT_EQ(rtGraphDestroy(at.graph), RT_SUCCESS);
         rtGraph_t last = nullptr;
         at.makeGraph(&last, nullptr);
         EXPECT_EQ(in.called.load(), 0);
         EXPECT_EQ(rtGraphExecUpdate(last, at.exec), RT_SUCCESS);
         EXPECT_EQ(rtGraphDestroy(last), RT_SUCCESS);
       }},
      {"ExecDestroyed", true, [](Origin& at, Inside& in) { at.makeExec(in); },
       [](Origin& at, Inside&) {
         ASSERT_EQ(rtGraphDestroy(at.graph), RT_SUCCESS);
         EXPECT_EQ(rtGraphExecDestroy(at.exec), RT_SUCCESS);
       }},
      {"LastLaunchOver", true, [](Origin& at, Inside& in) { at.makeExec(in); },
       [](Origin& at, Inside&) {
         EXPECT_EQ(rtGraphLaunch(at.exec, at.stream), RT_SUCCESS);
         EXPECT_EQ(rtGraphDestroy(at.graph), RT_SUCCESS);
         EXPECT_EQ(rtGraphExecDestroy(at.exec), RT_SUCCESS);
       }},
      {"HostFunction", false, unused,
       [](Origin& at, Inside& in) { EXPECT_EQ(rtLaunchHostFunction(onHost, &in, at.stream), RT_SUCCESS); }},
      {"HostFunctionReleased", true, unused,
       [](Origin& at, Inside& in) {
         EXPECT_EQ(rtLaunchHostFunctionWithRelease([](void*, rtStatus_t) {}, &in, onRelease, at.stream), RT_SUCCESS);
       }},
      {"NativeFunction", false, unused,
       [](Origin& at, Inside& in) { EXPECT_EQ(rtStreamLaunchNative(onNative, &in, at.stream), RT_SUCCESS); }},
      {"NativeFunctionAtOnce", false, unused,
       [](Origin& at, Inside& in) { EXPECT_EQ(rtStreamCallNative(onNative, &in, at.stream), RT_SUCCESS); }},
      {"OutOfMemory", false,
       [](Origin& at, Inside& in) {
         rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
         options.maximum_bytes = 1 << 16;
         ASSERT_EQ(rtMemPoolCreate(&at.pool, &options, at.context), RT_SUCCESS);
         ASSERT_EQ(rtMemPoolSetOutOfMemoryCallback(onOutOfMemory, &in, at.pool), RT_SUCCESS);
       },
       [](Origin& at, Inside&) {
         void* memory = nullptr;
         EXPECT_EQ(rtMallocFromPool(&memory, 1 << 20, 0, at.stream, at.pool), RT_ERROR_OUT_OF_MEMORY);
       }},
      {"Trace", false, unused,
       [](Origin&, Inside& in) {
         uint64_t live = 0;
         ASSERT_EQ(rtTraceSetCallback(onTrace, &in, RT_TRACE_CALLS), RT_SUCCESS);
         EXPECT_EQ(rtGetLiveHandleCount(&live, RT_HANDLE_ALL), RT_SUCCESS);
         EXPECT_EQ(rtTraceSetCallback(nullptr, nullptr, 0), RT_SUCCESS);
         EXPECT_GE(in.called.load(), 1);
         in.called.store(1);  // a call tells of its beginning and of its end
       }},
      {"Log", false, [](Origin&, Inside& in) { ASSERT_EQ(rtSetLogCallback(onLog, &in, RT_LOG_ERROR), RT_SUCCESS); },
       [](Origin&, Inside& in) {
         {
           epoch::Guard call;  // as where the library has something to say in the middle of a call
           log::write(RT_LOG_ERROR, "a line for the test");
           EXPECT_EQ(in.called.load(), 0) << "the program was called inside a guard";
         }
         EXPECT_EQ(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING), RT_SUCCESS);
       }},
  };
  return *all;
}

class CallbacksTest : public ::testing::TestWithParam<std::tuple<size_t, size_t, const char*>> {};

// The status that the function returns with the same arguments outside.
rtStatus_t outside(const Function& function, const char* device) {
  Environment environment(device);
  auto call = std::make_unique<Call>();
  EXPECT_TRUE(environment.ready());
  EXPECT_FALSE(environment.prepare(function, *call));
  const rtStatus_t status = function.call(call->words.data());
  if (status >= 0) environment.release(function, *call);
  return status;
}

TEST_P(CallbacksTest, Returns) {
  const Function& function = functions()[std::get<0>(GetParam())];
  const Way& way = ways()[std::get<1>(GetParam())];
  const char* const device = std::get<2>(GetParam());
  if (function.name == "rtShutdown") GTEST_SKIP() << "called in every callback beside the function under test";
  const rtStatus_t expected = way.release ? outside(function, device) : RT_SUCCESS;
  for (const bool own : {false, true}) {  // the environment's graph and exec, and those that the callback comes from
    Environment environment(device);
    ASSERT_TRUE(environment.ready());
    auto inside = std::make_unique<Inside>();
    inside->function = &function;
    ASSERT_FALSE(environment.prepare(function, inside->call));
    const Watchdog watchdog(function.name + " inside " + way.name + " on " + device);
    {
      Origin origin;
      origin.make(device);
      way.prepare(origin, *inside);
      if (HasFatalFailure()) return;
      bool replaced = false;
      for (size_t i = 0; own && i < function.arguments.size(); ++i) {
        const std::string& type = function.arguments[i].type;
        uint64_t& word = inside->call.words[i];
        const uint64_t before = word;
        if (type == "rtGraph_t" && origin.graph != nullptr) word = reinterpret_cast<uint64_t>(origin.graph);
        if (type == "rtGraphExec_t" && origin.exec != nullptr) word = reinterpret_cast<uint64_t>(origin.exec);
        if (type == "rtContext_t") word = reinterpret_cast<uint64_t>(origin.context);
        if (type == "rtStream_t") word = reinterpret_cast<uint64_t>(origin.stream);
        if (type == "rtMemPool_t" && origin.pool != nullptr) word = reinterpret_cast<uint64_t>(origin.pool);
        replaced = replaced || word != before;
      }
      if (own && !replaced) {  // the same once more
        inside->called.store(1);
        (void)rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING);  // a later test would call it, for what is gone by then
        break;
      }
      way.call(origin, *inside);
      while (!inside->done.load()) std::this_thread::yield();
    }
    EXPECT_EQ(inside->called.load(), 1);
    EXPECT_EQ(inside->shutdown, RT_ERROR_BUSY);
    if (way.release && !own) {
      EXPECT_EQ(inside->status, expected) << rtGetErrorName(inside->status);
    }
    if (std::string(way.name) == "Log" && function.name == "rtSetLogCallback") {
      EXPECT_EQ(inside->status, RT_ERROR_BUSY);
    }
    if (inside->status >= 0) environment.release(function, inside->call);
  }
}

std::string nameOf(const ::testing::TestParamInfo<CallbacksTest::ParamType>& info) {
  std::string name =
      functions()[std::get<0>(info.param)].name + "_" + ways()[std::get<1>(info.param)].name + "_" + std::get<2>(info.param);
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, CallbacksTest,
                         ::testing::Combine(::testing::Range<size_t>(0, functions().size()),
                                            ::testing::Range<size_t>(0, ways().size()), ::testing::Values("cpu", "null:0")),
                         nameOf);

// The messages of a log callback's own calls would call it again for ever.
TEST(LogCallbackTest, WhatItsOwnCallsLogGoesToStderr) {
  std::atomic<int> called{0};
  const auto callback = [](int32_t, const char*, void* user) {
    static_cast<std::atomic<int>*>(user)->fetch_add(1);
    uint32_t version = 0;
    EXPECT_EQ(rtGetVersion(&version), RT_SUCCESS);
    EXPECT_EQ(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING), RT_ERROR_BUSY);
    const epoch::Guard call;
    log::write(RT_LOG_ERROR, "a line of the callback's own call");
  };
  ASSERT_EQ(rtSetLogCallback(callback, &called, RT_LOG_ERROR), RT_SUCCESS);
  ::testing::internal::CaptureStderr();
  {
    const epoch::Guard call;
    log::write(RT_LOG_ERROR, "a line for the test");
  }
  ASSERT_EQ(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING), RT_SUCCESS);
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(called.load(), 1);
  EXPECT_NE(lines.find("a line of the callback's own call"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("a line for the test"), std::string::npos) << lines;
}

}  // namespace
}  // namespace manyrt::misuse
