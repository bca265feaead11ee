// Which dimension of a group lanes go along. A lowering knows one order: neighbours of dimension 0 are lanes. A kernel is
// turned by exchanging the dimensions that its ids and sizes name, in its tree; its entry reads the launch in the same order,
// so that nothing between the two knows of it.
#pragma once

#include <string>

#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

// Whether the size of its groups can matter: it asks for ids of several dimensions, its groups are not joined, and it can be
// turned.
bool isTurnable(const Program& program, const Function& kernel);

// Whether it can be turned: each id names its dimension, no helper asks for one, and no other function calls the kernel.
bool canTurn(const Program& program, const Function& kernel);

// Exchanges dimension 0 and another one; once more, and the kernel is as it was.
void turn(Program& program, Function& kernel, uint32_t dimension);

// The dimension of the launch that is number `d` in the kernel's text, and the other way round.
inline uint32_t turnedDimension(const Function& kernel, uint32_t d) {
  return d == 0 ? kernel.turned : d == kernel.turned ? 0 : d;
}

// The size of its groups in the order of the launch, as far as it is known: by an attribute, an option, or launches so far.
struct GroupSize {
  uint32_t items[3] = {0, 0, 0};  // zeros: not known
  bool isKnown() const { return items[0] != 0; }
};
GroupSize knownGroupSize(const Function& kernel, const BuildOptions& options);

// In C++: whether lanes along dimension 1 cost less in the groups of a launch than lanes along 0, by what an item costs in full
// vectors along both.
std::string turnsPay(double across, double down, uint32_t lanes);

// How much more an item of a row of so many costs in vectors of `lanes` items than if they were full: 1 or more.
double emptyLanes(uint32_t items, uint32_t lanes);

}  // namespace manyrt::compiler
