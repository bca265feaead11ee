// SHA-256 (FIPS 180-4) in plain C++, one loop for every processor. Fed by the pipelines through sha256.h.
#include "compiler/cache/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace manyrt::compiler {
namespace {

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const unsigned char* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | uint32_t{at[3]};
}

// One round. In the standard's words the eight variables move on by one each time; here the callers name them anew instead,
// which keeps them in registers.
inline void turn(uint32_t a, uint32_t b, uint32_t c, uint32_t& d, uint32_t e, uint32_t f, uint32_t g, uint32_t& h,
                 uint32_t word) {
  const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + (g ^ (e & (f ^ g))) + word;
  d += first;
  h = first + (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) | (c & (a | b)));
}

void addBlocks(uint32_t state[8], const unsigned char* data, size_t count) {
  for (; count > 0; --count, data += 64) {
    uint32_t words[64];
    for (int i = 0; i < 16; ++i) words[i] = bigEndian(data + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const uint32_t x = words[i - 15], y = words[i - 2];
      words[i] = words[i - 16] + words[i - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) +
                 (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    for (int i = 0; i < 64; ++i) words[i] += kRound[i];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (const uint32_t* w = words; w != words + 64; w += 8) {
      turn(a, b, c, d, e, f, g, h, w[0]);
      turn(h, a, b, c, d, e, f, g, w[1]);
      turn(g, h, a, b, c, d, e, f, w[2]);
      turn(f, g, h, a, b, c, d, e, w[3]);
      turn(e, f, g, h, a, b, c, d, w[4]);
      turn(d, e, f, g, h, a, b, c, w[5]);
      turn(c, d, e, f, g, h, a, b, w[6]);
      turn(b, c, d, e, f, g, h, a, w[7]);
    }
    const uint32_t ends[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += ends[i];
  }
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, block_{} {}

void Sha256::addPart(std::string_view part) {
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(uint64_t{part.size()} >> (8 * i));
  add(length, sizeof length);
  add(part.data(), part.size());
}

void Sha256::add(const void* data, size_t size) {
  if (size == 0) return;  // data may be null then
  const unsigned char* at = static_cast<const unsigned char*>(data);
  size_t held = length_ % 64;
  length_ += size;
  if (held != 0) {
    const size_t taken = std::min(size, 64 - held);
    memcpy(block_ + held, at, taken);
    at += taken;
    size -= taken;
    if (held + taken < 64) return;
    addBlocks(state_, block_, 1);
  }
  addBlocks(state_, at, size / 64);
  if (size % 64 != 0) memcpy(block_, at + size / 64 * 64, size % 64);
}

Digest Sha256::finish() {
  const uint64_t bits = length_ * 8;
  unsigned char end[72] = {0x80};
  const size_t zeros = (119 - length_ % 64) % 64 + 1;  // with the byte 0x80: up to 8 bytes before the end of a block
  for (size_t i = 0; i < 8; ++i) end[zeros + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  add(end, zeros + 8);
  Digest digest;
  for (size_t i = 0; i < 32; ++i) digest[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
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

}  // namespace manyrt::compiler
