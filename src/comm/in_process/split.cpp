// Splitting a team: the ranks announce color and key, the last one makes all new teams, and each takes its rank.
#include <algorithm>
#include <utility>

#include "comm/guard.h"
#include "comm/in_process/team.h"
#include "comm/sentences.h"

namespace manyrt::comm {

Status Team::announceSplit(int32_t color, int32_t key, int32_t rank, uint64_t* ticket) {
  std::shared_ptr<Split> complete;
  Status status = withoutThrowing([&] { return comeToSplit(&complete, color, key, rank, ticket); });
  const bool came = status.ok();
  // The others wait for `made` alone, so the members are this thread's until then.
  if (complete != nullptr) status = withoutThrowing([&] { return makeSplit(*complete); });
  const Monitor::Lock lock = monitor_->lock();
  // The others wait for `made` alone, and would wait until their time had passed.
  if (!status.ok()) monitor_->failLocked(status, rank);
  // After the failure: a rank that wakes up sees one of the two.
  if (complete != nullptr) complete->made = status.ok();
  monitor_->notifyLocked();
  return came ? Status() : status;  // takeSplit() tells of the rest
}

// `complete`: this rank is the last one.
Status Team::comeToSplit(std::shared_ptr<Split>* complete, int32_t color, int32_t key, int32_t rank, uint64_t* ticket) {
  const Monitor::Lock lock = monitor_->lock();
  if (monitor_->failedLocked()) return monitor_->failureLocked();
  *ticket = splits_[rank];
  auto entry = open_splits_.find(*ticket);
  if (entry == open_splits_.end()) {
    auto made = std::make_shared<Split>();
    made->colors.resize(places_.size());
    made->keys.resize(places_.size());
    made->here.resize(places_.size());
    made->members.resize(places_.size());
    entry = open_splits_.emplace(*ticket, std::move(made)).first;
  }
  // Only after all that may throw: a rank that failed here has not come.
  ++splits_[rank];
  Split& split = *entry->second;
  split.colors[rank] = color;
  split.keys[rank] = key;
  split.here[rank] = true;
  for (int32_t other = 0; other < size() && any_parted_; ++other) {
    if (!split.here[other] && parted_[other]) failParted(other, "split");
  }
  if (++split.arrived == size()) *complete = entry->second;
  return Status();
}

Status Team::makeSplit(Split& split) {
  std::vector<int32_t> order;
  for (int32_t rank = 0; rank < size(); ++rank) {
    if (split.colors[rank] != RT_COMM_NO_COLOR) order.push_back(rank);
  }
  // Stable: ranks with equal keys keep their order, as MPI has it.
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::pair(split.colors[a], split.keys[a]) < std::pair(split.colors[b], split.keys[b]);
  });
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    std::vector<Place> places;
    for (last = first; last < order.size() && split.colors[order[last]] == split.colors[order[first]]; ++last) {
      places.push_back(places_[order[last]]);
    }
    std::vector<std::shared_ptr<Communicator>> made;
    RT_TRY(maker_(&made, std::move(places), settings_));
    for (size_t i = first; i < last; ++i) split.members[order[i]] = std::move(made[i - first]);
  }
  return Status();
}

Status Team::takeSplit(uint64_t ticket, int32_t rank, std::shared_ptr<Communicator>* made) {
  Monitor::Lock lock = monitor_->lock();
  const std::shared_ptr<Split> split = open_splits_.at(ticket);
  const Monitor::Wait waited = monitor_->wait(lock, Deadline::after(settings_.timeout_ns), [&] { return split->made; });
  if (waited == Monitor::Wait::kTimeout) {
    const auto missing = std::find(split->here.begin(), split->here.end(), false);
    const int32_t late = static_cast<int32_t>(missing - split->here.begin());
    monitor_->failLocked(sentences::lateForSplit(late, name(), within(), rank), late);
  }
  Status status = waited == Monitor::Wait::kReady ? Status() : monitor_->failureLocked();
  if (status.ok()) *made = std::move(split->members[rank]);
  // The last one to take removes the split, whether it got a rank or a failure.
  if (++split->taken == size()) open_splits_.erase(ticket);
  return status;
}

}  // namespace manyrt::comm
