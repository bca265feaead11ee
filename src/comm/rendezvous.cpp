// The gatherings of this process, by their id. One is open from its first rank until all have come or the time of one has
// passed. From then on its id is used, and what comes with it is refused.
//
// Ranks of several processes meet in memory that they share, whose name follows from the id, or in NCCL's start.
// - Where another process made the id, ranks here make that memory at once. Or they start NCCL, where they are on CUDA and the
//   id has NCCL's own. Where this process made it, they look for that memory, and start NCCL when not all have come within
//   kPatience.
// - Ranks that wait in NCCL look for that memory too: it is there when a rank has come that NCCL cannot take.
// - Either way ends when the last rank has come. So if that one comes to the process that made the id, no other process has a
//   rank: all is given up, and the communicator is one of this process.
#include "comm/rendezvous.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "comm/engine.h"
#include "comm/guard.h"
#include "comm/nccl/library.h"
#include "comm/nccl/processes.h"
#include "comm/rank_names.h"
#include "comm/sentences.h"
#include "comm/shared_memory/rank.h"

namespace manyrt::comm {
namespace {

bool chooses(const char* engine) {
  const char* const chosen = config::get(config::Variable::kCommEngine);
  return chosen != nullptr && strcmp(chosen, engine) == 0;
}

}  // namespace

using Starts = std::map<int32_t, std::unique_ptr<nccl::Start>>;    // by rank, those of this process
using Members = std::map<int32_t, std::shared_ptr<Communicator>>;  // by rank, those of this process

// Its monitor's failure is that of all ranks: the time has passed, or the communicator could not be made.
struct Gathering {
  Gathering(const UniqueId& of, bool made_here, int32_t size) : id(of), foreign(!made_here), ranks(size) {}

  int32_t size() const { return ranks; }
  bool mayStartNccl() const;

  Monitor monitor;
  const UniqueId id;
  const bool foreign;  // another process made the id
  const int32_t ranks;
  // Under the monitor's lock:
  std::map<int32_t, Place> places;  // of the ranks here, which may be few of many
  Settings settings;                // of the lowest rank here: of rank 0, unless that is in another process
  int32_t settings_of = INT32_MAX;
  int32_t arrived = 0;
  bool made = false;
  Members members;
  bool nccl = false;                                // ranks have started NCCL
  bool has_looker = false;                          // a thread looks at other processes, for all that wait here
  bool looking = false;                             // it has the next two
  Starts starts;                                    // of the ranks here
  std::shared_ptr<shared_memory::Segment> segment;  // null: ranks of other processes are not waited for by it
};

namespace {

constexpr int64_t kPatience = 200'000'000;  // nanoseconds from the first look, for ranks of this process
constexpr uint64_t kLook = 1'000'000;       // nanoseconds between two looks at other processes

// The ids that one process made.
struct Ids {
  std::map<uint64_t, std::shared_ptr<Gathering>> open;
  // Ids are used about in the order of their numbers: all below `used_below` are, and those in `used`.
  uint64_t used_below = 1;
  std::set<uint64_t> used;
};
using Process = std::array<uint8_t, sizeof(UniqueId::process)>;

struct Table {
  std::mutex mutex;
  std::map<Process, Ids> of;

