// language/prints.cl: one work-item prints the same text on every device, and it is there when the stream has been
// synchronised.
#include "source_test.h"

namespace rttest {
namespace {

class PrintTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    if (std::string(GetParam()).rfind("opencl", 0) == 0) GTEST_SKIP() << "what printf prints is the driver's own there";
  }

  // The text that a kernel prints in one work-item.
  template <typename... Values>
  std::string printed(const char* name, const Values&... values) {
    testing::internal::CaptureStdout();
    run(name, {1}, {1}, values...);
    return testing::internal::GetCapturedStdout();
  }
};
INSTANTIATE_TEST_SUITE_P(, PrintTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(PrintTest, NumbersPrintAsC) {
  build("language/prints.cl");
  const Buffer<int> in = buffer(std::vector<int>{-7, 42, -1, 300, 'k'});
  EXPECT_EQ(printed("numbers", in, 2.5f, int64_t{-5000000000}),
            "-7|   42|42   |00042|+42| 42|4294967295|ffffffff|0XFFFFFFFF|37777777777\n"
            "44|300|44|12c|k|%\n"
            "-5000000000|18446744068709551616|fffffffed5fa0e00\n"
            "2.500000|2.50|   2.500|2.5     |2.500000e+00|2.500E+00|2.5|2.5|0x1.4p+1\n"
            "inf|-inf|inf\n"
            "named -7\n");
}

TEST_P(PrintTest, VectorsPrintTheirLanesWithCommas) {
  build("language/prints.cl");
  struct alignas(16) Ints {
    int lane[4];
  };
  struct alignas(8) Bytes {
    uint8_t lane[8];
  };
  struct alignas(16) Floats {
    float lane[4];
  };
  struct alignas(16) Doubles {
    double lane[2];
  };
  EXPECT_EQ(printed("vectors", Floats{{1, -2.5f, 0, 100}}, Ints{{1, -2, 300, 0}}, Bytes{{0, 1, 2, 3, 16, 127, 128, 255}},
                    Doubles{{0.5, -1e3}}),
            "1.000000,-2.500000,0.000000,100.000000|1.0,-2.5,0.0,100.0|1,-2.5,0,100\n"
            "1,-2,300|   1,  -2, 300|1,fffffffe,12c\n"
            "0,1,2,3,16,127,128,255|0,1,2,3,10,7f,80,ff\n"
            "0.500000,-1000.000000|5.00e-01,-1.00e+03\n");
}

TEST_P(PrintTest, TextsPrintWithWidthAndPrecision) {
  build("language/prints.cl");
  const Buffer<int> in = buffer(std::vector<int>{0});
  EXPECT_EQ(printed("texts", in), "text|    text|text    |te|\nnothing\ntab\tquote\"question\?\?!\n");
}

TEST_P(PrintTest, WhatDoesNotFitPrintsItself) {
  build("language/prints.cl");
  struct alignas(8) Ints {
    int lane[2];
  };
  EXPECT_EQ(printed("mistakes", 1.5f, Ints{{1, 2}}), "%d(?)|\n%v4hld(?)|1.500000\n1 %d(?)\n1\n");
}

TEST_P(PrintTest, OneCallPrintsMoreValuesThanCudasPrintfTakes) {
  build("language/prints.cl");
  struct alignas(64) Floats {
    float lane[16];
  } v;
  for (int i = 0; i < 16; ++i) v.lane[i] = static_cast<float>(i);
  std::string expected;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 16; ++i) expected += std::to_string(i + row) + (i == 15 ? ";" : ",");
  }
  EXPECT_EQ(printed("many", v), expected + "7\n");
}

TEST_P(PrintTest, PrintfGivesZero) {
  build("language/prints.cl");
  const Buffer<int> out = buffer(std::vector<int>{-1});
  EXPECT_EQ(printed("results", out), "1\n");
  expectEqual(out.read(), {0}, "results");
}

}  // namespace
}  // namespace rttest
