// process_two_libraries <library> <library>: two copies of the library in one process, as two packages bring them, with the
// symbols of both for all. Each runs kernels, by itself and beside the other; handles of one are none of the other; a
// shutdown of one leaves the other.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "rt.h"

namespace {

#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_GLOBAL)) { EXPECT(handle_ != nullptr); }

  template <typename Function>
  Function find(const char* name) const {
    auto found = reinterpret_cast<Function>(dlsym(handle_, name));
    EXPECT(found != nullptr);
    return found;
  }
#define CALL(library, function, ...) (library).find<decltype(&function)>(#function)(__VA_ARGS__)

  void make() {
    rtDevice_t device = nullptr;
    rtKernel_t kernel = nullptr;
    EXPECT(CALL(*this, rtDeviceGetByName, &device, "cpu") == RT_SUCCESS);
    EXPECT(CALL(*this, rtContextCreate, &context_, nullptr, device) == RT_SUCCESS);
    EXPECT(CALL(*this, rtStreamCreate, &stream, nullptr, context_) == RT_SUCCESS);
    const char* source = "__kernel void f(__global int* out, int add) { out[get_global_id(0)] = get_global_id(0) * 3 + add; }";
    EXPECT(CALL(*this, rtModuleCreateFromSource, &module_, source, nullptr, context_) == RT_SUCCESS);
    EXPECT(CALL(*this, rtModuleGetKernel, &kernel, "f", module_) == RT_SUCCESS);
    kernel_ = kernel;
    EXPECT(CALL(*this, rtMalloc, &memory_, kItems * sizeof(int32_t), context_) == RT_SUCCESS);
  }
  // In the code that is there at once, and in the one that stays.
  void use(int32_t add) {
    std::vector<int32_t> out(kItems);
    void* arguments[] = {&memory_, &add};
    for (int turn = 0; turn < 2; ++turn) {
      EXPECT(CALL(*this, rtLaunchKernel, kernel_, kItems / 64, 1, 1, 64, 1, 1, 0, stream, arguments, 2) == RT_SUCCESS);
      EXPECT(CALL(*this, rtMemcpyAsync, out.data(), memory_, kItems * sizeof(int32_t), RT_MEMCPY_DEFAULT, stream) ==
             RT_SUCCESS);
      EXPECT(CALL(*this, rtStreamSynchronize, stream) == RT_SUCCESS);
      for (int32_t i = 0; i < kItems; ++i) EXPECT(out[static_cast<size_t>(i)] == i * 3 + add);
      EXPECT(CALL(*this, rtModuleWait, module_, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE) == RT_SUCCESS);
    }
  }

  rtStream_t stream = nullptr;

 private:
  static constexpr int32_t kItems = 4096;
  void* handle_;
  rtContext_t context_ = nullptr;
  rtModule_t module_ = nullptr;
  rtKernel_t kernel_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Library one(argv[1]), other(argv[2]);
  using Version = decltype(&rtGetVersion);
  EXPECT(one.find<Version>("rtGetVersion") != other.find<Version>("rtGetVersion"));  // else it is one copy
  one.make();
  one.use(1);
  other.make();
  other.use(2);
  std::thread beside([&] {
    for (int32_t i = 0; i < 200; ++i) one.use(i);
  });
  for (int32_t i = 0; i < 200; ++i) other.use(-i);
  beside.join();
  // Handles tell the library that made them, but for chance.
  rtStream_t more[64];
  for (rtStream_t& stream : more) EXPECT(CALL(other, rtStreamCreate, &stream, nullptr, nullptr) == RT_SUCCESS);
  EXPECT(CALL(one, rtStreamSynchronize, more[63]) == RT_ERROR_INVALID_HANDLE);
  EXPECT(CALL(one, rtShutdown) == RT_SUCCESS);
  EXPECT(CALL(one, rtStreamSynchronize, one.stream) == RT_ERROR_SHUT_DOWN);
  other.use(7);
  return 0;
}
