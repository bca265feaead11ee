// Fault scenarios of every function of rt.h: a valid call of each (support/valid_calls.h) with its k-th fault point failing.
// The scenarios of the other files have several calls and look at contents; here no function can be forgotten, since the table
// of them is generated. One that meets no fault point on the null device has to stand in a list with the reason.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/fault.h"
#include "driver.h"
#include "support/function_cases.h"
#include "support/library_reference.h"
#include "support/valid_calls.h"

namespace rttest {
namespace {

using manyrt::calls::Call;
using manyrt::calls::Environment;
using manyrt::calls::Function;
using manyrt::calls::functions;

[[maybe_unused]] const auto* const kLibrary = testing::AddGlobalTestEnvironment(new LibraryReference);

constexpr uint64_t kMaxFaults = 3000;

// The functions that are not called here, with the reason.
const std::map<std::string, std::string> kNotCalled = {
    {"rtShutdown", "it ends the process's use of the library: its faults are those of tests/process"},
};

// Calls that come first, without faults, so that the function finds its state.
const std::map<std::string, std::string> kBefore = {
    {"rtStreamEndCapture", "rtStreamBeginCapture"},
    {"rtStreamGetCapturedNode", "rtStreamBeginCapture"},
    {"rtTraceStop", "rtTraceStart"},
    {"rtTraceRangePop", "rtTraceRangePush"},
};

// A function that meets no fault point with the valid arguments of the table, and the reason. On the null device every call of
// the driver is such a point.
struct Excuse {
  const char* reason;
  std::set<std::string> functions;
};
const std::vector<Excuse> kNothingFails = {
    {"it copies what the library has at hand",
     {"rtGetVersion",
      "rtGetErrorName",
      "rtGetErrorString",
      "rtGetLastErrorMessage",
      "rtGetLiveHandleCount",
      "rtBackendGetInfo",
      "rtDeviceGetCount",
      "rtDeviceGet",
      "rtDeviceGetByName",
      "rtDeviceGetBackend",
      "rtDeviceHasCapability",
      "rtDeviceCanAccessPeer",
      "rtDeviceGetStatus",
      "rtDeviceGetLossMessage",
      "rtDeviceGetNative",
      "rtContextGetCurrent",
      "rtContextGetDevice",
      "rtContextGetUserData",
      "rtContextGetNative",
      "rtStreamGetContext",
      "rtStreamGetPriority",
      "rtStreamGetNative",
      "rtStreamIsCapturing",
      "rtStreamGetCapturedNode",
      "rtEventGetNative",
      "rtEventElapsedTime",
      "rtEventElapsedNanoseconds",
      "rtEventGetTimestamp",
      "rtFenceGetValue",
      "rtMemPoolGetStats",
      "rtContextGetStats",
      "rtModuleGetBuildLog",
      "rtModuleGetInfo",
      "rtModuleGetKernel",
      "rtModuleGetKernelCount",
      "rtModuleGetKernelByIndex",
      "rtModuleGetNative",
      "rtKernelGetName",
      "rtKernelGetInfo",
      "rtKernelGetArgInfo",
      "rtKernelSuggestGroupSize",
      "rtKernelGetMaxActiveGroups",
      "rtGraphGetNodes",
      "rtGraphGetEdges",
      "rtGraphNodeGetType",
      "rtGraphGetBuffers",
      "rtGraphBufferGetInfo",
      "rtGraphGetValues",
      "rtGraphValueGetInfo",
      "rtCapturePlanGetInfo",
      "rtCapturePlanGetBuffer",
      "rtPointerGetAttributes",
      "rtPointerGetNative",
      "rtHostGetDevicePointer"}},
    {"it sets a number or a pointer",
     {"rtInit", "rtContextSetCurrent", "rtContextSetDefaultPool", "rtMemPoolSetLimit", "rtMemPoolSetReleaseThreshold",
      "rtMemPoolSetPinMode", "rtMemPoolResetPeak", "rtMemPoolSetOutOfMemoryCallback", "rtSetLogCallback", "rtFenceSignal",
      "rtTraceRangePush", "rtTraceRangePop", "rtTraceMark"}},
    {"memory for a line that is missing puts it to stderr", {"rtLogWrite"}},
    {"what it meets is a file: TraceTest0 of tests/conformance has files that fail", {"rtTraceStop"}},
    {"it was made before: InitDevicePrimaryContextAndDefaults makes it", {"rtContextGetPrimary", "rtContextGetDefaultPool"}},
    {"it gives back and needs nothing for that",
     {"rtContextDestroy", "rtStreamDestroy", "rtEventDestroy", "rtFenceDestroy", "rtMemPoolDestroy", "rtModuleDestroy",
      "rtKernelDestroy", "rtGraphDestroy", "rtGraphExecDestroy", "rtCapturePlanDestroy", "rtFree", "rtFreeAsync",
      "rtMemPoolTrim"}},
    {"what it waits for is over: work_test.cpp has it with work in flight",
     {"rtStreamQuery", "rtStreamWaitEvent", "rtStreamWaitStream", "rtStreamWaitFence", "rtEventQuery", "rtEventSynchronize",
      "rtEventSynchronizeFor", "rtFenceWait", "rtFenceWaitFor", "rtModuleWait"}},
    {"it writes to places that are there: objects_test.cpp has them with launches in flight and before the first one",
     {"rtGraphExecBindBuffer", "rtGraphExecBindBufferRange", "rtGraphExecBindValue", "rtGraphExecSetKernelParams"}},
    {"a context reaches itself: the two devices of objects_test.cpp are peers", {"rtContextEnablePeerAccess"}},
};

bool hasExcuse(const std::string& name) {
  return std::ranges::any_of(kNothingFails, [&](const Excuse& each) { return each.functions.contains(name); });
}

class EveryFunctionFaults : public testing::TestWithParam<FunctionAndDevice> {
 protected:
  const Function& function() const { return functions()[std::get<0>(GetParam())]; }
  const std::string& device() const { return std::get<1>(GetParam()); }

