// The steps of manyrt cc: options, sources, the front end, a build for each target, the image.
#include "cc.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "check.h"
#include "read_file.h"
#include "terminal.h"

namespace cc {
namespace {

using manyrt::Status;
using manyrt::aot::Emit;
using manyrt::aot::ImageBuilder;
using manyrt::aot::Program;
using manyrt::aot::Target;
using manyrt::compiler::Message;
using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, Emit> kForms[] = {
    {"cpp", Emit::kCpp}, {"asm", Emit::kAssembly}, {"ptx", Emit::kPtx}, {"opencl", Emit::kOpenCl}, {"ir", Emit::kIr}};

std::string sentenceOf(const Status& status) {
  return status.message()[0] != '\0' ? status.message() : rtGetErrorString(status.code());
}

// The end of a command here: its message, and its code.
struct Outcome {
  int code = kDone;
  std::string output;   // the file that was written; empty: none
  std::string failure;  // one sentence, or the log of a compiler
  size_t bytes = 0;
};

Program readProgram(const Options& options) {
  Program program;
  for (const std::string& path : options.files) {
    const size_t dot = path.rfind('.');
    const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
    if (ending == ".cu" || ending == ".cuh")
      throw Failure(path + ": manyrt cc takes OpenCL C, and this is CUDA C++ by its name.");
    program.sources.push_back({path, readFile(path)});
    if (program.sources.back().text.find('\0') != std::string::npos) throw Failure(path + ": it is no text.");
  }
  for (const std::string& each : options.definitions) program.options.push_back("-D" + each);
  for (const std::string& each : options.undefinitions) program.options.push_back("-U" + each);
  program.options.insert(program.options.end(), options.build_options.begin(), options.build_options.end());
  program.folders = options.folders;
  return program;
}

std::vector<std::string> dependencies(const Options& options, const ImageBuilder& builder) {
  std::vector<std::string> files = options.files;
  files.insert(files.end(), builder.checked().files.begin(), builder.checked().files.end());
  return files;
}

std::string outputOf(const Options& options) {
  if (!options.output.empty()) return options.output;
  std::string name = options.files[0].substr(options.files[0].rfind('/') + 1);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot != 0) name.resize(dot);
  return name + ".rtm";
}

Emit formOf(const std::string& name) {
  std::string known;
  for (const auto& [word, form] : kForms) {
    if (name == word) return form;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw Failure("There is no form \"" + name + "\" to emit: there are " + known + ".");
}

// The one target that a text is for.
Target targetOfText(Emit form, const std::vector<std::string>& words) {
  const Target::Kind kind = form == Emit::kPtx      ? Target::Kind::kCuda
                            : form == Emit::kOpenCl ? Target::Kind::kOpenCl
                                                    : Target::Kind::kCpu;
  const std::string usual = form == Emit::kPtx ? "cuda:ptx" : form == Emit::kOpenCl ? "opencl:addresses" : "cpu:native";
  std::vector<Target> targets;
  const Status status = manyrt::aot::parseTargets(&targets, words.empty() ? std::vector<std::string>{usual} : words);
  if (!status.ok()) throw Failure(sentenceOf(status));
  std::vector<Target> suitable;
  for (const Target& target : targets) {
    if (target.kind == kind) suitable.push_back(target);
  }
  if (suitable.size() != 1) {
    throw Failure("--emit takes one target of its kind, such as --target " + usual + ", and got " +
                  std::to_string(suitable.size()) + ".");
  }
  if (form == Emit::kPtx) suitable[0].ptx = true;
  return suitable[0];
}

// A failure of one target: errors of the source there, or something that is missing.
Outcome failureOf(const Status& status, const std::string& target) {
  Outcome outcome;
  outcome.code = status.code() == RT_ERROR_BUILD_FAILED ? kSourceErrors : kWrongUse;
  outcome.failure = (target.empty() ? "" : "For " + target + ": ") + sentenceOf(status);
  return outcome;
}

void writeText(Outcome* outcome, const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  writeFile(path, text);
  outcome->output = path;
  outcome->bytes = text.size();
}

Outcome emitText(const Options& options, ImageBuilder& builder) {
  const Emit form = formOf(options.emit);
  const Target target = targetOfText(form, options.targets);
  std::string text;
  (void)builder.checkSelfContained();  // else the disk's headers are read again
  const Status status = builder.emit(&text, form, target);
  if (!status.ok()) return failureOf(status, target.name());
  if (!text.empty() && text.back() != '\n') text += '\n';
  Outcome outcome;
  writeText(&outcome, options.output, text);
  return outcome;
}

Outcome makeImage(const Options& options, const std::vector<Target>& targets, ImageBuilder& builder,
                  std::vector<Message>* messages) {
  if (const Status alone = builder.checkSelfContained(); !alone.ok() && !options.no_source) return failureOf(alone, "");
  std::string failed;
  const Status status = builder.build(&failed, targets);
  if (!status.ok()) return failureOf(status, failed);
  for (const std::string& remark : builder.remarks()) {
    Message& message = messages->emplace_back();
    message.kind = Message::Kind::kWarning;
    message.text = remark;
  }
  const std::string image = builder.image(!options.no_source), output = outputOf(options);
  Outcome outcome;
  const bool embeds_alone = !options.embed.empty() && options.output.empty();
  if (!embeds_alone) {
    writeFile(output, image);
    outcome.output = output;
  }
  if (!options.embed.empty()) {
    writeFile(options.embed, embeddedText(options.embed, image));
    if (embeds_alone) outcome.output = options.embed;
  }
  if (!options.depfile.empty()) {
    writeFile(options.depfile, dependencyRule(outcome.output, dependencies(options, builder)));
  }
  outcome.bytes = image.size();
  return outcome;
}

Json described(const Outcome& outcome, const std::vector<Message>& messages, const std::vector<Target>& targets) {
  Json list = Json::array();
  for (const Message& each : messages) {
    Json one{{"kind", manyrt::compiler::kMessageWords[static_cast<size_t>(each.kind)]}};
    if (!each.file.empty()) one.update(Json{{"file", each.file}, {"line", each.line}, {"column", each.column}});
    one["text"] = each.text;
    if (!each.shown.empty()) one["shown"] = each.shown;
    list.push_back(std::move(one));
  }
  Json names = Json::array();
  for (const Target& each : targets) names.push_back(each.name());
  Json all{{"messages", std::move(list)}};
  all["failure"] = outcome.failure.empty() ? Json(nullptr) : Json(outcome.failure);
  all["output"] = outcome.output.empty() ? Json(nullptr) : Json(outcome.output);
  all["bytes"] = outcome.bytes;
  all["targets"] = std::move(names);
  return all;
}

void say(const Outcome& outcome, const std::vector<Message>& messages) {
  const bool colours = terminal::wantsColours(stderr);
  for (const Message& each : messages) std::fputs(messageText(each, colours).c_str(), stderr);
  if (outcome.failure.empty()) return;
  if (outcome.code == kSourceErrors) {
    Message message;
    message.text = outcome.failure;
    std::fputs(messageText(message, colours).c_str(), stderr);
  } else {
    std::fprintf(stderr, "manyrt: %s\n", outcome.failure.c_str());
  }
}

int runList(bool json) {
  Json all = Json::array();
  std::string text;
  for (const manyrt::aot::Available& each : manyrt::aot::listTargets()) {
    all.push_back({{"target", each.name}, {"available", each.available}, {"note", each.note}});
    text += terminal::padded(each.name, 16) + "  " + (each.available ? "" : "not available: ") + each.note + '\n';
  }
  if (json) text = all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  if (json) {
    terminal::write(text);
  } else {
    terminal::print(text);
  }
  return kDone;
}

void checkUse(const Options& options) {
  if (options.files.empty()) throw Failure("manyrt cc has no source to compile: give it one or more files, or --list.");
  const bool makes_image = options.emit.empty() && !options.only_dependencies;
  if (!makes_image && (!options.embed.empty() || !options.depfile.empty())) {
    throw Failure("--embed and --depfile go with an image, which --emit and -M do not make.");
  }
  const bool prints = options.only_dependencies || (!options.emit.empty() && (options.output.empty() || options.output == "-"));
  if (options.json && prints) {
    throw Failure("--json and what -M or --emit prints would be one output: name a file for the text with --emit and -o.");
  }
  for (const std::string& path : {options.output, options.embed, options.depfile}) {
    if (path.empty() || path == "-") continue;
    checkFolder(path);
    if (std::find(options.files.begin(), options.files.end(), path) != options.files.end()) {
      throw Failure("The output \"" + path + "\" is one of the sources.");
    }
  }
  if (options.output == "-" && makes_image) throw Failure("An image is no text for a terminal: name a file with -o.");
}

Outcome compile(const Options& options, std::vector<Message>* messages, std::vector<Target>* targets) {
  checkUse(options);
  const bool makes_image = options.emit.empty() && !options.only_dependencies;
  if (!options.emit.empty()) (void)formOf(options.emit);
  if (makes_image) {
    const Status status =
        manyrt::aot::parseTargets(targets, options.targets.empty() ? std::vector<std::string>{"cpu"} : options.targets);
    if (!status.ok()) return {kWrongUse, "", sentenceOf(status), 0};
  }
  ImageBuilder builder(readProgram(options));
  const Status status = builder.check();
  *messages = builder.checked().messages;
  if (!status.ok()) {
    Outcome outcome = failureOf(status, "");
    const bool told =
        std::any_of(messages->begin(), messages->end(), [](const Message& each) { return each.kind == Message::Kind::kError; });
    if (outcome.code == kSourceErrors && told) outcome.failure.clear();
    return outcome;
  }
  if (options.only_dependencies) {
    Outcome outcome;
    const std::string rule =
        dependencyRule(options.output.empty() ? outputOf(options) : options.output, dependencies(options, builder));
    writeText(&outcome, "", rule);
    return outcome;
  }
  return makes_image ? makeImage(options, *targets, builder, messages) : emitText(options, builder);
}

}  // namespace

std::vector<std::string> takeBuildOptions(Options* options, int argc, char** argv) {
  std::vector<std::string> rest;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_option =
        word.starts_with("-cl-") || word.starts_with("-rt-") || word.starts_with("-W") || word == "-w" || word == "-g";
    (is_option ? options->build_options : rest).push_back(word);
  }
  return rest;
}

