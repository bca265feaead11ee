// Known bits: which bits of an integer may be set, from the operations that make it.
#pragma once

#include <cstdint>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Bits that may be set in some component or lane of an integer; `depth`: of operations that are looked at.
uint64_t bitsThatMayBe(const ir::Value& value, uint32_t depth = 5);

}  // namespace manyrt::compiler::passes
