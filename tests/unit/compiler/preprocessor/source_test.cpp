// Sources and Diagnostics: what a message looks like, at every kind of place.
#include "compiler/preprocessor/source.h"

#include <gtest/gtest.h>

namespace manyrt::compiler {
namespace {

TEST(SourcesTest, LinesAreFoundWithoutTheirEnds) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "first\r\nsecond\n\nlast");
  EXPECT_EQ(sources.line({file, 1, 1}), "first");
  EXPECT_EQ(sources.line({file, 2, 1}), "second");
  EXPECT_EQ(sources.line({file, 3, 1}), "");
  EXPECT_EQ(sources.line({file, 4, 1}), "last");
  EXPECT_EQ(sources.line({file, 5, 1}), "");
  EXPECT_EQ(sources.line({file, 0, 1}), "");
  EXPECT_EQ(sources.line({file + 1, 1, 1}), "");
}

TEST(SourcesTest, AnAliasHasItsOwnNameAndLinesAndTheSameText) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "one\ntwo\nthree\n");
  const uint32_t alias = sources.alias(file, "b.cl", 98);
  EXPECT_EQ(sources.name(alias), "b.cl");
  EXPECT_EQ(sources.text(alias).data(), sources.text(file).data());
  EXPECT_EQ(sources.line({alias, 100, 1}), "two");
  EXPECT_EQ(sources.line({alias, 98, 1}), "");
  EXPECT_EQ(sources.line({alias, 5, 1}), "");
}

TEST(SourcesTest, WhatIsKeptStaysWhereItIs) {
  Sources sources;
  const std::string_view kept = sources.keep("x");
  for (int i = 0; i < 1000; ++i) (void)sources.keep(std::to_string(i));
  EXPECT_EQ(kept, "x");
}

TEST(DiagnosticsTest, AnErrorHasPlaceSentenceLineAndCaret) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "int a;\n\tint b = c;\n");
  Diagnostics diagnostics(sources);
  diagnostics.error({file, 2, 10}, "There is no \"%s\".", "c");
  EXPECT_EQ(diagnostics.log(), "a.cl:2:10: error: There is no \"c\".\n  \tint b = c;\n  \t        ^\n");
  EXPECT_TRUE(diagnostics.failed());
  EXPECT_EQ(diagnostics.errorCount(), 1u);
}

TEST(DiagnosticsTest, WarningsAndNotesAreNoErrors) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "x");
  Diagnostics diagnostics(sources);
  diagnostics.warning({file, 1, 1}, "Odd.");
  diagnostics.note({file, 1, 1}, "Here.");
  diagnostics.note({}, "Nowhere.");
  EXPECT_EQ(diagnostics.log(), "a.cl:1:1: warning: Odd.\n  x\n  ^\na.cl:1:1: note: Here.\n  x\n  ^\nnote: Nowhere.\n");
  EXPECT_FALSE(diagnostics.failed());
}

TEST(DiagnosticsTest, TheCaretCountsLettersAndNotTheirBytes) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "\xc3\xa4\xc3\xb6 x");
  Diagnostics diagnostics(sources);
  diagnostics.error({file, 1, 6}, "E.");
  EXPECT_EQ(diagnostics.log(), "a.cl:1:6: error: E.\n  \xc3\xa4\xc3\xb6 x\n     ^\n");
}

TEST(DiagnosticsTest, MessagesAreUtf8AlsoWhereTheSourceIsNot) {
  const std::string letter = "\xc3\xa4";
  for (const std::string bytes :
       {"\xe4", "\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc2\x9b", "\xe0\x80\x80"}) {
    Sources sources;
    const uint32_t file = sources.add("b\xe4.cl", letter + bytes + "x");
    Diagnostics diagnostics(sources);
    diagnostics.error({file, 1, static_cast<uint32_t>(3 + bytes.size())}, "No \"%s\".", bytes.c_str());
    const std::string marks(bytes.size(), '?');
    EXPECT_EQ(diagnostics.log(), "b?.cl:1:" + std::to_string(3 + bytes.size()) + ": error: No \"" + marks + "\".\n  " + letter +
                                     marks + "x\n   " + std::string(bytes.size(), ' ') + "^\n");
  }
}

TEST(DiagnosticsTest, ALongLineIsCutBetweenLetters) {
  for (size_t shift = 0; shift < 3; ++shift) {
    std::string line(shift, '.');
    for (int i = 0; i < 500; ++i) line += "\xe2\x82\xac";  // three bytes each
    Sources sources;
    const uint32_t file = sources.add("a.cl", line);
    Diagnostics diagnostics(sources);
    diagnostics.error({file, 1, static_cast<uint32_t>(shift + 600 + 1)}, "E.");
    EXPECT_EQ(diagnostics.log().find('?'), std::string::npos) << diagnostics.log();
  }
}

TEST(DiagnosticsTest, OfALongLineThePartAroundTheColumnIsShown) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", std::string(5000, 'a') + "X" + std::string(5000, 'b'));
  Diagnostics diagnostics(sources);
  diagnostics.error({file, 1, 5001}, "E.");
  EXPECT_LT(diagnostics.log().size(), 500u);
  EXPECT_NE(diagnostics.log().find("  ...aaa"), std::string::npos);
  EXPECT_NE(diagnostics.log().find("bbb...\n"), std::string::npos);
  const size_t line = diagnostics.log().find("  ...a");
  const size_t caret = diagnostics.log().find('^');
  const size_t caret_line = diagnostics.log().rfind('\n', caret) + 1;
  EXPECT_EQ(diagnostics.log()[line + (caret - caret_line)], 'X');
}

TEST(DiagnosticsTest, ControlCharactersAndLongSentencesDoNotGetOut) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", std::string("a\x1b[31m\0b", 8));
  Diagnostics diagnostics(sources);
  diagnostics.error({file, 1, 1}, "%s \x1b", std::string(100000, 'x').c_str());
  EXPECT_LT(diagnostics.log().size(), 1200u);
  EXPECT_EQ(diagnostics.log().find('\x1b'), std::string::npos);
  EXPECT_EQ(diagnostics.log().find('\0'), std::string::npos);
  EXPECT_NE(diagnostics.log().find("xxx...\n"), std::string::npos);
}

TEST(DiagnosticsTest, TheTwentiethErrorIsTheLast) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "x");
  Diagnostics diagnostics(sources);
  for (uint32_t i = 1; i <= 50; ++i) {
    diagnostics.error({file, 1, 1}, "Number %u.", i);
    EXPECT_EQ(diagnostics.full(), i >= Diagnostics::kMaxErrors);
  }
  EXPECT_EQ(diagnostics.errorCount(), Diagnostics::kMaxErrors);
  EXPECT_NE(diagnostics.log().find("Number 20."), std::string::npos);
  EXPECT_EQ(diagnostics.log().find("Number 21."), std::string::npos);
  EXPECT_TRUE(diagnostics.log().ends_with("note: 20 errors are shown; the rest was not read.\n"));
}

TEST(DiagnosticsTest, WarningsHaveAnEndToo) {
  Sources sources;
  const uint32_t file = sources.add("a.cl", "x");
  Diagnostics diagnostics(sources);
  for (int i = 0; i < 1000; ++i) diagnostics.warning({file, 1, 1}, "W.");
  EXPECT_TRUE(diagnostics.log().ends_with("note: 100 warnings are shown; there are more.\n"));
}

}  // namespace
}  // namespace manyrt::compiler
