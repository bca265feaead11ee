// One C++ function for each signature: it takes its arguments from memory, calls the library's function and stores the result.
#include "ir_natives.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/builtins/prelude.h"
#include "compiler/toolchain/compiler.h"

using namespace manyrt::compiler;

namespace {

std::string typeName(Prelude& prelude, QualType type) {
  if (type->isPointer()) return typeName(prelude, type->inner) + "*";
  return type->kind == TypeKind::kEnum ? "int" : prelude.type(type.type);
}

std::string functionText(Prelude& prelude, const ir::Signature& signature, const std::string& name) {
  std::string call = prelude.builtin(*signature.builtin, signature.result, signature.parameters) + "(";
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    call += (i == 0 ? "*(const " : ", *(const ") + typeName(prelude, signature.parameters[i]) + "*)mrt_a[" + std::to_string(i) +
            "]";
  }
  call += ")";
  // A pointer's own const belongs to the pointer: "float* const*".
  std::string body = call;
  for (size_t at = body.find("*(const "); at != std::string::npos; at = body.find("*(const ", at + 1)) {
    const size_t end = body.find("*)mrt_a", at);
    const std::string type = body.substr(at + 8, end - at - 8);
    if (type.ends_with('*')) body.replace(at + 2, end - at - 2, type + " const");
  }
  if (!signature.result->isVoid()) body = "*(" + typeName(prelude, signature.result) + "*)mrt_r = " + body;
  return "extern \"C\" __attribute__((visibility(\"default\"))) void " + name + "(const void* const* mrt_a, void* mrt_r) { " +
         body + "; }\n";
}

}  // namespace

IrNatives::~IrNatives() {
  if (library_ != nullptr) dlclose(library_);
}

manyrt::Status IrNatives::load(const ir::Module& module, Program& program, std::string* log) {
  std::map<std::string, const ir::Signature*> wanted;
  const auto collect = [&](const ir::Function& function) {
    ir::forEach(*function.body, [&](const ir::Instruction& instruction) {
      const ir::Signature& signature = instruction.signature;
      if (instruction.op != ir::Opcode::kBuiltin || signature.builtin == nullptr ||
          signature.builtin->kind == BuiltinKind::kGroupCopy || signature.builtin->kind == BuiltinKind::kPrint) {
        return;
      }
      wanted.emplace(signature.text, &signature);
    });
  };
  for (const ir::Function* function : module.functions) collect(*function);
  if (module.constants != nullptr) collect(*module.constants);
  if (wanted.empty()) return {};
  Prelude prelude(program.types, Dialect::kHostQuick);
  std::string functions;
  int number = 0;
  for (const auto& [text, signature] : wanted)
    functions += functionText(prelude, *signature, "mrt_n" + std::to_string(number++));
  Compiler compiler;
  RT_TRY(findCompiler(&compiler));
  CompileJob job{{prelude.text() + functions},
                 {"-std=c++17", "-Og", "-march=native", "-mno-avx512f", "-fPIC", "-w", "-fno-math-errno", "-ffp-contract=off",
                  "-fwrapv", "-fno-strict-aliasing", "-fno-exceptions", "-fvisibility=hidden"}};
  std::vector<unsigned char> object;
  RT_TRY(compile(&object, log, compiler, job));
  std::string path = (std::filesystem::temp_directory_path() / "manyrt_ir_XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  if (descriptor >= 0) close(descriptor);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  if (library_ == nullptr) {
    *log += dlerror();
    return manyrt::Status::error(RT_ERROR_INTERNAL, "The functions of the language could not be loaded.");
  }
  number = 0;
  for (const auto& [text, signature] : wanted) {
    functions_[text] = reinterpret_cast<Function>(dlsym(library_, ("mrt_n" + std::to_string(number++)).c_str()));
  }
  return {};
}

bool IrNatives::call(const ir::Signature& signature, const std::vector<const void*>& arguments, void* result) {
  const auto at = functions_.find(signature.text);
  if (at == functions_.end() || at->second == nullptr) return false;
  at->second(arguments.data(), result);
  return true;
}
