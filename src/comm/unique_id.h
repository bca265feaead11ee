// The contents of an id of rtCommGetUniqueId: which process made it, and its number there. A program sees bytes alone and hands
// them to the other ranks as they are.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "comm/bootstrap/hub.h"
#include "comm/nccl/declarations.h"
#include "rt_comm.h"

namespace manyrt::comm {

struct UniqueId {
  uint64_t mark;        // no other bytes are an id
  uint8_t process[16];  // random, one for each process
  uint64_t number;      // of the ids of that process, from 1
  uint64_t has_nccl;    // 1: `nccl` is NCCL's own id, by which ranks of several processes meet
  nccl::NativeId nccl;
  uint64_t host[3];  // where processes find the ranks' shared memory by the id; zeros: nowhere
  // Where the ranks of a launcher find the hub (bootstrap/hub.h); family 0: by a socket of the host.
  uint16_t hub_family;
  uint16_t hub_port;
  uint32_t hub_scope;
  uint8_t hub_address[16];
  uint64_t check;  // over all above
};
static_assert(sizeof(UniqueId) <= sizeof(rtCommUniqueId_t));

// 16 random bytes, drawn once.
Status tokenOfProcess(const uint8_t** token);

Status makeUniqueId(rtCommUniqueId_t* out);
// Puts the address of a hub into an id that this process made.
Status setHub(rtCommUniqueId_t* id, const bootstrap::Address& address);
// The place of the hub that the id tells. `token` is the launcher's.
bootstrap::HubPlace hubOf(const UniqueId& id, const std::string& token);
// Refuses what is no id. `made_here`: this process made it.
Status readUniqueId(UniqueId* id, bool* made_here, const rtCommUniqueId_t& bytes);

}  // namespace manyrt::comm
