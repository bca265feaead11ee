// Text: search, distances of words, and counting. All results are exact.
#include <algorithm>
#include <numeric>
#include <string>

#include "kernel_case.h"

namespace sixty {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Letters of a small alphabet, so that a pattern is found often and mismatches come late.
Bytes letters(std::size_t count, std::uint32_t seed, std::uint32_t alphabet) {
  Bytes result;
  for (std::uint32_t value : integers(count, seed, alphabet)) result.push_back(static_cast<std::uint8_t>('a' + value));
  return result;
}

Bytes bytes(const std::string& text) { return Bytes(text.begin(), text.end()); }

std::string_view text(Buffer& buffer) { return {data<char>(buffer), buffer.bytes.size()}; }

// find_naive ---------------------------------------------------------------------------------------------------------------

Case naiveCase(std::size_t scale) {
  const std::size_t length = scale == 0 ? 203 : 150000;
  const Bytes pattern = bytes(scale == 0 ? "aba" : "abaabb");
  Case result;
  result.buffers = {input(letters(length, 111, 2)), input(pattern), output(Bytes(length, 0)),
                    output(std::vector<std::uint32_t>{77})};
  result.launches = {over("find_naive_start", {1, 1, 1}, {1, 1, 1}, {buffer(3)}),
                     over("find_naive", {length, 1, 1}, {scale == 0 ? 7u : 128u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), scalar(static_cast<std::uint32_t>(length)),
                           scalar(static_cast<std::uint32_t>(pattern.size()))})};
  return result;
}

void naiveReference(std::vector<Buffer>& buffers, std::size_t) {
  std::uint32_t matches = 0;
  for (std::size_t at = text(buffers[0]).find(text(buffers[1])); at != std::string_view::npos;
       at = text(buffers[0]).find(text(buffers[1]), at + 1)) {
    data<std::uint8_t>(buffers[2])[at] = 1;
    ++matches;
  }
  *data<std::uint32_t>(buffers[3]) = matches;
}

// find_kmp -----------------------------------------------------------------------------------------------------------------

struct Pieces {
  std::size_t length, piece;
  std::string pattern;
  std::size_t pieces() const { return (length + piece - 1) / piece; }
};
Pieces kmpSizes(std::size_t scale) { return scale == 0 ? Pieces{211, 13, "abab"} : Pieces{200000, 100, "abaababa"}; }

Case kmpCase(std::size_t scale) {
  const Pieces sizes = kmpSizes(scale);
  const std::string& pattern = sizes.pattern;
  std::vector<std::int32_t> fallback(pattern.size(), 0);  // the longest part that both begins and ends the first i + 1 letters
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    for (std::size_t part = 1; part <= i; ++part) {
      if (pattern.compare(0, part, pattern, i + 1 - part, part) == 0) fallback[i] = static_cast<std::int32_t>(part);
    }
  }
  Case result;
  result.buffers = {input(letters(sizes.length, 112, 2)), input(bytes(pattern)), input(fallback),
                    output(std::vector<std::int32_t>(sizes.pieces(), -7)),
                    output(std::vector<std::int32_t>(sizes.pieces(), -7))};
  result.launches = {over("find_kmp", {sizes.pieces(), 1, 1}, {scale == 0 ? 3u : 32u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4),
                           scalar(static_cast<std::int32_t>(sizes.length)), scalar(static_cast<std::int32_t>(pattern.size())),
                           scalar(static_cast<std::int32_t>(sizes.piece)), scalar(static_cast<std::int32_t>(sizes.pieces()))})};
  return result;
}

void kmpReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Pieces sizes = kmpSizes(scale);
  for (std::size_t i = 0; i < sizes.pieces(); ++i) {
    std::int32_t found = 0, last = -1;
    for (std::size_t at = i * sizes.piece; at < std::min((i + 1) * sizes.piece, sizes.length); ++at) {
      if (text(buffers[0]).substr(at, sizes.pattern.size()) != sizes.pattern) continue;
      ++found;
      last = static_cast<std::int32_t>(at);
    }
    data<std::int32_t>(buffers[3])[i] = found;
    data<std::int32_t>(buffers[4])[i] = last;
  }
}

