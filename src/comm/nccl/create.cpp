// Making ranks: NCCL's start and splits, which wait for all ranks. They run in native functions of a stream of the rank's own,
// as NCCL takes the device whose context is current. A thread that a missing rank holds in NCCL stays there; the caller does
// not.
#include <new>
#include <utility>

#include "base/clock.h"
#include "comm/core_call.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {
namespace {

struct Call {
  std::function<void()> function;
};

rtStatus_t runCall(const uint64_t*, void* user) {
  static_cast<Call*>(user)->function();
  return RT_SUCCESS;
}

void releaseCall(void* user) { delete static_cast<Call*>(user); }

}  // namespace

Status Rank::beginOnThread(std::shared_ptr<Waiting>* out, Blocking blocking) {
  if (stream_ == nullptr) RT_TRY_CORE(rtStreamCreate(&stream_, nullptr, place().context));
  const auto waiting = std::make_shared<Waiting>();
  const auto self = shared_from_this();
  auto call = std::make_unique<Call>();
  call->function = [self, waiting, blocking = std::move(blocking)] {
    NativeComm* made = nullptr;
    const Status status = blocking(&made);
    const Monitor::Lock lock = self->monitor().lock();
    waiting->made = made;
    waiting->status = status;
    waiting->done = true;
    self->monitor().notifyLocked();
  };
  RT_TRY_CORE(rtStreamLaunchNativeWithRelease(runCall, call.get(), releaseCall, stream_));
  (void)call.release();
  *out = waiting;
  return Status();
}

Status Rank::await(Waiting& waiting, const Deadline& deadline, const char* what) {
  Monitor::Lock lock = monitor().lock();
  const Monitor::Wait waited = monitor().wait(lock, deadline, [&] { return waiting.done; });
  if (waited == Monitor::Wait::kTimeout) {
    char within[48];
    snprintf(within, sizeof within, "within %.3g s", static_cast<double>(settings().timeout_ns) * 1e-9);
    monitor().failLocked(Status::error(RT_ERROR_TIMEOUT, "Not all of %d ranks came to %s %s, for which rank %d waits.", size(),
                                       what, within, rank()),
                         -1);
  }
  return waited == Monitor::Wait::kReady ? waiting.status : monitor().failureLocked();
}

Status Rank::beginStart(const UniqueId& id) {
  return beginOnThread(&starting_, [this, id](NativeComm** made) {
    return result("ncclCommInitRank", library_.initRank(made, size(), id, rank()));
  });
}

Status Rank::awaitStart(const Deadline& deadline) {
  const std::shared_ptr<Waiting> waiting = std::exchange(starting_, nullptr);
  RT_TRY(await(*waiting, deadline, "the start of NCCL"));
  return adopt(waiting->made);
}

Status Rank::adopt(NativeComm* native) {
  comm_.store(native, std::memory_order_release);
  RT_TRY_CORE(rtMalloc(&barrier_, sizeof(int64_t), place().context));
  if (stream_ == nullptr) RT_TRY_CORE(rtStreamCreate(&stream_, nullptr, place().context));
  RT_TRY_CORE(rtMemsetAsync(barrier_, 0, sizeof(int64_t), stream_));
  RT_TRY_CORE(rtStreamSynchronize(stream_));
  return Status();
}

Status create(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  UniqueId id;
  if (const Result given = library->getUniqueId(&id); given != kSuccess) return failure(*library, "ncclGetUniqueId", given);
  const auto monitor = std::make_shared<Monitor>();
  const auto team = std::make_shared<Team>(std::move(places), settings, monitor, create);
  const auto known = std::make_shared<Known>();
  std::vector<std::shared_ptr<Rank>> ranks;
  Status status;
  for (int32_t rank = 0; rank < team->size(); ++rank) {
    ranks.push_back(std::make_shared<Rank>(*library, team->place(rank), settings, rank, team->size(), monitor, team, known));
  }
  for (const auto& rank : ranks) {
    status = rank->beginStart(id);
    if (!status.ok()) monitor->fail(status, rank->rank());  // those that have begun wait in NCCL for one that never comes
    RT_TRY(std::move(status));
  }
  const Deadline deadline = Deadline::after(settings.timeout_ns);
  for (const auto& rank : ranks) {  // all, also behind a failure: what is made is ended then
    const Status started = rank->awaitStart(deadline);
    if (!started.ok()) monitor->fail(started, rank->rank());
    if (status.ok()) status = started;
  }
  RT_TRY(std::move(status));
  members->assign(ranks.begin(), ranks.end());
  return Status();
}

Status createAmongProcesses(std::shared_ptr<Communicator>* made, const UniqueId& id, const Place& place,
                            const Settings& settings, int32_t rank, int32_t size) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  const auto of = std::make_shared<Rank>(*library, place, settings, rank, size, std::make_shared<Monitor>(), nullptr, nullptr);
  RT_TRY(of->beginStart(id));
  if (const Status status = of->awaitStart(Deadline::after(settings.timeout_ns)); !status.ok()) {
    of->monitor().fail(status, -1);
    return status;
  }
  *made = of;
  return Status();
}

// ---- Splits ----

Status Rank::announceSplit(int32_t color, int32_t key, uint64_t* ticket) {
  if (team_ != nullptr) return team_->announceSplit(color, key, rank(), ticket);
  *ticket = static_cast<uint64_t>(static_cast<uint32_t>(color)) << 32 | static_cast<uint32_t>(key);
  return Status();
}

Status Rank::takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  if (team_ != nullptr) return team_->takeSplit(ticket, rank(), made);
  const std::lock_guard alone(splitting_);
  const auto color = static_cast<int32_t>(ticket >> 32), key = static_cast<int32_t>(ticket & 0xffffffffu);
  NativeComm* const parent = native();
  if (parent == nullptr) return monitor().failure();
  std::shared_ptr<Waiting> waiting;
  RT_TRY(beginOnThread(&waiting, [this, parent, color, key](NativeComm** part) {
    return result("ncclCommSplit", library_.split(parent, color, key, part, nullptr));  // -1 is NCCL's "no color", too
  }));
  if (const Status status = await(*waiting, Deadline::after(settings().timeout_ns), "a split"); !status.ok()) {
    fail(status);
    return monitor().failure();
  }
  NativeComm* const native = waiting->made;
  if (native == nullptr) return Status();
  int size = 0, rank = 0;
  RT_TRY(result("ncclCommCount", library_.count(native, &size)));
  RT_TRY(result("ncclCommUserRank", library_.userRank(native, &rank)));
  const auto of =
      std::make_shared<Rank>(library_, place(), settings(), rank, size, std::make_shared<Monitor>(), nullptr, nullptr);
  RT_TRY(of->adopt(native));
  *made = of;
  return Status();
}

}  // namespace manyrt::comm::nccl
