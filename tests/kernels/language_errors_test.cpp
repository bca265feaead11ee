// errors/*.cl: programs with one planted mistake each. The first line of a file says where it is: "// error at 4:11: what", or
// "// error at name:4:11: what" where a #line gives another name. The build must fail, and its message name that place and
// no other one.
#include <algorithm>
#include <filesystem>

#include "source_test.h"

namespace rttest {
namespace {

struct Planted {
  std::string file;   // "unknown_name.cl"
  std::string place;  // "unknown_name.cl:4:11"
};

std::vector<Planted> plantedErrors() {
  std::vector<Planted> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(KERNELS_FOLDER) + "/errors")) {
    Planted planted;
    planted.file = entry.path().filename().string();
    std::ifstream stream(entry.path());
    std::string line;
    std::getline(stream, line);
    const std::string mark = "// error at ";
    if (line.rfind(mark, 0) == 0) {
      std::string place = line.substr(mark.size(), line.find(": ", mark.size()) - mark.size());
      if (std::count(place.begin(), place.end(), ':') == 1) place = planted.file + ":" + place;
      planted.place = place;
    }
    all.push_back(planted);
  }
  std::sort(all.begin(), all.end(), [](const Planted& a, const Planted& b) { return a.file < b.file; });
  return all;
}

class PlantedErrorTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, PlantedErrorTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(PlantedErrorTest, FailsTheBuildAndTheMessageNamesItsPlace) {
  const std::vector<Planted> all = plantedErrors();
  EXPECT_GE(all.size(), 75u);
  for (const Planted& planted : all) {
    SCOPED_TRACE(planted.file);
    ASSERT_FALSE(planted.place.empty()) << "the first line does not say where the error is";
    const std::string source = readSource("errors/" + planted.file);
    rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
    options.format = RT_IMAGE_OPENCL_C;
    options.name = planted.file.c_str();
    rtModule_t module = garbage<rtModule_t>();
    EXPECT_RT(RT_ERROR_BUILD_FAILED, rtModuleLoadData(&module, source.c_str(), source.size(), &options, context_));
    const std::string message = lastMessage();
    EXPECT_EQ(module, nullptr);
    EXPECT_NE(message.find(planted.place + ": error: "), std::string::npos) << "not " << planted.place << ":\n" << message;
    const std::string mark = ": error: ";
    size_t errors = 0;
    for (size_t at = message.find(mark); at != std::string::npos; at = message.find(mark, at + 1)) ++errors;
    EXPECT_EQ(errors, 1u) << "one mistake is one error:\n" << message;
    if (module != nullptr) (void)rtModuleDestroy(module);
  }
}

TEST_P(PlantedErrorTest, WithoutANameTheSourceIsKernelCl) {
  rtModule_t module = nullptr;
  EXPECT_RT(RT_ERROR_BUILD_FAILED,
            rtModuleCreateFromSource(&module, "__kernel void f(__global int *p) {\n  *p = q;\n}\n", "", context_));
  EXPECT_NE(lastMessage().find("kernel.cl:2:8: error: "), std::string::npos) << lastMessage();
}

// A parameter without a word for its memory is one for private memory, which is what beginners miss.
TEST_P(PlantedErrorTest, AGlobalPointerForAPrivateParameterIsToldWhatToWrite) {
  const std::string source = readSource("errors/private_parameter_given_global.cl");
  rtModule_t module = nullptr;
  EXPECT_RT(RT_ERROR_BUILD_FAILED, rtModuleCreateFromSource(&module, source.c_str(), "", context_));
  const std::string message = lastMessage();
  for (const char* words : {"argument 1 of \"sum\"", "pointers to __global and to __private memory are different things",
                            "Write \"__global const float *\" instead of \"const float *\".",
                            "kernel.cl:2:24: note: The parameter is declared here."}) {
    EXPECT_NE(message.find(words), std::string::npos) << words << " in:\n" << message;
  }
}

// After a failed build the next one is as good as the first.
TEST_P(PlantedErrorTest, LeavesNothingBehind) {
  for (int round = 0; round < 3; ++round) {
    Module module;
    EXPECT_RT(RT_ERROR_BUILD_FAILED, rtModuleCreateFromSource(module.out(), "__kernel void f() { x; }", "", context_));
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), "__kernel void f() {}", "", context_));
    rtKernel_t kernel = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, "f", module));
  }
}

}  // namespace
}  // namespace rttest
