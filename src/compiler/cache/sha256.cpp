// SHA-256 (FIPS 180-4), once in plain C++ and once with the SHA extensions of x86-64, chosen when the program runs.
#include "compiler/cache/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "compiler/cache/sha256_blocks.h"

namespace manyrt::compiler {
namespace sha256 {
namespace {

alignas(16) constexpr uint32_t kRound[64] = {
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

}  // namespace

void portableBlocks(uint32_t state[8], const unsigned char* data, size_t count) {
  for (; count > 0; --count, data += 64) {
    uint32_t words[64];
    for (int i = 0; i < 16; ++i) words[i] = bigEndian(data + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const uint32_t a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
                 (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; ++i) {
      const uint32_t e = v[4], a = v[0];
      const uint32_t first =
          v[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + kRound[i] + words[i];
      const uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
      for (int k = 7; k > 0; --k) v[k] = v[k - 1];
      v[4] += first;
      v[0] = first + second;
    }
    for (int i = 0; i < 8; ++i) state[i] += v[i];
  }
}

#if defined(__x86_64__)

// The instructions keep the eight words as (A, B, E, F) and (C, D, G, H), and take four rounds' words and constants at a time.
__attribute__((target("sha,sse4.1,ssse3"))) void nativeBlocks(uint32_t state[8], const unsigned char* data, size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i abcd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state));
  const __m128i efgh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4));
  const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1), hgfe = _mm_shuffle_epi32(efgh, 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; count > 0; --count, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];  // sixteen words of the schedule, oldest at round % 4
    for (int i = 0; i < 4; ++i) {
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + i), swap);
    }
    for (int round = 0; round < 16; ++round) {
      __m128i now = words[round & 3];
      if (round >= 4) {
        const __m128i last = words[(round + 3) & 3];
        const __m128i nine = _mm_alignr_epi8(last, words[(round + 2) & 3], 4);  // the words seven before
        now = _mm_sha256msg1_epu32(now, words[(round + 1) & 3]);
        now = _mm_sha256msg2_epu32(_mm_add_epi32(now, nine), last);
        words[round & 3] = now;
      }
      now = _mm_add_epi32(now, _mm_load_si128(reinterpret_cast<const __m128i*>(kRound) + round));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, now);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(now, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool nativeAvailable() {
  static const bool available = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    return (b >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1");
  }();
  return available;
}

#else

void nativeBlocks(uint32_t state[8], const unsigned char* data, size_t count) { portableBlocks(state, data, count); }
bool nativeAvailable() { return false; }

#endif

}  // namespace sha256

namespace {
void blocks(uint32_t state[8], const unsigned char* data, size_t count) {
  (sha256::nativeAvailable() ? sha256::nativeBlocks : sha256::portableBlocks)(state, data, count);
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
    blocks(state_, block_, 1);
  }
  blocks(state_, at, size / 64);
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
