// The gatherings of this process, by the number of their id. One is open from its first rank until all have come or the time of
// one has passed. From then on its id is used, and what comes with it is refused.
#include "comm/rendezvous.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "comm/engine.h"
#include "comm/guard.h"

namespace manyrt::comm {

// Its monitor's failure is that of all ranks: the time has passed, or the communicator could not be made.
struct Gathering {
  explicit Gathering(uint64_t of, int32_t size) : number(of), places(static_cast<size_t>(size)), here(places.size()) {}

  int32_t size() const { return static_cast<int32_t>(places.size()); }
  std::string missing() const;

  Monitor monitor;
  const uint64_t number;
  // Under the monitor's lock:
  std::vector<Place> places;
  std::vector<bool> here;
  Settings settings;  // of rank 0
  int32_t arrived = 0;
  bool made = false;
  std::vector<std::shared_ptr<Communicator>> members;
};

namespace {

struct Table {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Gathering>> open;
  // Ids are used about in the order of their numbers: all below `used_below` are, and those in `used`.
  uint64_t used_below = 1;
  std::set<uint64_t> used;
};
Table* const table = new Table;  // never destroyed, as handles are not

// Takes the seat of a rank. `full`: it is the last one.
Status sit(std::shared_ptr<Seat>* seat, std::shared_ptr<Gathering>* out, bool* full, uint64_t number, int32_t rank,
           int32_t size, const Place& place, const Settings& settings) {
  const std::lock_guard lock(table->mutex);
  RT_CHECK_ARG(number >= table->used_below && table->used.count(number) == 0,
               "The id has been used: its ranks have met, or their time had passed. Each communicator needs an id of its own.");
  const auto entry = table->open.find(number);
  const auto gathering = entry != table->open.end() ? entry->second : std::make_shared<Gathering>(number, size);
  const auto index = static_cast<size_t>(rank);
  const auto taken = std::make_shared<Seat>(gathering, rank, settings.timeout_ns);
  {
    const Monitor::Lock inside = gathering->monitor.lock();
    if (gathering->monitor.failedLocked()) return gathering->monitor.failureLocked();
    RT_CHECK_ARG(size == gathering->size(), "Rank %d came with a size of %d, and another rank of this id with %d.", rank, size,
                 gathering->size());
    RT_CHECK_ARG(!gathering->here[index], "Rank %d of this id has come already.", rank);
    if (entry == table->open.end()) table->open.emplace(number, gathering);
    if (rank == 0) gathering->settings = settings;
    gathering->here[index] = true;
    gathering->places[index] = place;
    *full = ++gathering->arrived == size;
    if (*full) gathering->monitor.notifyLocked();
  }
  taken->taken();
  *seat = taken;
  *out = gathering;
  return Status();
}

// The last one is gone: nothing was met.
void closeEmpty(const std::shared_ptr<Gathering>& gathering) {
  const std::lock_guard lock(table->mutex);
  const auto entry = table->open.find(gathering->number);
  if (entry == table->open.end() || entry->second != gathering) return;
  const Monitor::Lock inside = gathering->monitor.lock();
  if (gathering->arrived == 0) table->open.erase(entry);
}

void markUsed(const Gathering& gathering) {
  const std::lock_guard lock(table->mutex);
  if (table->open.erase(gathering.number) == 0) return;
  table->used.insert(gathering.number);
  while (table->used.erase(table->used_below) != 0) ++table->used_below;
}

Status make(Gathering& gathering) {
  markUsed(gathering);
  std::vector<std::shared_ptr<Communicator>> members;
  RT_TRY(createHere(&members, gathering.places, gathering.settings));
  const Monitor::Lock lock = gathering.monitor.lock();
  gathering.members = std::move(members);
  gathering.made = true;
  gathering.monitor.notifyLocked();
  return Status();
}

}  // namespace

// "rank 1", "ranks 1 and 3", "ranks 1, 2 and 5".
std::string Gathering::missing() const {
  std::vector<int32_t> ranks;
  for (int32_t rank = 0; rank < size(); ++rank) {
    if (!here[static_cast<size_t>(rank)]) ranks.push_back(rank);
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

Status checkSeat(int32_t rank, int32_t size) {
  RT_CHECK_ARG(size >= 1 && size <= kMostRanks, "The size is %d; 1 to %d ranks of a process make a communicator.", size,
               kMostRanks);
  RT_CHECK_ARG(rank >= 0 && rank < size, "The rank is %d; the communicator has %d rank%s.", rank, size, size == 1 ? "" : "s");
  return Status();
}

Status come(std::shared_ptr<Seat>* seat, const rtCommUniqueId_t& bytes, int32_t rank, int32_t size, const Place& place,
            const Settings& settings) {
  UniqueId id;
  bool made_here = false;
  RT_TRY(readUniqueId(&id, &made_here, bytes));
  if (!made_here) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The id was made by another process. Ranks of several processes meet through MPI: "
                         "rtCommCreateFromMpi.");
  }
  std::shared_ptr<Gathering> gathering;
  bool full = false;
  RT_TRY(sit(seat, &gathering, &full, id.number, rank, size, place, settings));
  if (!full) return Status();
  // Places and settings are this thread's until the others are told. They wait for it without a limit.
  const Status status = withoutThrowing([&] { return make(*gathering); });
  if (!status.ok()) gathering->monitor.fail(status, rank);
  return Status();  // take() tells
}

Status Seat::take(std::shared_ptr<Communicator>* made) {
  Gathering& of = *gathering_;
  Monitor::Lock lock = of.monitor.lock();
  const auto all = [&] { return of.arrived == of.size(); };
  if (of.monitor.wait(lock, Deadline::after(timeout_ns_), all) == Monitor::Wait::kTimeout) {
    const std::string name = of.settings.label.empty() ? "" : " of \"" + of.settings.label + "\"";
    of.monitor.failLocked(
        Status::error(RT_ERROR_TIMEOUT,
                      "Of %d ranks%s %d came within %.3g s, for which rank %d waits: %s did not. Ranks of several processes "
                      "meet through MPI: rtCommCreateFromMpi.",
                      of.size(), name.c_str(), of.arrived, static_cast<double>(timeout_ns_) * 1e-9, rank_,
                      of.missing().c_str()),
        -1);
  }
  // The time of the engine that makes the communicator is its own.
  const auto over = [&] { return of.made || of.monitor.failedLocked(); };
  of.monitor.waitForEnd(lock, over);
  if (of.made) {
    *made = std::move(of.members[static_cast<size_t>(rank_)]);
    return Status();
  }
  const Status failure = of.monitor.failureLocked();
  lock.unlock();
  markUsed(of);
  return failure;
}

Seat::~Seat() {
  if (!seated_) return;
  {
    const Monitor::Lock lock = gathering_->monitor.lock();
    if (gathering_->made || gathering_->monitor.failedLocked() || gathering_->arrived == gathering_->size()) return;
    gathering_->here[static_cast<size_t>(rank_)] = false;
    --gathering_->arrived;
  }
  closeEmpty(gathering_);
}

}  // namespace manyrt::comm
