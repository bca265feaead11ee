// Assertions about calls of rt_comm.h: EXPECT_COMM_OK(call), EXPECT_COMM(code, call) and their ASSERT forms, as support/check.h
// has them for rt.h. A failure must have left a new sentence on this thread.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rt_comm.h"
#include "support/check.h"

namespace commtest {

inline std::string lastMessage() {
  char text[2048] = "";
  return rtCommGetLastErrorMessage(text, sizeof text, nullptr) == RT_SUCCESS ? text : "";
}

// Leaves a sentence that no call of a test leaves.
inline void markMessage() { (void)rtCommGetLastErrorMessage(nullptr, 4711, nullptr); }
inline bool marked(const std::string& message) { return message.find("4711") != std::string::npos; }

inline testing::AssertionResult isOk(const char* expression, rtStatus_t status) {
  if (status == RT_SUCCESS) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << ": " << lastMessage();
}

inline testing::AssertionResult isStatus(const char*, const char* expression, rtStatus_t expected, rtStatus_t status) {
  const std::string message = lastMessage();
  if (status != expected) {
    return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << ", not "
                                       << rtGetErrorName(expected) << ": " << message;
  }
  if (!message.empty() && !marked(message)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << " without a message";
}

}  // namespace commtest

#define EXPECT_COMM_OK(call) EXPECT_PRED_FORMAT1(::commtest::isOk, call)
#define ASSERT_COMM_OK(call) ASSERT_PRED_FORMAT1(::commtest::isOk, call)
#define EXPECT_COMM(code, call) EXPECT_PRED_FORMAT2(::commtest::isStatus, code, (::commtest::markMessage(), (call)))
#define ASSERT_COMM(code, call) ASSERT_PRED_FORMAT2(::commtest::isStatus, code, (::commtest::markMessage(), (call)))
