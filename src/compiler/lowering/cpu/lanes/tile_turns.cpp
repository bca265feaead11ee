// The turns of a loop that have tiles: a piece of as many turns as there are lanes, again and again, while at least that many
// are left. The loop itself stands behind them, for the rest and for rows whose index would wrap. Items that are turns are the
// text of as many of them.
#include <map>
#include <utility>

#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {

bool LaneText::makeTiles(const TurnTiles& turns, bool of_items, const std::string& turn, std::string* asks, std::string* made) {
  for (const Variable* variable : turns.declared) declare(*variable);
  std::map<std::string, std::string> names;  // by the text of the element: of tiles
  for (const TileLoad& load : turns.loads) {
    const std::string element = text_.expression(*load.element);
    if (const auto same = names.find(element); same != names.end()) {
      tiles_[load.element] = same->second;
      continue;
    }
    const Place at = place(*load.element);
    const bool steps = at.kind == Place::Kind::kStep;
    if ((!steps && at.kind != Place::Kind::kIndex) || at.likely) continue;
    const auto ask = [&](const std::string& condition) { *asks += (asks->empty() ? "" : " && ") + condition; };
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
    const std::string there =
        "((const " + own + "*)" + at.pointer + ", " + (steps ? "(" + at.step + ") * " + at.scale : at.index + ", " + at.scale);
    if (of_items && steps && shapes_.along() == 1) *made += "mrt_tiles<mrt_L::n>::prefetch" + there + ");\n";
    *made += "const auto " + tile + " = mrt_tiles<mrt_L::n>::" + (steps ? "far" : "at") + there + on + ");\n";
    tiles_[load.element] = names[element] = tile;
  }
  for (auto& [element, tile] : tiles_) {
    if (tile.find('.') == std::string::npos) tile += ".s[" + turn + "]";
  }
  return !names.empty();
}

void LaneText::endTiles(const TurnTiles& turns) {
  for (const TileLoad& load : turns.loads) tiles_.erase(load.element);
}

std::string LaneText::forEachTurn(const TurnTiles& turns, const std::string& turn) {
  return std::string(turns.is_short ? "\n#pragma GCC unroll 16\n" : "\n#pragma GCC unroll 1\n") + "for (int " + turn +
         " = 0; " + turn + " < mrt_L::n; ++" + turn + ") {\n" + kKeepsBranches + "{\n";
}

void LaneText::tiledTurns(const Stmt& s, const TileLoop& loop) {
  const std::string left = scalar(*loop.left), right = scalar(*loop.right);
  const std::string is_less = spell(loop.op == Op::kNotEqual ? Op::kLess : loop.op);
  const std::map<const Variable*, std::string> kept = kept_;
  std::string text, asks, made;
  std::string* const all = std::exchange(out_, &text);
  const std::string turn = fresh("mrt_turn");  // a helper that the loop calls may have tiles, too
  const bool any = makeTiles(loop, false, turn, &asks, &made);
  if (any) {
    if (!asks.empty()) put("if (!(" + asks + ")) break;\n");
    put(made);
    kept_ = kept;
    put(forEachTurn(loop, turn));
    statements({s.first}, 0);
    put("}\n" + text_.expression(*s.b) + ";\n}\n");
  }
  kept_ = kept;
  endTiles(loop);
  out_ = all;
  if (!any) return;
  const std::string turns = loop.op == Op::kLessEqual ? "mrt_L::n - 1" : "mrt_L::n";
  put("while (" + left + " " + is_less + " " + right + " && (unsigned long)(" + right + ") - (unsigned long)(" + left +
      ") >= (unsigned long)(" + turns + ")) {\n" + kKeepsBranches + text + "}\n");
}

std::string LaneText::turnedItems(const std::vector<Stmt*>& list, const std::vector<const Variable*>& recomputed,
                                  const std::vector<Crossing>& crossing) {
  const TurnTiles& turns = *shapes_.itemTiles();
  const std::string at = "mrt_l" + std::to_string(1 - shapes_.along());
  std::string text, asks, made;
  start(list, &text);
  begin(1);
  for (const Variable* variable : recomputed) declare(*variable);
  const std::string turn = "mrt_turn";  // the text has no loops
  const bool any = makeTiles(turns, true, turn, &asks, &made);
  if (any) {
    put((asks.empty() ? "" : "if (!(" + asks + ")) return false;\n") + made + "const long mrt_from = " + at + ";\n" +
        forEachTurn(turns, turn) + "const long " + at + " = mrt_from + " + turn + ";\n" +
        body(list, recomputed, crossing, true, false, 1) + "}\n}\nreturn true;\n");
  }
  endTiles(turns);
  out_ = nullptr;
  return any ? text : "";
}

}  // namespace manyrt::compiler
