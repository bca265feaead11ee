// The driver fills with 1, 2 or 4 bytes. Wider patterns are written word by word into a first piece, as columns of words.
// That piece is then copied on, each time as much as there is. So the number of commands grows with the logarithm of the
// size.
#include "backends/cuda/fill.h"

#include <algorithm>
#include <cstring>

#include "backends/cuda/error.h"

namespace manyrt::cuda {
namespace {

constexpr uint64_t kPieceBytes = 4096;  // what is written word by word

template <class Word>
Word word(const unsigned char* pattern) {
  Word value;
  memcpy(&value, pattern, sizeof value);
  return value;
}

Error narrow(const backend::Fill& fill, NativeStream stream, const char** call) {
  const auto dst = reinterpret_cast<DriverAddress>(fill.dst);
  const uint64_t count = fill.width / fill.pattern_size;
  const bool flat = fill.height == 1;
  // Set before the call: a failure names it.
  *call = flat ? "cuMemsetAsync" : "cuMemset2DAsync";
  switch (fill.pattern_size) {
    case 1:
      return flat ? RT_CUDA_CALL(cuMemsetD8Async, dst, fill.pattern[0], count, stream)
                  : RT_CUDA_CALL(cuMemsetD2D8Async, dst, fill.pitch, fill.pattern[0], count, fill.height, stream);
    case 2:
      return flat ? RT_CUDA_CALL(cuMemsetD16Async, dst, word<uint16_t>(fill.pattern), count, stream)
                  : RT_CUDA_CALL(cuMemsetD2D16Async, dst, fill.pitch, word<uint16_t>(fill.pattern), count, fill.height, stream);
    default:
      return flat ? RT_CUDA_CALL(cuMemsetD32Async, dst, word<uint32_t>(fill.pattern), count, stream)
                  : RT_CUDA_CALL(cuMemsetD2D32Async, dst, fill.pitch, word<uint32_t>(fill.pattern), count, fill.height, stream);
  }
}

// One row of a wide pattern.
Error wideRow(const backend::Fill& fill, NativeStream stream, const char** call) {
  const auto dst = reinterpret_cast<DriverAddress>(fill.dst);
  // One fill for each word of the pattern, with the pattern's size as the pitch: each fill writes one column. Both are
  // multiples of the pattern's size.
  uint64_t filled = std::min(fill.width, kPieceBytes);
  *call = "cuMemsetD2D32Async";
  for (uint32_t at = 0; at < fill.pattern_size; at += 4) {
    const Error error = RT_CUDA_CALL(cuMemsetD2D32Async, dst + at, fill.pattern_size, word<uint32_t>(fill.pattern + at), 1,
                                     filled / fill.pattern_size, stream);
    if (error != kSuccess) return error;
  }
  auto* bytes = static_cast<unsigned char*>(fill.dst);
  *call = "cudaMemcpyAsync";
  while (filled < fill.width) {
    // Source and destination never overlap: the source is what earlier commands of the stream have filled.
    const uint64_t piece = std::min(filled, fill.width - filled);
    const Error error = RT_CUDA_CALL(cudaMemcpyAsync, bytes + filled, bytes, piece, kCopyDefault, stream);
    if (error != kSuccess) return error;
    filled += piece;
  }
  return kSuccess;
}

// The other rows are copies of the first.
Error wide(const backend::Fill& fill, NativeStream stream, const char** call) {
  if (const Error error = wideRow(fill, stream, call); error != kSuccess) return error;
  auto* bytes = static_cast<unsigned char*>(fill.dst);
  *call = "cudaMemcpy2DAsync";
  for (uint64_t rows = 1; rows < fill.height;) {
    const uint64_t more = std::min(rows, fill.height - rows);
    const Error error = RT_CUDA_CALL(cudaMemcpy2DAsync, bytes + rows * fill.pitch, fill.pitch, bytes, fill.pitch, fill.width,
                                     more, kCopyDefault, stream);
    if (error != kSuccess) return error;
    rows += more;
  }
  return kSuccess;
}

}  // namespace

Error fillOnDevice(const backend::Fill& fill, NativeStream stream, const char** call) {
  return fill.pattern_size <= 4 ? narrow(fill, stream, call) : wide(fill, stream, call);
}

}  // namespace manyrt::cuda
