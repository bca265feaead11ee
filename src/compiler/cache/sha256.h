// SHA-256, for the names of cache entries: a build's key is the digest of all that it depends on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace manyrt::compiler {

using Digest = std::array<unsigned char, 32>;

class Sha256 {
 public:
  Sha256();
  // Text of known length: its length goes in before it, so that two parts never read as one.
  void addPart(std::string_view part);
  void add(const void* data, size_t size);
  Digest finish();

 private:
  uint32_t state_[8];
  uint64_t length_ = 0;
  unsigned char block_[64];
};

std::string hexadecimal(const Digest& digest);

}  // namespace manyrt::compiler
