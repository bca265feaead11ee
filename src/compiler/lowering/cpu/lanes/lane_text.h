// The statements of a region as C++ that runs as many work-items of a row at once as a vector has lanes. Uniform values and the
// first lane of linear ones are scalars, whose text is that of one item; the rest are vectors of the compiler. Where control
// differs, masks say which lanes take part.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/wide_index.h"

namespace manyrt::compiler {

class LaneText {
 public:
  LaneText(CppText& text, Prelude& prelude, const GroupPlan& plan, const LaneShapes& shapes, const Contraction& contraction,
           WideIndices& indices)
      : text_(text), prelude_(prelude), plan_(plan), shapes_(shapes), contraction_(contraction), indices_(indices) {}

  // A function body for the lanes from the work-item mrt_l0 on. `all`: none of them is off, else mrt_on says which are on.
  // `crossing`: variables that come from arrays over the items, with whether they go back.
  struct Crossing {
    const Variable* variable;
    bool loads, stores;
  };
  std::string body(const std::vector<Stmt*>& statements, const std::vector<const Variable*>& recomputed,
                   const std::vector<Crossing>& crossing, bool all, bool asks_alive);

  static const char* support();  // what the text needs, at file scope

 private:
  struct Place {  // where an lvalue is
    enum class Kind : uint8_t { kOne, kStep, kIndex } kind = Kind::kOne;
    std::string pointer;  // of the first lane, or of index 0
    std::string step;     // kStep: from lane to lane, in elements of `scale` bytes
    std::string index;    // kIndex: a vector
    std::string scale;    // bytes
    bool unit = false;    // kStep: neighbours
  };
  struct Loop {
    std::string broken, continued;  // masks; empty: no lane does that by itself
    std::string label;              // behind the body, of a plain loop
    bool masked = false;
    bool uses_label = false;
  };

  void statements(const std::vector<Stmt*>& list, size_t from);
  bool statement(const Stmt& s);  // false: no lane comes behind it
  void choose(const Stmt& s);
  void loop(const Stmt& s);
  void plainLoop(const Stmt& s);
  void declare(const Variable& variable);
  void refresh(const Stmt& s);
  bool leaves(const Stmt& s) const;

  std::string value(const Expr& e);   // a vector
  std::string scalar(const Expr& e);  // of a uniform expression, or the first lane of a linear one
  std::string varying(const Expr& e);
  std::string condition(const Expr& e);  // a mask; lanes that are off may have either value
  std::string lazily(const Expr& e);
  std::string binary(const Expr& e);
  std::string arithmetic(Op op, const Type* type, const std::string& a, const std::string& b, const Expr* right,
                         const Type* amount);
  std::string convert(const Expr& e);
  std::string chosen(const Expr& e);
  std::string call(const Expr& e);
  std::string atomic(const Expr& e);
  std::string assign(const Expr& e);
  void effect(const Expr& e);
  std::string store(const Variable& variable, const std::string& value);
  std::string load(const Place& at, const Type* type);
  void store(const Place& at, const Type* type, const std::string& value, bool uniform);
  Place place(const Expr& lvalue);
  Place pointer(const Expr& e);
  Place offset(Place base, const Expr& index, bool negative, const Type* element);
  std::string first(const Expr& index);  // of a linear or uniform index: as a long
  std::string stepOf(const Expr& index);
  bool isStepped(const Expr& index, bool sure) const;

  std::string lane(const Type* type) const { return "mrt_L::v<" + prelude_.type(type) + ">"; }
  std::string temporary(const std::string& text);
  std::string fresh(const char* stem) { return stem + std::to_string(++next_); }
  std::string mask() const { return mask_.empty() ? "mrt_L::every()" : mask_; }
  std::string with(const std::string& condition) const { return mask_.empty() ? condition : mask_ + " & " + condition; }
  void put(const std::string& text) { *out_ += text; }

  CppText& text_;
  Prelude& prelude_;
  const GroupPlan& plan_;
  const LaneShapes& shapes_;
  const Contraction& contraction_;
  WideIndices& indices_;
  std::string* out_ = nullptr;
  std::string mask_;  // of the lanes that are here; empty: all
  std::string left_;  // mask of those that have returned; empty: none can
  std::vector<Loop> loops_;
  std::map<const Variable*, std::string> kept_;  // vectors, each with the mask under which it was declared
  uint32_t next_ = 0;
};

}  // namespace manyrt::compiler
