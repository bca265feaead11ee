// What the lanes of a region have in common in each variable, and where control differs between them.
#include "compiler/lowering/cpu/lanes/shapes.h"

#include "compiler/parser/visit.h"
#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

using namespace compiler;

// The shapes of the only region of lanesKernel(body).
class Shapes {
 public:
  explicit Shapes(const std::string& body, uint32_t along = 0) : kernel_(lanesKernel(body)) {
    if (kernel_.makePlan(GroupPlan::Split::kBarriers) == nullptr) {
      ADD_FAILURE() << kernel_.why_not;
      return;
    }
    region_ = findRegion(kernel_.plan->root());
    shapes_.emplace(*kernel_.plan, along);
    std::string why_not;
    EXPECT_TRUE(region_ != nullptr && shapes_->find(region_->statements, &why_not)) << body << ": " << why_not;
  }

  // Of the last variable of that name which the region declares.
  Shape of(const std::string& name) {
    Shape found;
    visitRegion([&](Stmt& s) {
      for (const Variable* variable : s.variables) {
        if (variable->name == name) found = shapes_->of(*variable);
      }
    });
    found.range = {};  // what follows from it is looked at
    return found;
  }

  size_t diverging(StmtKind kind) {
    size_t count = 0;
    visitRegion([&](Stmt& s) { count += s.kind == kind && shapes_->diverges(s) ? 1 : 0; });
    return count;
  }

  uint32_t widest() const { return shapes_->widest(); }

 private:
  static const Node* findRegion(const Node& node) {
    if (node.kind == NodeKind::kRegion) return &node;
    for (const auto& child : node.children) {
      if (const Node* found = findRegion(*child)) return found;
    }
    return nullptr;
  }
  template <typename Function>
  void visitRegion(Function function) {
    for (Stmt* each : region_->statements) visitStatements(each, function);
  }

  Lowered kernel_;
  const Node* region_ = nullptr;
  std::optional<LaneShapes> shapes_;
};

TEST(ShapesTest, WhatComesFromArgumentsAndLiteralsIsUniform) {
  Shapes shapes(
      "int x = n * 3 + 1; float y = a[n]; int z = get_group_id(0) + get_local_size(0); int w = get_global_id(1); "
      "a[i] = x + y + z + w;");
  for (const char* name : {"x", "y", "z", "w"}) EXPECT_EQ(shapes.of(name), Shape::uniform()) << name;
}

TEST(ShapesTest, AnIdGrowsByOneAndAConstantFactorIsItsStride) {
  Shapes shapes(
      "int k = i * 4 - n; int left = i << 3; int back = n - i; int none = i - get_global_id(0); long wide = (long)i + 1; "
      "a[i] = k + left + back + none + wide;");
  EXPECT_EQ(shapes.of("i"), Shape::linear(1));
  EXPECT_EQ(shapes.of("k"), Shape::linear(4, true)) << "four times the largest id has 33 bits";
  EXPECT_EQ(shapes.of("left"), Shape::linear(8, true));
  EXPECT_EQ(shapes.of("back"), Shape::linear(-1)) << "an overflow of something unknown has no meaning";
  EXPECT_EQ(shapes.of("none"), Shape::uniform());
  EXPECT_EQ(shapes.of("wide"), Shape::linear(1));
}

TEST(ShapesTest, TheOtherIdsAreUniformAlongADimension) {
  Shapes shapes("int x = i * 2 + 1; int y = get_global_id(1) * 3; int z = get_local_id(2); a[get_global_id(1)] = x + y + z;",
                1);
  EXPECT_EQ(shapes.of("x"), Shape::uniform());
  EXPECT_EQ(shapes.of("y"), Shape::linear(3, true));
  EXPECT_EQ(shapes.of("z"), Shape::uniform());
}

TEST(ShapesTest, WhatDiffersWithoutAConstantStepIsVarying) {
  Shapes shapes(
      "int product = i * n; int square = i * i; float real = i; char narrow = i; int bits = i & 3; float read = a[i]; "
      "a[i] = product + square + real + narrow + bits + read;");
  for (const char* name : {"product", "square", "real", "narrow", "bits", "read"}) {
    EXPECT_EQ(shapes.of(name), Shape::varying()) << name;
  }
}

