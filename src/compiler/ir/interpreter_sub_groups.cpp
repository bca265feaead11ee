// Sums, least and largest values go over the items in their order, as the library's do (builtins/library/subgroup.h).
#include "compiler/ir/interpreter_sub_groups.h"

#include <bit>
#include <limits>
#include <string_view>

namespace manyrt::compiler::ir {
namespace {

enum class Fold : uint8_t { kAdd, kMin, kMax };

template <typename T>
T fromBits(uint64_t bits) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<uint32_t>(bits));
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(bits);
}
template <typename T>
uint64_t toBits(T value) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<uint32_t>(value);
  if constexpr (sizeof(T) == 8) return std::bit_cast<uint64_t>(value);
}

// The identity: it changes no result.
template <typename T>
T neutral(Fold fold) {
  using Limits = std::numeric_limits<T>;
  if (fold == Fold::kAdd) return T{};
  if (fold == Fold::kMin) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// Over the members before `end`.
template <typename T>
uint64_t folded(Fold fold, const SubGroupRound& round, uint32_t end) {
  T result = neutral<T>(fold);
  for (uint32_t k = 0; k < end; ++k) {
    if ((round.members >> k & 1) == 0) continue;
    const T value = fromBits<T>(round.values[k]);
    if (fold == Fold::kAdd) result = result + value;
    if (fold == Fold::kMin) result = value < result ? value : result;
    if (fold == Fold::kMax) result = result < value ? value : result;
  }
  return toBits<T>(result);
}

bool foldedBits(uint64_t* bits, Fold fold, Type type, bool is_unsigned, const SubGroupRound& round, uint32_t end) {
  // A sum of signed numbers wraps.
  if (fold == Fold::kAdd) is_unsigned = true;
  switch (type.kind) {
    case Kind::kI32:
      *bits = is_unsigned ? folded<uint32_t>(fold, round, end) : folded<int32_t>(fold, round, end);
      return true;
    case Kind::kI64:
      *bits = is_unsigned ? folded<uint64_t>(fold, round, end) : folded<int64_t>(fold, round, end);
      return true;
    case Kind::kF32:
      *bits = folded<float>(fold, round, end);
      return true;
    case Kind::kF64:
      *bits = folded<double>(fold, round, end);
      return true;
    default:
      return false;
  }
}

uint32_t votes(const SubGroupRound& round) {
  uint32_t set = 0;
  for (uint32_t k = 0; k < kSubGroupItems; ++k) set |= (round.members >> k & (round.values[k] != 0 ? 1u : 0u)) << k;
  return set;
}

}  // namespace

bool SubGroupRound::collect(const std::vector<Item>& items, size_t first) {
  const auto word = [](const Call& call, const Value& value) { return call.words[call.layout->places[value.id]]; };
  for (uint32_t k = 0; k < kSubGroupItems && first + k < items.size(); ++k) {
    const Instruction* own = items[first + k].exchange;
    if (own == nullptr) continue;
    if (at != nullptr && at->signature.text != own->signature.text) return false;
    at = own;
    members |= 1u << k;
    const Call& call = items[first + k].calls.back();
    if (!own->operands.empty()) values[k] = word(call, *own->operands[0]);
    if (own->operands.size() > 1) indices[k] = word(call, *own->operands[1]);
  }
  return true;
}

// The words of the signature, "float sub_group_reduce_add(float)", say what is done and whether numbers have a sign.
bool SubGroupRound::give(Bits* result, uint32_t item) const {
  const std::string_view signature = at->signature.text;
  const Type type = at->operands.empty() ? Type{} : at->operands[0]->type;
  const SubGroupRound& round = *this;
  const size_t begin = signature.find(' ') + 1, end = signature.find('(');
  if (begin == 0 || end == std::string_view::npos || begin > end) return false;
  const std::string_view name = signature.substr(begin, end - begin);
  const bool is_unsigned = signature.substr(end + 1).starts_with("u");
  uint64_t& bits = (*result)[0];
  const auto index = static_cast<uint32_t>(round.indices[item]);
  const auto from = [&](uint32_t other) { bits = round.values[other % kSubGroupItems]; };
  if (name == "sub_group_barrier") return true;
  if (name == "sub_group_ballot") return bits = votes(round), true;
  if (name == "sub_group_any") return bits = votes(round) != 0 ? 1 : 0, true;
  if (name == "sub_group_all") return bits = votes(round) == round.members ? 1 : 0, true;
  if (name == "sub_group_broadcast_first") return from(static_cast<uint32_t>(std::countr_zero(round.members))), true;
  if (name == "sub_group_broadcast" || name == "sub_group_non_uniform_broadcast" || name == "sub_group_shuffle")
    return from(index), true;
  if (name == "sub_group_shuffle_xor") return from(item ^ index), true;
  if (name == "sub_group_shuffle_up") return from(item - index), true;
  if (name == "sub_group_shuffle_down") return from(item + index), true;
  const Fold fold = name.ends_with("_add") ? Fold::kAdd : name.ends_with("_min") ? Fold::kMin : Fold::kMax;
  if (fold == Fold::kMax && !name.ends_with("_max")) return false;
  const std::string_view kind = name.substr(0, name.size() - 4);
  if (kind == "sub_group_reduce") return foldedBits(&bits, fold, type, is_unsigned, round, kSubGroupItems);
  if (kind == "sub_group_scan_inclusive") return foldedBits(&bits, fold, type, is_unsigned, round, item + 1);
  if (kind == "sub_group_scan_exclusive") return foldedBits(&bits, fold, type, is_unsigned, round, item);
  return false;
}

}  // namespace manyrt::compiler::ir
