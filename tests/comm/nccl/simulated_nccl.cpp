// NCCL's functions on host functions of the simulated runtime. A collective is one function in each rank's stream. The last
// rank to come reduces or copies for all, since the memory of simulated devices is the host's.
#include "comm/nccl/simulated_nccl.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "comm/nccl/declarations.h"
#include "comm/nccl/simulated_processes.h"
#include "comm/nccl/simulated_work.h"
#include "rt_comm.h"
#include "simulated_cuda.h"

extern "C" int cudaGetDeviceCount(int* count);
extern "C" int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags, int* outcome);

namespace manyrt::comm::nccl {

namespace {

// Never destroyed: streams may wait in them while the process ends.
std::mutex& mutex = *new std::mutex;  // of everything
std::condition_variable& changed = *new std::condition_variable;
auto& calls = *new std::map<std::string, int>;
auto& failures = *new std::map<std::string, int>;
int async_error = 0;
int last_caller = 0;
int live = 0;
auto& held = *new std::set<int>;  // ranks whose work the device does not begin

bool refused(const char* function, Result* result) {
  const std::lock_guard lock(mutex);
  ++calls[function];
  const auto failing = failures.find(function);
  if (failing == failures.end() || failing->second == 0) return false;
  *result = failing->second;
  return true;
}

struct Point {
  bool sends;
  void* memory;
  size_t bytes;
  int peer;
};

struct Meeting {
  std::vector<const Work*> works;
  int arrived = 0;
  bool done = false;
};

struct Message {
  const Point* point;
  bool done = false;
};

using Kind = std::tuple<What, size_t, int, int>;

struct Clique {
  int size = 0;
  Result error = kSuccess;  // asynchronous
  std::map<uint64_t, std::shared_ptr<Meeting>> meetings;
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> messages;
  std::map<Kind, std::set<int>> connected;
};

}  // namespace

struct NativeComm {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  bool aborted = false;
  int calling = 0;        // threads that wait in a call
  uint64_t executed = 0;  // collectives that the device has come to
  std::mutex submitting;
  uint64_t submitted = 0;  // outside of graphs; under `submitting`
  uint64_t served = 0;
  Remote* remote = nullptr;   // of a rank among processes; its clique is its own
  Remote* control = nullptr;  // where ranks among processes connect; null: a communicator that does not block
  std::mutex connecting;      // of the next
  std::set<Kind> connected;
  bool finalized = false;
  bool splitting = false;
  int unseen = 0;  // looks that say "in progress"
};

namespace {

void meet(NativeComm& comm, const Work& work) {
  std::unique_lock lock(mutex);
  if (comm.aborted) return;  // the others have left, and their work with them
  Clique& clique = *comm.clique;
  std::shared_ptr<Meeting>& entry = clique.meetings[comm.executed++];
  if (entry == nullptr) entry = std::make_shared<Meeting>();
  const std::shared_ptr<Meeting> meeting = entry;
  meeting->works.resize(static_cast<size_t>(clique.size));
  meeting->works[static_cast<size_t>(comm.rank)] = &work;
  if (++meeting->arrived == clique.size) {
    clique.meetings.erase(comm.executed - 1);
    for (const Work* each : meeting->works) {
      if (each->what != work.what || each->count != work.count || each->type != work.type) clique.error = kInvalidUsage;
    }
    if (clique.error == kSuccess) perform(meeting->works);
    meeting->done = true;
    changed.notify_all();
  }
  changed.wait(lock, [&] { return meeting->done || comm.aborted; });
}

void exchange(NativeComm& comm, const std::vector<Point>& points) {
  std::unique_lock lock(mutex);
  if (comm.aborted) return;
  Clique& clique = *comm.clique;
  std::vector<std::shared_ptr<Message>> sent;
  for (const Point& point : points) {
    if (!point.sends) continue;
    sent.push_back(std::make_shared<Message>(Message{&point}));
    clique.messages[{comm.rank, point.peer}].push_back(sent.back());
  }
  changed.notify_all();
  for (const Point& point : points) {
    if (point.sends) continue;
    auto& queue = clique.messages[{point.peer, comm.rank}];
    changed.wait(lock, [&] { return !queue.empty() || comm.aborted; });
    if (comm.aborted) return;
    Message& message = *queue.front();
    if (message.point->bytes != point.bytes) clique.error = kInvalidUsage;
    memmove(point.memory, message.point->memory, std::min(point.bytes, message.point->bytes));
    message.done = true;
    queue.pop_front();
    changed.notify_all();
  }
  for (const auto& message : sent) changed.wait(lock, [&] { return message->done || comm.aborted; });
}

// ---- Among processes ----

std::vector<Buffer> combine(const std::vector<Buffer>& heads, const std::vector<Buffer>& sent) {
  std::vector<Work> works(heads.size());
  std::vector<const Work*> pointers;
  std::vector<Buffer> results(heads.size());
  for (size_t rank = 0; rank < heads.size(); ++rank) {
    Work& work = works[rank];
    memcpy(&work, heads[rank].data(), sizeof work);
    const size_t bytes = work.count * static_cast<size_t>(sizeOfType(work.type));
    results[rank].resize(work.what == What::kAllGather ? bytes * heads.size() : bytes);
    work.send = sent[rank].data();
    work.receive = results[rank].data();
    pointers.push_back(&work);
  }
  perform(pointers);
  return results;
}

// A process is gone: NCCL says so, and its kernel goes on until the abort. Where nothing aborts it, as in a graph, a test fails
// after half a minute and does not hang.
void lose(NativeComm& comm) {
  std::unique_lock lock(mutex);
  comm.clique->error = 6;  // ncclRemoteError
  (void)changed.wait_for(lock, std::chrono::seconds(30), [&] { return comm.aborted; });
}

void meetFar(NativeComm& comm, const Work& work) {
  const size_t bytes = work.count * static_cast<size_t>(sizeOfType(work.type));
  const auto size = static_cast<size_t>(comm.clique->size);
  const bool sends = work.what != What::kBroadcast || comm.rank == work.root;
  Buffer head(sizeof work), sent(work.what == What::kReduceScatter ? bytes * size : bytes), received;
  memcpy(head.data(), &work, sizeof work);
  if (sends) memcpy(sent.data(), work.send, sent.size());
  if (!comm.remote->collective(head, sent, &received)) return lose(comm);
  if (work.what != What::kReduce || comm.rank == work.root) memcpy(work.receive, received.data(), received.size());
}

void exchangeFar(NativeComm& comm, const std::vector<Point>& points) {
  for (const Point& point : points) {
    const char* const bytes = static_cast<const char*>(point.memory);
    if (point.sends && !comm.remote->send(point.peer, Buffer(bytes, bytes + point.bytes))) return lose(comm);
  }
  for (const Point& point : points) {
    Buffer received;
    if (point.sends) continue;
    if (!comm.remote->receive(point.peer, &received)) return lose(comm);
    memcpy(point.memory, received.data(), std::min(received.size(), point.bytes));
  }
}

thread_local const int own_number __attribute__((tls_model("initial-exec"))) = static_cast<int>(gettid());

// With a communicator that does not block the call returns before its end, which the next look but one sees.
Result begun(NativeComm* comm) {
  const std::lock_guard lock(mutex);
  last_caller = own_number;
  if (comm->remote == nullptr || comm->control != nullptr) return kSuccess;
  ++calls["operation that does not block"];
  comm->unseen = 1;
  return kInProgress;
}

// As where the driver's queue is full.
bool awaitRoom(NativeComm* comm) {
  std::unique_lock lock(mutex);
  if (held.count(-3) == 0) return true;
  ++comm->calling;
  changed.wait(lock, [&] { return held.count(-3) == 0 || comm->aborted; });
  --comm->calling;
  return !comm->aborted;
}

// As connect(), over the processes.
Result connectFar(NativeComm* comm, const Kind& kind) {
  const std::lock_guard lock(comm->connecting);
  if (!comm->connected.insert(kind).second) return kSuccess;
  const Work barrier = {What::kBroadcast, nullptr, nullptr, 1, 0, 0, 0};
  Buffer head(sizeof barrier), received;
  memcpy(head.data(), &barrier, sizeof barrier);
  {
    const std::lock_guard counting(mutex);
    ++comm->calling;
  }
  const bool met = comm->control->collective(head, Buffer(1), &received);
  const std::lock_guard counting(mutex);
  --comm->calling;
  return met ? kSuccess : kInternalError;
}

// ---- Groups ----

struct Group {
  int depth = 0;
  std::vector<std::function<void()>> arrivals;  // of the collectives, before any waits: one thread may have all ranks
  std::vector<std::function<Result()>> calls;
  std::map<std::pair<NativeComm*, Stream>, std::vector<Point>> points;
  std::vector<std::pair<NativeComm*, bool>> ends;  // true: an abort
};
// In the static block of each thread: the loader frees others out of ThreadSanitizer's sight.
thread_local Group group __attribute__((tls_model("initial-exec")));

// The function that runs in a stream. Outside of graphs the operations of a rank run in the order of their calls, whatever
// their streams.
struct InStream {
  NativeComm* comm;
  std::function<void()> function;
  bool captured = false;
  uint64_t turn = 0;
};

void runInStream(void* user) {
  InStream& work = *static_cast<InStream*>(user);
  NativeComm& comm = *work.comm;
  {
    std::unique_lock lock(mutex);
    const auto begins = [&] { return held.count(comm.rank) == 0 && (work.captured || comm.served == work.turn); };
    changed.wait(lock, [&] { return begins() || comm.aborted; });
  }
  work.function();
  if (work.captured) return;  // a graph calls it often: it stays
  const std::lock_guard lock(mutex);
  ++comm.served;
  changed.notify_all();
  delete &work;
}

// Memory that stays until the process ends, where a leak checker finds it.
struct Left {
  std::mutex mutex;
  std::vector<NativeComm*> comms;
  std::vector<InStream*> captured;
};
Left* const left = new Left;

Result enqueue(NativeComm* comm, Stream stream, std::function<void()> function) {
  auto* const work = new InStream{comm, std::move(function)};
  int captured = 0;
  const std::lock_guard order(comm->submitting);
  work->turn = comm->submitted;
  // Whether it is captured is said before it can run: a captured function runs at a launch.
  const int error = simulatedCudaRunInStream(stream, runInStream, work, &captured);
  if (error != 0) return kUnhandledCudaError;
  if (captured != 0) {
    work->captured = true;
    const std::lock_guard keeping(left->mutex);
    left->captured.push_back(work);
  } else {
    ++comm->submitted;
  }
  return kSuccess;
}

std::set<int>& connectedLocked(NativeComm* comm, const Work& work) {
  return comm->clique->connected[{work.what, work.count, work.type, work.reduction}];
}

void comeToConnect(NativeComm* comm, const Work& work) {
  const std::lock_guard lock(mutex);
  connectedLocked(comm, work).insert(comm->rank);
  changed.notify_all();
}

// The first operation of a kind connects the ranks: the call waits for all.
Result connect(NativeComm* comm, const Work& work) {
  comeToConnect(comm, work);
  std::unique_lock lock(mutex);
  if (comm->aborted) return kInvalidUsage;
  std::set<int>& here = connectedLocked(comm, work);
  ++comm->calling;
  const auto all = [&] { return static_cast<int>(here.size()) == comm->clique->size && held.count(-2) == 0; };
  changed.wait(lock, [&] { return all() || comm->aborted; });
  --comm->calling;
  return comm->aborted ? kInternalError : kSuccess;
}

Result collective(const char* name, NativeComm* comm, Stream stream, const Work& work) {
  Result result = kSuccess;
  if (refused(name, &result)) return result;
  if (comm == nullptr || work.type < 0 || work.type > 9 || work.root < 0 || work.root >= comm->clique->size) {
    return kInvalidArgument;
  }
  const auto call = [=] {
    if (comm->remote != nullptr) {
      const Result connected =
          comm->control == nullptr ? kSuccess : connectFar(comm, {work.what, work.count, work.type, work.reduction});
      if (connected != kSuccess) return connected;
      if (!awaitRoom(comm)) return kInternalError;
      const Result enqueued = work.count == 0 ? kSuccess : enqueue(comm, stream, [=] { meetFar(*comm, work); });
      return enqueued != kSuccess ? enqueued : begun(comm);
    }
    const Result connected = connect(comm, work);
    if (connected != kSuccess) return connected;
    const Result enqueued = work.count == 0 ? kSuccess : enqueue(comm, stream, [=] { meet(*comm, work); });
    return enqueued != kSuccess ? enqueued : begun(comm);
  };
  if (group.depth == 0) return call();
  if (comm->remote == nullptr) group.arrivals.push_back([=] { comeToConnect(comm, work); });
  group.calls.push_back(call);
  return kSuccess;
}

Result point(const char* name, NativeComm* comm, Stream stream, const Point& given) {
  Result result = kSuccess;
  if (refused(name, &result)) return result;
  if (comm == nullptr || given.peer < 0 || given.peer >= comm->clique->size) return kInvalidArgument;
  if (group.depth != 0) {
    group.points[{comm, stream}].push_back(given);
    return kSuccess;
  }
  if (comm->remote != nullptr) return kInvalidUsage;  // the library groups them
  return enqueue(comm, stream, [=] { exchange(*comm, {given}); });
}

}  // namespace

#define EXPORT extern "C" SIMULATED_NCCL_API

EXPORT Result ncclGetVersion(int* version) {
  const char* const given = getenv("SIMULATED_NCCL_VERSION");
  *version = given != nullptr ? atoi(given) : 22800;
  return kSuccess;
}

EXPORT const char* ncclGetErrorString(Result result) {
  static constexpr const char* texts[] = {
      "no error",         "unhandled cuda error", "unhandled system error", "internal error",
      "invalid argument", "invalid usage",        "remote process exited",  "in progress"};
  return result >= 0 && result <= 7 ? texts[result] : "unknown result code";
}
EXPORT const char* ncclGetLastError(NativeComm*) { return ""; }

// Fails without a rank that has begun: for all or for none.
EXPORT Result ncclCommInitAll(NativeComm** comms, int count, const int* devices) {
  Result result = kSuccess;
  if (refused("ncclCommInitAll", &result)) return result;
  int present = 0;
  if (cudaGetDeviceCount(&present) != 0) return kUnhandledCudaError;
  const std::set<int> different(devices, devices + count);
  if (static_cast<int>(different.size()) != count) return kInvalidUsage;
  if (*different.begin() < 0 || *different.rbegin() >= present) return kInvalidArgument;
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return held.count(-1) == 0; });
  const auto clique = std::make_shared<Clique>();
  clique->size = count;
  for (int rank = 0; rank < count; ++rank) {
    comms[rank] = new NativeComm;
    {
      const std::lock_guard keeping(left->mutex);
      left->comms.push_back(comms[rank]);
    }
    comms[rank]->clique = clique;
    comms[rank]->rank = rank;
  }
  live += count;
  return kSuccess;
}