TEST(ShapesTest, AnUnsignedIndexIsLinearAndMayWrap) {
  Shapes shapes("uint id = get_global_id(0); uint k = id + by; uint same = k; ulong wide = k; a[k] = id + same + wide;");
  EXPECT_EQ(shapes.of("id"), Shape::linear(1)) << "ids have 31 bits";
  EXPECT_EQ(shapes.of("k"), Shape::linear(1, true));
  EXPECT_EQ(shapes.of("same"), Shape::linear(1, true));
  EXPECT_EQ(shapes.of("wide"), Shape::varying()) << "64 bits show where it wraps";
}

TEST(ShapesTest, AnIdLessAConstantIsLinearUntilItsSignIsLost) {
  Shapes shapes(
      "int below = i - 5; uint lost = below; ulong wide = lost; long kept = below; uint cut = get_global_id(0) - 1; ulong far "
      "= cut; "
      "char narrow = i; a[i] = below + lost + wide + kept + cut + far + narrow;");
  EXPECT_EQ(shapes.of("below"), Shape::linear(1));
  EXPECT_EQ(shapes.of("lost"), Shape::linear(1, true));
  EXPECT_EQ(shapes.of("wide"), Shape::varying());
  EXPECT_EQ(shapes.of("kept"), Shape::linear(1));
  EXPECT_EQ(shapes.of("cut"), Shape::linear(1, true));
  EXPECT_EQ(shapes.of("far"), Shape::varying());
  EXPECT_EQ(shapes.of("narrow"), Shape::varying());
}

TEST(ShapesTest, APointerStepsInBytes) {
  Shapes shapes(
      "__global float* p = a + i; __global char* bytes = (__global char*)p; __global float4* wide = (__global float4*)(a + 4 * "
      "i); "
      "long apart = p - a; __global float* moved = a + i; for (int k = 0; k < n; ++k) a[i] += *moved++ + bytes[k] + wide[k].x "
      "+ apart;");
  EXPECT_EQ(shapes.of("p"), Shape::linear(4));
  EXPECT_EQ(shapes.of("bytes"), Shape::linear(4));
  EXPECT_EQ(shapes.of("wide"), Shape::linear(16));
  EXPECT_EQ(shapes.of("apart"), Shape::linear(1));
  EXPECT_EQ(shapes.of("moved"), Shape::linear(4));
}

TEST(ShapesTest, MinAndClampMakeAnIdVarying) {
  Shapes shapes(
      "int low = min(i, n); int inside = clamp(i - 1, 0, n); int even = clamp(n, 0, 7); int either = i > 4 ? i : n; "
      "a[i] = low + inside + even + either;");
  EXPECT_EQ(shapes.of("low"), Shape::varying());
  EXPECT_EQ(shapes.of("inside"), Shape::varying());
  EXPECT_EQ(shapes.of("even"), Shape::uniform());
  EXPECT_EQ(shapes.of("either"), Shape::varying());
}

TEST(ShapesTest, ACounterHasTheShapeOfItsStartAndItsStep) {
  Shapes uniform("float sum = 0; for (int k = 0; k < n; ++k) sum += k; a[i] = sum;");
  EXPECT_EQ(uniform.of("k"), Shape::uniform());
  EXPECT_EQ(uniform.of("sum"), Shape::uniform());
  EXPECT_EQ(uniform.diverging(StmtKind::kFor), 0u);
  Shapes linear("int at = i; for (int k = 0; k < n; ++k) at += n; a[at] = 1.0f;");
  EXPECT_EQ(linear.of("at"), Shape::linear(1, true)) << "the same is added in all lanes";
  Shapes wrapping("uint at = i + by; for (int k = 0; k < n; ++k) at += by; a[at] = 1.0f;");
  EXPECT_EQ(wrapping.of("at"), Shape::linear(1, true));
  Shapes strided("uint id = get_global_id(0); for (uint k = id; k < n; k += by) a[k] = 1.0f;");
  EXPECT_EQ(strided.of("id"), Shape::linear(1));
  EXPECT_EQ(strided.of("k"), Shape::linear(1, true)) << "lanes that have left the loop do not see it";
  Shapes varying("int at = 0; for (int k = 0; k < n; ++k) at += i; a[i] = at;");
  EXPECT_EQ(varying.of("at"), Shape::varying());
}

