// The versions that a shared object asks of the C library: this program's own file, whole and damaged.
#include "compiler/toolchain/elf.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace manyrt::compiler {
namespace {

std::string ownFile() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

TEST(ElfTest, TheNewestVersionOfTheCLibraryIsTold) {
  const std::string file = ownFile();
  unsigned major = 0, minor = 0;
  ASSERT_EQ(sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor), 2);
  std::string symbol;
  const uint32_t newest = newestGlibc(&symbol, file.data(), file.size());
  EXPECT_GE(newest, 217u) << "every machine has at least this";
  EXPECT_LE(newest, major * 100 + minor) << symbol;
  EXPECT_FALSE(symbol.empty());
  EXPECT_NE(file.find(symbol), std::string::npos);
}

TEST(ElfTest, WhatIsNoObjectAsksForNothing) {
  std::string symbol;
  for (const std::string& bytes : {std::string(), std::string("\177ELF"), std::string(4096, 'x')}) {
    EXPECT_EQ(newestGlibc(&symbol, bytes.data(), bytes.size()), 0u);
  }
}

TEST(ElfTest, DamageLeadsNowhere) {
  const std::string file = ownFile();
  std::mt19937 random(7);
  const size_t tables = std::min<size_t>(file.size(), 64 << 10);
  for (int round = 0; round < 20; ++round) {
    std::string bytes = file.substr(0, round % 2 == 0 ? file.size() : random() % file.size());
    for (int i = 0; i < 200; ++i) bytes[random() % std::min(tables, bytes.size())] = static_cast<char>(random());
    std::string symbol;
    (void)newestGlibc(&symbol, bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace manyrt::compiler
