// Modules from shared objects (RT_IMAGE_HOST_OBJECT): kernels, their handles and memory, globals, life, and tables with
// something wrong. The object is tests/support/host_module.c.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class HostModuleTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtModuleLoadFile(module_.out(), HOST_MODULE_PATH, nullptr, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(module_.reset());
    DeviceTest::TearDown();
  }
  rtKernel_t kernel(const char* name) {
    rtKernel_t found = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&found, name, module_));
    return found;
  }
  static std::string bytesOf(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  rtStatus_t launchShape(rtKernel_t launched, uint32_t x, uint32_t y, uint32_t z, uint32_t local_bytes, void* out) {
    void* args[] = {&out};
    return rtLaunchKernel(launched, 1, 1, 1, x, y, z, local_bytes, stream_, args, RT_ARGS_ALL);
  }

  Module module_;
};
INSTANTIATE_TEST_SUITE_P(, HostModuleTest, testing::Values("cpu"), testName);

TEST_P(HostModuleTest, AKernelOfAnObjectRuns) {
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 400, context_));
  ASSERT_RT_OK(launchOver(kernel("iota"), stream_, 10, 10, memory.as<uint32_t>(), 100u, 7u));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(memory.as<uint32_t>()[i], 7 + i);
}

TEST_P(HostModuleTest, DataIsLoadedLikeAFileAndRecognised) {
  const std::string bytes = bytesOf(HOST_MODULE_PATH);
  ASSERT_FALSE(bytes.empty());
  checkOptions<rtModuleOptions_t>(
      RT_MODULE_OPTIONS_INIT,
      [&](const rtModuleOptions_t* options) {
        Module made;
        return rtModuleLoadData(made.out(), bytes.data(), bytes.size(), options, context_);
      },
      offsetof(rtModuleOptions_t, tier));
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_HOST_OBJECT;
  options.name = "named";
  Module made;
  EXPECT_RT_OK(rtModuleLoadData(made.out(), bytes.data(), bytes.size(), &options, context_));
  options.build_options = "-DX=1";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(made.out(), bytes.data(), bytes.size(), &options, context_));
  options.build_options = nullptr;
  options.tier = RT_TIER_OPTIMIZED;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(made.out(), bytes.data(), bytes.size(), &options, context_));
  EXPECT_NE(lastMessage().find("tier"), std::string::npos) << lastMessage();
}

