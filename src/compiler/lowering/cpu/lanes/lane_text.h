// The statements of a region as C++ that runs as many work-items of a row at once as a vector has lanes. Uniform values and the
// first lane of linear ones are scalars, whose text is that of one item; the rest are vectors of the compiler. Where control
// differs, masks say which lanes take part.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/builtins/lane_call.h"
#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"

namespace manyrt::compiler {

class LaneText {
 public:
  LaneText(CppText& text, Prelude& prelude, const GroupPlan& plan, const LaneShapes& shapes, const Contraction& contraction)
      : text_(text), prelude_(prelude), plan_(plan), shapes_(shapes), contraction_(contraction) {}

  using Parts = std::vector<std::string>;  // a text for each component of a vector

  // A function body for the lanes from the work-item mrt_l0 on. `all`: none of them is off, else mrt_on says which are on.
  // `vectors`: how many the text is for (LaneShapes::jam), the first of them from mrt_l0 on; more than one only for `all`.
  // `crossing`: variables that come from arrays over the items, with whether they go back.
  struct Crossing {
    const Variable* variable;
    bool loads, stores;
  };
  std::string body(const std::vector<Stmt*>& statements, const std::vector<const Variable*>& recomputed,
                   const std::vector<Crossing>& crossing, bool all, bool asks_alive, uint32_t vectors = 1);
  // As many neighbours of the other dimension as there are lanes, with what LaneShapes::itemTiles() says loaded at once. The
  // text of a function that returns false, and has done nothing, where an index would wrap. Empty: nothing can be loaded so.
  std::string turnedItems(const std::vector<Stmt*>& statements, const std::vector<const Variable*>& recomputed,
                          const std::vector<Crossing>& crossing);
  // Why a text must not be used: it has something for which there is no form. Empty: it has not.
  const std::string& refusal() const { return refusal_; }

 private:
  std::string refuse(const std::string& why);
  bool isScalar(const Expr& e) const;
  bool hasFirstLane(const Expr& e) const;
  void start(const std::vector<Stmt*>& statements, std::string* out);
  struct Place {  // where an lvalue is
    // kOwn: in an object that each lane has for itself. What is at offset x of an item is there at x times as many bytes as
    // there are lanes, for one lane after the other.
    enum class Kind : uint8_t { kOne, kStep, kIndex, kOwn } kind = Kind::kOne;
    std::string pointer;  // of the first lane, or of index 0; kOwn: the object
    std::string step;   // kStep: from lane to lane, in elements of `scale` bytes; kOwn: the offset, or what all lanes add to it
    std::string index;  // kIndex: a vector; kOwn: offsets of the lanes, or empty; kStep: from `pointer`, where the guard fails
    std::string guard;  // kStep: whether no index wraps between two lanes; empty: none can
    std::string scale;  // bytes
    std::string ahead;  // kStep, where the guard holds: bytes that this vector is behind `pointer`, the place of the first one
    int64_t apart = 0;  // kStep: step * scale, where that is a constant; 0: it is none
    bool likely = false;  // kIndex: often neighbours
    bool whole = false;   // kOwn: lanes that are off may be written

    bool isNear(uint64_t bytes) const { return kind == Kind::kStep && apart == static_cast<int64_t>(bytes); }
  };
  struct Loop {
    std::string broken, continued;  // masks; empty: no lane does that by itself
    std::string label;              // behind the body, of a plain loop
    bool masked = false;
    std::string inside;             // masked: lanes that leave this mask never come back; empty: some may
    std::set<const Variable*> own;  // what nothing but this loop reads
    bool is_switch = false;         // then of the loop around, but for `broken`
    bool uses_label = false;
  };

