// Copies between host memory and memory of the CPU device against memcpy between the same bytes (P10). Both sides have been
// written before: the first touch of a page is no copy.
#include <cstdlib>
#include <cstring>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

constexpr uint64_t kKilo = 1024, kMega = kKilo * kKilo;
constexpr uint64_t kMaxBytes = 256 * kMega;

std::string sizeName(uint64_t size) {
  return size >= kMega ? std::to_string(size / kMega) + "MiB" : std::to_string(size / kKilo) + "KiB";
}

void registerCopy(const std::string& direction, char* dst, const char* src, uint64_t size, int32_t kind) {
  Comparison comparison("P10_" + direction + "_" + sizeName(size));
  comparison.ours("manyrt", hot([=] { RT_CHECK(rtMemcpy(dst, src, size, kind)); }));
  comparison.peer("memcpy", hot([=] {
                    memcpy(dst, src, size);
                    asm volatile("" : : "r"(dst) : "memory");
                  }));
  comparison.bytes(size);
  registerComparison(std::move(comparison));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  rtContext_t context = nullptr;
  Pinning pinning;
  rtDevice_t device;
  RT_CHECK(rtDeviceGetByName(&device, "cpu"));
  RT_CHECK(rtContextGetPrimary(&context, device));
  RT_CHECK(rtContextSetCurrent(context));
  void* memory;
  RT_CHECK(rtMalloc(&memory, kMaxBytes, nullptr));
  char* on_device = static_cast<char*>(memory);
  char* on_host = static_cast<char*>(aligned_alloc(4096, kMaxBytes));
  if (on_host == nullptr) return EXIT_FAILURE;
  memset(on_host, 1, kMaxBytes);
  memset(on_device, 2, kMaxBytes);
  for (int i = 0; i < 3; ++i) RT_CHECK(rtMemcpy(on_device, on_host, kMaxBytes, RT_MEMCPY_DEFAULT));  // starts the workers
  pinning.done();
  pinHere(0);

  for (uint64_t size : {4 * kKilo, 64 * kKilo, 256 * kKilo, kMega, 4 * kMega, 16 * kMega, 64 * kMega, kMaxBytes}) {
    registerCopy("to_device", on_device, on_host, size, RT_MEMCPY_HOST_TO_DEVICE);
    registerCopy("to_host", on_host, on_device, size, RT_MEMCPY_DEVICE_TO_HOST);
  }
  return finish();
}
