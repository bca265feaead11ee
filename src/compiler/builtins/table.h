// The rows of OpenCL C 1.2's functions: name, kind and forms. Read by builtins.cpp, which finds names, and by overload.cpp,
// which finds the form that a call means. A form is a set of types for T, a colon, the result and the parameters:
//
//   sets   F float and double   f float alone      W as F, vectors only   G as F, up to 4 lanes   h as f, up to 4 lanes
//          C as F, 3 or 4 lanes I all integers     X as I, vectors only   S signed integers       J int and uint
//          j as J, scalars      N integers of up to 32 bits               K 32 and 64 bits, scalars
//          A all numbers        H half's: as f, the lanes of the name     D the same for F        M as A, lanes of the name
//          . none: there is one form
//   types  g T                  s T's scalar       i u signed, unsigned integers of T's size and lanes
//          k ints of T's lanes  w twice T's size   r what comparisons of T give      v void   I int   U uint   Z size_t
//          E event_t            x float
//   pointers, before the type that they point to ('q' is half):
//          P global, local, private   c const, any space   V volatile, global or local   L l local, local const
//          B b global, global const   Q private
#pragma once

#include <array>
#include <string_view>

#include "compiler/builtins/builtins.h"

namespace manyrt::compiler {

struct BuiltinRow {
  const char* name;
  BuiltinKind kind;
  const char* forms;
  WorkItem work_item = WorkItem::kNone;
};

inline constexpr BuiltinRow kBuiltinRows[] = {
    // Work-items
    {"get_global_id", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kGlobalId},
    {"get_local_id", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kLocalId},
    {"get_group_id", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kGroupId},
    {"get_global_size", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kGlobalSize},
    {"get_local_size", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kLocalSize},
    {"get_enqueued_local_size", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kLocalSize},
    {"get_num_groups", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kNumGroups},
    {"get_global_offset", BuiltinKind::kWorkItem, ".:ZU", WorkItem::kGlobalOffset},
    {"get_work_dim", BuiltinKind::kWorkItem, ".:U", WorkItem::kWorkDim},
    {"get_global_linear_id", BuiltinKind::kWorkItem, ".:Z", WorkItem::kGlobalLinearId},
    {"get_local_linear_id", BuiltinKind::kWorkItem, ".:Z", WorkItem::kLocalLinearId},

    // Synchronisation and copies of a group
    {"barrier", BuiltinKind::kBarrier, ".:vU"},
    {"work_group_barrier", BuiltinKind::kBarrier, ".:vU"},
    {"wait_group_events", BuiltinKind::kBarrier, ".:vIQE"},
    {"mem_fence", BuiltinKind::kFence, ".:vU"},
    {"read_mem_fence", BuiltinKind::kFence, ".:vU"},
    {"write_mem_fence", BuiltinKind::kFence, ".:vU"},
    {"async_work_group_copy", BuiltinKind::kGroupCopy, "A:ELgbgZE A:EBglgZE"},
    {"async_work_group_strided_copy", BuiltinKind::kGroupCopy, "A:ELgbgZZE A:EBglgZZE"},
    {"prefetch", BuiltinKind::kMemory, "A:vbgZ"},

    // Math
    {"acos", BuiltinKind::kPure, "F:gg"},
    {"acosh", BuiltinKind::kPure, "F:gg"},
    {"acospi", BuiltinKind::kPure, "F:gg"},
    {"asin", BuiltinKind::kPure, "F:gg"},
    {"asinh", BuiltinKind::kPure, "F:gg"},
    {"asinpi", BuiltinKind::kPure, "F:gg"},
    {"atan", BuiltinKind::kPure, "F:gg"},
    {"atan2", BuiltinKind::kPure, "F:ggg"},
    {"atanh", BuiltinKind::kPure, "F:gg"},
    {"atanpi", BuiltinKind::kPure, "F:gg"},
    {"atan2pi", BuiltinKind::kPure, "F:ggg"},
    {"cbrt", BuiltinKind::kPure, "F:gg"},
    {"ceil", BuiltinKind::kPure, "F:gg"},
    {"copysign", BuiltinKind::kPure, "F:ggg"},
    {"cos", BuiltinKind::kPure, "F:gg"},
    {"cosh", BuiltinKind::kPure, "F:gg"},
    {"cospi", BuiltinKind::kPure, "F:gg"},
    {"erf", BuiltinKind::kPure, "F:gg"},
    {"erfc", BuiltinKind::kPure, "F:gg"},
    {"exp", BuiltinKind::kPure, "F:gg"},
    {"exp2", BuiltinKind::kPure, "F:gg"},
    {"exp10", BuiltinKind::kPure, "F:gg"},
    {"expm1", BuiltinKind::kPure, "F:gg"},
    {"fabs", BuiltinKind::kPure, "F:gg"},
    {"fdim", BuiltinKind::kPure, "F:ggg"},
    {"floor", BuiltinKind::kPure, "F:gg"},
    {"fma", BuiltinKind::kPure, "F:gggg"},
    {"fmax", BuiltinKind::kPure, "F:ggg W:ggs"},
    {"fmin", BuiltinKind::kPure, "F:ggg W:ggs"},
    {"fmod", BuiltinKind::kPure, "F:ggg"},
    {"fract", BuiltinKind::kMemory, "F:ggPg"},
    {"frexp", BuiltinKind::kMemory, "F:ggPk"},
    {"hypot", BuiltinKind::kPure, "F:ggg"},
    {"ilogb", BuiltinKind::kPure, "F:kg"},
    {"ldexp", BuiltinKind::kPure, "F:ggk W:ggI"},
    {"lgamma", BuiltinKind::kPure, "F:gg"},
    {"lgamma_r", BuiltinKind::kMemory, "F:ggPk"},
    {"log", BuiltinKind::kPure, "F:gg"},
    {"log2", BuiltinKind::kPure, "F:gg"},
    {"log10", BuiltinKind::kPure, "F:gg"},
    {"log1p", BuiltinKind::kPure, "F:gg"},
    {"logb", BuiltinKind::kPure, "F:gg"},
    {"mad", BuiltinKind::kPure, "F:gggg"},
    {"maxmag", BuiltinKind::kPure, "F:ggg"},
    {"minmag", BuiltinKind::kPure, "F:ggg"},
    {"modf", BuiltinKind::kMemory, "F:ggPg"},
    {"nan", BuiltinKind::kPure, "F:gu"},
    {"nextafter", BuiltinKind::kPure, "F:ggg"},
    {"pow", BuiltinKind::kPure, "F:ggg"},
    {"pown", BuiltinKind::kPure, "F:ggk"},
    {"powr", BuiltinKind::kPure, "F:ggg"},
    {"remainder", BuiltinKind::kPure, "F:ggg"},
    {"remquo", BuiltinKind::kMemory, "F:gggPk"},
    {"rint", BuiltinKind::kPure, "F:gg"},
    {"rootn", BuiltinKind::kPure, "F:ggk"},
    {"round", BuiltinKind::kPure, "F:gg"},
    {"rsqrt", BuiltinKind::kPure, "F:gg"},
    {"sin", BuiltinKind::kPure, "F:gg"},
    {"sincos", BuiltinKind::kMemory, "F:ggPg"},
    {"sinh", BuiltinKind::kPure, "F:gg"},
    {"sinpi", BuiltinKind::kPure, "F:gg"},
    {"sqrt", BuiltinKind::kPure, "F:gg"},
    {"tan", BuiltinKind::kPure, "F:gg"},
    {"tanh", BuiltinKind::kPure, "F:gg"},
    {"tanpi", BuiltinKind::kPure, "F:gg"},
    {"tgamma", BuiltinKind::kPure, "F:gg"},
    {"trunc", BuiltinKind::kPure, "F:gg"},
    {"half_cos", BuiltinKind::kPure, "f:gg"},
    {"half_divide", BuiltinKind::kPure, "f:ggg"},
    {"half_exp", BuiltinKind::kPure, "f:gg"},
    {"half_exp2", BuiltinKind::kPure, "f:gg"},
    {"half_exp10", BuiltinKind::kPure, "f:gg"},
    {"half_log", BuiltinKind::kPure, "f:gg"},
    {"half_log2", BuiltinKind::kPure, "f:gg"},
    {"half_log10", BuiltinKind::kPure, "f:gg"},
    {"half_powr", BuiltinKind::kPure, "f:ggg"},
    {"half_recip", BuiltinKind::kPure, "f:gg"},
    {"half_rsqrt", BuiltinKind::kPure, "f:gg"},
    {"half_sin", BuiltinKind::kPure, "f:gg"},
    {"half_sqrt", BuiltinKind::kPure, "f:gg"},
    {"half_tan", BuiltinKind::kPure, "f:gg"},
    {"native_cos", BuiltinKind::kPure, "f:gg"},
    {"native_divide", BuiltinKind::kPure, "f:ggg"},
    {"native_exp", BuiltinKind::kPure, "f:gg"},
    {"native_exp2", BuiltinKind::kPure, "f:gg"},
    {"native_exp10", BuiltinKind::kPure, "f:gg"},
    {"native_log", BuiltinKind::kPure, "f:gg"},
    {"native_log2", BuiltinKind::kPure, "f:gg"},
    {"native_log10", BuiltinKind::kPure, "f:gg"},
    {"native_powr", BuiltinKind::kPure, "f:ggg"},
    {"native_recip", BuiltinKind::kPure, "f:gg"},
    {"native_rsqrt", BuiltinKind::kPure, "f:gg"},
    {"native_sin", BuiltinKind::kPure, "f:gg"},
    {"native_sqrt", BuiltinKind::kPure, "f:gg"},
    {"native_tan", BuiltinKind::kPure, "f:gg"},

    // Integers
    {"abs", BuiltinKind::kPure, "I:ug"},
    {"abs_diff", BuiltinKind::kPure, "I:ugg"},
    {"add_sat", BuiltinKind::kPure, "I:ggg"},
    {"clz", BuiltinKind::kPure, "I:gg"},
    {"hadd", BuiltinKind::kPure, "I:ggg"},
    {"mad24", BuiltinKind::kPure, "J:gggg"},
    {"mad_hi", BuiltinKind::kPure, "I:gggg"},
    {"mad_sat", BuiltinKind::kPure, "I:gggg"},
    {"mul24", BuiltinKind::kPure, "J:ggg"},
    {"mul_hi", BuiltinKind::kPure, "I:ggg"},
    {"popcount", BuiltinKind::kPure, "I:gg"},
    {"rhadd", BuiltinKind::kPure, "I:ggg"},
    {"rotate", BuiltinKind::kPure, "I:ggg"},
    {"sub_sat", BuiltinKind::kPure, "I:ggg"},
    {"upsample", BuiltinKind::kPure, "N:wgu"},

    // Common
    {"clamp", BuiltinKind::kPure, "A:gggg W:ggss X:ggss"},
    {"max", BuiltinKind::kPure, "A:ggg W:ggs X:ggs"},
    {"min", BuiltinKind::kPure, "A:ggg W:ggs X:ggs"},
    {"degrees", BuiltinKind::kPure, "F:gg"},
    {"mix", BuiltinKind::kPure, "F:gggg W:gggs"},
    {"radians", BuiltinKind::kPure, "F:gg"},
    {"sign", BuiltinKind::kPure, "F:gg"},
    {"smoothstep", BuiltinKind::kPure, "F:gggg W:gssg"},
    {"step", BuiltinKind::kPure, "F:ggg W:gsg"},

    // Geometric
    {"cross", BuiltinKind::kPure, "C:ggg"},
    {"distance", BuiltinKind::kPure, "G:sgg"},
    {"dot", BuiltinKind::kPure, "G:sgg"},
    {"length", BuiltinKind::kPure, "G:sg"},
    {"normalize", BuiltinKind::kPure, "G:gg"},
    {"fast_distance", BuiltinKind::kPure, "h:sgg"},
    {"fast_length", BuiltinKind::kPure, "h:sg"},
    {"fast_normalize", BuiltinKind::kPure, "h:gg"},

    // Relational
    {"all", BuiltinKind::kPure, "S:Ig"},
    {"any", BuiltinKind::kPure, "S:Ig"},
    {"bitselect", BuiltinKind::kPure, "A:gggg"},
    {"isequal", BuiltinKind::kPure, "F:rgg"},
    {"isfinite", BuiltinKind::kPure, "F:rg"},
    {"isgreater", BuiltinKind::kPure, "F:rgg"},
    {"isgreaterequal", BuiltinKind::kPure, "F:rgg"},
    {"isinf", BuiltinKind::kPure, "F:rg"},
    {"isless", BuiltinKind::kPure, "F:rgg"},
    {"islessequal", BuiltinKind::kPure, "F:rgg"},
    {"islessgreater", BuiltinKind::kPure, "F:rgg"},
    {"isnan", BuiltinKind::kPure, "F:rg"},
    {"isnormal", BuiltinKind::kPure, "F:rg"},
    {"isnotequal", BuiltinKind::kPure, "F:rgg"},
    {"isordered", BuiltinKind::kPure, "F:rgg"},
    {"isunordered", BuiltinKind::kPure, "F:rgg"},
    {"select", BuiltinKind::kPure, "A:gggi A:gggu"},
    {"signbit", BuiltinKind::kPure, "F:rg"},

    // Families: lanes, rounding or target are in the name. Those with a star have forms of their own in builtins_family.cpp.
    {"as_", BuiltinKind::kPure, "*"},
    {"convert_", BuiltinKind::kPure, "*"},
    {"shuffle", BuiltinKind::kPure, "*"},
    {"shuffle2", BuiltinKind::kPure, "*"},
    {"printf", BuiltinKind::kPrint, "*"},
    {"vload", BuiltinKind::kMemory, "M:gZcs"},
    {"vload_half", BuiltinKind::kMemory, "H:gZcq"},
    {"vloada_half", BuiltinKind::kMemory, "H:gZcq"},
    {"vstore", BuiltinKind::kMemory, "M:vgZPs"},
    {"vstore_half", BuiltinKind::kMemory, "D:vgZPq"},
    {"vstorea_half", BuiltinKind::kMemory, "D:vgZPq"},

    // Atomics: the names with atom_ are those of the extensions, which also have 64 bits
    {"atomic_add", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_and", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_cmpxchg", BuiltinKind::kAtomic, "j:gVggg"},
    {"atomic_dec", BuiltinKind::kAtomic, "j:gVg"},
    {"atomic_inc", BuiltinKind::kAtomic, "j:gVg"},
    {"atomic_max", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_min", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_or", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_sub", BuiltinKind::kAtomic, "j:gVgg"},
    {"atomic_xchg", BuiltinKind::kAtomic, "j:gVgg .:xVxx"},
    {"atomic_xor", BuiltinKind::kAtomic, "j:gVgg"},
    {"atom_add", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_and", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_cmpxchg", BuiltinKind::kAtomic, "K:gVggg"},
    {"atom_dec", BuiltinKind::kAtomic, "K:gVg"},
    {"atom_inc", BuiltinKind::kAtomic, "K:gVg"},
    {"atom_max", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_min", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_or", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_sub", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_xchg", BuiltinKind::kAtomic, "K:gVgg"},
    {"atom_xor", BuiltinKind::kAtomic, "K:gVgg"},
};

}  // namespace manyrt::compiler
