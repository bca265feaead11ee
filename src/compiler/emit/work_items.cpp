// The text of ids and sizes. Nothing here looks at a kernel.
#include "compiler/emit/work_items.h"

#include "compiler/builtins/builtins.h"

namespace manyrt::compiler::emit {
namespace {

// In kernels the ids are variables (mrt_b0), in helpers fields of the item (mrt_i.b0). `joins`: of a kernel whose k counts
// items.
std::string workItem(const std::string& prefix, bool joins, WorkItem which, int d, const std::string& expression) {
  auto at = [&](const std::string& form, const char* beyond) {
    auto of = [&](int dimension) {
      std::string result;
      for (char letter : form) {
        if (letter == '@')
          result += prefix;
        else if (letter == '#')
          result += std::to_string(dimension);
        else
          result += letter;
      }
      return "((unsigned long)(" + result + "))";
    };
    if (d >= 0 && d < 3) return of(d);
    if (d >= 3) return std::string(beyond);
    return "mrt_at(" + expression + ", " + of(0) + ", " + of(1) + ", " + of(2) + ", " + beyond + ")";
  };
  // In the texts, @ stands for the prefix and # for the dimension. The letters: b is the first id of the group, l the id within
  // it, w the group's number. k is the count of groups, n the size of one, z the global offset.
  const std::string p = prefix;
  const auto size = [&](const std::string& of) {
    return "(long)" + (joins ? p + "k" + of : "(" + p + "k" + of + " * " + p + "n" + of + ")");
  };
  switch (which) {
    case WorkItem::kGlobalId:
      return at("@b# + @l#", "0ul");
    case WorkItem::kLocalId:
      return at("@l#", "0ul");
    case WorkItem::kGroupId:
      return at("@w#", "0ul");
    case WorkItem::kGlobalSize:
      return at(joins ? "@k#" : "@k# * (unsigned long)@n#", "1ul");
    case WorkItem::kLocalSize:
    case WorkItem::kEnqueuedLocalSize:
      return at("@n#", "1ul");
    case WorkItem::kNumGroups:
      return at("@k#", "1ul");
    case WorkItem::kGlobalOffset:
      return at("@z#", "0ul");
    case WorkItem::kWorkDim:
      return "(" + size("2") + " > 1 ? 3u : " + size("1") + " > 1 ? 2u : 1u)";
    case WorkItem::kLocalLinearId:
      return "((unsigned long)((" + p + "l2 * " + p + "n1 + " + p + "l1) * " + p + "n0 + " + p + "l0))";
    case WorkItem::kGlobalLinearId:
      return "((unsigned long)(((" + p + "b2 - " + p + "z2 + " + p + "l2) * " + size("1") + " + " + p + "b1 - " + p + "z1 + " +
             p + "l1) * " + size("0") + " + " + p + "b0 - " + p + "z0 + " + p + "l0))";
    case WorkItem::kFirstGlobalId:
      return at("@b#", "0ul");
    case WorkItem::kNone:
      break;
  }
  return "0ul";
}

}  // namespace

const char kItemStruct[] =
    "struct mrt_item { long b0, b1, b2, l0, l1, l2, n0, n1, n2; unsigned long w0, w1, w2, k0, k1, k2;\n"
    "long z0, z1, z2; char* m; };\n";

std::string workItemText(WorkItem which, int dimension, const std::string& expression, bool in_kernel, bool joins) {
  return workItem(in_kernel ? "mrt_" : "mrt_i.", joins, which, dimension, expression);
}

// Helpers multiply k by n: for those of a kernel whose k counts items, n is 1.
const char* itemText(bool in_kernel, bool joins) {
  if (!in_kernel) return "mrt_i";
  return joins ? "mrt_item{mrt_b0, mrt_b1, mrt_b2, mrt_l0, mrt_l1, mrt_l2, 1, 1, 1, 0, 0, 0, mrt_k0, mrt_k1, mrt_k2, "
                 "mrt_z0, mrt_z1, mrt_z2, (char*)mrt_g->local_memory}"
               : "mrt_item{mrt_b0, mrt_b1, mrt_b2, mrt_l0, mrt_l1, mrt_l2, mrt_n0, mrt_n1, mrt_n2, mrt_w0, mrt_w1, "
                 "mrt_w2, mrt_k0, mrt_k1, mrt_k2, mrt_z0, mrt_z1, mrt_z2, (char*)mrt_g->local_memory}";
}

std::string firstItemText(bool in_kernel) {
  const std::string prefix = in_kernel ? "mrt_" : "mrt_i.";
  return "(" + prefix + "l0 | " + prefix + "l1 | " + prefix + "l2) == 0";
}

}  // namespace manyrt::compiler::emit
