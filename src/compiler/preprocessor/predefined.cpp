// The table of predefined macros: version and extension names, limits of the types, constants of mathematics. Sorted by name,
// which the compiler checks. A text begins with "(" only for a macro with parameters; the values begin with a space.
#include "compiler/preprocessor/predefined.h"

#include <algorithm>
#include <iterator>

namespace manyrt::compiler {
namespace {

// __mrt_inff, __mrt_nanf and __mrt_inf are literals that the expression parser knows: no spelling of C's has these values.
constexpr PredefinedMacro kPredefined[] = {
    {"CHAR_BIT", " 8"},
    {"CHAR_MAX", " 127"},
    {"CHAR_MIN", " (-127 - 1)"},
    {"CLK_GLOBAL_MEM_FENCE", " 2"},
    {"CLK_LOCAL_MEM_FENCE", " 1"},
    {"CL_VERSION_1_0", " 100"},
    {"CL_VERSION_1_1", " 110"},
    {"CL_VERSION_1_2", " 120"},
    {"DBL_DIG", " 15"},
    {"DBL_EPSILON", " 0x1.0p-52"},
    {"DBL_MANT_DIG", " 53"},
    {"DBL_MAX", " 0x1.fffffffffffffp1023"},
    {"DBL_MAX_10_EXP", " +308"},
    {"DBL_MAX_EXP", " +1024"},
    {"DBL_MIN", " 0x1.0p-1022"},
    {"DBL_MIN_10_EXP", " -307"},
    {"DBL_MIN_EXP", " -1021"},
    {"FLT_DIG", " 6"},
    {"FLT_EPSILON", " 0x1.0p-23f"},
    {"FLT_MANT_DIG", " 24"},
    {"FLT_MAX", " 0x1.fffffep127f"},
    {"FLT_MAX_10_EXP", " +38"},
    {"FLT_MAX_EXP", " +128"},
    {"FLT_MIN", " 0x1.0p-126f"},
    {"FLT_MIN_10_EXP", " -37"},
    {"FLT_MIN_EXP", " -125"},
    {"FLT_RADIX", " 2"},
    {"FP_ILOGB0", " INT_MIN"},
    {"FP_ILOGBNAN", " INT_MAX"},
    {"HUGE_VAL", " (__mrt_inf)"},
    {"HUGE_VALF", " (__mrt_inff)"},
    {"INFINITY", " (__mrt_inff)"},
    {"INT_MAX", " 2147483647"},
    {"INT_MIN", " (-2147483647 - 1)"},
    {"LONG_MAX", " 0x7fffffffffffffffL"},
    {"LONG_MIN", " (-0x7fffffffffffffffL - 1)"},
    {"MAXFLOAT", " FLT_MAX"},
    {"M_1_PI", " 0.318309886183790671538"},
    {"M_1_PI_F", " 0.318309886183790671538f"},
    {"M_2_PI", " 0.636619772367581343076"},
    {"M_2_PI_F", " 0.636619772367581343076f"},
    {"M_2_SQRTPI", " 1.1283791670955125739"},
    {"M_2_SQRTPI_F", " 1.1283791670955125739f"},
    {"M_E", " 2.71828182845904523536"},
    {"M_E_F", " 2.71828182845904523536f"},
    {"M_LN10", " 2.30258509299404568402"},
    {"M_LN10_F", " 2.30258509299404568402f"},
    {"M_LN2", " 0.693147180559945309417"},
    {"M_LN2_F", " 0.693147180559945309417f"},
    {"M_LOG10E", " 0.434294481903251827651"},
    {"M_LOG10E_F", " 0.434294481903251827651f"},
    {"M_LOG2E", " 1.44269504088896340736"},
    {"M_LOG2E_F", " 1.44269504088896340736f"},
    {"M_PI", " 3.14159265358979323846"},
    {"M_PI_2", " 1.57079632679489661923"},
    {"M_PI_2_F", " 1.57079632679489661923f"},
    {"M_PI_4", " 0.785398163397448309616"},
    {"M_PI_4_F", " 0.785398163397448309616f"},
    {"M_PI_F", " 3.14159265358979323846f"},
    {"M_SQRT1_2", " 0.707106781186547524401"},
    {"M_SQRT1_2_F", " 0.707106781186547524401f"},
    {"M_SQRT2", " 1.4142135623730950488"},
    {"M_SQRT2_F", " 1.4142135623730950488f"},
    {"NAN", " (__mrt_nanf)"},
    {"NULL", " ((void*)0)"},
    {"SCHAR_MAX", " 127"},
    {"SCHAR_MIN", " (-127 - 1)"},
    {"SHRT_MAX", " 32767"},
    {"SHRT_MIN", " (-32767 - 1)"},
    {"UCHAR_MAX", " 255"},
    {"UINT_MAX", " 0xffffffffU"},
    {"ULONG_MAX", " 0xffffffffffffffffUL"},
    {"USHRT_MAX", " 65535"},
    {"__COUNTER__", "", DynamicMacro::kCounter},
    {"__ENDIAN_LITTLE__", " 1"},
    {"__FILE__", "", DynamicMacro::kFile},
    {"__LINE__", "", DynamicMacro::kLine},
    {"__MANYRT__", " 1"},
    {"__OPENCL_C_VERSION__", " 120"},
    {"__OPENCL_VERSION__", " 120"},
    {"__STDC_VERSION__", " 199901L"},
    {"__STDC__", " 1"},
    {"__kernel_exec",
     "(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"},
    {"cl_khr_byte_addressable_store", " 1"},
    {"cl_khr_fp64", " 1"},
    {"cl_khr_global_int32_base_atomics", " 1"},
    {"cl_khr_global_int32_extended_atomics", " 1"},
    {"cl_khr_int64_base_atomics", " 1"},
    {"cl_khr_int64_extended_atomics", " 1"},
    {"cl_khr_local_int32_base_atomics", " 1"},
    {"cl_khr_local_int32_extended_atomics", " 1"},
    {"false", " 0"},
    {"kernel_exec", "(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"},
    {"true", " 1"},
};

constexpr bool byName(const PredefinedMacro& a, const PredefinedMacro& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kPredefined), std::end(kPredefined), byName));

}  // namespace

const PredefinedMacro* findPredefined(std::string_view name) {
  const auto at = std::lower_bound(std::begin(kPredefined), std::end(kPredefined), name,
                                   [](const PredefinedMacro& macro, std::string_view wanted) { return macro.name < wanted; });
  return at != std::end(kPredefined) && at->name == name ? at : nullptr;
}

}  // namespace manyrt::compiler
