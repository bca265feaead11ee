// main of the suites that run on devices and need nothing else: the skips are held against the file SKIPS (see skip_list.h).
#include "support/skip_list.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rttest::SkipList* skips = rttest::SkipList::install(MANYRT_SKIPS);
  if (skips == nullptr) return 1;
  const int failed = RUN_ALL_TESTS();
  return skips->report() && failed == 0 ? 0 : 1;
}
