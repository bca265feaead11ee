// Each operation has one text, of vectors of lanes; what has components lists it for each of them.
#include "compiler/emit/cpp_lanes.h"

#include "compiler/builtins/lane_call.h"
#include "compiler/builtins/prelude_text.h"
#include "compiler/ir/evaluate.h"

namespace manyrt::compiler::emit {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Shape;

namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& each : parts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// The base of pointers that are whole addresses.
constexpr char kNowhere[] = "mrt_nowhere()";
// The prefix of functions that are seldom reached.
constexpr char kRare[] = "mrt_rare<mrt_L::n>::";

// How many elements lie from one lane to the next, where the library has a form for that number; else 0.
int64_t elementsApart(const ir::Type& type, int64_t step) {
  constexpr int64_t kMost = 8;
  const auto size = static_cast<int64_t>(ir::bytesOf(type));
  return !type.isVector() && step > 0 && step % size == 0 && step / size <= kMost ? step / size : 0;
}

}  // namespace

std::string CppLanes::element(Kind kind) {
  if (kind == Kind::kBool) return "int";
  if (kind == Kind::kPointer) return "unsigned long";
  return operations_.type({kind});
}

std::string CppLanes::signedElement(Kind kind) {
  const uint32_t bits = ir::bitsOf(kind);
  return bits == 8 ? "signed char" : bits == 16 ? "short" : bits == 32 ? "int" : "long";
}

std::string CppLanes::index(Kind kind, bool is_signed, const std::string& text) {
  return is_signed ? "((" + vector(signedElement(kind)) + ")" + text + ")" : text;
}

std::string CppLanes::type(ir::Type type) {
  is_used_ = true;
  if (type.isVector()) return "mrt_L::w<" + element(type.kind) + ", " + std::to_string(type.components) + ">";
  return type.isBool() ? "mrt_L::m" : vector(element(type.kind));
}

std::string CppLanes::spread(Kind kind, const std::string& value) {
  if (kind == Kind::kBool) return "mrt_L::all<int>(-(int)" + value + ")";
  return "mrt_L::all<" + element(kind) + ">(" + (kind == Kind::kPointer ? "(unsigned long)" : "") + value + ")";
}

std::string CppLanes::part(const ir::Value& value, const std::string& text, uint32_t component) {
  const ir::Type type = value.type;
  if (type.hasLanes()) return type.isVector() ? text + ".s[" + std::to_string(component) + "]" : text;
  if (!type.isVector()) return spread(type.kind, text);
  return spread(type.kind, text + ".s" + prelude::kComponentDigits[component]);
}

std::string CppLanes::listed(ir::Type type, const std::vector<std::string>& parts) {
  return this->type(type) + "{{" + joined(parts) + "}}";
}

std::string CppLanes::lane(ir::Type type, const std::string& value, const std::string& lane) {
  const auto one = [&](const std::string& from) {
    const std::string own = from + "[" + lane + "]";
    return type.isBool() ? "(" + own + " != 0)" : type.isPointer() ? "(char*)" + own : own;
  };
  if (!type.isVector()) return one(value);
  std::vector<std::string> parts;
  for (uint32_t k = 0; k < type.components; ++k) parts.push_back(one(value + ".s[" + std::to_string(k) + "]"));
  return operations_.type(type.plain()) + "{" + joined(parts) + "}";
}

// Not as a comparison's 1: gcc 12 takes it for the -1 of vectors.
std::string CppLanes::put(ir::Type type, const std::string& to, const std::string& lane, const std::string& value) {
  const auto one = [&](const std::string& place, const std::string& from) {
    const std::string own = type.isBool() ? "-(int)" + from : type.isPointer() ? "(unsigned long)" + from : from;
    return place + "[" + lane + "] = " + own + ";\n";
  };
  if (!type.isVector()) return one(to, value);
  std::string text;
  for (uint32_t k = 0; k < type.components; ++k)
    text += one(to + ".s[" + std::to_string(k) + "]", value + ".s" + prelude::kComponentDigits[k]);
  return text;
}

