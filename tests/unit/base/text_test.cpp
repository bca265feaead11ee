// Cutting text, and how far words are apart.
#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace manyrt::test {
namespace {

TEST(TextTest, LettersThatArePutInLeftOutExchangedOrTurnedAreCounted) {
  EXPECT_EQ(lettersApart("cuda", "cuda"), 0u);
  EXPECT_EQ(lettersApart("cuad", "cuda"), 1u);
  EXPECT_EQ(lettersApart("cudas", "cuda"), 1u);
  EXPECT_EQ(lettersApart("cda", "cuda"), 1u);
  EXPECT_EQ(lettersApart("cube", "cuda"), 2u);
  EXPECT_EQ(lettersApart("", "cuda"), 4u);
  EXPECT_EQ(lettersApart("opencl", ""), 6u);
  EXPECT_EQ(lettersApart("RT_MEM_DEBUG", "RT_MEMORY_DEBUG"), 3u);
}

TEST(TextTest, ALetterIsWhatUtf8SaysOrNone) {
  EXPECT_EQ(letterLength("a"), 1u);
  EXPECT_EQ(letterLength("\xc3\xa4x"), 2u);
  EXPECT_EQ(letterLength("\xe2\x82\xac"), 3u);
  EXPECT_EQ(letterLength("\xf0\x9f\x98\x80"), 4u);
  // Bytes that are no beginning, that are missing, that are written too long, halves of pairs, beyond Unicode.
  for (const char* none : {"\x80", "\xff", "\xc3", "\xc3\x28", "\xe2\x82", "\xf0\x9f\x98", "\xc0\x80", "\xe0\x80\x80",
                           "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(letterLength(none), 0u) << none;
}

TEST(TextTest, WordsThatAreTooLongAreFarFromAll) {
  const std::string letters(64, 'a');
  EXPECT_EQ(lettersApart(letters, letters), 63u);
  EXPECT_EQ(lettersApart(letters.substr(1), letters.substr(1)), 0u);
}

}  // namespace
}  // namespace manyrt::test
