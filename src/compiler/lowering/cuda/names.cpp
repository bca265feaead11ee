// From gcc's names to CUDA's, word by word over a whole source.
#include "compiler/lowering/cuda/names.h"

#include <algorithm>
#include <set>

namespace manyrt::compiler {
namespace {

constexpr std::string_view kPrefixes[] = {"__builtin_", "__atomic_"};

bool isWordByte(char c) {
  const char lower = static_cast<char>(c | 32);
  return c == '_' || (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

bool isForeign(std::string_view word) { return word.starts_with(kPrefixes[0]) || word.starts_with(kPrefixes[1]); }

bool isOfLibrary(std::string_view name) {
  for (const std::string_view known : kCudaLibrary) {
    if (name == known || (name.size() == known.size() + 1 && name.starts_with(known) && name.back() == 'f')) return true;
  }
  return false;
}

const CudaName* findName(std::string_view word) {
  for (const CudaName& name : kCudaNames) {
    if (word == name.host) return &name;
  }
  return nullptr;
}

// The end of the quoted text, or of a directive's line, that begins at `at`; `at` itself where there is none.
size_t afterFixed(std::string_view text, size_t at) {
  const char first = text[at];
  if (first == '#' && text.substr(at).starts_with("#line")) return std::min(text.find('\n', at), text.size());
  if (first != '"' && first != '\'') return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != first) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

}  // namespace

std::string cudaText(std::string_view text, std::vector<std::string>* unknown) {
  std::string out;
  out.reserve(text.size());
  std::string definitions;
  std::set<const CudaName*> defined;
  for (size_t at = 0; at < text.size();) {
    size_t end = afterFixed(text, at);
    if (end == at) {
      while (end < text.size() && isWordByte(text[end])) ++end;
      if (end == at) ++end;
    }
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (!isForeign(word)) {
      out += word;
      continue;
    }
    if (const CudaName* name = findName(word); name != nullptr) {
      if (name->definition != nullptr && defined.insert(name).second) definitions += name->definition;
      out += name->cuda;
    } else if (word.starts_with(kPrefixes[0]) && isOfLibrary(word.substr(kPrefixes[0].size()))) {
      out += word.substr(kPrefixes[0].size());
    } else {
      unknown->emplace_back(word);
      out += word;
    }
  }
  return definitions + out;
}

}  // namespace manyrt::compiler
