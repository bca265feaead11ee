// The agreement between a compiled unit and the CPU backend, beside rtHostModule_t of rt.h: names of symbols, and the calls
// that run work-items on fibers. The lowering writes the same declarations as text; a test compares the two.
#pragma once

#include <cstdint>

#include "rt.h"

namespace manyrt::compiler {

// Goes up by one when a unit of one version of the library no longer suits the CPU backend of another. Units live on in images
// of modules (docs/design/images.md).
inline constexpr uint32_t kUnitForm = 1;

// The largest group, and the largest global size in a direction, that the loops of a unit are made for. The margin keeps
// `get_global_id(0)` of every item that a compiler thinks of inside 31 bits.
inline constexpr int64_t kMaxGroupItems = 4096;
inline constexpr int64_t kMaxCallItems = 65536;  // of the groups that a call joins
inline constexpr int64_t kMaxItems = 0x7fffffff - kMaxCallItems;

// The argument of a kernel of a unit; a function of the program sees the part that rt.h knows.
struct UnitGroup : rtHostGroup_t {
  uint32_t global_offset[3];  // with the items of a direction at most kMaxItems
  // The item that quick code runs, for the report of a crash: its ids 0, 1 and 2 within the group. Id 1 may go on counting over
  // the rows of a group. kNoItem: none.
  uint32_t item[3];
};
inline constexpr uint32_t kNoItem = ~uint32_t{0};

// A call of a kernel that joins groups may be for several neighbouring ones. Its rtHostGroup_t has their items as group_size,
// kJoinedGroups in `worker`, and the address of this as local_memory. Without that bit it is for one group, as any call.
inline constexpr uint32_t kJoinedGroups = 1u << 31;
struct JoinedGroups {
  uint32_t first_item[3];   // global ids, with the offset
  uint32_t global_size[3];  // items of the launch
};

inline constexpr char kModuleSymbol[] = "rtHostModule";  // const rtHostModule_t
// const unsigned char[kernel_count], what is known of the work-groups of each kernel; may be absent.
inline constexpr char kTraitsSymbol[] = "rtHostTraits";
inline constexpr unsigned char kJoinsAlong0 = 1, kJoinsAlong1 = 2;  // neighbours join, best along this dimension
inline constexpr unsigned char kSharesAtomics = 4;                  // they change global memory by atomic functions
// Lanes and transposed items are neighbours in different dimensions, so a call has at least kTurnedItems items in both. Groups
// of that many along 1 join along 0; those that have them along 0 alone join along 1.
inline constexpr unsigned char kTurnsItems = 8;
inline constexpr uint32_t kTurnedItems = 16;
// Their items go once through memory: a call has up to kMaxCallItems, so that it reads long rows, and else kMaxGroupItems.
inline constexpr unsigned char kJoinsMany = 16;
// const UnitForm[kernel_count], how the work-items of each kernel run, for profiles; may be absent. Loops over the work-items
// lie between barriers, and between the parts of the control flow that all work-items share.
inline constexpr char kFormsSymbol[] = "rtHostForms";
struct UnitForm {
  uint32_t lanes;       // work-items in the widest vector of the loops that run as vectors; 0: none does
  uint32_t dimension;   // along which these are neighbours
  uint32_t loops;       // over the work-items
  uint32_t lane_loops;  // of these, as vectors
  uint32_t barriers;    // kNoBarriers, kSplitAtBarriers, kOnFibers
  uint32_t no_lanes_code;
  const char* no_lanes;  // why the last of the other loops is none of vectors; null: there is none. no_lanes_code: RT_LANES_*
  const char* fibers;    // why it cannot be split; null: kOnFibers only
};
// const ArgumentBytes[], of all arguments of all kernels in their order: ArgumentUse; may be absent.
inline constexpr char kArgumentsSymbol[] = "rtHostArguments";
struct ArgumentBytes {
  unsigned char qualifiers, space, access;
};
inline constexpr uint32_t kNoBarriers = 0, kSplitAtBarriers = 1, kOnFibers = 2;
inline constexpr char kFibersSymbol[] = "rtHostFibers";  // const FiberCalls*, a variable that the loader sets; may be absent

// The values that the work-items of a sub-group have exchanged, and which items took part, as bits.
inline constexpr uint32_t kSubGroupItems = 16;
struct SubGroupValues {
  uint64_t values[kSubGroupItems];
  uint32_t members;
};

// For kernels that cannot be split at their barriers. Called inside a kernel, on the thread that runs the work-group.
struct FiberCalls {
  // Calls item(user, index) for each index of [0, count), each on a fiber of its own, and returns when all have ended.
  // Throws std::bad_alloc where there is no memory for their stacks.
  void (*run)(void (*item)(void* user, uint32_t index), void* user, uint32_t count);
  // Inside an item: continues when every item of the group that has not ended is waiting too.
  void (*wait)();
  // As run, for items that call the functions below. Sub-groups are neighbours in the order of the index; the last one may have
  // fewer items.
  void (*runSubGroups)(void (*item)(void* user, uint32_t index), void* user, uint32_t count);
  // Inside such an item: continues when all items of its sub-group that have not ended have given a value. The result holds
  // until the item's next exchange.
  const SubGroupValues* (*exchange)(uint64_t value);
  uint32_t (*subGroupItem)();  // of the item in its sub-group
};

}  // namespace manyrt::compiler
