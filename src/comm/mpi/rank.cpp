// The order of a batch: sends and receives are begun first, then collectives run in order, then all is waited for. Waiting is
// asking MPI again and again, which makes its progress; between the questions the rank listens to the others.
#include "comm/mpi/rank.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <new>
#include <utility>

#include "comm/core_call.h"
#include "comm/guard.h"
#include "comm/host_reduction.h"
#include "comm/sentences.h"
#include "comm/short_operation.h"

namespace manyrt::comm::mpi {
namespace {

constexpr uint64_t kStagedPiece = 4 * 1024 * 1024;  // bytes of a device's memory that are on the host at a time
// Bytes that a rank gathers when it meets the others: in slots that are long for few ranks and short for many.
constexpr uint64_t kGathered = 8192, kLeastSlot = 256, kMostSlot = 2048;
constexpr uint64_t kMostElements = 1u << 30;  // of one call of MPI, which counts with an int
constexpr uint64_t kCollectivePiece =
    64 * 1024 * 1024;  // bytes of one collective of MPI itself, which a device's are staged for
// NULL, as a rank gives it for what only the root has, stays NULL.
void* at(void* base, uint64_t bytes) { return base == nullptr ? nullptr : static_cast<char*>(base) + bytes; }
const void* at(const void* base, uint64_t bytes) { return base == nullptr ? nullptr : static_cast<const char*>(base) + bytes; }

// For those of MPI's collectives alone in which no rank is the root.
bool isInPlace(const Operation& of, int32_t rank) {
  if (of.kind == Kind::kAllGather) return of.send == at(of.receive, of.count * sizeOf(of.type) * static_cast<uint64_t>(rank));
  return of.kind == Kind::kAllToAll && of.send == of.receive;
}

// Others have a part for each rank, whose pieces would lie apart.
bool goesInPieces(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kBroadcast; }

}  // namespace

std::string Rank::name() const { return sentences::labelOf(settings().label); }

Status Rank::failedPlugin(const char* why) {
  return Status::error(RT_ERROR_DRIVER, "Rank %d%s: %s", rank(), name().c_str(), why);
}

Status Rank::admitThread() const {
  if (manner_.threads != Threads::kOne || std::this_thread::get_id() == manner_.made_on) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "Another thread made the communicator%s, and MPI was initialised for one: ask MPI_Init_thread for "
                       "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.",
                       name().c_str());
}

Status Rank::check(const Operation& operation, bool captured) {
  RT_TRY(admitThread());
  if (captured && runsOnCallingThread()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "A capture holds an operation of a communicator of MPI only where MPI was initialised with "
                         "MPI_THREAD_MULTIPLE: a launch runs on a thread of the library.");
  }
  if (captured && place().backend == RT_BACKEND_CUDA) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "A capture on CUDA cannot hold an operation of a communicator of MPI.");
  }
  if (reducesOnDevice() && reduces(operation.kind)) RT_TRY(kernels_.build(operation.type));
  if (goesInPieces(operation.kind) || operation.count <= kMostElements) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The %s has %llu elements; MPI takes %llu at a time.", kindName(operation.kind),
                       static_cast<unsigned long long>(operation.count), static_cast<unsigned long long>(kMostElements));
}

Status Rank::run(const std::vector<Operation>& operations, const Submission&) {
  const std::lock_guard alone(running_);
  // announceFailure() of another thread has to leave MPI alone meanwhile, if MPI takes one thread at a time.
  runs_on_.store(std::this_thread::get_id(), std::memory_order_release);
  const Status status = runAlone(operations);
  runs_on_.store({}, std::memory_order_release);
  return status;
}

Status Rank::runAlone(const std::vector<Operation>& operations) {
  std::deque<Staged> points;
  Status status = withoutThrowing([&]() -> Status {
    RT_TRY(monitor().failure());  // a launch of a graph comes here in any case
    // Receives first: a message that finds its receive waiting needs no buffer of MPI.
    for (const bool receives : {true, false}) {
      for (const Operation& operation : operations) {
        if (operation.kind == (receives ? Kind::kReceive : Kind::kSend)) RT_TRY(startPoint(&points.emplace_back(), operation));
      }
    }
    for (const Operation& operation : operations) {
      if (isCollective(operation.kind)) RT_TRY(collective(operation));
    }
    for (Staged& point : points) RT_TRY(finish(&point));
    return Status();
  });
  if (status.ok()) return status;
  // In any case: MPI still knows the requests, whose memory may not go before.
  for (Staged& point : points) giveUp(&point);
  fail(status);
  return monitor().failure();  // the first one, which may have come from another rank
}

// ---- Memory ----

