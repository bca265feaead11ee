// What the work-items of a row have in common in each expression of a region. Neighbouring items become the lanes of vectors: a
// value that is the same for all of them stays a scalar, one that grows by a constant from lane to lane is a scalar too, and
// only the rest needs a vector. Control flow that differs between the lanes is found here as well.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/lanes/tile_loads.h"
#include "compiler/unit.h"

namespace manyrt::compiler {

// The values that an integer may have, in all work-items of all launches. Of 64 bits without bounds: any.
struct Range {
  static constexpr int64_t kLeast = INT64_MIN, kMost = INT64_MAX;
  int64_t low = kLeast, high = kMost;

  bool isKnown() const { return low != kLeast && high != kMost; }
  bool fits(const Type* type) const;  // of 32 bits or fewer
  bool operator==(const Range&) const = default;
};

struct Shape {
  enum class Kind : uint8_t { kUnknown, kUniform, kLinear, kVarying };
  Kind kind = Kind::kUnknown;  // kUnknown: of a variable that nothing has been assigned to so far
  int64_t stride = 0;          // kLinear: from one lane to the next, modulo the type's range; of pointers in bytes
  bool wraps = false;          // kLinear, integers of 32 bits: perhaps between two lanes, so that they are apart in 64 bits
  Range range;                 // kLinear, integers that do not wrap

  bool isUniform() const { return kind == Kind::kUniform || kind == Kind::kUnknown; }
  bool isLinear() const { return kind == Kind::kLinear; }
  bool isVarying() const { return kind == Kind::kVarying; }
  bool operator==(const Shape&) const = default;
  static Shape uniform() { return {Kind::kUniform, 0, false, {}}; }
  static Shape linear(int64_t stride, bool wraps = false, Range range = {}) {
    return stride == 0 ? uniform() : Shape{Kind::kLinear, stride, wraps, range};
  }
  static Shape varying() { return {Kind::kVarying, 0, false, {}}; }
};

class LaneShapes {
 public:
  // `along`: the dimension whose neighbouring items are the lanes.
  explicit LaneShapes(const GroupPlan& plan, uint32_t along = 0) : plan_(plan), along_(along) {}
  uint32_t along() const { return along_; }

  // Looks at the statements of a region. False: something in them has no form in lanes yet, or lanes do not pay; `why_not` says
  // which.
  bool find(const std::vector<Stmt*>& statements, std::string* why_not);
  bool hasForm() const { return has_form_; }
  // Below which the ids of all items are where what find() says holds; 0: no launch has larger ones. Many kernels walk along
  // `in + 4 * i` with an i of 32 bits, whose products may wrap in a grid that is larger than any that they get.
  int64_t idLimit() const { return id_limit_ == kIdLimits[0] ? 0 : id_limit_; }
  static constexpr double kLoopRuns = 8;          // how often a loop is taken to run, where costs are counted
  static constexpr double kFunction = 12;         // of mathematics, of float: 20 instructions and more, as lanes and alone
  static constexpr uint32_t kMaxNodes = 100'000;  // of a region: no compiler reads as much
  // What the statements cost an item by itself, and as a lane.
  double alone() const { return alone_; }
  double together() const { return together_; }
  // The same for what is uniform, and was left out there.
  double uniformAlone() const { return uniform_alone_; }
  double uniformTogether() const { return uniform_together_; }
  bool reachesFar() const { return reaches_far_; }  // some memory at places that are not next to each other