TEST_P(HostModuleTest, KernelsAreFoundByNameAndIndexUnderOneHandle) {
  static constexpr const char* kNames[] = {"iota", "items",  "small",  "memory",   "block",
                                           "wide", "greedy", "hungry", "boundless"};
  uint32_t count = 0;
  ASSERT_RT_OK(rtModuleGetKernelCount(&count, module_));
  ASSERT_EQ(count, std::size(kNames));
  for (uint32_t index = 0; index < count; ++index) {
    rtKernel_t found = nullptr;
    ASSERT_RT_OK(rtModuleGetKernelByIndex(&found, index, module_));
    EXPECT_EQ(found, kernel(kNames[index]));
    EXPECT_EQ(
        checkText([&](char* buffer, size_t size, size_t* needed) { return rtKernelGetName(buffer, size, needed, found); }),
        kNames[index]);
  }
  rtKernel_t found = garbage<rtKernel_t>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetKernelByIndex(&found, count, module_));
  EXPECT_EQ(found, nullptr);
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&found, "no_such_kernel", module_));
  EXPECT_NE(lastMessage().find("no_such_kernel"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&found, "", module_));
  const std::string endless(60000, 'x');
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&found, endless.c_str(), module_));
  EXPECT_NE(lastMessage().find(endless), std::string::npos) << "no message is cut that short: " << lastMessage().size();
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&found, "short", module_));
  EXPECT_LT(lastMessage().size(), 200u) << "nothing is left of the long one";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetKernel(&found, nullptr, module_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetKernel(nullptr, "iota", module_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetKernelByIndex(nullptr, 0, module_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetKernelCount(nullptr, module_));
}

TEST_P(HostModuleTest, DestroyingAKernelOfAModuleHasNoEffect) {
  const rtKernel_t iota = kernel("iota");
  EXPECT_RT_OK(rtKernelDestroy(iota));
  EXPECT_RT_OK(rtKernelDestroy(iota));
  EXPECT_EQ(kernel("iota"), iota);
  EXPECT_RT_OK(launchOver(iota, stream_, 1, 1, static_cast<void*>(nullptr), 0u, 0u));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(HostModuleTest, AModuleCountsOnceAndKeepsItsContextFromAReset) {
  const uint64_t kernels = liveHandles(RT_HANDLE_KERNEL);
  const uint64_t all = liveHandles();
  const uint64_t modules = liveHandles(RT_HANDLE_MODULE);
  EXPECT_EQ(modules, 1u);
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  Module made;
  ASSERT_RT_OK(rtModuleLoadFile(made.out(), HOST_MODULE_PATH, nullptr, context));
  EXPECT_EQ(liveHandles(RT_HANDLE_MODULE), modules + 1);
  EXPECT_EQ(liveHandles(RT_HANDLE_KERNEL), kernels);
  EXPECT_EQ(liveHandles(), all + 2) << "the context and the module";
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(made.reset());
  EXPECT_RT_OK(rtContextReset(context));
  EXPECT_EQ(liveHandles(), all + 1);
}

TEST_P(HostModuleTest, DestroyingTheModuleEndsItsHandlesAtOnce) {
  const rtKernel_t iota = kernel("iota");
  const rtModule_t stale = module_;
  ASSERT_RT_OK(module_.reset());
  rtKernel_t found = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetKernel(&found, "iota", stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleDestroy(stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, launchOver(iota, stream_, 1, 1, static_cast<void*>(nullptr), 0u, 0u));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelDestroy(iota));
}

TEST_P(HostModuleTest, DestroyingTheContextEndsModuleAndKernels) {
  Context context;
  Module made;
  rtKernel_t iota = nullptr;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtModuleLoadFile(made.out(), HOST_MODULE_PATH, nullptr, context));
  ASSERT_RT_OK(rtModuleGetKernel(&iota, "iota", made));
  ASSERT_RT_OK(context.reset());
  uint32_t count = 0;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetKernelCount(&count, made));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelDestroy(iota));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleDestroy(made.release()));
}

TEST_P(HostModuleTest, AModuleDestroyedWhileItsKernelRunsStaysLoadedUntilTheEnd) {
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 12, context_));
  auto* entered = memory.as<std::atomic<uint32_t>>(0);
  auto* leave = memory.as<std::atomic<uint32_t>>(4);
  auto* after = memory.as<std::atomic<uint32_t>>(8);
  *entered = *leave = *after = 0;
  ASSERT_RT_OK(launchOver(kernel("block"), stream_, 1, 1, entered, leave, after));
  ASSERT_RT_OK(launchOver(kernel("block"), stream_, 2, 1, entered, leave, after));
  while (entered->load() == 0) std::this_thread::yield();
  ASSERT_RT_OK(module_.reset());
  for (int round = 0; round < 3; ++round) {  // what could be reclaimed by now is
    Module other;
    ASSERT_RT_OK(rtModuleLoadFile(other.out(), HOST_MODULE_PATH, nullptr, context_));
  }
  leave->store(1);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(after->load(), 3 * 42u) << "the function read a variable of its object after the module was destroyed";
}

