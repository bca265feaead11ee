// Names that the runtimes of ThreadSanitizer and UndefinedBehaviorSanitizer have. gcc and clang agree about them.
#include "base/os/sanitizer.h"

extern "C" {
__attribute__((weak)) void __tsan_func_exit();
__attribute__((weak)) void __ubsan_handle_out_of_bounds_abort(void* data, unsigned long index);
}

namespace manyrt::sanitizer {

bool hasThread() { return __tsan_func_exit != nullptr; }

bool hasUndefined() { return __ubsan_handle_out_of_bounds_abort != nullptr; }

}  // namespace manyrt::sanitizer
