// Calls every function of rt.h with every argument spoiled in turn: handles that are null, stale, of another kind or random;
// outputs and inputs that are null; sizes at the edges of their types; structs of wrong sizes; unknown constants; addresses
// that are no allocation's. Each call must return the documented status, zero its outputs and leave a sentence, and at
// the end no handle may be left over. Runs over the generated table (table.h) on the CPU, the null device, and the first device
// of CUDA and of OpenCL, if any.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "misuse/rules.h"
#include "support/function_table.h"
#include "support/library_reference.h"
#include "support/valid_calls.h"

namespace manyrt::misuse {

using namespace calls;
namespace {

// Ends the process's use of the library; lifecycle_test.cpp calls it in a process of its own.
const std::set<std::string> kNotCalledHere = {"rtShutdown"};

std::vector<const char*> presentDevices() {
  std::vector<const char*> present = {"cpu", "null:0"};
  for (const char* name : {"cuda:0", "opencl:0"}) {
    rtDevice_t device = nullptr;
    if (rtDeviceGetByName(&device, name) == RT_SUCCESS) present.push_back(name);
  }
  return present;
}
const std::vector<const char*> kDevices = presentDevices();

std::string lastMessage() {
  std::array<char, 2048> text{};
  (void)rtGetLastErrorMessage(text.data(), text.size(), nullptr);
  return text.data();
}

[[maybe_unused]] const auto* const kLibrary = ::testing::AddGlobalTestEnvironment(new rttest::LibraryReference);

class MisuseTest : public ::testing::TestWithParam<std::tuple<size_t, const char*>> {
 protected:
  const Function& function() const { return functions()[std::get<0>(GetParam())]; }

  void SetUp() override {
    if (kNotCalledHere.contains(function().name)) GTEST_SKIP() << "called by lifecycle_test.cpp";
    renew();
    if (HasFatalFailure()) return;
    const auto unknown = environment_->prepare(function(), call_);
    ASSERT_FALSE(unknown) << function().name << " takes '" << *unknown << "', for which valid_calls.cpp has no valid value";
    baseline_ = function().call(call_.words.data());
    EXPECT_TRUE(isDocumented(baseline_)) << "with valid arguments: " << rtGetErrorName(baseline_) << ", " << lastMessage();
    finish(baseline_);
  }

  void renew() {
    environment_.reset();
    environment_ = std::make_unique<calls::Environment>(std::get<1>(GetParam()));
    ASSERT_TRUE(environment_->ready()) << lastMessage();
  }

  // A call that succeeded may have used up or changed any object.
  void finish(rtStatus_t status) {
    if (status < 0) return;
    environment_->release(function(), call_);
    renew();
  }

  bool isDocumented(rtStatus_t status) const {
    if (status == RT_SUCCESS || status == RT_ERROR_OUT_OF_MEMORY) return true;
    if (status == RT_NOT_READY) return function().name.find("Query") != std::string::npos;
    return std::ranges::count(function().errors, status) > 0;
  }

  // Calls the function with what is in call_ and checks all that holds for any status.
  rtStatus_t run(const std::string& what) {
    (void)rtDeviceGetCount(nullptr, 0);
    const std::string before = lastMessage();
    const rtStatus_t status = function().call(call_.words.data());
    EXPECT_TRUE(isDocumented(status)) << what << ": " << rtGetErrorName(status) << " is not documented; " << lastMessage();
    if (status < 0) {
      expectZeroedOutputs(what);
      if (status != RT_ERROR_TIMEOUT && function().name != "rtDeviceGetCount" && function().name != "rtGetLastErrorMessage") {
        expectSentence(what, before);
      }
    }
    return status;
  }

  void expectSentence(const std::string& what, const std::string& before) {
    const std::string message = lastMessage();
    EXPECT_NE(message, before) << what << ": the failure left no message of its own";
    EXPECT_TRUE(message.size() > 10 && message.find(' ') != std::string::npos && message.back() == '.')
        << what << ": not a sentence: '" << message << "'";
  }

  void expectZeroedOutputs(const std::string& what) {
    for (const std::string& name : outputsNotZeroed(function(), call_)) {
      ADD_FAILURE() << what << ": the output " << name << " was not zeroed";
    }
  }

  // Puts `value` into argument `index` of a valid call, runs it, and compares with what is expected.
  void expectWord(size_t index, uint64_t value, Expect expect, const std::string& what) {
    prepare();
    if (call_.words[index] == value) return;  // the valid call again
    call_.words[index] = value;
    runExpecting(expect, function().arguments[index].name + " " + what);
  }

