// The share of one rank in a collective, between its arrival and its leaving: which copies it makes, and what it reduces. Host
// memory is copied and reduced by this thread; all else goes to the rank's own stream.
#include <algorithm>
#include <cstring>

#include "comm/core_call.h"
#include "comm/host_reduction.h"
#include "comm/in_process/member.h"

namespace manyrt::comm {
namespace {

constexpr uint64_t kHostPiece = 32 * 1024;       // operands and result of a piece stay in a core's cache
constexpr uint64_t kScratch = 16 * 1024 * 1024;  // of one rank, for its operands, at most
constexpr uint64_t kSmallestSegment = 8 * 1024;  // elements: less is not worth a second owner
constexpr uint64_t kSegmentMultiple = 256;       // elements: segments of owners begin on cache lines of their own

void* at(void* base, uint64_t bytes) { return static_cast<char*>(base) + bytes; }
const void* at(const void* base, uint64_t bytes) { return static_cast<const char*>(base) + bytes; }

}  // namespace

// ---- Copies ----

bool Member::reaches(int32_t rank) const {
  const Place& other = team_->place(rank);
  return (onHost() && other.backend == RT_BACKEND_CPU) || other.context == place().context;
}

bool Member::allOnHost() const { return team_->allOnHost(); }

Status Member::move(void* to, int32_t to_rank, const void* from, int32_t from_rank, uint64_t bytes) {
  // In place a rank's own part is there already.
  if (to == from || bytes == 0) return Status();
  if (team_->place(to_rank).backend == RT_BACKEND_CPU && team_->place(from_rank).backend == RT_BACKEND_CPU) {
    memcpy(to, from, bytes);
    return Status();
  }
  // settle() waits for the stream before another rank may touch the memory.
  submitted_ = true;
  RT_TRY_CORE(rtMemcpyAsync(to, from, bytes, RT_MEMCPY_DEFAULT, stream_));
  return Status();
}

Status Member::settle() {
  if (!submitted_) return Status();
  submitted_ = false;
  RT_TRY_CORE(rtStreamSynchronize(stream_));
  return Status();
}

uint64_t Member::pieceBytes() const {
  if (allOnHost()) return kHostPiece;
  // Room for one operand of each rank, and for the result.
  return std::max<uint64_t>(4 * 1024, kScratch / (static_cast<uint64_t>(size()) + 1) / 4096 * 4096);
}

Status Member::reserveScratch() {
  if (scratch_ != nullptr) return Status();
  RT_TRY_CORE(rtMalloc(&scratch_, pieceBytes() * (static_cast<uint64_t>(size()) + 1), place().context));
  return Status();
}

// ---- The operations ----

Status Member::work(const Operation& operation, Meeting& meeting) {
  const uint64_t bytes = operation.count * sizeOf(operation.type);
  const int32_t root = operation.root;
  switch (operation.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce:
    case Kind::kReduceScatter:
      // Each rank reduces the segments that it owns and gives the result to all that receive it. So every element is reduced
      // once, by one rank, and all get the same bits.
      for (const Segment& segment : segments(operation)) {
        if (segment.owner == rank_) RT_TRY(reduceSegment(segment, operation, meeting));
      }
      return Status();
    case Kind::kBroadcast:
      return pull(operation.receive, meeting.operations[root]->send, bytes, root);
    case Kind::kAllGather:
      for (int32_t rank = 0; rank < size(); ++rank) {
        RT_TRY(pull(at(operation.receive, bytes * rank), meeting.operations[rank]->send, bytes, rank));
      }
      return Status();
    case Kind::kGather:
      for (int32_t rank = 0; rank < size() && rank_ == root; ++rank) {
        RT_TRY(pull(at(operation.receive, bytes * rank), meeting.operations[rank]->send, bytes, rank));
      }
      return Status();
    case Kind::kScatter:
      return pull(operation.receive, at(meeting.operations[root]->send, bytes * rank_), bytes, root);
    case Kind::kAllToAll:
      return allToAll(operation, meeting);
    case Kind::kBarrier:
    case Kind::kSend:
    case Kind::kReceive:
    case Kind::kSplit:
      return Status();
  }
  return Status();
}

Status Member::allToAll(const Operation& operation, Meeting& meeting) {
  const uint64_t bytes = operation.count * sizeOf(operation.type);
  const auto in_place = [](const Operation* of) { return of->send == of->receive; };
  const bool own = in_place(&operation);
  void* all = operation.receive;
  // In place the result cannot be pulled into the source, which others still read.
  if (own && bytes != 0) RT_TRY_CORE(rtMalloc(&all, bytes * size(), place().context));
  Status status;
  for (int32_t rank = 0; rank < size() && status.ok(); ++rank) {
    status = pull(at(all, bytes * rank), at(meeting.operations[rank]->send, bytes * rank_), bytes, rank);
  }
  // In place a rank's source is its destination: no rank may write before all have read.
  if (std::any_of(meeting.operations.begin(), meeting.operations.end(), in_place)) {
    const Status settled = settle();  // what this rank has pulled may be overwritten after the step
    if (status.ok()) status = settled;
    // Before the step: the others wait there without a limit, and a failure ends that wait.
    if (!status.ok()) monitor().fail(status, rank_);
    const Status stepped = team_->step(meeting);
    if (status.ok()) status = stepped;
  }
  if (!own || bytes == 0) return status;
  if (status.ok()) status = pull(operation.receive, all, bytes * size(), rank_);
  const rtStatus_t freed = rtFree(all);  // in the order of this rank's stream, which it belongs to
  return status.ok() ? fromCore(freed) : status;
}

// ---- Reductions ----

std::vector<Member::Segment> Member::segments(const Operation& operation) const {
  const std::vector<int32_t>& owners = team_->owners(operation.type);
  std::vector<Segment> all;
  if (operation.kind == Kind::kReduceScatter) {
    for (int32_t rank = 0; rank < size(); ++rank) {
      // A rank whose device runs no such kernels has its part reduced by another one.
      const bool can = std::binary_search(owners.begin(), owners.end(), rank);
      const int32_t owner = can ? rank : owners[static_cast<size_t>(rank) % owners.size()];
      all.push_back({operation.count * rank, operation.count, 0, rank, owner});
    }
    return all;
  }
  const int32_t receiver = operation.kind == Kind::kReduce ? operation.root : -1;
  uint64_t share = (operation.count + owners.size() - 1) / owners.size();
  // All ranks calculate the same segments from the same numbers, without a message.
  share = std::max(kSmallestSegment, (share + kSegmentMultiple - 1) / kSegmentMultiple * kSegmentMultiple);
  for (uint64_t first = 0, index = 0; first < operation.count; first += share, ++index) {
    all.push_back({first, std::min(share, operation.count - first), first, receiver, owners[index]});
  }
  return all;
}

Status Member::reduceSegment(const Segment& segment, const Operation& operation, const Meeting& meeting) {
  const uint64_t piece = pieceBytes() / sizeOf(operation.type);
  for (uint64_t done = 0; done < segment.count; done += piece) {
    RT_TRY(reducePiece(segment, done, std::min(piece, segment.count - done), operation, meeting));
  }
  return Status();
}

// The result is formed beside all operands: in place, these are receivers' memory.
Status Member::reducePiece(const Segment& segment, uint64_t done, uint64_t count, const Operation& operation,
                           const Meeting& meeting) {
  const uint32_t element = sizeOf(operation.type);
  const uint64_t bytes = count * element;
  if (allOnHost()) {
    result_.resize(kHostPiece);
  } else {
    RT_TRY(reserveScratch());
  }
  void* const result = allOnHost() ? result_.data() : slot(size());
  std::vector<const void*> operands(static_cast<size_t>(size()));
  for (int32_t rank = 0; rank < size(); ++rank) {
    operands[rank] = at(meeting.operations[rank]->send, (segment.first + done) * element);
    // Memory of another device is brought here piece by piece. Memory within reach is read where it is.
    if (reaches(rank)) continue;
    RT_TRY(pull(slot(rank), operands[rank], bytes, rank));
    operands[rank] = slot(rank);
  }
  const bool average = operation.reduction == RT_COMM_AVERAGE;
  if (onHost()) {
    RT_TRY(settle());
    reduceOnHost(operation.type, operation.reduction, result, operands.data(), size(), count);
  } else {
    // Kernels, too, are in the stream: settle() waits for them before others read the result.
    submitted_ = true;
    if (size() == 1) RT_TRY(move(result, rank_, operands[0], rank_, bytes));
    for (int32_t rank = 1; rank < size(); ++rank) {
      RT_TRY(kernels_.combine(operation.type, operation.reduction, result, rank == 1 ? operands[0] : result, operands[rank],
                              count, stream_));
    }
    if (average) RT_TRY(kernels_.divide(operation.type, result, count, static_cast<uint32_t>(size()), stream_));
  }
  return giveResult(segment, done, count, operation, meeting);
}

Status Member::giveResult(const Segment& segment, uint64_t done, uint64_t count, const Operation& operation,
                          const Meeting& meeting) {
  const uint32_t element = sizeOf(operation.type);
  const void* const result = allOnHost() ? static_cast<const void*>(result_.data()) : slot(size());
  for (int32_t rank = 0; rank < size(); ++rank) {
    if (segment.receiver >= 0 && rank != segment.receiver) continue;
    RT_TRY(move(at(meeting.operations[rank]->receive, (segment.to + done) * element), rank, result, rank_, count * element));
  }
  // The next piece is formed in the same place. A stream keeps the order by itself; a thread has to wait.
  return onHost() ? settle() : Status();
}

}  // namespace manyrt::comm
