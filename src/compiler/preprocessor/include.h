// Finding and reading what #include names: headers in memory, then files. Each is read and lexed once, under whatever name it
// is included again.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "compiler/preprocessor/lexer.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

struct IncludedFile {
  uint32_t file = 0;
  LexedFile lexed;
  std::string folder;      // of its name, without the last "/"; empty: none
  bool in_memory = false;  // a header that the caller gave
  bool once = false;       // it has #pragma once
  bool usable = false;     // it was read and lexed without an error
};

class Files {
 public:
  Files(Sources& sources, Names& names, const PreprocessorOptions& options, Diagnostics& diagnostics)
      : sources_(sources), names_(names), options_(options), diagnostics_(diagnostics) {}

  // A text that is in the sources already. Null after an error.
  IncludedFile* add(uint32_t file);
  // Finds the file of `#include "name"` (or <name>, if `angled`) in `from`. Null after an error at `where`, which lists the
  // searched folders.
  IncludedFile* find(const std::string& name, bool angled, const IncludedFile& from, Location where);

 private:
  enum class Found : uint8_t { kYes, kNo, kError };

  IncludedFile* lex(IncludedFile& file);
  const Header* inMemory(const std::string& name) const;
  IncludedFile* useHeader(const Header& header);
  Found open(IncludedFile** out, const std::string& path, Location where);

  Sources& sources_;
  Names& names_;
  const PreprocessorOptions& options_;
  Diagnostics& diagnostics_;
  std::deque<IncludedFile> files_;
  std::map<const Header*, IncludedFile*> headers_;
  std::map<std::pair<uint64_t, uint64_t>, IncludedFile*> by_identity_;  // device and inode
  uint32_t lexemes_ = 0;
};

}  // namespace manyrt::compiler
