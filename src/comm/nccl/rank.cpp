// The calls of NCCL. Each collective is one call, or one group of sends and receives; what a batch sends and receives is one
// group. NCCL may block in a call until the other ranks have come: at the first of a kind it connects them. Such calls are made
// on threads of the library, one for each stream; later ones on the program's thread, where no rank has to be met before.
#include "comm/nccl/rank.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"
#include "comm/core_call.h"
#include "comm/guard.h"
#include "comm/in_process/member.h"

namespace manyrt::comm::nccl {
namespace {

// NCCL has no type of 16-bit integers. An operation that does not reduce moves twice as many bytes.
struct Elements {
  int type;
  size_t count;
};
constexpr int kInt8 = 0;

Elements elementsOf(const Operation& of) {
  static constexpr int types[kTypeCount] = {0, 1, -1, -1, 2, 3, 4, 5, 6, 9, 7, 8};
  const int type = types[of.type];
  return type >= 0 ? Elements{type, of.count} : Elements{kInt8, of.count * 2};
}
bool ncclRuns(const Operation& of) { return !reduces(of.kind) || (of.type != RT_COMM_I16 && of.type != RT_COMM_U16); }

static_assert(RT_COMM_SUM == 0 && RT_COMM_PRODUCT == 1 && RT_COMM_MINIMUM == 2 && RT_COMM_MAXIMUM == 3 && RT_COMM_AVERAGE == 4);
int reductionOf(const Operation& of) {  // ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg
  static constexpr int reductions[kReductionCount] = {0, 1, 3, 2, 4};
  return reductions[of.reduction];
}

void* at(void* base, uint64_t bytes) { return static_cast<char*>(base) + bytes; }
const void* at(const void* base, uint64_t bytes) { return static_cast<const char*>(base) + bytes; }

}  // namespace

Status Rank::prepare() {
  if (team_ != nullptr) RT_TRY(Member::create(&in_process_, team_, settings(), rank(), sharedMonitor()));
  RT_TRY_CORE(rtStreamCreate(&stream_, nullptr, place().context));
  uint64_t native[2] = {};
  RT_TRY_CORE(rtStreamGetNative(native, stream_));
  native_stream_ = reinterpret_cast<Stream>(static_cast<uintptr_t>(native[0]));
  RT_TRY_CORE(rtMalloc(&barrier_, sizeof(int64_t), place().context));
  RT_TRY_CORE(rtMemsetAsync(barrier_, 0, sizeof(int64_t), stream_));
  // Here and not in a stream: the first barrier may come to another stream, which knows nothing of this one.
  RT_TRY_CORE(rtStreamSynchronize(stream_));
  return Status();
}

Rank::~Rank() {
  // First: no news of other ranks comes from here on.
  presence_.reset();
  // Memory of captured operations: the graphs have gone before, as each of them holds this rank.
  kept_.clear();
  (void)rtFree(barrier_);
  (void)rtStreamDestroy(stream_);
  // Last, as in Member: from here on operations that still expect this rank fail.
  if (team_ != nullptr) team_->part(rank());
}

void Rank::retire() {
  if (presence_ != nullptr) presence_->leave();
}

void Rank::announceFailure() {
  // Its next look would come soon. A failure may hold threads of the program meanwhile.
  wakeWatch();
  if (presence_ == nullptr) return;
  int32_t about = -1;
  const Status failure = monitor().failure(&about);
  presence_->tell(failure, about);
}

Status Rank::result(const char* call, Result result) const {
  return result == kSuccess ? Status() : failure(library(), call, result);
}

Carrier Rank::carrier() const {
  return {RT_COMM_ENGINE_NCCL, RT_COMM_TRANSPORT_NCCL, clique_->localCount(), versionText(library().version)};
}

// ---- Checks and submission ----

bool Rank::submitsToStream(const std::vector<Operation>& operations) const {
  // NCCL is called for a split when the stream has come there: all ranks have, then.
  const auto submits = [](const Operation& of) { return ncclRuns(of) && of.kind != Kind::kSplit; };
  return std::all_of(operations.begin(), operations.end(), submits);
}

Status Rank::check(const Operation& operation, bool captured) {
  if (team_ == nullptr && Widening::isFor(operation)) {
    RT_TRY(widening_.build());
    return check(Widening::widened(operation), captured);
  }
  // Only where a team is there: among processes such an operation is widened, or moves bytes.
  if (!ncclRuns(operation)) return in_process_->check(operation, captured);
  // NCCL may connect ranks at the first operation of a kind, and wait for all of them. In a capture the ranks of one thread
  // come one after the other.
  if (captured && size() > 1 && !known_.has(operation)) {
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "A capture of %s: NCCL has to have connected the ranks for it. Run the same operation once, outside of "
        "a capture, before.",
        describe(operation).c_str());
  }
  return Status();
}

