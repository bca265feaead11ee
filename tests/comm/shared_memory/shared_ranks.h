// One rank in one process, and what its communicator leaves in /dev/shm: nothing.
#pragma once

#include <dirent.h>

#include <cstring>
#include <string>

#include "comm/processes.h"

namespace commtest {

inline constexpr char kLayout[] = "COMM_TEST_LAYOUT";
inline constexpr char kPart[] = "SharedMemoryRank";

struct OwnRank {
  rttest::Context context;
  rttest::Stream stream;
  Comm comm;

  void open(const std::string& layout, int rank) {
    std::vector<std::string> names;
    std::istringstream words(layout);
    for (std::string name; words >> name;) names.push_back(name);
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, names[static_cast<size_t>(rank) % names.size()].c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  }
  rtStatus_t create(const rtCommUniqueId_t& id, int rank, int size, uint64_t timeout_ns = RT_TIMEOUT_INFINITE) {
    if (context.get() == nullptr) open("cpu", rank);
    const rtCommOptions_t given = options(timeout_ns, "far");
    return rtCommCreate(comm.out(), &given, &id, rank, size, context);
  }
};

// The beginning of all names of the id's process, by the token in the id.
inline std::string prefixOf(const rtCommUniqueId_t& id) { return "manyrt-" + toText(id).substr(16, 32); }

// Names in /dev/shm that begin with `prefix`.
inline std::vector<std::string> left(const std::string& prefix) {
  std::vector<std::string> names;
  DIR* const folder = opendir("/dev/shm");
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder)) {
    if (std::string(entry->d_name).rfind(prefix, 0) == 0) names.emplace_back(entry->d_name);
  }
  (void)closedir(folder);
  return names;
}

class SharedMemoryTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_COMM_OK(rtCommGetUniqueId(&id_)); }
  void start(int rank, int size, const std::string& part, int signal = 0, rttest::Environment more = {}) {
    processes_.start(id_, rank, size, std::string(kPart) + "." + part, signal, std::move(more));
  }
  void TearDown() override {
    processes_.join();
    EXPECT_EQ(left(prefixOf(id_)), std::vector<std::string>());
  }

  rtCommUniqueId_t id_ = {};
  Processes processes_;
};

}  // namespace commtest
