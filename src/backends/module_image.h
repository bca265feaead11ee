// Images of modules: what rtModuleGetImage writes and rtModuleLoadData takes back (docs/design/images.md). A head, a table of
// parts, the parts. Reading believes nothing. Each number is held against the bytes that are there. The table has a hash, and
// so has each part, which is checked before the part is used. Knows no backend and no device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/module.h"
#include "base/blake2b.h"
#include "base/status.h"

namespace manyrt::backend {

// The whole image in its table of parts; borrowed from the bytes that were read.
class ModuleImage {
 public:
  static bool marks(std::string_view bytes);  // whether they begin as an image does
  // INVALID_IMAGE: cut off, damaged, or of a later format. `name`: in messages.
  static Status read(ModuleImage* image, std::string_view bytes, const char* name);

  const std::vector<ImagePart>& parts() const { return parts_; }
  std::string versionText() const;  // of the library that wrote it: "0.3.0"
  // INVALID_IMAGE: the bytes of a part are not those that the table tells of.
  static Status check(const ImagePart& part, const char* name);
  // "cpu x86_64 avx2, source OPENCL_C", for messages.
  std::string listOfParts() const;
  static std::string nameOf(const ImagePart& part);

 private:
  std::vector<ImagePart> parts_;
  uint32_t version_ = 0;
};

// The bytes of an image: the same parts give the same bytes. Throws bad_alloc.
std::string writeModuleImage(const std::vector<BuiltPart>& parts);

// The source of a module as the data of a part, and the part. It has all that a build needs, except files that an #include
// finds on the disk. Throw bad_alloc.
std::string sourceData(const Image& source);
BuiltPart sourcePart(const std::string& data);

// A source part that was read: an Image of it borrows from this object and from the part.
class SourceOfImage {
 public:
  // INVALID_IMAGE: these bytes are no whole source.
  Status read(const ImagePart& part, const char* name);
  Image image() const;

 private:
  int32_t format_ = RT_IMAGE_OPENCL_C;
  std::string options_, name_;
  std::vector<std::string_view> texts_;
  std::vector<std::string> header_names_, headers_;
  std::vector<const char*> header_name_pointers_, header_pointers_;
};

}  // namespace manyrt::backend
