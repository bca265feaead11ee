// BLAKE2b: digests of the reference implementation, and texts that are added in pieces.
#include "base/blake2b.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace manyrt {
namespace {

std::string digestOf(std::string_view text) {
  Blake2b hash;
  hash.add(text.data(), text.size());
  return hexadecimal(hash.finish());
}

// Digests of the reference implementation, as Python's hashlib has it: around the ends of blocks, and a long text.
TEST(Blake2bTest, PublishedVectorsHaveTheirDigests) {
  EXPECT_EQ(digestOf(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(digestOf("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(digestOf(std::string(127, 'a')), "59e2f1aba240f20aa591016f5ef429990bc9c2131dcd0d30f0ffd75ed18f317d");
  EXPECT_EQ(digestOf(std::string(128, 'a')), "ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450");
  EXPECT_EQ(digestOf(std::string(129, 'a')), "2f64744a6de0d2c0b56e64cf6e29a5aaa255010d415d51c75ccc82f73dccd865");
  EXPECT_EQ(digestOf(std::string(256, 'a')), "eae4d3a7627549b383179dc18049964f91a6fed14c9f3fb26705eda3eeda5558");
  EXPECT_EQ(digestOf(std::string(257, 'a')), "496943de3c8b1458635ee30c15bb26cede6957abdd28f0a860cdaf967116c747");
  EXPECT_EQ(digestOf(std::string(1'000'000, 'a')), "0741850f36cba4259628355d1073e24ddb9ca0e1bfac36fd39ae5dc2101e23a4");
}

TEST(Blake2bTest, PiecesGiveTheDigestOfTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (size_t length = 0; length <= text.size(); ++length) {
    for (size_t piece : {1, 3, 127, 128, 129}) {
      Blake2b hash;
      for (size_t at = 0; at < length; at += piece) hash.add(text.data() + at, std::min(piece, length - at));
      ASSERT_EQ(hexadecimal(hash.finish()), digestOf(std::string_view(text).substr(0, length))) << length << " by " << piece;
    }
  }
}

TEST(Blake2bTest, PublishedVectorsWithAKeyHaveTheirDigests) {
  Digest key;
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(i);
  const auto keyed = [&](std::string_view text) {
    Blake2b hash(key);
    hash.add(text.data(), text.size());
    return hexadecimal(hash.finish());
  };
  EXPECT_EQ(keyed(""), "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d");
  EXPECT_EQ(keyed("abc"), "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
  EXPECT_EQ(keyed(std::string(128, 'a')), "b9061ba2bd8f6a207b703aa0f7921496280a7d6c15a3a9f16920140974fb723d");
  EXPECT_EQ(keyed(std::string(129, 'a')), "dda241c536715988fec6a1f284e4da2059d465156b4cc2a51b543d0e7f3623d7");
}

TEST(Blake2bTest, PartsDoNotRunTogether) {
  Blake2b first, second;
  first.addPart("ab");
  first.addPart("c");
  second.addPart("a");
  second.addPart("bc");
  EXPECT_NE(first.finish(), second.finish());
}

}  // namespace
}  // namespace manyrt
