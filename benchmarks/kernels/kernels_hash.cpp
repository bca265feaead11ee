// Hashes and ciphers: exact integers, so every result is compared bit by bit with a plain implementation here.
#include <array>
#include <bit>

#include "kernel_case.h"

namespace sixty {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }

std::vector<std::uint8_t> bytesOf(std::size_t count, std::uint32_t seed) {
  std::vector<std::uint8_t> result;
  for (std::uint32_t value : integers(count, seed, 256)) result.push_back(static_cast<std::uint8_t>(value));
  return result;
}

// murmur4 ------------------------------------------------------------------------------------------------------------------

std::size_t murmurBlocks(std::size_t scale) { return scale == 0 ? 3 : 16; }

Case murmurCase(std::size_t scale) {
  const std::size_t items = scale == 0 ? 101 : 20000, blocks = murmurBlocks(scale);
  Case result;
  result.buffers = {input(integers(4 * items * blocks, 51, 0)), output(Words(4 * items)), output(Words(items))};
  result.launches = {over("murmur4", {items, 1, 1}, {scale == 0 ? 17u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(u32(blocks)), scalar(u32(items))})};
  return result;
}

void murmurReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::size_t items = count<std::uint32_t>(buffers[2]), blocks = murmurBlocks(scale);
  for (std::size_t i = 0; i < items; ++i) {
    std::uint32_t folded = 0;
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint32_t hash = u32(lane + 1 + i);
      for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint32_t block = data<std::uint32_t>(buffers[0])[4 * (b * items + i) + lane];
        hash ^= std::rotl(block * 0xcc9e2d51u, 15) * 0x1b873593u;
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64u;
      }
      hash ^= u32(blocks * 16);
      hash = (hash ^ hash >> 16) * 0x85ebca6bu;
      hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
      hash ^= hash >> 16;
      data<std::uint32_t>(buffers[1])[4 * i + lane] = hash;
      folded ^= hash;
    }
    data<std::uint32_t>(buffers[2])[i] = folded;
  }
}

// sha256 -------------------------------------------------------------------------------------------------------------------

__extension__ typedef unsigned __int128 Wide;

// The first 32 bits after the point of the `power`-th root of a prime: exact by a search in integers of 128 bits.
std::uint32_t rootBits(std::uint64_t prime, int power) {
  Wide low = 0, high = static_cast<Wide>(1) << 37;  // the root times 2^32
  while (high - low > 1) {
    const Wide middle = (low + high) / 2;
    bool below;
    if (power == 2) {
      below = middle * middle <= static_cast<Wide>(prime) << 64;
    } else {  // middle^3 <= prime * 2^96, with the lowest 32 bits of the square apart
      const Wide square = middle * middle;
      const Wide product = (square >> 32) * middle + ((square & 0xffffffff) * middle >> 32);
      below = product < static_cast<Wide>(prime) << 64;
    }
    (below ? low : high) = middle;
  }
  return static_cast<std::uint32_t>(low);
}

std::array<std::uint32_t, 64> primes() {
  std::array<std::uint32_t, 64> result{};
  std::size_t found = 0;
  for (std::uint32_t candidate = 2; found < result.size(); ++candidate) {
    bool prime = true;
    for (std::size_t i = 0; i < found; ++i) prime = prime && candidate % result[i] != 0;
    if (prime) result[found++] = candidate;
  }
  return result;
}

Case shaCase(std::size_t scale) {
  const std::size_t messages = scale == 0 ? 19 : 4096;
  Case result;
  result.buffers = {input(integers(16 * messages, 52, 0)), output(Words(8 * messages))};
  result.launches = {over("sha256", {messages, 1, 1}, {scale == 0 ? 3u : 64u, 1, 1},
                          {buffer(0), buffer(1), scalar(static_cast<std::int32_t>(messages))})};
  return result;
}

void shaReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::array<std::uint32_t, 64> prime = primes();
  std::array<std::uint32_t, 8> start;
  std::array<std::uint32_t, 64> round;
  for (std::size_t i = 0; i < 8; ++i) start[i] = rootBits(prime[i], 2);
  for (std::size_t i = 0; i < 64; ++i) round[i] = rootBits(prime[i], 3);
  const std::size_t messages = count<std::uint32_t>(buffers[1]) / 8;
  for (std::size_t m = 0; m < messages; ++m) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 64; ++i) {
      if (i < 16) {
        w[i] = data<std::uint32_t>(buffers[0])[16 * m + i];
      } else {
        const std::uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
      }
    }
    std::array<std::uint32_t, 8> s = start;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t t1 =
          s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice + round[i] + w[i];
      const std::uint32_t t2 = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) data<std::uint32_t>(buffers[1])[8 * m + i] = start[i] + s[i];
  }
}

