// The lexer: longest matches, places after splices and comments, and everything that a line can end too early.
#include "compiler/preprocessor/lexer.h"

#include <gtest/gtest.h>

namespace manyrt::compiler {
namespace {

class LexerTest : public testing::Test {
 protected:
  bool lex(std::string text, uint32_t most = 1000000) {
    out_ = LexedFile();
    return lexFile(&out_, sources_, sources_.add("a.cl", std::move(text)), names_, most, diagnostics_);
  }
  std::string spellings() const {
    std::string all;
    for (const Lexeme& lexeme : out_.lexemes) all.append(all.empty() ? "" : " ").append(lexeme.view());
    return all;
  }
  std::string places() const {
    std::string all;
    for (const Lexeme& lexeme : out_.lexemes) {
      all += std::to_string(lexeme.where.line) + ":" + std::to_string(lexeme.where.column) + " ";
    }
    return all;
  }
  Sources sources_;
  Names names_{sources_, [](Name&) { return nullptr; }};
  Diagnostics diagnostics_{sources_};
  LexedFile out_;
};

TEST_F(LexerTest, PunctuatorsAreTheLongestMatch) {
  ASSERT_TRUE(lex("a+++++b >>= <<= >>>= ... .. ->* %:%: <::> <%%> a<b:c ##= &&& ||| ^= !=="));
  EXPECT_EQ(spellings(), "a ++ ++ + b >>= <<= >> >= ... . . -> * %:%: <: :> <% %> a < b : c ## = && & || | ^= != =");
}

TEST_F(LexerTest, NumbersAreThoseOfThePreprocessor) {
  ASSERT_TRUE(lex("0x1.8p+3f 1e-5 .5f 1..2 0xe+1 1.0e+ 08z a.5"));
  EXPECT_EQ(spellings(), "0x1.8p+3f 1e-5 .5f 1..2 0xe+1 1.0e+ 08z a .5");
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(out_.lexemes[i].kind, TokenKind::kNumber) << i;
}

TEST_F(LexerTest, CommentsAreSpaceAndDoNotBeginALine) {
  ASSERT_TRUE(lex("a/* x\n\n */b // c \n/**/ #d\n/* \n */#e\nf /* # */ #"));
  EXPECT_EQ(spellings(), "a b # d # e f #");
  EXPECT_EQ(places(), "1:1 3:4 4:6 4:7 6:4 6:5 7:1 7:11 ");
  EXPECT_TRUE(out_.lexemes[1].has(Lexeme::kSpaceBefore));
  EXPECT_FALSE(out_.lexemes[1].has(Lexeme::kLineStart));
  EXPECT_EQ(out_.directives, (std::vector<uint32_t>{2, 4}));
}

TEST_F(LexerTest, SplicesJoinTokensAndPlacesStayThoseOfTheText) {
  ASSERT_TRUE(lex("ab\\\ncd ef\\  \r\n gh /\\\n/ x\\\ny\nz \"a\\\nb\" w"));
  EXPECT_EQ(spellings(), "abcd ef gh z \"ab\" w");
  EXPECT_EQ(places(), "1:1 2:4 3:2 6:1 6:3 7:4 ");
}

TEST_F(LexerTest, ASpliceAtTheEndOfTheFileIsNoTrouble) {
  ASSERT_TRUE(lex("a\\\n"));
  EXPECT_EQ(spellings(), "a");
  ASSERT_TRUE(lex("a\\"));
  EXPECT_EQ(spellings(), "a \\");
  EXPECT_EQ(out_.lexemes[1].kind, TokenKind::kOther);
}

TEST_F(LexerTest, StringsAndCharactersKeepTheirQuotes) {
  ASSERT_TRUE(lex(R"("a\"b" 'x' '\'' "" '\\' "\\")"));
  EXPECT_EQ(spellings(), R"("a\"b" 'x' '\'' "" '\\' "\\")");
  EXPECT_EQ(out_.lexemes[0].kind, TokenKind::kString);
  EXPECT_EQ(out_.lexemes[1].kind, TokenKind::kCharacter);
}

TEST_F(LexerTest, AQuoteThatIsNotClosedTakesTheRestOfItsLineAlone) {
  ASSERT_TRUE(lex("don't /* x\n\"abc\n'\\\nend"));
  EXPECT_EQ(spellings(), "don 't /* x \"abc 'end");
  EXPECT_EQ(out_.lexemes[1].kind, TokenKind::kOther);
}

TEST_F(LexerTest, HeaderNamesAreOneTokenAfterIncludeAlone) {
  ASSERT_TRUE(lex("#include <a/b-c.h>\n# include \"x\\\"\ninclude <a>\n#include <a\nx #include <b>"));
  EXPECT_EQ(spellings(), "# include <a/b-c.h> # include \"x\\\" include < a > # include < a x # include < b >");
}

TEST_F(LexerTest, OtherBytesAreTokensOfTheirOwn) {
  ASSERT_TRUE(lex(std::string("a\0b @ \xc3\xa4 ` \xff", 12)));
  ASSERT_EQ(out_.lexemes.size(), 7u);
  for (size_t i : {1u, 3u, 4u, 5u, 6u}) EXPECT_EQ(out_.lexemes[i].kind, TokenKind::kOther) << i;
  EXPECT_EQ(out_.lexemes[4].size, 2u);
}

TEST_F(LexerTest, AByteOrderMarkIsPassedOver) {
  ASSERT_TRUE(lex("\xef\xbb\xbf#define"));
  EXPECT_EQ(spellings(), "# define");
  EXPECT_EQ(out_.directives.size(), 1u);
}

TEST_F(LexerTest, TheEmptyFileHasNoTokens) {
  ASSERT_TRUE(lex(""));
  EXPECT_TRUE(out_.lexemes.empty());
}

TEST_F(LexerTest, ACommentWithoutAnEndIsAnErrorAtItsBeginning) {
  EXPECT_FALSE(lex("int a;\n  /* b\n*\n"));
  EXPECT_NE(diagnostics_.log().find("a.cl:2:3: error: This comment has no end."), std::string::npos) << diagnostics_.log();
}

TEST_F(LexerTest, TooManyTokensAreAnErrorAtTheFirstTooMany) {
  EXPECT_TRUE(lex("a b\nc", 3));
  EXPECT_FALSE(lex("a b\nc d", 3));
  EXPECT_NE(diagnostics_.log().find("a.cl:2:3: error: The program's files have more than 4000000 tokens."), std::string::npos);
}

TEST_F(LexerTest, ATextThatIsTooLongIsNotRead) {
  EXPECT_FALSE(lex(std::string(kMaxFileBytes + 1, ' ')));
  EXPECT_NE(diagnostics_.log().find("has 16777217 bytes; 16777216 are the limit."), std::string::npos);
}

TEST_F(LexerTest, AnIdentifierIsOneNameHoweverOftenItComes) {
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5000; ++i) text += "name" + std::to_string(i) + " ";
  }
  ASSERT_TRUE(lex(text));
  ASSERT_EQ(out_.lexemes.size(), 10000u);
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(out_.lexemes[i].name, out_.lexemes[i + 5000].name);
    ASSERT_EQ(out_.lexemes[i].name->text, out_.lexemes[i].view());
  }
  EXPECT_NE(out_.lexemes[0].name, out_.lexemes[1].name);
  EXPECT_EQ(names_.intern("name17"), out_.lexemes[17].name);
}

TEST_F(LexerTest, APastedSpellingIsExactlyOneTokenOrNone) {
  Lexeme lexeme;
  for (const char* good : {"ab", "+=", "1e+5", "<<=", "->", ".5", "%:%:"}) {
    EXPECT_TRUE(lexOne(&lexeme, good, sources_, names_)) << good;
    EXPECT_EQ(lexeme.view(), good);
  }
  for (const char* bad : {"", "//", "/*", "+a", "a+", "1+", "a b", " a", "\"", "-+", "\\"}) {
    EXPECT_FALSE(lexOne(&lexeme, bad, sources_, names_)) << bad;
  }
}

}  // namespace
}  // namespace manyrt::compiler
