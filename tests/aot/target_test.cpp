// Names of targets: each is read as what it says, once, and what is not known is answered with what there is.
#include "aot/target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/cuda/image_target.h"

namespace manyrt::aot {
namespace {

std::vector<std::string> namesOf(const std::vector<std::string>& words) {
  std::vector<Target> targets;
  const Status status = parseTargets(&targets, words);
  if (!status.ok()) return {status.message()};
  std::vector<std::string> names;
  for (const Target& target : targets) names.push_back(target.name());
  return names;
}

bool hasNvrtc() {
  std::vector<uint32_t> architectures;
  std::string path;
  return compiler::cudaArchitectures(&architectures, &path).ok();
}

TEST(TargetTest, CpuIsThisProcessorOrALevel) {
  EXPECT_EQ(namesOf({"cpu"}), std::vector<std::string>{"cpu:native"});
  std::vector<std::string> all, words;
  for (const compiler::CpuLevel& level : compiler::cpuLevels()) {
    all.push_back("cpu:" + level.name);
    words.push_back(level.name);
    if (!level.other_name.empty()) {
      EXPECT_EQ(namesOf({"cpu:" + level.other_name}), std::vector<std::string>{"cpu:" + level.name});
    }
  }
  std::string list = "cpu:";
  for (const std::string& word : words) list += (list.back() == ':' ? "" : ",") + word;
  EXPECT_EQ(namesOf({list}), all);
  EXPECT_EQ(namesOf({list, list, "cpu:" + words[0]}), all) << "each once";
}

TEST(TargetTest, OpenClHasAFormForEachWayOfAddressingMemory) {
  EXPECT_EQ(namesOf({"opencl"}), (std::vector<std::string>{"opencl:addresses", "opencl:offsets"}));
  EXPECT_EQ(namesOf({"opencl:offsets", "opencl"}), (std::vector<std::string>{"opencl:offsets", "opencl:addresses"}));
}

TEST(TargetTest, WhatIsNotKnownIsAnsweredWithWhatThereIs) {
  const std::pair<const char*, const char*> kCases[] = {{"vulkan", "there are cpu, cpu:LEVEL (native, "},
                                                        {"", "there are cpu, "},
                                                        {"cpu:", "ends after the colon"},
                                                        {"cpu:z80", "levels of processors are native, "},
                                                        {"cpu:native,,", "\"cpu:\" is not known"},
                                                        {"CPU", "there are cpu"},
                                                        {"opencl:spirv", "opencl:addresses and opencl:offsets"}};
  for (const auto& [word, sentence] : kCases) {
    std::vector<Target> targets;
    const Status status = parseTargets(&targets, {word});
    EXPECT_EQ(status.code(), RT_ERROR_INVALID_VALUE) << word;
    EXPECT_NE(std::string(status.message()).find(sentence), std::string::npos) << word << ": " << status.message();
  }
}

TEST(TargetTest, CudaIsMachineCodeByArchitectureAndPtxForLaterOnes) {
  if (!hasNvrtc()) GTEST_SKIP() << "NVRTC is not here";
  EXPECT_EQ(namesOf({"cuda:sm_80,sm_90,ptx"}), (std::vector<std::string>{"cuda:sm_80", "cuda:sm_90", "cuda:compute_90"}));
  EXPECT_EQ(namesOf({"cuda:compute_80"}), std::vector<std::string>{"cuda:compute_80"});
  std::vector<uint32_t> known;
  std::string path;
  ASSERT_TRUE(compiler::cudaArchitectures(&known, &path).ok());
  EXPECT_EQ(namesOf({"cuda"}), std::vector<std::string>{"cuda:compute_" + std::to_string(known.front())})
      << "what most devices take";
  for (const char* word : {"cuda:sm_1", "cuda:sm_", "cuda:90", "cuda:sm_90x", "cuda:ptx,"}) {
    EXPECT_NE(namesOf({word})[0].find("NVRTC compiles for ptx, sm_"), std::string::npos) << word;
  }
}

TEST(TargetTest, TheListHasEachTargetAndWhetherItCanBeBuilt) {
  const std::vector<Available> list = listTargets();
  size_t found = 0;
  for (const Available& each : list) {
    EXPECT_FALSE(each.note.empty()) << each.name;
    if (each.name == "cpu:native" || each.name == "opencl" || each.name == "cuda:ptx") ++found;
    if (!each.available) continue;
    std::vector<Target> targets;
    EXPECT_TRUE(parseTargets(&targets, {each.name}).ok()) << each.name;
  }
  EXPECT_EQ(found, 3u);
}

}  // namespace
}  // namespace manyrt::aot