std::string CppLanes::converted(const Instruction& i, const std::string& a) {
  const Kind from = i.operands[0]->type.kind, to = i.result()->type.kind;
  const auto as = [&](const std::string& own, const std::string& text) { return "(" + vector(own) + ")" + text; };
  const std::string target = element(to);
  switch (i.op) {
    case Opcode::kZExt:
      // A comparison of bytes is one again if its mask is cut first.
      if (from == Kind::kBool && ir::bitsOf(to) < 32) return "(mrt_L::to<" + target + ">(" + a + ") & 1)";
      if (from == Kind::kBool) return "mrt_L::to<" + target + ">(" + a + " & 1)";
      return "mrt_L::to<" + target + ">(" + a + ")";
    case Opcode::kSExt:
      if (from == Kind::kBool) return as(target, "mrt_L::to<" + signedElement(to) + ">(" + a + ")");
      return as(target, "mrt_L::to<" + signedElement(to) + ">(" + as(signedElement(from), a) + ")");
    case Opcode::kFPToSI:
      return as(target, "mrt_L::to<" + signedElement(to) + ">(" + a + ")");
    case Opcode::kSIToFP:
      return "mrt_L::to<" + target + ">(" + as(signedElement(from), a) + ")";
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
      return a;
    case Opcode::kBitcast:
      return as(target, a);
    case Opcode::kTrunc:
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kFPToUI:
    case Opcode::kUIToFP:
      return "mrt_L::to<" + target + ">(" + a + ")";
    default:
      return "mrt_has_no_form";  // compilers refuse it: an operation that is new here is not guessed
  }
}

std::string CppLanes::component(const Instruction& i, const std::vector<std::string>& operands) {
  const Kind kind = i.result()->type.kind, from = i.operands[0]->type.kind;
  const std::string& a = operands[0];
  const std::string b = operands.size() > 1 ? operands[1] : "";
  const std::string own = element(kind);
  const auto of = [&](const char* op) { return "(" + a + " " + op + " " + b + ")"; };
  const auto as = [&](const std::string& type, const std::string& text) { return "((" + vector(type) + ")" + text + ")"; };
  const auto ofSigned = [&](const char* op) {
    return "(" + as(signedElement(from), a) + " " + op + " " + as(signedElement(from), b) + ")";
  };
  const auto compared = [&](const char* name) { return std::string("mrt_") + name + "<mrt_L::n>(" + a + ", " + b + ")"; };
  const auto comparedSigned = [&](const char* name) {
    return std::string("mrt_") + name + "<mrt_L::n>(" + as(signedElement(from), a) + ", " + as(signedElement(from), b) + ")";
  };
  const auto quotient = [&](bool is_signed) {
    const std::string type = is_signed ? signedElement(kind) : own;
    if (ir::bitsOf(kind) != 32) return as(own, "(" + as(type, a) + " / " + as(type, b) + ")");
    return as(own, "mrt_i_quotient<mrt_L::n>(" + as(type, a) + ", " + as(type, b) + ")");
  };
  switch (i.op) {
    case Opcode::kAdd:
    case Opcode::kFAdd:
      return of("+");
    case Opcode::kSub:
    case Opcode::kFSub:
      return of("-");
    case Opcode::kMul:
    case Opcode::kFMul:
      return of("*");
    case Opcode::kFDiv:
      return of("/");
    case Opcode::kSDiv:
    case Opcode::kUDiv:
      return quotient(i.op == Opcode::kSDiv);
    case Opcode::kSRem:
    case Opcode::kURem:
      return "(" + a + " - " + quotient(i.op == Opcode::kSRem) + " * " + b + ")";
    case Opcode::kShl:
      return of("<<");
    case Opcode::kLShr:
      return of(">>");
    case Opcode::kAShr:
      return as(own, ofSigned(">>"));
    case Opcode::kAnd:
      return of("&");
    case Opcode::kOr:
      return of("|");
    case Opcode::kXor:
      return of("^");
    case Opcode::kFNeg:
      return "(-" + a + ")";
    case Opcode::kFma:
      return "mrt_L::fused(" + a + ", " + b + ", " + operands[2] + ")";
    case Opcode::kEq:
    case Opcode::kFEq:
      return from == Kind::kBool ? "(~(" + a + " ^ " + b + "))" : compared("is_same");
    case Opcode::kNe:
    case Opcode::kFNe:
      return from == Kind::kBool ? of("^") : compared("is_other");
    case Opcode::kSLt:
      return comparedSigned("is_below");
    case Opcode::kSLe:
      return comparedSigned("is_at_most");
    case Opcode::kULt:
    case Opcode::kFLt:
      return compared("is_below");
    case Opcode::kULe:
    case Opcode::kFLe:
      return compared("is_at_most");
    case Opcode::kOffset:
      return of("+");
    case Opcode::kSelect:
      return "mrt_L::pick(" + a + ", " + b + ", " + operands[2] + ")";
    default:
      return converted(i, a);
  }
}

