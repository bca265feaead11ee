// Statements: their trees, labels and cases, what is refused.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(StatementTest, AConditionThatAssignsIsDoubted) {
  const char* const kDoubted[] = {"if (a = b) a = 1;", "while (a = b) break;", "for (; a = b;) break;",
                                  "do a = 1; while (a = b);"};
  for (const char* statement : kDoubted) {
    const ParsedProgram parsed(std::string("void f(int a, int b) { ") + statement + " }");
    EXPECT_TRUE(parsed.accepted) << parsed.diagnostics.log();
    EXPECT_NE(parsed.diagnostics.log().find("warning: The condition of "), std::string::npos) << statement;
  }
  for (const char* statement :
       {"if ((a = b)) a = 1;", "if (a == b) a = b;", "if (a += b) a = 1;", "if ((a = b) != 0) a = 1;"}) {
    EXPECT_EQ(ParsedProgram(std::string("void f(int a, int b) { ") + statement + " }").diagnostics.log(), "") << statement;
  }
}

TEST(StatementTest, EveryStatementHasItsNode) {
  const ParsedProgram parsed(
      "void f(int x) { ; x = 1; { } if (x) ; else ; for (int i = 0; i < 3; ++i) continue; for (;;) break; while (x) ; do ; "
      "while (x);"
      "switch (x) { default: break; } goto end; end: return; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const std::vector<StmtKind> expected = {StmtKind::kEmpty,  StmtKind::kExpr, StmtKind::kCompound, StmtKind::kIf,
                                          StmtKind::kFor,    StmtKind::kFor,  StmtKind::kWhile,    StmtKind::kDo,
                                          StmtKind::kSwitch, StmtKind::kGoto, StmtKind::kLabel};
  std::vector<StmtKind> found;
  for (const Stmt* statement : parsed.function("f")->body->body) found.push_back(statement->kind);
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(parsed.function("f")->has_goto);
  const std::vector<Stmt*>& body = parsed.function("f")->body->body;
  EXPECT_EQ(body[4]->init->kind, StmtKind::kDeclare);
  EXPECT_NE(body[4]->b, nullptr);
  EXPECT_EQ(body[5]->a, nullptr);
  EXPECT_EQ(body[10]->first->kind, StmtKind::kReturn);
}

