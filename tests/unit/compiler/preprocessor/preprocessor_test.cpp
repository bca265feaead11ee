// Directives, files, places and pragmas, with the place of every error.
#include "compiler/preprocessor/preprocessor.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "preprocess.h"

namespace manyrt::compiler {
namespace {

// A folder of files that goes with the test.
class PreprocessorFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "manyrt-preprocessor-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  PreprocessorOptions in(std::vector<std::string> folders) const {
    PreprocessorOptions options;
    for (const std::string& folder : folders) options.include_folders.push_back(folder_ + "/" + folder);
    return options;
  }
  std::string folder_;
};

TEST(PreprocessorTest, TokensKeepTheirPlacesAndEndWithAnEnd) {
  Preprocessed run("int a;\n  b\\\n = 1;");
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.text(), "int a ; b = 1 ;");
  EXPECT_EQ(run.tokens.back().kind, TokenKind::kEnd);
  EXPECT_EQ(run.place(run.tokens[3].where), "a.cl:2:3");
  EXPECT_EQ(run.place(run.tokens[4].where), "a.cl:3:2");
  EXPECT_TRUE(run.tokens[3].line_start);
  EXPECT_FALSE(run.tokens[4].line_start);
}

TEST(PreprocessorTest, TheEmptyTextHasOnlyAnEnd) {
  Preprocessed run("");
  EXPECT_TRUE(run.ok);
  EXPECT_EQ(run.tokens.size(), 1u);
}

TEST(PreprocessorTest, DigraphsLeaveUnderTheirUsualSpelling) { EXPECT_EQ(expand("%:define x <% <: :> %>\nx"), "{ [ ] }"); }

TEST(PreprocessorTest, ConditionsChooseOneGroup) {
  const std::string chain = "#if A == 1\none\n#elif A == 2\ntwo\n#elif A == 3\nthree\n#else\nother\n#endif\n";
  EXPECT_EQ(expand("#define A 1\n" + chain), "one");
  EXPECT_EQ(expand("#define A 2\n" + chain), "two");
  EXPECT_EQ(expand("#define A 3\n" + chain), "three");
  EXPECT_EQ(expand(chain), "other");
  EXPECT_EQ(expand("#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif\n#ifdef M_PI\nd\n#endif"), "b c d");
}

TEST(PreprocessorTest, SkippedGroupsAreNotRead) {
  EXPECT_EQ(
      expand(
          "#if 0\n#error no\n#foo\ndon't \"x\n#include \"none\"\n#if 1/0\n#else\n#elif\n#endif\n#define A\n#else\nx\n#endif\n"
          "#ifdef A\ny\n#endif"),
      "x");
  EXPECT_EQ(expand("#if 1\na\n#elif 1/0\nb\n#endif"), "a");
}

TEST(PreprocessorTest, ConditionsThatDoNotFitAreErrorsAtTheirPlace) {
  EXPECT_EQ(failure("a\n #endif"), "2:3: There is no #if in this file for this #endif.");
  EXPECT_EQ(failure("#else"), "1:2: There is no #if in this file for this #else.");
  EXPECT_EQ(failure("#elif 1"), "1:2: There is no #if in this file for this #elif.");
  EXPECT_EQ(failure("#if 1\n#else\n#else\n#endif"), "3:2: #else stands after the #else of its #if.");
  EXPECT_EQ(failure("#if 0\n#else\n#elif 1\n#endif"), "3:2: #elif stands after the #else of its #if.");
  EXPECT_EQ(failure("\n #if 1\nx"), "2:3: This condition has no #endif.");
  EXPECT_EQ(failure("#if 0\nx"), "1:2: This condition has no #endif.");
  EXPECT_EQ(failure("#ifdef"), "1:2: A macro's name is expected after #ifdef.");
  EXPECT_EQ(failure("#ifndef 1\n#endif"), "1:9: A macro's name is expected after #ifndef.");
  EXPECT_EQ(failure("#undef 1"), "1:8: A macro's name is expected after #undef.");
}

TEST(PreprocessorTest, TheNullDirectiveIsNothingAndAnUnknownOneAnError) {
  EXPECT_EQ(expand("#\n # // comment\na"), "a");
  EXPECT_EQ(failure("  #foo bar"), "1:4: There is no directive \"#foo\".");
  EXPECT_EQ(failure("#\"x\""), "1:2: There is no directive \"#\"x\"\".");
}

