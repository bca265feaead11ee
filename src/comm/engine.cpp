// NCCL where each rank has a CUDA device of its own, and NCCL is there; else copies and kernels in this process, which every
// device has. RT_COMM_ENGINE chooses, also shared memory, which is else for ranks of several processes (rendezvous.cpp).
#include "comm/engine.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/config.h"
#include "comm/in_process/create.h"
#include "comm/nccl/rank.h"
#include "comm/shared_memory/rank.h"

namespace manyrt::comm {
namespace {

bool allOnCuda(const std::vector<Place>& places) {
  return std::all_of(places.begin(), places.end(), [](const Place& at) { return at.backend == RT_BACKEND_CUDA; });
}

bool allDevicesDiffer(const std::vector<Place>& places) {
  std::set<rtDevice_t> devices;
  for (const Place& place : places) devices.insert(place.device);
  return devices.size() == places.size();
}

// Copies between two GPUs take the way through the host where this is not switched on. Where a driver has no more peers to
// give, they go on doing so.
void enablePeers(const std::vector<Place>& places) {
  std::map<rtContext_t, rtDevice_t> contexts;  // many ranks may have one
  for (const Place& place : places) contexts.emplace(place.context, place.device);
  // Both directions are switched on: which rank reads and which writes depends on the operation.
  for (const auto& [context, device] : contexts) {
    for (const auto& [peer_context, peer_device] : contexts) {
      int32_t can = 0;  // asked first, as a refusal would replace the core's last sentence
      if (peer_device == device || rtDeviceCanAccessPeer(&can, peer_device, device) != RT_SUCCESS) continue;
      if (can != 0) (void)rtContextEnablePeerAccess(peer_context, context);
    }
  }
}

}  // namespace

Status createHere(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings) {
  const char* const chosen = config::get(config::Variable::kCommEngine);
  const bool in_process = chosen != nullptr && strcmp(chosen, "in_process") == 0;
  const bool nccl = chosen != nullptr && strcmp(chosen, "nccl") == 0;
  const bool shared = chosen != nullptr && strcmp(chosen, "shared_memory") == 0;
  const bool mpi = chosen != nullptr && strcmp(chosen, "mpi") == 0;  // says something of MPI's communicators alone
  RT_CHECK_ARG(chosen == nullptr || in_process || nccl || shared || mpi,
               "RT_COMM_ENGINE=%s is no engine; in_process, nccl, shared_memory and mpi are.", chosen);
  // Asked for by name, also for ranks of one process: tests compare the engines so.
  if (shared) {
    Settings own = settings;
    if (allOnCuda(places)) own.reason = "RT_COMM_ENGINE=shared_memory.";
    return shared_memory::createHere(members, std::move(places), own);
  }
  enablePeers(places);
  // Without NCCL: for a reason where all are on CUDA.
  const auto createWithout = [&](const char* reason) {
    Settings own = settings;
    if (allOnCuda(places)) own.reason = reason;
    return createInProcess(members, std::move(places), own);
  };
  if (in_process) return createWithout("RT_COMM_ENGINE=in_process.");
  // NCCL refuses two ranks on one device, in the middle of its start.
  if (!allOnCuda(places) || !allDevicesDiffer(places)) return createWithout("Two ranks have the same device.");
  const nccl::Library* library = nullptr;
  if (const Status found = nccl::open(&library); !found.ok()) {
    const bool named = nccl || config::get(config::Variable::kNccl) != nullptr;  // what was asked for is not replaced
    return named ? found : createWithout(found.message());
  }
  return nccl::create(members, std::move(places), settings);
}

}  // namespace manyrt::comm
