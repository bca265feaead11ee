// One kernel of the sixty: its source, its data, its launches, and what its result has to be. The files kernels_<class>.cpp
// define them; the benchmark bench_sixty and the test kernels.sixty run them. Nothing here knows a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sixty {

enum class Element { Float, Double, Int, Uint, Uchar, Ushort, Ulong };  // how a buffer's bytes are compared

struct Buffer {
  std::vector<std::byte> bytes;  // what the buffer holds before the first launch (restored before a checked run)
  Element element = Element::Float;
  bool checked = false;               // compared with the reference after the launches
  double relative = 0, absolute = 0;  // Float, Double: |found - expected| <= absolute + relative * |expected|; 0 and 0: exact
};

struct Argument {  // one of: a buffer by index, a scalar (or a vector) by its bytes, a count of bytes of local memory
  enum class Kind { Buffer, Scalar, Local } kind = Kind::Buffer;
  std::size_t buffer_or_size = 0;
  std::array<std::byte, 16> scalar{};  // with scalar_size bytes used
  std::size_t scalar_size = 0;
};

struct Launch {
  std::string kernel;
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1};  // OpenCL's words: global is a multiple of local
  std::vector<Argument> arguments;
};

struct Case {
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;  // one timed run performs all of them in order
  bool restore = false;          // the buffers are restored before each timed run, outside its time: for sorting in place
};

struct Kernel {
  const char* name;     // "spmv_csr"; unique
  const char* room;     // its class: "dense", "sparse", "stencil", "sort", "scan", "histogram", "graph", "hash", "monte_carlo",
                        // "dynamic", "ray", "fft", "string", "neural"
  const char* source;   // a file of benchmarks/kernels/sources: "spmv_csr.cl"
  const char* options;  // build options without -cl-fast-relaxed-math; the tolerances hold with it and without
  Case (*make)(std::size_t scale);  // 0: a small odd size for tests (odd sizes, odd groups); 1: for benchmarks (0.2 to 5 ms)
  void (*reference)(std::vector<Buffer>& buffers, std::size_t scale);  // makes the result, in double or exact integers, of
                                                                       // the buffers as make() left them
  const char* by_hand = nullptr;  // a function of openmp_sixty.c, for single launches: void (void* const* arguments), in which
                                  // a buffer is its data, a scalar its address, local memory null
};

// Every class file defines one of these; kernel_list.cpp joins them.
std::vector<Kernel> denseKernels();
std::vector<Kernel> sparseKernels();
std::vector<Kernel> stencilKernels();
std::vector<Kernel> sortKernels();
std::vector<Kernel> scanKernels();
std::vector<Kernel> histogramKernels();
std::vector<Kernel> graphKernels();
std::vector<Kernel> hashKernels();
std::vector<Kernel> monteCarloKernels();
std::vector<Kernel> dynamicKernels();
std::vector<Kernel> rayKernels();
std::vector<Kernel> fftKernels();
std::vector<Kernel> stringKernels();
std::vector<Kernel> neuralKernels();
std::vector<Kernel> allKernels();

// How class files write cases. -------------------------------------------------------------------------------------------

template <class T>
constexpr Element elementOf() {
  if constexpr (std::is_same_v<T, float>) return Element::Float;
  if constexpr (std::is_same_v<T, double>) return Element::Double;
  if constexpr (std::is_same_v<T, std::int32_t>) return Element::Int;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Element::Uint;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Element::Uchar;
  if constexpr (std::is_same_v<T, std::uint16_t>) return Element::Ushort;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Element::Ulong;
}

// A buffer that is only read, or whose result does not matter.
template <class T>
Buffer input(const std::vector<T>& contents) {
  Buffer buffer;
  buffer.element = elementOf<T>();
  buffer.bytes.resize(contents.size() * sizeof(T));
  std::memcpy(buffer.bytes.data(), contents.data(), buffer.bytes.size());
  return buffer;
}

// A buffer that is compared with the reference.
template <class T>
Buffer output(const std::vector<T>& contents, double relative = 0, double absolute = 0) {
  Buffer buffer = input(contents);
  buffer.checked = true;
  buffer.relative = relative;
  buffer.absolute = absolute;
  return buffer;
}

inline Argument buffer(std::size_t index) { return {Argument::Kind::Buffer, index, {}, 0}; }
inline Argument local(std::size_t bytes) { return {Argument::Kind::Local, bytes, {}, 0}; }
template <class T>
Argument scalar(const T& value) {  // give it the kernel's type exactly: scalar(std::uint32_t{5}), scalar(0.5f)
  static_assert(sizeof(T) <= 16);
  Argument argument{Argument::Kind::Scalar, 0, {}, sizeof(T)};
  std::memcpy(argument.scalar.data(), &value, sizeof(T));
  return argument;
}

// The elements of a buffer.
template <class T>
T* data(Buffer& buffer) {
  return reinterpret_cast<T*>(buffer.bytes.data());
}
template <class T>
std::size_t count(const Buffer& buffer) {
  return buffer.bytes.size() / sizeof(T);
}

inline std::size_t roundUp(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

using Sizes3 = std::array<std::size_t, 3>;

// A launch with an item for each of `items` at least: the grid is rounded up to whole groups.
inline Launch over(const char* kernel, Sizes3 items, Sizes3 group, std::vector<Argument> arguments) {
  for (std::size_t axis = 0; axis < 3; ++axis) items[axis] = roundUp(items[axis], group[axis]);
  return {kernel, items, group, std::move(arguments)};
}

// The same numbers in every run: floats in [low, high), integers in [0, bound) (0: all 32 bits).
std::vector<float> floats(std::size_t count, std::uint32_t seed, float low = -0.5f, float high = 0.5f);
std::vector<std::uint32_t> integers(std::size_t count, std::uint32_t seed, std::uint32_t bound);

// How a checked buffer differs from what is expected: empty if it does not, else a sentence with the first difference. `more`
// is added to both tolerances of floating-point elements.
std::string difference(const Buffer& expected, const std::vector<std::byte>& found, double more = 0);

}  // namespace sixty
