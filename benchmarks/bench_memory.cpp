// Memory of a stream's order on the CPU: allocation and free from one thread (P5) and from many (P6). Beside it are malloc and
// free, which know no streams. P7 is how much of it recorded programs need.
#include <cstdlib>

#include "memory_traces.h"
#include "pool_work.h"

namespace {

using namespace bench;

struct Malloc {
  int createStream() const { return 0; }
  void* allocate(uint64_t size, int) const {
    void* pointer = malloc(size);
    asm volatile("" : : "r"(pointer) : "memory");
    return pointer;
  }
  void free(void* pointer, int) const { ::free(pointer); }
};

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  const rtContext_t context = createContext("cpu", 0);
  const OurPool pool{context};
  const auto name = [](const char* base, bool beside) { return std::string(base) + (beside ? "_1000_live" : ""); };
  for (const bool beside : {false, true}) {
    registerComparison(Comparison(name("P5_malloc_free_async", beside))
                           .ours("manyrt", pairs(pool, beside))
                           .peer("malloc", pairs(Malloc(), beside))
                           .floor("exported_call", exportedCall())
                           .settle(false));
    for (const int threads : {8, 16}) {
      const std::string base = "P6_malloc_free_async_" + std::to_string(threads) + "_threads";
      registerComparison(Comparison(name(base.c_str(), beside))
                             .ours("manyrt", pairsFrom(threads, pool, beside))
                             .peer("malloc", pairsFrom(threads, Malloc(), beside))
                             .floor("exported_call", exportedCall())
                             .settle(false));
    }
  }
  for (const MixedSizes& sizes : kMixedSizes) {
    for (const int threads : {8, 16}) {
      registerComparison(Comparison("P6_malloc_free_async_" + std::to_string(threads) + "_threads" + sizes.shortName())
                             .ours("manyrt", mixedFrom(threads, pool, sizes))
                             .peer("malloc", mixedFrom(threads, Malloc(), sizes))
                             .floor("exported_call", exportedCall())
                             .settle(false));
    }
  }
  registerTraces("P7_trace", "cpu", {});
  return finish();
}