TEST(StatementTest, TokensOfStatementsAreKept) {
  const ParsedProgram parsed("void f(int x) { if (x) x = 1; else if (x > 2) x = 2; a: x = 3; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Tokens& tokens = parsed.program.tokens;
  const std::vector<Stmt*>& body = parsed.function("f")->body->body;
  EXPECT_EQ(tokens[body[0]->tokens.begin].text, "if");
  EXPECT_EQ(tokens[body[0]->tokens.end].text, "a");
  EXPECT_EQ(tokens[body[0]->second->tokens.begin].text, "if");
  EXPECT_EQ(tokens[body[1]->tokens.begin].text, "a");
  EXPECT_EQ(tokens[body[1]->tokens.end].text, "}");
}

TEST(StatementTest, CasesStandInNestedStatements) {
  const ParsedProgram parsed(
      "void f(int x) { switch (x) { case 0: do { case 3: x++; case 2: case 1: x--; } while (x < 3); } }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  expectAccepted("void f(int x) { switch (x) case 1: x = 2; switch (x) { int y; case 1: y = 2; break; } }");
}

TEST(StatementTest, CaseValuesHaveTheSwitchesType) {
  const ParsedProgram parsed("void f(uint x, ulong y) { switch (x) { case -1: ; } switch (y) { case -1: ; } }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const std::vector<Stmt*>& body = parsed.function("f")->body->body;
  EXPECT_EQ(body[0]->first->body[0]->integer, 0xffffffffu);
  EXPECT_EQ(body[1]->first->body[0]->integer, ~uint64_t{0});
}

TEST(StatementTest, SwitchesAreChecked) {
  expectRefused("void f(int x) { switch (x) { case 1: case 1: ; } }", "case for 1 already");
  expectRefused("void f(uint x) { switch (x) { case -1: case 0xffffffff: ; } }", "already");
  expectAccepted("void f(long x) { switch (x) { case -1: case 0xffffffff: ; } }");
  expectRefused("void f(int x) { switch (x) { default: default: ; } }", "default already");
  expectAccepted("void f(int x) { switch (x) { default: switch (x) { default: case 1: ; } case 1: ; } }");
  expectRefused("void f(int x) { case 1: ; }", "no switch");
  expectRefused("void f(int x) { default: ; }", "no switch");
  expectRefused("void f(float x) { switch (x) { case 1: ; } }", "by an integer");
  expectRefused("void f(int2 x) { switch (x) { case 1: ; } }", "by an integer");
  expectRefused("void f(int x) { switch (x) { case x: ; } }", "constant");
  expectRefused("void f(int x) { switch (x) { case 1 ... 4: ; } }", "ranges");
  expectRefused("void f(int x) { switch (x) { case 1: } }", "write \";\"");
  expectRefused("void f(int x) { switch (x) { case 1: int y = 3; } }", "block");
}

TEST(StatementTest, LabelsBelongToTheFunction) {
  expectAccepted("void f(int x) { goto l; { l: ; } x: x = 1; goto x; }  void g(void) { l: ; }");
  expectAccepted("typedef int a; void f(void) { a: b: c: ; }");
  expectRefused("void f(int x) { goto l; }", "no label \"l\"");
  expectRefused("void f(void) { l: ; } void g(void) { goto l; }", "no label");
  expectRefused("void f(int x) { l: x = 1; l: goto l; }", "second time");
  expectRefused("void f(int x) { l: }", "write \";\"");
  expectRefused("void f(int x) { l: int y; }", "block");
  expectRefused("void f(int x) { goto *x; }", "name of a label");
}

TEST(StatementTest, JumpsNeedWhatTheyLeave) {
  expectRefused("void f(void) { break; }", "no loop or switch");
  expectRefused("void f(void) { continue; }", "no loop");
  expectRefused("void f(int x) { switch (x) { case 1: continue; } }", "no loop");
  expectAccepted("void f(int x) { while (x) { switch (x) { case 1: continue; } } switch (x) { default: break; } }");
}

TEST(StatementTest, ReturnsFitTheirFunction) {
  expectRefused("int f(void) { return; }", "must return a value");
  expectRefused("void f(void) { return 1; }", "cannot return a value");
  expectRefused("struct S { int a; } s(void); int f(struct S x) { return x; }", "returned value");
  const ParsedProgram parsed("void g(void) { } void f(void) { return g(); } int2 h(int x) { return x; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Stmt& both = *parsed.function("f")->body->body.at(0);
  ASSERT_EQ(both.kind, StmtKind::kCompound);
  EXPECT_EQ(both.body.at(0)->a->kind, ExprKind::kCall);
  EXPECT_EQ(both.body.at(1)->a, nullptr);
  EXPECT_TRUE(parsed.function("h")->body->body.at(0)->a->type->isVector());
}

TEST(StatementTest, BodiesAreStatements) {
  expectRefused("void f(int x) { if (x) int y; }", "block");
  expectRefused("void f(int x) { for (int i = 0; i < 3; i++) int y; }", "block");
  expectRefused("void f(int x) { if (x) else ; }", "");
  expectRefused("void f(int x) { do x--; while (x) }", "\";\"");
  expectRefused("void f(int2 x) { if (x) ; }", "scalar");
  expectRefused("void f(void) { for (typedef int T;;) ; }", "declares variables");
  expectRefused("void f(void) { undeclared x; }", "names no type");
  expectRefused("void f(void) { int64_t x; }", "write long");
  expectRefused("void f(void) { __asm__(\"nop\"); }", "assembler");
  expectAccepted("void f(int *p) { if (p) ; while (p) ; for (; p;) ; for (struct S { int a; } s;;) ; }");
}

TEST(StatementTest, NamesOfALoopEndWithIt) {
  expectAccepted("void f(void) { for (int i = 0, j = 1; i < 3; i++, j++) { int i; } float i; }");
  expectRefused("void f(void) { for (int i = 0; i < 3; ++i) ; i = 1; }", "undeclared");
}

}  // namespace
}  // namespace manyrt::compiler
