// Joining a failed build's sentence and its log, unless the first has the second already.
#include "compiler/pipeline/failure.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "compiler/emit/unit_table.h"

namespace manyrt::compiler {
namespace {

struct SourceLine {
  std::string file;
  size_t line = 0;
};

bool readNumber(size_t* number, std::string_view text, size_t begin, size_t end) {
  const auto read = std::from_chars(text.data() + begin, text.data() + end, *number);
  return begin < end && read.ec == std::errc() && read.ptr == text.data() + end;
}

// "file:line:column: error:", as gcc and clang say it, "file:line: error:", or NVRTC's "file(line): error". These are no errors
// of the text: fatal errors come from files and memory, internal errors from the compiler itself. Errors of an assembler or
// linker name no line.
bool readError(SourceLine* at, std::string_view line) {
  const size_t error = line.find(": error");
  if (error == line.npos) return false;
  if (error > 0 && line[error - 1] == ')') {
    const size_t open = line.rfind('(', error);
    if (open == line.npos || !readNumber(&at->line, line, open + 1, error - 1)) return false;
    at->file = line.substr(0, open);
    return true;
  }
  size_t end = error, colon = line.rfind(':', error - 1), column = 0;
  if (error == 0 || colon == line.npos || !readNumber(&at->line, line, colon + 1, end)) return false;
  end = colon;
  const size_t before = colon == 0 ? line.npos : line.rfind(':', colon - 1);
  if (before != line.npos && readNumber(&column, line, before + 1, colon)) {  // that was the column
    at->line = column;
    end = before;
  }
  at->file = line.substr(0, end);
  return true;
}

// The place of the function that a line of unitN.cpp belongs to. Other files are the user's, as #line says. Empty where there
// is none.
std::string placeOf(const SourceLine& error, const std::vector<std::string>& texts) {
  constexpr std::string_view kBegin = "unit", kEnd = ".cpp";
  size_t unit = 0;
  const std::string& file = error.file;
  if (!file.starts_with(kBegin) || !file.ends_with(kEnd) ||
      !readNumber(&unit, file, kBegin.size(), file.size() - kEnd.size()) || unit >= texts.size()) {
    return file + ":" + std::to_string(error.line);
  }
  const std::string& text = texts[unit];
  size_t at = 0;
  for (size_t line = 1; line < error.line && at != text.npos; ++line) {
    at = text.find('\n', at);
    if (at != text.npos) ++at;
  }
  const size_t comment = text.rfind(kPlaceComment, at);
  if (comment == text.npos) return "";
  const size_t begin = comment + strlen(kPlaceComment);
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

Status orDefect(Status status, const char* name, std::string_view said, const std::vector<std::string>& texts) {
  if (status.code() != RT_ERROR_BUILD_FAILED) return status;
  SourceLine error;
  bool found = false;
  for (std::string_view rest = said; !found && !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    found = readError(&error, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!found) return status;
  const std::string where = placeOf(error, texts);
  return Status::error(RT_ERROR_INTERNAL,
                       "\"%s\" is right, and the compiler refuses what was made of it%s%s: a defect of manyrt, which should be "
                       "reported with the source.\n%.*s",
                       name, where.empty() ? "" : " at ", where.c_str(), static_cast<int>(std::min<size_t>(said.size(), 4096)),
                       said.data());
}

Status buildFailure(const Status& status, std::string log) {
  const bool timeout = status.code() == RT_ERROR_TIMEOUT;  // of the compiler: for the program a build that failed
  if (status.code() != RT_ERROR_BUILD_FAILED && !timeout) return status;
  const char* said = status.message()[0] != '\0' ? status.message() : errorString(RT_ERROR_BUILD_FAILED);
  while (!log.empty() && log.back() == '\n') log.pop_back();
  if (log.empty() || strstr(said, log.c_str()) != nullptr) return Status::error(RT_ERROR_BUILD_FAILED, "%s", said);
  return Status::error(RT_ERROR_BUILD_FAILED, "%s\n%s", said, log.c_str());
}

}  // namespace manyrt::compiler
