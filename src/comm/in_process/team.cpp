// How ranks meet. A meeting begins for all ranks or for none: the last arrival decides under the lock, and `begun` counts
// before a failure. So each rank that works knows that all others do, and can wait for their leaving without a limit. Work ends
// in bounded time, whatever becomes of the communicator.
#include "comm/in_process/team.h"

#include <algorithm>
#include <utility>

#include "comm/core_call.h"
#include "comm/sentences.h"

namespace manyrt::comm {
namespace {

bool has(int32_t capability, rtDevice_t device) {
  int32_t yes = 0;
  return rtDeviceHasCapability(&yes, capability, device) == RT_SUCCESS && yes == 1;
}

}  // namespace

Team::Team(std::vector<Place> places, Settings settings, std::shared_ptr<Monitor> monitor, Maker maker)
    : places_(std::move(places)),
      settings_(std::move(settings)),
      monitor_(std::move(monitor)),
      maker_(maker),
      collectives_(places_.size()),
      splits_(places_.size()),
      parted_(places_.size()) {
  for (int32_t rank = 0; rank < size(); ++rank) {
    const Place& at = places_[rank];
    const bool on_host = at.backend == RT_BACKEND_CPU;
    all_on_host_ = all_on_host_ && on_host;
    if (!on_host && (at.backend == RT_BACKEND_NULL || !has(RT_CAPABILITY_KERNELS, at.device))) continue;
    // Ranks that can reduce. The CPU always can: it needs no kernel for it.
    owners_.push_back(rank);
    if (on_host || has(RT_CAPABILITY_DOUBLE, at.device)) double_owners_.push_back(rank);
  }
}

std::string Team::within() const { return sentences::within(settings_.timeout_ns); }

std::string Team::name() const { return sentences::labelOf(settings_.label); }

void Team::failParted(int32_t rank, const char* what) { monitor_->failLocked(sentences::parted(rank, name(), what), rank); }

int32_t Team::partedOf(const Meeting& meeting) const {
  for (int32_t rank = 0; rank < size() && any_parted_; ++rank) {
    if (meeting.operations[rank] == nullptr && parted_[rank]) return rank;
  }
  return -1;
}

// ---- Collectives ----

Status Team::arrive(std::shared_ptr<Meeting>* out, const Operation& operation, int32_t rank) {
  Monitor::Lock lock = monitor_->lock();
  if (monitor_->failedLocked()) return monitor_->failureLocked();
  const uint64_t number = collectives_[rank];
  auto entry = meetings_.find(number);
  if (entry == meetings_.end()) {
    auto made = std::make_shared<Meeting>();
    made->operations.resize(places_.size());
    entry = meetings_.emplace(number, std::move(made)).first;
  }
  // The number that a rank comes with is its own count: a rank that is ahead opens the next meeting, and waits there.
  ++collectives_[rank];
  // Held by each rank that waits: the map's entry goes with the last arrival.
  const std::shared_ptr<Meeting> meeting = entry->second;
  meeting->operations[rank] = &operation;
  if (++meeting->arrived == size()) {
    // Decided under the lock: the meeting begins for all or fails for all.
    meetings_.erase(number);  // those that wait hold it
    begin(*meeting);
  } else if (const int32_t parted = partedOf(*meeting); parted >= 0) {
    failParted(parted, kindName(operation.kind));
  }
  // A failure ends this wait, though some have come. None of them has begun, so that no memory is in use.
  const auto begun = [&] { return meeting->begun; };
  const Monitor::Wait waited = monitor_->wait(lock, Deadline::after(settings_.timeout_ns), begun);
  if (waited == Monitor::Wait::kTimeout) {
    const auto missing = std::find(meeting->operations.begin(), meeting->operations.end(), nullptr);
    const int32_t late = static_cast<int32_t>(missing - meeting->operations.begin());
    monitor_->failLocked(sentences::lateForCollective(late, name(), "come to", number, within(), rank, operation), late);
  }
  if (waited != Monitor::Wait::kReady) return monitor_->failureLocked();
  *out = meeting;
  return Status();
}

void Team::begin(Meeting& meeting) {
  int32_t odd = -1;
  // Before any rank works: an operation that differs could read or write beyond another's memory.
  if (const Status differs = sentences::compare(meeting.operations, name(), &odd); !differs.ok()) {
    monitor_->failLocked(differs, odd);
    return;
  }
  meeting.begun = true;
  monitor_->notifyLocked();
}

Status Team::step(Meeting& meeting) {
  Monitor::Lock lock = monitor_->lock();
  if (++meeting.stepped == size()) monitor_->notifyLocked();
  // Without a limit: every rank that has begun comes here, or fails the communicator.
  const auto all = [&] { return meeting.stepped == size(); };
  return monitor_->wait(lock, Deadline::never(), all) == Monitor::Wait::kReady ? Status() : monitor_->failureLocked();
}

Status Team::leave(Meeting& meeting) {
  Monitor::Lock lock = monitor_->lock();
  if (++meeting.left == size()) monitor_->notifyLocked();
  // Not ended by a failure: other ranks may still read this rank's memory.
  monitor_->waitForEnd(lock, [&] { return meeting.left == size(); });
  return monitor_->failureLocked();
}

// ---- Sends and receives ----

void Team::offer(Offer& offer, int32_t rank) {
  const Monitor::Lock lock = monitor_->lock();
  // An address on the sender's stack: takeBack() keeps the sender there while another rank may find it.
  queue(rank, offer.operation->root).push_back(&offer);
  monitor_->notifyLocked();
}

Status Team::waitForTaker(Offer& offer, int32_t rank) {
  Monitor::Lock lock = monitor_->lock();
  const int32_t peer = offer.operation->root;
  const auto over = [&] { return offer.taken || parted_[peer]; };
  const Monitor::Wait waited = monitor_->wait(lock, Deadline::after(settings_.timeout_ns), over);
  if (waited == Monitor::Wait::kTimeout) {
    monitor_->failLocked(sentences::lateForPoint(peer, name(), within(), rank, *offer.operation), peer);
  }
  if (!offer.taken && parted_[peer]) failParted(peer, "receive");
  // Taken means that the peer copies from this rank's memory right now, so the wait below has no limit.
  if (!offer.taken) return monitor_->failureLocked();
  monitor_->waitForEnd(lock, [&] { return offer.done; });
  return monitor_->failureLocked();
}

void Team::takeBack(Offer& offer, int32_t rank) {
  Monitor::Lock lock = monitor_->lock();
  // Under the lock, so that no other rank finds it from here on. One that has found it is waited for.
  std::erase(queue(rank, offer.operation->root), &offer);
  if (offer.taken) monitor_->waitForEnd(lock, [&] { return offer.done; });
}

Status Team::take(Offer** out, const Operation& receive, int32_t rank) {
  Monitor::Lock lock = monitor_->lock();
  const int32_t peer = receive.root;
  Queue& from = queue(peer, rank);
  const auto over = [&] { return !from.empty() || parted_[peer]; };
  const Monitor::Wait waited = monitor_->wait(lock, Deadline::after(settings_.timeout_ns), over);
  if (waited == Monitor::Wait::kTimeout) {
    monitor_->failLocked(sentences::lateForPoint(peer, name(), within(), rank, receive), peer);
  } else if (waited == Monitor::Wait::kReady && from.empty()) {
    failParted(peer, "send");
  }
  if (monitor_->failedLocked()) return monitor_->failureLocked();
  Offer* const offer = from.front();
  // Sends and receives of one pair match in order, so the first offer is the one that is meant.
  if (offer->operation->type != receive.type || offer->operation->count != receive.count) {
    monitor_->failLocked(sentences::differs(peer, name(), *offer->operation, rank, receive), peer);
    return monitor_->failureLocked();
  }
  from.pop_front();
  // Under the same lock as the search: an offer has one taker, or is taken back.
  offer->taken = true;
  *out = offer;
  return Status();
}

void Team::finish(Offer& offer) {
  const Monitor::Lock lock = monitor_->lock();
  offer.done = true;
  monitor_->notifyLocked();
}

void Team::part(int32_t rank) {
  const Monitor::Lock lock = monitor_->lock();
  // For waits that come later. Those that are under way are looked at below.
  parted_[rank] = any_parted_ = true;
  for (const auto& [number, meeting] : meetings_) {
    if (meeting->operations[rank] == nullptr) failParted(rank, "collective");
  }
  for (const auto& [number, split] : open_splits_) {
    if (!split->made && !split->here[rank]) failParted(rank, "split");
  }
  monitor_->notifyLocked();
}

}  // namespace manyrt::comm