bool CppLanes::comparesNeighbours(const Instruction& i) {
  const bool compares = ir::shapeOf(i.op) == Shape::kCompareIntegers || ir::shapeOf(i.op) == Shape::kCompareBits;
  if (!compares || i.result()->type.isVector() || i.operands[0]->type.isBool() || i.operands[0]->type.isPointer()) return false;
  if (ir::bitsOf(i.operands[0]->type.kind) != 64) return false;
  const auto isLine = [](const ir::Value& value) {
    return value.by != nullptr && value.by->op == Opcode::kSteps && value.by->numbers[0] == 1;
  };
  const ir::Value &a = *i.operands[0], &b = *i.operands[1];
  return (isLine(a) && !b.type.hasLanes()) || (isLine(b) && !a.type.hasLanes());
}

// A comparison without vectors of 64 bits: the number of steps from the first lane to the bound decides (mrt_lanes::below).
std::string CppLanes::comparedNeighbours(const Instruction& i, const std::vector<std::string>& operands) {
  const bool is_left = i.operands[0]->type.hasLanes();  // first + lane < bound
  const bool is_signed = i.op == Opcode::kSLt || i.op == Opcode::kSLe;
  const bool is_less = i.op == Opcode::kSLt || i.op == Opcode::kULt, is_same = i.op == Opcode::kEq || i.op == Opcode::kNe;
  const std::string own = is_signed ? "long" : "unsigned long";
  const std::string name = is_same ? "same" : is_less == is_left ? "below" : "at_most";
  const bool is_other = is_same ? i.op == Opcode::kNe : !is_left;
  return (is_other ? "~mrt_L::" : "mrt_L::") + name + "<" + own + ">((" + own + ")" + operands[is_left ? 0 : 1] + ", (" + own +
         ")" + operands[is_left ? 1 : 0] + ")";
}

std::string CppLanes::builtin(const Instruction& i, const std::vector<std::string>& operands) {
  const ir::Signature& signature = i.signature;
  const ir::Type result = i.result()->type;
  std::vector<LaneParts> parts;
  std::vector<std::string> given;
  bool has_vectors = result.isVector();
  for (size_t k = 0; k < operands.size(); ++k) {
    const Type* type = signature.parameters[k].type;
    has_vectors = has_vectors || type->isVector();
    const std::string own = vector(prelude_.type(type->isVector() ? type->element : type));
    parts.emplace_back();
    for (uint32_t c = 0; c < i.operands[k]->type.components; ++c)
      parts.back().push_back("((" + own + ")" + part(*i.operands[k], operands[k], c) + ")");
    given.push_back(parts.back()[0]);
  }
  if (has_vectors) {
    std::vector<std::string> made;
    for (const std::string& each : laneCallParts(prelude_, *signature.builtin, signature.result, signature.parameters, parts))
      made.push_back("(" + vector(element(result.kind)) + ")(" + each + ")");
    return result.isVector() ? listed(result, made) : made[0];
  }
  return "(" + type(i.result()->type) + ")" +
         laneCall(prelude_, *signature.builtin, signature.result, signature.parameters, given);
}

