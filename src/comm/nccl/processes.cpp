// NCCL starts a rank on the device that is current. A native function of the rank's context has that device current, on
// whatever thread it runs; so the start is one, from its first call to its last.
#include "comm/nccl/processes.h"

#include <time.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "base/config.h"
#include "comm/core_call.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {

// State that the start and its native function share. `end` publishes the rest. The second of the two that comes to it ends the
// communicator.
struct Start::Making {
  enum class End { kNone, kMade, kGivenUp };

  const Library& library;
  const NativeId id;
  const int rank;
  const int size;
  std::atomic<End> end{End::kNone};
  Status status{};
  NativeComm* comm = nullptr;

  bool givenUp() const { return end.load(std::memory_order_acquire) == End::kGivenUp || processEnds(); }
};

namespace {

using Making = Start::Making;

// Asks until `first` calls that have not ended have. False: the start was given up meanwhile.
bool settle(Making& making, NativeComm* comm, Result* result) {
  while (*result == kInProgress) {
    const timespec nap = {0, 200'000};
    (void)nanosleep(&nap, nullptr);
    // Looked at between NCCL's questions, as the thread that waits for the start may have gone.
    if (making.givenUp()) return false;
    Result state = kSuccess;
    const Result asked = making.library.asyncError(comm, &state);
    *result = asked == kSuccess ? state : asked;
  }
  return !making.givenUp();
}

Status givenUp() { return Status::bare(RT_ERROR_TIMEOUT); }

Status split(Making& making, NativeComm* parent, NativeComm** made) {
  Config config;
  config.blocking = 1;
  // Without shared resources: the parent is ended, and must take nothing with it.
  config.split_share = 0;
  Result result = making.library.split(parent, 0, making.rank, made, &config);
  if (result == kSuccess) result = kInProgress;  // NCCL 2.28 says so of a split that goes on: the parent's state counts
  if (!settle(making, parent, &result)) return givenUp();
  if (result != kSuccess) return failure(making.library, "ncclCommSplit", result);
  if (*made == nullptr) return failure(making.library, "ncclCommSplit", kInternalError);
  return Status();
}

// Ended in two steps, of which NCCL's first one need not block.
Status endParent(Making& making, NativeComm* parent) {
  Result result = making.library.finalize(parent);
  if (!settle(making, parent, &result)) return givenUp();
  if (result == kSuccess) result = making.library.destroy(parent);
  return result == kSuccess || result == kInProgress ? Status() : failure(making.library, "The end of NCCL's start", result);
}

// A start that waits for the other processes has to be given up after its time. There NCCL lets only a non-blocking
// communicator be aborted, and gives each call of such a one to a thread of its own. So that one makes another, which blocks,
// by a split that all ranks take part in; by then all have come. The first is ended: it has memory and threads of its own.
Status start(Making& making) {
  const Library& library = making.library;
  Config config;
  config.blocking = 0;
  NativeComm* parent = nullptr;
  Result result = library.initRank(&parent, making.size, making.id, making.rank, &config);
  if (result != kSuccess && result != kInProgress) return failure(library, "ncclCommInitRankConfig", result);
  Status status;
  if (!settle(making, parent, &result)) status = givenUp();
  if (status.ok() && result != kSuccess) status = failure(library, "The start of NCCL among processes", result);
  NativeComm* made = nullptr;
  if (status.ok()) status = split(making, parent, &made);
  if (status.ok()) status = endParent(making, parent);
  if (status.ok()) {
    making.comm = made;
    return status;
  }
  if (processEnds()) return status;
  (void)library.abort(parent);  // first: it ends a split that has not ended
  if (made != nullptr) (void)library.abort(made);
  return status;
}

rtStatus_t runStart(const uint64_t*, void* user) {
  Making& making = **static_cast<std::shared_ptr<Making>*>(user);
  making.status = withoutThrowing([&] { return start(making); });
  auto expected = Making::End::kNone;
  // Either the start takes the communicator, or it has been given up and this thread ends it.
  const bool given = making.end.compare_exchange_strong(expected, Making::End::kMade, std::memory_order_acq_rel);
  if (!given && making.comm != nullptr && !processEnds()) (void)making.library.abort(making.comm);
  return RT_SUCCESS;
}

}  // namespace

bool makeId(NativeId* id) {
  memset(id, 0, sizeof *id);
  const char* const chosen = config::get(config::Variable::kCommEngine);
  int32_t devices = 0;
  if (chosen != nullptr && (strcmp(chosen, "in_process") == 0 || strcmp(chosen, "shared_memory") == 0)) return false;
  if (rtDeviceGetCount(&devices, RT_BACKEND_CUDA) != RT_SUCCESS || devices == 0) return false;
  const Library* library = nullptr;
  return open(&library).ok() && library->uniqueId(id) == kSuccess;
}

Status Start::begin(std::unique_ptr<Start>* out, const NativeId& id, int32_t rank, int32_t size, const Place& place) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  // Before NCCL starts: at exit its own end must come after that of the watch.
  prepareWatch();
  auto made = std::make_unique<Start>(std::shared_ptr<Making>(new Making{*library, id, rank, size}));
  auto user = std::make_unique<std::shared_ptr<Making>>(made->making_);
  const auto release = [](void* given) { delete static_cast<std::shared_ptr<Making>*>(given); };
  rtStream_t stream = nullptr;
  RT_TRY_CORE(rtStreamCreate(&stream, nullptr, place.context));
  const rtStatus_t code = rtStreamLaunchNativeWithRelease(runStart, user.get(), release, stream);
  if (code == RT_SUCCESS) (void)user.release();
  const Status called = fromCore(code);
  (void)rtStreamDestroy(stream);  // the function still runs
  RT_TRY(called);
  *out = std::move(made);
  return Status();
}

