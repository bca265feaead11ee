// Each operation has one text, of a component; vectors list it for each of theirs.
#include "compiler/emit/cpp_operations.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "compiler/builtins/prelude_text.h"
#include "compiler/ir/evaluate.h"

namespace manyrt::compiler::emit {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Shape;

namespace {

Scalar scalarOf(Kind kind) {
  switch (kind) {
    case Kind::kI8:
    case Kind::kBool:  // of vectors
      return Scalar::kUChar;
    case Kind::kI16:
      return Scalar::kUShort;
    case Kind::kI32:
      return Scalar::kUInt;
    case Kind::kF16:
      return Scalar::kHalf;
    case Kind::kF32:
      return Scalar::kFloat;
    case Kind::kF64:
      return Scalar::kDouble;
    default:
      return Scalar::kULong;
  }
}

std::string componentOf(const std::string& value, uint32_t i) { return value + ".s" + prelude::kComponentDigits[i]; }

// "(unsigned char)(text)"
std::string cast(const std::string& type, const std::string& text) { return "(" + type + ")(" + text + ")"; }

}  // namespace

const Type* CppOperations::preludeType(ir::Type type) { return types_.vector(scalarOf(type.kind), type.components); }

std::string CppOperations::type(ir::Type type) {
  if (type.isVoid()) return "void";
  if (type.isPointer()) return "char*";
  if (type.isBool() && !type.isVector()) return "bool";
  return prelude_.type(preludeType(type));
}

std::string CppOperations::signedName(Kind kind) const { return prelude::cppName(prelude::signedOf(scalarOf(kind))); }

std::string CppOperations::toFloat(Kind kind, const std::string& a) {
  return kind == Kind::kF16 ? prelude_.halfToFloat() + "(" + a + ")" : a;
}
std::string CppOperations::fromFloat(Kind kind, const std::string& a) {
  return kind == Kind::kF16 ? prelude_.toHalf(Scalar::kFloat) + "(" + a + ")" : "(" + a + ")";
}

// A function that takes one type and gives another with the same bits.
std::string CppOperations::sameBits(const std::string& to, const std::string& from, const std::string& a) {
  std::string name = "mrt_bits_" + to + "_" + from;
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  if (defined_.insert(name).second) {
    text_ += "mrt_fn " + to + " " + name + "(" + from + " a) { " + to + " r; __builtin_memcpy(&r, &a, sizeof r); return r; }\n";
  }
  return name + "(" + a + ")";
}

std::string CppOperations::number(Kind kind, uint64_t bits) {
  if (kind == Kind::kBool) return bits != 0 ? "true" : "false";
  if (kind == Kind::kPointer) return "(char*)" + std::to_string(bits) + "ul";
  if (kind == Kind::kF16) return prelude_.type(types_.scalar(Scalar::kHalf)) + "{" + std::to_string(bits) + "}";
  if (kind == Kind::kF32 || kind == Kind::kF64) {
    const double value = ir::realOf(kind, bits);
    const bool single = kind == Kind::kF32;
    if (!std::isfinite(value))
      return sameBits(single ? "float" : "double", single ? "unsigned int" : "unsigned long",
                      std::to_string(bits) + (single ? "u" : "ul"));
    char text[40];
    std::snprintf(text, sizeof text, "%a%s", value, single ? "f" : "");
    return std::signbit(value) ? "(" + std::string(text) + ")" : text;
  }
  if (kind == Kind::kI64) return std::to_string(bits) + "ul";
  return kind == Kind::kI32 ? std::to_string(bits) + "u" : cast(type({kind}), std::to_string(bits));
}

std::string CppOperations::constant(ir::Type type, const std::vector<uint64_t>& numbers) {
  if (!type.isVector()) return number(type.kind, numbers[0]);
  return this->type(type) + "{" + prelude::listed(type.components, [&](uint32_t i) { return number(type.kind, numbers[i]); }) +
         "}";
}

std::string CppOperations::converted(const Instruction& i, const std::string& a) {
  const Kind from = i.operands[0]->type.kind, to = i.result()->type.kind;
  const std::string target = to == Kind::kPointer ? "char*" : to == Kind::kBool ? "bool" : type({to});
  switch (i.op) {
    case Opcode::kTrunc:
      return to == Kind::kBool ? "((" + a + ") & 1)" : cast(target, a);
    case Opcode::kZExt:
      return cast(target, a);
    case Opcode::kSExt:
      if (from == Kind::kBool) return cast(target, "-(" + signedName(Kind::kI64) + ")" + a);
      return cast(target, cast(signedName(to), cast(signedName(from), a)));
    case Opcode::kFPTrunc:
      if (to == Kind::kF16) return prelude_.toHalf(scalarOf(from)) + "(" + a + ")";
      return cast(target, a);
    case Opcode::kFPExt:
      return cast(target, toFloat(from, a));
    case Opcode::kFPToSI:
    case Opcode::kFPToUI: {
      // A result of fewer than 32 bits becomes an int first, as CUDA has it: its registers have 32 bits.
      const std::string value = toFloat(from, a);
      if (ir::bitsOf(to) < 32) return cast(target, cast("int", value));
      return i.op == Opcode::kFPToSI ? cast(target, cast(signedName(to), value)) : cast(target, value);
    }
    case Opcode::kSIToFP:
    case Opcode::kUIToFP: {
      const std::string value = i.op == Opcode::kSIToFP ? cast(signedName(from), a) : a;
      return to == Kind::kF16 ? prelude_.toHalf(Scalar::kDouble) + "(" + cast("double", value) + ")" : cast(target, value);
    }
    case Opcode::kPtrToInt:
      return cast("unsigned long", a);
    default:
      return cast("char*", a);
  }
}

std::string CppOperations::component(const Instruction& i, const std::vector<std::string>& operands) {
  const Kind kind = i.result()->type.kind;
  const Kind from = i.operands[0]->type.kind;
  const std::string& a = operands[0];
  const std::string b = operands.size() > 1 ? operands[1] : "";
  const auto integer = [&](const std::string& text) { return cast(type({kind}), text); };
  // Shorter than int, a product of two may be more than an int holds.
  const std::string wide = ir::bitsOf(kind) > 32 ? "(unsigned long)" : "(unsigned int)";
  const auto is = [&](const char* op, bool is_signed) {
    const bool pointers = from == Kind::kPointer;
    const std::string as =
        !is_signed ? (pointers ? "(unsigned long)" : "") : "(" + (pointers ? std::string("long") : signedName(from)) + ")";
    return "(" + as + a + " " + op + " " + as + b + ")";
  };
  const auto are = [&](const char* op) { return "(" + toFloat(from, a) + " " + op + " " + toFloat(from, b) + ")"; };
  const auto computed = [&](const char* op) { return fromFloat(kind, toFloat(kind, a) + " " + op + " " + toFloat(kind, b)); };
  switch (i.op) {
    case Opcode::kAdd:
      return integer(a + " + " + b);
    case Opcode::kSub:
      return integer(a + " - " + b);
    case Opcode::kMul:
      return integer(wide + a + " * " + b);
    case Opcode::kSDiv:
    case Opcode::kSRem:
      return integer("(" + signedName(kind) + ")" + a + (i.op == Opcode::kSDiv ? " / " : " % ") + "(" + signedName(kind) + ")" +
                     b);
    case Opcode::kUDiv:
      return integer(a + " / " + b);
    case Opcode::kURem:
      return integer(a + " % " + b);
    case Opcode::kShl:
      return integer(wide + a + " << " + b);
    case Opcode::kLShr:
      return integer(a + " >> " + b);
    case Opcode::kAShr:
      return integer("(" + signedName(kind) + ")" + a + " >> " + b);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: {
      const std::string text = a + (i.op == Opcode::kAnd ? " & " : i.op == Opcode::kOr ? " | " : " ^ ") + b;
      return kind == Kind::kBool ? "(bool)(" + text + ")" : integer(text);
    }
    case Opcode::kFAdd:
      return computed("+");
    case Opcode::kFSub:
      return computed("-");
    case Opcode::kFMul:
      return computed("*");
    case Opcode::kFDiv:
      return computed("/");
    case Opcode::kFNeg:
      if (kind == Kind::kF16) return type({kind}) + "{(unsigned short)(" + a + ".bits ^ 32768)}";
      return "(-" + a + ")";
    case Opcode::kFma: {
      const Kind in = kind == Kind::kF16 ? Kind::kF32 : kind;
      const std::string fused = prelude_.multiplyAdd(Fused::Kind::kAdd, types_.scalar(scalarOf(in)));
      return fromFloat(kind,
                       fused + "(" + toFloat(kind, a) + ", " + toFloat(kind, b) + ", " + toFloat(kind, operands[2]) + ")");
    }
    case Opcode::kEq:
      return is("==", false);
    case Opcode::kNe:
      return is("!=", false);
    case Opcode::kSLt:
      return is("<", true);
    case Opcode::kSLe:
      return is("<=", true);
    case Opcode::kULt:
      return is("<", false);
    case Opcode::kULe:
      return is("<=", false);
    case Opcode::kFEq:
      return are("==");
    case Opcode::kFNe:
      return are("!=");
    case Opcode::kFLt:
      return are("<");
    case Opcode::kFLe:
      return are("<=");
    case Opcode::kSelect:
      return "(" + a + " ? " + b + " : " + operands[2] + ")";
    default:
      return converted(i, a);
  }
}

// Text of a vector operation: a function of its operands, named by the operation and all types.
std::string CppOperations::value(const Instruction& i, const std::vector<std::string>& operands) {
  const ir::Type result = i.result()->type;
  const auto listed = [&](auto&& of) { return type(result) + "{" + prelude::listed(result.components, of) + "}"; };
  switch (ir::shapeOf(i.op)) {
    case Shape::kConstant:
      return constant(result, i.numbers);
    case Shape::kOffset:
      return "(" + operands[0] + " + (long)" + operands[1] + ")";
    case Shape::kExtract:
      return componentOf(operands[0], static_cast<uint32_t>(i.numbers[0]));
    case Shape::kBuild:
      return listed([&](uint32_t k) { return operands[k]; });
    case Shape::kSplat:
      return listed([&](uint32_t) { return operands[0]; });
    case Shape::kInsert:
      return listed([&](uint32_t k) { return k == i.numbers[0] ? operands[1] : componentOf(operands[0], k); });
    case Shape::kShuffle:
      return listed([&](uint32_t k) { return componentOf(operands[0], static_cast<uint32_t>(i.numbers[k])); });
    case Shape::kBitcast:
      return sameBits(type(result), type(i.operands[0]->type), operands[0]);
    default:
      break;
  }
  if (!result.isVector()) return component(i, operands);
  std::string name = std::string("mrt_ir_") + ir::spell(i.op) + "_" + ir::spell(result), parameters, arguments;
  for (size_t k = 0; k < operands.size(); ++k) {
    const ir::Type own = i.operands[k]->type;
    name += "_" + ir::spell(own);
    parameters += (k == 0 ? "" : ", ") + type(own) + " " + static_cast<char>('a' + k);
    arguments += (k == 0 ? "" : ", ") + operands[k];
  }
  if (defined_.insert(name).second) {
    const std::string made = type(result);
    const std::string element = result.isBool() ? "unsigned char" : type(result.element());
    const auto one = [&](uint32_t component) {
      std::vector<std::string> own;
      for (size_t k = 0; k < operands.size(); ++k) {
        const std::string parameter(1, static_cast<char>('a' + k));
        own.push_back(i.operands[k]->type.isVector() ? componentOf(parameter, component) : parameter);
      }
      const std::string text = this->component(i, own);
      return result.kind == Kind::kF16 ? text : cast(element, text);
    };
    const std::string components = prelude::listed(result.components, one);  // may define what it calls
    text_ += "mrt_fn " + made + " " + name + "(" + parameters + ") { return {" + components + "}; }\n";
  }
  return name + "(" + arguments + ")";
}

// Memory has no type here. A value that is less aligned than its type, or a vector of three, is loaded by its bytes.
std::string CppOperations::load(const Instruction& i, const std::string& pointer) {
  const ir::Type own = i.result()->type;
  const std::string name = type(own), room = std::to_string(uint64_t{ir::bytesOf(own.kind)} * own.components);
  if (i.is_volatile) {
    if (!own.isVector() && own.kind != Kind::kF16) return "*(" + name + " volatile*)" + pointer;
    const std::string element = own.kind == Kind::kF16 ? "unsigned short" : type(own.element());
    return name + "{" +
           prelude::listed(
               own.components,
               [&](uint32_t k) { return "((" + element + " volatile*)" + pointer + ")[" + std::to_string(k) + "]"; }) +
           "}";
  }
  if (i.alignment >= ir::bytesOf(own) && own.components != 3) return "*(" + name + "*)" + pointer;
  std::string function = "mrt_load_" + ir::spell(own.isPointer() ? ir::Type{Kind::kI64} : own) + (own.isPointer() ? "_p" : "");
  if (defined_.insert(function).second)
    text_ += "mrt_fn " + name + " " + function + "(const char* a) { " + name + " r; __builtin_memcpy(&r, a, " + room +
             "); return r; }\n";
  return function + "(" + pointer + ")";
}

std::string CppOperations::store(const Instruction& i, const std::string& value, const std::string& pointer) {
  const ir::Type own = i.operands[0]->type;
  const std::string name = type(own), room = std::to_string(uint64_t{ir::bytesOf(own.kind)} * own.components);
  if (i.is_volatile) {
    if (!own.isVector() && own.kind != Kind::kF16) return "*(" + name + " volatile*)" + pointer + " = " + value;
    const std::string element = own.kind == Kind::kF16 ? "unsigned short" : type(own.element());
    std::string text;
    for (uint32_t k = 0; k < own.components; ++k) {
      text += (k == 0 ? "" : ", ") + ("((" + element + " volatile*)" + pointer + ")[" + std::to_string(k) + "] = ") +
              (own.isVector() ? componentOf(value, k) : value) + (own.kind == Kind::kF16 ? ".bits" : "");
    }
    return text;
  }
  if (i.alignment >= ir::bytesOf(own) && own.components != 3) return "*(" + name + "*)" + pointer + " = " + value;
  std::string function = "mrt_store_" + ir::spell(own.isPointer() ? ir::Type{Kind::kI64} : own) + (own.isPointer() ? "_p" : "");
  if (defined_.insert(function).second)
    text_ += "mrt_fn void " + function + "(char* a, " + name + " b) { __builtin_memcpy(a, &b, " + room + "); }\n";
  return function + "(" + pointer + ", " + value + ")";
}

std::string CppOperations::cppType(QualType type) {
  if (type->isPointer()) return cppType(type->inner) + "*";
  if (type->isRecord()) return "void";
  return type->kind == TypeKind::kEnum ? "int" : prelude_.type(type.type);
}

std::string CppOperations::builtin(const Instruction& i, const std::vector<std::string>& operands) {
  const ir::Signature& signature = i.signature;
  std::string call = prelude_.builtin(*signature.builtin, signature.result, signature.parameters) + "(";
  for (size_t k = 0; k < operands.size(); ++k) {
    const QualType to = signature.parameters[k];
    const std::string name = cppType(to), own = type(i.operands[k]->type);
    call += k == 0 ? "" : ", ";
    call += name == own ? operands[k] : to->isVector() ? sameBits(name, own, operands[k]) : "(" + name + ")" + operands[k];
  }
  call += ")";
  if (i.result() == nullptr) return call;
  const std::string name = cppType(signature.result), own = type(i.result()->type);
  if (name == own) return call;
  return signature.result->isVector() ? sameBits(own, name, call) : "(" + own + ")" + call;
}

}  // namespace manyrt::compiler::emit
