// From an image to a module: the part that suits best, then the next, then the source. And back: the code of a module and its
// source as an image.
#include "ops/module_image.h"

#include <algorithm>
#include <vector>

#include "backends/module_image.h"
#include "base/log.h"
#include "manager/device.h"

namespace manyrt::ops {
namespace {

using backend::ImagePart;
using backend::ModuleImage;
using backend::PartKind;

struct Candidate {
  const ImagePart* part;
  uint32_t rank;
};

// Those that suit, the best first; `why_not` gets a sentence for each part of the device's backend that does not.
std::vector<Candidate> candidates(const ModuleImage& image, const backend::ModuleLoader& loader, std::string* why_not) {
  std::vector<Candidate> found;
  for (const ImagePart& part : image.parts()) {
    std::string reason;
    const uint32_t rank = loader.suits(part, &reason);
    if (rank != 0) {
      found.push_back({&part, rank});
    } else if (!reason.empty()) {
      *why_not += " The part \"" + ModuleImage::nameOf(part) + "\" " + reason + ".";
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
  return found;
}

// Whether another part may do what this one does not: not where the device or memory is missing, or the image is damaged.
bool mayTryAnother(const Status& status) {
  return status.code() != RT_ERROR_OUT_OF_MEMORY && status.code() != RT_ERROR_DEVICE_LOST &&
         status.code() != RT_ERROR_SHUT_DOWN;
}

// A source of the image; false where it has none that the device takes.
Status readSource(bool* found, backend::SourceOfImage* source, std::string* data, const ModuleImage& image,
                  const backend::ModuleLoader& loader, const char* name) {
  for (const ImagePart& part : image.parts()) {
    if (part.kind != static_cast<uint32_t>(PartKind::kSource)) continue;
    RT_TRY(ModuleImage::check(part, name));
    RT_TRY(source->read(part, name));
    *found = loader.takes(source->image().format);
    *data = part.data;
    return Status();
  }
  return Status();
}

std::shared_ptr<manager::KernelSource> forGraphFiles(const backend::Image& source) {
  if (source.format != RT_IMAGE_OPENCL_C || source.header_count != 0 || source.more_count != 0) return nullptr;
  auto kept = std::make_shared<manager::KernelSource>();
  kept->text = source.data;
  kept->options = source.options;
  return kept;
}

Status loadBest(Ref<backend::Module>* module, Status* refused, const std::vector<Candidate>& list,
                backend::ModuleLoader& loader, const char* name) {
  for (const Candidate& candidate : list) {
    RT_TRY(ModuleImage::check(*candidate.part, name));
    Status status = loader.loadPart(module, *candidate.part, name);
    if (status.ok() || !mayTryAnother(status)) return status;
    log::write(RT_LOG_INFO, "The part \"%s\" of the image \"%s\" could not be loaded: %s",
               ModuleImage::nameOf(*candidate.part).c_str(), name, status.message());
    *refused = std::move(status);
  }
  return Status();
}

}  // namespace

Status loadFromImage(manager::Loaded* made, std::shared_ptr<manager::KernelSource>* source, const backend::Image& given,
                     backend::ModuleLoader& loader, const manager::Context& context) {
  const char* name = given.name[0] != '\0' ? given.name : "image";
  ModuleImage image;
  RT_TRY(ModuleImage::read(&image, given.data, name));
  std::string why_not;
  const std::vector<Candidate> list = candidates(image, loader, &why_not);
  Status refused;
  RT_TRY(loadBest(&made->native, &refused, list, loader, name));
  // The source is read where the code came from a part, too: the module's own image has it again. Damaged, it ends nothing
  // then.
  bool has_source = false;
  backend::SourceOfImage text;
  std::string data;
  const Status read = readSource(&has_source, &text, &data, image, loader, name);
  if (!made->native) {
    RT_TRY(read);
    if (!has_source) {
      if (!refused.ok()) return refused;
      return Status::error(
          RT_ERROR_NOT_SUPPORTED,
          "The image \"%s\" of manyrt %s has nothing for the device %s, and no source that it takes: it has %s.%s", name,
          image.versionText().c_str(), context.device->name().c_str(), image.listOfParts().c_str(), why_not.c_str());
    }
    backend::Image program = text.image();
    if (program.name[0] == '\0') program.name = given.name;
    if (const Status wrong = checkImage(&program, loader, context); !wrong.ok()) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "The source in the image \"%s\" is refused: %s", name, wrong.message());
    }
    log::write(RT_LOG_INFO, "The image \"%s\" has no part for the device %s, and is built from its source.%s", name,
               context.device->name().c_str(), why_not.c_str());
    RT_TRY(loader.load(&made->native, program));
  }
  if (!read.ok() || data.empty()) return Status();
  if (given.name[0] == '\0' && text.image().name[0] != '\0') made->name = text.image().name;
  *source = forGraphFiles(text.image());
  made->source = std::move(data);
  return Status();
}

Status moduleImage(std::string* bytes, manager::Module& module, uint32_t flags, epoch::Guard& guard) {
  const bool wants_source = (flags & RT_IMAGE_WITHOUT_SOURCE) == 0 && !module.source.empty();
  Lease<manager::Module> lease(&module);
  guard.leave();
  backend::BuiltPart code;
  Status status = module.native->awaitOptimized(Deadline::never());
  if (status.ok() || status.code() == RT_ERROR_BUILD_FAILED) status = module.native->part(&code);  // else the first code stays
  guard.enter();
  std::vector<backend::BuiltPart> parts;
  if (status.ok()) {
    parts.push_back(std::move(code));
  } else if (status.code() != RT_ERROR_NOT_SUPPORTED || !wants_source) {
    return status;
  }
  if (wants_source) parts.push_back(backend::sourcePart(module.source));
  *bytes = backend::writeModuleImage(parts);
  return Status();
}

}  // namespace manyrt::ops