  void prepare() { ASSERT_FALSE(environment_->prepare(function(), call_)); }

  void runExpecting(Expect expect, const std::string& what) {
    if (expect == Expect::skip) return;
    const std::string where = function().name + ", " + what;
    const rtStatus_t status = run(where);
    EXPECT_TRUE(fits(expect, status)) << where << ": " << rtGetErrorName(status) << "; " << lastMessage();
    finish(status);
  }

  bool fits(Expect expect, rtStatus_t status) const {
    if (baseline_ < 0 && status == baseline_ && expect != Expect::success) return true;
    switch (expect) {
      case Expect::baseline:
        return status == baseline_;
      case Expect::success:
        return status == RT_SUCCESS || (baseline_ < 0 && status == baseline_);
      case Expect::failure:
        return status < 0;
      case Expect::invalidValue:
        return status == RT_ERROR_INVALID_VALUE;
      case Expect::invalidDevice:
        return status == RT_ERROR_INVALID_DEVICE;
      case Expect::noMemory:
        return status == RT_ERROR_OUT_OF_MEMORY || status == RT_ERROR_INVALID_VALUE;
      default:
        return true;
    }
  }

  void expectBadHandle(size_t index, uint64_t value, const std::string& what) {
    prepare();
    call_.words[index] = value;
    const Argument& argument = function().arguments[index];
    const std::string where = function().name + ", " + argument.name + " " + what;
    const rtStatus_t status = run(where);
    EXPECT_EQ(status, RT_ERROR_INVALID_HANDLE) << where << ": " << rtGetErrorName(status) << "; " << lastMessage();
    if (status < 0) {
      EXPECT_NE(lastMessage().find(argument.name), std::string::npos) << where << ": not named in '" << lastMessage() << "'";
    }
    finish(status);
  }

  // The NULL of a pointer or handle: legal always, under a condition that a valid call does not meet, or never.
  Expect expectationOfNull(const Argument& argument) const {
    return argument.nullable ? Expect::baseline : Expect::invalidValue;
  }

  std::unique_ptr<calls::Environment> environment_;
  Call call_;
  rtStatus_t baseline_ = RT_SUCCESS;
};

TEST_P(MisuseTest, RefusesHandlesThatAreNone) {
  std::mt19937_64 random(20240229);
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    if (!environment_->handles().contains(argument.type)) continue;
    if (argument.nullable) {
      prepare();
      call_.words[i] = 0;
      const std::string where = function().name + ", " + argument.name + " NULL";
      const rtStatus_t status = run(where);
      EXPECT_NE(status, RT_ERROR_INVALID_HANDLE) << where << " is documented as legal; " << lastMessage();
      finish(status);
    } else {
      expectBadHandle(i, 0, "NULL");
    }
    if (environment_->stale().contains(argument.type)) {
      const uint64_t stale = environment_->stale().at(argument.type);
      if (stale != 0) expectBadHandle(i, stale, "stale");
    }
    const std::map<std::string, uint64_t> handles = environment_->handles();
    for (const auto& [kind, unused] : handles) {
      if (kind != argument.type) expectBadHandle(i, environment_->handles().at(kind), "that is a " + kind);
    }
    expectBadHandle(i, environment_->deviceMemory(), "that is an address");
    expectBadHandle(i, reinterpret_cast<uint64_t>(&random), "that is an address of the program");
    for (const uint64_t bits : {uint64_t{1}, uint64_t{0xDEADBEEF}, UINT64_MAX, uint64_t{1} << 63, uint64_t{INT64_MAX}}) {
      expectBadHandle(i, bits, "of bits " + std::to_string(bits));
    }
    for (int k = 0; k < 16; ++k) {
      const uint64_t bits = random();
      expectBadHandle(i, bits, "of bits " + std::to_string(bits));
    }
  }
}

TEST_P(MisuseTest, RefusesNullPointers) {
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    const bool callback = argument.type.ends_with("Callback_t") || argument.type.ends_with("Function_t");
    if (argument.isPointer() || callback) expectWord(i, 0, expectationOfNull(argument), "NULL");
  }
}

