// Every function of rt.h from several threads while the objects that it is given are destroyed and made anew. The functions and
// valid arguments for them come from the generated table (support/function_table.h). So a new function is raced the next time
// the tests are built. A function that never does its work here fails its test.
//
// Two threads call the function under test, in turn on two worlds of objects. A third one calls others that take an object of
// the same kind. The main thread renews the worlds. It makes one while the other is in use, and waits until each thread has
// called with the new objects. Meanwhile it destroys those of the function's arguments, and waits until each thread has called
// with the remaining ones. So it takes a number of rounds, not a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/check.h"
#include "support/function_cases.h"
#include "support/library_reference.h"
#include "support/valid_calls.h"

namespace rttest {
namespace {

using manyrt::calls::Argument;
using manyrt::calls::Call;
using manyrt::calls::Environment;
using manyrt::calls::Function;
using manyrt::calls::functions;

[[maybe_unused]] const auto* const kLibrary = testing::AddGlobalTestEnvironment(new LibraryReference);

constexpr int kCallers = 3;      // the last one calls the companions
constexpr int kCallsEach = 24;   // of a thread in a world, at most: some calls let their objects grow
constexpr int kCallsBefore = 3;  // they are destroyed
constexpr int kCallsAfter = 8;
constexpr size_t kOwnBytes = 1024;  // of an allocation, so that no two threads write the same bytes
#if defined(MANYRT_SANITIZE_THREAD) || defined(MANYRT_SANITIZE_ADDRESS)
constexpr int kRounds = 3;
#else
constexpr int kRounds = 16;
#endif

// The functions that no race here can have, with the reason.
const std::map<std::string, std::string> kNotRaced = {
    {"rtShutdown", "it ends the process's use of the library: tests/process and tests/misuse/lifecycle_test.cpp"},
};

// Valid calls that are no success on any device, with the reason.
const std::map<std::string, std::string> kNeverSuccessful = {
    {"rtContextReset", "its context has children: BUSY"},
    {"rtModuleGetImage", "its module is a library of functions: NOT_SUPPORTED"},
};

// Calls that come first, by the same thread on the same objects, so that the function finds its state.
const std::map<std::string, std::string> kBefore = {
    {"rtStreamEndCapture", "rtStreamBeginCapture"},
    {"rtStreamGetCapturedNode", "rtStreamBeginCapture"},
    {"rtTraceStop", "rtTraceStart"},
    {"rtTraceRangePop", "rtTraceRangePush"},
    {"rtStreamIsCapturing", "rtStreamBeginCapture"},
};

bool isImport(const Function& function) { return function.name.ends_with("Import"); }
bool frees(const Function& function) { return function.name == "rtFree" || function.name == "rtFreeAsync"; }

// Works on memory: the program has to see to it that no two threads write the same bytes.
bool touchesMemory(const Function& function) {
  return std::ranges::any_of(function.arguments, [](const Argument& each) { return each.name == "dst" || each.name == "src"; });
}

std::set<std::string> handleTypes(const Function& function) {
  static const std::set<std::string> all = {
      "rtContext_t", "rtStream_t",    "rtEvent_t",       "rtFence_t",       "rtMemPool_t", "rtKernel_t",    "rtModule_t",
      "rtGraph_t",   "rtGraphNode_t", "rtGraphBuffer_t", "rtCapturePlan_t", "rtDevice_t",  "rtGraphExec_t", "rtGraphValue_t"};
  std::set<std::string> types;
  for (const Argument& argument : function.arguments) {
    if (all.contains(argument.type)) types.insert(argument.type);
  }
  return types;
}

// The functions that the third thread calls beside `function`.
std::vector<const Function*> companionsOf(const Function& function) {
  std::vector<const Function*> companions;
  const std::set<std::string> types = handleTypes(function);
  for (const Function& other : functions()) {
    const bool unsuitable = kNotRaced.contains(other.name) || frees(other) || touchesMemory(other) || isImport(other) ||
                            other.name == "rtStreamBeginCapture" || other.name == "rtStreamEndCapture";
    // A handle that an import borrows has to live.
    const bool ends = other.name.ends_with("Destroy") || other.name == "rtEventRecord";
    if (unsuitable || other.name == function.name || (isImport(function) && ends)) continue;
    const std::set<std::string> theirs = handleTypes(other);
    if (std::ranges::any_of(theirs, [&](const std::string& type) { return types.contains(type); }))
      companions.push_back(&other);
  }
  return companions;
}

struct World {
  explicit World(const std::string& device) : objects(device, false) {}
  Environment objects;
  std::array<std::atomic<int>, kCallers> calls{};
};

void destroy(const std::string& type, uint64_t word) {
  const auto as = [word]<typename Handle>(Handle) { return reinterpret_cast<Handle>(word); };
  if (type == "rtContext_t") (void)rtContextDestroy(as(rtContext_t{}));
  if (type == "rtStream_t") (void)rtStreamDestroy(as(rtStream_t{}));
  if (type == "rtEvent_t") (void)rtEventDestroy(as(rtEvent_t{}));
  if (type == "rtFence_t") (void)rtFenceDestroy(as(rtFence_t{}));
  if (type == "rtMemPool_t") (void)rtMemPoolDestroy(as(rtMemPool_t{}));
  if (type == "rtKernel_t") (void)rtKernelDestroy(as(rtKernel_t{}));
  if (type == "rtModule_t") (void)rtModuleDestroy(as(rtModule_t{}));
  if (type == "rtGraph_t") (void)rtGraphDestroy(as(rtGraph_t{}));
  if (type == "rtCapturePlan_t") (void)rtCapturePlanDestroy(as(rtCapturePlan_t{}));
  if (type == "rtGraphExec_t") (void)rtGraphExecDestroy(as(rtGraphExec_t{}));
}

class EveryFunction : public testing::TestWithParam<FunctionAndDevice> {
 protected:
  const Function& function() const { return functions()[std::get<0>(GetParam())]; }
  const std::string& device() const { return std::get<1>(GetParam()); }

