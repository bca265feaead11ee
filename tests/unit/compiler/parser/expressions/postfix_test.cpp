// Vectors and their components, subscripts, members: what they pick, and what may be assigned through them.
#include "expression_rig.h"
#include "vector_cases.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(PostfixTest, VectorsAndPlacesTakeWhatTheLanguageSays) { judge(kAcceptedVectors, true); }

TEST(PostfixTest, VectorsAndPlacesRefuseWhatTheLanguageRefuses) { judge(kRefusedVectors, false); }

TEST(PostfixTest, NamesPickComponents) {
  EXPECT_EQ(typed("f4.wzyx;"), "(components f4 3210)");
  EXPECT_EQ(typed("f16.s0aF9;"), "(components f16 0AF9)");
  EXPECT_EQ(typed("f16.S7;"), "(components f16 7)");
  EXPECT_EQ(typed("f8.lo;"), "(components f8 0123)");
  EXPECT_EQ(typed("f8.hi;"), "(components f8 4567)");
  EXPECT_EQ(typed("f8.even;"), "(components f8 0246)");
  EXPECT_EQ(typed("f8.odd;"), "(components f8 1357)");
  EXPECT_EQ(typed("f4.xxyy;"), "(components f4 0011)");
}

TEST(PostfixTest, HalvesOfThreeComponentsAreThoseOfFour) {
  EXPECT_EQ(typed("f3.lo;"), "(components f3 01)");
  EXPECT_EQ(typed("f3.hi;"), "(components f3 23)");
  EXPECT_EQ(typed("f3.odd;"), "(components f3 13)");
}

TEST(PostfixTest, ComponentsOfComponentsAreOnesOfTheVector) {
  EXPECT_EQ(typed("f8.hi.wx.y;"), "(components f8 4)");
  EXPECT_EQ(typed("f8.odd.even = f2;"), "(= (components f8 15) f2)");
  EXPECT_EQ(typed("f4.zw[1];"), "(components f4 3)");
}

TEST(PostfixTest, ConstantSubscriptsOfVectorsAreComponents) {
  EXPECT_EQ(typed("f4[1 + 1];"), "(components f4 2)");
  EXPECT_EQ(typed("f4[c];"), "([] f4 (to int c))");
  EXPECT_EQ(typed("f4[4];"), "([] f4 4)");
}

TEST(PostfixTest, SubscriptsWorkBothWays) {
  EXPECT_EQ(typed("ai[1] = 1[gi];"), "(= ([] (to int * ai) 1) ([] gi 1))");
  EXPECT_EQ(typed("gf4[i].x;"), "(components ([] gf4 i) 0)");
}

TEST(PostfixTest, MembersGoThroughPointersAndUnnamedRecords) {
  EXPECT_EQ(typed("ps->a;"), "(. (* ps) a)");
  EXPECT_EQ(typed("s1.sub.y1;"), "(. (. (. s1 sub) ) y1)");
  EXPECT_EQ(typed("ps->arr[2];"), "([] (to int * (. (* ps) arr)) 2)");
  EXPECT_EQ(typed("mk().v.y;"), "(components (. (call mk) v) 1)");
}

TEST(PostfixTest, MembersLieWhereTheirRecordLies) {
  EXPECT_EQ(typed("global struct S *gs; pi = gs->arr;").find("1:"), 8u);
  EXPECT_TRUE(says("global struct S *gs; pi = gs->arr;", "Type __global int * does not convert to int *"));
  EXPECT_TRUE(says("const struct S *cs; cs->v.x = 1;", "const float and cannot be assigned"));
}

TEST(PostfixTest, MessagesPointAtTheNameOfTheMember) {
  EXPECT_EQ(said("i = s1.nope;"), "1:8: error: The type struct S has no member \"nope\".");
  EXPECT_EQ(said("f = f2.z;"), "1:8: error: The component \"z\" is outside of the type float2.");
  EXPECT_EQ(said("i = s1->a;"), "1:7: error: The operator \"->\" takes a pointer; this is struct S: write \".\".");
  EXPECT_TRUE(says("f4.xx = f2;", "names a component more than once"));
}

}  // namespace
}  // namespace manyrt::compiler
