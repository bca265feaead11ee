// Making kernels, calling one for a range of work-groups, with its arguments and its local memory, and catching what it throws.
#include "backends/cpu/kernel.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <type_traits>

#include "backends/cpu/crash_report.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/fiber.h"
#include "backends/cpu/solo.h"
#include "base/checked.h"
#include "base/text.h"
#include "base/trace.h"
#include "compiler/unit.h"

namespace manyrt::cpu {
namespace {

constexpr uint64_t roundUp64(uint64_t bytes) { return (bytes + 63) & ~uint64_t{63}; }

// Pieces that a job gives out stay the caller's. A launch that one thread runs alone has a Solo instead.
struct Taken {
  bool take(uint64_t) { return true; }
};

template <class Groups>
void callGroups(const GroupRun& run, uint64_t begin, uint64_t end, uint32_t participant, void* const* args, void* local,
                Groups& groups) {
  const uint32_t* grid = run.grid;
  uint64_t index = run.first + begin;
  RunningKernel running(*run.kernel);
  compiler::UnitGroup& group = running.group;
  group.group_id[0] = group.group_id[1] = group.group_id[2] = 0;
  // Divisions are slow beside a short group, and most short launches begin at the first one.
  if (index != 0) {
    group.group_id[0] = static_cast<uint32_t>(index % grid[0]);
    group.group_id[1] = static_cast<uint32_t>(index / grid[0] % grid[1]);
    group.group_id[2] = static_cast<uint32_t>(index / grid[0] / grid[1]);
  }
  memcpy(group.group_count, grid, sizeof group.group_count);
  memcpy(group.group_size, run.group, sizeof group.group_size);
  memcpy(group.global_offset, run.offset, sizeof group.global_offset);
  group.worker = participant;
  group.local_bytes = run.local_bytes;
  group.local_memory = local;
  // Asked for each range: better code that was finished meanwhile takes over here.
  const rtHostKernelFunction_t function = bestFunction(run);
  for (; begin < end; ++begin) {
    if (!groups.take(begin)) return;
    function(&group, args);
    // Counted up and not divided anew: neighbours in memory come one after the other.
    if (++group.group_id[0] < grid[0]) [[likely]]
      continue;
    group.group_id[0] = 0;
    if (++group.group_id[1] < grid[1]) continue;
    group.group_id[1] = 0;
    ++group.group_id[2];
  }
}

// The same for a kernel that joins groups. Neighbours along its dimension are one call, and so are whole rows of them, up to
// mostJoined() items and `most` groups. Groups are counted along that dimension first. The last of a call's groups is taken,
// which takes all before it too.
template <class Groups>
void callJoined(const GroupRun& run, uint64_t begin, uint64_t end, uint64_t most, uint32_t participant, Groups& groups) {
  const uint32_t *grid = run.grid, *size = run.group;
  // The kernel's loop over items runs along one dimension, in which neighbours lie side by side in memory.
  const uint32_t along = joinsAlong(run), other = 1 - along;
  const uint64_t items = uint64_t{size[0]} * size[1] * size[2];
  // Others may still want a part of a launch that one thread runs alone, and the time of an item may be unknown.
  constexpr bool is_alone = std::is_same_v<Groups, Solo>;
  const int64_t most_items = !is_alone && run.code->joins_many ? compiler::kMaxCallItems : compiler::kMaxGroupItems;
  const uint64_t together = std::clamp<uint64_t>(static_cast<uint64_t>(most_items) / items, 1, most);
  const rtHostKernelFunction_t function = bestFunction(run);
  compiler::JoinedGroups joined;
  RunningKernel running(*run.kernel);
  compiler::UnitGroup& group = running.group;
  memcpy(group.group_count, grid, sizeof group.group_count);
  memcpy(group.group_size, size, sizeof group.group_size);
  memcpy(group.global_offset, run.offset, sizeof group.global_offset);
  for (int d = 0; d < 3; ++d) joined.global_size[d] = grid[d] * size[d];
  group.worker = participant | compiler::kJoinedGroups;
  group.local_bytes = 0;
  group.local_memory = &joined;
  while (begin < end) {
    const uint64_t index = run.first + begin;
    group.group_id[along] = static_cast<uint32_t>(index % grid[along]);
    group.group_id[other] = static_cast<uint32_t>(index / grid[along] % grid[other]);
    group.group_id[2] = static_cast<uint32_t>(index / grid[along] / grid[other]);
    for (int d = 0; d < 3; ++d) joined.first_item[d] = group.group_id[d] * size[d] + run.offset[d];
    const uint64_t left = std::min(end - begin, together);
    const uint64_t count = std::min<uint64_t>(left, grid[along] - group.group_id[along]);
    uint64_t rows = 1;
    // Only whole rows can be joined: their items are one range along both dimensions.
    if (count == grid[along]) rows = std::min<uint64_t>(left / count, grid[other] - group.group_id[other]);
    group.group_size[along] = static_cast<uint32_t>(count) * size[along];
    group.group_size[other] = static_cast<uint32_t>(rows) * size[other];
    begin += count * rows;
    // Another worker may have stolen the rest. A failed take leaves these groups to it.
    if (!groups.take(begin - 1)) return;
    function(&group, run.args);
  }
}

// Local arguments lie after the launch's local bytes and the kernel's own memory, each on its cache line.
template <class Groups>
void callWithLocals(const GroupRun& run, uint64_t begin, uint64_t end, uint32_t participant, unsigned char* arena,
                    Groups& groups) {
  const std::vector<backend::Argument>& arguments = run.kernel->arguments();
  void* args[kMaxArguments];
  void* locals[kMaxArguments];
  unsigned char* at = arena + roundUp64(run.local_bytes) + HostKernel::ownBytes(*run.code, run.group);
  for (size_t i = 0; i < arguments.size(); ++i) {
    args[i] = run.args[i];
    if (arguments[i].kind != RT_ARG_LOCAL) continue;
    uint64_t bytes;
    memcpy(&bytes, run.args[i], sizeof bytes);
    locals[i] = at;
    args[i] = &locals[i];
    at += roundUp64(bytes);
  }
  callGroups(run, begin, end, participant, args, arena, groups);
}

[[gnu::noinline]] Status noArena(const GroupRun& run) {
  // Named apart from a lack of memory: smaller work-groups help here.
  if (run.local > kMaxArenaBytes) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY,
                         "The kernel \"%s\" needs %llu bytes for a work-group of %u x %u x %u; %llu are the limit: smaller "
                         "work-groups need less.",
                         run.kernel->name(), static_cast<unsigned long long>(run.local), run.group[0], run.group[1],
                         run.group[2], static_cast<unsigned long long>(kMaxArenaBytes));
  }
  return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for %llu local bytes of the kernel \"%s\".",
                       static_cast<unsigned long long>(run.local), run.kernel->name());
}

}  // namespace