// `direct`: MPI gets the program's own memory.
Status Rank::stage(Staged* staged, const Operation& operation, bool direct) {
  staged->operation = staged->given = operation;
  if (operation.kind == Kind::kBarrier) return Status();
  Ranges ranges;
  (void)rangesOf(operation, rank(), size(), &ranges);
  // MPI's mark stands at all ranks or at none: those in place give a copy where others are not.
  if (direct) return all_in_place_ || !isInPlace(operation, rank()) ? Status() : copySource(staged, ranges.send);
  RT_TRY_CORE(rtMallocHost(&staged->memory, std::max<uint64_t>(1, ranges.send + ranges.receive), place().context));
  if (ranges.send != 0) {
    RT_TRY_CORE(rtMemcpyAsync(staged->memory, operation.send, ranges.send, RT_MEMCPY_DEFAULT, stream_));
    // MPI reads the copy on the host at once.
    RT_TRY_CORE(rtStreamSynchronize(stream_));
  }
  staged->operation.send = staged->memory;
  staged->operation.receive = at(staged->memory, ranges.send);
  return Status();
}

Status Rank::copySource(Staged* staged, uint64_t bytes) {
  if (bytes == 0) return Status();
  if (onHost()) {
    const char* const from = static_cast<const char*>(staged->given.send);
    staged->source = std::make_unique<std::vector<char>>(from, from + bytes);
    staged->operation.send = staged->source->data();
    return Status();
  }
  RT_TRY_CORE(rtMalloc(&staged->device_source, bytes, place().context));
  staged->operation.send = staged->device_source;
  return bring(staged->device_source, staged->given.send, bytes);
}

Status Rank::finish(Staged* staged) {
  const Operation& given = staged->given;
  Ranges ranges;
  (void)rangesOf(given, rank(), size(), &ranges);
  uint64_t bytes = ranges.receive;
  RT_TRY(wait(staged->request, given, &bytes));
  // Ended by the wait, so that giveUp() must not find it.
  staged->request = nullptr;
  if (given.kind == Kind::kReceive && bytes != ranges.receive) {
    monitor().fail(Status::error(RT_ERROR_INVALID_VALUE, "Rank %d%s sent %llu bytes, and rank %d came with %s.", given.root,
                                 name().c_str(), static_cast<unsigned long long>(bytes), rank(), comm::describe(given).c_str()),
                   given.root);
    return monitor().failure();
  }
  return deliver(staged);
}

Status Rank::deliver(Staged* staged) {
  if (staged->device_source != nullptr) RT_TRY_CORE(rtFree(std::exchange(staged->device_source, nullptr)));
  if (staged->memory == nullptr) return Status();
  const Operation& given = staged->given;
  Ranges ranges;
  (void)rangesOf(given, rank(), size(), &ranges);
  if (ranges.receive != 0) {
    RT_TRY_CORE(rtMemcpyAsync(given.receive, staged->operation.receive, ranges.receive, RT_MEMCPY_DEFAULT, stream_));
    RT_TRY_CORE(rtStreamSynchronize(stream_));
  }
  RT_TRY_CORE(rtFree(std::exchange(staged->memory, nullptr)));
  return Status();
}

// After a failure. A receive that has not begun writes nothing from here on. Any other operation may go on: MPI still reads and
// writes its memory, so what the library has given for it is never freed. That is the memory of one batch at most, since a
// communicator fails once. The program's own memory is the program's to keep (rt_comm.h).
void Rank::giveUp(Staged* staged) {
  if (staged->request == nullptr) {
    (void)rtFree(std::exchange(staged->memory, nullptr));
    (void)rtFree(std::exchange(staged->device_source, nullptr));
    return;
  }
  (void)staged->source.release();
  staged->memory = staged->device_source = nullptr;
  // MPI has no way to give up a collective.
  if (!isCollective(staged->given.kind)) plugin_.abandon(staged->request);
  staged->request = nullptr;
}

// ---- Operations ----

Status Rank::startPoint(Staged* staged, const Operation& operation) {
  RT_TRY(stage(staged, operation, direct()));
  if (const char* why = plugin_.start(&staged->request, staged->operation, comm_)) return failedPlugin(why);
  return Status();
}

Status Rank::perform(const Operation& operation) {
  Staged staged;
  if (reduces(operation.kind)) {
    RT_TRY(stage(&staged, operation, onHost() || reducesOnDevice()));
    RT_TRY(reduce(staged.operation));
    return deliver(&staged);
  }
  RT_TRY(startPoint(&staged, operation));
  const Status finished = finish(&staged);
  if (!finished.ok()) giveUp(&staged);
  return finished;
}

