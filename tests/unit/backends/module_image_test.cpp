// The bytes of images of modules: whatever was written is read. Bytes that are cut off, changed, of a later format or that
// contradict themselves are refused, whatever wrote them.
#include "backends/module_image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "rt.h"

namespace manyrt::backend {
namespace {

constexpr size_t kHeadBytes = 64, kHashAt = 32, kEntryBytes = 64, kFormatAt = 8, kVersionAt = 12, kCountAt = 16, kBytesAt = 24;
constexpr size_t kEntryOffsetAt = 8, kEntrySizeAt = 16, kTargetBytesAt = 24, kEntryReservedAt = 28;

std::vector<BuiltPart> someParts() {
  return {{PartKind::kCpu, 1, "x86_64 avx2 1.2", std::string(1001, 'c')},
          {PartKind::kCuda, 3, "sm_90", std::string("\0\1\2", 3)},
          {static_cast<PartKind>(77), 1, "", ""},
          {PartKind::kSource, 1, "OPENCL_C", "kernels"}};
}

Status read(ModuleImage* image, std::string_view bytes) { return ModuleImage::read(image, bytes, "test.rtm"); }

bool isRefused(std::string_view bytes) {
  ModuleImage image;
  const Status status = read(&image, bytes);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), RT_ERROR_INVALID_IMAGE);
    EXPECT_NE(std::strstr(status.message(), "test.rtm"), nullptr) << status.message();
  }
  return !status.ok();
}

template <typename Number>
void put(std::string* bytes, size_t offset, Number number) {
  memcpy(bytes->data() + offset, &number, sizeof number);
}

template <typename Number>
Number get(const std::string& bytes, size_t offset) {
  Number number;
  memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// With the hash of its head and table put right: what a program writes that lies on purpose.
std::string sealed(std::string bytes) {
  const auto count = get<uint32_t>(bytes, kCountAt);
  size_t end = kHeadBytes + count * kEntryBytes;
  for (uint32_t i = 0; i < count; ++i) end += get<uint32_t>(bytes, kHeadBytes + i * kEntryBytes + kTargetBytesAt);
  Blake2b hash;
  hash.add(bytes.data(), kHashAt);
  hash.add(bytes.data() + kHeadBytes, std::min(end, bytes.size()) - kHeadBytes);
  const Digest digest = hash.finish();
  memcpy(bytes.data() + kHashAt, digest.data(), digest.size());
  return bytes;
}

TEST(ModuleImageTest, WhatWasWrittenIsRead) {
  const std::vector<BuiltPart> parts = someParts();
  const std::string bytes = writeModuleImage(parts);
  EXPECT_EQ(bytes, writeModuleImage(parts)) << "the same parts are the same bytes";
  EXPECT_EQ(bytes, sealed(bytes));
  ASSERT_TRUE(ModuleImage::marks(bytes));
  ModuleImage image;
  const Status status = read(&image, bytes);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(image.parts().size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const ImagePart& part = image.parts()[i];
    EXPECT_EQ(part.kind, static_cast<uint32_t>(parts[i].kind));
    EXPECT_EQ(part.form, parts[i].form);
    EXPECT_EQ(part.target, parts[i].target);
    EXPECT_EQ(part.data, parts[i].data);
    EXPECT_TRUE(ModuleImage::check(part, "test.rtm").ok());
    EXPECT_EQ((part.data.data() - bytes.data()) % 16, 0);
  }
  EXPECT_EQ(image.listOfParts(), "cpu x86_64 avx2, cuda sm_90, part of an unknown kind, source OPENCL_C");
}

TEST(ModuleImageTest, AnImageWithoutPartsIsWhole) {
  ModuleImage image;
  EXPECT_TRUE(read(&image, writeModuleImage({})).ok());
  EXPECT_EQ(image.listOfParts(), "no parts");
}

TEST(ModuleImageTest, OneThatIsCutOffAtAnyByteOrHasMoreIsRefused) {
  const std::string bytes = writeModuleImage(someParts());
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_TRUE(isRefused(bytes.substr(0, length))) << length;
  EXPECT_TRUE(isRefused(bytes + '\0'));
}

TEST(ModuleImageTest, EachBitCounts) {
  const std::string bytes = writeModuleImage(someParts());
  ModuleImage whole;
  ASSERT_TRUE(read(&whole, bytes).ok());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      ModuleImage image;
      if (!read(&image, changed).ok()) continue;
      // Only inside a part may a change be left to the part's own hash.
      size_t wrong = 0;
      for (const ImagePart& part : image.parts()) wrong += !ModuleImage::check(part, "test.rtm").ok();
      EXPECT_EQ(wrong, 1u) << "bit " << bit << " of byte " << at;
    }
  }
}

TEST(ModuleImageTest, ALaterFormatIsToldWithTheVersionThatWroteIt) {
  std::string bytes = writeModuleImage(someParts());
  put<uint32_t>(&bytes, kFormatAt, 2);
  put<uint32_t>(&bytes, kVersionAt, 10203);
  ModuleImage image;
  const Status status = read(&image, sealed(bytes));
  EXPECT_EQ(status.code(), RT_ERROR_INVALID_IMAGE);
  EXPECT_NE(std::strstr(status.message(), "has the format 2"), nullptr) << status.message();
  EXPECT_NE(std::strstr(status.message(), "manyrt 1.2.3"), nullptr) << status.message();
}

