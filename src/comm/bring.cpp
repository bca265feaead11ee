// A rank on the CPU has memory of the host itself, and needs neither its stream nor the core library.
#include "comm/bring.h"

#include <cstring>

#include "comm/core_call.h"

namespace manyrt::comm {

Status bring(const Place& place, rtStream_t stream, void* to, const void* from, uint64_t bytes) {
  if (bytes == 0 || to == from) return Status();
  if (place.backend == RT_BACKEND_CPU) {
    memcpy(to, from, bytes);
    return Status();
  }
  RT_TRY_CORE(rtMemcpyAsync(to, from, bytes, RT_MEMCPY_DEFAULT, stream));
  // The caller's next step may be another rank's: the bytes have to be there, and not only be ordered.
  RT_TRY_CORE(rtStreamSynchronize(stream));
  return Status();
}

}  // namespace manyrt::comm
