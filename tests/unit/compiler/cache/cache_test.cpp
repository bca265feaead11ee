// The folder of compiled code: what comes back, what does not, whose folder is used, and many processes at once.
#include "compiler/cache/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "rt.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;

Digest keyOf(uint64_t number) {
  Blake2b hash;
  hash.add(&number, sizeof number);
  return hash.finish();
}

Bytes contents(uint64_t number, size_t size) {
  Bytes bytes(size);
  uint64_t state = number * 2 + 1;
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>((state = state * 6364136223846793005u + 1) >> 56);
  return bytes;
}

// In a process of its own; true if `body` returned true.
bool inChild(const std::function<bool()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(120);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool operator==(const cache::Entry& entry, const Bytes& expected) {
  return std::equal(entry.data(), entry.data() + entry.size(), expected.begin(), expected.end());
}

class CacheTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CACHE_DIR", path("cache").c_str());
    environment("RT_CACHE_SIZE", nullptr);
  }
  static bool holds(const Digest& key, const Bytes& expected) {
    cache::Entry data;
    return cache::load(&data, key) && data == expected;
  }
  static bool misses(const Digest& key) {
    cache::Entry data;
    return !cache::load(&data, key);
  }
  std::string file(const Digest& key) const { return path("cache/" + hexadecimal(key)); }
  static void put(const Digest& key, const Bytes& bytes) { cache::store(cache::directory(), key, bytes.data(), bytes.size()); }
  size_t files() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path("cache"))) ++count;
    return count;
  }
  static void setAge(const std::string& name, int64_t seconds) {
    timespec times[2] = {};
    times[0].tv_sec = times[1].tv_sec = time(nullptr) - seconds;
    ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
  }
};

TEST_F(CacheTest, WhatWasStoredComesBack) {
  EXPECT_TRUE(misses(keyOf(1)));
  for (size_t size : {0, 1, 31, 32, 33, 20000, 3 << 20}) {
    put(keyOf(size), contents(size, size));
    EXPECT_TRUE(holds(keyOf(size), contents(size, size))) << size;
  }
  EXPECT_TRUE(misses(keyOf(1'000'000)));
  put(keyOf(1), contents(7, 100));
  EXPECT_TRUE(holds(keyOf(1), contents(7, 100))) << "the second store of a key counts";
}

TEST_F(CacheTest, FolderAndEntriesAreClosedToOthers) {
  const mode_t before = umask(0);
  put(keyOf(1), contents(1, 10));
  umask(before);
  struct stat about;
  ASSERT_EQ(stat(path("cache").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(file(keyOf(1)).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_EQ(files(), 1u) << "nothing temporary is left";
}

TEST_F(CacheTest, EachChangedByteMakesAMiss) {
  const Bytes bytes = contents(3, 200);
  put(keyOf(3), bytes);
  const std::string whole = read(file(keyOf(3)));
  ASSERT_EQ(whole.size(), 264u);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      write("cache/" + hexadecimal(keyOf(3)), changed);
      ASSERT_TRUE(misses(keyOf(3))) << at << " bit " << bit;
    }
  }
  write("cache/" + hexadecimal(keyOf(3)), whole);
  EXPECT_TRUE(holds(keyOf(3), bytes));
}

TEST_F(CacheTest, TruncatedAndLongerEntriesAreMisses) {
  put(keyOf(3), contents(3, 200));
  const std::string whole = read(file(keyOf(3)));
  for (size_t size = 0; size < whole.size(); ++size) {
    write("cache/" + hexadecimal(keyOf(3)), whole.substr(0, size));
    ASSERT_TRUE(misses(keyOf(3))) << size;
  }
  write("cache/" + hexadecimal(keyOf(3)), whole + '\0');
  EXPECT_TRUE(misses(keyOf(3)));
  put(keyOf(3), contents(3, 200));
  EXPECT_TRUE(holds(keyOf(3), contents(3, 200))) << "a store repairs it";
}

TEST_F(CacheTest, AnEntryUnderAnotherKeyIsAMiss) {
  put(keyOf(1), contents(1, 50));
  fs::copy_file(file(keyOf(1)), file(keyOf(2)));
  EXPECT_TRUE(misses(keyOf(2)));
}

TEST_F(CacheTest, EntriesThatOthersCouldHaveWrittenAreMisses) {
  put(keyOf(1), contents(1, 50));
  chmod(file(keyOf(1)).c_str(), 0620);
  EXPECT_TRUE(misses(keyOf(1)));
  chmod(file(keyOf(1)).c_str(), 0602);
  EXPECT_TRUE(misses(keyOf(1)));
  chmod(file(keyOf(1)).c_str(), 0600);
  EXPECT_TRUE(holds(keyOf(1), contents(1, 50)));
  fs::rename(file(keyOf(1)), path("elsewhere"));
  fs::create_symlink(path("elsewhere"), file(keyOf(1)));
  EXPECT_TRUE(misses(keyOf(1))) << "through a symbolic link";
  put(keyOf(1), contents(2, 50));
  EXPECT_TRUE(holds(keyOf(1), contents(2, 50)));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file(keyOf(1))))) << "a store replaces the link";
}

