// How bytes move. Up to a size one thread copies; above it, several threads take pieces. Beyond
// the caches, stores do not read what they overwrite.
#include "backends/cpu/transfer.h"

#include <cstring>

#include "backends/cpu/engine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace manyrt::cpu {
namespace {

constexpr uint64_t kStreamBytes = 8 << 20;   // above, stores go around the caches
constexpr uint64_t kPieceBytes = 512 << 10;  // one piece of a spread transfer
constexpr int64_t kBytesPerNanosecond = 10;  // to judge whether waking a worker pays

#if defined(__x86_64__)
__attribute__((target("avx2"))) inline void copyLine(unsigned char* dst, const unsigned char* src) {
  __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
  __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + 32));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), low);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + 32), high);
}

// Stores whole cache lines around the caches. Four pages at a time keep more of the memory's banks busy than one does; a
// prefetch far ahead halves the speed.
__attribute__((target("avx2"))) void copyAround(unsigned char* dst, const unsigned char* src, uint64_t size) {
  constexpr uint64_t kLine = 64, kPage = 4096, kPages = 4;
  // Streaming stores need aligned addresses, and a line that is not written whole costs a read after all.
  uint64_t head = (kLine - (reinterpret_cast<uintptr_t>(dst) & (kLine - 1))) & (kLine - 1);
  memcpy(dst, src, head);
  dst += head;
  src += head;
  size -= head;
  for (; size >= kPages * kPage; size -= kPages * kPage, dst += kPages * kPage, src += kPages * kPage) {
    for (uint64_t line = 0; line < kPage; line += kLine) {
      for (uint64_t page = 0; page < kPages; ++page) copyLine(dst + page * kPage + line, src + page * kPage + line);
    }
  }
  for (; size >= kLine; size -= kLine, dst += kLine, src += kLine) copyLine(dst, src);
  // Streaming stores are not ordered by a release: without the fence a thread that sees the copy done might read old bytes.
  _mm_sfence();
  memcpy(dst, src, size);
}
bool canCopyAround() {
  static const bool can = __builtin_cpu_supports("avx2") != 0;
  return can;
}
#else
void copyAround(unsigned char* dst, const unsigned char* src, uint64_t size) { memcpy(dst, src, size); }
bool canCopyAround() { return false; }
#endif

struct CopyRun {
  const backend::Copy* copy;
  uint64_t piece;  // bytes of an index where there is one row, else an index is a row
  bool around;
};

void copyPiece(void* user, uint64_t begin, uint64_t end, uint32_t) {
  const CopyRun& run = *static_cast<CopyRun*>(user);
  const backend::Copy& copy = *run.copy;
  unsigned char* dst = static_cast<unsigned char*>(copy.dst);
  const unsigned char* src = static_cast<const unsigned char*>(copy.src);
  auto bytes = [&](uint64_t dst_at, uint64_t src_at, uint64_t size) {
    if (run.around && size >= 4096) {
      copyAround(dst + dst_at, src + src_at, size);
    } else {
      memcpy(dst + dst_at, src + src_at, size);
    }
  };
  if (run.piece != 0) {
    uint64_t from = begin * run.piece;
    uint64_t to = end * run.piece < copy.width ? end * run.piece : copy.width;
    bytes(from, from, to - from);
    return;
  }
  for (uint64_t row = begin; row < end; ++row) bytes(row * copy.dst_pitch, row * copy.src_pitch, copy.width);
}

// Writes `size` bytes that begin with the first byte of the pattern.
void fillBytes(unsigned char* dst, const unsigned char* pattern, uint32_t pattern_size, uint64_t size) {
  if (pattern_size == 1) {
    memset(dst, pattern[0], size);
    return;
  }
  // A multiple of every pattern, so that blocks follow each other without a seam.
  unsigned char block[256];
  for (uint32_t at = 0; at < sizeof block; at += pattern_size) memcpy(block + at, pattern, pattern_size);
  for (; size >= sizeof block; size -= sizeof block, dst += sizeof block) memcpy(dst, block, sizeof block);
  memcpy(dst, block, size);
}

struct FillRun {
  const backend::Fill* fill;
  uint32_t pattern_size;
  uint64_t piece;  // as CopyRun's; a multiple of every pattern
};

void fillPiece(void* user, uint64_t begin, uint64_t end, uint32_t) {
  const FillRun& run = *static_cast<FillRun*>(user);
  const backend::Fill& fill = *run.fill;
  unsigned char* dst = static_cast<unsigned char*>(fill.dst);
  if (run.piece != 0) {
    uint64_t from = begin * run.piece;
    uint64_t to = end * run.piece < fill.width ? end * run.piece : fill.width;
    fillBytes(dst + from, fill.pattern, run.pattern_size, to - from);
    return;
  }
  for (uint64_t row = begin; row < end; ++row) fillBytes(dst + row * fill.pitch, fill.pattern, run.pattern_size, fill.width);
}

// Spreads `height` rows of `width` bytes, or one row in pieces.
void spread(Engine& engine, JobBody body, void* run, uint64_t width, uint64_t height, bool foreign) {
  // Rows are the pieces where there are several. Short ones are dealt out together, up to the bytes of a piece.
  uint64_t total = height == 1 ? (width + kPieceBytes - 1) / kPieceBytes : height;
  uint64_t chunk = height == 1 || width >= kPieceBytes ? 1 : kPieceBytes / width;
  engine.share(body, run, total, {chunk, chunk, chunk}, static_cast<int64_t>(width * height) / kBytesPerNanosecond, foreign);
}

}  // namespace

void copyRows(Engine& engine, const backend::Copy& given, bool foreign) {
  if (given.width == 0 || given.height == 0) return;
  if (copyIsShort(given)) [[likely]] {
    memcpy(given.dst, given.src, given.width);
    return;
  }
  backend::Copy copy = given;
  if (copy.height > 1 && copy.dst_pitch == copy.width && copy.src_pitch == copy.width) {
    // Rows without gaps are one row, which is cut in pieces of equal size.
    copy.width *= copy.height;
    copy.height = 1;
  }
  uint64_t bytes = copy.width * copy.height;
  CopyRun run{&copy, copy.height == 1 ? kPieceBytes : 0, bytes > kStreamBytes && canCopyAround()};
  // On this thread: handing pieces to others would take longer than the copy.
  if (bytes <= kSharedBytes) {
    copyPiece(&run, 0, copy.height == 1 ? (bytes + kPieceBytes - 1) / kPieceBytes : copy.height, 0);
  } else {
    spread(engine, copyPiece, &run, copy.width, copy.height, foreign);
  }
}

void fillRows(Engine& engine, const backend::Fill& given, bool foreign) {
  if (given.width == 0 || given.height == 0) return;
  backend::Fill fill = given;
  if (fill.height > 1 && fill.pitch == fill.width) {
    fill.width *= fill.height;
    fill.height = 1;
  }
  uint32_t size = fill.pattern_size;
  // A pattern of equal halves is a shorter one. So zeros of any size become memset().
  while (size > 1 && memcmp(fill.pattern, fill.pattern + size / 2, size / 2) == 0) size /= 2;
  uint64_t bytes = fill.width * fill.height;
  FillRun run{&fill, size, fill.height == 1 ? kPieceBytes : 0};
  // As for copies.
  if (bytes <= kSharedBytes) {
    fillPiece(&run, 0, fill.height == 1 ? (bytes + kPieceBytes - 1) / kPieceBytes : fill.height, 0);
  } else {
    spread(engine, fillPiece, &run, fill.width, fill.height, foreign);
  }
}

}  // namespace manyrt::cpu