EXPORT Result ncclGetUniqueId(NativeId* id) {
  Result result = kSuccess;
  if (refused("ncclGetUniqueId", &result)) return result;
  const std::string name = serve(combine);
  if (name.empty() || name.size() >= sizeof id->bytes) return kSystemError;
  memset(id, 0, sizeof *id);
  memcpy(id->bytes, name.data(), name.size());
  return kSuccess;
}

// For a rank among processes, on the device that is current. Here it does not block.
EXPORT Result ncclCommInitRankConfig(NativeComm** comm, int count, NativeId id, int rank, Config* config) {
  Result result = kSuccess;
  if (refused("ncclCommInitRankConfig", &result)) return result;
  void* context = nullptr;
  void* current = nullptr;
  int outcome = 0;
  if (cudaGetDriverEntryPoint("cuCtxGetCurrent", &current, 0, &outcome) != 0 || current == nullptr) return kInternalError;
  if (reinterpret_cast<int (*)(void**)>(current)(&context) != 0 || context == nullptr) return kUnhandledCudaError;
  if (config->magic != 0xcafebeef || config->blocking != 0 || rank < 0 || rank >= count) return kInvalidArgument;
  const std::lock_guard lock(mutex);
  auto* const made = new NativeComm;
  {
    const std::lock_guard keeping(left->mutex);
    left->comms.push_back(made);
  }
  made->clique = std::make_shared<Clique>();
  made->clique->size = count;
  made->rank = rank;
  made->remote = new Remote(std::string(id.bytes, strnlen(id.bytes, sizeof id.bytes)), rank, count);
  ++live;
  *comm = made;
  return kInProgress;
}

