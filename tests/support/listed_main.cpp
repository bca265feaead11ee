// main of the suites that run on devices and need nothing else: the skips are held against the file SKIPS (see skip_list.h).
// MANYRT_NO_SKIPS: of an entry on a device that can do everything; then any skip fails the run.
#include <cstdlib>

#include "support/skip_list.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* list = std::getenv("MANYRT_NO_SKIPS") != nullptr ? "/dev/null" : MANYRT_SKIPS;
  rttest::SkipList* skips = rttest::SkipList::install(list);
  if (skips == nullptr) return 1;
  const int failed = RUN_ALL_TESTS();
  return skips->report() && failed == 0 ? 0 : 1;
}
