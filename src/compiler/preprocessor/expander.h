// Macro replacement as C99 6.10.3 says: lexemes come from a stack of replacements that are being read again, below which lies
// the file. A macro whose replacement is on the stack is not replaced, and its name found there stays as it is for good.
// The preprocessor feeds it and takes what comes out; it knows no directive but the operator `defined`.
#pragma once

#include <memory>
#include <vector>

#include "compiler/preprocessor/macro.h"

namespace manyrt::compiler {

// The limit for one outermost use of a macro: tokens made for it, and uses within arguments of uses.
inline constexpr uint32_t kMaxExpansion = 1'000'000;
inline constexpr uint32_t kMaxExpansionDepth = 256;
// The limit for the whole program, also where no token remains in the end.
inline constexpr uint32_t kMaxExpansions = 16'000'000;

class Expander {
 public:
  // The file below the stack. `read` also carries out the directives that it meets.
  class Input {
   public:
    virtual bool read(Lexeme* out) = 0;  // false: the file ends
    virtual bool opensCall() const = 0;  // the next lexeme is "("
    virtual Location place() const = 0;  // of the lexeme read last

   protected:
    ~Input() = default;
  };

  Expander(Sources& sources, Names& names, Macros& macros, Diagnostics& diagnostics, Input& input);

  // The next lexeme that no macro replaces. False at the end of the input, and after an error that ends everything.
  bool next(Lexeme* out);
  // Where the outermost macro was used that the lexeme of the last `next` comes from. Line 0: it comes from none.
  Location origin() const { return from_macro_ ? outermost_ : Location(); }
  // A directive's line, replaced; with `condition` the operator `defined` is carried out too.
  void expandLine(std::vector<Lexeme>* out, const Lexeme* at, const Lexeme* end, bool condition);
  bool collecting() const { return collecting_ != 0; }  // the arguments of a macro are being read from the file
  bool stopped() const { return stopped_ || diagnostics_.full(); }

 private:
  struct Context {
    const Lexeme* at;
    const Lexeme* end;
    Macro* macro;                 // null: an argument or a line, which ends where it ends
    std::vector<Lexeme>* buffer;  // leased, or null: the macro's own body
    bool first;                   // nothing was read yet: the first lexeme takes the place's flags
    uint8_t flags;
  };
  struct Range {
    uint32_t begin, end;
  };
  struct Argument {
    Range raw;
    Range expanded;
    bool is_expanded;
    bool is_omitted;  // not even its comma is there
  };
  struct Call {
    std::vector<Lexeme> raw, expanded;
    std::vector<Argument> arguments;
  };

  bool read(Lexeme* out);
  void pop();
  bool opensCall();
  bool enter(Macro& macro, Lexeme* out);
  void enterObject(Macro& macro, const Lexeme& use);
  bool enterFunction(Macro& macro, const Lexeme& use);
  bool collect(Call& call, const Macro& macro, const Lexeme& use);
  bool countArguments(Call& call, const Macro& macro, const Lexeme& use);
  void noteUse(Location place);
  void expandArgument(Call& call, Argument& argument);
  void expandRange(std::vector<Lexeme>* out, const Lexeme* at, const Lexeme* end);
  void substitute(std::vector<Lexeme>& out, const Macro& macro, Call* call);
  void appendItem(std::vector<Lexeme>& out, const Lexeme& item, bool is_operand, Call* call);
  void appendString(std::vector<Lexeme>& out, const Lexeme& item, const Call& call, const Argument& argument);
  bool swallowsComma(std::vector<Lexeme>& out, const Macro& macro, size_t index, Call* call);
  void pasteAt(std::vector<Lexeme>& out, size_t right, Location operand);
  void makeDynamic(DynamicMacro dynamic, Lexeme* lexeme);
  bool readDefined(Lexeme* out);
  void push(Macro* macro, std::vector<Lexeme>* buffer, const Lexeme* at, const Lexeme* end, uint8_t flags);
  bool spend(size_t tokens);
  void setText(Lexeme* lexeme, std::string spelling, TokenKind kind);
  std::vector<Lexeme>* lease();
  void giveBack(std::vector<Lexeme>* buffer);
  std::unique_ptr<Call> leaseCall();
  void giveBack(std::unique_ptr<Call> call);

  Sources& sources_;
  Names& names_;
  Macros& macros_;
  Diagnostics& diagnostics_;
  Input& input_;
  Name* const defined_;
  std::vector<Context> contexts_;
  std::vector<std::unique_ptr<std::vector<Lexeme>>> buffers_;  // all there are
  std::vector<std::vector<Lexeme>*> free_buffers_;
  std::vector<std::unique_ptr<Call>> free_calls_;
  Location outermost_;
  uint8_t carried_ = 0;  // flags of what vanished, for the lexeme after it
  bool from_macro_ = false;
  bool in_condition_ = false;
  bool stopped_ = false;
  uint32_t collecting_ = 0;
  uint32_t depth_ = 0;
  uint32_t counter_ = 0;
  uint32_t spent_ = 0;      // of kMaxExpansion
  uint64_t spent_all_ = 0;  // of kMaxExpansions
  size_t spelled_ = 0;      // bytes of spellings that # and ## made
};

}  // namespace manyrt::compiler
