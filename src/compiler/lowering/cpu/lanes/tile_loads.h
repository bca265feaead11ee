// Loops in which each lane walks along a row of its own: `for (j = 0; j < n; ++j) sum += a[row * n + j]`. From lane to lane the
// addresses are a row apart, but along the loop they are next to each other. So the elements of as many turns as there are
// lanes are loaded at once, row by row, and turned in registers (library/lanes/tile.h). Each item still adds in its own order.
//
// The items themselves are such turns too, along the dimension that the lanes do not go along: `b[x * n + y] = a[y * n + x]`
// with lanes along y reads neighbours from x to x.
#pragma once

#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

struct TileLoad {
  const Expr* element = nullptr;  // of a row: an lvalue in memory
  // What is computed in 32 unsigned bits on the way from the counter to the address. Where one of them wraps there is no row.
  std::vector<const Expr*> wrapping;
};

struct TurnTiles {
  std::vector<TileLoad> loads;
  std::vector<const Variable*> declared;  // in the turns, in order, which the addresses are made of
  bool is_short = false;                  // a turn may be written out for each of them
};

struct TileLoop : TurnTiles {
  const Expr *left = nullptr, *right = nullptr;  // the counter, perhaps converted, and its bound
  Op op = Op::kNone;                             // kLess, kLessEqual or kNotEqual, between the two
};

}  // namespace manyrt::compiler
