// Targets of parts of images for the CPU: the own one runs here, and another one only where this processor has all that it
// names.
#include "compiler/toolchain/cpu_target.h"

#include <gtest/gtest.h>

#include <string>

#include "base/os/sanitizer.h"
#include "compiler/toolchain/compiler.h"

namespace manyrt::compiler {
namespace {

uint32_t suits(const std::string& target, std::string* why_not = nullptr) {
  std::string reason;
  const uint32_t found = suitsCpu(target, &reason);
  EXPECT_EQ(found == 0, !reason.empty()) << target << ": " << reason;
  if (why_not != nullptr) *why_not = reason;
  return found;
}

TEST(CpuTargetTest, CodeOfThisProcessorRunsHere) {
  EXPECT_NE(suits(cpuTarget("")), 0u);
  EXPECT_EQ(cpuTarget(""), cpuTarget("")) << "the same text each time";
}

TEST(CpuTargetTest, CodeThatNeedsLessRunsHere) {
  const std::string own = cpuTarget("");
  const std::string machine = own.substr(0, own.find(' ')),
                    level = own.substr(machine.size() + 1, own.find(' ', machine.size() + 1) - machine.size() - 1);
  std::string none = machine + " " + level + " 0";
  for (const char letter : own) none += letter == '.' ? ".0" : "";
  EXPECT_NE(suits(none), 0u);
  EXPECT_LT(suits(none), suits(own)) << "code that uses more of the processor is better";
}

TEST(CpuTargetTest, EachLevelHasWhatThoseBeforeItHave) {
  uint32_t before = 0;
  std::string why_not, levels_before;
  bool lacked = false;
  for (const CpuLevel& level : cpuLevels()) {
    EXPECT_EQ(findCpuLevel(level.name), &level);
    if (!level.other_name.empty()) {
      EXPECT_EQ(findCpuLevel(level.other_name), &level);
    }
    EXPECT_FALSE(level.flags.empty()) << level.name;
    const uint32_t rank = suitsCpu(level.target, &why_not);
    EXPECT_FALSE(lacked && rank != 0) << level.name << " suits, and one before it does not";
    lacked = lacked || rank == 0;
    if (rank == 0) continue;
    EXPECT_GT(rank, before) << level.name;
    EXPECT_LE(level.lanes, cpuLanes()) << level.name;
    before = rank;
  }
  EXPECT_GE(suits(cpuTarget("")), before) << "code for this processor is the best";
  EXPECT_EQ(findCpuLevel("native"), &nativeCpuLevel());
  EXPECT_EQ(findCpuLevel(""), nullptr);
  EXPECT_EQ(findCpuLevel("z80"), nullptr);
}

TEST(CpuTargetTest, OtherMachinesAndTextsAreRefused) {
  std::string why_not;
  EXPECT_EQ(suits("vax level 0.0", &why_not), 0u);
  EXPECT_NE(why_not.find("is for vax"), std::string::npos) << why_not;
  const std::string own = cpuTarget(""), machine = own.substr(0, own.find(' '));
  for (const std::string& text : {std::string(), std::string(" "), machine, machine + " odd 0", own + ".0", own + ".",
                                  own + "g", own.substr(0, own.rfind('.')), machine + " avx2  ", own + " -1"}) {
    EXPECT_EQ(suits(text), 0u) << text;
  }
}

TEST(CpuTargetTest, CodeForASanitizerNeedsIt) {
  EXPECT_EQ(suits(cpuTarget("address")) != 0, sanitizer::hasAddress());
  EXPECT_EQ(suits(cpuTarget("thread")) != 0, sanitizer::hasThread());
  EXPECT_EQ(suits(cpuTarget("memory")), 0u);
}

#if defined(__x86_64__)
TEST(CpuTargetTest, WhatTheProcessorLacksIsNamed) {
  std::string why_not;
  EXPECT_EQ(suits("x86_64 avx512 ffffffff.0.0.0.0.0.0.0.0.0.0", &why_not), 0u);  // no processor has all bits of a leaf
  EXPECT_NE(why_not.find("does not have"), std::string::npos) << why_not;
  EXPECT_EQ(suits("x86_64 avx512 0.0.0.c00000.0.0.0.0.0.0.0"), 0u) << "bits that no processor has yet";
}
#endif

}  // namespace
}  // namespace manyrt::compiler
