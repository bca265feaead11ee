// BLAKE2b (RFC 7693) in plain C++, one loop for every processor: several times as fast as SHA-256 where neither has
// instructions of its own. Fed through blake2b.h by the compiler's pipelines, and by ranks that meet over a network.
#include "base/blake2b.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace manyrt {
namespace {

constexpr uint64_t kInitial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// Which words of the block each round takes, in turn.
constexpr uint8_t kOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

uint64_t littleEndian(const unsigned char* at) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | at[i];
  return word;
}

inline void mix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, uint64_t x, uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

// `length` counts the bytes up to the end of this block.
void addBlock(uint64_t state[8], const unsigned char* data, uint64_t length, bool last) {
  uint64_t words[16], v[16];
  for (int i = 0; i < 16; ++i) words[i] = littleEndian(data + 8 * i);
  for (int i = 0; i < 8; ++i) {
    v[i] = state[i];
    v[i + 8] = kInitial[i];
  }
  v[12] ^= length;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; ++round) {
    const uint8_t* order = kOrder[round % 10];
#pragma GCC unroll 4  // so that the sixteen words stay in registers
    for (int i = 0; i < 4; ++i) mix(v[i], v[4 + i], v[8 + i], v[12 + i], words[order[2 * i]], words[order[2 * i + 1]]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], words[order[8 + 2 * i]], words[order[9 + 2 * i]]);
    }
  }
  for (int i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

Blake2b::Blake2b() : block_{} {
  std::copy(kInitial, kInitial + 8, state_);
  state_[0] ^= 0x01010000 ^ sizeof(Digest);  // no key, one leaf, so many bytes
}

// The key is a block of its own before the text.
Blake2b::Blake2b(const Digest& key) : Blake2b() {
  state_[0] ^= uint64_t{sizeof key} << 8;
  std::copy(key.begin(), key.end(), block_);
  held_ = kBlockBytes;
}

void Blake2b::addPart(std::string_view part) {
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(uint64_t{part.size()} >> (8 * i));
  add(length, sizeof length);
  add(part.data(), part.size());
}

void Blake2b::add(const void* data, size_t size) {
  const auto* at = static_cast<const unsigned char*>(data);
  while (size > 0) {
    if (held_ == kBlockBytes) {  // there is more after it, so that it is not the last
      length_ += kBlockBytes;
      addBlock(state_, block_, length_, false);
      held_ = 0;
    }
    const size_t taken = std::min(size, kBlockBytes - held_);
    memcpy(block_ + held_, at, taken);
    held_ += taken;
    at += taken;
    size -= taken;
  }
}

Digest Blake2b::finish() {
  std::fill(block_ + held_, block_ + kBlockBytes, static_cast<unsigned char>(0));
  addBlock(state_, block_, length_ + held_, true);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<unsigned char>(state_[i / 8] >> (8 * (i % 8)));
  return digest;
}

std::string hexadecimal(const Digest& digest) {
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace manyrt
