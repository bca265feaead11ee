// The devices that an image was made for, as far as its bytes say. The driver says no more than that it does not fit;
// module_manager.cpp asks here for the sentence that names both sides. Knows no driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyrt::cuda {

struct ImageTarget {
  uint32_t architecture;  // 90: sm_90
  char suffix;            // of "sm_90a" in PTX, 'f' for families; '\0': none is known
  bool ptx;               // which newer devices take too

  bool runsOn(uint32_t device) const;
  std::string name() const;  // "sm_90a", "PTX for sm_80"
};

// The targets of PTX, a cubin or a fat binary; empty: it does not say.
std::vector<ImageTarget> imageTargets(int32_t format, std::string_view image);

// Reads the text that ImageTarget::name() gives. False: it is no such text.
bool readTarget(std::string_view text, ImageTarget* target);

// For a device that refused the image: "The image is for sm_70; cuda:0 is sm_90. ", or empty where the image says that it is
// for this device.
std::string wrongTarget(int32_t format, std::string_view image, int32_t ordinal, uint32_t device);

}  // namespace manyrt::cuda
