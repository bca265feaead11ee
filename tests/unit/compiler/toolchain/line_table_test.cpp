// Lines of instructions from the debug information of compilers, in both of its forms, and what damaged information does: less.
#include "compiler/toolchain/line_table.h"

#include <random>

#include "compiler/image.h"
#include "compiler/toolchain/compiler.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

using Bytes = std::vector<unsigned char>;

class LineTableTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    Compiler compiler;
    if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
  }
  static Bytes build(const std::vector<std::string>& flags) {
    Compiler compiler;
    Bytes object;
    std::string log;
    EXPECT_TRUE(findCompiler(&compiler).ok());
    const std::string text =
        "#define SHOWN extern \"C\" __attribute__((visibility(\"default\")))\n"
        "#line 7 \"first.cl\"\nSHOWN int seven(int a) { return a + 1; }\n"
        "#line 300 \"second.cl\"\nSHOWN int three_hundred(int a) { return a * 3; }\n"
        "#line 5 \"folder/unit0.cpp\"\nSHOWN int made(int a) {\n"
        "  a = a * a;\n"
        "#line 20 \"third.cl\"\n  asm volatile(\"\");\n"
        "#line 9 \"folder/unit0.cpp\"\n  return a + 2; }\n";
    std::vector<std::string> all = {"-O1", "-fPIC"};
    all.insert(all.end(), flags.begin(), flags.end());
    EXPECT_TRUE(compile(&object, &log, compiler, CompileJob{{text}, all}).ok()) << log;
    return object;
  }
  static Ref<Object> load(const Bytes& bytes) {
    Ref<Object> object;
    const Status status = Object::load(&object, bytes.data(), bytes.size(), "test");
    EXPECT_TRUE(status.ok()) << status.message();
    return object;
  }
};

std::string placeOf(const Object& object, const char* name) {
  const auto address = reinterpret_cast<uintptr_t>(object.symbol(name));
  EXPECT_TRUE(object.contains(address)) << name;
  const LineTable::Place place = object.placeOf(address);
  const std::string words = place.is_near ? "near " : "";
  return place.file == nullptr ? "" : words + place.file + ":" + std::to_string(place.line);
}

TEST_F(LineTableTest, ALineOfEachFormOfDebugInformationIsFound) {
  for (const char* form : {"-gdwarf-4", "-gdwarf-5", "-g1", "-g"}) {
    SCOPED_TRACE(form);
    const Ref<Object> object = load(build({form}));
    EXPECT_EQ(placeOf(*object, "seven"), "first.cl:7");
    EXPECT_EQ(placeOf(*object, "three_hundred"), "second.cl:300");
  }
}

TEST_F(LineTableTest, AnInstructionOfTheGeneratedTextIsNearALineOfASource) {
  const Ref<Object> object = load(build({"-g1"}));
  EXPECT_EQ(placeOf(*object, "made"), "near third.cl:20");
}

TEST_F(LineTableTest, WithoutDebugInformationNoPlaceIsKnown) {
  const Ref<Object> object = load(build({}));
  EXPECT_EQ(placeOf(*object, "seven"), "");
  EXPECT_FALSE(object->contains(0));
  EXPECT_FALSE(object->contains(reinterpret_cast<uintptr_t>(&placeOf)));
}

TEST_F(LineTableTest, DamagedInformationHasFewerLinesAndNoOtherEffect) {
  const Bytes whole = build({"-g"});
  std::mt19937 random(1);
  for (int turn = 0; turn < 400; ++turn) {
    Bytes damaged(whole.begin(), whole.begin() + static_cast<long>(random() % (whole.size() + 1)));
    if (turn % 2 == 0) {
      damaged = whole;
      for (int i = 0; i < 40; ++i) damaged[random() % damaged.size()] = static_cast<unsigned char>(random());
    }
    LineTable table;
    table.read(damaged.data(), damaged.size());
    for (uint64_t offset : {uint64_t{0}, uint64_t{0x1000}, ~uint64_t{0}}) (void)table.at(offset);
  }
}

}  // namespace
}  // namespace manyrt::compiler