  Shape of(const Expr& expression) const;
  Shape of(const Variable& variable) const;
  // Whether the lanes may take an `if` differently, or leave a loop at different times.
  bool diverges(const Stmt& statement) const { return diverging_.count(&statement) != 0; }
  // A variable that an assignment, ++ or -- changes, or some components of it; null: what it changes is in memory.
  const Variable* changed(const Expr& expression) const;
  // Arrays, records and what has its address taken: each lane has its own in memory.
  bool isObject(const Variable& variable) const { return objects_.count(&variable) != 0; }
  // A pointer that is never changed: where it points to is known where it is declared.
  bool isAlias(const Variable& variable) const;
  // Objects of a lane lie in one piece where their addresses are values, or where something sees them in elements of another
  // size. All others are made of vectors: what all lanes have at one place is one load.
  bool isContiguous(const Variable& object) const { return contiguous_.count(&object) != 0; }
  // Whether an index grows by the same amount from lane to lane. Unsigned ones of 32 bits do so but where they wrap between two
  // lanes: those for which that is possible are added to `wrapping`.
  bool isStepped(const Expr& index, std::vector<const Expr*>* wrapping) const;
  // Whether the lanes of an index that has no step are likely to be neighbours all the same, but for a few: a choice or a
  // remainder, or bits of an id, as in `2 * i - (i & (span - 1))`.
  bool isLikelyStepped(const Expr& index, int depth = 0) const;
  // Bytes of the widest value that needs a vector; of integers in loops alone, where there are any.
  uint32_t widest() const { return widest_; }
  // How much there is to compile: expressions, those of helpers for each call, and those of vectors for each component.
  uint32_t nodes() const { return nodes_; }
  // How many vectors of lanes should go through the loops of a region together; 1: one by one.
  uint32_t jam(const std::vector<Stmt*>& statements) const;
  // What is asked for ahead at a place in memory: the neighbours behind its lanes, or those that a group reads later.
  enum class Ahead : uint8_t { kNothing, kLanes, kGroups };
  Ahead ahead(const Expr& lvalue) const {
    const auto at = prefetched_.find(&lvalue);
    return at == prefetched_.end() ? Ahead::kNothing : at->second;
  }
  // What a loop loads for several turns at once; null: nothing.
  const TileLoop* tiles(const Stmt& loop) const;
  std::vector<const Stmt*> tiledLoops() const;  // in the order of the source
  // What neighbouring items of the other dimension load at once; null: nothing.
  const TurnTiles* itemTiles() const { return item_tiles_.loads.empty() ? nullptr : &item_tiles_; }

 private:
  friend class TileFinder;
  bool supports(const Stmt& statement);
  bool supports(const Expr& expression);
  bool supportsVariable(const Variable& variable);
  bool supportsHelper(const Function& function);
  void declare(const Variable& variable);
  void look(const Stmt& statement);
  void look(const Expr* expression);
  void enter(const Expr& call);
  void assign(const Variable& variable, Shape shape);
  void jump(StmtKind kind);
  void within(const Stmt& statement, const Stmt* inner);
  Shape binary(const Expr& expression) const;
  Shape call(const Expr& expression) const;
  Shape converted(const Expr& expression) const;
  Shape address(const Expr& lvalue) const;
  Shape moved(Shape pointer, const Expr& index, const Shape& by, int64_t bytes) const;
  Shape integer(const Type* type, int64_t stride, bool wraps, Range range) const;
  Range range(const Expr& expression, const Shape& shape) const;
  void findShapes(const std::vector<Stmt*>& statements);
  bool isOwn(const Expr& lvalue) const;
  bool isNear(const Expr& lvalue) const;
  bool supportsLeaves(const Type* type) const;
  friend class LayoutFinder;
  void findLayouts(const std::vector<Stmt*>& statements);
  Shape helperCall(const Expr& expression) const;
  void findWidth(const std::vector<Stmt*>& statements);
  void findCut(const Expr& expression);
  void findFloats(const Expr& expression);
  void cut(const Expr& expression, uint32_t bytes);
  void findSteps(const Expr& expression);
  void findTiles(const std::vector<Stmt*>& statements);
  void findPrefetched(const std::vector<Stmt*>& statements);
  void measure(const Expr& expression);
  struct Work {
    double all = 0, wide = 0;  // of lanes; of numbers of 8 bytes
    uint32_t nodes = 0;
  };
  void weigh(const Stmt* statement, double weight, Work* work) const;
  void weigh(const Expr* expression, double weight, Work* work) const;
  bool isSteppedMod32(const Expr& index) const;
  bool isSteppedPlace(const Expr& lvalue) const;
  bool isLikelyPlace(const Expr& lvalue) const;
  double readCost(const Expr& lvalue) const;
  double writeCost(const Expr& lvalue) const;
  bool isBound(const Expr& condition) const;
  void count(const Stmt* statement, double weight);
  void count(const Expr* expression, double weight);