TEST_P(MisuseTest, ChecksIntegersAtTheEdges) {
  const std::map<std::string, std::vector<uint64_t>> values = {
      {"size_t", {0, uint64_t{1} << 31, uint64_t{1} << 32, kHuge, UINT64_MAX - 4095, UINT64_MAX}},
      {"uint64_t", {0, uint64_t{1} << 31, uint64_t{1} << 32, kHuge, UINT64_MAX - 4095, UINT64_MAX}},
      {"uint32_t", {0, uint64_t{1} << 31, UINT32_MAX}},
      {"int32_t", {UINT32_MAX, 99, uint64_t{1} << 31, INT32_MAX}},
      {"rtStatus_t", {UINT32_MAX, 99, uint64_t{1} << 31, INT32_MAX}},
  };
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    const auto found = values.find(argument.type);
    if (found == values.end()) continue;
    for (const uint64_t value : found->second) {
      expectWord(i, value, expectation(function(), argument, value), std::to_string(value));
    }
  }
}

// The size of a struct in the first release: some structs have grown since.
uint32_t sizeInTheFirstRelease(const Argument& argument) {
  if (argument.type == "const rtLaunchOptions_t *") return offsetof(rtLaunchOptions_t, global_offset);
  if (argument.type == "const rtGraphKernelParams_t *") return offsetof(rtGraphKernelParams_t, global_offset);
  if (argument.type == "const rtModuleOptions_t *") return offsetof(rtModuleOptions_t, tier);
  if (argument.type == "rtKernelInfo_t *") return offsetof(rtKernelInfo_t, tier);
  if (argument.type == "rtKernelArgInfo_t *") return offsetof(rtKernelArgInfo_t, qualifiers);
  if (argument.type == "const rtGraphChildParams_t *") return offsetof(rtGraphChildParams_t, value_binding_count);
  return argument.pointeeBytes;
}

TEST_P(MisuseTest, ChecksTheSizesOfStructs) {
  constexpr uint32_t kTail = 64;
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    if (!argument.versioned) continue;
    auto* bytes = call_.scratch[i].data();
    const uint32_t known = argument.pointeeBytes;
    const auto withSize = [&](uint32_t size, unsigned char tail) {
      prepare();
      std::memcpy(bytes, &size, sizeof(size));
      std::memset(bytes + known, tail, kTail);
    };
    for (const uint32_t size : {0u, 1u, 4u, sizeInTheFirstRelease(argument) - 1}) {
      withSize(size, 0);
      runExpecting(Expect::invalidValue, argument.name + " with struct_size " + std::to_string(size));
    }
    if (argument.isOutput()) {
      withSize(known + kTail, kUnwritten);
      const std::string where = function().name + ", " + argument.name + " of a later version";
      const rtStatus_t status = run(where);
      EXPECT_EQ(status, baseline_) << where << ": " << lastMessage();
      if (status == RT_SUCCESS) {
        EXPECT_TRUE(std::all_of(bytes + known, bytes + known + kTail, [](unsigned char byte) { return byte == 0; }))
            << where << ": the tail was not zeroed";
      }
      finish(status);
    } else {
      withSize(known + kTail, 0);
      runExpecting(Expect::baseline, argument.name + " of a later version, unused");
      withSize(known + kTail, 1);
      const std::string where = function().name + ", " + argument.name + " of a later version, used";
      const rtStatus_t status = run(where);
      EXPECT_EQ(status, RT_ERROR_NOT_SUPPORTED) << where << ": " << rtGetErrorName(status) << "; " << lastMessage();
      finish(status);
    }
  }
}

TEST_P(MisuseTest, RefusesUnknownFieldsOfOptions) {
  // Field by name: the value that is refused.
  const std::map<std::string, uint64_t> refused = {{"kind", 99},          {"wait_policy", 99}, {"flags", uint64_t{1} << 31},
                                                   {"reserved", 1},       {"alignment", 3},    {"function", 0},
                                                   {"arg_size_count", 1}, {"format", 99},      {"header_count", 1},
                                                   {"pattern_size", 3},   {"arg_count", 300},  {"binding_count", 99},
                                                   {"module_count", 1},   {"max_streams", 65}};
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    if (!argument.versioned || argument.isOutput()) continue;
    const std::string type = argument.type.substr(6, argument.type.size() - 8);
    const auto found = std::ranges::find(structs(), type, &Struct::name);
    ASSERT_NE(found, structs().end()) << argument.type;
    for (const Field& field : found->fields) {
      if (!refused.contains(field.name)) continue;
      prepare();
      const uint64_t value = refused.at(field.name);
      std::memcpy(call_.scratch[i].data() + field.offset, &value, field.size);
      const std::string where = function().name + ", " + argument.name + "." + field.name + " " + std::to_string(value);
      const rtStatus_t status = run(where);
      EXPECT_TRUE(status == RT_ERROR_INVALID_VALUE || status == RT_ERROR_NOT_SUPPORTED ||
                  (baseline_ < 0 && status == baseline_))
          << where << ": " << rtGetErrorName(status) << "; " << lastMessage();
      finish(status);
    }
  }
}

