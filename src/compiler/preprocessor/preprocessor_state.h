// The preprocessor's inside: the files that are being read, the conditions that are open, and the directives.
//   preprocessor.cpp   the flow from files through the expander into tokens      directive.cpp   what each directive does
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/preprocessor/expander.h"
#include "compiler/preprocessor/include.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

// Counts lexemes and directives read from files, again for each inclusion. The limit ends files that include themselves
// exponentially often without yielding a token.
inline constexpr uint32_t kMaxRead = 4 * kMaxTokens;
inline constexpr uint32_t kReadPerInclude = 100;  // what one #include counts: finding a file costs as much as many tokens

class Preprocessor final : private Expander::Input {
 public:
  Preprocessor(Tokens* tokens, Sources& sources, const PreprocessorOptions& options, Diagnostics& diagnostics);
  void run(uint32_t file);

 private:
  struct Frame {
    IncludedFile* file;
    uint32_t at;        // of its lexemes
    uint32_t presumed;  // the file that #line made of it
    int64_t shift;      // presumed line minus line
    size_t conditions;  // how many were open when it was entered
  };
  struct Condition {
    Location where;
    bool taken;  // one of its groups was
    bool has_else;
  };
  struct Line {  // of a directive: what stands after its word
    const Lexeme* begin;
    const Lexeme* end;
    Location where;  // of the word
  };
  using Handler = void (Preprocessor::*)(const Line& line);
  struct Directive {
    std::string_view word;
    Handler handler;
  };
  static const Directive kDirectives[];

  // Expander::Input
  bool read(Lexeme* out) override;
  bool opensCall() const override;
  Location place() const override { return place_; }

  // preprocessor.cpp
  void enter(IncludedFile* file);
  void closeConditions();
  Location relocated(Location where) const;
  bool stopped() const { return stopped_ || expander_.stopped(); }
  bool spend();
  void emit(const Lexeme& lexeme);
  void emitToken(const Token& token);
  void emitPragma(std::string_view text, Location where, Location expanded);
  void pragmaOperator(const Lexeme& lexeme);

  // directive.cpp
  void runDirective();
  Line takeLine();
  void doDefine(const Line& line);
  void doUndef(const Line& line);
  void doInclude(const Line& line);
  void doIf(const Line& line);
  void doIfdef(const Line& line) { conditionOnName(line, true); }
  void doIfndef(const Line& line) { conditionOnName(line, false); }
  void doElif(const Line& line);
  void doElse(const Line& line);
  void doEndif(const Line& line);
  void doLine(const Line& line);
  void doError(const Line& line);
  void doWarning(const Line& line);
  void doPragma(const Line& line);
  void conditionOnName(const Line& line, bool wanted);
  bool evaluate(const Line& line);
  void open(const Line& line, bool value);
  void skipGroup();
  bool skipped(std::string_view word, const Line& line, uint32_t* nested);
  bool hasCondition(const Line& line, const char* word);
  void wantEnd(const Lexeme* at, const Line& line, const char* word);
  bool headerName(std::string* name, bool* angled, const Line& line);
  std::string spelled(const Line& line) const;

  Sources& sources_;
  Diagnostics& diagnostics_;
  Tokens& tokens_;
  Macros macros_;
  Names names_;
  Files files_;
  Expander expander_;
  Name* const pragma_operator_;
  std::vector<Frame> frames_;
  std::vector<Condition> conditions_;
  std::vector<Lexeme> moved_;  // a directive's line after #line, with its presumed places
  std::vector<Lexeme> expanded_;
  std::map<std::tuple<uint32_t, int64_t, std::string>, uint32_t> aliases_;
  Location place_;
  uint32_t read_ = 0;
  bool stopped_ = false;
};

}  // namespace manyrt::compiler