std::vector<std::string> forms() {
  std::vector<std::string> words;
  for (const auto& form : kForms) words.emplace_back(form.first);
  return words;
}

CLI::App* addCommand(CLI::App& app, Options& options) {
  CLI::App* cc = app.add_subcommand("cc", "Compiles kernels into an image, for devices that need not be here");
  const auto list = [&](const char* name, std::vector<std::string>& words, const char* about) {
    return cc->add_option(name, words, about)->take_all()->allow_extra_args(false);
  };
  cc->add_option("FILE", options.files, "Sources of one program, in OpenCL C");
  cc->add_option("-o,--output", options.output, "The image; else FILE.rtm in this folder");
  list("--target", options.targets, "cpu, cpu:LEVEL,..., cuda:sm_NUMBER,...,ptx or opencl; once for each; else cpu");
  list("-D", options.definitions, "NAME or NAME=VALUE: defines a macro");
  list("-U", options.undefinitions, "NAME: removes a macro");
  list("-I", options.folders, "A folder where #include looks");
  cc->add_flag("--no-source", options.no_source, "Leaves the source out of the image");
  cc->add_option("--embed", options.embed, "FILE.h: writes the image as an array of C");
  cc->add_option("--depfile", options.depfile, "Writes the files that the image depends on, as a rule of make");
  cc->add_flag("-M", options.only_dependencies, "Prints that rule alone");
  cc->add_option("--emit", options.emit, "cpp, asm, ptx, opencl or ir: prints what one target's compiler gets or makes");
  cc->add_flag("--json", options.json, "Prints messages and result as JSON");
  cc->add_flag("--list", options.list, "Lists the targets that can be built here");
  cc->footer("Options of a build, such as -cl-mad-enable and -Werror, are taken as rtModuleCreateFromSource takes them.");
  return cc;
}

int run(const Options& options) {
  if (options.list) return runList(options.json);
  Outcome outcome;
  std::vector<Message> messages;
  std::vector<Target> targets;
  try {
    outcome = compile(options, &messages, &targets);
  } catch (const Failure& failure) {
    outcome = {kWrongUse, "", failure.what(), 0};
  }
  if (options.json) {
    std::printf("%s\n", described(outcome, messages, targets).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    say(outcome, messages);
  }
  return outcome.code;
}

}  // namespace cc
