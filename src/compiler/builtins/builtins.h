// The functions that OpenCL C brings along, from one table of their prototypes (library/prototypes.cl), and the rules by which
// a call finds its types. The parser resolves calls here; the lowerings find in builtins/prelude.h what each becomes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parser/type.h"

namespace manyrt::compiler {

enum class BuiltinKind : uint8_t {
  kWorkItem,   // get_global_id and its like: `work_item` says which; lowerings write these themselves
  kBarrier,    // barrier, work_group_barrier; wait_group_events: every work-item of the group waits for all others
  kFence,      // mem_fence, read_mem_fence, write_mem_fence
  kGroupCopy,  // async_work_group_copy, async_work_group_strided_copy: done once for the group
  kPure,       // a value of its arguments alone: math, integer, common, geometric, relational, convert_, as_, shuffle
  kMemory,     // reads or writes through pointers: vload, vstore, fract, modf, sincos, frexp, remquo, lgamma_r, prefetch
  kAtomic,
  kPrint,
  kSubGroup  // what the work-items of a sub-group do together, and where each stands in it
};

enum class WorkItem : uint8_t {  // in the order of library/prototypes.cl
  kNone,
  kGlobalId,
  kLocalId,
  kGroupId,
  kGlobalSize,
  kLocalSize,
  kNumGroups,
  kGlobalOffset,
  kWorkDim,
  kGlobalLinearId,  // this and what follows: of later versions, harmless and often used
  kLocalLinearId,
  kEnqueuedLocalSize,  // what Builtins::find makes a kLocalSize: all work-groups of a launch have one size here
  kFirstGlobalId       // of the IR alone: the global id of the group's first item
};

struct BuiltinFunction;  // prototype.h

// The name as found. Names that differ in their components, types or, of conversions, rounding share one `name`: "vload" of
// vload4, "vstore_half_rte" of vstore_half8_rte, "convert_" of convert_float4_rte.
struct Builtin {
  std::string name;
  BuiltinKind kind = BuiltinKind::kPure;
  WorkItem work_item = WorkItem::kNone;
  const BuiltinFunction* function = nullptr;
  // Further parts of the name.
  const Type* target = nullptr;  // convert_, as_: the result
  bool saturate = false;         // convert_
  char rounding = 0;             // convert_: 'e', 'z', 'p', 'n'; 0: the default
  uint32_t components = 0;       // vload, vstore and their like
};

// One of the ways in which a function may be called.
struct BuiltinForm {
  QualType result;
  std::vector<QualType> parameters;
};

// Finds names and remembers what it found; one for each program.
class Builtins {
 public:
  explicit Builtins(TypeTable& types) : types_(types) {}
  const Builtin* find(std::string_view name);  // null: no such function
  // Whether half counts among the numbers, as it does with cl_khr_fp16.
  void takeHalves(bool take) { halves_ = take; }

  // The types of a call: result, and what each argument is converted to. False: `why` is a sentence that says what the
  // function takes and what was given.
  bool resolve(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
               const std::vector<QualType>& arguments);

  // For tests and documentation: every name there is, and every form of a function but for printf's and as_'s, which take
  // whatever they are given.
  static std::vector<std::string> names();
  std::vector<BuiltinForm> forms(const Builtin& builtin);

 private:
  TypeTable& types_;
  bool halves_ = false;
  std::deque<Builtin> found_;
  std::map<std::string, const Builtin*, std::less<>> by_name_;
};

}  // namespace manyrt::compiler