std::string CppLanes::value(const Instruction& i, const std::vector<std::string>& operands) {
  is_used_ = true;
  const ir::Type result = i.result()->type;
  const auto number = [&](size_t k) { return static_cast<uint32_t>(i.numbers[k]); };
  const auto each = [&](auto&& of) {
    std::vector<std::string> parts;
    for (uint32_t k = 0; k < result.components; ++k) parts.push_back(of(k));
    return result.isVector() ? listed(result, parts) : parts[0];
  };
  if (comparesNeighbours(i)) return comparedNeighbours(i, operands);
  switch (ir::shapeOf(i.op)) {
    case Shape::kSpread:
      return each([&](uint32_t k) { return part(*i.operands[0], operands[0], k); });
    case Shape::kSteps: {
      const std::string own = element(result.kind);
      return "mrt_L::line<" + own + ">((" + own + ")" + operands[0] + ", (" + own + ")" + std::to_string(i.numbers[0]) + "ul)";
    }
    case Shape::kLane:
      return lane(i.operands[0]->type, operands[0], operands[1]);
    case Shape::kAny:
      return "mrt_L::any(" + operands[0] + ")";
    case Shape::kBuiltin:
      return builtin(i, operands);
    case Shape::kSplat:
      return each([&](uint32_t) { return part(*i.operands[0], operands[0], 0); });
    case Shape::kBuild:
      return each([&](uint32_t k) { return part(*i.operands[k], operands[k], 0); });
    case Shape::kExtract:
      return part(*i.operands[0], operands[0], number(0));
    case Shape::kInsert:
      return each([&](uint32_t k) {
        return k == number(0) ? part(*i.operands[1], operands[1], 0) : part(*i.operands[0], operands[0], k);
      });
    case Shape::kShuffle:
      return each([&](uint32_t k) { return part(*i.operands[0], operands[0], number(k)); });
    default:
      break;
  }
  return each([&](uint32_t k) {
    std::vector<std::string> own;
    for (size_t at = 0; at < operands.size(); ++at) {
      const ir::Value& operand = *i.operands[at];
      own.push_back(part(operand, operands[at], operand.type.isVector() ? k : 0));
    }
    return component(i, own);
  });
}

std::string CppLanes::mask(const Instruction& i, const std::vector<std::string>& operands) {
  return i.mask() != nullptr ? operands.back() : "";
}

// Loads a tile: as many elements of each lane as there are lanes.
std::string CppLanes::tile(const Instruction& i, const std::vector<std::string>& operands) {
  uses_tiles_ = true;
  const std::string tiles = "mrt_tiles<mrt_L::n>::", on = mask(i, operands), end = (on.empty() ? "" : ", " + on) + "))";
  const std::string pointer = "((const " + element(i.result()->type.kind) + "*)";
  if (i.operands[0]->type.hasLanes())
    return tiles + "parts(" + tiles + "at" + pointer + kNowhere + ", " + operands[0] + ", 1l" + end;
  const std::string by = i.step() != nullptr ? operands[1] : std::to_string(i.numbers[0]) + "ul";
  return tiles + "parts(" + tiles + "far" + pointer + operands[0] + ", (long)" + by + end;
}

std::string CppLanes::pieces(const char* function, int64_t elements) {
  uses_apart_ = true;
  return std::string("mrt_apart<mrt_L::n>::") + function + "<" + std::to_string(elements) + ">";
}

