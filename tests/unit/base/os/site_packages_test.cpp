// Which paths of a library or program are those of a wheel.
#include "base/os/site_packages.h"

#include <filesystem>

#include "unit/compiler/temporary.h"

namespace manyrt {
namespace {

using SitePackagesTest = compiler::TemporaryTest;

TEST_F(SitePackagesTest, AWheelHasModulesBesideItsLibrary) {
  std::filesystem::create_directories(path("site-packages/manyrt/lib"));
  const std::string site = path("site-packages");
  EXPECT_EQ(sitePackagesOf(site + "/manyrt/lib/libmanyrt.so.0"), "");  // as `make install` into a prefix called manyrt
  write("site-packages/manyrt/_interface.py", "", 0600);
  EXPECT_EQ(sitePackagesOf(site + "/manyrt/lib/libmanyrt.so.0"), site);
  EXPECT_EQ(sitePackagesOf(site + "/manyrt/bin/manyrt"), site);
}

TEST_F(SitePackagesTest, OtherPathsAreNoWheels) {
  std::filesystem::create_directories(path("manyrt"));
  write("manyrt/_interface.py", "", 0600);
  for (const char* other : {"", "libmanyrt.so.0", "/usr/lib/x86_64-linux-gnu/libmanyrt.so.0", "/usr/bin/manyrt"}) {
    EXPECT_EQ(sitePackagesOf(other), "") << other;
  }
  EXPECT_EQ(sitePackagesOf(folder() + "/notmanyrt/lib/libmanyrt.so.0"), "");
}

TEST(SitePackages, TheseTestsAreNotInAWheel) {
  EXPECT_EQ(sitePackages(), "");
  EXPECT_TRUE(nvidiaFolders().empty());
}

}  // namespace
}  // namespace manyrt