// crc32_table --------------------------------------------------------------------------------------------------------------

std::uint32_t crcOfByte(std::uint32_t crc) {
  for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  return crc;
}

Case crcCase(std::size_t scale) {
  const std::size_t records = scale == 0 ? 23 : 4000;
  Words table, offsets{0};
  for (std::uint32_t i = 0; i < 256; ++i) table.push_back(crcOfByte(i));
  for (std::uint32_t length : integers(records, 53, scale == 0 ? 60 : 200)) offsets.push_back(offsets.back() + length);
  Case result;
  result.buffers = {input(table), input(bytesOf(offsets.back(), 54)), input(offsets), output(Words(records))};
  result.launches = {over("crc32_table", {records, 1, 1}, {scale == 0 ? 5u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), scalar(u32(records))})};
  return result;
}

void crcReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::uint32_t* offsets = data<std::uint32_t>(buffers[2]);
  for (std::size_t record = 0; record < count<std::uint32_t>(buffers[3]); ++record) {
    std::uint32_t crc = ~0u;
    for (std::uint32_t at = offsets[record]; at < offsets[record + 1]; ++at)
      crc = crcOfByte((crc ^ data<std::uint8_t>(buffers[1])[at]) & 0xff) ^ crc >> 8;
    data<std::uint32_t>(buffers[3])[record] = ~crc;
  }
}

// chacha20 -----------------------------------------------------------------------------------------------------------------

constexpr std::array<std::uint32_t, 4> kNonce = {0xfffffffeu, 0x09000000u, 0x4a000000u, 0x31415927u};  // the counter wraps

Case chachaCase(std::size_t scale) {
  const std::size_t blocks = scale == 0 ? 13 : 8192;
  Case result;
  result.buffers = {input(integers(8, 55, 0)), input(integers(16 * blocks, 56, 0)), output(Words(16 * blocks))};
  result.launches = {over("chacha20", {blocks, 1, 1}, {scale == 0 ? 3u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(kNonce), scalar(static_cast<std::int32_t>(blocks))})};
  return result;
}

void quarter(std::array<std::uint32_t, 16>& s, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  s[a] += s[b], s[d] = std::rotl(s[d] ^ s[a], 16);
  s[c] += s[d], s[b] = std::rotl(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = std::rotl(s[d] ^ s[a], 8);
  s[c] += s[d], s[b] = std::rotl(s[b] ^ s[c], 7);
}

void chachaReference(std::vector<Buffer>& buffers, std::size_t) {
  for (std::size_t block = 0; block < count<std::uint32_t>(buffers[2]) / 16; ++block) {
    std::array<std::uint32_t, 16> start{};
    const char words[] = "expand 32-byte k";
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t byte = 0; byte < 4; ++byte) start[i] |= static_cast<std::uint32_t>(words[4 * i + byte]) << 8 * byte;
      start[12 + i] = kNonce[i];
    }
    start[12] += u32(block);
    for (std::size_t i = 0; i < 8; ++i) start[4 + i] = data<std::uint32_t>(buffers[0])[i];
    std::array<std::uint32_t, 16> s = start;
    for (int round = 0; round < 10; ++round) {
      for (std::size_t i = 0; i < 4; ++i) quarter(s, i, i + 4, i + 8, i + 12);
      for (std::size_t i = 0; i < 4; ++i) quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (std::size_t i = 0; i < 16; ++i)
      data<std::uint32_t>(buffers[2])[16 * block + i] = data<std::uint32_t>(buffers[1])[16 * block + i] ^ (s[i] + start[i]);
  }
}

// sbox_rounds --------------------------------------------------------------------------------------------------------------

std::size_t sboxRounds(std::size_t scale) { return scale == 0 ? 3 : 10; }

Case sboxCase(std::size_t scale) {
  const std::size_t blocks = scale == 0 ? 21 : 4096, rounds = sboxRounds(scale);
  std::vector<std::uint8_t> sbox(256);
  for (std::size_t i = 0; i < 256; ++i) sbox[i] = static_cast<std::uint8_t>(i);
  const Words picks = integers(256, 57, 0);
  for (std::size_t i = 255; i > 0; --i) std::swap(sbox[i], sbox[picks[i] % (i + 1)]);
  Case result;
  result.buffers = {input(sbox), input(bytesOf(16 * (rounds + 1), 58)), input(bytesOf(16 * blocks, 59)),
                    output(std::vector<std::uint8_t>(16 * blocks))};
  result.launches = {over("sbox_rounds", {blocks, 1, 1}, {scale == 0 ? 9u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(256), scalar(u32(rounds)), scalar(u32(blocks))})};
  return result;
}

