// A whole file as text, for what the manyrt command reads.
#pragma once

#include <fstream>
#include <ios>
#include <iterator>
#include <string>

#include "check.h"

inline std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(path + ": it cannot be opened.");
  try {
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.bad()) return text;
  } catch (const std::ios_base::failure&) {  // libstdc++ throws for a folder
  }
  throw Failure(path + ": it cannot be read.");
}
