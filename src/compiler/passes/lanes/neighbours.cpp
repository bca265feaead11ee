// A region is cut at instructions that are neither pure nor loads nor stores. In each piece, accesses with the same step and
// the same terms of their addresses are sorted by their bytes. Those that fill the step are a group, unless another access
// forbids it.
#include "compiler/passes/lanes/neighbours.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/analysis/affine_address.h"
#include "compiler/builtins/prototype.h"

namespace manyrt::compiler::passes {

using analysis::AffineAddress;
using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Type;

struct Neighbours::Access {
  const Instruction* i;
  bool is_load;
  Type type;
  AffineAddress address;
  std::optional<int64_t> stride;
  size_t stands;  // the place in the piece where it is done; a store of a group: that of the last one

  Access(const Instruction& access, const analysis::Divergence& divergence, size_t place)
      : i(&access),
        is_load(access.op == Opcode::kLoad),
        type(is_load ? access.result()->type : access.operands[0]->type),
        address(*access.operands[is_load ? 0 : 1]),
        stride(address.stride(divergence)),
        stands(place) {}
  int64_t size() const { return static_cast<int64_t>(ir::bytesOf(type.kind)) * type.components; }
  AddressSpace space() const { return i->operands[is_load ? 0 : 1]->type.space; }
};

namespace {

constexpr size_t kOfLong = 4;  // elements of a long step that are one access

bool fills(int64_t parts) { return parts == 2 || parts == 3 || parts == 4 || parts == 8; }

// Below, a vector of the elements that lanes have is chosen out of all that lie between (Cost::inPieces).
bool isLong(int64_t parts, bool loads) { return parts > (loads ? 8 : 4) && !fills(parts); }

}  // namespace

Neighbours::Neighbours(const ir::Region& region, const analysis::Divergence& divergence) : divergence_(divergence) {
  this->region(region);
}

void Neighbours::region(const ir::Region& region) {
  std::vector<Access> accesses;
  for (const Instruction* i : region.body) {
    const bool is_access = (i->op == Opcode::kLoad || i->op == Opcode::kStore) && !i->is_volatile;
    const bool is_function =
        i->op == Opcode::kBuiltin && i->signature.builtin != nullptr && i->signature.builtin->kind == BuiltinKind::kPure;
    if (is_access) {
      accesses.emplace_back(*i, divergence_, accesses.size());
    } else if (!ir::isPure(i->op) && !is_function) {
      segment(accesses);
      accesses.clear();
      for (const ir::Region* inner : i->regions) this->region(*inner);
    }
  }
  segment(accesses);
}

// Stores first: where they stand then is known when loads are moved past them.
void Neighbours::segment(std::vector<Access>& accesses) {
  if (accesses.size() < 2) return;
  find(accesses, false);
  find(accesses, true);
}

void Neighbours::find(std::vector<Access>& accesses, bool loads) {
  std::vector<size_t> order;
  for (size_t at = 0; at < accesses.size(); ++at) {
    const Access& each = accesses[at];
    const bool is_number = (each.type.isInteger() || each.type.isFloating()) && each.type.kind != Kind::kF16;
    if (each.is_load != loads || !is_number || each.type.isVector() || !each.address.isShared() || !each.stride) continue;
    const int64_t parts = *each.stride / each.size();
    if (*each.stride % each.size() == 0 && (fills(parts) || isLong(parts, loads))) order.push_back(at);
  }
  const auto isOfOne = [&](const Access& a, const Access& b) {
    return a.type == b.type && *a.stride == *b.stride && a.address.hasTermsOf(b.address);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t one, size_t other) {
    const Access &a = accesses[one], &b = accesses[other];
    if (a.type.kind != b.type.kind) return a.type.kind < b.type.kind;
    if (*a.stride != *b.stride) return *a.stride < *b.stride;
    if (!a.address.hasTermsOf(b.address)) return a.address < b.address;
    return a.address.bytes() < b.address.bytes();
  });
  for (size_t from = 0; from < order.size();) {
    const Access& first = accesses[order[from]];
    const int64_t parts = *first.stride / first.size();
    const size_t most = fills(parts) ? static_cast<size_t>(parts) : kOfLong;
    std::vector<size_t> members = {order[from]};
    size_t next = from + 1;
    for (; next < order.size() && members.size() < most && isOfOne(first, accesses[order[next]]); ++next) {
      const int64_t further = accesses[order[next]].address.bytes() - accesses[members.back()].address.bytes();
      if (further == first.size()) members.push_back(order[next]);
      if (further > first.size()) break;
    }
    if (members.size() == most) {
      group(accesses, std::move(members));
      from = next;
    } else if (!fills(parts) && members.size() >= 2) {
      members.resize(2);
      next = from;
      while (order[next] != members[1]) ++next;
      group(accesses, std::move(members));
      from = next + 1;
    } else {
      ++from;
    }
  }
}

void Neighbours::group(std::vector<Access>& accesses, std::vector<size_t> members) {
  const size_t first = *std::min_element(members.begin(), members.end());
  const size_t last = *std::max_element(members.begin(), members.end());
  const bool loads = accesses[first].is_load;
  NeighbourGroup made;
  made.step = *accesses[first].stride;
  for (const size_t at : members) {
    const Access& member = accesses[at];
    made.is_certain = made.is_certain && member.address.isCertain();
    made.members.push_back(member.i);
    for (size_t other = 0; other < accesses.size(); ++other) {
      const Access& each = accesses[other];
      // A load moves up past the stores between, a store moves down past all accesses between.
      const bool passes = loads ? !each.is_load && other < at && each.stands > first : other > at && other < last;
      const bool is_member = !loads && std::find(members.begin(), members.end(), other) != members.end();
      if (passes && !is_member && mayMeet(member, each)) return;
    }
  }
  if (loads && !made.is_certain) return;  // the addresses of later ones, which would be compared, are not known at the first
  made.first = accesses[first].i;
  made.last = accesses[last].i;
  if (!loads) {
    for (const size_t at : members) accesses[at].stands = last;
  }
  all_.push_back(std::move(made));
  for (const Instruction* each : all_.back().members) groups_[each] = &all_.back();
}

// Whether two accesses of any two items may touch the same byte. With one step, they do not where both stay within a step, each
// in its own part of it.
bool Neighbours::mayMeet(const Access& a, const Access& b) {
  if (a.space() != b.space()) return false;
  if (!a.address.isCertain() || !b.address.isCertain() || !a.stride || a.stride != b.stride) return true;
  if (*a.stride <= 0 || !a.address.hasTermsOf(b.address)) return true;
  const int64_t step = *a.stride, apart = ((b.address.bytes() - a.address.bytes()) % step + step) % step;
  return apart < a.size() || apart + b.size() > step;
}

}  // namespace manyrt::compiler::passes
