// The regions of a kernel whose work-items are the lanes of vectors: along which dimension, the loops around whole vectors and
// the rest of a row, and what runs instead where a region has no such form. LaneShapes says whether it has, LaneText writes it.
#include "compiler/lowering/cpu/kernel.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/program.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/cpu/turn.h"

namespace manyrt::compiler {

// The same with the count of how loops run. What the lanes of two dimensions have in common is not counted twice.
bool KernelText::asVectors(const Items& work, std::string* out) {
  refusal_.clear();
  const bool made = lanes(work, out);
  noteLoop(work, made ? "" : refusal_);
  return made;
}

// Work-items of a row as the lanes of vectors. False: their statements have no such form. Where they are lanes along dimension
// 1, groups that are short in that direction have the other form.
bool KernelText::lanes(const Items& work, std::string* out) {
  if (plan_->laneDimension() == 0) return lanesAlong(0, work, out);
  std::string down, across;
  if (!lanesAlong(1, work, &down)) return lanesAlong(0, work, out);
  if (!lanesAlong(0, work, &across)) loops(work, &across, false);
  *out += "if (mrt_n1 >= MRT_BYTES / 4 || mrt_n1 >= mrt_n0) {\n" + down + "} else {\n" + across + "}\n";
  return true;
}

bool KernelText::lanesAlong(uint32_t dimension, const Items& work, std::string* out) {
  constexpr uint32_t kMaxNodes = 10000;  // nodes of expressions: two or three seconds of compilation
  LaneShapes shapes(*plan_, dimension);
  std::string why_not;
  if (shapes.find(work.statements, &why_not) && shapes.nodes() > kMaxNodes) why_not = "it is too long";
  std::string made;
  lanes_cost_more_ = shapes.hasForm() && !why_not.empty();
  if (why_not.empty()) made = asLanes(shapes, dimension, work, &why_not);
  if (remark && !work.statements.empty()) {
    const std::string which = "The work-items of \"" + kernel_.name + "\" are from here on ";
    const uint32_t along = turnedDimension(kernel_, dimension);
    remark(work.statements[0]->where,
           which + (!why_not.empty() ? "left to the compiler's vectoriser: " + why_not + "."
                    : along != 0     ? "the lanes of vectors along dimension " + std::to_string(along) + "."
                                     : "the lanes of vectors."));
    for (const Stmt* loop : shapes.tiledLoops()) {
      if (why_not.empty())
        remark(loop->where, "This loop loads several elements at once of the row that each item walks along.");
    }
    if (why_not.empty() && shapes.itemTiles() != nullptr) {
      remark(shapes.itemTiles()->loads[0].element->where,
             "Neighbouring work-items of dimension " + std::to_string(1 - dimension) + " load several elements at once here.");
    }
  }
  if (!why_not.empty()) {
    refusal_ = why_not;
    return false;
  }
  const uint32_t lanes_of_vector = options_.lanes * 4 / std::max(shapes.widest(), 1u);
  if (lanes_of_vector > made_.lanes) {
    made_.lanes = lanes_of_vector;
    made_.dimension = turnedDimension(kernel_, dimension);
  }
  if (shapes.idLimit() == 0) {
    *out += made;
    return true;
  }
  // Rare: ids so large that a pointer's distance from lane to lane is not what it seems.
  std::string within;
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    within += (d == 0 ? "" : " && ") + ("mrt_b" + n + " + mrt_n" + n + " <= ") + std::to_string(shapes.idLimit()) + "l";
  }
  std::string one_by_one;
  loops(work, &one_by_one, false);
  *out += "if (" + within + ") {\n" + made + "} else {\n" + one_by_one + "}\n";
  return true;
}