  Ids& ids(const UniqueId& id) {  // under the lock
    Process process;
    std::copy(std::begin(id.process), std::end(id.process), process.begin());
    return of[process];
  }
};
Table* const table = new Table;  // never destroyed, as handles are not

// Takes the seat of a rank. `full`: it is the last one.
Status sit(std::shared_ptr<Seat>* seat, std::shared_ptr<Gathering>* out, bool* full, const UniqueId& id, bool made_here,
           int32_t rank, int32_t size, const Place& place, const Settings& settings) {
  // The table's lock comes before a gathering's.
  const std::lock_guard lock(table->mutex);
  Ids& ids = table->ids(id);
  RT_CHECK_ARG(id.number >= ids.used_below && ids.used.count(id.number) == 0,
               "The id has been used: its ranks have met, or their time had passed. Each communicator needs an id of its own.");
  const auto entry = ids.open.find(id.number);
  const auto gathering = entry != ids.open.end() ? entry->second : std::make_shared<Gathering>(id, made_here, size);
  // All that may throw comes before the seat is taken: a seat without an owner would never be given back.
  const auto taken = std::make_shared<Seat>(gathering, rank, settings.timeout_ns);
  {
    const Monitor::Lock inside = gathering->monitor.lock();
    // The entry is still open while the first thread that heard of the failure is on its way to markUsed().
    if (gathering->monitor.failedLocked()) return gathering->monitor.failureLocked();
    RT_CHECK_ARG(size == gathering->size(), "Rank %d came with a size of %d, and another rank of this id with %d.", rank, size,
                 gathering->size());
    RT_CHECK_ARG(gathering->places.count(rank) == 0, "Rank %d of this id has come already.", rank);
    if (entry == ids.open.end()) ids.open.emplace(id.number, gathering);
    // Settings of the lowest rank count, whatever the order of arrival.
    if (rank <= gathering->settings_of) {
      gathering->settings = settings;
      gathering->settings_of = rank;
    }
    gathering->places.emplace(rank, place);
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
  Ids& ids = table->ids(gathering->id);
  const auto entry = ids.open.find(gathering->id.number);
  // Another gathering may have the id by now: it was not used, since no rank of this one met another.
  if (entry == ids.open.end() || entry->second != gathering) return;
  const Monitor::Lock inside = gathering->monitor.lock();
  // Looked at again, with both locks: a rank may have sat down since.
  if (gathering->arrived == 0) ids.open.erase(entry);
}

void markUsed(const Gathering& gathering) {
  const std::lock_guard lock(table->mutex);
  Ids& ids = table->ids(gathering.id);
  // Several threads come here; the first one counts.
  if (ids.open.erase(gathering.id.number) == 0) return;
  ids.used.insert(gathering.id.number);
  // So the set stays as small as the ids that were skipped, however many a process makes.
  while (ids.used.erase(ids.used_below) != 0) ++ids.used_below;
}

Status make(Gathering& gathering) {
  // First: a rank that comes from now on would find a gathering that is complete.
  markUsed(gathering);
  std::vector<std::shared_ptr<Communicator>> made;
  std::vector<Place> places;
  for (const auto& [rank, place] : gathering.places) places.push_back(place);  // all of them, in order
  // Without the lock: engines start threads, build kernels and call drivers. The others wait for `made`.
  RT_TRY(createHere(&made, std::move(places), gathering.settings));
  Members members;
  for (int32_t rank = 0; rank < gathering.size(); ++rank) {
    members.emplace(rank, std::move(made[static_cast<size_t>(rank)]));
  }
  const Monitor::Lock lock = gathering.monitor.lock();
  gathering.members = std::move(members);
  gathering.made = true;
  gathering.monitor.notifyLocked();
  return Status();
}

bool isOfThisHost(const UniqueId& id) {
  const shared_memory::Host here = shared_memory::thisHost();
  return here[2] != 0 && std::equal(here.begin(), here.end(), id.host);
}

// Whether the ranks of the id can find the memory that those of this host share.
bool mayShareMemory(const UniqueId& id) { return isOfThisHost(id) && !chooses("in_process"); }

// The state of one look at other processes, without the lock: by one thread at a time.
struct Look {
  Gathering& of;
  std::map<int32_t, Place> places;
  Settings settings;
  Starts starts;
  std::shared_ptr<shared_memory::Segment> segment;
  Members members;  // all ranks have come: those here
};

// By rank, as engines take them; nothing for ranks of other processes.
std::vector<Place> placesOf(const Look& look) {
  std::vector<Place> places(static_cast<size_t>(look.of.size()));
  for (const auto& [rank, place] : look.places) places[static_cast<size_t>(rank)] = place;
  return places;
}

void takeMembers(Look* look, std::vector<std::shared_ptr<Communicator>>& made) {
  for (const auto& [rank, place] : look->places) look->members.emplace(rank, std::move(made[static_cast<size_t>(rank)]));
}

// Begins the starts of ranks that have come since.
Status lookAtNccl(Look& look) {
  bool over = true;
  for (const auto& [rank, place] : look.places) {
    std::unique_ptr<nccl::Start>& start = look.starts[rank];
    if (start == nullptr) RT_TRY(nccl::Start::begin(&start, look.of.id.nccl, rank, look.of.size(), place));
    bool done = false;
    RT_TRY(start->look(&done));
    // All starts are looked at in each round: NCCL's start of one rank may wait for that of another here.
    over = over && done;
  }
  // NCCL's start does not block here: each look brings it on.
  if (!over) return Status();
  markUsed(look.of);  // no rank comes any more
  const auto size = static_cast<size_t>(look.of.size());
  std::vector<std::unique_ptr<nccl::Start>> starts(size);
  std::vector<std::shared_ptr<Communicator>> made;
  for (auto& [rank, start] : look.starts) starts[static_cast<size_t>(rank)] = std::move(start);
  // The hub of an id is on the host where that was made, or at the address of the launcher.
  std::optional<bootstrap::HubPlace> hub;
  if (look.of.id.hub_family != 0 || isOfThisHost(look.of.id)) hub = hubOf(look.of.id, look.settings.token);
  RT_TRY(nccl::createAmong(&made, std::move(starts), placesOf(look), look.settings, hub));
  takeMembers(&look, made);
  return Status();
}

// Why ranks on CUDA meet here and not in NCCL.
std::string reasonOf(const Look& look) {
  for (const auto& [rank, place] : look.places) {
    if (place.backend != RT_BACKEND_CUDA) return "";
  }
  if (chooses("shared_memory")) return "RT_COMM_ENGINE=shared_memory.";
  return look.of.id.has_nccl == 0 ? "NCCL was not found where the id was made." : "Not each rank has a CUDA device of its own.";
}

// Brings ranks that have come since, and takes those back that have left.
Status lookAtSharedMemory(Look& look) {
  for (int32_t rank = 0; rank < look.of.size(); ++rank) {
    const bool here = look.places.count(rank) != 0, brought = look.segment->isLocal(rank);
    if (here && !brought) RT_TRY(look.segment->come(rank));
    if (brought && !here) look.segment->withdraw(rank);
  }
  bool complete = false;
  RT_TRY(look.segment->look(&complete));
  if (!complete) return Status();
  markUsed(look.of);
  look.settings.reason = reasonOf(look);
  std::vector<std::shared_ptr<Communicator>> made;
  RT_TRY(shared_memory::create(&made, look.segment, placesOf(look), look.settings));
  takeMembers(&look, made);
  return Status();
}

// `may_start`: NCCL takes the ranks that are here, and it is time.
Status lookOutside(Gathering& of, Monitor::Lock& lock, bool may_start) {
  Look look{of, of.places, of.settings, std::move(of.starts), std::move(of.segment), {}};
  of.starts.clear();
  of.looking = true;
  lock.unlock();
  const Status status = withoutThrowing([&]() -> Status {
    if (look.segment == nullptr && mayShareMemory(of.id)) {
      const std::string name = shared_memory::nameOf(of.id.process, of.id.number, 0);
      RT_TRY(shared_memory::Segment::open(&look.segment, name, of.size(), of.foreign && !may_start));
      // A rank has come that NCCL cannot take. Starts are given up outside the lock.
      if (look.segment != nullptr) look.starts.clear();  // given up
    }
    if (look.segment != nullptr) return lookAtSharedMemory(look);
    return may_start ? lookAtNccl(look) : Status();
  });
  lock.lock();
  of.looking = false;
  // Once all have come, or the communicator has failed, other ranks may wait for the end of the look alone. Before that a wake
  // of all after each look would be much.
  const bool awaited = of.made || of.arrived == of.size() || of.monitor.failedLocked() || !look.members.empty();
  if (awaited) of.monitor.notifyLocked();
  // Once NCCL has been started its communicator may exist in another process, so seats are not given back any more.
  of.nccl = look.segment == nullptr && (of.nccl || may_start);
  of.starts = std::move(look.starts);
  of.segment = std::move(look.segment);
  if (look.members.empty() || of.made) return status;
  of.members = std::move(look.members);
  // Those that wait take their members, also if a failure came meanwhile: the communicator tells it then.
  of.made = true;
  return Status();
}

bool mayMeetInNccl(const UniqueId& id, const Place& place) { return id.has_nccl != 0 && place.backend == RT_BACKEND_CUDA; }

Status checkAmongProcesses(const UniqueId& id, bool made_here, const Place& place) {
  if (mayMeetInNccl(id, place) || mayShareMemory(id)) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "%s%s, and NCCL does not take this rank. Ranks of several hosts meet through MPI: rtCommCreateFromMpi.",
                       made_here ? "The other ranks are in other processes" : "The id was made by another process",
                       chooses("in_process")               ? " (RT_COMM_ENGINE=in_process)"
                       : shared_memory::thisHost()[2] == 0 ? ", and there is no /dev/shm here"
                       : made_here                         ? ", on this host or others"
                                                           : " on another host or in another container");
}

}  // namespace

// NCCL takes ranks on CUDA devices that all differ.
bool Gathering::mayStartNccl() const {
  if (id.has_nccl == 0 || (arrived == size() && !foreign) || chooses("shared_memory")) return false;
  // NCCL would find two ranks on one device in the middle of its start, when it is too late for another way.
  std::set<rtDevice_t> devices;
  for (const auto& [rank, place] : places) {
    if (place.backend != RT_BACKEND_CUDA || !devices.insert(place.device).second) return false;
  }
  return true;
}

Status checkSeat(int32_t rank, int32_t size) {
  RT_CHECK_ARG(size >= 1 && size <= kMostRanks, "The size is %d; 1 to %d ranks make a communicator.", size, kMostRanks);
  RT_CHECK_ARG(rank >= 0 && rank < size, "The rank is %d; the communicator has %d rank%s.", rank, size, size == 1 ? "" : "s");
  return Status();
}

Status checkAmongProcesses(const rtCommUniqueId_t& bytes, const Place& place) {
  UniqueId id;
  bool made_here = false;
  RT_TRY(readUniqueId(&id, &made_here, bytes));
  RT_TRY(checkAmongProcesses(id, made_here, place));
  const nccl::Library* library = nullptr;
  return mayMeetInNccl(id, place) ? nccl::open(&library) : Status();
}

Status come(std::shared_ptr<Seat>* seat, const rtCommUniqueId_t& bytes, int32_t rank, int32_t size, const Place& place,
            const Settings& settings, bool elsewhere) {
  UniqueId id;
  bool made_here = false;
  RT_TRY(readUniqueId(&id, &made_here, bytes));
  if (!made_here || elsewhere) RT_TRY(checkAmongProcesses(id, made_here, place));
  made_here = made_here && !elsewhere;
  std::shared_ptr<Gathering> gathering;
  bool full = false;
  RT_TRY(sit(seat, &gathering, &full, id, made_here, rank, size, place, settings));
  full = full && made_here;
  // The last rank in the process that made the id makes the communicator for all.
  if (!full) return Status();
  // Places and settings are this thread's until the others are told. They wait for it without a limit.
  const Status status = withoutThrowing([&] { return make(*gathering); });
  if (!status.ok()) gathering->monitor.fail(status, rank);
  return Status();  // take() tells
}

Status Seat::take(std::shared_ptr<Communicator>* made) {
  Gathering& of = *gathering_;
  Starts given_up;                               // ends after the lock
  std::shared_ptr<shared_memory::Segment> left;  // as well
  const Deadline deadline = Deadline::after(timeout_ns_);
  const int64_t began = nowNanoseconds();
  Monitor::Lock lock = of.monitor.lock();
  const auto over = [&] { return of.made || (of.arrived == of.size() && !of.foreign); };
  bool looks = false;  // this thread does, for all
  while (!over() && !of.monitor.failedLocked()) {
    // One thread looks for all, as looks take locks of files and calls of NCCL. When it leaves, the next one that wakes goes
    // on.
    looks = looks || !std::exchange(of.has_looker, true);
    if (looks) {
      const bool patient = !of.foreign && nowNanoseconds() - began < kPatience;
      const Status status = lookOutside(of, lock, of.mayStartNccl() && !patient);
      if (!status.ok()) of.monitor.failLocked(status, rank_);
    }
    // A look that lasts is waited for without the lock, also when the time has passed.
    const Deadline until = looks || deadline.passed() ? Deadline::after(kLook) : deadline;
    const Monitor::Wait waited = of.monitor.wait(lock, until, over);
    if (waited != Monitor::Wait::kTimeout || !deadline.passed() || of.looking) continue;
    const Status failure = late();
    // In shared memory one process decides for all: if the ranks have met in this moment, the failure comes too late.
    if (of.segment == nullptr || of.segment->giveUp(failure, -1)) of.monitor.failLocked(failure, -1);
  }
  if (looks) of.has_looker = false;
  // The time of the engine that makes the communicator is its own.
  of.monitor.waitForEnd(lock, [&] { return !of.looking && (of.made || of.monitor.failedLocked()); });
  given_up = std::move(of.starts);
  left = std::move(of.segment);
  // `made` wins over a failure: another process may count on this rank by now.
  if (of.made) {
    *made = std::move(of.members[rank_]);
    return Status();
  }
  const Status failure = of.monitor.failureLocked();
  lock.unlock();
  markUsed(of);
  return failure;
}

Status Seat::late() const {
  const Gathering& of = *gathering_;
  const std::string name = sentences::labelOf(of.settings.label);
  std::vector<int32_t> missing;
  const std::vector<bool> present = of.segment != nullptr ? of.segment->present() : std::vector<bool>();
  for (int32_t rank = 0; rank < of.size(); ++rank) {
    if (present.empty() ? of.places.count(rank) == 0 : !present[static_cast<size_t>(rank)]) missing.push_back(rank);
  }
  const int came = of.size() - static_cast<int>(missing.size());
  return Status::error(RT_ERROR_TIMEOUT, "Of %d ranks%s %d came%s within %.3g s, for which rank %d waits: %s did not%s.",
                       of.size(), name.c_str(), came, of.nccl ? " here" : "", static_cast<double>(timeout_ns_) * 1e-9, rank_,
                       namesOf(missing).c_str(),
                       of.nccl ? ", and NCCL does not tell which of them came in other processes"
                               : ". Ranks of several hosts meet through MPI: rtCommCreateFromMpi");
}

Seat::~Seat() {
  if (!seated_) return;
  {
    const Monitor::Lock lock = gathering_->monitor.lock();
    // The seat is only free again if no other rank can count on it yet.
    if (gathering_->made || gathering_->nccl || gathering_->monitor.failedLocked()) return;
    if (gathering_->arrived == gathering_->size()) return;
    gathering_->places.erase(rank_);
    --gathering_->arrived;
  }
  closeEmpty(gathering_);
}

}  // namespace manyrt::comm
