// Rows of vectors of components that stay as they lie in memory. Lanes have vectors by components: a vector of lanes for each;
// that takes shuffles from each load and to each store. Where the same is done to all components of all lanes in between, it
// may as well be done to the elements as they lie.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void keepRows(ir::Module& module);

}  // namespace manyrt::compiler::passes