Status Rank::beforeSubmit(const Operation& first, rtStream_t stream) { return flights_.prepare(first, stream); }

void Rank::afterSubmit(bool submitted) {
  flights_.commit(submitted, [this] { watch(shared_from_this(), own_seat_, seat_); });
}

Status Rank::announceSplit(int32_t color, int32_t key, uint64_t* ticket) {
  return team_ == nullptr ? announceAmong(color, key, ticket) : team_->announceSplit(color, key, rank(), ticket);
}

Status Rank::takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  return team_ == nullptr ? takeAmong(ticket, made) : team_->takeSplit(ticket, rank(), made);
}

// ---- Running ----

Status Rank::run(const std::vector<Operation>& operations, const Submission& at) {
  const auto stream = reinterpret_cast<Stream>(static_cast<uintptr_t>(at.native));
  if (at.captured) {  // no rank waits for another: a failure is that of the exec alone
    for (const Operation& operation : operations) {
      if (!isCollective(operation.kind)) continue;
      Beside beside;
      RT_TRY(reserveBeside(&beside, operation));
      RT_TRY(call(operation, std::move(beside), stream, true));
    }
    return callPoints(operations, stream);
  }
  // Batches of one rank have turns, so that they are called in the order in which they were submitted.
  Flight& flight = flights_.takeCalled();
  Status status = withoutThrowing(
      [&] { return team_ == nullptr ? callAll(operations, stream, flight) : meetAndCall(operations, stream, flight); });
  // From here on the watch may tell the stream of a failure: the call can no longer take it over.
  flight.returned.store(true, std::memory_order_seq_cst);
  return ended(std::move(status), operations.front());
}

// A failure may have come before `returned`: the watch leaves it to the call of the stream, which this is the end of.
Status Rank::ended(Status status, const Operation& of) {
  if (status.ok() && !monitor().hasFailed()) return status;
  int32_t about = -1;
  Status gone;
  // NCCL's error is a consequence where a process has ended: the hub's word names the cause.
  if (!status.ok() && team_ == nullptr && awaitGone(&gone, &about, of)) {
    monitor().fail(gone, about);
    announceFailure();
  } else if (!status.ok()) {
    fail(status);
  }
  return monitor().failure();
}

// An operation that NCCL has not connected yet might keep the program's thread for seconds.
bool Rank::submitsNow(const Operation& of) {
  // An allocation may wait for the device, and the device for a rank that waits for this thread.
  const bool needs_memory = of.kind == Kind::kAllToAll && of.send == of.receive;
  return ncclRuns(of) && !needs_memory && known_.hasForCall(of);
}

// Not within another such call, as from a function that takes the log.
bool Rank::runsAtOnce(Operations operations) {
  return team_ == nullptr && flights_.current() == nullptr &&
         std::all_of(operations.begin(), operations.end(), [this](const Operation& of) { return submitsNow(of); });
}

bool Rank::runsAll(Operations operations) {
  return team_ != nullptr && flights_.current() == nullptr &&
         std::all_of(operations.begin(), operations.end(),
                     [this](const Operation& of) { return isCollective(of.kind) && submitsNow(of); });
}

Status Rank::enter(Operations operations, rtStream_t stream, int64_t came) {
  uint64_t bytes = 0;  // of the memory of all ranks, for which the checks have room
  for (const Operation& of : operations) bytes += of.count * sizeOf(of.type) * static_cast<uint64_t>(size());
  RT_TRY(flights_.enter(operations.front(), bytes, stream, came, [this] { watch(shared_from_this(), own_seat_, seat_); }));
  Flight& flight = *flights_.current();
  // For the oldest of a flight the clock begins.
  if (flight.called.load(std::memory_order_relaxed) == 0) flight.called.store(nowNanoseconds(), std::memory_order_release);
  return Status();
}