// An object may come from an image: numbers that this version does not have are not known.
static ArgumentUse useOf(const compiler::ArgumentBytes& bytes) {
  ArgumentUse use;
  use.qualifiers = bytes.qualifiers & kAllQualifiers;
  if (bytes.space <= RT_ADDRESS_SPACE_LOCAL) use.space = bytes.space;
  if (bytes.access <= RT_ACCESS_NONE) use.access = bytes.access;
  return use;
}

Status HostKernel::create(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host, uint32_t threads) {
  if (host.arg_count > kMaxArguments) {
    return Status::error(RT_ERROR_INVALID_VALUE, "A host kernel with %u arguments was asked for; %u are the limit.",
                         host.arg_count, kMaxArguments);
  }
  compiler::KernelCode code;
  code.function = host.function;
  Ref<HostKernel> fresh = Ref<HostKernel>::adopt(new HostKernel(code, threads));
  // From the first kernel on: a program without any keeps its own handlers alone.
  crash::watch();
  if (!fresh->describe(host, kMaxGroupItems)) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  return fresh->finish(kernel, RT_ERROR_INVALID_VALUE);
}

Status HostKernel::create(Ref<backend::Kernel>* kernel, const rtHostModuleKernel_t& described, uint32_t index,
                          uint32_t first_argument, Ref<compiler::Object> object, bool opencl_c, uint32_t threads) {
  const auto* traits = static_cast<const unsigned char*>(object->symbol(compiler::kTraitsSymbol));
  Ref<HostKernel> fresh = Ref<HostKernel>::adopt(new HostKernel(compiler::KernelCode::of(described, traits, index), threads));
  fresh->better_ = &object->better();
  fresh->index_ = index;
  // Better code may come at any time. bestFunction() looks for it as long as this is set.
  if (object->improvement() == compiler::Object::Improvement::kPending) fresh->unsettled_ = object.get();
  const auto* uses =
      opencl_c ? static_cast<const compiler::ArgumentBytes*>(object->symbol(compiler::kArgumentsSymbol)) : nullptr;
  if (uses != nullptr) uses += first_argument;
  fresh->object_ = std::move(object);
  fresh->arguments_.reserve(described.arg_count);
  fresh->argument_texts_.reserve(described.arg_count);
  for (uint32_t i = 0; i < described.arg_count; ++i) {
    const rtHostModuleArg_t& argument = described.args[i];
    fresh->addArgument(argument.size, argument.kind);
    fresh->argument_texts_.push_back({argument.name != nullptr ? argument.name : "",
                                      argument.type_name != nullptr ? argument.type_name : "",
                                      uses != nullptr ? useOf(uses[i]) : ArgumentUse()});
  }
  copyLetters(fresh->name_, sizeof fresh->name_, described.name);
  fresh->limitGroup(described.max_group_items, kMaxGroupItems);
  fresh->local_bytes_ = described.local_bytes;
  fresh->private_bytes_ = described.scratch_bytes_per_item;
  const uint32_t* group = described.required_group_size;
  if (opencl_c || group[0] != 0) {
    backend::LaunchRules rules;
    std::copy(group, group + 3, rules.group);
    if (opencl_c) rules.most_items = fresh->offset_end_ = compiler::kMaxItems;  // compiled loops count on it
    rules.no_local_bytes = opencl_c;
    fresh->setRules(rules);
  }
  return fresh->finish(kernel, RT_ERROR_INVALID_IMAGE);
}

