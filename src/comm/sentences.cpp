// The sentences, in the words of rt_comm.h. Tests of every engine look for them in its failures.
#include "comm/sentences.h"

#include <cstdio>

namespace manyrt::comm::sentences {

std::string labelOf(const std::string& label) { return label.empty() ? "" : " of \"" + label + "\""; }

std::string within(uint64_t timeout_ns) {
  char text[48];
  snprintf(text, sizeof text, "within %.3g s", static_cast<double>(timeout_ns) * 1e-9);
  return text;
}

Status lateForCollective(int32_t other, const std::string& label, const char* verb, uint64_t number, const std::string& within,
                         int32_t rank, const Operation& operation) {
  return Status::error(RT_ERROR_TIMEOUT, "Rank %d%s did not %s collective %llu %s, for which rank %d waits: %s.", other,
                       label.c_str(), verb, static_cast<unsigned long long>(number), within.c_str(), rank,
                       describe(operation).c_str());
}

Status lateForPoint(int32_t other, const std::string& label, const std::string& within, int32_t rank,
                    const Operation& operation) {
  const bool sends = operation.kind == Kind::kSend;
  return Status::error(RT_ERROR_TIMEOUT, "Rank %d%s did not %s %s what rank %d %s: %s.", other, label.c_str(),
                       sends ? "receive" : "send", within.c_str(), rank, sends ? "sends" : "receives",
                       describe(operation).c_str());
}

Status lateForSplit(int32_t other, const std::string& label, const std::string& within, int32_t rank) {
  return Status::error(RT_ERROR_TIMEOUT, "Rank %d%s did not come to the split %s, for which rank %d waits.", other,
                       label.c_str(), within.c_str(), rank);
}

Status parted(int32_t other, const std::string& label, const char* what) {
  return Status::error(RT_ERROR_LAUNCH_FAILED, "Rank %d%s destroyed its communicator; another rank waits for its %s.", other,
                       label.c_str(), what);
}

Status differs(int32_t odd, const std::string& label, const Operation& its, int32_t right, const Operation& rights) {
  return Status::error(RT_ERROR_INVALID_VALUE, "Rank %d%s came with %s, and rank %d with %s.", odd, label.c_str(),
                       describe(its).c_str(), right, describe(rights).c_str());
}

Status compare(const std::vector<const Operation*>& operations, const std::string& label, int32_t* odd) {
  int32_t right = 0;
  *odd = firstThatDiffers(operations, &right);
  if (*odd < 0) return Status();
  return differs(*odd, label, *operations[static_cast<size_t>(*odd)], right, *operations[static_cast<size_t>(right)]);
}

}  // namespace manyrt::comm::sentences