void Rank::leave(bool ran) { flights_.leave(ran); }

Status Rank::runAtOnce(Operations operations, uint64_t native) {
  const auto stream = reinterpret_cast<Stream>(static_cast<uintptr_t>(native));
  Status status = withoutThrowing([&] { return callNow(operations, stream); });
  flights_.current()->returned.store(true, std::memory_order_seq_cst);
  return ended(std::move(status), operations.front());
}

Status Rank::callNow(Operations operations, Stream stream) {
  // Holds an abort off: it frees what the call uses.
  const Clique::Use use(*clique_, rank());
  // The communicator of NCCL has been ended by a failure.
  if (!use) return monitor().failure();
  for (const Operation& operation : operations) {
    count(operation);
    if (isCollective(operation.kind)) RT_TRY(callCollective(operation, nullptr, use.comm(), stream));
  }
  return groupPoints(operations, use.comm(), stream);
}

Status Rank::runAll(const std::vector<Share>& shares) {
  Status status = withoutThrowing([&] { return callShares(shares); });
  for (const Share& share : shares) {
    static_cast<Rank&>(*share.communicator).flights_.current()->returned.store(true, std::memory_order_seq_cst);
  }
  return ended(std::move(status), shares.front().operations.front());
}

// As NCCL's users do that have all devices on one thread: a group of NCCL for each operation.
Status Rank::callShares(const std::vector<Share>& shares) {
  std::deque<Clique::Use> uses;
  // All before the first call: an abort must not come between the calls of a group.
  for (size_t rank = 0; rank < shares.size(); ++rank) {
    if (!uses.emplace_back(*clique_, static_cast<int32_t>(rank))) return monitor().failure();
  }
  for (size_t at = 0; at < shares.front().operations.size(); ++at) {
    RT_TRY(result("ncclGroupStart", library().groupStart()));
    Status first;
    for (size_t rank = 0; rank < shares.size(); ++rank) {
      const auto stream = reinterpret_cast<Stream>(static_cast<uintptr_t>(shares[rank].native));
      const Status status = static_cast<Rank&>(*shares[rank].communicator)
                                .callCollective(shares[rank].operations[at], nullptr, uses[rank].comm(), stream);
      // The group has to be closed, whatever failed inside: NCCL counts groups by thread.
      if (first.ok()) first = status;
    }
    const Status ended = result("ncclGroupEnd", library().groupEnd());
    RT_TRY(first.ok() ? ended : first);
  }
  return Status();
}

// The other processes are met by NCCL alone, on the device or in its own threads. The watch has the clock.
Status Rank::callAll(const std::vector<Operation>& operations, Stream stream, Flight& flight) {
  flight.called.store(nowNanoseconds(), std::memory_order_release);
  for (const Operation& operation : operations) {
    if (!isCollective(operation.kind)) continue;
    Beside memory;
    RT_TRY(reserveBeside(&memory, operation));
    count(operation);
    RT_TRY(call(operation, std::move(memory), stream, false));
  }
  // All sends and receives of the batch are one group, so that none waits for another.
  RT_TRY(callPoints(operations, stream));
  known_.add(operations);
  return Status();
}

