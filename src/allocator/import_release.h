// The end of imported memory whose owner wants to be told. Work of streams may still use it when the program frees it, and so
// may graphs: the owner is told after all of them.
#pragma once

#include "allocator/region.h"

namespace manyrt::allocator {

// Takes memory that no pool made, that the program has freed, and that no graph names, out of the address map, and gives it
// back. Never fails. Called once for each region.
void releaseImported(Region& region);

// Waits, a second at most, until all owners are told whose memory no work uses any more. At the shutdown.
void finishImportReleases();

}  // namespace manyrt::allocator