namespace {

bool gatherFar(Remote& remote, const Buffer& own, Buffer* all) {
  const Work work = {What::kAllGather, nullptr, nullptr, own.size(), 0, 0, 0};
  Buffer head(sizeof work);
  memcpy(head.data(), &work, sizeof work);
  return remote.collective(head, own, all);
}

struct Card {
  int color;
  int key;
};

// The ranks learn what all want, and from the first of each color where the new communicator meets: two servers, the second for
// connecting. A parent that does not block has no other use of its connection meanwhile.
void splitFar(NativeComm* parent, Card card, NativeComm** made) {
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return held.count(-4) == 0; });
  }
  const std::lock_guard alone(parent->connecting);
  Remote& remote = parent->control != nullptr ? *parent->control : *parent->remote;
  const int size = parent->clique->size;
  Buffer own(sizeof card), all;
  memcpy(own.data(), &card, sizeof card);
  if (!gatherFar(remote, own, &all)) return;
  std::vector<std::pair<int, int>> order;  // key and rank
  for (int rank = 0; rank < size; ++rank) {
    Card its;
    memcpy(&its, part(all.data(), sizeof its, rank), sizeof its);
    if (its.color == card.color) order.emplace_back(its.key, rank);
  }
  std::sort(order.begin(), order.end());
  const bool takes_part = card.color >= 0;
  Buffer names(2 * sizeof(NativeId)), received;
  for (size_t half = 0; half < 2 && takes_part && order.front().second == parent->rank; ++half) {
    const std::string name = serve(combine);
    memcpy(names.data() + half * sizeof(NativeId), name.data(), name.size());
  }
  if (!gatherFar(remote, names, &received)) return;
  if (!takes_part) {
    const std::lock_guard lock(mutex);
    *made = nullptr;
    parent->splitting = false;
    return;
  }
  const char* const first = part(received.data(), names.size(), order.front().second);
  const auto count = static_cast<int>(order.size());
  const auto at = static_cast<int>(std::find(order.begin(), order.end(), std::pair(card.key, parent->rank)) - order.begin());
  auto* const child = new NativeComm;
  {
    const std::lock_guard keeping(left->mutex);
    left->comms.push_back(child);
  }
  child->clique = std::make_shared<Clique>();
  child->clique->size = count;
  child->rank = at;
  child->remote = new Remote(first, at, count);
  child->control = new Remote(first + sizeof(NativeId), at, count);
  while (!child->remote->joined() || !child->control->joined()) std::this_thread::yield();
  const std::lock_guard lock(mutex);
  ++live;
  *made = child;
  parent->splitting = false;
}

}  // namespace