TEST(PreprocessorTest, ErrorAndWarningCarryTheirLine) {
  EXPECT_EQ(failure("# error don't  do /* x */ this"), "1:3: #error don't  do /* x */ this");
  EXPECT_EQ(failure("#error a   b /* x */ \"c\""), "1:2: #error a b \"c\"");
  Preprocessed run("#warning be careful\nx");
  EXPECT_TRUE(run.ok);
  EXPECT_TRUE(run.log().starts_with("a.cl:1:2: warning: #warning be careful\n  #warning be careful\n   ^\n")) << run.log();
}

TEST(PreprocessorTest, TextAfterAnEndifIsAWarning) {
  Preprocessed run("#if 1\n#else x\n#endif y\nz");
  EXPECT_TRUE(run.ok);
  EXPECT_EQ(run.text(), "z");
  EXPECT_NE(run.log().find("a.cl:2:7: warning: \"x\" after #else means nothing."), std::string::npos) << run.log();
  EXPECT_NE(run.log().find("a.cl:3:8: warning: \"y\" after #endif means nothing."), std::string::npos) << run.log();
}

TEST(PreprocessorTest, LineChangesPlacesFromTheNextLineOn) {
  Preprocessed run("#line 100\na __LINE__\n#define L 7\n#line L \"b.cl\"\nb __LINE__ __FILE__\n# 20 \"c.cl\" 2\nc\n#error x");
  EXPECT_FALSE(run.ok);
  EXPECT_EQ(run.text(), "a 100 b 7 \"b.cl\" c");
  EXPECT_EQ(run.place(run.tokens[0].where), "a.cl:100:1");
  EXPECT_EQ(run.place(run.tokens[2].where), "b.cl:7:1");
  EXPECT_EQ(run.place(run.tokens[5].where), "c.cl:20:1");
  EXPECT_EQ(run.log(), "c.cl:21:2: error: #error x\n  #error x\n   ^\n");
}

TEST(PreprocessorTest, DamagedLineDirectivesAreErrors) {
  EXPECT_EQ(failure("#line"), "1:2: A line's number from 1 to 2147483647 is expected after #line.");
  for (const char* bad : {"0", "2147483648", "99999999999", "x", "1x", "-1"}) {
    EXPECT_EQ(failure(std::string("#line ") + bad), "1:7: A line's number from 1 to 2147483647 is expected after #line.");
  }
  EXPECT_EQ(failure("#line 5 x"), "1:9: A file's name in quotes is expected after the number of #line, not \"x\".");
  EXPECT_EQ(expand("#line 2147483647\n__LINE__"), "2147483647");
}

TEST(PreprocessorTest, PragmasAreTokens) {
  Preprocessed run(
      "#define N 4\n  #pragma unroll N // c\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma\n"
      "_Pragma(\"a \\\"b\\\"\") x");
  ASSERT_TRUE(run.ok) << run.log();
  EXPECT_EQ(run.text(), "<unroll 4> <OPENCL EXTENSION cl_khr_fp64 : enable> <> <a \"b\"> x");
  EXPECT_EQ(run.tokens[0].kind, TokenKind::kPragma);
  EXPECT_EQ(run.place(run.tokens[0].where), "a.cl:2:11");
  EXPECT_EQ(expand("#define P(n) _Pragma(#n) for\nP(unroll 4)\nP(unroll)"), "<unroll 4> for <unroll> for");
  EXPECT_EQ(failure("x _Pragma(y)"), "1:3: After _Pragma stands a string in parentheses.");
  EXPECT_EQ(failure("#define f(x) x\nf(\n#pragma unroll\n)"),
            "3:2: #pragma cannot stand in the arguments of a macro; _Pragma(\"...\") can.");
}

TEST(PreprocessorTest, DirectivesInArgumentsAreCarriedOut) {
  EXPECT_EQ(expand("#define f(x) [x]\nf(a\n#ifdef f\nb\n#else\nc\n#endif\n#define d e\nd)"), "[ a b e ]");
  EXPECT_EQ(expand("#define f(x) [x]\nf(a\n#undef f\nf)"), "[ a f ]");
  EXPECT_EQ(failure("#define f(x) x\nf(\n#include \"a\"\n)"), "3:2: #include cannot stand in the arguments of a macro.");
}