  // The function on new objects; `k` 0: without a fault. False if none was met.
  bool callWithFault(uint64_t k, bool onwards);
  rtStatus_t call(Environment& objects, uint64_t k, bool onwards);
  // The call was the last one.
  static void expectDocumented(const Function& called, rtStatus_t status) {
    const std::string message = lastMessage();
    EXPECT_TRUE(status >= 0 || isDocumented(called, status, message))
        << "rt.h does not list " << rtGetErrorName(status) << " for " << called.name << ": " << message;
  }

  std::unique_ptr<Call> call_ = std::make_unique<Call>();
  rtStatus_t alone_ = RT_SUCCESS;
};

rtStatus_t EveryFunctionFaults::call(Environment& objects, uint64_t k, bool onwards) {
  if (const auto found = kBefore.find(function().name); found != kBefore.end()) {
    const Function& before = functionNamed(found->second);
    EXPECT_FALSE(objects.prepare(before, *call_));
    (void)before.call(call_->words.data());
  }
  const auto unknown = objects.prepare(function(), *call_);
  EXPECT_FALSE(unknown) << function().name << " takes '" << *unknown << "', for which valid_calls.cpp has no valid value";
  markMessage();
  if (k != 0) manyrt::fault::arm(k, onwards);
  const rtStatus_t status = function().call(call_->words.data());
  manyrt::fault::disarm();
  return status;
}

bool EveryFunctionFaults::callWithFault(uint64_t k, bool onwards) {
  const uint64_t live = liveHandles();
  {
    Environment objects(device(), false);
    EXPECT_TRUE(objects.ready()) << lastMessage();
    if (HasFailure()) return false;
    const rtStatus_t status = call(objects, k, onwards);
    const std::string message = lastMessage();
    const std::string what = k == 0 ? "" : manyrt::fault::lastFault();
    SCOPED_TRACE(function().name + ", fault " + std::to_string(k) + (onwards ? " onwards" : "") + " (" + what + ")");
    if (k == 0) alone_ = status;
    expectDocumented(function(), status);
    if (what.empty()) {
      EXPECT_EQ(status, alone_) << "no fault was met, but: " << message;
      if (status >= 0) objects.release(function(), *call_);
      if (k != 0) return false;
    } else if (status < 0) {
      EXPECT_NE(status, RT_ERROR_INTERNAL) << message;
      if (status != RT_ERROR_TIMEOUT) {
        EXPECT_EQ(message.find(kMark), std::string::npos) << "the failure left no message";
      }
      for (const std::string& name : outputsNotZeroed(function(), *call_)) ADD_FAILURE() << name << " was not zeroed";
      // Work in flight may have met the fault, too; what it left is taken.
      const auto context = reinterpret_cast<rtContext_t>(objects.handles().at("rtContext_t"));
      const auto stream = reinterpret_cast<rtStream_t>(objects.handles().at("rtStream_t"));
      expectDocumented(functionNamed("rtStreamSynchronize"), rtStreamSynchronize(stream));
      expectDocumented(functionNamed("rtContextSynchronize"), rtContextSynchronize(context));
      const rtStatus_t again = call(objects, 0, false);
      EXPECT_EQ(again, alone_) << "the same call then: " << rtGetErrorName(again) << ", " << lastMessage();
      if (again >= 0) objects.release(function(), *call_);
    } else {
      objects.release(function(), *call_);  // the library found another way
    }
  }
  EXPECT_EQ(liveHandles(), live) << function().name << ", fault " << k << ": a handle is live too many";
  return true;
}

TEST_P(EveryFunctionFaults, EachFaultOfAValidCall) {
  if (kNotCalled.contains(function().name)) GTEST_SKIP() << kNotCalled.at(function().name);
  for (int i = 0; i < 2; ++i) callWithFault(0, false);  // what is made once in a process is there from now on
  uint64_t met = 0;
  for (bool onwards : {false, true}) {
    uint64_t k = 1;
    while (k < kMaxFaults && callWithFault(k, onwards) && !HasFailure()) ++k;
    ASSERT_LT(k, kMaxFaults);
    met += k - 1;
    if (HasFailure()) break;
  }
  EXPECT_RT_OK(rtContextSetCurrent(nullptr));
  RecordProperty("faults", static_cast<int>(met));
  if (device() == "null:0" && !HasFailure()) {
    EXPECT_EQ(met == 0, hasExcuse(function().name))
        << function().name << " met " << met << " faults: the list of functions that meet none is not true";
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryFunctionFaults, everyFunctionOn(faultDevices()), nameOf);

TEST(EveryFunctionFaultLists, NameFunctionsOfTheHeader) {
  const auto inHeader = [](const std::string& name) { return std::ranges::count(functions(), name, &Function::name) == 1; };
  for (const auto* list : {&kNotCalled, &kBefore}) {
    for (const auto& [name, text] : *list) EXPECT_TRUE(inHeader(name)) << name;
  }
  for (const Excuse& excuse : kNothingFails) {
    for (const std::string& name : excuse.functions) EXPECT_TRUE(inHeader(name)) << name;
  }
  EXPECT_LE(kNotCalled.size(), 1u);
}

}  // namespace
}  // namespace rttest
