// What the files of the manyrt command share: a call of rt.h that fails ends the command with the library's own sentence.
#pragma once

#include <rt.h>

#include <array>
#include <stdexcept>
#include <string>

inline void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  std::array<char, 4096> message{};
  rtGetLastErrorMessage(message.data(), message.size(), nullptr);
  throw std::runtime_error(std::string(call) + ": " + rtGetErrorName(status) + ": " + message.data());
}
#define CHECK(call) check(call, #call)
