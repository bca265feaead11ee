// Any bytes as an image of a module. For every input: it ends, and reads nothing outside of the bytes; what is refused is told
// with one sentence; what is taken is written as bytes that are taken again, with the same parts.
#include "backends/module_image.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/build.h"

namespace {

using namespace manyrt;
using namespace manyrt::backend;

void require(bool condition) {
  if (!condition) std::abort();
}

// Looks at a part as a backend does before it gives code to anything.
void readPart(const ImagePart& part) {
  std::string why_not;
  compiler::CudaImage cuda;
  compiler::OpenClImage opencl;
  SourceOfImage source;
  (void)compiler::suitsCpu(part.target, &why_not);
  (void)compiler::readCudaPart(&cuda, part.data);
  (void)compiler::readOpenClPart(&opencl, part.data);
  for (const bool less : {false, true}) {  // a device that has everything, and one that has little and many quirks
    compiler::OpenClTarget target;
    target.hidden_offsets = target.wrong_sizes = target.no_empty_arg_info = target.optimized_calls = less;
    target.doubles = target.halves = target.atomics_64 = !less;
    why_not.clear();
    require(compiler::suitsOpenClText(part.target, target, &why_not) == why_not.empty());
    const compiler::BuildRequest request;
    compiler::OpenClBuild build(target, request);
    if (build.beginLowered(part.data, part.hash)) require(build.translate(&opencl).ok() && !opencl.text.empty());
  }
  ImagePart text = part;
  text.form = 1;
  if (source.read(text, "fuzz").ok()) require(sourceData(source.image()) == part.data);
}

void readImage(std::string_view bytes) {
  ModuleImage image;
  const Status status = ModuleImage::read(&image, bytes, "fuzz");
  if (!status.ok()) {
    require(status.code() == RT_ERROR_INVALID_IMAGE && status.message()[0] != '\0');
    return;
  }
  std::vector<BuiltPart> parts;
  for (const ImagePart& part : image.parts()) {
    require(part.data.empty() ||
            (part.data.data() >= bytes.data() && part.data.data() + part.data.size() <= bytes.data() + bytes.size()));
    (void)ModuleImage::check(part, "fuzz");
    readPart(part);
    parts.push_back({static_cast<PartKind>(part.kind), part.form, std::string(part.target), std::string(part.data)});
  }
  const std::string again = writeModuleImage(parts);
  ModuleImage second;
  require(ModuleImage::read(&second, again, "fuzz").ok());
  require(second.parts().size() == image.parts().size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const ImagePart& part = second.parts()[i];
    require(part.kind == image.parts()[i].kind && part.target == image.parts()[i].target && part.data == image.parts()[i].data);
    require(ModuleImage::check(part, "fuzz").ok());
  }
}

// The same with the hash that the head and the table ask for: no search finds one, and what lies on purpose has it.
std::string sealed(std::string bytes) {
  constexpr size_t kHead = 64, kHashAt = 32, kCountAt = 16, kEntry = 64, kTargetAt = 24;
  if (bytes.size() < kHead) return bytes;
  uint32_t count = 0;
  memcpy(&count, bytes.data() + kCountAt, sizeof count);
  if (count > (bytes.size() - kHead) / kEntry) return bytes;
  size_t end = kHead + count * kEntry;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t target = 0;
    memcpy(&target, bytes.data() + kHead + i * kEntry + kTargetAt, sizeof target);
    if (target > bytes.size() - end) return bytes;
    end += target;
  }
  Blake2b hash;
  hash.add(bytes.data(), kHashAt);
  hash.add(bytes.data() + kHead, end - kHead);
  const Digest digest = hash.finish();
  memcpy(bytes.data() + kHashAt, digest.data(), digest.size());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  readPart({0, 0, std::string_view(bytes).substr(0, size / 2), std::string_view(bytes).substr(size / 2), {}});
  readImage(bytes);
  readImage(sealed(bytes));
  return 0;
}