TEST(ModuleImageTest, ATableThatLiesIsRefusedThoughItsHashIsRight) {
  const std::string bytes = writeModuleImage(someParts());
  const auto lies = [&](size_t offset, auto number) {
    std::string changed = bytes;
    put(&changed, offset, number);
    return isRefused(sealed(changed));
  };
  EXPECT_FALSE(lies(kVersionAt, uint32_t{20000})) << "the version of the library decides nothing";
  for (const uint32_t count : {0u, 3u, 5u, 1024u, 1025u, UINT32_MAX / 64, UINT32_MAX}) {
    std::string changed = bytes;
    put(&changed, kCountAt, count);
    EXPECT_TRUE(isRefused(count < 6 ? sealed(changed) : changed)) << count;
  }
  for (const uint64_t size : {uint64_t{0}, uint64_t{bytes.size() - 1}, uint64_t{bytes.size() + 1}, UINT64_MAX}) {
    EXPECT_TRUE(lies(kBytesAt, size)) << size;
  }
  for (size_t entry = kHeadBytes; entry < kHeadBytes + 4 * kEntryBytes; entry += kEntryBytes) {
    const auto offset = get<uint64_t>(bytes, entry + kEntryOffsetAt), size = get<uint64_t>(bytes, entry + kEntrySizeAt);
    for (const uint64_t other :
         {uint64_t{0}, offset - 16, offset + 1, offset + 16, uint64_t{1} << 32, UINT64_MAX - 15, UINT64_MAX}) {
      EXPECT_TRUE(lies(entry + kEntryOffsetAt, other)) << other;
    }
    for (const uint64_t other : {size + 1, size - 1, size + 4096, uint64_t{1} << 32, UINT64_MAX - offset, UINT64_MAX}) {
      std::string changed = bytes;
      put(&changed, entry + kEntrySizeAt, other);
      changed = sealed(changed);
      ModuleImage image;  // one that takes zeros before the next part is found by the part's hash
      const bool hidden =
          read(&image, changed).ok() && !ModuleImage::check(image.parts()[(entry - kHeadBytes) / kEntryBytes], "").ok();
      EXPECT_TRUE(hidden || isRefused(changed)) << other;
    }
    EXPECT_TRUE(lies(entry + kEntryReservedAt, uint32_t{1}));
    for (const uint32_t other : {200u, 257u, UINT32_MAX}) {
      std::string changed = bytes;
      put(&changed, entry + kTargetBytesAt, other);
      EXPECT_TRUE(isRefused(other == 200u ? sealed(changed) : changed)) << other;
    }
  }
  std::string odd = bytes;
  odd[kHeadBytes + 4 * kEntryBytes] = '\n';  // in a target
  EXPECT_TRUE(isRefused(sealed(odd)));
}

// After any change only what is inside is taken, and every part that is whole has the bytes that were written.
TEST(ModuleImageTest, NoChangeLeadsOutOfTheBytes) {
  const std::string bytes = writeModuleImage(someParts());
  std::mt19937 random(1);
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    for (unsigned n = random() % 4 + 1; n != 0; --n)
      changed[random() % (round % 2 == 0 ? 400 : bytes.size())] = static_cast<char>(random());
    if (random() % 4 == 0) changed.resize(random() % (bytes.size() + 40));
    if (random() % 2 == 0 && changed.size() > 600 && get<uint32_t>(changed, kCountAt) <= 4) {
      bool small = true;
      for (size_t i = 0; i < 4; ++i)
        small = small && get<uint32_t>(changed, kHeadBytes + i * kEntryBytes + kTargetBytesAt) < 64;
      if (small) changed = sealed(changed);
    }
    ModuleImage image;
    if (!read(&image, changed).ok()) continue;
    ++taken;
    for (const ImagePart& part : image.parts()) {
      EXPECT_GE(part.data.data(), changed.data());
      EXPECT_LE(part.data.data() + part.data.size(), changed.data() + changed.size());
      (void)ModuleImage::check(part, "test.rtm");
    }
  }
  EXPECT_GT(taken, 100) << "the changes found nothing to look at";
}

TEST(ModuleImageTest, ASourceIsReadAsItWasGiven) {
  const std::string_view more[] = {"second", ""};
  const char* const names[] = {"a.h", "b/c.h"};
  const char* const texts[] = {"#define A 1\n", ""};
  Image given;
  given.data = "first";
  given.more_count = 2;
  given.more = more;
  given.options = "-DX=\"1 2\"";
  given.name = "three.cl";
  given.header_count = 2;
  given.header_names = names;
  given.headers = texts;
  const BuiltPart built = sourcePart(sourceData(given));
  EXPECT_EQ(built.target, "OPENCL_C");
  const ImagePart part{static_cast<uint32_t>(built.kind), built.form, built.target, built.data, {}};
  SourceOfImage source;
  const Status status = source.read(part, "test.rtm");
  ASSERT_TRUE(status.ok()) << status.message();
  const Image image = source.image();
  EXPECT_EQ(image.format, RT_IMAGE_OPENCL_C);
  EXPECT_EQ(image.data, "first");
  ASSERT_EQ(image.more_count, 2u);
  EXPECT_EQ(image.more[0], "second");
  EXPECT_EQ(image.more[1], "");
  EXPECT_STREQ(image.options, "-DX=\"1 2\"");
  EXPECT_STREQ(image.name, "three.cl");
  ASSERT_EQ(image.header_count, 2u);
  EXPECT_STREQ(image.header_names[1], "b/c.h");
  EXPECT_STREQ(image.headers[0], "#define A 1\n");
  EXPECT_EQ(sourceData(image), built.data);
  for (size_t length = 0; length < built.data.size(); ++length) {
    ImagePart cut = part;
    cut.data = part.data.substr(0, length);
    SourceOfImage other;
    EXPECT_EQ(other.read(cut, "test.rtm").code(), RT_ERROR_INVALID_IMAGE) << length;
  }
  ImagePart later = part;
  later.form = 2;
  SourceOfImage other;
  EXPECT_EQ(other.read(later, "test.rtm").code(), RT_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace manyrt::backend