TEST_P(HostModuleTest, EachLoadIsAnObjectOfItsOwn) {
  Module other;
  ASSERT_RT_OK(rtModuleLoadFile(other.out(), HOST_MODULE_PATH, nullptr, context_));
  void* first = nullptr;
  void* second = nullptr;
  uint64_t bytes = 0;
  ASSERT_RT_OK(rtModuleGetGlobal(&first, &bytes, "counter", module_));
  EXPECT_EQ(bytes, 8u);
  ASSERT_RT_OK(rtModuleGetGlobal(&second, nullptr, "counter", other));
  EXPECT_NE(first, second);
  int64_t value = 43;
  ASSERT_RT_OK(rtMemcpy(first, &value, sizeof value, RT_MEMCPY_DEFAULT));
  ASSERT_RT_OK(rtMemcpy(&value, second, sizeof value, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(value, 42);
  ASSERT_RT_OK(rtModuleGetGlobal(&first, &bytes, "table", module_));
  EXPECT_EQ(bytes, 100u);
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetGlobal(&first, &bytes, "no_such_global", module_));
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(bytes, 0u);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetGlobal(nullptr, &bytes, "table", module_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetGlobal(&first, &bytes, nullptr, module_));
}

// A variable of a module is memory of the library: looked up, bounded, filled, and read in a stream's order.
TEST_P(HostModuleTest, AVariableIsKnownMemoryWhileTheModuleLives) {
  void* counter = nullptr;
  ASSERT_RT_OK(rtModuleGetGlobal(&counter, nullptr, "counter", module_));
  ASSERT_RT_OK(rtModuleGetGlobal(&counter, nullptr, "counter", module_)) << "asking twice is the same";
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, counter));
  EXPECT_EQ(attributes.kind, RT_POINTER_DEVICE);
  EXPECT_EQ(attributes.base, counter);
  EXPECT_EQ(attributes.size, 8u);
  int64_t value = 7, seen = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(counter, 0, 9)) << "leaves the variable";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(counter));
  EXPECT_NE(lastMessage().find("variable of a module"), std::string::npos) << lastMessage();
  ASSERT_RT_OK(rtMemset(counter, 0, 8));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, counter, sizeof seen, RT_MEMCPY_DEVICE_TO_HOST, stream_));
  ASSERT_RT_OK(rtMemcpy(counter, &value, sizeof value, RT_MEMCPY_HOST_TO_DEVICE));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 7) << "what is there when the stream comes to the copy";
  ASSERT_RT_OK(module_.reset());
  attributes.kind = RT_POINTER_DEVICE;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, counter));
  EXPECT_EQ(attributes.kind, RT_POINTER_UNKNOWN);
}

TEST_P(HostModuleTest, TheNativeModuleIsTheTable) {
  uint64_t native[2] = {0, 7};
  ASSERT_RT_OK(rtModuleGetNative(native, module_));
  const auto* table = reinterpret_cast<const rtHostModule_t*>(native[0]);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->struct_size, sizeof(rtHostModule_t));
  EXPECT_STREQ(table->kernels[0].name, "iota");
  EXPECT_EQ(native[1], 0u);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetNative(nullptr, module_));
}

TEST_P(HostModuleTest, MachineCodeHasNoBuildLog) {
  EXPECT_EQ(
      checkText([&](char* buffer, size_t size, size_t* needed) { return rtModuleGetBuildLog(buffer, size, needed, module_); }),
      "");
}

TEST_P(HostModuleTest, InfoHasWhatTheTableSays) {
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("memory")));
  EXPECT_EQ(info.arg_count, 2u);
  EXPECT_EQ(info.local_bytes, 300u);
  EXPECT_EQ(info.private_bytes, 12u);
  EXPECT_EQ(info.required_group_size[0] + info.required_group_size[1] + info.required_group_size[2], 0u);
  EXPECT_EQ(info.max_group_items, attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS));
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("items")));
  EXPECT_EQ(info.required_group_size[0], 8u);
  EXPECT_EQ(info.required_group_size[1], 2u);
  EXPECT_EQ(info.required_group_size[2], 1u);
  EXPECT_EQ(info.local_bytes, 0u);
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("small")));
  EXPECT_EQ(info.max_group_items, 4u);
}

TEST_P(HostModuleTest, ArgumentsHaveNamesAndTypes) {
  rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 0, kernel("iota")));
  EXPECT_STREQ(arg.name, "out");
  EXPECT_STREQ(arg.type_name, "uint*");
  EXPECT_EQ(arg.kind, RT_ARG_POINTER);
  EXPECT_EQ(arg.size, 8u);
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 2, kernel("iota")));
  EXPECT_STREQ(arg.name, "") << "unknown";
  EXPECT_STREQ(arg.type_name, "");
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 0, kernel("memory")));
  EXPECT_EQ(arg.kind, RT_ARG_LOCAL);
  EXPECT_STREQ(arg.name, "tile");
}

