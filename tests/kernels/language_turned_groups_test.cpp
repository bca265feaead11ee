// language/turned_groups.cl: code that is made for the groups of the first launches, in groups of all shapes. Quick code, which
// knows no lanes, says what is right; of the ids the test does.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "source_test.h"

namespace rttest {
namespace {

using Uints = std::vector<uint32_t>;

const Shape kGroups[] = {{2, 16, 3}, {8, 8, 2},  {4, 8, 4}, {1, 32, 1}, {1, 1, 64}, {5, 3, 1},  {3, 5, 2}, {1, 1, 1},
                         {16, 4, 1}, {64, 1, 1}, {2, 2, 2}, {1, 7, 9},  {8, 16, 1}, {33, 1, 1}, {20, 2, 1}};
const char* const kKernels[] = {"ids",   "barriers", "leaving", "rows",    "counts",        "helping",
                                "asked", "linear",   "fibers",  "lengthy", "lengthy_joined"};
const Shape kGrid = {2, 3, 2};

std::string text(const Shape& shape) {
  return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " x " + std::to_string(shape.z);
}

class TurnedGroupsTest : public SourceTest {
 protected:
  void TearDown() override {
    unsetenv("RT_CPU_BUILD");
    SourceTest::TearDown();
  }
  void make(const char* form, const std::string& options) {
    setenv("RT_CPU_BUILD", form, 1);
    build("language/turned_groups.cl", options.c_str());
  }
  Uints words(const char* kernel, const Shape& group) {
    const size_t items = size_t{group.x} * group.y * group.z * kGrid.x * kGrid.y * kGrid.z;
    const Buffer<uint32_t> out = buffer(Uints(items, 0xabcdu)), in = buffer(in_);
    run(kernel, kGrid, group, out, in, 7u);
    return out.read();
  }
  std::vector<Uints> allWords(const Shape& group) {
    std::vector<Uints> all;
    for (const char* kernel : kKernels) all.push_back(words(kernel, group));
    return all;
  }
  void expectSame(const std::vector<Uints>& got, const std::vector<Uints>& wanted, const std::string& what) {
    for (size_t i = 0; i < std::size(kKernels); ++i) expectEqual(got[i], wanted[i], std::string(kKernels[i]) + ", " + what);
  }

