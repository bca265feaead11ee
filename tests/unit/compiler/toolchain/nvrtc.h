// Real NVRTC for tests, where it is installed.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/toolchain/nvrtc.h"

namespace manyrt::test {

// False, and the reason for a skip, where there is none.
inline bool findRealNvrtc(compiler::NvrtcLibrary* library, std::string* why) {
  const Status status = compiler::findNvrtc(library, 0);
  *why = status.message();
  return status.ok();
}

}  // namespace manyrt::test
