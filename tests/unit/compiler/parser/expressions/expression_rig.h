// Parses single statements inside one kernel that has variables of every kind, and prints expressions as they were typed. The
// form is prefix, with each implicit conversion as (to type operand). For the tests of the expression files.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/parser/parser.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler::rig {

inline constexpr char kPrelude[] = R"(
struct S { int a; float4 v; int arr[3]; struct { int in1; union { int x1; float y1; }; } sub; };
struct T { int a; };
enum E { RED, GREEN = 5, BLUE };
union U { int i; float f; };
constant int table[3] = {1, 2, 3};
int helper(int a, float b);
int helper(int a, float b) { return a; }
void nothing(void);
void nothing(void) {}
void takes_local(local int *p) {}
void takes_const(const int *p) {}
void takes_priv(int *p) {}
void takes_global(global int *p) {}
void takes_gconst(global const int *p) {}
float4 vf(float4 a) { return a; }
struct S mk(void) { struct S s; return s; }
kernel void other(global int *p) {}
kernel void k(global float4*gf4, global int*gi, global float*gf, constant int*ci, local int*li,
    global const int*cgi, float f, int i, uint u, long l, ulong ul, double d, char c, uchar uc, short s,
    float2 f2, float3 f3, float4 f4, float8 f8, int2 i2, int3 i3, int4 i4, uint4 u4, long4 l4, char4 c4,
    uchar4 uc4, double4 d4, short4 s4, float16 f16) {
  int *pi; float *pf; const int *cpi; void *pv; int ai[4]; float af[4]; bool b; size_t sz;
  struct S s1, s2, *ps; const int ki = 3; int **ppi; global void *gv; enum E e; union U un;
  const float4 kf4 = (float4)(1.0f);
)";

struct Parsed {
  Sources sources;
  Diagnostics diagnostics{sources};
  Program program;
  bool ok = false;

  explicit Parsed(const std::string& text, LanguageOptions options = {}) {
    const uint32_t file = sources.add("kernel.cl", text);
    ok =
        preprocess(&program.tokens, sources, file, PreprocessorOptions(), diagnostics) && parse(&program, options, diagnostics);
  }
  const Function& kernel() const { return *program.kernels.back(); }
  const Stmt& last() const { return *kernel().body->body.back(); }
};

// The statement stands on line 1 of "line.cl".
inline std::string inKernel(const std::string& statement) {
  return kPrelude + ("\n#line 1 \"line.cl\"\n" + statement + "\n}\n");
}

inline std::string dump(const Expr& e);

inline const char* spelling(Op op) {
  constexpr const char* kNames[] = {"=", "+", "-", "*",  "/",  "%",  "<<", ">>", "&",      "|",
                                    "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||",     ",",
                                    "+", "-", "~", "!",  "*",  "&",  "++", "--", "post++", "post--"};
  return kNames[static_cast<size_t>(op)];
}

inline std::string list(const std::vector<Expr*>& expressions) {
  std::string text;
  for (const Expr* expression : expressions) text += " " + dump(*expression);
  return text;
}

inline std::string literal(const Expr& e) {
  std::ostringstream text;
  if (e.type->isFloating()) {
    text << e.real << (e.type->scalar == Scalar::kFloat ? "f" : "");
  } else {
    text << e.integer;
    if (e.type->scalar != Scalar::kInt) text << ":" << scalarName(e.type->scalar);
  }
  return text.str();
}

inline std::string dump(const Expr& e) {
  const std::string type = spell(e.type.unqualified());
  const std::string a = e.a == nullptr ? "" : " " + dump(*e.a);
  const std::string b = e.b == nullptr ? "" : " " + dump(*e.b);
  std::string text;
  switch (e.kind) {
    case ExprKind::kLiteral:
      return literal(e);
    case ExprKind::kString:
      return std::string(e.text);
    case ExprKind::kVariable:
      return e.variable->name;
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      return "(" + std::string(spelling(e.op)) + a + b + ")";
    case ExprKind::kAssign:
      return "(" + (e.op == Op::kNone ? "=" : std::string(spelling(e.op)) + "=") + a + b + ")";
    case ExprKind::kConditional:
      return "(?" + a + b + " " + dump(*e.c) + ")";
    case ExprKind::kCast:
      return "(cast " + type + a + ")";
    case ExprKind::kConvert:
      return "(to " + type + a + ")";
    case ExprKind::kVectorLiteral:
      return "(" + type + list(e.arguments) + ")";
    case ExprKind::kCompoundLiteral:
      return "(literal " + type + a + ")";
    case ExprKind::kInitializer:
      for (size_t i = 0; i < e.elements.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(e.elements[i]) + ": " + dump(*e.arguments[i]);
      }
      return "{" + text + "}";
    case ExprKind::kCall:
      return "(call " + e.function->name + list(e.arguments) + ")";
    case ExprKind::kBuiltinCall:
      return "(call " + e.builtin->name + list(e.arguments) + ")";
    case ExprKind::kMember:
      return "(." + a + " " + e.a->type->record->fields[e.field].name + ")";
    case ExprKind::kSwizzle:
      for (uint32_t i = 0; i < e.type->components(); ++i) text += "0123456789ABCDEF"[e.components[i]];
      return "(components" + a + " " + text + ")";
    case ExprKind::kSubscript:
      return "([]" + a + b + ")";
  }
  return "?";
}

// The last statement of the kernel as an expression; a declaration: its last variable's initialiser. Errors: the log.
inline std::string typed(const std::string& statement, LanguageOptions options = {}) {
  const Parsed parsed(inKernel(statement), options);
  if (!parsed.ok) return parsed.diagnostics.log();
  const Stmt& last = parsed.last();
  return dump(last.kind == StmtKind::kDeclare ? *last.variables.back()->initializer : *last.a);
}

// The front end's words about a statement: "" for none, else the first line of the log without the file's name. Not that
// variables are never used: the prelude has one of each kind.
inline std::string said(const std::string& statement, LanguageOptions options = {}) {
  const Parsed parsed(inKernel(statement), options);
  std::istringstream log(parsed.diagnostics.log());
  std::string line;
  const auto tellsOfUnused = [&] { return line.find("\" is never used.") != std::string::npos; };
  while (std::getline(log, line) && tellsOfUnused()) {
    std::getline(log, line);  // the line of the source and the caret below it
    std::getline(log, line);
  }
  if (!log) return "";
  return line.rfind("line.cl:", 0) == 0 ? line.substr(8) : line;
}

inline bool says(const std::string& statement, const std::string& part) {
  return said(statement).find(part) != std::string::npos;
}

// Each line of the table must be accepted, or must be refused.
inline void judge(const char* table, bool accepted) {
  std::istringstream lines(table);
  std::string line;
  size_t count = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    ++count;
    const Parsed parsed(inKernel(line));
    EXPECT_EQ(parsed.ok, accepted) << line << "\n" << parsed.diagnostics.log();
  }
  EXPECT_GT(count, 50u);
}

}  // namespace manyrt::compiler::rig
