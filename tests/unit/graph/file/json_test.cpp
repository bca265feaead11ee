// The reader of JSON alone: what RFC 8259 allows is taken, all else is refused where it stands; numbers and strings come out as
// they were meant; what is quoted for a file is read back as the same bytes.
#include "graph/file/json.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace manyrt::graph {
namespace {

TEST(JsonTest, WhatTheStandardAllowsIsTaken) {
  for (const char* text :
       {"0", "-0", "1e5", "-1.5E+10", "0.25", "null", "true", " \t\r\n[]", "{}", "[1,[2,[3]],{\"a\":[]}]", "\"\"",
        "\"\\u0041\\n\\/\\\"\"", "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "{\"\":0,\"\":1}", "\"\x7f\"", "[[[[]]]]  "}) {
    Json json;
    const Status status = json.parse(text);
    EXPECT_TRUE(status.ok()) << text << ": " << status.message();
  }
}

// For a number, word or string the place is where the reading of it stopped.
TEST(JsonTest, AllElseIsRefusedWhereItStands) {
  struct Case {
    const char *text, *place;
  };
  for (const Case& each : {
           Case{"", "Line 1, column 1: "},
           Case{"\n\n  x", "Line 3, column 3: "},
           Case{"[1,]", "Line 1, column 4: "},
           Case{"[1 2]", "Line 1, column 4: "},
           Case{"{\"a\" 1}", "Line 1, column 6: "},
           Case{"{\"a\":1,}", "Line 1, column 8: "},
           Case{"{a:1}", "Line 1, column 2: "},
           Case{"01", "Line 1, column 2: "},
           Case{"-", "Line 1, column 2: "},
           Case{"1.", "Line 1, column 3: "},
           Case{".5", "Line 1, column 1: "},
           Case{"+1", "Line 1, column 1: "},
           Case{"1e", "Line 1, column 3: "},
           Case{"0x1", "Line 1, column 2: "},
           Case{"NaN", "Line 1, column 1: "},
           Case{"nul", "Line 1, column 4: "},
           Case{"'a'", "Line 1, column 1: "},
           Case{"\"a", "Line 1, column 3: "},
           Case{"\"\t\"", "Line 1, column 2: "},
           Case{"\"\\x\"", "Line 1, column 3: "},
           Case{"\"\\u00g0\"", "Line 1, column 6: "},
           Case{"\"\\udc00\"", "Line 1, column 7: "},
           Case{"\"\\ud800\\u0041\"", "Line 1, column 13: "},
           Case{"\"\xc3\xa9\xff\"", "Line 1, column 3: "},  // letters are counted, not bytes
           Case{"\"\xc0\x80\"", "Line 1, column 2: "},
           Case{"\"\xed\xa0\x80\"", "Line 1, column 3: "},
           Case{"\"\xf4\x90\x80\x80\"", "Line 1, column 3: "},
           Case{"\xef\xbb\xbf[]", "Line 1, column 1: "},
           Case{"[] []", "Line 1, column 4: "},
           Case{"[1 \"later\"]", "Line 1, column 4: "},  // where a whole token begins
           Case{"[1 12345", "Line 1, column 4: "},
           Case{"[1 false]", "Line 1, column 4: "},
           Case{"{\"a\":1, null}", "Line 1, column 9: "},
           Case{"[/**/]", "Line 1, column 2: "},
       }) {
    Json json;
    const Status status = json.parse(each.text);
    ASSERT_EQ(status.code(), RT_ERROR_INVALID_VALUE) << each.text;
    EXPECT_EQ(std::string(status.message()).find(each.place), 0u) << each.text << ": " << status.message();
  }
}

TEST(JsonTest, DepthIsBounded) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(Json().parse(nested(Json::kMaxDepth)).ok());
  EXPECT_FALSE(Json().parse(nested(Json::kMaxDepth + 1)).ok());
  EXPECT_FALSE(Json().parse(std::string(1 << 20, '[')).ok());
}

TEST(JsonTest, NumbersAreReadOnceAndInTheirRange) {
  const auto scalar = [](const char* text, const char* type, void* out) {
    Json json;
    unsigned char bytes[8] = {};
    if (!json.parse(text).ok()) return false;
    const bool fits = Field(json).scalar(bytes, type).ok();
    if (fits) memcpy(out, bytes, scalarSize(type));
    return fits;
  };
  float single = 0;
  double twice = 0;
  uint64_t large = 0;
  int8_t small = 0;
  EXPECT_TRUE(scalar("0.1", "f32", &single));
  EXPECT_EQ(single, 0.1f);
  EXPECT_TRUE(scalar("1.00000017881393432617187499", "f32", &single));
  EXPECT_EQ(single, 1.00000011920928955078125f) << "rounded to a double first it would be a tie, and go the other way";
  EXPECT_TRUE(scalar("4.9e-324", "f64", &twice));
  EXPECT_EQ(twice, std::numeric_limits<double>::denorm_min());
  EXPECT_FALSE(scalar("1e999", "f64", &twice));
  EXPECT_TRUE(scalar("18446744073709551615", "u64", &large));
  EXPECT_EQ(large, UINT64_MAX);
  EXPECT_FALSE(scalar("18446744073709551616", "u64", &large));
  EXPECT_FALSE(scalar("1.0", "u64", &large));
  EXPECT_TRUE(scalar("-128", "i8", &small));
  EXPECT_FALSE(scalar("128", "i8", &small));
  EXPECT_FALSE(scalar("1", "f16", &small)) << "which is written as bytes";
}

TEST(JsonTest, WhatIsQuotedIsReadBack) {
  std::string text;
  for (int letter = 1; letter < 0x80; ++letter) text += static_cast<char>(letter);
  text += "\xc3\xa9\xe2\x80\xa6\xf0\x9f\x98\x80";
  std::string quoted;
  ASSERT_TRUE(appendQuoted(&quoted, text));
  Json json;
  ASSERT_TRUE(json.parse(quoted).ok());
  std::string read;
  ASSERT_TRUE(Field(json).text(&read).ok());
  EXPECT_EQ(read, text);
  EXPECT_FALSE(appendQuoted(&quoted, "\xff"));
}

}  // namespace
}  // namespace manyrt::graph
