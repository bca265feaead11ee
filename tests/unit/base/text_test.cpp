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

TEST(TextTest, WordsThatAreTooLongAreFarFromAll) {
  const std::string letters(64, 'a');
  EXPECT_EQ(lettersApart(letters, letters), 63u);
  EXPECT_EQ(lettersApart(letters.substr(1), letters.substr(1)), 0u);
}

}  // namespace
}  // namespace manyrt::test