Status Rank::collective(const Operation& operation) {
  if (manner_.calls == Calls::kCollectives) {
    return goesInPieces(operation.kind) ? inPieces(operation, kCollectivePiece) : completeWhole(operation);
  }
  const Status done = meetAndWork(operation);
  // Answers to other ranks: from here on this one waits in no collective.
  waits_for_ = 0;
  return done;
}

Status Rank::meetAndWork(const Operation& operation) {
  RT_TRY(meet(operation));
  if (operation.kind == Kind::kBarrier) return Status();  // the ranks have met
  if (isShort(operation)) return finishShort(operation);
  if (!goesInPieces(operation.kind)) return perform(operation);
  return inPieces(operation, stages_ ? kStagedPiece : kMostElements * sizeOf(operation.type));
}

// All ranks cut alike, whatever their devices.
Status Rank::inPieces(const Operation& operation, uint64_t most_bytes) {
  const uint64_t element = sizeOf(operation.type), most = most_bytes / element;
  for (uint64_t done = 0; done < operation.count; done += most) {
    Operation piece = operation;
    piece.count = std::min(most, operation.count - done);
    piece.send = at(operation.send, done * element);
    piece.receive = at(operation.receive, done * element);
    RT_TRY(manner_.calls == Calls::kCollectives ? completeWhole(piece) : perform(piece));
  }
  return Status();
}

// ---- Collectives of MPI itself ----

// MPI's mark for "in place" has to stand at all ranks or at none, and the ranks have not told each other. So those in place
// send a copy. The library's own operations of MPI calculate on the host, so that reductions of a device's memory are staged.
Status Rank::completeWhole(const Operation& operation) {
  Staged staged;
  all_in_place_ = false;
  RT_TRY(stage(&staged, operation, onHost() || (takes_device_ && !reduces(operation.kind))));
  Operation& of = staged.operation;
  if (reduces(of.kind) && onHost() && of.count != 0) {
    Ranges ranges;
    (void)rangesOf(of, rank(), size(), &ranges);
    const char* const from = static_cast<const char*>(of.send);
    const char* const to = static_cast<const char*>(of.receive);
    if (ranges.receive != 0 && to < from + ranges.send && from < to + ranges.receive) {
      // Ranges that overlap are in place here: MPI forbids that without its mark.
      if (scratch_ == nullptr) scratch_ = std::make_unique<std::vector<char>>();
      scratch_->assign(from, from + ranges.send);
      of.send = scratch_->data();
    }
  }
  if (const char* why = plugin_.complete(of, comm_)) return failedPlugin(why);
  const bool has_result = of.kind != Kind::kReduce || rank() == of.root;
  if (of.reduction == RT_COMM_AVERAGE && reduces(of.kind) && has_result) {
    divideOnHost(of.type, of.receive, of.count, static_cast<uint32_t>(size()));
  }
  return deliver(&staged);
}

// ---- Short operations: what the ranks send comes with the meeting, and each makes its own result ----

uint64_t Rank::slotBytes() const {
  return std::clamp(kGathered / static_cast<uint64_t>(size()) / 8 * 8, kLeastSlot, kMostSlot);
}

// The same at all ranks, whatever each of them sends.
bool Rank::isShort(const Operation& of) const {
  return !isMany() && of.count <= shortCount(of.kind, of.type, size(), slotBytes() - sizeof(Header));
}

Status Rank::finishShort(const Operation& of) {
  Ranges ranges;
  (void)rangesOf(of, rank(), size(), &ranges);
  if (ranges.receive == 0) return Status();
  sent_.clear();
  for (int32_t other = 0; other < size(); ++other) sent_.push_back(payloadOf(other));
  if (onHost()) {
    finishFromSent(of, rank(), size(), sent_.data(), of.receive);
    return Status();
  }
  std::vector<char> result(ranges.receive);
  finishFromSent(of, rank(), size(), sent_.data(), result.data());
  return bring(of.receive, result.data(), ranges.receive);
}

Rank::Header Rank::headerOf(const Operation& operation) const {
  const bool is_direct = reduces(operation.kind) ? onHost() || reducesOnDevice() : direct();
  return {collectives_,
          operation.count,
          static_cast<int32_t>(operation.kind),
          operation.type,
          operation.reduction,
          operation.root,
          is_direct ? 1 : 0,
          is_direct && isInPlace(operation, rank()) ? 1 : 0};
}

