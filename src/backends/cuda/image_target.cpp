// Reading targets: their own names, the directive .target of PTX, the flags in the ELF head of a cubin, the entries of a fat
// binary. Every offset is checked, since these are images that were refused.
#include "backends/cuda/image_target.h"

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "rt.h"

namespace manyrt::cuda {
namespace {

template <typename Value>
bool read(std::string_view bytes, size_t offset, Value* value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof *value) return false;
  memcpy(value, bytes.data() + offset, sizeof *value);
  return true;
}

// "sm_90a" at the front.
bool readName(std::string_view text, ImageTarget* target) {
  constexpr uint32_t kMax = 100000;
  if (!text.starts_with("sm_")) return false;
  size_t at = 3;
  uint32_t number = 0;
  for (; at < text.size() && isdigit(static_cast<unsigned char>(text[at])) != 0 && number < kMax; ++at) {
    number = number * 10 + static_cast<uint32_t>(text[at] - '0');
  }
  // 'a' and 'f' are for features of one architecture, or of a family of them.
  const bool suffix = at < text.size() && (text[at] == 'a' || text[at] == 'f');
  *target = {number, suffix ? text[at] : '\0', true};
  return at > 3;
}

void addPtx(std::string_view text, std::vector<ImageTarget>* targets) {
  constexpr std::string_view kDirective = ".target";
  ImageTarget target;
  for (size_t at = text.find(kDirective); at != std::string_view::npos; at = text.find(kDirective, at)) {
    at += kDirective.size();
    const size_t name = text.find_first_not_of(" \t", at);
    if (name == std::string_view::npos || !readName(text.substr(name), &target)) continue;
    // A module has one target: the first directive that names an architecture.
    targets->push_back(target);
    return;
  }
}

// CUDA 13 writes the second version of the format, where the architecture has moved to the second byte of the flags.
void addCubin(std::string_view image, std::vector<ImageTarget>* targets) {
  constexpr uint16_t kCudaMachine = 190;
  constexpr unsigned char kFirstAbi = 7, kSecondAbi = 8;
  Elf64_Ehdr head;
  if (!read(image, 0, &head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_machine != kCudaMachine) return;
  const unsigned char abi = head.e_ident[EI_ABIVERSION];
  if (abi != kFirstAbi && abi != kSecondAbi) return;
  const uint32_t architecture = (abi == kFirstAbi ? head.e_flags : head.e_flags >> 8) & 0xFF;
  targets->push_back({architecture, '\0', false});
}

void addFatbin(std::string_view image, std::vector<ImageTarget>* targets) {
  constexpr size_t kHeadSizeAt = 6, kEntryHeadSizeAt = 4, kEntrySizeAt = 8, kArchitectureAt = 28;
  constexpr uint16_t kPtx = 1, kElf = 2;
  uint16_t head_size = 0;
  // Offsets as NVIDIA's tools write them. A format that changes gives no target, and so a shorter message.
  if (!read(image, kHeadSizeAt, &head_size)) return;
  for (size_t at = head_size; at < image.size();) {
    uint16_t kind = 0;
    uint32_t entry_head = 0, architecture = 0;
    uint64_t size = 0;
    if (!read(image, at, &kind) || !read(image, at + kEntryHeadSizeAt, &entry_head) || !read(image, at + kEntrySizeAt, &size) ||
        !read(image, at + kArchitectureAt, &architecture) || entry_head == 0 || size > image.size()) {
      return;
    }
    if (kind == kPtx || kind == kElf) targets->push_back({architecture, '\0', kind == kPtx});
    // The head has bytes, and the size is at most the image's. So the sum cannot wrap, and the loop goes forwards.
    at += entry_head + size;
  }
}

}  // namespace

bool ImageTarget::runsOn(uint32_t device) const {
  // Code with the features of one architecture runs on that one alone.
  if (suffix == 'a') return architecture == device;
  // Machine code runs on later devices of its generation only. PTX runs on all later ones, unless it is for a family.
  const bool same_generation = architecture / 10 == device / 10;
  return architecture <= device && (same_generation || (ptx && suffix == '\0'));
}

std::string ImageTarget::name() const {
  std::string name = (ptx ? "PTX for sm_" : "sm_") + std::to_string(architecture);
  if (suffix != '\0') name += suffix;
  return name;
}

bool readTarget(std::string_view text, ImageTarget* target) {
  constexpr std::string_view kPtx = "PTX for ";
  const bool ptx = text.starts_with(kPtx);
  if (!readName(ptx ? text.substr(kPtx.size()) : text, target)) return false;
  target->ptx = ptx;
  return target->name() == text;
}

std::vector<ImageTarget> imageTargets(int32_t format, std::string_view image) {
  std::vector<ImageTarget> targets;
  if (format == RT_IMAGE_PTX) addPtx(image, &targets);
  if (format == RT_IMAGE_CUBIN) addCubin(image, &targets);
  if (format == RT_IMAGE_FATBIN) addFatbin(image, &targets);
  return targets;
}

std::string wrongTarget(int32_t format, std::string_view image, int32_t ordinal, uint32_t device) {
  const std::vector<ImageTarget> targets = imageTargets(format, image);
  if (std::any_of(targets.begin(), targets.end(), [=](const ImageTarget& target) { return target.runsOn(device); })) return {};
  std::string named;
  // All of them: a fat binary may lack the one device that is asked for.
  for (const ImageTarget& target : targets) named += (named.empty() ? "" : ", ") + target.name();
  const std::string its = "cuda:" + std::to_string(ordinal) + " is sm_" + std::to_string(device) + ". ";
  return named.empty() ? "What the image is for is not known; " + its : "The image is for " + named + "; " + its;
}

}  // namespace manyrt::cuda
