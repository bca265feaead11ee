// A pass over the words of a source. It follows namespaces and braces, and looks at declarations that contain __global__,
// __launch_bounds__ or `extern thread_local` (what __shared__ has become).
#include "scan.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace manyrt::simulated {
namespace {

struct Word {
  std::string text;
  size_t begin, end;
};

class Scan {
 public:
  explicit Scan(const std::string& source) : source_(source) {}

  Scanned run() {
    split();
    for (size_t i = 0; i < words_.size(); ++i) visit(i);
    result_.text = source_;
    std::sort(cuts_.begin(), cuts_.end());
    for (size_t i = cuts_.size(); i-- > 0;) result_.text.replace(cuts_[i].begin, cuts_[i].end - cuts_[i].begin, cuts_[i].text);
    return std::move(result_);
  }

 private:
  struct Cut {
    size_t begin, end;
    std::string text;
    bool operator<(const Cut& other) const { return begin < other.begin; }
  };

  static bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  void skipLiteral(size_t& at) {
    const char quote = source_[at++];
    while (at < source_.size() && source_[at] != quote && source_[at] != '\n') at += source_[at] == '\\' ? 2 : 1;
    ++at;
  }

  void skipRaw(size_t& at) {  // at the quote of R"delimiter(
    const size_t open = source_.find('(', at);
    if (open == std::string::npos) return skipLiteral(at);
    const std::string close = ")" + source_.substr(at + 1, open - at - 1) + "\"";
    const size_t end = source_.find(close, open);
    at = end == std::string::npos ? source_.size() : end + close.size();
  }

  void split() {
    bool line_start = true;
    for (size_t at = 0; at < source_.size();) {
      const char c = source_[at];
      if (c == '\n') line_start = true;
      if (isspace(static_cast<unsigned char>(c)) != 0) {
        ++at;
      } else if (c == '#' && line_start) {
        while (at < source_.size() && source_[at] != '\n') ++at;
      } else if (c == '"' || c == '\'') {
        const size_t begin = at;
        const bool raw = c == '"' && at > 0 && source_[at - 1] == 'R';
        raw ? skipRaw(at) : skipLiteral(at);
        words_.push_back({std::string(1, c), begin, at});
        line_start = false;
      } else if (isWord(c)) {
        const size_t begin = at;
        const bool number = isdigit(static_cast<unsigned char>(c)) != 0;
        while (at < source_.size() && (isWord(source_[at]) || (number && (source_[at] == '\'' || source_[at] == '.')))) ++at;
        words_.push_back({source_.substr(begin, at - begin), begin, at});
        line_start = false;
      } else {
        words_.push_back({std::string(1, c), at, at + 1});
        ++at;
        line_start = false;
      }
    }
  }

  const std::string& at(size_t index) const {
    static const std::string kNone;
    return index < words_.size() ? words_[index].text : kNone;
  }

  // The index after the bracket that closes the one at `index`.
  size_t after(size_t index) const {
    const std::string open = at(index), close = open == "(" ? ")" : open == "[" ? "]" : open == "<" ? ">" : "}";
    int depth = 0;
    for (; index < words_.size(); ++index) {
      if (at(index) == open) ++depth;
      if (at(index) == close && --depth == 0) return index + 1;
    }
    return index;
  }

  void visit(size_t index) {
    const std::string& word = at(index);
    if (word == "{") {
      spaces_.push_back(std::exchange(pending_space_, std::string()));
      declaration_ = index + 1;
    } else if (word == "}") {
      if (!spaces_.empty()) spaces_.pop_back();
      declaration_ = index + 1;
    } else if (word == ";") {
      declaration_ = index + 1;
      pending_space_.clear();
    } else if (word == "namespace" && at(index + 1) != "{" && (declaration_ == index || at(index - 1) == "inline")) {
      for (size_t i = index + 1; at(i) != "{" && at(i) != ";" && at(i) != "=" && i < words_.size(); ++i)
        pending_space_ += at(i);
    } else if (word == "__global__") {
      cuts_.push_back({words_[index].begin, words_[index].end, "__attribute__((used, noinline))"});
      kernel(index);
    } else if (word == "__launch_bounds__" && at(index + 1) == "(") {
      cuts_.push_back({words_[index].begin, words_[after(index + 1) - 1].end, ""});
    } else if (word == "thread_local") {
      shared(index);
    } else if (word == "simulated_cuda_end_of_headers") {
      in_source_ = true;
    } else if (word == "constexpr" && in_source_) {
      relax(index);
    }
  }