// edit_distance ------------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxLetters = 24;  // as in the kernel

Case editCase(std::size_t scale) {
  const std::size_t words = scale == 0 ? 37 : 6000;
  const Bytes word = letters(scale == 0 ? 7 : 11, 113, 5);
  Bytes lengths;
  for (std::uint32_t length : integers(words, 114, kMaxLetters + 1)) lengths.push_back(static_cast<std::uint8_t>(length));
  Case result;
  result.buffers = {input(word), input(letters(words * kMaxLetters, 115, 5)), input(lengths), output(Bytes(words, 99))};
  result.launches = {over("edit_distance", {words, 1, 1}, {scale == 0 ? 5u : 64u, 1, 1},
                          {buffer(0), scalar(static_cast<std::uint32_t>(word.size())), buffer(1), buffer(2), buffer(3),
                           scalar(static_cast<std::uint32_t>(words))})};
  return result;
}

void editReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::string_view word = text(buffers[0]);
  for (std::size_t w = 0; w < count<std::uint8_t>(buffers[3]); ++w) {
    const std::string_view other = text(buffers[1]).substr(w * kMaxLetters, data<std::uint8_t>(buffers[2])[w]);
    std::vector<std::vector<std::size_t>> table(word.size() + 1, std::vector<std::size_t>(other.size() + 1));
    for (std::size_t i = 0; i <= word.size(); ++i) {
      for (std::size_t j = 0; j <= other.size(); ++j) {
        if (i == 0 || j == 0) {
          table[i][j] = i + j;
        } else {
          table[i][j] = std::min(
              {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (word[i - 1] == other[j - 1] ? 0u : 1u)});
        }
      }
    }
    data<std::uint8_t>(buffers[3])[w] = static_cast<std::uint8_t>(table[word.size()][other.size()]);
  }
}

// word_count ---------------------------------------------------------------------------------------------------------------

constexpr std::size_t kLengths = 16;  // as in the kernel

Case wordCase(std::size_t scale) {
  const std::size_t length = scale == 0 ? 333 : 100000, piece = scale == 0 ? 11 : 40;
  const std::string some = "aeiRSTn'l  .\n";
  Bytes contents;
  for (std::uint32_t value : integers(length, 116, static_cast<std::uint32_t>(some.size())))
    contents.push_back(static_cast<std::uint8_t>(some[value]));
  const std::size_t items = (length + piece - 1) / piece, group = scale == 0 ? 5 : 64;
  Case result;
  result.buffers = {input(contents), output(std::vector<std::uint32_t>{5}), output(std::vector<std::uint32_t>(kLengths, 5))};
  result.launches = {over("word_count_start", {kLengths, 1, 1}, {group, 1, 1}, {buffer(1), buffer(2)}),
                     over("word_count", {items, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(static_cast<std::uint32_t>(piece)),
                           scalar(static_cast<std::uint32_t>(length))})};
  return result;
}

void wordReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::string_view all = text(buffers[0]);
  const char* letter = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'";
  std::vector<std::uint32_t> lengths(kLengths, 0);
  for (std::size_t at = all.find_first_of(letter); at != std::string_view::npos;) {
    const std::size_t end = std::min(all.find_first_not_of(letter, at), all.size());
    ++lengths[std::min(end - at, kLengths) - 1];
    at = all.find_first_of(letter, end);
  }
  *data<std::uint32_t>(buffers[1]) = std::accumulate(lengths.begin(), lengths.end(), 0u);
  std::copy(lengths.begin(), lengths.end(), data<std::uint32_t>(buffers[2]));
}

}  // namespace

std::vector<Kernel> stringKernels() {
  return {
      {"find_naive", "string", "find_naive.cl", "", naiveCase, naiveReference},
      {"find_kmp", "string", "find_kmp.cl", "", kmpCase, kmpReference},
      {"edit_distance", "string", "edit_distance.cl", "", editCase, editReference},
      {"word_count", "string", "word_count.cl", "", wordCase, wordReference},
  };
}

}  // namespace sixty