Start::~Start() {
  if (making_ == nullptr) return;
  // As in runStart(), from the other side.
  const auto before = making_->end.exchange(Making::End::kGivenUp, std::memory_order_acq_rel);
  if (before != Making::End::kMade || making_->comm == nullptr || processEnds()) return;
  (void)making_->library.abort(making_->comm);
}

Status Start::look(bool* done) {
  *done = making_->end.load(std::memory_order_acquire) == Making::End::kMade;
  return *done ? making_->status : Status();
}

NativeComm* Start::take() { return std::exchange(making_, nullptr)->comm; }

Status createAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<std::unique_ptr<Start>> starts,
                   const std::vector<Place>& places, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub) {
  std::vector<NativeComm*> comms(starts.size());
  for (size_t rank = 0; rank < starts.size(); ++rank) {
    if (starts[rank] != nullptr) comms[rank] = starts[rank]->take();
  }
  return makeAmong(members, std::move(comms), places, settings, hub);
}

Status makeAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<NativeComm*> comms,
                 const std::vector<Place>& places, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  const auto size = static_cast<int32_t>(comms.size());
  const auto monitor = std::make_shared<Monitor>();
  const auto splits = std::make_shared<Splits>();
  splits->places = places;
  splits->hub = hub;
  for (const NativeComm* comm : comms) splits->local.push_back(comm != nullptr);
  const bool has_rank_zero = splits->local.front();
  const auto clique = std::make_shared<Clique>(*library, monitor, std::move(comms));
  std::vector<std::shared_ptr<Communicator>> made(places.size());
  // The hub first: ranks of this process attend to it below.
  if (hub && !hub->address && has_rank_zero) RT_TRY(bootstrap::beginHub(Descriptor(), *hub, size));
  for (int32_t rank = 0; rank < size; ++rank) {
    const auto index = static_cast<size_t>(rank);
    if (!splits->local[index]) continue;
    const auto of = std::make_shared<Rank>(places[index], settings, rank, size, monitor, nullptr, clique, splits);
    made[index] = of;
    RT_TRY(of->prepare());
    if (hub) of->attend(*hub);
  }
  *members = std::move(made);
  return Status();
}

Status createOne(std::shared_ptr<Communicator>* made, std::unique_ptr<Start> start, int32_t rank, int32_t size,
                 const Place& place, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub) {
  std::vector<std::shared_ptr<Communicator>> members;
  std::vector<std::unique_ptr<Start>> starts(static_cast<size_t>(size));
  std::vector<Place> places(static_cast<size_t>(size));
  starts[static_cast<size_t>(rank)] = std::move(start);
  places[static_cast<size_t>(rank)] = place;
  RT_TRY(createAmong(&members, std::move(starts), places, settings, hub));
  *made = std::move(members[static_cast<size_t>(rank)]);
  return Status();
}

}  // namespace manyrt::comm::nccl
