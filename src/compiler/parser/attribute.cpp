// Reads __attribute__((...)). OpenCL C 1.2 names some; others, of C compilers, change nothing here. Attributes that would
// change a type are refused rather than ignored.
#include <algorithm>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

constexpr int64_t kMaxAlignment = 4096;
constexpr uint32_t kDefaultAlignment = 16;  // of aligned without a number

template <size_t kCount>
bool isOneOf(std::string_view name, const std::string_view (&names)[kCount]) {
  return std::find(names, names + kCount, name) != names + kCount;
}

constexpr std::string_view kHarmless[] = {"always_inline", "noinline",   "unused",     "used",       "pure",    "const",
                                          "noreturn",      "nothrow",    "deprecated", "may_alias",  "nonnull", "endian",
                                          "nosvm",         "flatten",    "hot",        "cold",       "leaf",    "convergent",
                                          "overloadable",  "artificial", "gnu_inline", "visibility", "weak"};
constexpr std::string_view kChangesType[] = {
    "ext_vector_type", "vector_size",    "mode",           "address_space",     "opencl_global", "opencl_local",
    "opencl_constant", "opencl_private", "opencl_generic", "transparent_union", "ms_struct"};

// __packed__ is packed.
std::string_view plainName(std::string_view name) {
  if (name.size() > 4 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) == "__") {
    return name.substr(2, name.size() - 4);
  }
  return name;
}

}  // namespace

bool Parser::parseAlignment(uint32_t* alignment) {
  const Location where = peek().where;
  int64_t value = kDefaultAlignment;
  if (accept("(")) {
    if (!parseIntegerConstant(&value, "the value of the attribute aligned")) return false;
    if (!expect(")", "the value of the attribute aligned")) return false;
  }
  if (value <= 0 || value > kMaxAlignment || (value & (value - 1)) != 0) {
    diagnostics_.error(where, "An alignment of %lld bytes was asked for; it must be a power of two and at most %lld.",
                       static_cast<long long>(value), static_cast<long long>(kMaxAlignment));
    return false;
  }
  if (alignment != nullptr) *alignment = std::max(*alignment, static_cast<uint32_t>(value));
  return true;
}

bool Parser::parseGroupSize(uint32_t size[3], const char* attribute) {
  if (!expect("(", attribute)) return false;
  for (uint32_t i = 0; i < 3; ++i) {
    const Location where = peek().where;
    int64_t value = 0;
    if (i > 0 && !expect(",", "a size of a work-group, which has three")) return false;
    if (!parseIntegerConstant(&value, "a size of a work-group")) return false;
    if (value <= 0 || value > int64_t{UINT32_MAX}) {
      diagnostics_.error(where, "The size %lld of a work-group in %s must be from 1 to 4294967295.",
                         static_cast<long long>(value), attribute);
      return false;
    }
    size[i] = static_cast<uint32_t>(value);
  }
  return expect(")", "the three sizes of a work-group");
}

bool Parser::parseTypeHint() {
  QualType type;
  if (!expect("(", "vec_type_hint")) return false;
  const Location where = peek().where;
  if (!parseTypeName(&type)) return false;
  if (!type->isArithmetic() && !type->isVector()) {
    diagnostics_.error(where, "vec_type_hint takes a scalar or vector type, not \"%s\".", spell(type).c_str());
    return false;
  }
  return expect(")", "the type of vec_type_hint");
}

bool Parser::parseUnrollHint() {
  unroll_ = 0;
  if (!accept("(")) return true;
  if (accept(")")) return true;
  const Location where = peek().where;
  int64_t value = 0;
  if (!parseIntegerConstant(&value, "the factor of opencl_unroll_hint")) return false;
  if (value <= 0 || value > INT32_MAX) {
    diagnostics_.error(where, "The factor %lld of opencl_unroll_hint must be from 1 to %d.", static_cast<long long>(value),
                       INT32_MAX);
    return false;
  }
  unroll_ = static_cast<int32_t>(value);
  return expect(")", "the factor of opencl_unroll_hint");
}

bool Parser::parseAttribute(Specifiers* specifiers, uint32_t* alignment, bool* packed) {
  const Token& token = peek();
  if (token.kind != TokenKind::kIdentifier) {
    diagnostics_.error(token.where, "Expected the name of an attribute, found \"%s\".", std::string(token.text).c_str());
    return false;
  }
  // Attributes of OpenCL C are checked and used. Others that would change a type are errors, because ignoring them would change
  // results. The rest is skipped with its arguments.
  const std::string_view name = plainName(next().text);
  if (name == "aligned") return parseAlignment(alignment);
  if (name == "opencl_unroll_hint") return parseUnrollHint();
  if (specifiers != nullptr) {
    specifiers->may_be_unused |= name == "unused";
    if (name == "reqd_work_group_size") {
      uint32_t* const size = specifiers->required_group_size;
      uint32_t asked[3] = {};
      if (!parseGroupSize(asked, "reqd_work_group_size")) return false;
      if (size[0] != 0 && !std::equal(asked, asked + 3, size)) {
        diagnostics_.error(token.where, "reqd_work_group_size is given twice with different sizes.");
        return false;
      }
      std::copy_n(asked, 3, size);
      specifiers->kernel_attribute = "reqd_work_group_size";
      return true;
    }
    if (name == "work_group_size_hint") {
      uint32_t ignored[3] = {};
      specifiers->kernel_attribute = "work_group_size_hint";
      return parseGroupSize(ignored, "work_group_size_hint");
    }
    if (name == "vec_type_hint") {
      specifiers->kernel_attribute = "vec_type_hint";
      return parseTypeHint();
    }
  }
  if (isOneOf(name, kChangesType)) {
    diagnostics_.error(token.where,
                       "The attribute \"%s\" is not supported: write a type of OpenCL C, such as float4 or __global int.",
                       std::string(name).c_str());
    return false;
  }
  if (name == "packed" && packed != nullptr) {
    *packed = true;
  } else if (name == "packed" || !isOneOf(name, kHarmless)) {
    diagnostics_.warning(token.where, "The attribute \"%s\" is ignored here.", std::string(name).c_str());
  }
  if (at("(")) skipParentheses(at_);
  return true;
}

bool Parser::parseAttributes(Specifiers* specifiers, uint32_t* alignment, bool* packed) {
  while (atAttribute(0)) {
    next();
    if (!expect("(", "__attribute__") || !expect("(", "__attribute__(")) return false;
    while (!at(")")) {
      if (accept(",")) continue;
      if (!parseAttribute(specifiers, alignment, packed)) return false;
      if (!at(")") && !expect(",", "an attribute")) return false;
    }
    next();
    if (!expect(")", "__attribute__((...)")) return false;
  }
  return true;
}

uint32_t Parser::afterAttributes() const {
  uint32_t ahead = 0;
  while (atAttribute(ahead)) {
    uint32_t depth = 0;
    do {
      ++ahead;
      if (peek(ahead).is("(")) ++depth;
      if (peek(ahead).is(")") && depth > 0) --depth;
    } while (depth > 0 && peek(ahead).kind != TokenKind::kEnd);
    if (peek(ahead).kind == TokenKind::kEnd) return ahead;
    ++ahead;
  }
  return ahead;
}

}  // namespace manyrt::compiler
