// NVRTC's functions over compile(). Programs are handles as the others are.
#include <cstring>
#include <mutex>

#include "call.h"
#include "compile.h"
#include "image.h"
#include "objects.h"
#include "settings.h"

struct _nvrtcProgram;  // the tag that NVRTC's header has

namespace manyrt::simulated {
namespace {

using NativeProgram = _nvrtcProgram*;

#define SIMULATED_NVRTC_RESULTS(X)                                         \
  X(kNvrtcSuccess, 0, "NVRTC_SUCCESS")                                     \
  X(kNvrtcOutOfMemory, 1, "NVRTC_ERROR_OUT_OF_MEMORY")                     \
  X(kNvrtcCreation, 2, "NVRTC_ERROR_PROGRAM_CREATION_FAILURE")             \
  X(kNvrtcInput, 3, "NVRTC_ERROR_INVALID_INPUT")                           \
  X(kNvrtcProgram, 4, "NVRTC_ERROR_INVALID_PROGRAM")                       \
  X(kNvrtcOption, 5, "NVRTC_ERROR_INVALID_OPTION")                         \
  X(kNvrtcCompilation, 6, "NVRTC_ERROR_COMPILATION")                       \
  X(kNvrtcBuiltin, 7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE")             \
  X(kNvrtcTooLate, 8, "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION") \
  X(kNvrtcTooEarly, 9, "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION")  \
  X(kNvrtcExpression, 10, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID")         \
  X(kNvrtcInternal, 11, "NVRTC_ERROR_INTERNAL_ERROR")

enum : int {
#define SIMULATED_RESULT(constant, code, name) constant = code,
  SIMULATED_NVRTC_RESULTS(SIMULATED_RESULT)
#undef SIMULATED_RESULT
};

struct Program {
  std::mutex mutex;
  Source source;
  bool tried = false;  // to compile
  Compiled compiled;
  std::vector<unsigned char> cubin;
  std::string ptx;
};

Table<Program, NativeProgram>& programs() {
  static auto* table = new Table<Program, NativeProgram>("the program", 5);
  return *table;
}

constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 120};

// A size function and the function that copies so many bytes.
int sizeOf(NativeProgram handle, size_t* size, size_t (*measure)(const Program&)) {
  std::shared_ptr<Program> program = programs().find(handle);
  if (program == nullptr) return kNvrtcProgram;
  if (size == nullptr) return kNvrtcInput;
  std::lock_guard lock(program->mutex);
  *size = measure(*program);
  return kNvrtcSuccess;
}

int copyOf(NativeProgram handle, char* to, const void* (*bytes)(const Program&), size_t (*measure)(const Program&)) {
  std::shared_ptr<Program> program = programs().find(handle);
  if (program == nullptr) return kNvrtcProgram;
  if (to == nullptr) return kNvrtcInput;
  std::lock_guard lock(program->mutex);
  memcpy(to, bytes(*program), measure(*program));
  return kNvrtcSuccess;
}

size_t cubinBytes(const Program& program) { return program.cubin.size(); }
size_t ptxBytes(const Program& program) { return program.ptx.empty() ? 0 : program.ptx.size() + 1; }
size_t logBytes(const Program& program) { return program.compiled.log.size() + 1; }

int compileProgram(Program& program, int count, const char* const* options) {
  std::lock_guard lock(program.mutex);
  program.tried = true;
  program.cubin.clear();
  program.ptx.clear();
  program.compiled = {};
  CompileOptions read;
  if (count < 0 || (count > 0 && options == nullptr)) return kNvrtcInput;
  if (!readOptions(count, options, &read, &program.compiled.log)) return kNvrtcOption;
  program.compiled = compile(program.source, read);
  if (!program.compiled.good) return kNvrtcCompilation;
  program.ptx = packPtx(program.compiled.object, read.architecture);
  if (read.real) program.cubin = packUnit(program.compiled.object, read.architecture);
  return kNvrtcSuccess;
}

#define NVRTC_CALL(name, ...) SIMULATED_CALL("nvrtc" #name, false, __VA_ARGS__)

}  // namespace

