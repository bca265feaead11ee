// The link of a communicator's processes where the engine knows nothing of them. It is a hub in the process of rank 0, to which
// each rank keeps a connection. The hub hears when a process ends, passes failures on, and finds out which rank is late. It
// knows nothing of engines. presence.h is the other end.
//
// Ranks of the host of rank 0 connect by a Unix socket without a file. Those of a launcher's several hosts connect by TCP to
// the address at which rank 0 was named. Both ends prove that they have the id of the communicator, and the launcher's token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/os/descriptor.h"
#include "base/status.h"
#include "comm/bootstrap/address.h"

namespace manyrt::comm::bootstrap {

struct HubPlace {
  std::string secret;              // what the ranks of this communicator have in common, and no other program
  std::optional<Address> address;  // none: the Unix socket that follows from the secret
  // The process of rank 0 has a hub that this one can reach. Else rank 0 may be on another host, or a network between them.
  bool certain = false;
};

// The place of a communicator that was split off one with this place.
HubPlace placeOfPart(const HubPlace& parent, uint64_t number, int32_t color);

// The socket where ranks of other hosts come, at the address of the launch and a port that the system chooses.
Status listenForHub(Descriptor* socket, Address* bound, const Launch& launch);

// Serves on a thread of its own, which ends when all ranks have come and gone, or none has come for half a minute. Without a
// `listening` socket it makes that of the place.
Status beginHub(Descriptor listening, const HubPlace& place, int32_t size);

// The other end's part: connects to the hub and proves itself.
Status connectToHub(Descriptor* socket, const HubPlace& place);

inline constexpr int64_t kBeatTime = 1'000'000'000;    // nanoseconds from one beat to the next
inline constexpr int64_t kSilence = 10'000'000'000;    // after which a process counts as gone: its host is
inline constexpr int64_t kAnswerTime = 1'000'000'000;  // for a rank to say how far it is
inline constexpr int64_t kAttendTime = 2'000'000'000;  // for a rank to come to the hub, when NCCL has met all
inline constexpr int64_t kIdleTime = 30'000'000'000;   // of a hub to which not all ranks have come

}  // namespace manyrt::comm::bootstrap
