// A program in the IR, for scripts and for reading: kernel_ir [options] FILE [options of a build...]
//   --pass NAME       runs a pass, or "all" in their order; several of them one after the other
//   --vectors BYTES   what lanes of the passes are to fill; --along D: along this dimension, also where they cost more
//   --print           the IR as text
//   --again           the text read and printed again has to be the same text
//   --divergence      of a run: what the analysis says of values along both dimensions has to hold
//   --accesses        of a run: a buffer that is not written stays as it is, and one that is not read decides nothing
//   --run KERNEL GX,GY,GZ LX,LY,LZ ARGUMENT...   interprets a launch; a "--" ends the arguments. buffer:PATH is read before and
//                     written after, value:HEX the bytes of a value, of a __local pointer those of the number of its bytes
// Every module is verified. Exit status: 0 good, 1 refused or wrong (a sentence on stderr), 2 not usable, 3 a form that the IR
// has no room for.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/analysis/divergence_check.h"
#include "compiler/ir/from_tree/from_tree.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/lowering/argument_use.h"
#include "compiler/parser/parser.h"
#include "compiler/passes/passes.h"
#include "compiler/pipeline/options.h"
#include "compiler/preprocessor/preprocessor.h"
#include "compiler/unit.h"
#include "ir_natives.h"

namespace {

using namespace manyrt::compiler;

struct Arguments {
  bool print = false, again = false, divergence = false, accesses = false;
  int lanes_along = -1;
  uint32_t vector_bytes = 0;
  std::vector<std::string> passes;
  std::string kernel;
  std::vector<std::string> launch;  // sizes and arguments
  std::string file, options;
};

bool readArguments(Arguments* arguments, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!arguments->file.empty()) {
      arguments->options += "\"" + word + "\" ";
    } else if (word == "--print") {
      arguments->print = true;
    } else if (word == "--pass" && i + 1 < argc) {
      arguments->passes.emplace_back(argv[++i]);
    } else if (word == "--vectors" && i + 1 < argc) {
      arguments->vector_bytes = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else if (word == "--along" && i + 1 < argc) {
      arguments->lanes_along = std::atoi(argv[++i]);
    } else if (word == "--divergence") {
      arguments->divergence = true;
    } else if (word == "--accesses") {
      arguments->accesses = true;
    } else if (word == "--again") {
      arguments->again = true;
    } else if (word == "--run" && i + 1 < argc) {
      arguments->kernel = argv[++i];
      while (++i < argc && std::strcmp(argv[i], "--") != 0) arguments->launch.emplace_back(argv[i]);
    } else {
      arguments->file = word;
    }
  }
  return !arguments->file.empty();
}

bool readFile(std::vector<uint8_t>* bytes, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream.is_open()) return false;
  bytes->assign(std::istreambuf_iterator<char>(stream), {});
  return true;
}

int wrong(const std::string& sentence, int status = 1) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return status;
}

bool readSizes(uint32_t* sizes, const std::string& text) {
  return std::sscanf(text.c_str(), "%u,%u,%u", &sizes[0], &sizes[1], &sizes[2]) == 3;
}

bool readArgument(ir::Argument* argument, const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "buffer") {
    argument->kind = ir::Argument::Kind::kBuffer;
    return readFile(&argument->bytes, rest);
  }
  for (size_t at = 0; at + 1 < rest.size(); at += 2) {
    argument->bytes.push_back(static_cast<uint8_t>(std::stoul(rest.substr(at, 2), nullptr, 16)));
  }
  return kind == "value";
}

bool isBuffer(const ir::Argument& argument) { return argument.kind == ir::Argument::Kind::kBuffer; }

// The accesses that the front end claims of the kernel's arguments. A buffer that is not read has other contents in a second
// run. Bytes that the kernel wrote are the same then, and all others are those that were given. `first` is a run, `begin` what
// its arguments were before. Empty: the claims hold.
std::string wrongAccess(const ir::Run& first, const std::vector<ir::Argument>& begin, const ir::Module& module,
                        const ir::Function& kernel, const std::vector<Variable*>& parameters) {
  ir::Run second = first;
  second.arguments = begin;
  second.observer = nullptr;
  bool is_other = false;
  for (size_t i = 0; i < begin.size(); ++i) {
    const int32_t access = parameters[i]->use.access;
    if (!isBuffer(begin[i]) || access == RT_ACCESS_UNKNOWN || access == RT_ACCESS_READ_WRITE) continue;
    if (access != RT_ACCESS_WRITE && first.arguments[i].bytes != begin[i].bytes)
      return "It writes " + parameters[i]->name + ".";
    if (access == RT_ACCESS_READ) continue;
    for (uint8_t& byte : second.arguments[i].bytes) byte ^= 0xff;
    is_other = true;
  }
  if (!is_other) return "";
  const std::vector<ir::Argument> given = second.arguments;
  std::string why;
  if (!ir::interpret(&second, module, kernel, &why)) return "It fails with other contents of what it does not read: " + why;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (!isBuffer(begin[i])) continue;
    for (size_t at = 0; at < begin[i].bytes.size(); ++at) {
      const uint8_t one = first.arguments[i].bytes[at], other = second.arguments[i].bytes[at];
      const bool is_unwritten = one == begin[i].bytes[at] && other == given[i].bytes[at];
      if (one != other && !is_unwritten) return "Contents that it does not read decide about " + parameters[i]->name + ".";
    }
  }
  return "";
}

