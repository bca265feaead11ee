// The rendezvous of processes over TCP: rank 0 listens, the others connect. All leave with the same unique id, or all that came
// with the same failure. It knows nothing of contexts and engines. docs/design/comm.md has the messages in their order.
//
// A wait goes on after a signal whose handler returns. A stranger that connects is told nothing but a random number. It keeps
// no rank from coming, whether it sends garbage, nothing, or half a message.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "comm/bootstrap/launch.h"
#include "rt_comm.h"

namespace manyrt::comm::bootstrap {

// The facts that one process comes with.
struct Party {
  Launch launch;
  uint32_t version = 0;  // of the library, as rtGetVersion has it
  int32_t backend = RT_BACKEND_INVALID;
  uint8_t device[16] = {};   // its UUID; zeros: none
  bool own_devices = false;  // of rank 0: NCCL joins them, where each rank is on CUDA, and wants a device for each
  std::string label;
  uint64_t timeout_ns = 0;
};

// Whether this process can create with the id: asked on every rank, when all have come. A failure is that of all.
using Admit = std::function<Status(const rtCommUniqueId_t&)>;

// Rank 0's part. Blocks for at most the shortest time of a rank that has come, and a second in which the others are told.
Status meetAsHost(const Party& party, const rtCommUniqueId_t& id, const Admit& admit);

// The others' part. Blocks for at most the rank's time, and kGrace in which rank 0 tells which ranks are missing.
Status meetAsGuest(rtCommUniqueId_t* id, const Party& party, const Admit& admit);

inline constexpr int64_t kGrace = 3'000'000'000;     // nanoseconds
inline constexpr int64_t kPatience = 5'000'000'000;  // for the answer to one message of a program that may be a stranger

}  // namespace manyrt::comm::bootstrap