extern "C" {

SIMULATED_EXPORT const char* nvrtcGetErrorString(int result) {
  switch (result) {
#define SIMULATED_RESULT(constant, code, name) \
  case code:                                   \
    return name;
    SIMULATED_NVRTC_RESULTS(SIMULATED_RESULT)
#undef SIMULATED_RESULT
    default:
      return "NVRTC_ERROR unknown";
  }
}

SIMULATED_EXPORT int nvrtcVersion(int* major, int* minor) {
  return NVRTC_CALL(Version, {
    if (major == nullptr || minor == nullptr) return kNvrtcInput;
    *major = settings().version / 1000;
    *minor = settings().version % 1000 / 10;
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  return NVRTC_CALL(GetNumSupportedArchs, {
    if (count == nullptr) return kNvrtcInput;
    *count = static_cast<int>(std::size(kArchitectures));
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcGetSupportedArchs(int* architectures) {
  return NVRTC_CALL(GetSupportedArchs, {
    if (architectures == nullptr) return kNvrtcInput;
    memcpy(architectures, kArchitectures, sizeof kArchitectures);
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcCreateProgram(NativeProgram* handle, const char* text, const char* name, int header_count,
                                        const char* const* headers, const char* const* names) {
  return NVRTC_CALL(CreateProgram, {
    if (handle == nullptr || text == nullptr || header_count < 0) return kNvrtcInput;
    if (header_count > 0 && (headers == nullptr || names == nullptr)) return kNvrtcInput;
    auto program = std::make_shared<Program>();
    program->source.text = text;
    program->source.name = name == nullptr || *name == 0 ? "default_program" : name;
    for (int i = 0; i < header_count; ++i) program->source.headers.emplace_back(names[i], headers[i]);
    *handle = programs().add(std::move(program));
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcDestroyProgram(NativeProgram* handle) {
  return NVRTC_CALL(DestroyProgram, {
    if (handle == nullptr || programs().remove(*handle) == nullptr) return kNvrtcProgram;
    *handle = nullptr;
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcCompileProgram(NativeProgram handle, int count, const char* const* options) {
  return NVRTC_CALL(CompileProgram, {
    std::shared_ptr<Program> program = programs().find(handle);
    return program == nullptr ? kNvrtcProgram : compileProgram(*program, count, options);
  });
}

SIMULATED_EXPORT int nvrtcGetCUBINSize(NativeProgram program, size_t* size) {
  return NVRTC_CALL(GetCUBINSize, { return sizeOf(program, size, cubinBytes); });
}
SIMULATED_EXPORT int nvrtcGetCUBIN(NativeProgram program, char* cubin) {
  return NVRTC_CALL(GetCUBIN, {
    return copyOf(
        program, cubin, [](const Program& one) -> const void* { return one.cubin.data(); }, cubinBytes);
  });
}
SIMULATED_EXPORT int nvrtcGetPTXSize(NativeProgram program, size_t* size) {
  return NVRTC_CALL(GetPTXSize, { return sizeOf(program, size, ptxBytes); });
}
SIMULATED_EXPORT int nvrtcGetPTX(NativeProgram program, char* ptx) {
  return NVRTC_CALL(GetPTX, {
    return copyOf(
        program, ptx, [](const Program& one) -> const void* { return one.ptx.c_str(); }, ptxBytes);
  });
}
SIMULATED_EXPORT int nvrtcGetProgramLogSize(NativeProgram program, size_t* size) {
  return NVRTC_CALL(GetProgramLogSize, { return sizeOf(program, size, logBytes); });
}
SIMULATED_EXPORT int nvrtcGetProgramLog(NativeProgram program, char* log) {
  return NVRTC_CALL(GetProgramLog, {
    return copyOf(
        program, log, [](const Program& one) -> const void* { return one.compiled.log.c_str(); }, logBytes);
  });
}

SIMULATED_EXPORT int nvrtcAddNameExpression(NativeProgram handle, const char* expression) {
  return NVRTC_CALL(AddNameExpression, {
    std::shared_ptr<Program> program = programs().find(handle);
    if (program == nullptr) return kNvrtcProgram;
    if (expression == nullptr) return kNvrtcInput;
    std::lock_guard lock(program->mutex);
    if (program->tried) return kNvrtcTooLate;
    program->source.expressions.push_back(*expression == '&' ? expression + 1 : expression);
    return kNvrtcSuccess;
  });
}

SIMULATED_EXPORT int nvrtcGetLoweredName(NativeProgram handle, const char* expression, const char** lowered) {
  return NVRTC_CALL(GetLoweredName, {
    std::shared_ptr<Program> program = programs().find(handle);
    if (program == nullptr) return kNvrtcProgram;
    if (expression == nullptr || lowered == nullptr) return kNvrtcInput;
    std::lock_guard lock(program->mutex);
    if (!program->compiled.good) return kNvrtcTooEarly;
    const std::string asked = *expression == '&' ? expression + 1 : expression;
    for (size_t i = 0; i < program->source.expressions.size(); ++i) {
      if (program->source.expressions[i] != asked) continue;
      *lowered = program->compiled.lowered[i].c_str();
      return kNvrtcSuccess;
    }
    return kNvrtcExpression;
  });
}

}  // extern "C"

}  // namespace manyrt::simulated