TEST(PreprocessorTest, AQuoteThatIsNotClosedIsAnErrorWhereItIsRead) {
  EXPECT_EQ(failure("int a = 'x;\n"), "1:9: The closing ' is missing on this line.");
  EXPECT_EQ(failure("  \"abc\n"), "1:3: The closing \" is missing on this line.");
}

TEST(PreprocessorTest, OptionsDefineInTheirOrder) {
  PreprocessorOptions options;
  options.definitions = {
      {"A", "1", false}, {"F(x)", "(x + A)", false}, {"B", "", false}, {"A", "", true}, {"C", "x\n#error y", false}};
  Preprocessed run("A F(2) [B] C", options);
  EXPECT_TRUE(run.ok) << run.log();
  EXPECT_EQ(run.text(), "A ( 2 + A ) [ ] x # error y");
}

TEST(PreprocessorTest, ADamagedOptionIsAnErrorInTheOptions) {
  PreprocessorOptions options;
  options.definitions = {{"A", "1", false}, {"F(x", "1", false}};
  Preprocessed run("", options);
  EXPECT_FALSE(run.ok);
  EXPECT_TRUE(run.log().starts_with("<build options>:2:13: error: ")) << run.log();
}

TEST(PreprocessorTest, HeadersInMemoryAreFoundByTheirName) {
  PreprocessorOptions options;
  options.headers = {{"a.h", "int a;"}, {"lib/b.h", "#include \"c.h\"\n#include <a.h>"}, {"lib/c.h", "int c;"}};
  Preprocessed run(
      "#include \"a.h\"\n#include <lib/b.h>\n#define NAME <a.h>\n#include NAME\n#define TEXT \"a.h\"\n#include TEXT", options);
  EXPECT_TRUE(run.ok) << run.log();
  EXPECT_EQ(run.text(), "int a ; int c ; int a ; int a ; int a ;");
  EXPECT_EQ(run.place(run.tokens[4].where), "lib/c.h:1:5");
}

TEST(PreprocessorTest, OnceIsOnce) {
  PreprocessorOptions options;
  options.headers = {{"a.h", "#pragma once\na"}, {"b.h", "#ifndef B\n#define B\nb\n#include \"a.h\"\n#endif"}};
  EXPECT_EQ(Preprocessed("#include \"a.h\"\n#include \"b.h\"\n#include \"b.h\"\n#include \"a.h\"", options).text(), "a b");
}

TEST(PreprocessorTest, AHeaderThatIsNotThereIsAnErrorThatSaysWhereWasLooked) {
  PreprocessorOptions options;
  options.headers = {{"a.h", ""}};
  options.include_folders = {"/nowhere/one", "two"};
  EXPECT_EQ(failure("x\n#include \"none.h\"", options),
            "2:10: The header \"none.h\" was not found. Looked at: 1 headers in memory, \"/nowhere/one\", \"two\".");
  EXPECT_EQ(failure("#include"), "1:2: A header's name, in quotes or in < and >, is expected after #include.");
  EXPECT_EQ(failure("#include 5"), "1:2: A header's name, in quotes or in < and >, is expected after #include.");
  EXPECT_EQ(failure("#include <a"), "1:2: A header's name, in quotes or in < and >, is expected after #include.");
  EXPECT_EQ(failure("#include \"\""), "1:10: The name of the header is empty or has a zero byte.");
  EXPECT_EQ(failure(std::string("#include \"a.h\0b\"", 16), options),
            "1:10: The name of the header is empty or has a zero byte.");
}

TEST(PreprocessorTest, ConditionsAndArgumentsEndWithTheirFile) {
  PreprocessorOptions options;
  options.headers = {{"a.h", "#if 1\n"}, {"b.h", "#endif\n"}, {"c.h", "f(1"}};
  Preprocessed open("#include \"a.h\"\nx", options);
  EXPECT_TRUE(open.log().starts_with("a.h:1:2: error: This condition has no #endif.")) << open.log();
  Preprocessed close("#if 1\n#include \"b.h\"\n#endif", options);
  EXPECT_TRUE(close.log().starts_with("b.h:1:2: error: There is no #if in this file")) << close.log();
  Preprocessed call("#define f(x) x\n#include \"c.h\"\n)", options);
  EXPECT_TRUE(call.log().starts_with("c.h:1:1: error: The argument list of the macro \"f\" has no \")\".")) << call.log();
}

