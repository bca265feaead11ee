// Assertions about rtStatus_t for every test: EXPECT_RT_OK(call), EXPECT_RT(code, call) and their ASSERT forms. A failure must
// have left a new sentence on this thread, an expected outcome (RT_NOT_READY, RT_ERROR_TIMEOUT) none. For this another call
// fails on purpose before each checked call, and its sentence is looked for afterwards.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "rt.h"

namespace rttest {

inline constexpr char kMark[] = "no-such-device-mark";

inline std::string lastMessage() {
  size_t needed = 0;
  if (rtGetLastErrorMessage(nullptr, 0, &needed) != RT_SUCCESS || needed == 0) return "";
  std::string text(needed, '\0');
  if (rtGetLastErrorMessage(text.data(), text.size(), nullptr) != RT_SUCCESS) return "";
  text.resize(std::strlen(text.c_str()));
  return text;
}

// Leaves a sentence that no call of a test leaves.
inline void markMessage() {
  rtDevice_t device = nullptr;
  (void)rtDeviceGetByName(&device, kMark);
}

inline testing::AssertionResult isOk(const char* expression, rtStatus_t status) {
  if (status == RT_SUCCESS) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << ": " << lastMessage();
}

inline testing::AssertionResult isStatus(const char*, const char* expression, rtStatus_t expected, rtStatus_t status) {
  if (status != expected) {
    return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << ", not "
                                       << rtGetErrorName(expected) << ": " << (status < 0 ? lastMessage() : "");
  }
  const std::string message = lastMessage();
  const bool kept = message.find(kMark) != std::string::npos;
  if (expected >= 0 || expected == RT_ERROR_TIMEOUT) {
    if (kept) return testing::AssertionSuccess();
    return testing::AssertionFailure() << expression << "\n  is no failure, but left the message \"" << message << '"';
  }
  if (message.empty() || kept) {
    return testing::AssertionFailure() << expression << "\n  returned " << rtGetErrorName(status) << " without a message";
  }
  return testing::AssertionSuccess();
}

}  // namespace rttest

#define EXPECT_RT_OK(call) EXPECT_PRED_FORMAT1(::rttest::isOk, call)
#define ASSERT_RT_OK(call) ASSERT_PRED_FORMAT1(::rttest::isOk, call)
#define EXPECT_RT(code, call) EXPECT_PRED_FORMAT2(::rttest::isStatus, code, (::rttest::markMessage(), (call)))
#define ASSERT_RT(code, call) ASSERT_PRED_FORMAT2(::rttest::isStatus, code, (::rttest::markMessage(), (call)))
