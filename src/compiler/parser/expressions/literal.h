// Strings between their spelling, with quotes and escapes, and their bytes.
#pragma once

#include <string>
#include <string_view>

namespace manyrt::compiler {

std::string inQuotes(std::string_view bytes);  // as C and C++ spell them

// Appends the bytes of a spelled string or character. False: an escape has no value that fits a char.
bool unquote(std::string* bytes, std::string_view quoted_text);

}  // namespace manyrt::compiler
