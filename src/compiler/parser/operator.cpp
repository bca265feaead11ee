// The spelling of each operator, the same in OpenCL C, in C++ and in what the parser says about it.
#include "compiler/parser/operator.h"

namespace manyrt::compiler {

const char* spell(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSub:
      return "-";
    case Op::kMul:
      return "*";
    case Op::kDiv:
      return "/";
    case Op::kRem:
      return "%";
    case Op::kShl:
      return "<<";
    case Op::kShr:
      return ">>";
    case Op::kBitAnd:
      return "&";
    case Op::kBitOr:
      return "|";
    case Op::kBitXor:
      return "^";
    case Op::kLess:
      return "<";
    case Op::kGreater:
      return ">";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLogicalAnd:
      return "&&";
    case Op::kLogicalOr:
      return "||";
    case Op::kComma:
      return ",";
    case Op::kPlus:
      return "+";
    case Op::kMinus:
      return "-";
    case Op::kBitNot:
      return "~";
    case Op::kLogicalNot:
      return "!";
    case Op::kDereference:
      return "*";
    case Op::kAddressOf:
      return "&";
    case Op::kPreIncrement:
    case Op::kPostIncrement:
      return "++";
    case Op::kPreDecrement:
    case Op::kPostDecrement:
      return "--";
    case Op::kNone:
      break;
  }
  // kNone is the operator of a plain assignment; compound assignments carry that of their arithmetic.
  return "=";
}

}  // namespace manyrt::compiler
