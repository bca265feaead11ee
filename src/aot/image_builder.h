// Builds an image with parts for many targets from one program of OpenCL C (docs/design/images.md). Needs no device. The
// command manyrt cc and tests call it; the library that programs link does not have it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aot/target.h"
#include "backends/module.h"
#include "base/status.h"
#include "compiler/ahead.h"

namespace manyrt::aot {

struct SourceFile {
  std::string path;  // as messages name it
  std::string text;
};

struct Program {
  std::vector<SourceFile> sources;   // of one program, as rtModuleCreateFromSources takes them; at least one
  std::vector<std::string> options;  // words, as rtModuleCreateFromSource takes them in one text, without -I
  std::vector<std::string> folders;  // of -I, which an image does not name
};

enum class Emit : uint8_t { kCpp, kAssembly, kPtx, kOpenCl, kIr };

// Calls are made in this order, by one thread.
class ImageBuilder {
 public:
  explicit ImageBuilder(Program program);

  // The front end once, for all targets. BUILD_FAILED with the reasons in checked(); INVALID_VALUE for options.
  Status check();
  const compiler::CheckedSource& checked() const { return checked_; }

  // Whether the program can be built from the image alone, once it has left this disk. NOT_SUPPORTED with the reason: an image
  // of it can only be without its source.
  Status checkSelfContained();

  // A part for each target, several at the same time. The first target that fails in `failed`, with its compiler's log in the
  // status.
  Status build(std::string* failed, const std::vector<Target>& targets);
  // Remarks on parts that were built, as a sentence each.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // The parts in the order of the targets, then the source if it is wanted. The bytes are the same for the same program,
  // compiler and version of the library. Throws bad_alloc.
  std::string image(bool with_source) const;

  // The text that a target's compiler gets, or makes of it.
  Status emit(std::string* text, Emit form, const Target& target) const;

 private:
  struct Texts;  // what a BuildRequest borrows
  Texts texts() const;
  Status buildPart(backend::BuiltPart* part, std::string* remark, const Target& target) const;

  const Program program_;
  compiler::CheckedSource checked_;
  bool from_disk_ = false;  // parts are built with the disk's headers, since `headers` would not do
  std::vector<backend::BuiltPart> parts_;
  std::vector<std::string> remarks_;
};

}  // namespace manyrt::aot