TEST(ShapesTest, ALoopThatLanesLeaveAtDifferentTimesMakesItsVariablesVarying) {
  Shapes shapes("int k = 0; while (k < i) ++k; a[i] = k;");
  EXPECT_EQ(shapes.diverging(StmtKind::kWhile), 1u);
  EXPECT_EQ(shapes.of("k"), Shape::varying());
}

TEST(ShapesTest, AnAssignmentUnderAConditionThatDiffersMakesAVariableVarying) {
  Shapes shapes("int x = 0, y = 0; if (a[i] > 1.0f) x = 1; if (n > 1) y = 1; a[i] = x + y;");
  EXPECT_EQ(shapes.of("x"), Shape::varying());
  EXPECT_EQ(shapes.of("y"), Shape::uniform());
  EXPECT_EQ(shapes.diverging(StmtKind::kIf), 1u);
}

TEST(ShapesTest, ABreakUnderAConditionThatDiffersMakesTheLoopDiverge) {
  EXPECT_EQ(Shapes("for (int k = 0; k < n; ++k) { if (a[i] > k) break; a[i] += 1; }").diverging(StmtKind::kFor), 1u);
  EXPECT_EQ(Shapes("for (int k = 0; k < n; ++k) { if (k > 7) break; a[i] += 1; }").diverging(StmtKind::kFor), 0u);
}

// A question that is asked twice at each level takes a day for these.
TEST(ShapesTest, LongSumsProductsAndPointersAreFollowedOnce) {
  const auto nested = [](const std::string& before, const std::string& innermost, const std::string& behind) {
    std::string text = innermost;
    for (int level = 0; level < 60; ++level) text.insert(0, before).append(behind);
    return text;
  };
  EXPECT_EQ(Shapes("int x = " + nested("(", "i", " + i)") + "; o[i] = x;").of("x").stride, 61);
  EXPECT_EQ(Shapes("int x = " + nested("(i - (", "i", " + n))") + "; o[i] = x;").of("x").stride, 1);
  EXPECT_TRUE(Shapes("long x = " + nested("(long)((", "i", ") * 1)") + "; o[i] = x;").of("x").isLinear());
  EXPECT_TRUE(Shapes("int x = " + nested("*(o + ", "i", ")") + "; o[i] = x;").of("x").isVarying());
  EXPECT_TRUE(Shapes("int x = *(" + nested("(", "o", " + i)") + "); o[i] = x;").of("x").isVarying());
}

TEST(ShapesTest, TheWidestValueThatNeedsAVectorDecidesTheLanes) {
  EXPECT_EQ(Shapes("a[i] = a[i] * 2.0f;").widest(), 4u);
  EXPECT_EQ(Shapes("long x = o[i]; x *= x; o[i] = x >> 32;").widest(), 8u);
}

TEST(ShapesTest, WhatIsCutToFewerBytesNeedsNoWiderVectors) {
  EXPECT_EQ(Shapes("uint x = get_global_id(0) * by; o[i] = x;").widest(), 4u);
  EXPECT_EQ(Shapes("int x = (int)((ulong)o[i] * 3 + ((ulong)o[i] << 5)); o[i] = x;").widest(), 4u);
  EXPECT_EQ(Shapes("uint x = o[i]; x += (ulong)o[i] * 7; o[i] = x;").widest(), 4u);
  EXPECT_EQ(Shapes("int x = (int)((ulong)o[i] * 3 >> 5); o[i] = x;").widest(), 8u)
      << "a shift to the right moves high bits down";
  EXPECT_EQ(Shapes("int x = (int)((ulong)o[i] / 3); o[i] = x;").widest(), 8u);
}

}  // namespace
}  // namespace manyrt::test
