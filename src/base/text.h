// Cutting and wording text. Strings are UTF-8, and a cut must not leave half a letter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace manyrt {

// The article before a word of a message: "an" event, "a" stream. The first letter decides, which is right for all words in
// use.
inline const char* article(const char* word) { return *word != '\0' && strchr("aeioAEIO", *word) != nullptr ? "an" : "a"; }

// The ending of a counted word in a message: 1 argument, 2 arguments.
inline const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

// The verb after it: 1 argument was given, 2 arguments were given.
inline const char* were(uint64_t count) { return count == 1 ? "was" : "were"; }

// Drops the bytes of an incomplete letter from the end of text[0, length) and returns what is left.
inline size_t wholeLetters(const char* text, size_t length) {
  size_t start = length;
  while (start > 0 && length - start < 4 && (static_cast<unsigned char>(text[start - 1]) & 0xc0) == 0x80) --start;
  if (start == 0) return length;
  const unsigned char lead = static_cast<unsigned char>(text[start - 1]);
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length - (start - 1) < bytes ? start - 1 : length;
}

// Bytes of the UTF-8 letter at the head of `text`, which does not begin with a NUL; 0: it is none.
inline size_t letterLength(const char* text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;  // a NUL too
  }
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90)) return 0;    // written too long
  if ((first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90)) return 0;  // halves of pairs; beyond Unicode
  return length;
}

// Copies as much as fits, terminated.
inline void copyLetters(char* out, size_t size, const char* text) {
  size_t length = strlen(text);
  if (length >= size) length = wholeLetters(text, size - 1);
  memcpy(out, text, length);
  out[length] = '\0';
}

// How many letters have to be put in, left out or exchanged (two neighbours too) to get from one word to the other. For words
// with up to 63 letters; longer ones are far from all.
size_t lettersApart(std::string_view one, std::string_view other);

}  // namespace manyrt
