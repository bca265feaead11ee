// The turns of a loop that have tiles: a piece of as many turns as there are lanes, again and again, while at least that many
// are left. The loop itself stands behind them, for the rest and for rows whose index would wrap.
#include <map>
#include <utility>

#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {

void LaneText::tiledTurns(const Stmt& s, const TileLoop& loop) {
  const std::string left = scalar(*loop.left), right = scalar(*loop.right);
  const std::string is_less = spell(loop.op == Op::kNotEqual ? Op::kLess : loop.op);
  const std::map<const Variable*, std::string> kept = kept_;
  std::string text, asks;
  std::string* const all = std::exchange(out_, &text);
  for (const Variable* variable : loop.declared) declare(*variable);
  std::map<std::string, std::string> names;  // by the text of the element: of tiles
  std::string made;
  for (const TileLoad& load : loop.loads) {
    const std::string element = text_.expression(*load.element);
    if (const auto same = names.find(element); same != names.end()) {
      tiles_[load.element] = same->second;
      continue;
    }
    const Place at = place(*load.element);
    const bool steps = at.kind == Place::Kind::kStep;
    if ((!steps && at.kind != Place::Kind::kIndex) || at.likely) continue;
    const auto ask = [&](const std::string& condition) { asks += (asks.empty() ? "" : " && ") + condition; };
    if (!at.guard.empty()) ask(at.guard);
    for (const Expr* each : load.wrapping) {
      std::vector<const Expr*> wrapping;
      if (shapes_.isStepped(*each, &wrapping)) {
        ask("mrt_L::fits(" + first(*each) + ", " + stepOf(*each) + ") && mrt_L::fits(" + first(*each) + " + (mrt_L::n - 1), " +
            stepOf(*each) + ")");
      } else {
        ask("mrt_tiles<mrt_L::n>::lasts(" + value(*each) + ", " + mask() + ")");
      }
    }
    const std::string own = prelude_.type(load.element->type.type), on = mask_.empty() ? "" : ", " + mask_;
    const std::string tile = fresh("mrt_tile");
    made += "const auto " + tile + " = mrt_tiles<mrt_L::n>::" + (steps ? "far" : "at") + "((const " + own + "*)" + at.pointer +
            ", " + (steps ? "(" + at.step + ") * " + at.scale : at.index + ", " + at.scale) + on + ");\n";
    tiles_[load.element] = names[element] = tile;
  }
  const std::string turn = fresh("mrt_turn");
  for (auto& [element, tile] : tiles_) {
    if (tile.find('.') == std::string::npos) tile += ".s[" + turn + "]";
  }
  const bool any = !names.empty();
  if (any) {
    if (!asks.empty()) put("if (!(" + asks + ")) break;\n");
    put(made);
    kept_ = kept;
    put(loop.is_short ? "\n#pragma GCC unroll 16\n" : "\n#pragma GCC unroll 1\n");
    put("for (int " + turn + " = 0; " + turn + " < mrt_L::n; ++" + turn + ") {\n" + kKeepsBranches + "{\n");
    statements({s.first}, 0);
    put("}\n" + text_.expression(*s.b) + ";\n}\n");
  }
  kept_ = kept;
  for (const TileLoad& load : loop.loads) tiles_.erase(load.element);
  out_ = all;
  if (!any) return;
  const std::string turns = loop.op == Op::kLessEqual ? "mrt_L::n - 1" : "mrt_L::n";
  put("while (" + left + " " + is_less + " " + right + " && (unsigned long)(" + right + ") - (unsigned long)(" + left +
      ") >= (unsigned long)(" + turns + ")) {\n" + kKeepsBranches + text + "}\n");
}

}  // namespace manyrt::compiler
