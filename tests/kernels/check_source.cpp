// The front end alone, for scripts: preprocesses and parses one file of OpenCL C and prints the log. With --cpu it also goes on
// to the C++ that the CPU's compiler gets, with --cuda to the text for NVRTC. With --opencl (addresses) or --opencl-buffer
// (hidden offsets) it goes on to the text for an OpenCL driver. With --print it prints that text (the CPU's, if nothing else
// was asked). Exit
// status: 0 accepted, 1 refused, 2 not usable.
// Usage: check_source [--cpu | --cuda | --opencl | --opencl-buffer] [--print] FILE [options of a build...]
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "compiler/lowering/cuda/program.h"
#include "compiler/lowering/opencl/program.h"
#include "compiler/parser/parser.h"
#include "compiler/pipeline/cpu_unit.h"
#include "compiler/pipeline/options.h"
#include "compiler/preprocessor/preprocessor.h"
#include "compiler/toolchain/compiler.h"

namespace {

using namespace manyrt::compiler;

struct Arguments {
  bool cpu = false;
  bool cuda = false;
  bool opencl = false;
  OpenClPointers pointers = OpenClPointers::kAddresses;
  bool print = false;
  std::string file;
  std::string options;  // as one text, each word in quotes
};

std::string quoted(const char* word) {
  std::string text = "\"";
  for (const char* c = word; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') text += '\\';
    text += *c;
  }
  return text + "\" ";
}

bool readArguments(Arguments* arguments, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!arguments->file.empty()) {
      arguments->options += quoted(argv[i]);
    } else if (std::strcmp(argv[i], "--cpu") == 0) {
      arguments->cpu = true;
    } else if (std::strcmp(argv[i], "--cuda") == 0) {
      arguments->cuda = true;
    } else if (std::strcmp(argv[i], "--opencl") == 0) {
      arguments->opencl = true;
    } else if (std::strcmp(argv[i], "--opencl-buffer") == 0) {
      arguments->opencl = true;
      arguments->pointers = OpenClPointers::kHiddenOffsets;
    } else if (std::strcmp(argv[i], "--print") == 0) {
      arguments->print = true;
    } else {
      arguments->file = argv[i];
    }
  }
  if (arguments->print && !arguments->cuda && !arguments->opencl) arguments->cpu = true;
  return !arguments->file.empty();
}

// Optimised code, as a build makes it.
bool toCpu(CpuUnit* unit, Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
  std::string why_not;
  const bool good = makeCpuUnit(unit, CpuForm::kOptimized, 1, &why_not, program, sources, options, diagnostics);
  if (!why_not.empty()) std::fprintf(stderr, "%s\n", why_not.c_str());
  return good;
}

bool check(const Arguments& arguments, const BuildOptions& options, std::string text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const size_t slash = arguments.file.rfind('/');
  const uint32_t file =
      sources.add(slash == std::string::npos ? arguments.file : arguments.file.substr(slash + 1), std::move(text));
  Program program;
  LanguageOptions language;
  language.single_precision_constants = options.single_precision_constants;
  bool good =
      preprocess(&program.tokens, sources, file, options.preprocessor, diagnostics) && parse(&program, language, diagnostics);
  CpuUnit unit;
  CudaUnit cuda;
  if (good && arguments.cuda) good = lowerToCuda(&cuda, program, sources, options, diagnostics);
  if (good && arguments.cpu) good = toCpu(&unit, program, sources, options, diagnostics);
  std::string made;
  if (good && arguments.opencl) made = lowerToOpenCl(program, sources, arguments.pointers);
  if (good && arguments.cuda) made = cuda.text;
  if (good && arguments.cpu && !unit.texts.empty()) made = unit.texts[0];
  if (good && arguments.print) std::fwrite(made.data(), 1, made.size(), stdout);
  for (const std::string& remark : unit.remarks) std::fprintf(stderr, "remark: %s\n", remark.c_str());
  std::fwrite(diagnostics.log().data(), 1, diagnostics.log().size(), stderr);
  if (good == diagnostics.failed()) std::fprintf(stderr, "The result and the log contradict each other.\n");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!readArguments(&arguments, argc, argv)) {
    std::fprintf(stderr,
                 "Usage: check_source [--cpu | --cuda | --opencl | --opencl-buffer] [--print] FILE [options of a build...]\n");
    return 2;
  }
  std::ifstream stream(arguments.file, std::ios::binary);
  if (!stream.is_open()) {
    std::fprintf(stderr, "%s cannot be read.\n", arguments.file.c_str());
    return 2;
  }
  std::ostringstream text;
  text << stream.rdbuf();
  BuildOptions options;
  const manyrt::Status status = parseOptions(&options, arguments.options.c_str());
  if (!status.ok()) {
    std::fprintf(stderr, "The options are not usable: %s\n", arguments.options.c_str());
    return 2;
  }
  return check(arguments, options, text.str()) ? 0 : 1;
}