int launch(const Arguments& arguments, const ir::Module& module, Program& program) {
  const ir::Function* kernel = module.find(arguments.kernel);
  if (kernel == nullptr || !kernel->is_kernel) return wrong("There is no kernel " + arguments.kernel + ".", 2);
  ir::Run run;
  if (arguments.launch.size() < 2 || !readSizes(run.group_count, arguments.launch[0]) ||
      !readSizes(run.group_size, arguments.launch[1])) {
    return wrong("A grid and a group have three sizes each: 4,1,1.", 2);
  }
  for (size_t i = 2; i < arguments.launch.size(); ++i) {
    run.arguments.emplace_back();
    ir::Argument& argument = run.arguments.back();
    if (!readArgument(&argument, arguments.launch[i])) return wrong("An argument: " + arguments.launch[i], 2);
    const auto& parameters = kernel->body->parameters;
    if (i - 2 < parameters.size() && parameters[i - 2]->type == ir::Type::pointer(AddressSpace::kLocal)) {
      argument.kind = ir::Argument::Kind::kLocal;
      if (argument.bytes.size() == sizeof argument.size)
        std::memcpy(&argument.size, argument.bytes.data(), sizeof argument.size);
    }
  }
  IrNatives natives;
  std::string log;
  if (const manyrt::Status status = natives.load(module, program, &log); !status.ok()) return wrong(log);
  run.natives = &natives;
#if defined(__FMA__) || defined(__aarch64__)
  run.fuses = true;
#else
  run.fuses = __builtin_cpu_supports("fma");
#endif
  const auto begin = run.arguments;
  for (uint32_t dimension = 0; dimension < (arguments.divergence ? 2 : 1); ++dimension) {
    const analysis::Divergence divergence(*kernel, dimension, kMaxItems);
    analysis::DivergenceCheck check(*kernel, divergence, dimension);
    run.arguments = begin;
    run.observer = arguments.divergence ? &check : nullptr;
    std::string why;
    if (!ir::interpret(&run, module, *kernel, &why)) return wrong(why);
    if (!check.wrong().empty()) return wrong("The analysis of divergence is wrong: " + check.wrong());
  }
  for (const Function* each : program.kernels) {
    if (!arguments.accesses || each->name != arguments.kernel) continue;
    const std::string why = wrongAccess(run, begin, module, *kernel, each->parameters);
    if (!why.empty()) return wrong("The uses of arguments are wrong: " + why);
  }
  for (size_t i = 2; i < arguments.launch.size(); ++i) {
    if (!arguments.launch[i].starts_with("buffer:")) continue;
    const std::vector<uint8_t>& bytes = run.arguments[i - 2].bytes;
    std::ofstream(arguments.launch[i].substr(7), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}

int work(const Arguments& arguments, const BuildOptions& options, std::string text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const uint32_t file = sources.add(arguments.file.substr(arguments.file.rfind('/') + 1), std::move(text));
  Program program;
  LanguageOptions language;
  language.single_precision_constants = options.single_precision_constants;
  if (!preprocess(&program.tokens, sources, file, options.preprocessor, diagnostics) ||
      !parse(&program, language, diagnostics)) {
    return wrong(diagnostics.log());
  }
  findArgumentUses(program);  // before the tree changes
  ir::Module module;
  std::string why;
  if (!ir::fromTree(&module, program, &why)) return wrong("The IR has no room for it: " + why, 3);
  if (!ir::verify(module, &why)) return wrong(why);
  module.vector_bytes = arguments.vector_bytes;
  module.lanes_along = arguments.lanes_along;
  for (const std::string& pass : arguments.passes) {
    if (!passes::run(&module, pass, &why)) return wrong(why);
  }
  if (arguments.print) std::fputs(ir::print(module).c_str(), stdout);
  if (arguments.again) {
    ir::Module read;
    const std::string printed = ir::print(module);
    if (!ir::read(&read, printed, &why) || !ir::verify(read, &why)) return wrong(why);
    if (ir::print(read) != printed) return wrong("The text is another one when it is read and printed again.");
  }
  return arguments.kernel.empty() ? 0 : launch(arguments, module, program);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  std::vector<uint8_t> text;
  if (!readArguments(&arguments, argc, argv) || !readFile(&text, arguments.file)) {
    return wrong(
        "Usage: kernel_ir [--pass NAME] [--vectors BYTES [--along DIMENSION]] [--print] [--again] [--divergence] [--run KERNEL "
        "GRID "
        "GROUP ARGUMENT... --] FILE "
        "[options of a "
        "build...]",
        2);
  }
  BuildOptions options;
  if (!parseOptions(&options, arguments.options.c_str()).ok()) return wrong("The options are not usable.", 2);
  return work(arguments, options, std::string(text.begin(), text.end()));
}