std::uint8_t twice(std::uint8_t x) { return static_cast<std::uint8_t>(x & 0x80 ? x * 2 ^ 0x11b : x * 2); }

void sboxReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::uint8_t* sbox = data<std::uint8_t>(buffers[0]);
  const std::uint8_t* keys = data<std::uint8_t>(buffers[1]);
  for (std::size_t block = 0; block < count<std::uint8_t>(buffers[3]) / 16; ++block) {
    std::array<std::uint8_t, 16> state;
    for (std::size_t i = 0; i < 16; ++i) state[i] = data<std::uint8_t>(buffers[2])[16 * block + i] ^ keys[i];
    for (std::size_t round = 1; round <= sboxRounds(scale); ++round) {
      std::array<std::uint8_t, 16> moved;
      for (std::size_t i = 0; i < 16; ++i) moved[i] = sbox[state[(i + 4 * (i % 4)) % 16]];
      for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t c = i / 4 * 4;
        const std::uint8_t next = moved[c + (i + 1) % 4];
        state[i] = static_cast<std::uint8_t>(twice(moved[i]) ^ twice(next) ^ next ^ moved[c + (i + 2) % 4] ^
                                             moved[c + (i + 3) % 4] ^ keys[16 * round + i]);
      }
    }
    for (std::size_t i = 0; i < 16; ++i) data<std::uint8_t>(buffers[3])[16 * block + i] = state[i];
  }
}

// feistel64 ----------------------------------------------------------------------------------------------------------------

constexpr std::uint64_t kStart = 0xfffffff0u;  // the upper half of a block changes within the first group

std::uint32_t feistelRounds(std::size_t scale) { return scale == 0 ? 5 : 32; }

Case feistelCase(std::size_t scale) {
  const std::size_t blocks = scale == 0 ? 51 : 50000;
  const Words words = integers(2 * blocks, 61, 0);
  std::vector<std::uint64_t> text;
  for (std::size_t i = 0; i < blocks; ++i) text.push_back(std::uint64_t{words[2 * i]} << 32 | words[2 * i + 1]);
  Case result;
  result.buffers = {input(integers(4, 60, 0)), input(text), output(std::vector<std::uint64_t>(blocks))};
  result.launches = {
      over("feistel64", {blocks, 1, 1}, {scale == 0 ? 7u : 64u, 1, 1},
           {buffer(0), buffer(1), buffer(2), scalar(kStart), scalar(feistelRounds(scale)), scalar(std::uint64_t{blocks})})};
  return result;
}

void feistelReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::uint32_t* key = data<std::uint32_t>(buffers[0]);
  for (std::size_t i = 0; i < count<std::uint64_t>(buffers[2]); ++i) {
    std::array<std::uint32_t, 2> half = {static_cast<std::uint32_t>((kStart + i) >> 32),
                                         static_cast<std::uint32_t>(kStart + i)};
    for (std::uint32_t step = 0; step < 2 * feistelRounds(scale); ++step) {
      const std::uint32_t sum = (step + 1) / 2 * 0x9e3779b9u;
      const std::uint32_t other = half[1 - step % 2];
      const std::uint32_t part = key[(step % 2 == 0 ? sum : sum >> 11) & 3];
      half[step % 2] += ((other << 4 ^ other >> 5) + other) ^ (sum + part);
    }
    data<std::uint64_t>(buffers[2])[i] = data<std::uint64_t>(buffers[1])[i] ^ (std::uint64_t{half[0]} << 32 | half[1]);
  }
}

}  // namespace

std::vector<Kernel> hashKernels() {
  return {
      {"murmur4", "hash", "murmur4.cl", "", murmurCase, murmurReference},
      {"sha256", "hash", "sha256.cl", "", shaCase, shaReference},
      {"crc32_table", "hash", "crc32_table.cl", "", crcCase, crcReference},
      {"chacha20", "hash", "chacha20.cl", "", chachaCase, chachaReference},
      {"sbox_rounds", "hash", "sbox_rounds.cl", "", sboxCase, sboxReference},
      {"feistel64", "hash", "feistel64.cl", "", feistelCase, feistelReference},
  };
}

}  // namespace sixty
