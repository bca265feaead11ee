// The loops, switches and blocks around the statement that is being read, and how a jump leaves them for its target. A
// terminator ends or goes on with the innermost loop or switch alone. Where others stand between, the jump leaves a note in a
// slot and ends the outermost of them that it can; after that one the note is looked at, and the jump goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler::ir {

class ControlStack {
 public:
  enum class Around : uint8_t {
    kLoop,
    kSwitch,
    kSkip,    // a switch of one region, which jumps to a label after it leave
    kBlocks,  // a loop round a switch, whose regions are blocks
    kOpen     // a loop or switch that is written as blocks: where break and continue go
  };
  struct Target {
    enum class Kind : uint8_t { kBlock, kEnd, kStep } kind = Kind::kEnd;
    size_t entry = 0;
    uint32_t block = 0;  // kBlock
    bool operator==(const Target& other) const { return kind == other.kind && entry == other.entry; }
  };
  struct Entry {
    Around kind = Around::kLoop;
    uint32_t id = 0;
    Region* around = nullptr;  // where it stands, and after how many instructions; null: control does not come to it
    size_t at = 0;
    Instruction* blocks = nullptr;                 // kBlocks: the switch
    Object* next = nullptr;                        // kBlocks: the slot with the number of the block that comes next; 0: none
    const Stmt *first = nullptr, *last = nullptr;  // kBlocks: what is written so; kSkip: `last` is the label
    uint32_t at_break = 0, at_continue = 0;        // kOpen: blocks; at_continue 0: a switch
    std::vector<Target> passing;                   // jumps that end it on their way
  };

  explicit ControlStack(Writer& out) : out_(out) {}

  uint32_t newBlock() { return ++blocks_; }
  size_t size() const { return entries_.size(); }
  Entry& operator[](size_t number) { return entries_[number]; }
  size_t blocks() const;  // the innermost entry of this kind

  Entry& push(Around kind);
  // Takes off an entry that has been written, with control after it. Jumps that have ended it go on.
  void pop();

  void breakOut();
  void continueLoop();
  void jump(uint32_t block);  // of the innermost blocks
  void goTo(const Target& target);
  void go(size_t entry);  // to the block of these blocks that their slot says
  // A block begins: with what was written last, or after it.
  void begin(uint32_t block);

 private:
  bool endsBy(const Target& target, size_t loop, size_t choice, Opcode* by) const;
  uint32_t noteOf(const Target& target) const;
  Object* slotOf(const Target& target);
  void write(Object* slot, uint32_t number);
  void goOn(const Target& target);  // the slot says where

  Writer& out_;
  std::vector<Entry> entries_;
  Object* note_ = nullptr;  // which end or step a jump is on its way to
  uint32_t blocks_ = 0, ids_ = 0;
};

}  // namespace manyrt::compiler::ir
