// The reserved words.
#include "compiler/parser/keyword.h"

#include <gtest/gtest.h>

#include <string>

namespace manyrt::compiler {
namespace {

TEST(KeywordTest, BothSpellingsOfAWordMeanTheSame) {
  for (const char* word : {"global", "local", "constant", "private", "kernel"}) {
    const Keyword& plain = findKeyword(word);
    const Keyword& reserved = findKeyword("__" + std::string(word));
    EXPECT_NE(plain.kind, KeywordKind::kNone) << word;
    EXPECT_EQ(plain.kind, reserved.kind) << word;
    EXPECT_EQ(plain.value, reserved.value) << word;
  }
}

TEST(KeywordTest, WordsOfCppAreOrdinaryNames) {
  for (const char* word : {"class", "new", "this", "template", "typename", "operator", "asm", ""}) {
    EXPECT_EQ(findKeyword(word).kind, KeywordKind::kNone) << word;
  }
}

TEST(KeywordTest, RefusedWordsSayWhatToWriteInstead) {
  for (const char* word : {"image2d_t", "sampler_t", "register", "__generic", "__asm__"}) {
    ASSERT_NE(findKeyword(word).advice, nullptr) << word;
    EXPECT_NE(std::string(findKeyword(word).advice).find(':'), std::string::npos) << word;
  }
}

TEST(KeywordTest, TypesOfCAreTranslated) {
  EXPECT_STREQ(nameOfForeignType("uint32_t"), "uint");
  EXPECT_EQ(nameOfForeignType("uint"), nullptr);
}

}  // namespace
}  // namespace manyrt::compiler
