// Any bytes through the front end of kernels: preprocessor and parser, with a header in memory and with macros from options;
// what is accepted goes through both lowerings too. Built with -fsanitize=fuzzer it searches; linked with replay.cpp it runs
// the files it is given. For every input: it ends, within bounded memory, with a verdict that agrees with the messages and
// places that exist.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/lowering/opencl/program.h"
#include "compiler/parser/parser.h"
#include "compiler/pipeline/cpu_unit.h"
#include "compiler/preprocessor/preprocessor.h"

namespace {

using namespace manyrt::compiler;

void require(bool condition) {
  if (!condition) std::abort();
}

void checkTokens(const Tokens& tokens, const Sources& sources) {
  require(!tokens.empty() && tokens.back().kind == TokenKind::kEnd);
  for (const Token& token : tokens) {
    require(token.where.line != 0 && token.where.column != 0);
    require(!sources.name(token.where.file).empty());
    const bool may_be_empty = token.kind == TokenKind::kEnd || token.kind == TokenKind::kPragma;
    require(may_be_empty || !token.text.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Sources sources;
  const uint32_t file = sources.add("fuzz.cl", std::string(reinterpret_cast<const char*>(data), size));
  PreprocessorOptions options;
  options.definitions = {{"N", "4", false}, {"SQUARE(x)", "((x) * (x))", false}};
  options.headers = {{"a.h", "#ifndef A\n#define A\n#include \"b.h\"\n#endif\n"}, {"b.h", "int helper(int x);\n"}};
  Diagnostics diagnostics(sources);
  Program program;
  const bool preprocessed = preprocess(&program.tokens, sources, file, options, diagnostics);
  require(preprocessed == !diagnostics.failed());
  if (!preprocessed) return 0;
  checkTokens(program.tokens, sources);
  const bool parsed = parse(&program, LanguageOptions(), diagnostics);
  require(parsed == !diagnostics.failed());
  if (!parsed) return 0;
  (void)lowerToOpenCl(program, sources, OpenClPointers::kHiddenOffsets);
  for (const bool lanes : {true, false}) {
    CpuUnit unit;
    std::string why_not;
    const CpuForm form = lanes ? CpuForm::kOptimized : CpuForm::kQuick;
    require(makeCpuUnit(&unit, form, 4, &why_not, program, sources, {}, diagnostics) == !diagnostics.failed());
    require(why_not.empty());
    if (diagnostics.failed()) return 0;
  }
  return 0;
}