  const Uints in_ = [] {
    Uints values(1024);
    Random random(5);
    for (uint32_t& value : values) value = random.bits() % 1000;
    return values;
  }();
};
INSTANTIATE_TEST_SUITE_P(, TurnedGroupsTest, testing::Values(std::string("cpu")), testName);

TEST_P(TurnedGroupsTest, CodeForTheGroupsOfTheFirstLaunchesIsRightForAll) {
  std::vector<std::vector<Uints>> right;
  make("quick", "");
  for (const Shape& group : kGroups) right.push_back(allWords(group));
  if (HasFatalFailure()) return;
  for (size_t first = 0; first < std::size(kGroups); ++first) {
    const std::string made_for = "made for " + text(kGroups[first]);
    make("tiered", "-DNUMBER=" + std::to_string(first));  // a build of its own
    expectSame(allWords(kGroups[first]), right[first], made_for + ", at first");
    ASSERT_RT_OK(rtModuleWait(module_, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
    for (size_t i = 0; i < std::size(kGroups); ++i) {
      expectSame(allWords(kGroups[i]), right[i], made_for + ", launched as " + text(kGroups[i]));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(TurnedGroupsTest, CodeThatKnowsNoGroupsIsRightForAll) {
  std::vector<std::vector<Uints>> right;
  make("quick", "");
  for (const Shape& group : kGroups) right.push_back(allWords(group));
  for (const char* form : {"optimized", "tiered"}) {
    make(form, "-DKNOWN=0");
    ASSERT_RT_OK(rtModuleWait(module_, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));  // before the first launch
    for (size_t i = 0; i < std::size(kGroups); ++i) {
      expectSame(allWords(kGroups[i]), right[i], std::string(form) + ", launched as " + text(kGroups[i]));
      if (HasFatalFailure()) return;
    }
  }
}

// The optimised code is translated when the groups are known: not from what a header has become meanwhile.
TEST_P(TurnedGroupsTest, AHeaderThatChangesLaterChangesNothing) {
  char folder[] = "/tmp/manyrt_header_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string header = std::string(folder) + "/value.h";
  const auto write = [&](const char* text) { std::ofstream(header) << text; };
  setenv("RT_CPU_BUILD", "tiered", 1);
  write("#define VALUE 100\n");
  const char* source =
      "#include <value.h>\n__kernel void f(__global uint* out) {\n"
      "  out[get_group_id(1) * 64 + get_local_id(1) * 2 + get_local_id(0)] = VALUE + get_local_id(1); }";
  const std::string options = std::string("-I ") + folder;
  ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(), source, options.c_str(), context_));
  write("#define VALUE 200\n");
  Uints wanted;
  for (uint32_t i = 0; i < 64; ++i) wanted.push_back(100 + i / 2);
  for (const char* when : {"at first", "once more"}) {
    const Buffer<uint32_t> out = buffer(Uints(64));
    run("f", {1}, {2, 32}, out);
    expectEqual(out.read(), wanted, when);
    ASSERT_RT_OK(rtModuleWait(module_, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  }
  EXPECT_EQ(std::remove(header.c_str()), 0);
  EXPECT_EQ(rmdir(folder), 0);
}

TEST_P(TurnedGroupsTest, CodeForOneSizeOfGroupsIsRight) {
  for (const Shape& group : {kGroups[0], kGroups[1], kGroups[3], kGroups[4], kGroups[8]}) {
    const std::string size =
        "-rt-group-size=" + std::to_string(group.x) + "," + std::to_string(group.y) + "," + std::to_string(group.z);
    make("quick", size);
    const std::vector<Uints> right = allWords(group);
    if (HasFatalFailure()) return;
    make("optimized", size);
    expectSame(allWords(group), right, size);
    if (HasFatalFailure()) return;
    uint32_t grid[3] = {kGrid.x, kGrid.y, kGrid.z}, wrong[3] = {group.y, group.z + 1, group.x};
    rtKernel_t kernel = nullptr;
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "ids", module_));
    const Buffer<uint32_t> out = buffer(Uints(1)), in = buffer(in_);
    uint32_t n = 0;
    void* args[] = {slotOf(out), slotOf(in), slotOf(n)};
    EXPECT_EQ(rtLaunchKernel(kernel, grid[0], grid[1], grid[2], wrong[0], wrong[1], wrong[2], 0, stream_, args, 3),
              RT_ERROR_INVALID_VALUE)
        << "the size is that of the source, in its order";
  }
}

TEST_P(TurnedGroupsTest, IdsAreThoseOfTheLaunchWithAnOffset) {
  const Shape group = {2, 16, 3};
  make("tiered", "-DOFFSET");
  const size_t items = size_t{2 * 16 * 3} * kGrid.x * kGrid.y * kGrid.z;
  for (const char* when : {"at first", "once more"}) {
    const Buffer<uint32_t> out = buffer(Uints(items)), in = buffer(in_);
    rtKernel_t kernel = nullptr;
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "ids", module_));
    const uint32_t grid[3] = {kGrid.x, kGrid.y, kGrid.z}, size[3] = {group.x, group.y, group.z}, n = 0;
    void* args[] = {slotOf(out), slotOf(in), slotOf(n)};
    rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
    options.global_offset[0] = 100;
    options.global_offset[1] = 20;
    options.global_offset[2] = 3;
    ASSERT_RT_OK(rtLaunchKernelWithOptions(kernel, grid, size, 0, &options, args, 3, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    Uints wanted;
    for (uint32_t z = 0; z < grid[2] * size[2]; ++z) {
      for (uint32_t y = 0; y < grid[1] * size[1]; ++y) {
        for (uint32_t x = 0; x < grid[0] * size[0]; ++x) {
          uint32_t sum = x + 100 + 3 * (y + 20) + 5 * (z + 3);
          sum += 7 * (x % size[0]) + 11 * (y % size[1]) + 13 * (z % size[2]);
          sum += 17 * (x / size[0]) + 19 * (y / size[1]) + 23 * (z / size[2]);
          sum += 29 * grid[0] + 31 * grid[1] + 37 * grid[2] + 41 * size[0] + 43 * size[1] + 47 * size[2];
          wanted.push_back(sum + 53 * 100 + 59 * 20 + 61 * 3 + 71);
        }
      }
    }
    expectEqual(out.read(), wanted, when);
    ASSERT_RT_OK(rtModuleWait(module_, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  }
}

}  // namespace
}  // namespace rttest
