// BLAKE2b with 32 bytes. Without a key it names cache entries: a build's key is the digest of all that it depends on. With a
// key it is a code that tells which messages come from a holder of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace manyrt {

using Digest = std::array<unsigned char, 32>;

class Blake2b {
 public:
  Blake2b();
  explicit Blake2b(const Digest& key);  // what no other key, nor none, has
  // Text of known length: its length goes in before it, so that two parts never read as one.
  void addPart(std::string_view part);
  void add(const void* data, size_t size);
  Digest finish();

 private:
  static constexpr size_t kBlockBytes = 128;
  uint64_t state_[8];
  uint64_t length_ = 0;  // bytes that have been mixed into the state
  size_t held_ = 0;      // bytes in block_: the last block waits for the end, as it is mixed in otherwise
  unsigned char block_[kBlockBytes];
};

std::string hexadecimal(const Digest& digest);

}  // namespace manyrt
