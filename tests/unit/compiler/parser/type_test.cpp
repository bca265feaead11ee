// Types: made once, laid out as C with OpenCL's vectors, spelled as OpenCL C.
#include "compiler/parser/type.h"

#include <gtest/gtest.h>

namespace manyrt::compiler {
namespace {

class TypeTest : public testing::Test {
 protected:
  QualType scalar(Scalar scalar) { return QualType{types_.scalar(scalar)}; }
  QualType in(AddressSpace space, QualType type) {
    type.space = space;
    return type;
  }
  Record* record(bool is_union, bool packed, std::initializer_list<QualType> fields) {
    Record* made = types_.makeRecord("S", is_union, Location());
    made->packed = packed;
    for (QualType type : fields) made->fields.push_back({"f", type, 0, Location(), 0});
    TypeTable::layOut(*made);
    return made;
  }
  TypeTable types_;
};

TEST_F(TypeTest, EqualTypesAreOnePointer) {
  const QualType element = scalar(Scalar::kFloat);
  EXPECT_EQ(types_.pointer(element), types_.pointer(element));
  EXPECT_EQ(types_.array(element, 4), types_.array(element, 4));
  EXPECT_EQ(types_.function(element, {element}), types_.function(element, {element}));
  EXPECT_NE(types_.array(element, 4), types_.array(element, 5));
  EXPECT_NE(types_.pointer(element), types_.pointer(in(AddressSpace::kGlobal, element)));
  EXPECT_NE(types_.function(element, {}), types_.function(element, {element}));
  EXPECT_NE(static_cast<const Type*>(types_.makeRecord("S", false, Location())->type),
            types_.makeRecord("S", false, Location())->type);
}

TEST_F(TypeTest, VectorsAreThoseOfTheLanguage) {
  EXPECT_EQ(types_.vector(Scalar::kInt, 1), types_.scalar(Scalar::kInt));
  for (uint32_t count : {2u, 3u, 4u, 8u, 16u}) {
    const Type* vector = types_.vector(Scalar::kUShort, count);
    ASSERT_NE(vector, nullptr);
    EXPECT_EQ(vector->count, count);
    EXPECT_EQ(vector->components(), count);
    EXPECT_EQ(vector->element, types_.scalar(Scalar::kUShort));
    EXPECT_EQ(sizeOf(QualType{vector}), 2u * (count == 3 ? 4 : count));
    EXPECT_EQ(alignmentOf(QualType{vector}), sizeOf(QualType{vector}));
  }
  EXPECT_EQ(types_.vector(Scalar::kInt, 5), nullptr);
}

TEST_F(TypeTest, KindsOfScalarsAreTold) {
  EXPECT_TRUE(types_.scalar(Scalar::kBool)->isInteger());
  EXPECT_FALSE(types_.scalar(Scalar::kBool)->isSigned());
  EXPECT_TRUE(types_.scalar(Scalar::kHalf)->isFloating());
  EXPECT_TRUE(types_.vector(Scalar::kChar, 4)->hasIntegerElements());
  EXPECT_FALSE(types_.vector(Scalar::kChar, 4)->isInteger());
  EXPECT_TRUE(types_.vector(Scalar::kFloat, 4)->hasFloatingElements());
  EXPECT_TRUE(types_.vector(Scalar::kChar, 4)->isSigned());
  EXPECT_FALSE(types_.scalar(Scalar::kULong)->isSigned());
  const Enum* enumeration = types_.makeEnum("E", Location());
  EXPECT_TRUE(enumeration->type->isInteger() && enumeration->type->isSigned() && enumeration->type->isScalar());
  EXPECT_EQ(sizeOf(QualType{enumeration->type}), 4u);
}

TEST_F(TypeTest, StructsAreLaidOutAsInC) {
  const QualType float3{types_.vector(Scalar::kFloat, 3)};
  const Record* mixed = record(false, false, {scalar(Scalar::kChar), float3, scalar(Scalar::kShort)});
  EXPECT_EQ(mixed->fields[1].offset, 16u);
  EXPECT_EQ(mixed->fields[2].offset, 32u);
  EXPECT_EQ(mixed->size, 48u);
  EXPECT_EQ(mixed->alignment, 16u);
  const Record* packed = record(false, true, {scalar(Scalar::kChar), scalar(Scalar::kLong)});
  EXPECT_EQ(packed->fields[1].offset, 1u);
  EXPECT_EQ(packed->size, 9u);
  EXPECT_EQ(packed->alignment, 1u);
  const Record* both = record(true, false, {scalar(Scalar::kChar), scalar(Scalar::kDouble)});
  EXPECT_EQ(both->fields[1].offset, 0u);
  EXPECT_EQ(both->size, 8u);
}

TEST_F(TypeTest, AskedAlignmentsMoveFieldsAndEnds) {
  Record* made = types_.makeRecord("S", false, Location());
  made->asked_alignment = 32;
  made->fields.push_back({"a", scalar(Scalar::kChar), 0, Location(), 0});
  made->fields.push_back({"b", scalar(Scalar::kInt), 0, Location(), 16});
  TypeTable::layOut(*made);
  EXPECT_EQ(made->fields[1].offset, 16u);
  EXPECT_EQ(made->size, 32u);
  EXPECT_EQ(made->alignment, 32u);
}

TEST_F(TypeTest, SizesNeverWrap) {
  const Type* inner = types_.array(scalar(Scalar::kLong), uint64_t{1} << 40);
  const QualType huge{types_.array(QualType{types_.array(QualType{inner}, uint64_t{1} << 40)}, uint64_t{1} << 40)};
  EXPECT_EQ(sizeOf(huge), ~uint64_t{0});
  const Record* two = record(false, false, {huge, huge});
  EXPECT_GT(two->size, kMaxBytes);
  EXPECT_LT(two->size, 2 * kMaxBytes);
  EXPECT_EQ(sizeOf(QualType{types_.array(scalar(Scalar::kInt), Type::kUnknownLength)}), 0u);
}

TEST_F(TypeTest, IncompleteTypesAreTold) {
  EXPECT_FALSE(isComplete(QualType{types_.voidType()}));
  EXPECT_FALSE(isComplete(QualType{types_.makeRecord("S", false, Location())->type}));
  EXPECT_FALSE(isComplete(QualType{types_.makeEnum("E", Location())->type}));
  EXPECT_FALSE(isComplete(QualType{types_.array(scalar(Scalar::kInt), Type::kUnknownLength)}));
  EXPECT_TRUE(isComplete(QualType{types_.array(scalar(Scalar::kInt), 0)}));
  EXPECT_TRUE(isComplete(QualType{types_.pointer(QualType{types_.voidType()})}));
}

TEST_F(TypeTest, QualifiersOfArraysReachTheirElements) {
  const QualType row{types_.array(scalar(Scalar::kInt), 3)};
  const QualType local = types_.qualify(QualType{types_.array(row, 2)}, AddressSpace::kLocal, true, false);
  EXPECT_EQ(local.space, AddressSpace::kLocal);
  EXPECT_EQ(local->inner->inner.space, AddressSpace::kLocal);
  EXPECT_TRUE(local->inner->inner.is_const);
  EXPECT_FALSE(local->inner->inner.is_volatile);
}

TEST_F(TypeTest, TypesAreSpelledAsTheLanguageSpellsThem) {
  QualType pointee{types_.vector(Scalar::kFloat, 4), AddressSpace::kGlobal, true};
  QualType pointer{types_.pointer(pointee)};
  EXPECT_EQ(spell(pointer), "__global const float4 *");
  pointer.is_restrict = true;
  EXPECT_EQ(spell(pointer), "__global const float4 *restrict");
  EXPECT_EQ(spell(QualType{types_.pointer(QualType{types_.array(scalar(Scalar::kInt), 4)})}), "int (*)[4]");
  EXPECT_EQ(spell(QualType{types_.array(QualType{types_.array(scalar(Scalar::kUChar), 3)}, 2)}), "uchar [2][3]");
  EXPECT_EQ(spell(QualType{types_.function(scalar(Scalar::kInt), {pointer})}), "int (__global const float4 *restrict)");
  EXPECT_EQ(spell(QualType{types_.makeRecord("S", true, Location())->type}), "union S");
  EXPECT_EQ(spell(QualType()), "nothing");
}

}  // namespace
}  // namespace manyrt::compiler