Status Rank::meetAndCall(const std::vector<Operation>& operations, Stream stream, Flight& flight) {
  // The team has its own clock for ranks that do not come. From here on the watch has one.
  const auto startClock = [&] { flight.called.store(nowNanoseconds(), std::memory_order_release); };
  const auto stopClock = [&] { flight.called.store(0, std::memory_order_release); };
  // A collective of the other engine reads memory at once. Earlier work of NCCL in the batch goes to a stream that this thread
  // can wait for.
  const auto last = std::find_if_not(operations.rbegin(), operations.rend(), ncclRuns).base();
  std::deque<Offer> offers;  // their addresses stay
  const auto meet = [&]() -> Status {
    for (const Operation& operation : operations) {
      if (operation.kind != Kind::kSend) continue;
      offers.push_back({&operation});
      team_->offer(offers.back(), rank());
    }
    bool beside = false;
    for (auto at = operations.begin(); at != operations.end(); ++at) {
      if (!isCollective(at->kind)) continue;
      if (!ncclRuns(*at)) {
        startClock();
        if (std::exchange(beside, false)) RT_TRY(awaitBeside());
        stopClock();
        RT_TRY(in_process_->run({*at}, {}));
        continue;
      }
      Beside memory;  // reserved first: after the meeting the others would wait in NCCL for a rank without it
      RT_TRY(reserveBeside(&memory, *at));
      std::shared_ptr<Meeting> meeting;
      RT_TRY(team_->arrive(&meeting, *at, rank()));
      startClock();
      beside = at < last;
      RT_TRY(call(*at, std::move(memory), beside ? native_stream_ : stream, false));
      stopClock();  // the next one meets first
      known_.add({&*at, 1});
    }
    for (const Operation& operation : operations) {
      if (operation.kind != Kind::kReceive) continue;
      Offer* offer = nullptr;
      RT_TRY(team_->take(&offer, operation, rank()));
      team_->finish(*offer);  // the device does the rest: nothing of the sender is read here
    }
    return Status();
  };
  Status status = withoutThrowing(meet);  // the offers are taken back in any case: other ranks have their addresses
  for (Offer& offer : offers) {
    if (status.ok()) status = team_->waitForTaker(offer, rank());
    if (!status.ok()) team_->takeBack(offer, rank());
  }
  startClock();
  if (status.ok()) status = callPoints(operations, stream);
  if (status.ok()) known_.add(operations);
  return status;
}

// The core library knows nothing of what NCCL submits: an event after it does.
Status Rank::awaitBeside() {
  rtEvent_t event = nullptr;
  RT_TRY_CORE(rtEventCreate(&event, nullptr, place().context));
  rtStatus_t code = rtEventRecord(event, stream_);
  if (code == RT_SUCCESS) code = rtEventSynchronize(event);
  const Status status = code == RT_SUCCESS ? Status() : fromCore(code);
  (void)rtEventDestroy(event);
  return status;
}

// Memory for the parts of an all-to-all in place; null for all else.
Status Rank::reserveBeside(Beside* beside, const Operation& of) {
  if (of.kind != Kind::kAllToAll || of.count == 0 || of.send != of.receive) return Status();
  void* memory = nullptr;
  RT_TRY_CORE(rtMalloc(&memory, of.count * sizeOf(of.type) * static_cast<uint64_t>(size()), place().context));
  beside->reset(memory);
  return Status();
}

Status Rank::call(const Operation& of, Beside beside, Stream stream, bool captured) {
  const Clique::Use use(*clique_, rank());
  void* const memory = beside.get();
  if (captured && memory != nullptr) kept_.push_back(std::move(beside));  // as long as the graph, which keeps this rank
  const Status status = use ? callCollective(of, memory, use.comm(), stream) : monitor().failure();
  const rtStatus_t freed = rtFree(beside.release());  // after this submission
  return status.ok() ? fromCore(freed) : status;
}

