// NCCL where each rank has a CUDA device of its own, and NCCL is there; else copies and kernels in this process, which every
// device has. RT_COMM_ENGINE chooses, also shared memory, which is else for ranks of several processes (rendezvous.cpp).
#include "comm/engine.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/config.h"
#include "comm/in_process/create.h"
#include "comm/nccl/rank.h"
#include "comm/shared_memory/rank.h"

namespace manyrt::comm {
namespace {

bool eachHasACudaDevice(const std::vector<Place>& places) {
  std::set<rtDevice_t> devices;
  for (const Place& place : places) devices.insert(place.device);
  return devices.size() == places.size() &&
         std::all_of(places.begin(), places.end(), [](const Place& at) { return at.backend == RT_BACKEND_CUDA; });
}

// Copies between two GPUs take the way through the host where this is not switched on. Where a driver has no more peers to
// give, they go on doing so.
void enablePeers(const std::vector<Place>& places) {
  for (const Place& place : places) {
    for (const Place& peer : places) {
      int32_t can = 0;  // asked first, as a refusal would replace the core's last sentence
      if (peer.device == place.device || rtDeviceCanAccessPeer(&can, peer.device, place.device) != RT_SUCCESS) continue;
      if (can != 0) (void)rtContextEnablePeerAccess(peer.context, place.context);
    }
  }
}

}  // namespace

Status createHere(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings) {
  const char* const chosen = config::get(config::Variable::kCommEngine);
  const bool in_process = chosen != nullptr && strcmp(chosen, "in_process") == 0;
  const bool nccl = chosen != nullptr && strcmp(chosen, "nccl") == 0;
  const bool shared = chosen != nullptr && strcmp(chosen, "shared_memory") == 0;
  RT_CHECK_ARG(chosen == nullptr || in_process || nccl || shared,
               "RT_COMM_ENGINE=%s is no engine; in_process, nccl and shared_memory are.", chosen);
  if (shared) return shared_memory::createHere(members, std::move(places), settings);
  enablePeers(places);
  const nccl::Library* library = nullptr;
  if (in_process || !eachHasACudaDevice(places)) return createInProcess(members, std::move(places), settings);
  if (const Status found = nccl::open(&library); !found.ok()) {
    const bool named = nccl || config::get(config::Variable::kNccl) != nullptr;  // what was asked for is not replaced
    return named ? found : createInProcess(members, std::move(places), settings);
  }
  return nccl::create(members, std::move(places), settings);
}

}  // namespace manyrt::comm