const char* HostKernel::tier() const {
  if (!isCompiled()) return "host";
  return better_->load(std::memory_order_acquire) == nullptr && object_->tier() == compiler::Object::Tier::kQuick ? "quick"
                                                                                                                  : "optimized";
}

void HostKernel::describeCode(rtKernelInfo_t* info) const {
  Kernel::describeCode(info);
  if (!isCompiled()) return;
  const compiler::Object* const better = object_->betterObject();
  const compiler::Object& object = better != nullptr ? *better : *object_;
  if (object.tier() == compiler::Object::Tier::kUnknown) return;
  info->tier = object.tier() == compiler::Object::Tier::kQuick ? RT_TIER_QUICK : RT_TIER_OPTIMIZED;
  const auto* table = static_cast<const compiler::UnitForm*>(object.symbol(compiler::kFormsSymbol));
  if (table == nullptr) return;
  static constexpr int32_t kBarriers[] = {RT_BARRIERS_NONE, RT_BARRIERS_SPLIT, RT_BARRIERS_FIBERS};
  const compiler::UnitForm& form = table[index_];
  if (form.barriers < std::size(kBarriers)) info->barriers = kBarriers[form.barriers];
  info->lanes = form.lanes;
  info->lane_dimension = form.lanes != 0 ? static_cast<int32_t>(form.dimension) : -1;
  info->scalar_loops = form.loops - form.lane_loops;
  if (form.no_lanes_code <= RT_LANES_NOT_TRIED) info->no_lanes = static_cast<int32_t>(form.no_lanes_code);
}