  void statements(const std::vector<Stmt*>& list, size_t from);
  bool statement(const Stmt& s);  // false: no lane comes behind it
  void choose(const Stmt& s);
  struct Agreement {  // texts, scalars, that say enough for all lanes, or for none; empty: nothing does
    std::string all, none;
  };
  Agreement agreement(const Expr& condition);
  bool isWrittenTwice(const Stmt& choice) const;
  void loop(const Stmt& s);
  void plainLoop(const Stmt& s);
  void tiledTurns(const Stmt& s, const TileLoop& loop);
  // `turn`: the name of the turn that is run. False: none can be made.
  bool makeTiles(const TurnTiles& turns, bool of_items, const std::string& turn, std::string* asks, std::string* made);
  void endTiles(const TurnTiles& turns);
  static std::string forEachTurn(const TurnTiles& turns, const std::string& turn);
  void select(const Stmt& s);
  struct Part;
  bool isApart(const std::vector<const Stmt*>& list, std::vector<Part>* parts) const;
  void selectApart(const Stmt& statement, const std::vector<Part>& parts);
  static std::string caseMask(const Stmt& label, const std::string& selected, const std::string& type);
  void declare(const Variable& variable);
  void declareOwn(const Variable& variable);
  void declareObject(const Variable& variable);
  void declareEmpty(const Variable& variable);
  void begin(const Variable& variable);
  void chooseEffect(const Expr& choice);
  void clear(const Variable& variable);
  void declareParts(const Variable& variable, const Parts& values);
  Parts partNames(const Variable& variable) const;
  std::string componentName(const Expr& e) const;
  Place crossingPlace(const Variable& variable);
  void refresh(const Stmt& s);
  void begin(uint32_t vectors);
  static std::string ownName(const std::string& name, uint32_t vector);
  std::string renamed(const std::string& text, uint32_t vector) const;
  void forEachVector(const std::function<void()>& write);  // a statement whose value is not the same for all items
  bool isForAll(const Expr& effect) const;
  bool leaves(const Stmt& s) const;
  bool isCheap(const Stmt& s, uint32_t* nodes) const;
  bool isSafeBehind(const Expr& e, const Expr& before);

  // Of a vector type: a vector of lanes for each component. Names, or texts without effects. Of a scalar: one.
  Parts parts(const Expr& e);
  Parts uniformParts(const Type* type, const std::string& value);
  Parts binaryParts(const Expr& e);
  Parts conditionalParts(const Expr& e);
  Parts convertedParts(const Expr& e);
  Parts literalParts(const Expr& e);
  Parts callParts(const Expr& e);
  Parts assignParts(const Expr& e);
  Parts loadParts(const Place& at, const Type* type);
  void storeParts(const Place& at, const Type* vector, const Parts& values);
  Parts inlined(const Expr& e);  // a call of a helper; of a scalar: one part; of void: none

  std::string value(const Expr& e);   // a vector
  std::string scalar(const Expr& e);  // of a uniform expression, or the first lane of a linear one
  std::string varying(const Expr& e);
  std::string condition(const Expr& e);  // a mask; lanes that are off may have either value
  std::string test(const Expr& e);
  std::string compared(const Expr& e);
  bool isChoice(const Expr& e) const;
  std::string comparedLine(const Expr& e);
  std::string lazily(const Expr& e);
  std::string binary(const Expr& e);
  std::string arithmetic(Op op, const Type* type, const std::string& a, const std::string& b, const Expr* right,
                         const Type* amount);
  std::string convert(const Expr& e);
  std::string inFloat(const Expr& e);
  std::string low(const Expr& e, uint32_t bytes);
  std::string chosen(const Expr& e);
  std::string call(const Expr& e);
  std::string workItem(const Expr& e);
  std::string atomic(const Expr& e);
  std::string assign(const Expr& e);
  void effect(const Expr& e);
  std::string store(const Variable& variable, const std::string& name, const std::string& value);
  std::string load(const Place& at, const Type* type);
  void store(const Place& at, const Type* type, const std::string& value, bool uniform);
  Place place(const Expr& lvalue);
  Place prefetched(const Place& at, const Expr& lvalue);  // asks for the neighbours behind its lanes, where that pays
  Place pointer(const Expr& e);
  Place pointed(const Expr& e);  // of a pointer that is a value
  bool isDerived(const Expr& pointer) const;
  std::string address(const Place& at);  // of each lane: a vector
  std::string sum(const Type* pointer, const std::string& from, const std::string& elements, bool negative);
  std::string distance(const Expr& difference);
  Place offset(Place base, const Expr& index, bool negative, uint64_t bytes);
  Place apart(Place base, const std::string& index, bool negative, uint64_t bytes);
  Place object(const Variable& variable);
  Place fixed(Place at);  // with nothing left that an assignment could change
  Place recordPlace(const Expr& e);
  void copy(const Place& to, const Place& from, const Type* type);
  void initialize(const Place& to, const Type* type, const Expr& e);
  Place member(Place at, const Record& record, uint32_t field);
  Place element(Place at, const Type* array, uint64_t index);
  Place component(Place at, const Type* vector, uint32_t number);
  Place wholes(const Expr& pointer, const Expr& index, uint32_t count);  // of vload and vstore
  std::string first(const Expr& index);                                  // of a linear or uniform index: as a long
  std::string stepOf(const Expr& index);