// Success if all ranks have come and mean the same.
Status Rank::meet(const Operation& operation) {
  if (isMany()) return meetMany(operation);
  if (gathered_ == nullptr) gathered_ = std::make_unique<Gathered>();
  gathered_->mine.resize(slotBytes());
  const Header mine = headerOf(operation);
  memcpy(gathered_->mine.data(), &mine, sizeof mine);
  uint64_t bytes = sizeof mine;
  if (operation.kind != Kind::kBarrier && isShort(operation)) {
    Ranges ranges;
    (void)rangesOf(operation, rank(), size(), &ranges);
    RT_TRY(bring(&gathered_->mine[sizeof mine], operation.send, ranges.send));
    bytes += ranges.send;
  }
  // Tells other ranks that ask how far this one has come.
  waits_for_ = ++collectives_;
  met_ = false;
  RT_TRY(gatherHeaders(operation, bytes, slotBytes()));
  return takeHeaders(operation, slotBytes());
}

// Many ranks do not tell each other what each means. They agree on the least and the largest of each number, at the cost of one
// reduction of MPI. Where these differ, all ranks see it, and gather what each means.
Status Rank::meetMany(const Operation& operation) {
  const Header mine = headerOf(operation);
  const bool barrier = operation.kind == Kind::kBarrier;
  const int64_t numbers[] = {mine.kind, barrier ? 0 : mine.type, barrier ? 0 : static_cast<int64_t>(mine.count),
                             reduces(operation.kind) ? mine.reduction : 0, hasRoot(operation.kind) ? mine.root : 0};
  constexpr size_t kNumbers = std::size(numbers), kDirect = 2 * kNumbers, kInPlace = kDirect + 1;
  auto values = std::make_unique<std::vector<int64_t>>();
  for (const int64_t number : numbers) values->insert(values->end(), {number, -number});
  values->insert(values->end(), {mine.direct, mine.in_place});
  waits_for_ = ++collectives_;
  met_ = false;
  PluginRequest* request = nullptr;
  if (const char* why = plugin_.vote(&request, values->data(), static_cast<int32_t>(values->size()), comm_)) {
    return failedPlugin(why);
  }
  if (const Status waited = wait(request, operation, nullptr); !waited.ok()) {
    (void)values.release();  // left to MPI
    return waited;
  }
  // The least of all: one rank that stages makes all cut into short pieces.
  stages_ = (*values)[kDirect] == 0;
  all_in_place_ = (*values)[kInPlace] != 0;
  met_ = true;
  for (size_t i = 0; i < kNumbers; ++i) met_ = met_ && (*values)[2 * i] == -(*values)[2 * i + 1];
  // Rare and long: every rank sees the same numbers, so that all come to this together.
  if (met_) return Status();
  gathered_ = std::make_unique<Gathered>();
  gathered_->mine.resize(sizeof mine);
  memcpy(gathered_->mine.data(), &mine, sizeof mine);
  RT_TRY(gatherHeaders(operation, sizeof mine, sizeof mine));
  return takeHeaders(operation, sizeof mine);
}

Status Rank::gatherHeaders(const Operation& operation, uint64_t bytes, uint64_t slot) {
  gathered_->all.resize(slot * static_cast<uint64_t>(size()));
  PluginRequest* request = nullptr;
  if (const char* why = plugin_.exchange(&request, gathered_->mine.data(), static_cast<uint32_t>(bytes), gathered_->all.data(),
                                         static_cast<uint32_t>(slot), comm_)) {
    (void)gathered_.release();  // some of its messages may be under way
    return failedPlugin(why);
  }
  const Status waited = wait(request, operation, nullptr);
  if (!waited.ok()) (void)gathered_.release();  // left to MPI
  return waited;
}

Status Rank::takeHeaders(const Operation& operation, uint64_t slot) {
  const auto header = [&](int32_t other) {
    Header of;
    memcpy(&of, &gathered_->all[slot * static_cast<uint64_t>(other)], sizeof of);
    return of;
  };
  const auto meantBy = [](const Header& of) -> Operation {
    return {static_cast<Kind>(of.kind), of.type, of.reduction, of.root, of.count};
  };
  stages_ = false;
  all_in_place_ = true;
  met_ = true;
  for (int32_t other = 0; other < size(); ++other) {
    const Header of = header(other);
    // All ranks must cut a long operation alike, so one that stages makes all of them go in short pieces.
    stages_ = stages_ || of.direct == 0;
    all_in_place_ = all_in_place_ && of.in_place != 0;
    met_ = met_ && matches(operation, meantBy(of));
  }
  if (met_) return Status();
  std::vector<Operation> means;
  std::vector<const Operation*> pointers;
  for (int32_t other = 0; other < size(); ++other) means.push_back(meantBy(header(other)));
  for (const Operation& of : means) pointers.push_back(&of);
  int32_t odd = -1;
  const Status differs = sentences::compare(pointers, name(), &odd);
  monitor().fail(differs, odd);
  return monitor().failure();
}

}  // namespace manyrt::comm::mpi