TEST_P(HostModuleTest, OnlyTheRequiredWorkGroupIsTaken) {
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 4, context_));
  const rtKernel_t items = kernel("items");
  EXPECT_RT_OK(launchShape(items, 8, 2, 1, 0, memory.get()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(*memory.as<uint32_t>(), 16u);
  for (const auto& [x, y, z] : {std::tuple{16u, 1u, 1u}, {2u, 8u, 1u}, {8u, 2u, 2u}, {1u, 1u, 1u}}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launchShape(items, x, y, z, 0, memory.get()));
    EXPECT_NE(lastMessage().find("8 x 2 x 1"), std::string::npos) << lastMessage();
    EXPECT_NE(lastMessage().find(std::to_string(x) + " x " + std::to_string(y)), std::string::npos) << lastMessage();
  }
  EXPECT_RT_OK(launchShape(items, 8, 2, 1, 100, memory.get())) << "local bytes of the launch are legal for machine code";
  uint32_t group[3] = {0, 0, 0};
  const uint32_t wanted[3] = {1000, 1000, 1};
  EXPECT_RT_OK(rtKernelSuggestGroupSize(group, wanted, 0, items));
  EXPECT_EQ(group[0], 8u);
  EXPECT_EQ(group[1], 2u);
  EXPECT_EQ(group[2], 1u);
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(HostModuleTest, AGroupLargerThanTheKernelsLimitIsRefused) {
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 4, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchShape(kernel("small"), 5, 1, 1, 0, memory.get()));
  EXPECT_NE(lastMessage().find("small"), std::string::npos) << lastMessage();
  EXPECT_NE(lastMessage().find('4'), std::string::npos) << lastMessage();
  EXPECT_RT_OK(launchShape(kernel("small"), 2, 2, 1, 0, memory.get()));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(HostModuleTest, AWrongCountOrSizeOfArgumentsIsRefused) {
  const rtKernel_t iota = kernel("iota");
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(iota, stream_, 1, 1, static_cast<void*>(nullptr), 0u));
  EXPECT_NE(lastMessage().find("iota"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(iota, stream_, 1, 1, static_cast<void*>(nullptr), 0u, 0u, 0u));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(iota, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 3));
  const uint32_t one[3] = {1, 1, 1};
  const uint32_t wrong[3] = {8, 8, 4};
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.arg_sizes = wrong;
  options.arg_size_count = 3;
  void* pointer = nullptr;
  uint64_t value = 0;
  void* args[] = {&pointer, &value, &value};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(iota, one, one, 0, &options, args, 3, stream_));
  EXPECT_NE(lastMessage().find("rgument 1"), std::string::npos) << lastMessage();
}

TEST_P(HostModuleTest, EveryPartOfTheGroupsMemoryIsItsOwn) {
  Memory out;
  ASSERT_RT_OK(rtMallocHost(out.out(), 64 * 4, context_));
  for (uint32_t items : {1u, 7u, 256u}) {
    for (uint32_t local : {0u, 1u, 1000u}) {
      std::memset(out.get(), 0, 64 * 4);
      size_t reserve = 200;
      void* target = out.get();
      void* args[] = {&reserve, &target};
      ASSERT_RT_OK(rtLaunchKernel(kernel("memory"), 64, 1, 1, items, 1, 1, local, stream_, args, 2));
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out.as<uint32_t>()[i], 1 + i) << items << " items, " << local << " bytes";
    }
  }
}

