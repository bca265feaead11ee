// Splits of a communicator among processes, as the ranks of one process share them. The colors, keys and hosts of all ranks go
// round by an all-gather, and NCCL splits when it has come to all. The process makes its ranks of each part together, as NCCL
// ends the communicators of one process together, too.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "comm/bootstrap/hub.h"
#include "comm/communicator.h"
#include "comm/nccl/library.h"

namespace manyrt::comm::nccl {

// A number that this host has and no other; 0: unknown. Sockets without a file are found within one name space of the network.
// Containers of one host may have one each: they are hosts of their own here.
uint64_t numberOfHost();

// A rank's words about itself.
struct SplitCard {
  int32_t color;
  int32_t key;
  uint64_t host;  // numberOfHost()
};

// One split of one rank: memory of the device and of the host for the cards of all ranks, and the stream that fills them.
struct SplitCall {
  explicit SplitCall(const SplitCard& own) : card(own) {}
  ~SplitCall();
  SplitCall(const SplitCall&) = delete;
  SplitCall& operator=(const SplitCall&) = delete;

  const SplitCard card;
  rtStream_t stream = nullptr;
  void* on_device = nullptr;
  SplitCard* cards = nullptr;  // pinned
  NativeComm* made = nullptr;  // written by the thread that calls NCCL; read when the stream is over
};

// One part of a split, as this process has it: its members by new rank, null for those of other processes.
struct SplitPart {
  std::vector<std::shared_ptr<Communicator>> members;
  int32_t taken = 0;
};

struct Splits {
  std::vector<Place> places;                                                 // of the parent, by rank
  std::vector<bool> local;                                                   // its ranks of this process
  std::optional<bootstrap::HubPlace> hub;                                    // of the parent
  std::mutex mutex;                                                          // of the next two
  std::map<std::pair<uint64_t, int32_t>, std::shared_ptr<SplitCall>> calls;  // by ticket and rank
  std::map<std::pair<uint64_t, int32_t>, SplitPart> parts;                   // by ticket and color
};

}  // namespace manyrt::comm::nccl