TEST(PreprocessorTest, HeadersThatIncludeThemselvesEnd) {
  PreprocessorOptions options;
  options.headers = {{"a.h", "#include \"a.h\"\n#include \"a.h\""},
                     {"b.h",
                      "#if __COUNTER__ < 100000000\n#ifndef X9\n#ifndef X8\n#define X8\n#include \"b.h\"\n#include \"b.h\"\n"
                      "#undef X8\n#else\n#define X9\n#include \"b.h\"\n#include \"b.h\"\n#undef X9\n#endif\n#endif\n#endif"}};
  Preprocessed deep("#include \"a.h\"", options);
  EXPECT_FALSE(deep.ok);
  EXPECT_TRUE(deep.log().starts_with("a.h:1:10: error: Headers include headers more than 64 levels deep here.")) << deep.log();
  EXPECT_EQ(deep.diagnostics.errorCount(), 1u);
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "n" + std::to_string(i) + ".h", next = "#include \"n" + std::to_string(i + 1) + ".h\"\n";
    options.headers.push_back({name, next + next});
  }
  options.headers.push_back({"n60.h", ""});
  Preprocessed wide("#include \"n0.h\"", options);
  EXPECT_FALSE(wide.ok);
  EXPECT_NE(
      wide.log().find("The program with all that it includes has more than 16000000 tokens (an #include counts for 100)."),
      std::string::npos);
}

TEST(PreprocessorTest, AfterTwentyErrorsItGivesUp) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "#foo\n";
  Preprocessed run(text);
  EXPECT_FALSE(run.ok);
  EXPECT_EQ(run.diagnostics.errorCount(), Diagnostics::kMaxErrors);
}

TEST_F(PreprocessorFilesTest, TheFolderOfTheIncludingFileComesBeforeThoseOfTheOptions) {
  write("a/x.h", "#include \"y.h\"\n#include <y.h>\n");
  write("a/y.h", "a_y __FILE__");
  write("b/y.h", "b_y");
  Preprocessed run("#include \"x.h\"", in({"b", "a"}));
  EXPECT_TRUE(run.ok) << run.log();
  EXPECT_EQ(run.text(), "a_y \"" + folder_ + "/a/y.h\" b_y");
}

TEST_F(PreprocessorFilesTest, TheProgramsOwnFolderIsThatOfItsName) {
  write("y.h", "found");
  EXPECT_EQ(Preprocessed("#include \"y.h\"", {}, folder_ + "/program.cl").text(), "found");
  EXPECT_FALSE(Preprocessed("#include <y.h>", {}, folder_ + "/program.cl").ok);
  EXPECT_EQ(Preprocessed("#include \"" + folder_ + "/y.h\"").text(), "found");
}

TEST_F(PreprocessorFilesTest, HeadersInMemoryComeBeforeFiles) {
  write("y.h", "file");
  PreprocessorOptions options = in({"."});
  options.headers = {{"y.h", "memory"}};
  EXPECT_EQ(Preprocessed("#include \"y.h\"", options, folder_ + "/program.cl").text(), "memory");
}

TEST_F(PreprocessorFilesTest, OnceKnowsAFileUnderEveryPath) {
  write("y.h", "#pragma once\ny");
  std::filesystem::create_symlink(folder_ + "/y.h", folder_ + "/z.h");
  EXPECT_EQ(Preprocessed("#include \"y.h\"\n#include \"./y.h\"\n#include \"z.h\"", in({"."})).text(), "y");
}

TEST_F(PreprocessorFilesTest, OnlyRegularFilesOfBoundedSizeAreRead) {
  ASSERT_EQ(mkfifo((folder_ + "/pipe.h").c_str(), 0600), 0);
  EXPECT_EQ(failure("#include \"pipe.h\"", in({"."})), "1:10: The header \"" + folder_ + "/./pipe.h\" is not a regular file.");
  std::filesystem::create_directory(folder_ + "/folder.h");
  EXPECT_NE(failure("#include \"folder.h\"", in({"."})).find("was not found"), std::string::npos);
  write("big.h", "");
  std::filesystem::resize_file(folder_ + "/big.h", (16u << 20) + 1);
  EXPECT_EQ(failure("#include \"big.h\"", in({"."})),
            "1:10: The header \"" + folder_ + "/./big.h\" has 16777217 bytes; 16777216 are the limit.");
}

}  // namespace
}  // namespace manyrt::compiler