TEST_P(HostModuleTest, TheKernelsOwnLocalMemoryCounts) {
  const uint64_t limit = static_cast<uint64_t>(attribute(RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP));
  const auto launch = [&](size_t reserve, uint64_t local) {
    void* target = nullptr;
    void* args[] = {&reserve, &target};
    return rtLaunchKernel(kernel("memory"), 0, 1, 1, 1, 1, 1, static_cast<uint32_t>(local), stream_, args, 2);
  };
  EXPECT_RT_OK(launch(limit - 300, 0));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(limit - 299, 0));
  EXPECT_NE(lastMessage().find("300"), std::string::npos) << lastMessage();
  EXPECT_RT_OK(launch(1, limit - 301));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(1, limit - 300));
  EXPECT_NE(lastMessage().find("300"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel("greedy"), 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0));
  uint32_t groups = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE,
            rtKernelGetMaxActiveGroups(&groups, 1, static_cast<uint32_t>(limit - 299), kernel("memory")));
  EXPECT_RT_OK(rtKernelGetMaxActiveGroups(&groups, 1, static_cast<uint32_t>(limit - 300), kernel("memory")));
}

TEST_P(HostModuleTest, ScratchWithoutMemoryIsAFailureOfTheStream) {
  for (const char* name : {"hungry", "boundless"}) {
    ASSERT_RT_OK(rtLaunchKernel(kernel(name), 2, 1, 1, 4, 1, 1, 0, stream_, nullptr, 0));
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtStreamSynchronize(stream_));
    EXPECT_NE(lastMessage().find(name), std::string::npos) << lastMessage();
    EXPECT_RT_OK(rtStreamSynchronize(stream_)) << "taken";
  }
}

TEST_P(HostModuleTest, ValuesOf4096BytesArriveWhole) {
  struct Bytes {
    unsigned char bytes[4096];
  } values;
  uint32_t sum = 5;
  for (size_t i = 0; i < sizeof values.bytes; ++i) sum += values.bytes[i] = static_cast<unsigned char>(i * 7);
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 4, context_));
  ASSERT_RT_OK(launchOver(kernel("wide"), stream_, 1, 1, values, static_cast<unsigned char>(5), memory.as<uint32_t>()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(*memory.as<uint32_t>(), sum);
}

TEST_P(HostModuleTest, ATableWithAFaultIsAnInvalidImageWithASentence) {
  static constexpr const char* kFaults[] = {"struct_size_small", "struct_size_zero",  "struct_size_huge",  "flags",
                                            "kernel_count",      "global_count",      "kernels",           "globals",
                                            "kernel_name",       "kernel_name_empty", "kernel_name_long",  "kernel_name_twice",
                                            "kernel_function",   "kernel_flags",      "kernel_args",       "kernel_arg_count",
                                            "kernel_required",   "arg_kind",          "arg_kind_negative", "arg_size_zero",
                                            "arg_size_large",    "arg_size_pointer",  "global_name",       "global_name_twice",
                                            "global_address"};
  for (const char* fault : kFaults) {
    setenv("MANYRT_TEST_SPOIL", fault, 1);
    rtModule_t made = garbage<rtModule_t>();
    EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadFile(&made, HOST_MODULE_PATH, nullptr, context_)) << fault;
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(lastMessage().find("host_module"), std::string::npos) << "names the object: " << lastMessage();
  }
  unsetenv("MANYRT_TEST_SPOIL");
  Module good;
  EXPECT_RT_OK(rtModuleLoadFile(good.out(), HOST_MODULE_PATH, nullptr, context_));
}

TEST_P(HostModuleTest, AnObjectWithoutATableOrCutShortIsAnInvalidImage) {
  Module made;
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadFile(made.out(), NO_TABLE_MODULE_PATH, nullptr, context_));
  EXPECT_NE(lastMessage().find("rtHostModule"), std::string::npos) << lastMessage();
  const std::string bytes = bytesOf(HOST_MODULE_PATH);
  for (size_t size : {size_t{4}, size_t{16}, size_t{63}, size_t{64}, size_t{200}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadData(made.out(), bytes.data(), size, nullptr, context_)) << size;
  }
  std::string foreign = bytes;
  foreign[18] = static_cast<char>(foreign[18] + 1);  // the machine
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadData(made.out(), foreign.data(), foreign.size(), nullptr, context_));
}

}  // namespace
}  // namespace rttest
