// The engines' words about ranks that do not do their part, each sentence once. They are the failures of communicators.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "comm/operation.h"

namespace manyrt::comm::sentences {

std::string labelOf(const std::string& label);  // " of \"label\"", or nothing
std::string within(uint64_t timeout_ns);        // "within 2 s"

// TIMEOUT. `other` is late, `rank` waits; `verb` is "come to" or "end".
Status lateForCollective(int32_t other, const std::string& label, const char* verb, uint64_t number, const std::string& within,
                         int32_t rank, const Operation& operation);
// `operation` is the send or receive of `rank`.
Status lateForPoint(int32_t other, const std::string& label, const std::string& within, int32_t rank,
                    const Operation& operation);
Status lateForSplit(int32_t other, const std::string& label, const std::string& within, int32_t rank);

// LAUNCH_FAILED: `other` is gone, and another rank waits for its `what`.
Status parted(int32_t other, const std::string& label, const char* what);

// INVALID_VALUE: `odd` means something else than `right`.
Status differs(int32_t odd, const std::string& label, const Operation& its, int32_t right, const Operation& rights);

// INVALID_VALUE with the first rank that differs, in *odd; success: all mean the same. Operations by rank.
Status compare(const std::vector<const Operation*>& operations, const std::string& label, int32_t* odd);

}  // namespace manyrt::comm::sentences
