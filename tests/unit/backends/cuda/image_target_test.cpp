// The targets that images name, whole and cut off, and which devices take them. The heads are those that the toolkit's tools
// write.
#include "backends/cuda/image_target.h"

#include <gtest/gtest.h>

#include "rt.h"
#include "support/cuda_images.h"

namespace manyrt::cuda {
namespace {

// The head of a cubin, by the version of its form.
std::string cubin(unsigned char version, uint32_t flags) {
  std::string head(64, '\0');
  memcpy(head.data(), "\177ELF\2\1\1\63", 8);
  head[8] = static_cast<char>(version);
  head[18] = static_cast<char>(190);
  memcpy(head.data() + 48, &flags, sizeof flags);
  return head;
}

std::string names(int32_t format, const std::string& image) {
  std::string all;
  for (const ImageTarget& target : imageTargets(format, image)) all += (all.empty() ? "" : ", ") + target.name();
  return all;
}

TEST(ImageTargetTest, EachFormatSaysWhatItIsFor) {
  EXPECT_EQ(names(RT_IMAGE_PTX, "//\n.version 8.0\n.target sm_90a, texmode_independent\n"), "PTX for sm_90a");
  EXPECT_EQ(names(RT_IMAGE_CUBIN, cubin(7, 0x5A055A)), "sm_90");
  EXPECT_EQ(names(RT_IMAGE_CUBIN, cubin(8, 0x6005A04)), "sm_90");
  EXPECT_EQ(names(RT_IMAGE_FATBIN, rttest::fatbin({{75, cubin(8, 0x6004B04)}, {90, cubin(8, 0x6005A04)}})), "sm_75, sm_90");
}

TEST(ImageTargetTest, WhatIsNoSuchImageSaysNothing) {
  EXPECT_EQ(names(RT_IMAGE_PTX, "no PTX at all"), "");
  EXPECT_EQ(names(RT_IMAGE_PTX, ".version 8.0\n.target"), "");
  EXPECT_EQ(names(RT_IMAGE_PTX, ".version 8.0\n.target  sm_"), "");
  EXPECT_EQ(names(RT_IMAGE_CUBIN, cubin(9, 0x5A)), "") << "a form that is not known";
  EXPECT_EQ(names(RT_IMAGE_CUBIN, std::string(64, '\0')), "");
}

TEST(ImageTargetTest, NothingIsReadAfterTheEnd) {
  const std::string fat = rttest::fatbin({{75, cubin(8, 0x6004B04)}, {90, cubin(8, 0x6005A04)}});
  for (size_t size = 0; size < fat.size(); ++size) {  // in memory of just that size, for AddressSanitizer
    const std::vector<char> cut(fat.begin(), fat.begin() + static_cast<ptrdiff_t>(size));
    (void)imageTargets(RT_IMAGE_FATBIN, {cut.data(), cut.size()});
    (void)imageTargets(RT_IMAGE_CUBIN, {cut.data(), cut.size()});
  }
  std::string endless = fat;
  memset(endless.data() + 24, 0xFF, 8);  // the first entry's size
  EXPECT_LE(imageTargets(RT_IMAGE_FATBIN, endless).size(), 1u);
}

TEST(ImageTargetTest, CodeStaysInItsGenerationAndPtxGoesToNewerDevices) {
  EXPECT_TRUE((ImageTarget{80, '\0', false}).runsOn(86));
  EXPECT_FALSE((ImageTarget{86, '\0', false}).runsOn(80));
  EXPECT_FALSE((ImageTarget{80, '\0', false}).runsOn(90));
  EXPECT_TRUE((ImageTarget{80, '\0', true}).runsOn(90));
  EXPECT_FALSE((ImageTarget{100, '\0', true}).runsOn(90));
  EXPECT_FALSE((ImageTarget{90, 'a', true}).runsOn(100));
  EXPECT_TRUE((ImageTarget{90, 'a', true}).runsOn(90));
  EXPECT_TRUE((ImageTarget{100, 'f', true}).runsOn(103));
  EXPECT_FALSE((ImageTarget{100, 'f', true}).runsOn(120));
}

TEST(ImageTargetTest, TheSentenceNamesBothSidesWhereTheyDiffer) {
  EXPECT_EQ(wrongTarget(RT_IMAGE_CUBIN, cubin(8, 0x6004B04), 1, 90), "The image is for sm_75; cuda:1 is sm_90. ");
  EXPECT_EQ(wrongTarget(RT_IMAGE_CUBIN, cubin(8, 0x6005A04), 1, 90), "");
  EXPECT_EQ(wrongTarget(RT_IMAGE_CUBIN, "", 0, 90), "What the image is for is not known; cuda:0 is sm_90. ");
}

}  // namespace
}  // namespace manyrt::cuda
