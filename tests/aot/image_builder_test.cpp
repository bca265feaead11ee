// Images from a program: parts in the order of targets, the source with its headers, the same bytes each time. Also programs of
// which there is no image.
#include "aot/image_builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "aot/program.h"
#include "backends/cuda/image_target.h"
#include "backends/module_image.h"
#include "compiler/unit.h"

namespace manyrt::aot {
namespace {

namespace fs = std::filesystem;
using backend::ImagePart;
using backend::ModuleImage;
using backend::PartKind;

class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / ("manyrt_aot_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  const fs::path path_;
};

std::vector<std::string> partsOf(const std::string& bytes) {
  ModuleImage image;
  std::vector<std::string> parts;
  EXPECT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
  for (const ImagePart& part : image.parts()) {
    EXPECT_TRUE(ModuleImage::check(part, "test").ok());
    parts.push_back(ModuleImage::nameOf(part));
  }
  return parts;
}

std::string cpuLevelList() {
  std::string words = "cpu:";
  for (const compiler::CpuLevel& level : compiler::cpuLevels()) words += (words.back() == ':' ? "" : ",") + level.name;
  return words;
}

TEST(ImageBuilderTest, PartsComeInTheOrderOfTheTargetsAndTheSourceIsLast) {
  std::string bytes;
  ASSERT_EQ(built(&bytes, programOf(kSource), {"opencl", cpuLevelList(), "cpu"}, true), "");
  ModuleImage image;
  ASSERT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
  const std::vector<compiler::CpuLevel>& levels = compiler::cpuLevels();
  ASSERT_EQ(image.parts().size(), 2 + levels.size() + 1 + 1);
  EXPECT_EQ(image.parts()[0].target, "text addresses");
  EXPECT_EQ(image.parts()[1].target, "text offsets");
  for (size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(image.parts()[2 + i].target, levels[i].target);
  EXPECT_EQ(image.parts()[2 + levels.size()].target, compiler::nativeCpuLevel().target);
  EXPECT_EQ(image.parts().back().kind, static_cast<uint32_t>(PartKind::kSource));
  ASSERT_EQ(built(&bytes, programOf(kSource), {"cpu"}, false), "");
  EXPECT_EQ(partsOf(bytes).size(), 1u);
  EXPECT_EQ(bytes.find("#ifndef SCALE"), std::string::npos);
}

TEST(ImageBuilderTest, TheSameProgramGivesTheSameBytes) {
  std::string bytes, again;
  const std::vector<std::string> words = {cpuLevelList(), "cpu", "opencl"};
  ASSERT_EQ(built(&bytes, programOf(kSource), words, true), "");
  setenv("RT_CACHE_DIR", "off", 1);
  EXPECT_EQ(built(&again, programOf(kSource), words, true), "");
  unsetenv("RT_CACHE_DIR");
  EXPECT_EQ(bytes, again);
  Program elsewhere = programOf(kSource);
  elsewhere.sources[0].path = "/some/other/folder/ours.cl";
  ASSERT_EQ(built(&again, std::move(elsewhere), words, true), "");
  EXPECT_EQ(bytes, again) << "where the source is does not matter";
}

TEST(ImageBuilderTest, HeadersOfTheDiskAreInsideAndFoldersAreNot) {
  const Folder folder;
  folder.write("inc/deep/scale.h", "#include \"number.h\"\n#define SCALE NUMBER\n");
  folder.write("inc/deep/number.h", "#define NUMBER 7\n");
  Program program = programOf(std::string("#include <deep/scale.h>\n") + kSource);
  program.folders = {folder.path() + "/inc"};
  ImageBuilder builder(program);
  ASSERT_TRUE(builder.check().ok());
  EXPECT_EQ(builder.checked().files,
            (std::vector<std::string>{folder.path() + "/inc/deep/scale.h", folder.path() + "/inc/deep/number.h"}));
  std::string bytes;
  ASSERT_EQ(built(&bytes, program, {"cpu", "opencl"}, true), "");
  EXPECT_EQ(bytes.find(folder.path()), std::string::npos);
  EXPECT_NE(bytes.find("define NUMBER 7"), std::string::npos);
  EXPECT_NE(bytes.find("deep/scale.h"), std::string::npos);
}

TEST(ImageBuilderTest, AHeaderBesideTheSourceIsFoundWhereverTheCommandRuns) {
  const Folder folder;
  folder.write("scale.h", "#define SCALE 3\n");
  const std::string path = folder.write("ours.cl", std::string("#include \"scale.h\"\n") + kSource);
  Program program = programOf(std::string("#include \"scale.h\"\n") + kSource);
  program.sources[0].path = path;
  ImageBuilder builder(std::move(program));
  EXPECT_TRUE(builder.check().ok());
  EXPECT_TRUE(builder.checkSelfContained().ok());
}

TEST(ImageBuilderTest, AProgramThatItsHeadersAloneDoNotMakeIsRefusedWithItsSource) {
  const Folder folder;
  folder.write("a/one.h", "#include \"same.h\"\n");
  folder.write("a/same.h", "#define FIRST 1\n");
  folder.write("b/two.h", "#include \"same.h\"\n");
  folder.write("b/same.h", "#define SECOND 2\n");
  Program program =
      programOf("#include \"a/one.h\"\n#include \"b/two.h\"\n__kernel void k(__global int* o) { *o = FIRST + SECOND; }\n");
  program.folders = {folder.path()};
  ImageBuilder builder(std::move(program));
  ASSERT_TRUE(builder.check().ok());
  const Status status = builder.checkSelfContained();
  EXPECT_EQ(status.code(), RT_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(status.message()).find("included as \"same.h\""), std::string::npos) << status.message();
  std::vector<Target> targets;
  std::string failed;
  ASSERT_TRUE(parseTargets(&targets, {"cpu"}).ok());
  EXPECT_TRUE(builder.build(&failed, targets).ok()) << "without its source it is an image";
  EXPECT_EQ(partsOf(builder.image(false)).size(), 1u);
}

TEST(ImageBuilderTest, SeveralSourcesAreOneProgram) {
  Program program = programOf("int twice(int x);\n__kernel void k(__global int* o) { *o = twice(4); }\n");
  program.sources.push_back({"twice.cl", "int twice(int x) { return 2 * x; }\n"});
  std::string bytes;
  EXPECT_EQ(built(&bytes, program, {"cpu", "opencl"}, true), "");
  program.sources[1].text = "int twice(int x) { return wrong * x; }\n";
  ImageBuilder builder(program);
  EXPECT_EQ(builder.check().code(), RT_ERROR_BUILD_FAILED);
  ASSERT_FALSE(builder.checked().messages.empty());
  EXPECT_EQ(builder.checked().messages[0].file, "twice.cl");
  EXPECT_EQ(builder.checked().messages[0].line, 1u);
}

TEST(ImageBuilderTest, MessagesHavePlaceSentenceLineAndCaret) {
  ImageBuilder builder(programOf("__kernel void k(__global int* o) {\n  *o = nothing;\n}\n"));
  EXPECT_EQ(builder.check().code(), RT_ERROR_BUILD_FAILED);
  ASSERT_EQ(builder.checked().messages.size(), 1u);
  const compiler::Message& message = builder.checked().messages[0];
  EXPECT_EQ(message.kind, compiler::Message::Kind::kError);
  EXPECT_EQ(message.line, 2u);
  EXPECT_EQ(message.column, 8u);
  EXPECT_EQ(message.shown, "    *o = nothing;\n         ^\n");
}

TEST(ImageBuilderTest, WhatADeviceMayLackIsInTheTargetOfOpenCl) {
  const std::pair<const char*, const char*> kCases[] = {
      {"__kernel void k(__global float* o) { *o = 1.0f; }", "text addresses"},
      {"__kernel void k(__global double* o) { *o = 1.0; }", "text addresses doubles"},
      {"#ifdef cl_khr_fp64\n#endif\n__kernel void k(__global int* o) { *o = 1; }", "text addresses doubles"},
      {"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__kernel void k(__global half* o) { *o = (half)1; }",
       "text addresses halves"},
      {"/* half of a double */ // atom_inc \\\n cl_khr_fp64\n__kernel void k(__global int* o) { *o = '\\'' + 1 / 1; } // "
       "double",
       "text addresses"},
      {"#define TEXT \"/*\"\n__kernel void k(__global double* o) { *o = sizeof(\"//\"); } /* */", "text addresses doubles"}};
  for (const auto& [source, target] : kCases) {
    std::string bytes;
    ASSERT_EQ(built(&bytes, programOf(source), {"opencl:addresses"}, false), "") << source;
    ModuleImage image;
    ASSERT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
    EXPECT_EQ(image.parts()[0].target, target) << source;
  }
}

TEST(ImageBuilderTest, ATargetThatFailsIsNamed) {
  std::vector<Target> targets;
  std::string failed;
  ImageBuilder builder(programOf("__kernel void k(__global uint* o) { *o = get_sub_group_size(); }\n"));
  ASSERT_TRUE(builder.check().ok());
  ASSERT_TRUE(builder.checkSelfContained().ok());
  ASSERT_TRUE(parseTargets(&targets, {"cpu", "opencl"}).ok());
  EXPECT_EQ(builder.build(&failed, targets).code(), RT_ERROR_BUILD_FAILED) << "OpenCL C 1.2 has no sub-groups";
  EXPECT_EQ(failed, "opencl:addresses");
}

TEST(ImageBuilderTest, CudaPartsSayWhatTheyAreFor) {
  std::vector<uint32_t> architectures;
  std::string path, bytes;
  if (!compiler::cudaArchitectures(&architectures, &path).ok()) GTEST_SKIP() << "NVRTC is not here";
  ASSERT_EQ(built(&bytes, programOf(kSource), {"cuda:sm_80,sm_90,ptx"}, false), "");
  ModuleImage image;
  ASSERT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
  const std::pair<uint32_t, bool> kExpected[] = {{80, false}, {90, false}, {90, true}};
  ASSERT_EQ(image.parts().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const ImagePart& part = image.parts()[i];
    cuda::ImageTarget named{};
    compiler::CudaImage code;
    ASSERT_TRUE(cuda::readTarget(part.target, &named)) << part.target;
    EXPECT_EQ(named.architecture, kExpected[i].first);
    EXPECT_EQ(named.ptx, kExpected[i].second);
    ASSERT_TRUE(compiler::readCudaPart(&code, part.data));
    EXPECT_EQ(code.is_cubin, !kExpected[i].second);
    const std::string_view text(reinterpret_cast<const char*>(code.code.data()), code.code.size());
    const std::vector<cuda::ImageTarget> said = cuda::imageTargets(code.is_cubin ? RT_IMAGE_CUBIN : RT_IMAGE_PTX, text);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].name(), part.target) << "as the code itself says";
  }
}

TEST(ImageBuilderTest, EachFormOfTextIsGiven) {
  ImageBuilder builder(programOf(kSource));
  ASSERT_TRUE(builder.check().ok());
  ASSERT_TRUE(builder.checkSelfContained().ok());
  const struct {
    Emit form;
    const char* target;
    const char* word;
  } kCases[] = {{Emit::kCpp, "cpu", "rtHostModule"},
                {Emit::kAssembly, "cpu", "rtHostModule"},
                {Emit::kIr, "cpu", "function \"first\""},
                {Emit::kOpenCl, "opencl:offsets", "mrt_offset_0"}};
  for (const auto& [form, word, expected] : kCases) {
    std::vector<Target> targets;
    std::string text;
    ASSERT_TRUE(parseTargets(&targets, {word}).ok());
    EXPECT_TRUE(builder.emit(&text, form, targets[0]).ok());
    EXPECT_NE(text.find(expected), std::string::npos) << text.substr(0, 400);
  }
}

}  // namespace
}  // namespace manyrt::aot
