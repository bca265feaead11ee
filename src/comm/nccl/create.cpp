// Making ranks. All of them are in this process, so that one call of NCCL starts all, and succeeds or fails for all at once.
// With a call for each rank, the others would stay in NCCL for ever after a failure of one. The call has a thread of its own,
// since NCCL has no clock, and changes the device that is current.
#include <cstdio>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "comm/core_call.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {
namespace {

struct Start {
  std::vector<int> devices;
  std::vector<NativeComm*> comms;
  // Under the monitor's lock:
  Result result = kSuccess;
  bool done = false;
  bool abandoned = false;  // its time has passed: what comes is ended
};

Status ordinals(std::vector<int>* devices, const Team& team) {
  for (int32_t rank = 0; rank < team.size(); ++rank) {
    uint64_t native[2] = {};
    RT_TRY_CORE(rtDeviceGetNative(native, team.place(rank).device));
    devices->push_back(static_cast<int>(native[0]));  // CUdevice, the number of the device
  }
  return Status();
}

void run(const std::shared_ptr<Start>& start, const Library& library, const std::shared_ptr<Monitor>& monitor) {
  const Result result = library.initAll(start->comms.data(), static_cast<int>(start->devices.size()), start->devices.data());
  bool abandoned = false;
  {
    const Monitor::Lock lock = monitor->lock();
    start->result = result;
    start->done = true;
    abandoned = start->abandoned;
    monitor->notifyLocked();
  }
  // Too late: no rank waits for it any more.
  if (abandoned && result == kSuccess) Clique(library, monitor, start->comms).abort();
}

Status startAll(std::vector<NativeComm*>* comms, const Library& library, const Team& team, const Settings& settings,
                const std::shared_ptr<Monitor>& monitor) {
  const auto start = std::make_shared<Start>();
  RT_TRY(ordinals(&start->devices, team));
  start->comms.resize(start->devices.size());
  // It holds all that it uses: after a time-out it goes on when this call has returned.
  std::thread([start, &library, monitor] { run(start, library, monitor); }).detach();
  Monitor::Lock lock = monitor->lock();
  const Deadline deadline = Deadline::after(settings.timeout_ns);
  if (monitor->wait(lock, deadline, [&] { return start->done; }) != Monitor::Wait::kReady) {
    start->abandoned = true;
    return Status::error(RT_ERROR_TIMEOUT, "NCCL did not start %d ranks within %.3g s.", team.size(),
                         static_cast<double>(settings.timeout_ns) * 1e-9);
  }
  if (start->result != kSuccess) return failure(library, "ncclCommInitAll", start->result);
  *comms = std::move(start->comms);
  return Status();
}

}  // namespace

Status create(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings) {
  // Before anything is made: without NCCL the caller takes another engine.
  const Library* library = nullptr;
  RT_TRY(open(&library));
  prepareWatch();
  const auto monitor = std::make_shared<Monitor>();
  const auto team = std::make_shared<Team>(std::move(places), settings, monitor, create);
  std::vector<NativeComm*> comms;
  RT_TRY(startAll(&comms, *library, *team, settings, monitor));
  const auto clique = std::make_shared<Clique>(*library, monitor, std::move(comms));
  std::vector<std::shared_ptr<Communicator>> made;
  for (int32_t rank = 0; rank < team->size(); ++rank) {
    const auto of = std::make_shared<Rank>(team->place(rank), settings, rank, team->size(), monitor, team, clique);
    made.push_back(of);
    RT_TRY(of->prepare());
  }
  *members = std::move(made);
  return Status();
}

}  // namespace manyrt::comm::nccl
