// How operators are written: for the messages of the parser and for every lowering, in one place.
#pragma once

#include "kernels/front/ast.h"

namespace manyrt::kernels {

const char* spell(Op op);  // "<<"; kNone is "=", the plain assignment

}  // namespace manyrt::kernels