// "(const T*)p": what the functions of the library take.
std::string CppLanes::load(const Instruction& i, const std::vector<std::string>& operands, const Places& places) {
  is_used_ = true;
  const ir::Type type = i.result()->type;
  const std::string own = element(type.kind), on = mask(i, operands), some = on.empty() ? "mrt_L::every()" : on;
  const bool is_vector = type.isVector();
  const std::string parts = is_vector ? "_parts<" + std::to_string(type.components) + ">" : "";
  const bool apart = i.operands[0]->type.hasLanes() || i.step() != nullptr || i.numbers[0] != ir::packedBytesOf(type);
  if (is_vector && type.components == type.lanes && apart) return tile(i, operands);
  const std::string at = (i.is_rare ? kRare : std::string("mrt_L::")) + "at";
  has_rare_ = has_rare_ || i.is_rare;
  if (i.operands[0]->type.hasLanes())
    return at + parts + "((const " + own + "*)" + places.base + ", " + places.index + ", " + places.by + ", " + some + ")";
  const std::string from = "((const " + own + "*)" + operands[0];
  if (i.step() != nullptr) return "mrt_L::far" + parts + from + ", (long)" + operands[1] + ", " + some + ")";
  if (i.in_order) {
    const std::string count = std::to_string(type.components);
    return "mrt_L::near_pieces<" + count + ">" + from + ", mrt_count<" + count + ">{})";
  }
  const auto step = static_cast<int64_t>(i.numbers[0]);
  if (step == static_cast<int64_t>(ir::packedBytesOf(type)))
    return "mrt_L::near" + parts + from + (on.empty() ? "" : ", " + on) + ")";
  if (const int64_t elements = elementsApart(type, step); elements > 1)
    return pieces("load", elements) + from + (on.empty() ? "" : ", " + on) + ")";
  return "mrt_L::far" + parts + from + ", " + std::to_string(step) + "l, " + some + ")";
}

std::string CppLanes::store(const Instruction& i, const std::vector<std::string>& operands, const Places& places) {
  is_used_ = true;
  const ir::Value& value = *i.operands[0];
  const ir::Type type = value.type;
  const std::string own = element(type.kind), on = mask(i, operands), some = on.empty() ? "mrt_L::every()" : on;
  const std::string given = type.hasLanes() ? operands[0] : part(value, operands[0], 0);
  const std::string parts = type.isVector() ? "_parts<" + own + ", " + std::to_string(type.components) + ">" : "";
  const auto call = [&](const char* name, const std::string& pointer, const std::string& place, const std::string& lanes) {
    const std::string function = (i.is_rare ? kRare : std::string("mrt_L::")) + "put_" + name + parts;
    return function + "((" + own + "*)" + pointer + place + ", " + given + (lanes.empty() ? "" : ", " + lanes) + ")";
  };
  has_rare_ = has_rare_ || i.is_rare;
  const bool is_far = i.step() != nullptr || (!i.numbers.empty() && i.numbers[0] != ir::packedBytesOf(type));
  if (type.isVector() && type.components == type.lanes && is_far) {
    uses_tiles_ = true;
    const std::string by = i.step() != nullptr ? operands[2] : std::to_string(i.numbers[0]) + "ul";
    return "mrt_tiles<mrt_L::n>::put_far((" + own + "*)" + operands[1] + ", (long)" + by + ", " + given +
           (on.empty() ? "" : ", " + on) + ")";
  }
  if (i.operands[1]->type.hasLanes()) return call("at", places.base, ", " + places.index + ", " + places.by, some);
  if (i.step() != nullptr) return call("far", operands[1], ", (long)" + operands[2], some);
  if (i.in_order) {
    const std::string count = std::to_string(type.components);
    return "mrt_L::put_near_pieces<" + own + ", " + count + ">((" + own + "*)" + operands[1] + ", " + given + ", mrt_count<" +
           count + ">{})";
  }
  const auto step = static_cast<int64_t>(i.numbers[0]);
  if (step == static_cast<int64_t>(ir::packedBytesOf(type))) return call("near", operands[1], "", on);
  if (step == 0 && !type.isVector()) return call("one", operands[1], "", some);
  if (const int64_t elements = elementsApart(type, step); elements > 1 && !i.is_rare)
    return pieces("put", elements) + "((" + own + "*)" + operands[1] + ", " + given + (on.empty() ? "" : ", " + on) + ")";
  return call("far", operands[1], ", " + std::to_string(step) + "l", some);
}

}  // namespace manyrt::compiler::emit
