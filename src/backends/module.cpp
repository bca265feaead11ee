// Loading many programs where a driver or its compiler takes them one by one.
#include "backends/module.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "base/side_by_side.h"

namespace manyrt::backend {

void ModuleLoader::loadMany(Loading* loadings, size_t count) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    // Relaxed: the programs were there before the threads were.
    for (size_t i = next.fetch_add(1, std::memory_order_relaxed); i < count; i = next.fetch_add(1, std::memory_order_relaxed)) {
      try {
        loadings[i].status = load(&loadings[i].module, *loadings[i].image);
      } catch (const std::bad_alloc&) {  // of one program among many: the others go on
        loadings[i].status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
      }
    }
  };
  sideBySide(static_cast<uint32_t>(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, count)), work);
}

}  // namespace manyrt::backend