// The text of the lanes; nothing, with the reason: something in it has no form.
std::string KernelText::asLanes(LaneShapes& shapes, uint32_t dimension, const Items& work, std::string* why_not) {
  // The compiler reads the text of whole vectors and that of the rest of a row. Large regions have the second alone, with a
  // mask that is always full but for the end.
  constexpr uint32_t kMaxTwice = 600;  // nodes of expressions
  constexpr uint32_t kMaxHalf = 300;
  std::string text;
  std::string* const out = &text;
  const bool twice = shapes.nodes() <= kMaxTwice && kernelSize(kernel_) <= kMostForms;
  const Uses uses = usesOf(work);
  std::vector<const Variable*> recomputed;
  std::vector<LaneText::Crossing> crossing;
  for (const Variable* variable : plan_->variables()) {
    const bool used = uses.used.count(variable) != 0, declared = uses.declared.count(variable) != 0;
    const bool changed = uses.changed.count(variable) != 0;
    if (plan_->storage(*variable) == Storage::kRecomputed && used && !declared) recomputed.push_back(variable);
    if (plan_->storage(*variable) == Storage::kArray && (used || changed || declared)) {
      crossing.push_back({variable, used && !declared, changed});
    }
  }
  const int along = static_cast<int>(dimension);
  const std::string at = "mrt_l" + std::to_string(along), last = (work.limited ? "mrt_f" : "mrt_e") + std::to_string(along);
  LaneText lanes(text_, text_.prelude(), *plan_, shapes, text_.contraction());
  std::string functions;
  const auto one = [&](const std::string& head, bool whole, uint32_t vectors = 1) {
    functions += "const auto " + head + " __attribute__((always_inline)) {\n" +
                 lanes.body(work.statements, recomputed, crossing, whole, plan_->hasMasks(), vectors) + "};\n";
    if (why_not->empty()) *why_not = lanes.refusal();
  };
  // What reaches over rows does so for one vector of each row after the other: their lines and pages are few then.
  const bool has_rows = (idDimensions(kernel_) & ~1u) != 0;
  const bool in_tiles = (shapes.reachesFar() || shapes.itemTiles() != nullptr) && has_rows;
  const std::string head = " = [&](const long " + at + ", const long mrt_l" + std::to_string(1 - along);
  const std::string row = loopOver(1 - along, work), place = "(" + at + ", mrt_l" + std::to_string(1 - along);
  if (twice) one("mrt_f" + head + ")", true);
  one("mrt_p" + head + ", mrt_L::m mrt_on)", false);
  std::string turned;
  if (twice && in_tiles && shapes.itemTiles() != nullptr) turned = lanes.turnedItems(work.statements, recomputed, crossing);
  if (why_not->empty()) *why_not = lanes.refusal();
  if (!turned.empty()) functions += "const auto mrt_u" + head + ") __attribute__((always_inline)) {\n" + turned + "};\n";
  std::string keeps = "{\n";
  keeps += kKeepsBranches;
  const auto whole = [&](uint32_t vectors, const std::string& name) {
    const std::string by = std::to_string(vectors) + " * mrt_L::n";
    *out += "for (; " + at + " + " + by + " <= " + last + "; " + at + " += " + by + ") " + keeps + (in_tiles ? row : "") +
            name + place + ");\n}\n";
  };
  // Vectors that fill a cache line together go side by side, so that it is written once.
  const auto turns = [&] {
    const std::string other = "mrt_l" + std::to_string(1 - along), end = last.substr(0, 5) + std::to_string(1 - along);
    *out += "for (long mrt_many; " + at + " + mrt_L::n <= " + last + "; " + at + " += mrt_many * mrt_L::n) " + keeps +
            "mrt_many = " + at + " + MRT_LINE * mrt_L::n <= " + last + " ? MRT_LINE : 1;\nfor (long " + other + " = " +
            firstOf(1 - along, work) + "; " + other + " < " + end + ";) {\nconst bool mrt_turned = " + other +
            " + mrt_L::n <= " + end + ";\nconst long mrt_step = mrt_turned ? mrt_L::n : 1;\n" +
            "for (long mrt_x = 0; mrt_x < mrt_many; ++mrt_x) {\nconst long mrt_at = " + at + " + mrt_x * mrt_L::n;\n" +
            "if (mrt_turned && mrt_u(mrt_at, " + other + ")) continue;\n" +
            "for (long mrt_y = 0; mrt_y < mrt_step; ++mrt_y) mrt_f(mrt_at, " + other + " + mrt_y);\n}\n" + other +
            " += mrt_step;\n}\n}\n";
  };
  const auto rows = [&](const std::string& count, uint32_t together) {
    *out += "using mrt_L = mrt_lanes<" + count + ">;\n" + loopOver(2, work) + (in_tiles ? "" : row) + "{\n" + functions;
    *out += "long " + at + " = " + firstOf(along, work) + ";\n";
    for (uint32_t vectors = together; vectors > 1; vectors /= 2) whole(vectors, "mrt_j" + std::to_string(vectors));
    if (!turned.empty()) turns();
    if (twice && turned.empty()) whole(1, "mrt_f");
    *out += "for (; " + at + " < " + last + "; " + at + " += mrt_L::n) " + keeps + (in_tiles ? row : "") + "mrt_p" + place +
            ", mrt_L::head(" + last + " - " + at + "));\n}\n}\n";
  };
  const uint32_t together = twice && !plan_->hasMasks() ? shapes.jam(work.statements) : 1;
  const auto full = [&](const std::string& count) {
    for (uint32_t vectors = together; vectors > 1; vectors /= 2)
      one("mrt_j" + std::to_string(vectors) + head + ")", true, vectors);
    rows(count, together);
  };
  // Rows that are short, as those of groups of 8 x 8, would leave half of the lanes off: they take vectors of half the size,
  // where that is four lanes or more. Where the size of a group is known, one of both is enough.
  const std::string count = "MRT_BYTES / " + std::to_string(shapes.widest());
  // Never below four lanes, whatever processor the compiler is told of: also text that does not run has to compile.
  const auto divided = [&](uint32_t parts) {
    const std::string part = count + " / " + std::to_string(parts);
    return "(" + part + " >= 4 ? " + part + " : " + count + ")";
  };
  const uint32_t row_items = joins_ ? 0 : knownGroupSize(kernel_, options_).items[turnedDimension(kernel_, dimension)];
  if (row_items != 0) {
    uint32_t lanes_of_row = options_.lanes * 4 / shapes.widest();
    uint32_t parts = 1;
    for (; lanes_of_row > 4 && row_items <= lanes_of_row / 2; lanes_of_row /= 2) parts *= 2;
    full(parts == 1 ? count : divided(parts));
  } else if (twice && shapes.nodes() <= kMaxHalf && has_rows) {
    *out += "if (" + count + " / 2 >= 4 && " + last + " <= " + count + " / 2) {\n";
    rows(divided(2), 1);
    *out += "} else {\n";
    full(count);
    *out += "}\n";
  } else {
    full(count);
  }
  return text;
}

}  // namespace manyrt::compiler
