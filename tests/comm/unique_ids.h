// Ids as text, for the environment of another process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "rt_comm.h"

namespace commtest {

inline constexpr char kUniqueId[] = "COMM_TEST_ID";

inline std::string toText(const rtCommUniqueId_t& id) {
  std::string text;
  for (const uint8_t byte : id.bytes) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    text += hex;
  }
  return text;
}

// False: there is none.
inline bool fromEnvironment(rtCommUniqueId_t* id) {
  const char* const text = std::getenv(kUniqueId);
  if (text == nullptr || std::string(text).size() != 2 * sizeof id->bytes) return false;
  for (size_t i = 0; i < sizeof id->bytes; ++i) {
    unsigned byte = 0;
    if (std::sscanf(text + 2 * i, "%2x", &byte) != 1) return false;
    id->bytes[i] = static_cast<uint8_t>(byte);
  }
  return true;
}

}  // namespace commtest
