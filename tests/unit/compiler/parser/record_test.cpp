// Structs, unions and enums: layout, nesting, tags in scopes, unnamed members, what is refused.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(RecordTest, AttributesChangeTheLayout) {
  const ParsedProgram parsed(
      "struct A { char c; int i; } __attribute__((packed));"
      "struct __attribute__((packed, aligned(8))) B { char c; int i; };"
      "struct C { char c; int a; int b __attribute__((aligned(16))); } __attribute__((aligned(64)));"
      "typedef int wide __attribute__((aligned(16))); struct D { char c; wide w; };"
      "struct E { char c; wide w __attribute__((packed)); }; struct __attribute__((packed)) F { char c; wide w; };"
      "typedef int narrow __attribute__((aligned(2))); struct G { char c; narrow n, *p; };");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(parsed.record("A")->size, 5u);
  EXPECT_EQ(parsed.record("B")->size, 8u);
  EXPECT_EQ(parsed.record("B")->fields[1].offset, 1u);
  EXPECT_EQ(parsed.record("C")->fields[2].offset, 16u);
  EXPECT_EQ(parsed.record("C")->size, 64u);
  EXPECT_EQ(parsed.record("D")->fields[1].offset, 16u);
  EXPECT_EQ(parsed.record("E")->size, 5u);
  EXPECT_EQ(parsed.record("F")->size, 5u);
  EXPECT_EQ(parsed.record("G")->fields[1].offset, 2u);
  EXPECT_EQ(parsed.record("G")->fields[2].offset, 8u);
}

TEST(RecordTest, RecordsStandBeforeWhatContainsThem) {
  const ParsedProgram parsed(
      "struct O { struct I { int a; } i; union { int b; float c; }; }; void f(struct O o) { o.b = o.i.a; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  ASSERT_EQ(parsed.program.declarations.size(), 4u);
  EXPECT_EQ(parsed.program.declarations[0].record->tag, "I");
  EXPECT_TRUE(parsed.program.declarations[1].record->is_union);
  EXPECT_EQ(parsed.program.declarations[2].record->tag, "O");
  EXPECT_EQ(parsed.record("O")->fields[1].name, "");
}

TEST(RecordTest, RecordsOfFunctionsAreDeclaredToo) {
  const ParsedProgram parsed(
      "void f(void) { typedef struct { int a; } T; T t; t.a = 1; { struct T { float b; } u; u.b = 2; } }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  ASSERT_EQ(parsed.program.declarations.size(), 3u);
  EXPECT_EQ(parsed.program.declarations[2].kind, Declaration::Kind::kFunction);
}

TEST(RecordTest, TagsFollowTheirScopes) {
  expectAccepted("struct S { int a; }; void f(void) { struct S { float b; }; struct S s; s.b = 1; }");
  expectAccepted("struct S; struct S { struct T *t; }; struct T { struct S s; }; void f(struct T t) { t.s.t = &t; }");
  expectAccepted("typedef struct S S; struct S { S *next; }; typedef struct P { int a; } P, *Q; void f(Q q) { q->a = 1; }");
  expectRefused("struct S { int a; }; struct S { int a; };", "second time");
  expectRefused("struct S { struct S { int a; } x; };", "second time");
  expectRefused("struct S { int a; }; void f(void) { union S s; }", "another kind");
  expectRefused("struct S { int a; }; enum S { A };", "another kind");
  expectRefused("enum S { A }; struct S { int a; };", "another kind");
}

TEST(RecordTest, MembersAreChecked) {
  expectRefused("struct S { int a : 3; };", "bit-fields");
  expectRefused("struct S { int : 3; };", "bit-fields");
  expectRefused("struct S { int a; int a; };", "already");
  expectRefused("struct S { int a; struct { union { int a; }; }; };", "\"a\", which is there already");
  expectRefused("struct S { struct S s; };", "incomplete");
  expectRefused("struct S { void v; };", "incomplete");
  expectRefused("struct S { local int a; };", "cannot be __local");
  expectRefused("struct S { int f(void); };", "function");
  expectRefused("struct S { event_t e; };", "event_t");
  expectRefused("struct S { static int a; };", "storage class");
  expectRefused("struct S { };", "needs a member");
  expectRefused("struct S { int a[]; };", "incomplete");
  expectRefused("struct S { int a;", "never closed");
  expectRefused("struct;", "\"{\"");
  expectAccepted("struct S { int n; int a[]; }; struct T { const int a;; volatile float b; global int *p; half h[4]; };");
  expectWarning("struct S { int; int a; };", "declares no member");
}

TEST(RecordTest, HugeRecordsAreRefused) {
  std::string text = "struct S {";
  for (int i = 0; i < 4; ++i) text += "char a" + std::to_string(i) + "[1UL << 39];";
  expectRefused(text + "};", "2^40");
}

TEST(RecordTest, ReadingGoesOnAfterAWrongMember) {
  const ParsedProgram parsed("struct S { int a : 2; int b; foo c; }; void f(struct S s) { s.b = 1; }");
  EXPECT_FALSE(parsed.accepted);
  EXPECT_EQ(parsed.diagnostics.errorCount(), 2u) << parsed.diagnostics.log();
}

TEST(RecordTest, EnumeratorsCountUp) {
  const ParsedProgram parsed("enum E { A, B = A + 3, C, D = -1, F, }; constant int x[C] = {D, F}; constant enum E e = B;");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.variable("x")->type), "__constant int [4]");
}

TEST(RecordTest, EnumeratorsThatIntCannotHoldKeepTheirValues) {
  const ParsedProgram parsed(
      "enum { A = 0xffffffffU, SMALL = 1 }; constant ulong a = A + 1; constant ulong sizes[3] = {sizeof(A), sizeof(SMALL), 0};"
      "enum { B = 0x8000000000000000UL }; constant ulong b = B;"
      "constant int c[(A + 1 == 0 && A > 0 && B > 0 && sizeof(A) == 4 && sizeof(SMALL) == 4 && sizeof(B) == 8) ? 7 : 1] = "
      "{0};");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.variable("c")->type), "__constant int [7]");
}

TEST(RecordTest, EnumsAreChecked) {
  expectRefused("enum { A, A };", "already");
  expectRefused("enum E { A }; enum E { B };", "second time");
  expectRefused("enum { A = 1.5 };", "integer constant");
  expectRefused("enum { };", "needs an enumerator");
  expectRefused("enum { A B };", "\"}\"");
  expectRefused("enum { A = 0xffffffffffffffffUL, B };", "No integer type");
  expectRefused("enum { A = 0xffffffffffffffffUL, B = -1 };", "No integer type");
  expectRefused("enum E; void f(void) { enum E e; }", "incomplete");
}

}  // namespace
}  // namespace manyrt::compiler
