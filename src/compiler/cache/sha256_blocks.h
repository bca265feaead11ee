// The two ways to compute SHA-256's blocks, apart from the class that feeds them, so that a test can compare them. Whoever
// wants a digest uses sha256.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manyrt::compiler::sha256 {

void portableBlocks(uint32_t state[8], const unsigned char* data, size_t count);  // of 64 bytes each
void nativeBlocks(uint32_t state[8], const unsigned char* data, size_t count);    // only where nativeAvailable()
bool nativeAvailable();

}  // namespace manyrt::compiler::sha256