  // A lane of a pointer is its address.
  std::string number(const Type* type) const { return type->isPointer() ? "unsigned long" : prelude_.type(type); }
  std::string lane(const Type* type) const { return "mrt_L::v<" + number(type) + ">"; }
  // The scalar of a uniform expression, or of the first lane, as such a number; with effects, which then have happened.
  std::string one(const Expr& e);
  std::string temporary(const std::string& text);
  // Not of the letters with which the kernel's own names begin, such as mrt_k2: b e f k l n o w z.
  std::string fresh(const char* stem) { return stem + std::to_string(++next_); }
  std::string mask() const { return mask_.empty() ? "mrt_L::every()" : mask_; }
  std::string with(const std::string& condition) const { return mask_.empty() ? condition : mask_ + " & " + condition; }
  void put(const std::string& text) { *out_ += text; }
  bool isWhole(const Variable& variable) const {  // all lanes that have it, or will read it again, are here
    const auto at = kept_.find(&variable);
    if (mask_.empty() || (at != kept_.end() && at->second == mask_)) return true;
    return !loops_.empty() && loops_.back().inside == mask_ && loops_.back().own.count(&variable) != 0;
  }
  std::set<const Variable*> readOnlyIn(const Stmt& loop) const;

  CppText& text_;
  Prelude& prelude_;
  const GroupPlan& plan_;
  const LaneShapes& shapes_;
  const Contraction& contraction_;
  std::string* out_ = nullptr;
  std::string mask_;  // of the lanes that are here; empty: all
  std::string left_;  // mask of those that have returned; empty: none can
  std::vector<Loop> loops_;
  std::map<const Expr*, std::string> tiles_;     // loads of the loop around, by the vectors that have them already
  const Parts* result_ = nullptr;                // what the helper around gives back; null: in the kernel
  std::map<const Variable*, Place> aliases_;     // pointers, by where they point to
  std::map<const Variable*, std::string> kept_;  // vectors, each with the mask under which it was declared
  std::map<const Variable*, size_t> depths_;     // how many loops were around the declaration
  std::vector<Stmt*> scope_;                     // the statements of the region, or of the helper around
  struct OfVector {
    std::map<const Variable*, Place> aliases;
    std::map<const Variable*, std::string> kept;
  };
  struct Shared {  // a guard of all vectors, with where the first lane of all is
    std::string guard, pointer, first;
  };
  Place guarded(Place base, const Expr& index, bool negative, const std::vector<const Expr*>& wrapping);
  static std::string ahead(const Place& at);
  std::vector<OfVector> vectors_;    // what each of several vectors knows besides; empty: there is one
  std::set<std::string> own_names_;  // of variables that each vector has for itself
  bool in_vector_ = false;           // the text is that of one of them:
  uint32_t vector_ = 0;
  std::vector<Shared> shared_;  // of the statement
  size_t next_shared_ = 0;
  uint32_t next_ = 0;
  std::string refusal_;
};

}  // namespace manyrt::compiler