  void race();
  void callInTurn(int caller);
  bool callOnce(const Function& called, World& world, int caller, Call& call, bool stays = false);
  void expectLegal(const Function& called, rtStatus_t status);
  void renew(size_t slot, int round);
  void destroyArguments(World& world, int round);
  void await(const World& world, int calls) const;

  std::mutex mutex_;
  std::shared_ptr<World> worlds_[2];
  std::atomic<bool> over_{false};
  std::atomic<int> succeeded_{0};
  std::atomic<int> called_{0};
  rtStatus_t alone_ = RT_SUCCESS;  // what the valid call returns without a race
};

// A status that the function documents, and that not only a driver, a device, a file or a lack of memory can cause.
void EveryFunction::expectLegal(const Function& called, rtStatus_t status) {
  static const std::set<rtStatus_t> never = {RT_ERROR_INTERNAL,      RT_ERROR_SHUT_DOWN,     RT_ERROR_FORKED,
                                             RT_ERROR_DRIVER,        RT_ERROR_DEVICE_LOST,   RT_ERROR_IO,
                                             RT_ERROR_LAUNCH_FAILED, RT_ERROR_OUT_OF_MEMORY, RT_ERROR_BUILD_FAILED};
  if (status == RT_SUCCESS || (&called == &function() && status == alone_)) return;
  if (status == RT_NOT_READY) {
    EXPECT_TRUE(called.name.find("Query") != std::string::npos || called.name == "rtStreamCallNative")
        << called.name << " is not ready";
    return;
  }
  const std::string message = lastMessage();
  EXPECT_TRUE(isDocumented(called, status, message) && !never.contains(status))
      << called.name << ": " << rtGetErrorName(status) << ", " << message;
  EXPECT_TRUE(message != "" || status == RT_ERROR_TIMEOUT) << called.name << " failed without a message";
}

// False where no table has a valid argument. `stays`: what the call has done is for the next one.
bool EveryFunction::callOnce(const Function& called, World& world, int caller, Call& call, bool stays) {
  if (world.objects.prepare(called, call)) return false;
  for (size_t i = 0; i < called.arguments.size(); ++i) {
    const std::string& name = called.arguments[i].name;
    if (name == "dst" || name == "src") call.words[i] += kOwnBytes * static_cast<size_t>(caller + 1);
  }
  const rtStatus_t status = called.call(call.words.data());
  expectLegal(called, status);
  if (status >= 0 && !stays) world.objects.release(called, call);
  if (&called == &function()) {
    called_.fetch_add(1);
    if (status >= 0) succeeded_.fetch_add(1);
  }
  return true;
}

void EveryFunction::callInTurn(int caller) {
  const auto call = std::make_unique<Call>();
  const std::vector<const Function*> companions = companionsOf(function());
  const bool companion = caller == kCallers - 1 && !companions.empty() && !frees(function());
  const int most = frees(function()) ? 1 : kCallsEach;
  const Function* before = nullptr;
  if (const auto found = kBefore.find(function().name); found != kBefore.end()) {
    before = &functionNamed(found->second);
  }
  for (size_t turn = 0; !over_.load(); ++turn) {
    std::shared_ptr<World> world;
    {
      std::lock_guard lock(mutex_);
      world = worlds_[turn % 2];
    }
    // The companions may destroy the objects: the function under test has them first.
    const bool early = companion && world != nullptr && (world->calls[0].load() == 0 || world->calls[1].load() == 0);
    if (world == nullptr || early || world->calls[caller].load() >= most) {
      std::this_thread::yield();
      continue;
    }
    if (before != nullptr && !companion) callOnce(*before, *world, caller, *call, true);
    callOnce(companion ? *companions[turn % companions.size()] : function(), *world, caller, *call);
    world->calls[caller].fetch_add(1);
  }
  EXPECT_RT_OK(rtContextSetCurrent(nullptr));
}

void EveryFunction::await(const World& world, int calls) const {
  for (const std::atomic<int>& each : world.calls) {
    while (each.load() < calls && !HasFailure()) std::this_thread::yield();
  }
}

// In one round the objects that the function is given, in the next the context of them all.
void EveryFunction::destroyArguments(World& world, int round) {
  if (isImport(function())) return;  // what the program has borrowed has to live
  std::set<std::string> types = handleTypes(function());
  if (types.contains("rtGraphNode_t") || types.contains("rtGraphBuffer_t") || types.contains("rtGraphValue_t"))
    types.insert("rtGraph_t");
  if (round % 4 >= 2 && !types.empty()) types.insert("rtContext_t");
  for (const std::string& type : types) destroy(type, world.objects.handles().at(type));
}

void EveryFunction::renew(size_t slot, int round) {
  auto world = std::make_shared<World>(device());
  ASSERT_TRUE(world->objects.ready()) << lastMessage();
  std::shared_ptr<World> old;
  {
    std::lock_guard lock(mutex_);
    old = std::exchange(worlds_[slot], world);
  }
  const bool once = frees(function());
  await(*world, once ? 1 : kCallsBefore);
  destroyArguments(*world, round);
  await(*world, once ? 1 : kCallsAfter);
}

void EveryFunction::race() {
  std::vector<std::thread> threads;
  for (int caller = 0; caller < kCallers; ++caller) threads.emplace_back([this, caller] { callInTurn(caller); });
  for (int round = 0; round < kRounds && !HasFailure(); ++round) renew(static_cast<size_t>(round % 2), round);
  over_.store(true);
  for (std::thread& thread : threads) thread.join();
  for (std::shared_ptr<World>& world : worlds_) world.reset();
}

TEST_P(EveryFunction, IsCalledWhileItsObjectsAreDestroyedAndMade) {
  if (kNotRaced.contains(function().name)) GTEST_SKIP() << kNotRaced.at(function().name);
  const uint64_t live = liveHandles();
  {
    Environment objects(device(), false);
    const auto call = std::make_unique<Call>();
    ASSERT_TRUE(objects.ready()) << lastMessage();
    const auto unknown = objects.prepare(function(), *call);
    ASSERT_FALSE(unknown) << function().name << " takes '" << *unknown << "', for which valid_calls.cpp has no valid value";
    alone_ = function().call(call->words.data());
    if (alone_ >= 0) objects.release(function(), *call);
  }
  race();
  EXPECT_EQ(liveHandles(), live) << "a handle or an allocation is left over";
  EXPECT_GT(called_.load(), 0);
  // The CPU does all that there is; elsewhere a function may not be supported.
  if (device() == "cpu" && !kNeverSuccessful.contains(function().name)) {
    EXPECT_GT(succeeded_.load(), 0) << function().name << " alone: " << rtGetErrorName(alone_);
  }
  EXPECT_RT_OK(rtContextSetCurrent(nullptr));
}

INSTANTIATE_TEST_SUITE_P(, EveryFunction, everyFunctionOn(deviceNames()), nameOf);

// A name here that the header has no more is an excuse for nothing.
TEST(EveryFunctionLists, NameFunctionsOfTheHeader) {
  for (const auto* list : {&kNotRaced, &kNeverSuccessful, &kBefore}) {
    for (const auto& [name, reason] : *list) {
      EXPECT_EQ(std::ranges::count(functions(), name, &Function::name), 1) << name;
      EXPECT_NE(reason, "") << name;
    }
  }
  EXPECT_LE(kNotRaced.size(), 1u);
}

}  // namespace
}  // namespace rttest
