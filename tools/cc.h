// manyrt cc: from sources to an image with parts for many targets. The files of the command that see src: the others use rt.h
// alone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "aot/image_builder.h"

namespace cc {

// As a compiler has them: 1 is about the source, 2 about everything else.
inline constexpr int kDone = 0, kSourceErrors = 1, kWrongUse = 2;

struct Options {
  std::vector<std::string> files, targets, definitions, undefinitions, folders, build_options;
  std::string output, depfile, embed, emit;
  bool no_source = false, only_dependencies = false, json = false, list = false;
};

// Takes the words that are options of a build, such as -cl-mad-enable, out of the command line.
std::vector<std::string> takeBuildOptions(Options* options, int argc, char** argv);
CLI::App* addCommand(CLI::App& app, Options& options);
std::vector<std::string> forms();  // that --emit takes
// The exit code. Nothing is thrown but bad_alloc and what is a defect.
int run(const Options& options);

// ---- Output (cc_output.cpp) ----

// As a compiler writes it: place, kind, sentence, line and caret.
std::string messageText(const manyrt::compiler::Message& message, bool colours);
// "add.rtm: add.cl scale.h", as make reads it.
std::string dependencyRule(const std::string& output, const std::vector<std::string>& files);
// A C array with the bytes, named after the file.
std::string embeddedText(const std::string& path, std::string_view bytes);

// Throw Failure with one sentence. A file that cannot be written whole is not there, or as it was.
void checkFolder(const std::string& path);
void writeFile(const std::string& path, std::string_view bytes);

}  // namespace cc
