// Functions on vectors that CUDA does otherwise than the CPU; found before those of vector.h. A GPU has no use for a prefetch
// of the C compiler's. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <Element T, int... I>
void prefetch(const Vector<T, I...>* p, unsigned long count) {}

}  // namespace manyrt::library