// With a parent that does not block it is on a thread of its own, and the call returns.
EXPORT Result ncclCommSplit(NativeComm* parent, int color, int key, NativeComm** made, Config* config) {
  Result result = kSuccess;
  if (refused("ncclCommSplit", &result)) return result;
  if (parent->remote == nullptr || !parent->remote->joined() || parent->finalized) return kInvalidUsage;
  if (config->magic != 0xcafebeef || config->blocking != 1 || config->split_share != 0 || color < -1) return kInvalidArgument;
  {
    const std::lock_guard lock(mutex);
    parent->splitting = true;
    if (parent->control != nullptr) ++parent->calling;
  }
  if (parent->control == nullptr) {
    std::thread(splitFar, parent, Card{color, key}, made).detach();
    return kSuccess;  // as NCCL 2.28, though it goes on
  }
  splitFar(parent, {color, key}, made);
  const std::lock_guard lock(mutex);
  --parent->calling;
  return parent->splitting ? kInternalError : kSuccess;
}

// Blocks until all have come: as users of NCCL start a rank.
EXPORT Result ncclCommInitRank(NativeComm** comm, int count, NativeId id, int rank) {
  Config config;
  config.blocking = 0;
  NativeComm* parent = nullptr;
  const Result begun = ncclCommInitRankConfig(&parent, count, id, rank, &config);
  if (begun != kInProgress) return begun;
  while (!parent->remote->joined()) std::this_thread::yield();
  splitFar(parent, {0, rank}, comm);
  const std::lock_guard lock(mutex);
  --live;  // the parent's; it is leaked
  return kSuccess;
}

