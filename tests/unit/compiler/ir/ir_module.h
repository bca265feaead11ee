// Modules for the tests of the IR: from a program, and from text.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "../parser/parsed_program.h"
#include "compiler/ir/from_tree/from_tree.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace manyrt::compiler::ir {

struct FromSource {
  explicit FromSource(const std::string& source) : parsed(source) {
    std::string wrong;
    EXPECT_TRUE(parsed.accepted) << parsed.diagnostics.log();
    built = fromTree(&module, parsed.program, &why);
    if (built) {
      EXPECT_TRUE(verify(module, &wrong)) << wrong << "\n" << print(module);
    }
  }
  ParsedProgram parsed;
  Module module;
  bool built = false;
  std::string why;
};

struct FromText {
  explicit FromText(const std::string& text) { is_read = read(&module, text, &why); }
  Module module;
  bool is_read = false;
  std::string why;
};

inline Argument buffer(const std::vector<uint32_t>& words) {
  Argument argument;
  argument.kind = Argument::Kind::kBuffer;
  argument.bytes.resize(4 * words.size());
  if (!words.empty()) std::memcpy(argument.bytes.data(), words.data(), argument.bytes.size());
  return argument;
}

inline Argument value(uint32_t word) {
  Argument argument = buffer({word});
  argument.kind = Argument::Kind::kValue;
  return argument;
}

inline std::vector<uint32_t> words(const Argument& argument) {
  std::vector<uint32_t> result(argument.bytes.size() / 4);
  std::memcpy(result.data(), argument.bytes.data(), 4 * result.size());
  return result;
}

}  // namespace manyrt::compiler::ir
