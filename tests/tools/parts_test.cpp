// Parts of the manyrt command that no run of it on this machine reaches. These are links of the PCI bus, peaks by the data
// sheet, lines that are broken, and tables that do not fit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench_device.h"
#include "terminal.h"

namespace {

namespace fs = std::filesystem;

class PciLinkTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }
  void add(const std::string& device, const std::string& speed, const std::string& width) const {
    const fs::path folder = root_ / "bus/pci/devices" / device;
    fs::create_directories(folder);
    std::ofstream(folder / "max_link_speed") << speed << '\n';
    std::ofstream(folder / "max_link_width") << width << '\n';
  }
  bench::Expected link(const std::string& bus) const { return bench::pciLink(bus, root_.string()); }

  const fs::path root_ = fs::temp_directory_path() / ("manyrt-pci-" + std::to_string(getpid()));
};

TEST_F(PciLinkTest, SpeedIsLanesBySpeedWithoutTheCoding) {
  add("0000:17:00.0", "32.0 GT/s PCIe", "16");
  add("0000:18:00.0", "2.5 GT/s PCIe", "4");
  add("0001:1a:00.0", "16.0 GT/s PCIe", "8");
  EXPECT_NEAR(link("0000:17:00.0").value, 63.0e9, 0.1e9);
  EXPECT_EQ(link("0000:17:00.0").from, "PCIe 5.0 x16");
  EXPECT_DOUBLE_EQ(link("0000:18:00.0").value, 1e9);
  EXPECT_EQ(link("0000:18:00.0").from, "PCIe 1.0 x4");
  EXPECT_EQ(link("0001:1A:00.0").from, "PCIe 4.0 x8") << "drivers write capital letters";
  EXPECT_EQ(link("00000000:17:00.0").from, "PCIe 5.0 x16") << "and domains of eight digits";
}

TEST_F(PciLinkTest, WhatIsNotToldIsNotKnown) {
  add("0000:17:00.0", "Unknown", "16");
  add("0000:18:00.0", "16.0 GT/s PCIe", "0");
  add("0000:19:00.0", "16.0 GT/s PCIe", "255");
  for (const char* bus : {"", "0000:17:00.0", "0000:18:00.0", "0000:19:00.0", "0000:20:00.0", "../../etc"}) {
    EXPECT_EQ(link(bus).value, 0) << bus;
  }
}

TEST(PeakOperationsTest, ProcessorsHaveTwoVectorsAndMultiprocessorsLanes) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  properties.kind = RT_DEVICE_KIND_CPU;
  properties.simd_width = 8;
  properties.compute_units = 4;
  EXPECT_EQ(bench::peakOperations(properties).value, 0) << "without a clock";
  properties.clock_mhz = 3000;
  EXPECT_DOUBLE_EQ(bench::peakOperations(properties).value, 2 * 2 * 8 * 4 * 3e9);
  properties.kind = RT_DEVICE_KIND_DISCRETE_GPU;
  properties.backend = RT_BACKEND_OPENCL;
  EXPECT_EQ(bench::peakOperations(properties).value, 0) << "lanes are not told";
  properties.backend = RT_BACKEND_CUDA;
  strcpy(properties.architecture, "sm_90");
  EXPECT_DOUBLE_EQ(bench::peakOperations(properties).value, 2 * 128 * 4 * 3e9);
  strcpy(properties.architecture, "sm_80");
  EXPECT_DOUBLE_EQ(bench::peakOperations(properties).value, 2 * 64 * 4 * 3e9);
}

TEST(TerminalTest, LinesAreBrokenBetweenWords) {
  EXPECT_EQ(terminal::wrapped("one two three\n", 0), "one two three\n");
  EXPECT_EQ(terminal::wrapped("one two three\n", 13), "one two three\n");
  EXPECT_EQ(terminal::wrapped("one two three\n", 9), "one two\n    three\n");
  EXPECT_EQ(terminal::wrapped("a-word-that-is-too-long b", 8), "a-word-that-is-too-long\n    b");
  EXPECT_EQ(terminal::wrapped("\n\n", 8), "\n\n");
  EXPECT_EQ(terminal::wrapped("    key   value and more", 20), "    key   value and\n          more")
      << "under the second column";
  EXPECT_EQ(terminal::wrapped("  --an-option-that-is-long  text", 20), "  --an-option-that-is-long\n      text");
}

TEST(TerminalTest, LettersAreCountedAndNotBytesOrColours) {
  EXPECT_EQ(terminal::lettersIn("12 µs"), 5u);
  EXPECT_EQ(terminal::lettersIn(terminal::coloured(terminal::kGreen, "ok")), 2u);
  EXPECT_EQ(terminal::coloured(nullptr, "ok"), "ok");
  EXPECT_EQ(terminal::padded("µs", 4), "µs  ");
  const std::string green = terminal::coloured(terminal::kGreen, "one");
  EXPECT_EQ(terminal::wrapped(green + " two three", 9), green + " two\n    three");
}

TEST(TerminalTest, ATableThatDoesNotFitIsAList) {
  const terminal::Table table{{"what", "measured", "expected"}, {{"copy", "7.7 GB/s", "8 GB/s"}, {"launch", "12 µs", ""}}};
  EXPECT_EQ(terminal::tableText(table, 0),
            "what    measured  expected\n"
            "copy    7.7 GB/s    8 GB/s\n"
            "launch     12 µs\n");
  EXPECT_EQ(terminal::tableText(table, 26), terminal::tableText(table, 0));
  EXPECT_EQ(terminal::tableText(table, 25), "copy\n  measured 7.7 GB/s\n  expected 8 GB/s\nlaunch\n  measured 12 µs\n");
}

}  // namespace
