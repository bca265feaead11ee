// The table of opcode.h, and what follows from it: names, shapes, which operations are pure.
#include "compiler/ir/opcode.h"

#include <cstddef>

namespace manyrt::compiler::ir {
namespace {

struct Entry {
  const char* text;
  Shape shape;
};
constexpr Entry kEntries[] = {
#define X(name, text, shape) {text, Shape::shape},
    MANYRT_IR_OPCODES(X)
#undef X
};

}  // namespace

const char* spell(Opcode op) { return kEntries[static_cast<size_t>(op)].text; }

Shape shapeOf(Opcode op) { return kEntries[static_cast<size_t>(op)].shape; }

bool findOpcode(std::string_view text, Opcode* op) {
  for (size_t i = 0; i < sizeof kEntries / sizeof *kEntries; ++i) {
    if (text != kEntries[i].text) continue;
    *op = static_cast<Opcode>(i);
    return true;
  }
  return false;
}

bool isTerminator(Opcode op) { return shapeOf(op) >= Shape::kYield; }

bool isPure(Opcode op) {
  const Shape shape = shapeOf(op);
  return shape <= Shape::kOffset || shape == Shape::kWorkItem;
}

}  // namespace manyrt::compiler::ir
