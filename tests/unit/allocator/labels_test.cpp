// Labels by address: the last one counts, collisions forget the oldest, and a reader beside writers sees whole labels alone.
#include "allocator/labels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

namespace manyrt::allocator::labels {
namespace {

std::string labelOf(uintptr_t address) {
  char label[kMost] = "";
  return read(address, label) ? label : "";
}

TEST(LabelsTest, AnAddressHasTheLastLabelThatItWasGiven) {
  EXPECT_EQ(labelOf(0x7000100), "");
  note(0x7000100, "first");
  note(0x7000100, "second");
  note(0x7000200, "other");
  EXPECT_EQ(labelOf(0x7000100), "second");
  EXPECT_EQ(labelOf(0x7000200), "other");
}

TEST(LabelsTest, ALongLabelIsCut) {
  note(0x7000300, std::string(200, 'x').c_str());
  EXPECT_EQ(labelOf(0x7000300), std::string(kMost - 1, 'x'));
}

TEST(LabelsTest, MoreLabelsThanPlacesForgetEarlierOnes) {
  for (uintptr_t i = 1; i <= 20000; ++i) note(i << 20, "many");
  EXPECT_EQ(labelOf(uintptr_t{20000} << 20), "many");
}

TEST(LabelsTest, AReaderBesideWritersSeesWholeLabels) {
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) note(0x7000400, std::string(40, static_cast<char>('a' + i % 26)).c_str());
    done = true;
  });
  while (!done) {
    const std::string label = labelOf(0x7000400);
    if (label.empty()) continue;
    EXPECT_EQ(label, std::string(40, label[0]));
  }
  writer.join();
}

}  // namespace
}  // namespace manyrt::allocator::labels
