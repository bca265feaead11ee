// PTX as far as the simulated driver reads it: its version, its target and whether its brackets match. The unit that it runs
// stands in a comment, where packPtx() has written it.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "device.h"
#include "image.h"
#include "settings.h"

namespace manyrt::simulated {
namespace {

constexpr char kUnitMark[] = "// simulated unit: ";
constexpr char kDigits[] = "0123456789abcdef";
constexpr int kTargets[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121};

struct Version {
  int major = 0, minor = 0;
};

Version newest() { return settings().version >= 13000 ? Version{9, 0} : Version{8, 8}; }

class Reader {
 public:
  Reader(const char* text, std::string* log) : text_(text), log_(log) {}

  Error run() {
    if (const Error error = version(); error != kSuccess) return error;
    if (const Error error = target(); error != kSuccess) return error;
    return brackets();
  }

 private:
  // The next word or sign after space and comments; empty at the end.
  std::string next() {
    for (;;) {
      while (isspace(static_cast<unsigned char>(*text_)) != 0) line_ += *text_++ == '\n';
      if (strncmp(text_, "//", 2) == 0) {
        text_ += strcspn(text_, "\n");
      } else if (strncmp(text_, "/*", 2) == 0) {
        const char* end = strstr(text_, "*/");
        for (end = end == nullptr ? text_ + strlen(text_) : end + 2; text_ != end;) line_ += *text_++ == '\n';
      } else {
        break;
      }
    }
    const size_t word = strspn(text_, "._%$0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const size_t length = word != 0 ? word : *text_ != 0;
    text_ += length;
    return {text_ - length, length};
  }

  Error fatal(Error code, const std::string& what) {
    *log_ = "ptxas application ptx input, line " + std::to_string(line_) + "; fatal   : " + what +
            "\nptxas fatal   : Ptx assembly aborted due to errors\n";
    return code;
  }

  Error version() {
    if (next() != ".version") return fatal(kInvalidPtx, "Missing .version directive at start of file 'application ptx input'");
    const std::string number = next();
    Version asked;
    char* end = nullptr;
    asked.major = static_cast<int>(strtol(number.c_str(), &end, 10));
    asked.minor = *end == '.' ? atoi(end + 1) : 0;
    const Version most = newest();
    if (asked.major < most.major || (asked.major == most.major && asked.minor <= most.minor)) return kSuccess;
    return fatal(kUnsupportedPtx, "Unsupported .version " + number + "; current version is '" + std::to_string(most.major) +
                                      "." + std::to_string(most.minor) + "'");
  }

  Error target() {
    const std::string word = next(), name = next();
    if (word != ".target") return fatal(kInvalidPtx, "Missing .target directive");
    const int number = name.rfind("sm_", 0) == 0 ? atoi(name.c_str() + 3) : 0;
    if (std::find(std::begin(kTargets), std::end(kTargets), number) == std::end(kTargets))
      return fatal(kInvalidPtx, "Unsupported .target '" + name + "'");
    if (number <= kArchitecture) return kSuccess;
    *log_ = "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n";
    return kInvalidPtx;
  }

  Error brackets() {
    std::string open;
    for (std::string word = next(); !word.empty(); word = next()) {
      const size_t opens = std::string("([").find(word), closes = std::string(")]}").find(word);
      // A body within a list of parameters is what a forgotten ")" leaves.
      if (word == "{" && !open.empty() && open.back() != '{') return near(word);
      if (word == "{" || opens != std::string::npos) open += word;
      if (closes == std::string::npos) continue;
      if (open.empty() || open.back() != "([{"[closes]) return near(word);
      open.pop_back();
    }
    return open.empty() ? Error{kSuccess} : near("end of file");
  }

  Error near(const std::string& word) { return fatal(kInvalidPtx, "Parsing error near '" + word + "': syntax error"); }

  const char* text_;
  std::string* const log_;
  int line_ = 1;
};

}  // namespace

std::string packPtx(const std::vector<unsigned char>& object, int architecture) {
  const Version version = newest();
  std::string text = ".version " + std::to_string(version.major) + "." + std::to_string(version.minor) + "\n.target sm_" +
                     std::to_string(architecture) + "\n.address_size 64\n" + kUnitMark;
  text.reserve(text.size() + 2 * object.size() + 1);
  for (unsigned char byte : object) text.append({kDigits[byte >> 4], kDigits[byte & 15]});
  return text + "\n";
}

Error unpackPtx(const char* text, std::vector<unsigned char>* object, std::string* log) {
  if (const Error error = Reader(text, log).run(); error != kSuccess) return error;
  const char* unit = strstr(text, kUnitMark);
  if (unit == nullptr) {
    *log = "ptxas application ptx input, line 1; fatal   : the simulated driver does not compile PTX\n";
    return kInvalidPtx;
  }
  unit += strlen(kUnitMark);
  const auto digit = [](char character) { return static_cast<int>(strchr(kDigits, character) - kDigits); };
  for (; isxdigit(static_cast<unsigned char>(unit[0])) != 0 && isxdigit(static_cast<unsigned char>(unit[1])) != 0; unit += 2)
    object->push_back(static_cast<unsigned char>(digit(unit[0]) << 4 | digit(unit[1])));
  return kSuccess;
}

}  // namespace manyrt::simulated