EXPORT Result ncclCommFinalize(NativeComm* comm) {
  Result result = kSuccess;
  if (refused("ncclCommFinalize", &result)) return result;
  const std::lock_guard lock(mutex);
  if (comm->finalized || comm->splitting || comm->remote == nullptr) return kInvalidUsage;
  comm->finalized = true;
  comm->unseen = 1;
  return kInProgress;
}

namespace {

// The calls of one group, or one call outside of groups. An end without those of the other ranks may wait for them: here it
// fails.
Result endAll(const std::vector<std::pair<NativeComm*, bool>>& ends) {
  const std::lock_guard lock(mutex);
  for (const auto& [comm, aborts] : ends) {
    if (comm->remote != nullptr) continue;
    const auto same = [&, &clique = comm->clique](const auto& other) { return other.first->clique == clique; };
    if (std::count_if(ends.begin(), ends.end(), same) != comm->clique->size) return kInvalidUsage;
  }
  for (const auto& [comm, aborts] : ends) {
    --live;  // what runs in a stream may still look at it: it is leaked
    comm->aborted = comm->aborted || aborts;
    if (comm->remote != nullptr) comm->remote->abort();
    if (comm->control != nullptr) comm->control->abort();
    if (comm->calling != 0) ++calls["abort within a call"];
  }
  changed.notify_all();
  return kSuccess;
}

Result end(NativeComm* comm, bool aborts) {
  if (group.depth == 0) return endAll({{comm, aborts}});
  group.ends.emplace_back(comm, aborts);
  return kSuccess;
}

}  // namespace

