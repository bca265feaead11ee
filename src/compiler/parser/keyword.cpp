// The table of reserved words and its index. One row for each spelling; aliases are rows of their own.
#include "compiler/parser/keyword.h"

#include <unordered_map>

#include "compiler/parser/type.h"

namespace manyrt::compiler {
namespace {

constexpr char kNoImages[] = "manyrt has no images and samplers yet: pass a __global pointer and the sizes.";
constexpr char kNoStorage[] = "OpenCL C 1.2 has no storage classes auto and register: leave the word away.";
constexpr char kNoGeneric[] = "OpenCL C 1.2 has no generic address space: write __global, __constant, __local or __private.";
constexpr char kNoComplex[] = "OpenCL C has no complex numbers: write float2 or double2.";
constexpr char kNoTypeof[] = "OpenCL C has no typeof: write the type.";
constexpr char kNoAssembler[] = "OpenCL C has no inline assembler: use the built-in functions.";

constexpr uint8_t space(AddressSpace space) { return static_cast<uint8_t>(space); }

constexpr Keyword kKeywords[] = {
    {"void", KeywordKind::kBase, kVoidWord},
    {"bool", KeywordKind::kBase, kBoolWord},
    {"_Bool", KeywordKind::kBase, kBoolWord},
    {"char", KeywordKind::kBase, kCharWord},
    {"short", KeywordKind::kBase, kShortWord},
    {"int", KeywordKind::kBase, kIntWord},
    {"long", KeywordKind::kBase, kLongWord},
    {"half", KeywordKind::kBase, kHalfWord},
    {"float", KeywordKind::kBase, kFloatWord},
    {"double", KeywordKind::kBase, kDoubleWord},
    {"signed", KeywordKind::kBase, kSignedWord},
    {"__signed", KeywordKind::kBase, kSignedWord},
    {"__signed__", KeywordKind::kBase, kSignedWord},
    {"unsigned", KeywordKind::kBase, kUnsignedWord},
    {"struct", KeywordKind::kRecord},
    {"union", KeywordKind::kRecord},
    {"enum", KeywordKind::kEnum},
    {"const", KeywordKind::kQualifier, kConstWord},
    {"__const", KeywordKind::kQualifier, kConstWord},
    {"__const__", KeywordKind::kQualifier, kConstWord},
    {"volatile", KeywordKind::kQualifier, kVolatileWord},
    {"__volatile", KeywordKind::kQualifier, kVolatileWord},
    {"__volatile__", KeywordKind::kQualifier, kVolatileWord},
    {"restrict", KeywordKind::kQualifier, kRestrictWord},
    {"__restrict", KeywordKind::kQualifier, kRestrictWord},
    {"__restrict__", KeywordKind::kQualifier, kRestrictWord},
    {"global", KeywordKind::kSpace, space(AddressSpace::kGlobal)},
    {"__global", KeywordKind::kSpace, space(AddressSpace::kGlobal)},
    {"local", KeywordKind::kSpace, space(AddressSpace::kLocal)},
    {"__local", KeywordKind::kSpace, space(AddressSpace::kLocal)},
    {"constant", KeywordKind::kSpace, space(AddressSpace::kConstant)},
    {"__constant", KeywordKind::kSpace, space(AddressSpace::kConstant)},
    {"private", KeywordKind::kSpace, space(AddressSpace::kPrivate)},
    {"__private", KeywordKind::kSpace, space(AddressSpace::kPrivate)},
    {"typedef", KeywordKind::kStorage, kTypedefWord},
    {"static", KeywordKind::kStorage, kStaticWord},
    {"extern", KeywordKind::kStorage, kExternWord},
    {"inline", KeywordKind::kStorage, kInlineWord},
    {"__inline", KeywordKind::kStorage, kInlineWord},
    {"__inline__", KeywordKind::kStorage, kInlineWord},
    {"kernel", KeywordKind::kStorage, kKernelWord},
    {"__kernel", KeywordKind::kStorage, kKernelWord},
    {"__attribute__", KeywordKind::kAttribute},
    {"__attribute", KeywordKind::kAttribute},
    {"auto", KeywordKind::kRefused, 0, kNoStorage},
    {"register", KeywordKind::kRefused, 0, kNoStorage},
    {"generic", KeywordKind::kRefused, 0, kNoGeneric},
    {"__generic", KeywordKind::kRefused, 0, kNoGeneric},
    {"_Complex", KeywordKind::kRefused, 0, kNoComplex},
    {"__complex__", KeywordKind::kRefused, 0, kNoComplex},
    {"_Imaginary", KeywordKind::kRefused, 0, kNoComplex},
    {"__typeof", KeywordKind::kRefused, 0, kNoTypeof},
    {"__typeof__", KeywordKind::kRefused, 0, kNoTypeof},
    {"image1d_t", KeywordKind::kRefused, 0, kNoImages},
    {"image1d_array_t", KeywordKind::kRefused, 0, kNoImages},
    {"image1d_buffer_t", KeywordKind::kRefused, 0, kNoImages},
    {"image2d_t", KeywordKind::kRefused, 0, kNoImages},
    {"image2d_array_t", KeywordKind::kRefused, 0, kNoImages},
    {"image3d_t", KeywordKind::kRefused, 0, kNoImages},
    {"sampler_t", KeywordKind::kRefused, 0, kNoImages},
    {"read_only", KeywordKind::kRefused, 0, kNoImages},
    {"__read_only", KeywordKind::kRefused, 0, kNoImages},
    {"write_only", KeywordKind::kRefused, 0, kNoImages},
    {"__write_only", KeywordKind::kRefused, 0, kNoImages},
    {"read_write", KeywordKind::kRefused, 0, kNoImages},
    {"__read_write", KeywordKind::kRefused, 0, kNoImages},
    {"__asm", KeywordKind::kRefusedElse, 0, kNoAssembler},
    {"__asm__", KeywordKind::kRefusedElse, 0, kNoAssembler},
    {"break", KeywordKind::kStatement},
    {"case", KeywordKind::kStatement},
    {"continue", KeywordKind::kStatement},
    {"default", KeywordKind::kStatement},
    {"do", KeywordKind::kStatement},
    {"else", KeywordKind::kStatement},
    {"for", KeywordKind::kStatement},
    {"goto", KeywordKind::kStatement},
    {"if", KeywordKind::kStatement},
    {"return", KeywordKind::kStatement},
    {"sizeof", KeywordKind::kStatement},
    {"switch", KeywordKind::kStatement},
    {"while", KeywordKind::kStatement},
    {"_Static_assert", KeywordKind::kStatement},
};

}  // namespace

const Keyword& findKeyword(std::string_view name) {
  static const auto* const kIndex = [] {
    auto* index = new std::unordered_map<std::string_view, const Keyword*>;
    for (const Keyword& keyword : kKeywords) index->emplace(keyword.name, &keyword);
    return index;
  }();
  static constexpr Keyword kOrdinary;
  const auto found = kIndex->find(name);
  return found == kIndex->end() ? kOrdinary : *found->second;
}

const char* nameOfForeignType(std::string_view name) {
  static constexpr struct {
    std::string_view foreign;
    const char* name;
  } kNames[] = {{"int8_t", "char"},   {"uint8_t", "uchar"}, {"int16_t", "short"},  {"uint16_t", "ushort"},  {"int32_t", "int"},
                {"uint32_t", "uint"}, {"int64_t", "long"},  {"uint64_t", "ulong"}, {"ssize_t", "ptrdiff_t"}};
  for (const auto& row : kNames) {
    if (row.foreign == name) return row.name;
  }
  return nullptr;
}

}  // namespace manyrt::compiler