  const GroupPlan& plan_;
  const uint32_t along_;
  std::string why_not_;
  std::map<const Variable*, Shape> variables_;
  std::set<const Variable*> objects_;
  std::set<const Variable*> pointers_;  // that the region or its helpers declare with a value
  std::set<const Variable*> moved_;     // pointers that are changed, or declared in the list of a switch
  std::set<const Variable*> contiguous_;
  // Limits of ids, in the order in which they are tried: that of all launches first.
  static constexpr int64_t kIdLimits[] = {kMaxItems, int64_t{1} << 28, int64_t{1} << 24};
  int64_t id_limit_ = kIdLimits[0];
  mutable bool limited_ = false;  // a lower limit might keep a pointer or an index of 64 bits linear
  uint64_t object_bytes_ = 0;
  std::map<const Variable*, size_t> depths_;  // how many frames are around the declaration
  std::set<const Stmt*> diverging_;
  std::vector<const Stmt*> frames_;               // statements around, from the outside in
  size_t floor_ = 0;                              // the first of them that is in the function that is looked at
  const Function* function_ = nullptr;            // a helper; null in the kernel
  std::set<const Variable*> likely_;              // parameters of helpers that get a likely step
  std::map<const Function*, Shape> results_;      // of helpers that the region calls
  std::map<const Function*, uint32_t> expanded_;  // nodes of a helper with those of all that it calls, for each call
  std::map<const Function*, bool> alike_;         // whether equal arguments give equal results, and nothing else happens
  std::set<const Expr*> cut_;                     // computed in fewer bytes than their types have, or as scalars
  std::map<const Stmt*, TileLoop> tiles_;         // of loops
  TurnTiles item_tiles_;
  std::set<const Expr*> tile_loads_;
  std::map<const Expr*, Ahead> prefetched_;  // places
  bool changed_ = false;
  uint32_t widest_ = 4;
  uint32_t nodes_ = 0;
  double alone_ = 0, together_ = 0, uniform_alone_ = 0, uniform_together_ = 0;
  bool reaches_far_ = false;
  bool masked_ = false;  // what is counted runs under a mask
  uint32_t loops_ = 0;   // around it
  bool has_form_ = false;
};

// A switch as a list: labels stand alone, each before what it leads to. False: some label is inside another statement.
bool listSwitch(const Stmt& statement, std::vector<const Stmt*>* list);

bool isPrivatePointer(const QualType& type);
bool isInteger(const Expr& expression);  // a scalar, and no bool
// What an integer was before it was made wider, if that was a type of one or two bytes; null: it was not.
const Expr* narrowOf(const Expr& expression);

// Whether the low bytes of an integer expression follow from those of its operands. What is cut to fewer bytes, as in
// `uint i = get_global_id(0) * n` or `(uchar)(a ^ b)`, needs no wider vectors then.
bool followsFromLow(const Expr& expression, uint32_t bytes);
bool cutsOperand(const Expr& expression);  // a conversion, or a += b and the like, where b is wider

bool isFunctionForLanes(const Expr& expression);  // that the library has for lanes, as a text of some length
bool isLaneType(const Type* type);                // whose elements, or which itself, a vector can have as elements

bool isShort(const Builtin& builtin);  // a few instructions

// No effects, and nothing that could fail for a lane that is off: no memory is read.
bool isSafeForAllLanes(const Expr& expression);

const Expr& behindWidening(const Expr& index);  // an integer without conversions to more bytes
bool isUnsigned32(const Expr& expression);

}  // namespace manyrt::compiler
