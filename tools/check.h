// Shared by the files of the manyrt command: the way from a failure to a sentence. A call of rt.h that fails ends the command
// with the library's own sentence and its code.
#pragma once

#include <rt.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

// A failure that is told to the user as it stands. Every other exception is a defect of the command.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `call` is the text of the call, of which at most the function's name is told. `about`, such as a path, comes first.
inline void check(rtStatus_t status, std::string_view call, const std::string& about = "") {
  if (status >= 0) return;
  std::array<char, 4096> message{};
  (void)rtGetLastErrorMessage(message.data(), message.size(), nullptr);
  std::string sentence = message.data();  // it begins with the function's name
  if (sentence.empty()) sentence = std::string(call.substr(0, call.find('('))) + ": " + rtGetErrorString(status);
  throw Failure((about.empty() ? "" : about + ": ") + sentence + " (" + rtGetErrorName(status) + ")");
}
#define CHECK(call) check(call, #call)
