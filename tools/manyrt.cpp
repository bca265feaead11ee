// The manyrt command: its line, its exit codes, and what it says where it fails. Each command is a file of its own
// (commands.cpp has their options). They use rt.h alone, as any program would, but for cc, cache, doctor and completion, which
// ask the library's own parts.
//
//   manyrt info            backends with the reason where one is missing, devices with their properties
//   manyrt doctor          whether all that is needed is here and works, and what to install
//   manyrt bench           how fast copies, launches and kernels are
//   manyrt graph FILE      what a graph file holds and how a device would run it; as text or a picture
//   manyrt run FILE        runs it, with arrays
//   manyrt memory FILE     what a memory trace holds; replayed, or as a picture
//   manyrt trace FILE      where the time of a file of RT_TRACE went
//   manyrt cc FILE...      kernels as an image, for devices that need not be here
//   manyrt cache           the folder of compiled kernels
//   manyrt completion SHELL
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "commands.h"
#include "info.h"
#include "terminal.h"
#include "words.h"

namespace {

// A disk may be full.
void flushOutput() {
  const bool flushed = std::fflush(stdout) == 0;
  const std::string reason = flushed ? "." : std::string(": ") + std::strerror(errno) + ".";
  if (!flushed || std::ferror(stdout) != 0) throw Failure("The output could not be written" + reason);
}

void complain(const std::string& sentence) {
  const std::string text = terminal::wrapped("manyrt: " + sentence + '\n', terminal::columns(stderr));
  std::fputs(text.c_str(), stderr);
}

// The exit code.
template <typename Function>
int guarded(int failed, Function function) {
  try {
    const int code = function();
    flushOutput();
    return code;
  } catch (const Failure& failure) {
    complain(failure.what());
  } catch (const std::bad_alloc&) {
    complain("There is no host memory left for this.");
  } catch (const std::exception& error) {
    complain(std::string("The command failed inside, which is a defect of manyrt; please report it with this: ") +
             error.what());
  }
  return failed;
}

// Help and the version are exceptions of CLI11 too.
int tellParseError(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words, int wrong_use) {
  std::ostringstream output, errors;
  const int code = app.exit(error, output, errors);
  terminal::print(output.str());
  if (code == 0) return code;
  if (const std::string meant = mistyped(app, words); !meant.empty()) {
    complain(meant);
  } else {
    std::fputs(terminal::wrapped(errors.str(), terminal::columns(stderr)).c_str(), stderr);
  }
  return wrong_use != 0 ? wrong_use : code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("manyrt: one runtime for compute devices", "manyrt");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(32);
  app.set_version_flag(
      "--version", [] { return "manyrt " + versionText(); }, "Prints the version of the library");
  Options options;
  addCommands(app, options);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) {
    return guarded(1, [&] {
      terminal::print(app.help());
      return 0;
    });
  }
  if (words.size() >= 3 && words[0] == "completion" && words[1] == "--candidates" && words[2] == "--") {
    return guarded(1, [&] {
      terminal::write(candidates(app, {words.begin() + 3, words.end()}));
      return 0;
    });
  }
  const bool compiles = words[0] == "cc";
  if (compiles) words = cc::takeBuildOptions(&options.cc, argc, argv);
  return guarded(compiles ? cc::kWrongUse : 1, [&] {
    try {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them
    } catch (const CLI::ParseError& error) {
      return tellParseError(app, error, words, compiles ? cc::kWrongUse : 0);
    }
    return runCommand(app, options);
  });
}
