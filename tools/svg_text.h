// Text inside the pictures of the command: what XML has marks for, letters that it does not take, and numbers.
#pragma once

#include <cstdio>
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

// With two digits after the point, and without zeros at its end.
inline std::string number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.2f", value);
  std::string_view digits(text);
  while (digits.back() == '0') digits.remove_suffix(1);
  if (digits.back() == '.') digits.remove_suffix(1);
  return std::string(digits);
}
