// The ranks of one process for a test: a context, a stream and a communicator for each, all driven by one thread. A layout
// names the devices in turn: "cpu" for all ranks, "cpu opencl:0" for every second one.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "comm/check.h"
#include "comm/elements.h"
#include "support/device_test.h"
#include "support/handles.h"

namespace commtest {

using Comm = rttest::Owned<rtComm_t, rtCommDestroy>;

// Time-outs that a test waits for are short; those that it does not expect are long, also under a sanitizer.
inline constexpr uint64_t kShort = 200'000'000;
inline constexpr uint64_t kLong = 120'000'000'000;

inline rtCommOptions_t options(uint64_t timeout_ns, const char* label = "") {
  rtCommOptions_t made = RT_COMM_OPTIONS_INIT;
  made.timeout_ns = timeout_ns;
  std::strncpy(made.label, label, sizeof made.label - 1);
  return made;
}

inline std::vector<std::string> layouts() {
  std::vector<std::string> all = {"cpu"};
  std::string others;
  for (const std::string& name : rttest::deviceNames()) {
    if (!name.starts_with("opencl") && !name.starts_with("cuda")) continue;
    all.push_back(name);
    others += " " + name;
  }
  if (!others.empty()) all.push_back("cpu" + others);
  return all;
}

inline std::string layoutName(std::string layout) {
  for (char& letter : layout) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return layout;
}

// One rank's words about the communicator.
inline void expectCommFailure(rtStatus_t code, int32_t about, const std::string& words, rtComm_t comm) {
  rtStatus_t status = RT_SUCCESS;
  int32_t rank = -2;
  char text[512] = "";
  EXPECT_COMM_OK(rtCommGetStatus(&status, &rank, comm));
  EXPECT_COMM_OK(rtCommGetStatusMessage(text, sizeof text, nullptr, comm));
  EXPECT_EQ(status, code) << text;
  EXPECT_EQ(rank, about) << text;
  EXPECT_NE(std::string(text).find(words), std::string::npos) << text;
}

inline rtCommInfo_t infoOf(rtComm_t comm) {
  rtCommInfo_t info = RT_COMM_INFO_INIT;
  EXPECT_COMM_OK(rtCommGetInfo(&info, comm));
  return info;
}

struct Ranks {
  std::vector<rttest::Context> contexts;
  std::vector<rttest::Stream> streams;
  std::vector<Comm> comms;

  int size() const { return static_cast<int>(comms.size()); }

  // Call with ASSERT_NO_FATAL_FAILURE.
  void make(const std::string& layout, int count, uint64_t timeout_ns = kLong, const char* label = "") {
    std::vector<std::string> names;
    std::istringstream words(layout);
    for (std::string name; words >> name;) names.push_back(name);
    std::vector<rtContext_t> handles;
    for (int rank = 0; rank < count; ++rank) {
      rtDevice_t device = nullptr;
      ASSERT_RT_OK(rtDeviceGetByName(&device, names[static_cast<size_t>(rank) % names.size()].c_str()));
      ASSERT_RT_OK(rtContextCreate(contexts.emplace_back().out(), nullptr, device));
      ASSERT_RT_OK(rtStreamCreate(streams.emplace_back().out(), nullptr, contexts.back()));
      handles.push_back(contexts.back());
    }
    const rtCommOptions_t given = options(timeout_ns, label);
    std::vector<rtComm_t> made(static_cast<size_t>(count));
    ASSERT_COMM_OK(rtCommCreateAll(made.data(), &given, handles.data(), static_cast<uint32_t>(count)));
    for (const rtComm_t comm : made) comms.emplace_back(comm);
  }

  void synchronize() {
    for (const rttest::Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  }

  // The failure of these streams, and what every rank says of the communicator.
  void expectFailure(rtStatus_t code, int32_t about, const std::string& words, const std::vector<int>& failed) {
    for (const int rank : failed) EXPECT_RT(code, rtStreamSynchronize(streams[rank])) << "rank " << rank;
    for (const Comm& comm : comms) {
      if (comm.get() != nullptr) expectCommFailure(code, about, words, comm);
    }
  }
};

// Memory of a rank's context with contents.
inline void upload(rttest::Memory* memory, const Bytes& bytes, rtContext_t context) {
  ASSERT_RT_OK(rtMalloc(memory->out(), bytes.size(), context));
  ASSERT_RT_OK(rtMemcpy(memory->get(), bytes.data(), bytes.size(), RT_MEMCPY_DEFAULT));
}

inline Bytes download(const void* memory, size_t size) {
  Bytes bytes(size);
  EXPECT_RT_OK(rtMemcpy(bytes.data(), memory, size, RT_MEMCPY_DEFAULT));
  return bytes;
}

}  // namespace commtest
