// The code of a CPU module as a part of an image: the log of its build, the kind of code, and the object.
#include <cstdint>

#include "base/entry_bytes.h"
#include "compiler/ahead.h"
#include "compiler/build.h"
#include "compiler/toolchain/cpu_target.h"

namespace manyrt::compiler {

namespace {

std::string partData(std::string_view log, Object::Tier tier, std::string_view object) {
  EntryWriter out;
  out.text(log);
  out.number(static_cast<uint64_t>(tier));
  out.text(object);
  const std::vector<unsigned char> bytes = out.take();
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::string cpuPart(const CpuCode& code) {
  return partData(code.log, code.optimized ? Object::Tier::kOptimized : Object::Tier::kQuick,
                  {reinterpret_cast<const char*>(code.object.data()), code.object.size()});
}

Status cpuPart(std::string* data, std::string* target, const Object& object, const std::string& log) {
  const Object* const better = object.betterObject();
  const Object& wanted = better != nullptr ? *better : object;
  if (wanted.target().empty()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The module was loaded from a shared object of the program, which serves as its image.");
  }
  std::string file;
  RT_TRY(wanted.readFile(&file));
  *data = partData(log, wanted.tier(), file);
  *target = wanted.target();
  return Status();
}

Status loadCpuPart(Ref<Object>* object, std::string* log, std::string_view data, std::string_view target, const char* name) {
  EntryReader in(reinterpret_cast<const unsigned char*>(data.data()), data.size());
  uint32_t tier = 0;
  const unsigned char* file = nullptr;
  uint64_t bytes = 0;
  if (!in.text(log) || !in.number(&tier, static_cast<uint64_t>(Object::Tier::kOptimized)) || !in.block(&file, &bytes) ||
      !in.atEnd()) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The part of the image \"%s\" for the CPU is not whole.", name);
  }
  RT_TRY(Object::load(object, file, static_cast<size_t>(bytes), name));
  (*object)->setTier(static_cast<Object::Tier>(tier));
  (*object)->setTarget(std::string(target));
  return Status();
}

}  // namespace manyrt::compiler
