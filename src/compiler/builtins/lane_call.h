// What texts with lanes (library/lanes) have in common, whatever they are made of: calls of the functions of the language for
// the values of several work-items at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/builtins/prelude.h"

namespace manyrt::compiler {

// Stands in each loop around vectors. gcc 12 turns branches in a loop into masks, with one bit for a whole vector: all lanes
// but the first keep what they had before the branch. It leaves loops with such a statement as they are.
constexpr char kKeepsBranches[] = "__asm__ volatile(\"\");\n";

// Of scalars; `given` are vectors of mrt_L's lanes. By a function of whole vectors where there is one, else lane by lane.
std::string laneCall(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                     const std::vector<std::string>& given);

// A function of mathematics that takes many instructions, and has a form for lanes: exp, sin, pow and their like.
bool isElementary(std::string_view name);

// Of vectors: `given` has a part for each component, or one that all of them share. Empty: it goes lane by lane.
using LaneParts = std::vector<std::string>;
bool hasLaneParts(const Builtin& builtin, QualType result, const std::vector<QualType>& types);
LaneParts laneCallParts(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                        const std::vector<LaneParts>& given);

}  // namespace manyrt::compiler
