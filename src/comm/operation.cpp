// The table of the operations: their names, ranges and words. It knows no engine and no memory; checks.cpp compares its ranges
// with the memory that a program gave.
#include "comm/operation.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/checked.h"

namespace manyrt::comm {
namespace {

// How many times `count` elements a range has: nothing, once, once for each rank; at the root alone or everywhere.
enum class Extent { kNone, kOne, kAll, kOneAtRoot, kAllAtRoot };

struct Row {
  const char* name;
  Extent send;
  Extent receive;
  bool reduces;
  bool root;
};

constexpr Row kRows[] = {
    {"all-reduce", Extent::kOne, Extent::kOne, true, false},      {"reduce", Extent::kOne, Extent::kOneAtRoot, true, true},
    {"broadcast", Extent::kOneAtRoot, Extent::kOne, false, true}, {"all-gather", Extent::kOne, Extent::kAll, false, false},
    {"reduce-scatter", Extent::kAll, Extent::kOne, true, false},  {"all-to-all", Extent::kAll, Extent::kAll, false, false},
    {"gather", Extent::kOne, Extent::kAllAtRoot, false, true},    {"scatter", Extent::kAllAtRoot, Extent::kOne, false, true},
    {"barrier", Extent::kNone, Extent::kNone, false, false},      {"send", Extent::kOne, Extent::kNone, false, true},
    {"receive", Extent::kNone, Extent::kOne, false, true},        {"split", Extent::kNone, Extent::kNone, false, false},
};

const Row& row(Kind kind) { return kRows[static_cast<size_t>(kind)]; }

uint64_t times(Extent extent, bool at_root, int32_t size) {
  switch (extent) {
    case Extent::kNone:
      return 0;
    case Extent::kOne:
      return 1;
    case Extent::kAll:
      return static_cast<uint64_t>(size);
    case Extent::kOneAtRoot:
      return at_root ? 1 : 0;
    case Extent::kAllAtRoot:
      return at_root ? static_cast<uint64_t>(size) : 0;
  }
  return 0;
}

}  // namespace

bool isCollective(Kind kind) { return kind != Kind::kSend && kind != Kind::kReceive; }
bool reduces(Kind kind) { return row(kind).reduces; }
bool hasRoot(Kind kind) { return row(kind).root; }
const char* kindName(Kind kind) { return row(kind).name; }

bool rangesOf(const Operation& operation, int32_t rank, int32_t size, Ranges* ranges) {
  const Row& of = row(operation.kind);
  const bool at_root = rank == operation.root;
  uint64_t one = 0;
  // Counts are the program's: every product is checked, as a wrapped one would pass the checks of memory.
  if (mulOverflows(operation.count, sizeOf(operation.type), &one)) return false;
  if (mulOverflows(one, times(of.send, at_root, size), &ranges->send)) return false;
  if (mulOverflows(one, times(of.receive, at_root, size), &ranges->receive)) return false;
  ranges->may_coincide = ranges->send != 0 && ranges->receive != 0;
  // Parts of one rank lie in the order of the ranks.
  ranges->in_place = ranges->send == ranges->receive ? 0 : one * static_cast<uint64_t>(rank);
  return true;
}

bool matches(const Operation& a, const Operation& b) {
  if (a.kind != b.kind) return false;
  // These have no elements to compare.
  if (a.kind == Kind::kBarrier || a.kind == Kind::kSplit) return true;
  return a.type == b.type && a.count == b.count && (!reduces(a.kind) || a.reduction == b.reduction) &&
         (!hasRoot(a.kind) || a.root == b.root);
}

namespace {

// Equal where the operations match.
using Meaning = std::tuple<Kind, int32_t, uint64_t, int32_t, int32_t>;
Meaning meaningOf(const Operation& of) {
  if (of.kind == Kind::kBarrier) return {of.kind, 0, 0, 0, 0};
  return {of.kind, of.type, of.count, reduces(of.kind) ? of.reduction : 0, hasRoot(of.kind) ? of.root : 0};
}

}  // namespace

int32_t firstThatDiffers(const std::vector<const Operation*>& operations, int32_t* right) {
  *right = 0;
  const auto differs = [&](const Operation* of) { return !matches(*operations[static_cast<size_t>(*right)], *of); };
  if (std::none_of(operations.begin(), operations.end(), differs)) return -1;
  struct Group {
    size_t count = 0;
    size_t first = SIZE_MAX;
  };
  std::map<Meaning, Group> groups;
  for (size_t i = 0; i < operations.size(); ++i) {
    Group& group = groups[meaningOf(*operations[i])];
    // The lowest rank of each group, so that every rank and every run names the same one.
    group.first = std::min(group.first, i);
    ++group.count;
  }
  const auto less = [](const auto& a, const auto& b) {
    return a.second.count != b.second.count ? a.second.count < b.second.count : a.second.first > b.second.first;
  };
  // The operation of most ranks is taken for right, so that the message names the odd one. Equal groups: that of the lowest
  // rank.
  *right = static_cast<int32_t>(std::max_element(groups.begin(), groups.end(), less)->second.first);
  return static_cast<int32_t>(std::find_if(operations.begin(), operations.end(), differs) - operations.begin());
}

std::string describe(const Operation& operation) {
  std::string text = kindName(operation.kind);
  if (operation.kind == Kind::kBarrier || operation.kind == Kind::kSplit) return text;
  text += " of " + std::to_string(operation.count) + " " + typeName(operation.type);
  if (reduces(operation.kind)) text += std::string(" (") + reductionName(operation.reduction) + ")";
  if (isCollective(operation.kind) && hasRoot(operation.kind)) text += ", root " + std::to_string(operation.root);
  if (operation.kind == Kind::kSend) text += " to rank " + std::to_string(operation.root);
  if (operation.kind == Kind::kReceive) text += " from rank " + std::to_string(operation.root);
  return text;
}

}  // namespace manyrt::comm
