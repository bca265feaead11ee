// From a request to a typed program, and what of the request decides what the program is.
#include "compiler/pipeline/front_end.h"

#include <algorithm>
#include <exception>

#include "base/os/thread.h"
#include "base/trace.h"
#include "compiler/lowering/argument_use.h"
#include "compiler/parser/merge.h"
#include "compiler/parser/parser.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

// "kernel1.cl"
std::string numbered(std::string name, size_t number) {
  return name.insert(std::min(name.rfind('.'), name.size()), std::to_string(number));
}

void addTokens(Blake2b* hash, const Tokens& tokens, const Sources& sources) {
  std::string_view file;
  for (const Token& token : tokens) {
    if (const std::string& name = sources.name(token.where.file); name != file) {
      hash->addPart(name);
      file = name;
    }
    addNumber(hash, static_cast<uint64_t>(token.kind) << 48 | uint64_t{token.space_before} << 41 |
                        uint64_t{token.line_start} << 40 | token.where.line);
    addNumber(hash, token.where.column);
    hash->addPart(token.text);
  }
}

}  // namespace

void addNumber(Blake2b* hash, uint64_t number) { hash->add(&number, sizeof number); }

bool mayInclude(std::string_view text) {
  constexpr std::string_view kWord = "include";
  if (text.find('\\') == text.npos) return text.find(kWord) != text.npos;  // nearly always, and many times faster
  size_t matched = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      size_t end = at + 1;
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
      if (end < text.size() && text[end] == '\n') {
        at = end;
        continue;
      }
    }
    matched = text[at] == kWord[matched] ? matched + 1 : text[at] == kWord[0] ? 1 : 0;
    if (matched == kWord.size()) return true;
  }
  return false;
}

Status FrontEnd::readOptions() {
  RT_TRY(parseOptions(&options_, request_.options));
  if (request_.tier != RT_TIER_DEFAULT) {
    options_.tier = request_.tier == RT_TIER_QUICK       ? Tier::kQuick
                    : request_.tier == RT_TIER_OPTIMIZED ? Tier::kOptimized
                                                         : Tier::kTiered;
  }
  options_.preprocessor.source_folder = request_.folder;
  options_.preprocessor.headers.insert(options_.preprocessor.headers.end(), request_.headers.begin(), request_.headers.end());
  return Status();
}

Status FrontEnd::refused(std::string* log) {
  log->append(diagnostics_.log());
  const uint32_t count = diagnostics_.errorCount();
  return Status::error(RT_ERROR_BUILD_FAILED, "\"%s\" has %u error%s.", name(), count, count == 1 ? "" : "s");
}

Status FrontEnd::preprocessOnce(std::string* log) {
  if (program_) return Status();
  program_.emplace();
  return preprocessAll() && !diagnostics_.failed() ? Status() : refused(log);
}

bool FrontEnd::preprocessAll() {
  if (request_.more.empty()) {
    const uint32_t file = sources_.add(name(), std::string(request_.source));
    return preprocess(&program_->tokens, sources_, file, options_.preprocessor, diagnostics_);
  }
  std::vector<Tokens> all(1 + request_.more.size());
  bool good = true;
  for (size_t i = 0; i < all.size() && !diagnostics_.full(); ++i) {
    const std::string_view text = i == 0 ? request_.source : request_.more[i - 1];
    const bool named = !request_.more_names.empty();
    const uint32_t file = sources_.add(!named   ? numbered(name(), i)
                                       : i == 0 ? name()
                                                : request_.more_names[i - 1],
                                       std::string(text));
    good = preprocess(&all[i], sources_, file, options_.preprocessor, diagnostics_) && good;
  }
  return good && merge(&*program_, all, diagnostics_);
}

Status FrontEnd::addToKey(Blake2b* hash, std::string* log) {
  addNumber(hash, MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH);
  hash->addPart(options_.normalized);
  hash->addPart(name());
  hash->addPart(request_.source);
  addNumber(hash, request_.more.size());
  for (std::string_view source : request_.more) hash->addPart(source);
  for (const std::string& name : request_.more_names) hash->addPart(name);
  addNumber(hash, request_.headers.size());
  for (const Header& header : request_.headers) {
    hash->addPart(header.name);
    hash->addPart(header.text);
  }
  if (mayInclude(request_.source) || std::any_of(request_.more.begin(), request_.more.end(), mayInclude)) {
    RT_TRY(onLargeStack([&] { return preprocessOnce(log); }));
    addTokens(hash, program_->tokens, sources_);
    for (const SourcePart& part : program_->parts) {
      addNumber(hash, part.begin);
      for (std::string_view name : part.declared) hash->addPart(name);
    }
    hash->addPart(diagnostics_.log());
  }
  return Status();
}

Status FrontEnd::onLargeStack(const std::function<Status()>& work) {
  struct Call {
    const std::function<Status()>& work;
    Status status;
    std::exception_ptr thrown;
  } call{work, Status(), nullptr};
  RT_TRY(runOnLargeStack(
      [](void* user) {
        Call& given = *static_cast<Call*>(user);
        try {
          given.status = given.work();
        } catch (...) {  // an exception must not leave this stack: it is thrown again after the switch
          given.thrown = std::current_exception();
        }
      },
      &call));
  if (call.thrown) std::rethrow_exception(call.thrown);
  return call.status;
}

Status FrontEnd::translate(std::string* log, const Lower& lower) {
  const trace::BuildStep step("front end", name());
  return onLargeStack([&] { return translateHere(log, lower); });
}

Status FrontEnd::translateHere(std::string* log, const Lower& lower) {
  RT_TRY(preprocessOnce(log));
  LanguageOptions language;
  language.single_precision_constants = options_.single_precision_constants;
  language.halves = halves_;
  language.sub_groups = sub_groups_;
  language.warns_of_doubles = options_.warns_of_doubles && !options_.no_warnings;
  if (!parse(&*program_, language, diagnostics_) || diagnostics_.failed()) return refused(log);
  findArgumentUses(*program_);  // before a lowering changes the tree
  if (!lower(*program_, sources_, options_, diagnostics_) || diagnostics_.failed()) return refused(log);
  const std::string& warnings = diagnostics_.log();
  if (options_.warnings_are_errors && !options_.no_warnings && !warnings.empty()) {
    log->append(warnings);
    return Status::error(RT_ERROR_BUILD_FAILED, "\"%s\" has warnings, which -Werror makes errors.", name());
  }
  if (!options_.no_warnings) log->append(warnings);
  return Status();
}

}  // namespace manyrt::compiler