EXPORT Result ncclCommDestroy(NativeComm* comm) {
  Result result = kSuccess;
  return refused("ncclCommDestroy", &result) ? result : end(comm, false);
}
EXPORT Result ncclCommAbort(NativeComm* comm) {
  Result result = kSuccess;
  return refused("ncclCommAbort", &result) ? result : end(comm, true);
}
EXPORT Result ncclCommGetAsyncError(NativeComm* comm, Result* error) {
  const std::lock_guard lock(mutex);
  *error = async_error != 0 ? async_error : comm->clique->error;
  if (comm->remote == nullptr || *error != kSuccess) return kSuccess;
  if (comm->unseen > 0 || !comm->remote->joined() || comm->splitting) *error = kInProgress;
  comm->unseen = std::max(0, comm->unseen - 1);
  return kSuccess;
}

EXPORT Result ncclGroupStart() {
  const std::lock_guard lock(mutex);
  ++calls["ncclGroupStart"];
  return ++group.depth, kSuccess;
}
EXPORT Result ncclGroupEnd() {
  if (group.depth == 0) return kInvalidUsage;
  if (--group.depth != 0) return kSuccess;
  Group ended;
  std::swap(ended, group);
  Result first = ended.ends.empty() ? kSuccess : endAll(ended.ends);
  for (const auto& arrive : ended.arrivals) arrive();
  for (const auto& call : ended.calls) {
    const Result result = call();
    if (first == kSuccess || first == kInProgress) first = result == kSuccess ? first : result;
  }
  for (auto& [at, points] : ended.points) {
    NativeComm* const comm = at.first;
    Result result = enqueue(comm, at.second, [comm, points = points] {
      comm->remote != nullptr ? exchangeFar(*comm, points) : exchange(*comm, points);
    });
    if (result == kSuccess) result = begun(comm);
    if (first == kSuccess || first == kInProgress) first = result == kSuccess ? first : result;
  }
  return first;
}

