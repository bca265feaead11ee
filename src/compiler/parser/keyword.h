// The reserved words of OpenCL C 1.2 and what each means to the parser of declarations. For words of the language that this
// library does not support, the table says what to write instead.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyrt::compiler {

enum class KeywordKind : uint8_t {
  kNone,    // an ordinary name
  kBase,    // part of a scalar type or void: `value` is a BaseWord
  kRecord,  // struct, union
  kEnum,
  kQualifier,    // `value` is a QualifierWord
  kSpace,        // `value` is an AddressSpace
  kStorage,      // `value` is a StorageWord
  kAttribute,    // __attribute__
  kRefused,      // would start a declaration: `advice` is a sentence
  kRefusedElse,  // refused elsewhere: `advice`
  kStatement     // if, while, sizeof, ...
};

enum BaseWord : uint8_t {
  kVoidWord,
  kBoolWord,
  kCharWord,
  kShortWord,
  kIntWord,
  kLongWord,
  kHalfWord,
  kFloatWord,
  kDoubleWord,
  kSignedWord,
  kUnsignedWord,
  kBaseWordCount
};
enum QualifierWord : uint8_t { kConstWord, kVolatileWord, kRestrictWord };
enum StorageWord : uint8_t { kTypedefWord, kStaticWord, kExternWord, kInlineWord, kKernelWord };

struct Keyword {
  std::string_view name;
  KeywordKind kind = KeywordKind::kNone;
  uint8_t value = 0;
  const char* advice = nullptr;
};

// kNone for ordinary names.
const Keyword& findKeyword(std::string_view name);

// The name in OpenCL C of a type of other languages ("uint32_t": "uint"). Null where it has no such type.
const char* nameOfForeignType(std::string_view name);

}  // namespace manyrt::compiler