// Lists that a struct names: one that is NULL or too long, and each kind of bad element. `bytes` is the struct of a valid call.
TEST_P(MisuseTest, RefusesBadElementsOfListsInStructs) {
  const auto spoiled = [&](const char* type, const std::string& what, const std::function<void(unsigned char*)>& spoil) {
    for (size_t i = 0; i < function().arguments.size(); ++i) {
      if (function().arguments[i].type != type) continue;
      prepare();
      spoil(call_.scratch[i].data());
      const std::string where = function().name + ", " + what;
      const rtStatus_t status = run(where);
      EXPECT_TRUE(status == RT_ERROR_INVALID_VALUE || status == RT_ERROR_INVALID_HANDLE ||
                  (baseline_ < 0 && status == baseline_))
          << where << ": " << rtGetErrorName(status) << "; " << lastMessage();
      finish(status);
    }
  };
  const auto put = []<typename Struct>(unsigned char* bytes, const Struct& changed) {
    std::memcpy(bytes, &changed, sizeof changed);
  };
  const auto get = []<typename Struct>(unsigned char* bytes, Struct* out) { std::memcpy(out, bytes, sizeof *out); };
  const uint32_t value = 1;
  const auto garbageBuffer = reinterpret_cast<rtGraphBuffer_t>(uint64_t{0xDEADBEEF});
  const rtGraphArg_t badArguments[] = {
      {99, 0, sizeof value, &value, {nullptr, 0, nullptr}},
      {RT_ARG_VALUE, 0, 0, &value, {nullptr, 0, nullptr}},
      {RT_ARG_VALUE, 0, kHuge, &value, {nullptr, 0, nullptr}},
      {RT_ARG_VALUE, 0, sizeof value, nullptr, {nullptr, 0, nullptr}},
      {RT_ARG_POINTER, 99, 0, nullptr, {nullptr, 0, nullptr}},
      {RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, {garbageBuffer, 0, nullptr}},
      {RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, {nullptr, 8, nullptr}},
  };
  for (const rtGraphArg_t& bad : badArguments) {
    spoiled("const rtGraphKernelParams_t *", "args[0] of kind " + std::to_string(bad.kind), [&](unsigned char* bytes) {
      rtGraphKernelParams_t params;
      get(bytes, &params);
      params.args = &bad;
      put(bytes, params);
    });
  }
  const rtHostArg_t badDescriptions[] = {
      {4, 99}, {0, RT_ARG_VALUE}, {UINT32_MAX, RT_ARG_VALUE}, {4, RT_ARG_POINTER}, {4, RT_ARG_LOCAL}};
  for (const rtHostArg_t& bad : badDescriptions) {
    spoiled("const rtHostKernel_t *", "args[0] of kind " + std::to_string(bad.kind), [&](unsigned char* bytes) {
      rtHostKernel_t host;
      get(bytes, &host);
      host.args = &bad;
      put(bytes, host);
    });
  }
  const auto stale = environment_->stale().find("rtModule_t");
  for (const uint64_t bits : {uint64_t{0}, uint64_t{0xDEADBEEF}, stale != environment_->stale().end() ? stale->second : 0}) {
    const auto module = reinterpret_cast<rtModule_t>(bits);
    spoiled("const rtCapturePlanOptions_t *", "modules[0] of bits " + std::to_string(bits), [&](unsigned char* bytes) {
      rtCapturePlanOptions_t options;
      get(bytes, &options);
      options.modules = &module;
      options.module_count = 1;
      put(bytes, options);
    });
  }
  const rtGraphBinding_t badBinding = {garbageBuffer, {nullptr, 0, nullptr}};
  spoiled("const rtGraphChildParams_t *", "bindings[0] of no buffer", [&](unsigned char* bytes) {
    rtGraphChildParams_t params;
    get(bytes, &params);
    params.bindings = &badBinding;
    params.binding_count = 1;
    put(bytes, params);
  });
  const char* none[] = {nullptr};
  const char* empty[] = {""};
  const char* text[] = {"text"};
  const std::pair<const char* const*, const char* const*> badHeaders[] = {{none, text}, {text, none}, {empty, text}};
  for (const auto& [names, headers] : badHeaders) {
    spoiled("const rtModuleOptions_t *", "header_names[0] or headers[0]", [&](unsigned char* bytes) {
      rtModuleOptions_t options;
      get(bytes, &options);
      options.header_names = names;
      options.headers = headers;
      options.header_count = 1;
      put(bytes, options);
    });
  }
}