EXPORT Result ncclAllReduce(const void* send, void* receive, size_t count, int type, int reduction, NativeComm* comm,
                            Stream stream) {
  return collective("ncclAllReduce", comm, stream, {What::kAllReduce, send, receive, count, type, reduction, 0});
}
EXPORT Result ncclReduce(const void* send, void* receive, size_t count, int type, int reduction, int root, NativeComm* comm,
                         Stream stream) {
  return collective("ncclReduce", comm, stream, {What::kReduce, send, receive, count, type, reduction, root});
}
EXPORT Result ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, NativeComm* comm,
                            Stream stream) {
  return collective("ncclBroadcast", comm, stream, {What::kBroadcast, send, receive, count, type, 0, root});
}
EXPORT Result ncclAllGather(const void* send, void* receive, size_t count, int type, NativeComm* comm, Stream stream) {
  return collective("ncclAllGather", comm, stream, {What::kAllGather, send, receive, count, type, 0, 0});
}
EXPORT Result ncclReduceScatter(const void* send, void* receive, size_t count, int type, int reduction, NativeComm* comm,
                                Stream stream) {
  return collective("ncclReduceScatter", comm, stream, {What::kReduceScatter, send, receive, count, type, reduction, 0});
}
EXPORT Result ncclSend(const void* send, size_t count, int type, int peer, NativeComm* comm, Stream stream) {
  return point("ncclSend", comm, stream, {true, const_cast<void*>(send), count * static_cast<size_t>(sizeOfType(type)), peer});
}
EXPORT Result ncclRecv(void* receive, size_t count, int type, int peer, NativeComm* comm, Stream stream) {
  return point("ncclRecv", comm, stream, {false, receive, count * static_cast<size_t>(sizeOfType(type)), peer});
}

EXPORT int simulatedNcclLive() {
  const std::lock_guard lock(mutex);
  return live;
}
EXPORT int simulatedNcclCount(const char* function) {
  const std::lock_guard lock(mutex);
  return calls[function];
}
EXPORT int simulatedNcclCaller() {
  const std::lock_guard lock(mutex);
  return last_caller;
}
EXPORT void simulatedNcclFail(const char* function, int result) {
  const std::lock_guard lock(mutex);
  failures[function] = result;
}
EXPORT void simulatedNcclHold(int rank, int on) {
  const std::lock_guard lock(mutex);
  if (on != 0) {
    held.insert(rank);
  } else {
    held.erase(rank);
  }
  changed.notify_all();
}
EXPORT void simulatedNcclAsyncError(int result) {
  const std::lock_guard lock(mutex);
  async_error = result;
}

}  // namespace manyrt::comm::nccl