namespace {

// The form of one kernel in the table of its unit.
const trace::KernelForm* formOf(const compiler::Object& object, uint32_t index, const char* tier) {
  trace::KernelForm form;
  form.tier = tier;
  const auto* table = static_cast<const compiler::UnitForm*>(object.symbol(compiler::kFormsSymbol));
  if (table != nullptr) {
    static constexpr const char* kBarriers[] = {"none", "split", "fibers"};
    const compiler::UnitForm& unit = table[index];
    form.barriers = unit.barriers < std::size(kBarriers) ? kBarriers[unit.barriers] : "";
    form.lanes = unit.lanes;
    form.dimension = unit.dimension;
    form.loops = unit.loops;
    form.lane_loops = unit.lane_loops;
    // Texts are kept, as a profile may be written when the object is gone.
    if (unit.no_lanes != nullptr) form.no_lanes = trace::keep(unit.no_lanes);
    if (unit.fibers != nullptr) form.fibers = trace::keep(unit.fibers);
  }
  return trace::keep(form);
}

}  // namespace

// As in kept() of Kernel: every thread that finds none keeps the same row, and the release publishes it.
const trace::Row* HostKernel::row() const {
  const bool is_better = better_->load(std::memory_order_acquire) != nullptr;
  std::atomic<const trace::Row*>& place = is_better ? better_row_ : row_;
  const trace::Row* known = place.load(std::memory_order_acquire);
  if (known == nullptr) {
    const trace::KernelForm* const form =
        isCompiled() ? formOf(is_better ? *object_->betterObject() : *object_, index_, tier()) : nullptr;
    known = trace::keep(trace::Row{.device = "cpu", .name = tracedName(), .module = tracedModule(), .form = form});
    place.store(known, std::memory_order_release);
  }
  return known;
}

Status HostKernel::finish(Ref<backend::Kernel>* kernel, rtStatus_t refusal) {
  // A command lies in the ring in one piece, with its arguments after it.
  constexpr uint32_t kMaxBytes = (Ring::kMaxSlots - 1) * kSlotBytes;
  if (argumentBytes() > kMaxBytes) {
    return Status::error(refusal, "The arguments of the kernel \"%s\" take %u bytes; %u are the limit.", name(),
                         argumentBytes(), kMaxBytes);
  }
  *kernel = Ref<backend::Kernel>(this);
  return Status();
}

bool HostKernel::localBytes(const unsigned char* values, uint32_t local_bytes, uint64_t* bytes) const {
  // Clamped before the sum, which could wrap otherwise.
  const uint64_t given = argumentLocalBytes(values, local_bytes);
  *bytes = std::min(given, kMaxLocalBytes + 1) + roundUp64(local_bytes_);
  return *bytes <= kMaxLocalBytes;
}

uint64_t HostKernel::argumentLocalBytes(const unsigned char* values, uint32_t local_bytes) const {
  uint64_t bytes = roundUp64(local_bytes);
  for (const backend::Argument& argument : arguments_) {
    if (argument.kind != RT_ARG_LOCAL) continue;
    uint64_t size;
    memcpy(&size, values + argument.offset, sizeof size);
    // So no sum below can wrap: the number of arguments is limited, too.
    if (size > kMaxLocalBytes) return UINT64_MAX;
    bytes += roundUp64(size);
  }
  return bytes;
}

uint64_t HostKernel::ownBytes(const compiler::KernelCode& code, const uint32_t group[3]) {
  const uint64_t items = uint64_t{group[0]} * group[1] * group[2];
  uint64_t bytes;
  // The numbers come from a module that another compiler may have made.
  const bool overflows = mulOverflows(code.scratch_bytes_per_item, items, &bytes) ||
                         addOverflows(bytes, code.scratch_bytes, &bytes) || roundUpOverflows(bytes, 64, &bytes) ||
                         addOverflows(bytes, roundUp64(code.local_bytes), &bytes);
  return overflows ? UINT64_MAX : bytes;
}