TEST_P(MisuseTest, ChecksAddresses) {
  // Functions that look an address up: what is no allocation of the library is refused, and never touched.
  const std::set<std::string> lookUp = {"rtFree", "rtFreeAsync", "rtHostUnregister", "rtPointerGetNative",
                                        "rtHostGetDevicePointer"};
  for (size_t i = 0; i < function().arguments.size(); ++i) {
    const Argument& argument = function().arguments[i];
    if (argument.name == "dst" || argument.name == "src") {
      prepare();
      expectWord(i, call_.words[i] + kAllocationBytes - 4, Expect::invalidValue, "whose range leaves the allocation");
    }
    if (argument.name == "dst" && i + 1 < function().arguments.size()) {
      for (size_t j = 0; j < function().arguments.size(); ++j) {
        if (function().arguments[j].name != "src") continue;
        prepare();
        expectWord(j, call_.words[i] + 8, Expect::invalidValue, "that overlaps dst");
      }
    }
    if (argument.name == "args") {
      void* none[1] = {nullptr};
      expectWord(i, reinterpret_cast<uint64_t>(none), Expect::invalidValue, "with a NULL inside");
    }
    if (argument.isOutput() || argument.name == "user" || argument.name == "args") continue;
    if (!lookUp.contains(function().name) || (argument.type != "void *" && argument.type != "const void *")) continue;
    int local = 0;
    for (const uint64_t address : {uint64_t{1}, uint64_t{0xDEAD0000}, reinterpret_cast<uint64_t>(&local), UINT64_MAX}) {
      expectWord(i, address, Expect::invalidValue, "that is no allocation: " + std::to_string(address));
    }
    if (function().name.starts_with("rtFree") || function().name == "rtHostUnregister") {
      prepare();
      expectWord(i, call_.words[i] + 8, Expect::invalidValue, "that is an interior address");
    }
  }
}

std::string nameOf(const ::testing::TestParamInfo<std::tuple<size_t, const char*>>& info) {
  std::string name = functions()[std::get<0>(info.param)].name + "_" + std::get<1>(info.param);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryFunction, MisuseTest,
                         ::testing::Combine(::testing::Range(size_t{0}, functions().size()), ::testing::ValuesIn(kDevices)),
                         nameOf);

TEST(MisuseSequenceTest, FreeingTwiceIsRefused) {
  for (const char* device : kDevices) {
    rtDevice_t handle = nullptr;
    rtContext_t context = nullptr;
    ASSERT_EQ(rtDeviceGetByName(&handle, device), RT_SUCCESS);
    ASSERT_EQ(rtContextCreate(&context, nullptr, handle), RT_SUCCESS);
    void* pointer = nullptr;
    ASSERT_EQ(rtMalloc(&pointer, 1000, context), RT_SUCCESS);
    EXPECT_EQ(rtFree(pointer), RT_SUCCESS);
    EXPECT_EQ(rtFree(pointer), RT_ERROR_INVALID_VALUE) << device;
    EXPECT_EQ(rtContextDestroy(context), RT_SUCCESS);
    EXPECT_EQ(rtContextDestroy(context), RT_ERROR_INVALID_HANDLE) << device;
  }
}

TEST(MisuseSequenceTest, AGridOfMoreGroupsThanACounterHoldsIsRefused) {
  calls::Environment environment("cpu");
  ASSERT_TRUE(environment.ready());
  uint32_t value = 0;
  void* args[1] = {&value};
  const auto kernel = reinterpret_cast<rtKernel_t>(environment.handles().at("rtKernel_t"));
  const auto stream = reinterpret_cast<rtStream_t>(environment.handles().at("rtStream_t"));
  EXPECT_EQ(rtLaunchKernel(kernel, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, 1, 1, 0, stream, args, 1), RT_ERROR_INVALID_VALUE);
  EXPECT_EQ(rtLaunchKernel(kernel, 1, 1, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, stream, args, 1), RT_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace manyrt::misuse
