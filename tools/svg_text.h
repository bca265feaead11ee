// Text inside the pictures of the command: what XML has marks for, and letters that it does not take.
#pragma once

#include <string>
#include <string_view>

inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const std::string_view special = letter == '<'   ? "&lt;"
                                     : letter == '>' ? "&gt;"
                                     : letter == '&' ? "&amp;"
                                     : letter == '"' ? "&quot;"
                                                     : "";
    if (!special.empty()) {
      out += special;
    } else {
      out += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
  }
  return out;
}
