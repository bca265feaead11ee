// Reductions on memory of the host: loops over elements, one for each type and reduction. They know no ranks.
#pragma once

#include <cstdint>

namespace manyrt::comm {

// out[i] = a[i] reduced with b[i]; an average adds. `out` is `a`, is `b`, or is apart from both. Valid numbers alone.
void combineOnHost(int32_t type, int32_t reduction, void* out, const void* a, const void* b, uint64_t count);

// The whole of a reduction: `result` of the elements of `ranks` operands, taken in their order, divided at last for an average.
// So all ranks that call it get the same bits. `result` is one of the operands or apart from all.
void reduceOnHost(int32_t type, int32_t reduction, void* result, const void* const* operands, int32_t ranks, uint64_t count);

// data[i] = data[i] / divisor: the end of an average. Integers are truncated towards 0.
void divideOnHost(int32_t type, void* data, uint64_t count, uint32_t divisor);

}  // namespace manyrt::comm
