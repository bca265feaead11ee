// The sentence of rtGetLastErrorMessage as a Status. Time-outs leave no sentence there; they get that of their code.
#include "comm/core_call.h"

namespace manyrt::comm {

Status fromCore(rtStatus_t code) {
  // Fetched at once: the next call of this thread may replace the sentence.
  if (code == RT_SUCCESS) return Status();
  char text[1024];
  if (code > 0 || code == RT_ERROR_TIMEOUT || rtGetLastErrorMessage(text, sizeof text, nullptr) != RT_SUCCESS) {
    return Status::bare(code);
  }
  return Status::error(code, "%s", text);
}

}  // namespace manyrt::comm