Status Rank::callCollective(const Operation& of, void* beside, NativeComm* comm, Stream stream) {
  const Elements elements = of.kind == Kind::kBarrier ? Elements{kInt8, 1} : elementsOf(of);
  const uint64_t bytes = of.count * sizeOf(of.type);
  switch (of.kind) {
    case Kind::kAllReduce:
      return result("ncclAllReduce",
                    library().allReduce(of.send, of.receive, elements.count, elements.type, reductionOf(of), comm, stream));
    case Kind::kReduce:
      return result("ncclReduce", library().reduce(of.send, of.receive, elements.count, elements.type, reductionOf(of), of.root,
                                                   comm, stream));
    case Kind::kBroadcast:
      return result("ncclBroadcast",
                    library().broadcast(of.send, of.receive, elements.count, elements.type, of.root, comm, stream));
    case Kind::kAllGather:
      return result("ncclAllGather", library().allGather(of.send, of.receive, elements.count, elements.type, comm, stream));
    case Kind::kReduceScatter:
      return result("ncclReduceScatter",
                    library().reduceScatter(of.send, of.receive, elements.count, elements.type, reductionOf(of), comm, stream));
    case Kind::kBarrier:
      return result("ncclAllReduce", library().allReduce(barrier_, barrier_, 1, kInt8, 0, comm, stream));
    case Kind::kAllToAll:
      return allToAll(of, beside, comm, stream);
    case Kind::kGather:
    case Kind::kScatter:
      break;
    case Kind::kSplit:
      return callSplit(of, comm);
    case Kind::kSend:
    case Kind::kReceive:
      return Status();
  }
  // Gather and scatter: the root's own part is where it should be, or is sent like the others.
  const bool gathers = of.kind == Kind::kGather, root = rank() == of.root;
  if (of.count == 0) return Status();
  RT_TRY(result("ncclGroupStart", library().groupStart()));
  // A failure inside the group does not leave it: groupEnd() must be called in any case.
  Result first = kSuccess;
  const auto note = [&](Result given) {
    if (first == kSuccess) first = given;
  };
  const bool in_place =
      root && (gathers ? of.send == at(of.receive, bytes * rank()) : of.receive == at(of.send, bytes * rank()));
  for (int32_t peer = 0; root && peer < size(); ++peer) {
    if (peer == rank() && in_place) continue;
    note(gathers ? library().receive(at(of.receive, bytes * peer), elements.count, elements.type, peer, comm, stream)
                 : library().send(at(of.send, bytes * peer), elements.count, elements.type, peer, comm, stream));
  }
  if (!in_place) {
    note(gathers ? library().send(of.send, elements.count, elements.type, of.root, comm, stream)
                 : library().receive(of.receive, elements.count, elements.type, of.root, comm, stream));
  }
  note(library().groupEnd());
  return result(gathers ? "The gather by ncclSend and ncclRecv" : "The scatter by ncclSend and ncclRecv", first);
}

// In place the parts go to memory beside, and from there to their place: a send of this rank to itself is a copy.
Status Rank::allToAll(const Operation& of, void* beside, NativeComm* comm, Stream stream) {
  if (of.count == 0) return Status();
  if (beside == nullptr) return exchange(of, of.receive, comm, stream);
  RT_TRY(exchange(of, beside, comm, stream));
  const uint64_t bytes = of.count * sizeOf(of.type) * static_cast<uint64_t>(size());
  Result first = library().groupStart();
  if (first == kSuccess) first = library().send(beside, bytes, kInt8, rank(), comm, stream);
  if (first == kSuccess) first = library().receive(of.receive, bytes, kInt8, rank(), comm, stream);
  const Result ended = library().groupEnd();
  return result("ncclGroupEnd", first != kSuccess ? first : ended);
}

Status Rank::exchange(const Operation& of, void* receive, NativeComm* comm, Stream stream) {
  const Elements elements = elementsOf(of);
  const uint64_t bytes = of.count * sizeOf(of.type);
  RT_TRY(result("ncclGroupStart", library().groupStart()));
  Result first = kSuccess;
  for (int32_t peer = 0; peer < size(); ++peer) {
    for (const Result given :
         {library().send(at(of.send, bytes * peer), elements.count, elements.type, peer, comm, stream),
          library().receive(at(receive, bytes * peer), elements.count, elements.type, peer, comm, stream)}) {
      if (first == kSuccess) first = given;
    }
  }
  const Result ended = library().groupEnd();
  return result("The all-to-all by ncclSend and ncclRecv", first != kSuccess ? first : ended);
}

Status Rank::callPoints(Operations operations, Stream stream) {
  const Clique::Use use(*clique_, rank());
  return use ? groupPoints(operations, use.comm(), stream) : monitor().failure();
}

Status Rank::groupPoints(Operations operations, NativeComm* comm, Stream stream) {
  bool open = false;
  Result first = kSuccess;
  for (const Operation& of : operations) {
    if (isCollective(of.kind) || of.count == 0) continue;
    if (!open) RT_TRY(result("ncclGroupStart", library().groupStart()));
    open = true;
    const Elements elements = elementsOf(of);
    const Result given = of.kind == Kind::kSend
                             ? library().send(of.send, elements.count, elements.type, of.root, comm, stream)
                             : library().receive(of.receive, elements.count, elements.type, of.root, comm, stream);
    if (first == kSuccess) first = given;
  }
  if (!open) return Status();
  const Result ended = library().groupEnd();
  return result("ncclGroupEnd", first != kSuccess ? first : ended);
}

}  // namespace manyrt::comm::nccl