TEST_F(CacheTest, WhatIsNoFileNeitherBlocksNorIsRead) {
  put(keyOf(9), contents(9, 10));
  ASSERT_EQ(mkfifo(file(keyOf(1)).c_str(), 0600), 0);
  EXPECT_TRUE(misses(keyOf(1)));
  put(keyOf(1), contents(1, 10));
  EXPECT_TRUE(holds(keyOf(1), contents(1, 10)));
  fs::create_directory(file(keyOf(2)));
  EXPECT_TRUE(misses(keyOf(2)));
  put(keyOf(2), contents(2, 10));
  EXPECT_TRUE(misses(keyOf(2)));
  EXPECT_EQ(files(), 3u);
  if (geteuid() == 0 && mknod(file(keyOf(3)).c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0) {
    EXPECT_TRUE(misses(keyOf(3)));
  }
}

TEST_F(CacheTest, FoldersOfOtherModesAreNotUsed) {
  for (const mode_t mode : {0755, 0770, 0701, 0750, 0707, 0600, 0777}) {
    fs::create_directory(path("cache"));
    chmod(path("cache").c_str(), mode);
    put(keyOf(1), contents(1, 10));
    EXPECT_EQ(cache::folder(), "") << mode;
    EXPECT_TRUE(misses(keyOf(1))) << mode;
    chmod(path("cache").c_str(), 0700);
    EXPECT_EQ(files(), 0u) << mode;
    fs::remove(path("cache"));
  }
}

TEST_F(CacheTest, FoldersThatAreLinksOrFilesAreNotUsed) {
  fs::create_directory(path("real"));
  chmod(path("real").c_str(), 0700);
  fs::create_directory_symlink(path("real"), path("cache"));
  put(keyOf(1), contents(1, 10));
  EXPECT_EQ(cache::folder(), "");
  EXPECT_TRUE(fs::is_empty(path("real")));
  environment("RT_CACHE_DIR", (path("cache") + "/").c_str());
  EXPECT_EQ(cache::folder(), "") << "nor with a slash after it";
  for (const char* end : {"/.", "/./", "//.//.", "/real/.."}) {
    environment("RT_CACHE_DIR", (path("cache") + end).c_str());
    put(keyOf(1), contents(1, 10));
    EXPECT_EQ(cache::folder(), "") << end;
  }
  EXPECT_TRUE(fs::is_empty(path("real")));
  environment("RT_CACHE_DIR", write("file", "x").c_str());
  EXPECT_EQ(cache::folder(), "");
}

TEST_F(CacheTest, FoldersOfAnotherUserAreNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  put(keyOf(1), contents(1, 10));
  ASSERT_EQ(chown(file(keyOf(1)).c_str(), 12345, 12345), 0);
  EXPECT_TRUE(misses(keyOf(1))) << "an entry of another user";
  ASSERT_EQ(chown(path("cache").c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache::folder(), "");
}

TEST_F(CacheTest, TheFolderFollowsTheEnvironment) {
  EXPECT_EQ(cache::folder(), path("cache"));
  environment("RT_CACHE_DIR", "off");
  EXPECT_EQ(cache::folder(), "");
  environment("RT_CACHE_DIR", "relative/folder");
  EXPECT_EQ(cache::folder(), "");
  environment("RT_CACHE_DIR", path("several/levels/deep").c_str());
  EXPECT_EQ(cache::folder(), path("several/levels/deep"));
  environment("RT_CACHE_DIR", nullptr);
  environment("XDG_CACHE_HOME", path("xdg").c_str());
  environment("HOME", path("home").c_str());
  EXPECT_EQ(cache::folder(), path("xdg/manyrt"));
  environment("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(cache::folder(), path("home/.cache/manyrt")) << "the XDG rules pass over relative paths";
  environment("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(cache::folder(), path("home/.cache/manyrt"));
  environment("HOME", nullptr);
  EXPECT_EQ(cache::folder(), "");
}

TEST_F(CacheTest, ALookMakesNoFolder) {
  EXPECT_TRUE(misses(keyOf(1)));
  EXPECT_FALSE(fs::exists(path("cache")));
}

TEST_F(CacheTest, BeyondTheLimitTheLongestUnusedGo) {
  environment("RT_CACHE_SIZE", "8");
  constexpr size_t kSize = 1 << 20;  // large ones are counted at once
  for (uint64_t i = 0; i < 6; ++i) {
    put(keyOf(i), contents(i, kSize));
    setAge(file(keyOf(i)), static_cast<int64_t>(7200 + 1000 * i));  // 5 is the oldest
  }
  EXPECT_TRUE(holds(keyOf(5), contents(5, kSize)));  // and used now
  for (uint64_t i = 6; i < 9; ++i) put(keyOf(i), contents(i, kSize));
  uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(path("cache"))) total += entry.file_size();
  EXPECT_LE(total, 8u << 20);
  EXPECT_TRUE(holds(keyOf(8), contents(8, kSize)));
  EXPECT_TRUE(holds(keyOf(5), contents(5, kSize)));
  EXPECT_TRUE(misses(keyOf(4)));
}

TEST_F(CacheTest, AHitIsNotedAtMostOnceAnHour) {
  put(keyOf(1), contents(1, 10));
  setAge(file(keyOf(1)), 1800);
  const auto before = fs::last_write_time(file(keyOf(1)));
  EXPECT_TRUE(holds(keyOf(1), contents(1, 10)));
  EXPECT_EQ(fs::last_write_time(file(keyOf(1))), before);
  setAge(file(keyOf(1)), 7200);
  EXPECT_TRUE(holds(keyOf(1), contents(1, 10)));
  EXPECT_GT(fs::last_write_time(file(keyOf(1))), before);
}

TEST_F(CacheTest, AbandonedTemporaryFilesGoAndOthersStay) {
  put(keyOf(1), contents(1, 10));
  setAge(write("cache/.new-1-2-3", "of a writer that was killed"), 3600);
  write("cache/.new-4-5-6", "of a writer that writes");
  setAge(write("cache/readme", "not ours"), 1'000'000);
  environment("RT_CACHE_SIZE", "1");
  put(keyOf(2), contents(2, 2 << 20));  // large: the folder is looked through
  EXPECT_FALSE(fs::exists(path("cache/.new-1-2-3")));
  EXPECT_TRUE(fs::exists(path("cache/.new-4-5-6")));
  EXPECT_TRUE(fs::exists(path("cache/readme")));
}

TEST_F(CacheTest, AFullDiskFailsNothing) {
  put(keyOf(1), contents(1, 1000));
  EXPECT_TRUE(inChild([this] {
    const rlimit limit{4096, 4096};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    put(keyOf(2), contents(2, 100'000));  // a SIGXFSZ would end this process
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ) == 0 && misses(keyOf(2)) && holds(keyOf(1), contents(1, 1000)) && files() == 1;
  }));
}

TEST_F(CacheTest, AFullFileSystemFailsNothing) {
  fs::create_directory(path("small"));
  if (geteuid() != 0 || mount("none", path("small").c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "no tmpfs can be mounted";
  environment("RT_CACHE_DIR", path("small/cache").c_str());
  put(keyOf(1), contents(1, 1000));
  put(keyOf(2), contents(2, 4 << 20));
  EXPECT_TRUE(misses(keyOf(2)));
  EXPECT_TRUE(holds(keyOf(1), contents(1, 1000)));
  put(keyOf(3), contents(3, 1000));
  EXPECT_TRUE(holds(keyOf(3), contents(3, 1000))) << "what did not fit is gone";
  EXPECT_EQ(umount(path("small").c_str()), 0);
}

TEST_F(CacheTest, KilledWritersLeaveNoWrongEntry) {
  for (useconds_t delay = 0; delay < 4000; delay += 200) {
    const pid_t pid = fork();
    if (pid == 0) {
      for (uint64_t i = 0;; ++i) put(keyOf(i % 4), contents(i % 4, 300'000));
    }
    usleep(delay);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    for (uint64_t i = 0; i < 4; ++i) {
      cache::Entry data;
      if (cache::load(&data, keyOf(i))) {
        ASSERT_TRUE(data == contents(i, 300'000)) << delay;
      }
    }
  }
}

TEST_F(CacheTest, ManyProcessesAtOnceSeeWholeEntries) {
  environment("RT_CACHE_SIZE", "1");  // with removals all the time
  std::vector<pid_t> children;
  for (uint64_t process = 0; process < 32; ++process) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(120);
      bool good = true;
      for (uint64_t i = 0; i < 60; ++i) {
        const uint64_t number = (process * 7 + i * 13) % 24;
        cache::Entry data;
        if (cache::load(&data, keyOf(number))) {
          good = good && data == contents(number, 60'000);
        } else {
          put(keyOf(number), contents(number, 60'000));
        }
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const auto& entry : fs::directory_iterator(path("cache"))) {
    EXPECT_NE(entry.path().filename().string().substr(0, 5), ".new-") << "a temporary file is left";
  }
}

TEST_F(CacheTest, ContentsAreListedAndNothingIsMade) {
  cache::Contents found = cache::contents();
  EXPECT_EQ(found.path, path("cache"));
  EXPECT_FALSE(found.exists);
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.max_bytes, 512u << 20);
  EXPECT_FALSE(fs::exists(path("cache")));
  put(keyOf(1), contents(1, 1000));
  put(keyOf(2), contents(2, 2000));
  setAge(file(keyOf(2)), 10000);
  std::ofstream(path("cache/.new-1-2-3")) << "written";
  std::ofstream(path("cache/other")) << "not the cache's";
  environment("RT_CACHE_SIZE", "7");
  found = cache::contents();
  EXPECT_TRUE(found.exists);
  EXPECT_EQ(found.max_bytes, 7u << 20);
  EXPECT_EQ(found.temporary, 7u);
  ASSERT_EQ(found.entries.size(), 2u);
  EXPECT_EQ(found.entries[0].key, hexadecimal(keyOf(1)));  // the last used first
  EXPECT_EQ(found.entries[1].bytes, fs::file_size(file(keyOf(2))));
  EXPECT_LT(found.entries[1].used_at, found.entries[0].used_at - 9000);
  environment("RT_CACHE_DIR", "off");
  found = cache::contents();
  EXPECT_TRUE(found.off && found.path.empty() && !found.reason.empty());
}

TEST_F(CacheTest, ClearingRemovesItsOwnFilesOfASafeFolderAlone) {
  EXPECT_EQ(cache::clear().entries, 0u);  // of a folder that is not there
  put(keyOf(1), contents(1, 1000));
  put(keyOf(2), contents(2, 2000));
  std::ofstream(path("cache/other")) << "not the cache's";
  const uint64_t bytes = fs::file_size(file(keyOf(1))) + fs::file_size(file(keyOf(2)));
  fs::permissions(path("cache"), fs::perms(0755));
  EXPECT_NE(cache::contents().reason, "");
  EXPECT_EQ(cache::clear().entries, 0u);
  fs::permissions(path("cache"), fs::perms(0700));
  const cache::Cleared cleared = cache::clear();
  EXPECT_EQ(cleared.entries, 2u);
  EXPECT_EQ(cleared.bytes, bytes);
  EXPECT_EQ(cleared.failed, 0u);
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(misses(keyOf(1)));
}

TEST_F(CacheTest, NoDescriptorIsLeftOpen) {
  put(keyOf(1), contents(1, 10));
  const size_t before = openDescriptors();
  put(keyOf(1), contents(1, 2 << 20));
  EXPECT_TRUE(holds(keyOf(1), contents(1, 2 << 20)));
  EXPECT_TRUE(misses(keyOf(2)));
  EXPECT_EQ(openDescriptors(), before);
}

}  // namespace
}  // namespace manyrt::compiler
