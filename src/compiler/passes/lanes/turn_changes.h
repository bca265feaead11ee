// How much values grow from turn to turn. Turns are those of a loop, or neighbouring items that are taken one after the other.
// Passes that put several turns together ask: a load whose address grows by the size of an element each turn reads along a row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// A number that has to be at most `last` in each turn, and has `change` more from turn to turn, at least 0.
struct Bound {
  ir::Value* number;
  uint64_t last;
  int64_t change;

  bool operator==(const Bound&) const = default;
};
using Bounds = std::vector<Bound>;

// Adds those that are not there yet.
void addBounds(const Bounds& more, Bounds* bounds);

class TurnChanges {
 public:
  // `differs`: false for a value that is the same in all turns. `given`: the change of a value that is not computed from
  // others, such as a parameter, an id or a loaded one; nothing: not known.
  TurnChanges(std::function<bool(const ir::Value&)> differs, std::function<std::optional<int64_t>(const ir::Value&)> given)
      : differs_(std::move(differs)), given_(std::move(given)) {}

  // How much a value grows to the next turn, in each lane; nothing: that is not known, or not the same in each turn. `bounds`
  // gets the numbers of 32 bits that must not wrap on the way; null: none may.
  std::optional<int64_t> of(const ir::Value& value, Bounds* bounds = nullptr) const;
  // Whether a condition does not hold in turns within bounds: that of indices which wrap between lanes.
  bool isBounded(const ir::Value& condition, Bounds* bounds) const;

 private:
  struct Known {
    std::optional<int64_t> change;
    Bounds bounds;
  };
  const Known& find(const ir::Value& value) const;
  Known computed(const ir::Value& value) const;

  const std::function<bool(const ir::Value&)> differs_;
  const std::function<std::optional<int64_t>(const ir::Value&)> given_;
  mutable std::unordered_map<const ir::Value*, Known> known_;
};

}  // namespace manyrt::compiler::passes
