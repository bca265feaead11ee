// Asking the driver, reading its answer, and remembering it. An answer is believed only if it has the one form that GCC's
// driver has had since its version 4, and if the program that answers is the one that was asked.
#include "compiler/toolchain/driver.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "base/lock_order.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kMostMilliseconds = 2000;  // for an answer; without one, the driver compiles
constexpr size_t kMostAnswers = 64;           // a program has a handful of sets of flags

struct Answer {
  UnitCommands commands;
  std::string identity;  // of the two programs
};
Ranked<std::mutex, LockRank::kCompilerAnswers> answers_mutex;
std::map<std::string, Answer>& answers() {
  static auto* instance = new std::map<std::string, Answer>;  // never destroyed: builds may run until the process ends
  return *instance;
}

std::string identityOf(const UnitCommands& commands) {
  return commands.known() ? fileIdentity(commands.compile[0]) + fileIdentity(commands.assemble[0]) : "";
}

// By the name of the file behind all links. It compiles in the process of its driver, and takes 25 ms to say so.
bool isClang(const std::string& path) {
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) return false;
  const std::string_view file = resolved;
  return file.substr(file.rfind('/') + 1).find("clang") != std::string_view::npos;
}

// All that the answer depends on.
std::string keyOf(const Compiler& compiler, const std::vector<std::string>& flags) {
  std::string key = compiler.path + "\n" + compiler.identity;
  for (const std::string& word : compiler.environment) key += word + "\n";
  for (const std::string& word : flags) key += word + "\n";
  return key;
}

bool recall(UnitCommands* commands, const std::string& key) {
  std::lock_guard lock(answers_mutex);
  const auto found = answers().find(key);
  if (found == answers().end() || found->second.identity != identityOf(found->second.commands)) return false;
  *commands = found->second.commands;
  return true;
}

void remember(const UnitCommands& commands, const std::string& key) {
  std::lock_guard lock(answers_mutex);
  if (answers().size() >= kMostAnswers) answers().clear();
  answers()[key] = {commands, identityOf(commands)};
}

// A program's name as the driver says it: with its path, or to be searched for.
bool resolve(std::string* program, const Compiler& compiler) {
  if (program->find('/') != std::string::npos) return (*program)[0] == '/';
  const std::vector<std::string> found = findPrograms(*program, compiler.search_path);
  if (!found.empty()) *program = found[0];
  return !found.empty();
}

long count(const std::vector<std::string>& words, const char* wanted) { return std::count(words.begin(), words.end(), wanted); }

// A command of the answer. False: it has no words, or names no program.
bool readCommand(std::vector<std::string>* words, std::string_view line, const Compiler& compiler) {
  return splitWords(words, line).ok() && !words->empty() && resolve(&words->front(), compiler);
}

}  // namespace

// "COLLECT_GCC=" and the name by which it was started, and each command on a line that begins with a space, where one that
// writes to the next ends with a bar. Behind a wrapper the name is another one.
UnitCommands readDriverAnswer(std::string_view answer, const Compiler& compiler) {
  constexpr std::string_view kItself = "COLLECT_GCC=";
  std::vector<std::string_view> lines;
  bool itself = false;
  while (!answer.empty()) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(line.size() + 1, answer.size()));
    if (line.starts_with(kItself)) itself = line.substr(kItself.size()) == compiler.path;
    if (line.starts_with(' ')) lines.push_back(line);
  }
  UnitCommands commands;
  std::vector<std::string>&compile = commands.compile, &assemble = commands.assemble;
  if (!itself || lines.size() != 2 || !readCommand(&compile, lines[0], compiler) ||
      !readCommand(&assemble, lines[1], compiler) || compile.back() != "|") {
    return {};
  }
  compile.pop_back();
  const std::string_view output[] = {"-o", "-"};
  const bool writes = std::search(compile.begin(), compile.end(), std::begin(output), std::end(output)) != compile.end();
  const bool understood = writes && count(compile, kUnitSource) > 0 && count(compile, kUnitObject) == 0 &&
                          count(assemble, kUnitSource) == 0 && count(assemble, kUnitObject) == 1;
  return understood ? commands : UnitCommands();
}

DriverQuestion::DriverQuestion(const Compiler& compiler, std::vector<std::string> flags)
    : compiler_(compiler), flags_(std::move(flags)) {
  if (isClang(compiler_.path) || recall(&commands_, keyOf(compiler_, flags_))) return;
  if (folder_.create(compiler_.temporary) != 0) return;  // the build meets the same, and tells
  std::vector<std::string> arguments = {compiler_.path, "-###"};
  arguments.insert(arguments.end(), flags_.begin(), flags_.end());
  arguments.insert(arguments.end(), std::begin(kUnitArguments), std::end(kUnitArguments));
  ProcessJob job = compilerProcess(compiler_, folder_.path(), std::move(arguments));
  job.milliseconds = std::min(job.milliseconds, kMostMilliseconds);
  process_ = std::make_unique<Processes>(std::vector<ProcessJob>{std::move(job)});
}

UnitCommands DriverQuestion::answer() {
  if (process_ == nullptr) return commands_;
  const ProcessResult result = std::move(process_->finish(-1)[0]);
  process_.reset();
  // What could not be asked now is asked at the next build.
  if (!result.succeeded() && result.end != ProcessResult::End::kExited) return {};
  if (result.succeeded()) commands_ = readDriverAnswer(result.output, compiler_);
  remember(commands_, keyOf(compiler_, flags_));
  return commands_;
}

}  // namespace manyrt::compiler
