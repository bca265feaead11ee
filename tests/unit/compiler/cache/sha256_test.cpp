// SHA-256: the vectors of FIPS 180-4, and texts that are added in pieces.
#include "compiler/cache/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace manyrt::compiler {
namespace {

std::string digestOf(std::string_view text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hexadecimal(hash.finish());
}

TEST(Sha256Test, PublishedVectorsHaveTheirDigests) {
  EXPECT_EQ(digestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digestOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      digestOf(
          "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(digestOf(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesGiveTheDigestOfTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (size_t length = 0; length <= text.size(); ++length) {
    for (size_t piece : {1, 3, 63, 64, 65}) {
      Sha256 hash;
      for (size_t at = 0; at < length; at += piece) hash.add(text.data() + at, std::min(piece, length - at));
      ASSERT_EQ(hexadecimal(hash.finish()), digestOf(std::string_view(text).substr(0, length))) << length << " by " << piece;
    }
  }
}

TEST(Sha256Test, PartsDoNotRunTogether) {
  Sha256 first, second;
  first.addPart("ab");
  first.addPart("c");
  second.addPart("a");
  second.addPart("bc");
  EXPECT_NE(first.finish(), second.finish());
}

}  // namespace
}  // namespace manyrt::compiler