Status kernelThrew(const backend::Kernel& kernel) {
  try {
    throw;
  } catch (const std::exception& exception) {
    return Status::error(RT_ERROR_LAUNCH_FAILED, "The kernel \"%s\" threw an exception: %s.", kernel.name(), exception.what());
  } catch (...) {
    return Status::error(RT_ERROR_LAUNCH_FAILED, "The kernel \"%s\" threw an exception.", kernel.name());
  }
}

#if defined(MANYRT_BUILT_FOR_THREAD)

namespace {

struct ApartGroups {
  GroupRun* run;
  uint64_t begin, end;
  uint32_t participant;
  Arena* arenas[kApart];  // one each: their memory is not handed on from group to group
};

void runApartGroups(void* user, uint32_t index) {
  const ApartGroups& all = *static_cast<ApartGroups*>(user);
  Taken each;
  for (uint64_t at = all.begin + index; at < all.end; at += kApart) {
    if (all.run->local == 0) {
      callGroups(*all.run, at, at + 1, all.participant, all.run->args, nullptr, each);
    } else {
      callWithLocals(*all.run, at, at + 1, all.participant, all.arenas[index]->bytes(), each);
    }
  }
}

void runGroupsApart(GroupRun& run, uint64_t begin, uint64_t end, uint32_t participant) {
  ApartGroups all{&run, begin, end, participant, {}};
  const uint32_t count = static_cast<uint32_t>(std::min<uint64_t>(end - begin, kApart));
  bool enough = run.local <= kMaxArenaBytes;
  for (uint32_t i = 0; i < count && run.local != 0 && enough; ++i) {
    all.arenas[i] = run.engine->takeArena(run.local);
    enough = all.arenas[i] != nullptr;
  }
  if (enough) {
    try {
      fibers::runApart(runApartGroups, &all, count);
    } catch (...) {
      run.latch->set(kernelThrew(*run.kernel));
    }
  } else {
    run.latch->set(noArena(run));
  }
  for (Arena* arena : all.arenas) {
    if (arena != nullptr) run.engine->giveArena(arena);
  }
}

}  // namespace

#else

static void runGroupsApart(GroupRun&, uint64_t, uint64_t, uint32_t) {}

#endif

template <class Groups>
static inline void runGroups(GroupRun& run, uint64_t begin, uint64_t end, uint64_t most, uint32_t participant, Groups& groups) {
  const QuickTime time(*run.kernel, run.group);
  Arena* arena = nullptr;
  try {
    if (run.local == 0) {
      // The first group alone, as of most short launches, has the same place in either order.
      if (!kGroupsApart && joins(run) && run.first + end > 1) return callJoined(run, begin, end, most, participant, groups);
      callGroups(run, begin, end, participant, run.args, nullptr, groups);
      return;
    }
    if (run.local <= kMaxArenaBytes) arena = run.engine->takeArena(run.local);
    // A launch is no place to return an error: the stream latches it.
    if (arena == nullptr) {
      run.latch->set(noArena(run));
      return;
    }
    callWithLocals(run, begin, end, participant, arena->bytes(), groups);
  } catch (...) {  // of the program's kernel, on a thread of the library
    run.latch->set(kernelThrew(*run.kernel));
  }
  if (arena != nullptr) run.engine->giveArena(arena);
}

[[gnu::hot]] void runGroups(void* user, uint64_t begin, uint64_t end, uint32_t participant) {
  GroupRun& run = *static_cast<GroupRun*>(user);
  if (kGroupsApart && run.kernel->isCompiled() && end - begin > 1) return runGroupsApart(run, begin, end, participant);
  Taken all;
  runGroups(run, begin, end, end - begin, participant, all);
}

[[gnu::hot]] void runGroupsAlone(GroupRun& run, uint64_t begin, uint64_t end, Solo* solo) {
  if (solo == nullptr) return runGroups(&run, begin, end, 0);
  runGroups(run, begin, end, (end - begin + 3) / 4, 0, *solo);  // what is taken cannot be taken away
}

}  // namespace manyrt::cpu
