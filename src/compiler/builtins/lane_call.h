// Calls of the language's functions for the values of several work-items at once. All generated vector code (library/lanes)
// shares them, whatever it is made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/builtins/prelude.h"

namespace manyrt::compiler {

// Stands in each loop around vectors. gcc 12 turns branches in a loop into masks, with one bit for a whole vector. That is
// wrong: all lanes but the first keep their values from before the branch. It leaves loops with such a statement as they are.
constexpr char kKeepsBranches[] = "__asm__ volatile(\"\");\n";

// A call with scalars: `given` are vectors of mrt_L's lanes. It uses a function of whole vectors where there is one, else it
// goes lane by lane.
std::string laneCall(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                     const std::vector<std::string>& given);

// A function of mathematics that takes many instructions, and has a form for lanes: exp, sin, pow and their like.
bool isElementary(std::string_view name);

// A call with vectors: `given` has a part for each component, or one that all of them share. Empty: it goes lane by lane.
using LaneParts = std::vector<std::string>;
bool hasLaneParts(const Builtin& builtin, QualType result, const std::vector<QualType>& types);
LaneParts laneCallParts(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                        const std::vector<LaneParts>& given);

}  // namespace manyrt::compiler