  bool declared(size_t until, const char* what) const {
    for (size_t i = declaration_; i < until; ++i) {
      if (at(i) == what) return true;
    }
    return false;
  }

  // CUDA's compiler lets a constexpr function do what no constant can. This one finds out itself which inline functions are
  // (-fimplicit-constexpr), so the word is taken from functions and left with variables.
  void relax(size_t index) {
    size_t i = index + 1;
    for (; i < words_.size() && at(i) != "("; ++i) {
      if (at(i) == "=" || at(i) == ";" || at(i) == "{" || at(i) == "[") return;
      if (at(i) == "__attribute__" || at(i) == "alignas" || at(i) == "decltype") i = after(i + 1) - 1;
    }
    if (i == index + 1 || i >= words_.size()) return;  // if constexpr (...)
    cuts_.push_back({words_[index].begin, words_[index].end, declared(i, "inline") ? "" : "inline"});
  }

  void kernel(size_t index) {
    if (declared(index, "template")) return;
    std::string bounds;
    for (size_t i = declaration_; i < words_.size() && at(i) != ";" && at(i) != "{"; ++i) {
      if (at(i) == "__launch_bounds__") {
        size_t end = i + 2;
        for (int depth = 0; end < words_.size() && (depth > 0 || (at(end) != "," && at(end) != ")")); ++end) {
          if (at(end) == "(") ++depth;
          if (at(end) == ")") --depth;
        }
        bounds = source_.substr(words_[i + 2].begin, words_[end].begin - words_[i + 2].begin);
        i = after(i + 1) - 1;
      } else if (at(i) == "__attribute__" || at(i) == "alignas" || at(i) == "__declspec") {
        i = after(i + 1) - 1;
      } else if (at(i) == "(" && i > index) {
        add(at(i - 1), bounds);
        return;
      }
    }
  }

  void add(const std::string& name, const std::string& bounds) {
    std::string whole;
    for (const std::string& space : spaces_) {
      if (!space.empty()) whole += space + "::";
    }
    whole += name;
    for (Scanned::Kernel& known : result_.kernels) {
      if (known.name != whole) continue;
      if (known.bounds.empty()) known.bounds = bounds;
      return;
    }
    result_.kernels.push_back({whole, bounds});
  }

  void shared(size_t index) {
    bool is_extern = declared(index, "extern");
    size_t last = index;
    for (size_t i = index + 1; i < words_.size() && at(i) != ";" && at(i) != "="; ++i) {
      if (at(i) == "extern") is_extern = true;
      if (at(i) == "__attribute__" || at(i) == "alignas") {
        i = after(i + 1) - 1;
        continue;
      }
      if (at(i) == "[" && at(i + 1) == "]") {
        last = i - 1;
        break;
      }
    }
    if (!is_extern || last == index) return;
    auto& names = result_.dynamic_shared;
    if (std::find(names.begin(), names.end(), at(last)) == names.end()) names.push_back(at(last));
  }

  const std::string& source_;
  std::vector<Word> words_;
  std::vector<Cut> cuts_;
  std::vector<std::string> spaces_;  // of each open brace; empty for those of no namespace
  std::string pending_space_;
  bool in_source_ = false;  // after this library's headers
  size_t declaration_ = 0;  // where the present one begins
  Scanned result_;
};

}  // namespace

Scanned scan(const std::string& preprocessed) { return Scan(preprocessed).run(); }

}  // namespace manyrt::simulated
