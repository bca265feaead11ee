// A rank's life, what a batch does, and the meeting. Sends and receives are begun first, and go on while the rank waits for
// anything; then collectives run in order; then all is waited for.
#include "comm/shared_memory/rank.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "comm/core_call.h"
#include "comm/guard.h"
#include "comm/sentences.h"
#include "comm/shared_memory/direct.h"
#include "comm/shared_memory/points.h"
#include "comm/shared_memory/rounds.h"
#include "comm/shared_memory/wait.h"
#include "comm/short_operation.h"
#include "comm/unique_id.h"

namespace manyrt::comm::shared_memory {

Status Rank::prepare() {
  rtStream_t any = nullptr;
  RT_TRY_CORE(rtContextGetDefaultStream(&any, place().context));  // it may have ended since it was checked
  if (!onHost()) RT_TRY_CORE(rtStreamCreate(&stream_, nullptr, place().context));
  // Before the first meeting, whose slot publishes it.
  segment_.post(rank()).on_host = onHost() ? 1 : 0;
  showProof(segment_.post(rank()));
  return Status();
}

Rank::~Rank() {
  (void)rtStreamDestroy(stream_);  // stale if the context has ended: nothing to do
  // After the last use of the segment by this rank. Ranks that wait for it are woken, and find it gone.
  segment_.post(rank()).parted.store(1, std::memory_order_seq_cst);
  segment_.ringAll();
}

Status Rank::check(const Operation&, bool captured) {
  RT_TRY(attachment_->hear());
  if (!captured || place().backend != RT_BACKEND_CUDA) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "A capture on CUDA cannot hold an operation of a communicator that joins processes by shared memory.");
}

Status Rank::run(const std::vector<Operation>& operations, const Submission&) {
  // Batches of two streams share the scratch, the counts and the windows of the rank.
  const std::lock_guard alone(running_);
  Points points(*this);
  // Waits of collectives bring them on, too: a peer may wait for this rank's send.
  points_ = &points;
  Status status = withoutThrowing([&] { return runAlone(operations, points); });
  points_ = nullptr;
  if (status.ok()) return status;
  fail(status);
  return monitor().failure();  // the first one, which may have come from another rank
}

Status Rank::runAlone(const std::vector<Operation>& operations, Points& points) {
  RT_TRY(attachment_->hear());  // a launch of a graph comes here in any case
  for (const Operation& operation : operations) {
    if (!isCollective(operation.kind)) points.add(operation);
  }
  for (const Operation& operation : operations) {
    if (isCollective(operation.kind)) RT_TRY(collective(operation));
  }
  return points.finish();
}

// ---- Collectives ----

// The slot's payload has what this rank sends, where that is short.
bool Rank::isShort(const Operation& of) const {
  return of.count <= shortCount(of.kind, of.type, size(), segment_.layout().slotBytes() - sizeof(Slot));
}

Status Rank::collective(const Operation& operation) {
  const uint64_t number = collectives_;
  // The meeting is all that a barrier is.
  if (operation.kind == Kind::kBarrier) return meet(operation);
  // Large reductions read operands where they are, which saves a copy into windows and one out of them.
  if (mayReadDirectly(operation)) {
    RT_TRY(meet(operation));
    if (!tried_) RT_TRY(tryReading(operation));
    if (reads_) return Direct(*this, operation, number).run();
    Rounds rounds(*this, operation, number);
    RT_TRY(rounds.fillFirst());
    return rounds.run();
  }
  if (!isShort(operation)) {
    Rounds rounds(*this, operation, number);
    // Before the meeting: the others can go on with it as soon as they have met.
    RT_TRY(rounds.fillFirst());
    RT_TRY(meet(operation));
    return rounds.run();
  }
  Ranges ranges;
  (void)rangesOf(operation, rank(), size(), &ranges);
  // Before the meeting, which says that the data is there.
  RT_TRY(bring(segment_.slot(rank(), collectives_).payload(), operation.send, ranges.send));
  RT_TRY(meet(operation));
  return finishShort(operation);
}

// Where it has not been tried, or succeeded. All ranks see the same.
bool Rank::mayReadDirectly(const Operation& of) const {
  constexpr uint64_t kLeast = 192 * 1024;  // bytes: below, windows have fewer waits
  return of.kind == Kind::kAllReduce && of.count > kLeast / sizeOf(of.type) && size() > 1 && (!tried_ || reads_);
}

// All have met, so all have shown themselves. Each tells the others what it found.
Status Rank::tryReading(const Operation& operation) {
  bool reads = true;
  for (int32_t other = 0; other < size() && reads; ++other) {
    reads = segment_.post(other).on_host != 0 && readsProof(segment_.post(other));
  }
  // One that cannot read is enough: all take the other way, so that none waits for a step that another leaves out.
  segment_.post(rank()).direct.store(reads ? kReads : kReadsNot, std::memory_order_seq_cst);
  ringOthers();
  for (int32_t other = 0; other < size(); ++other) {
    const std::atomic<uint32_t>& its = segment_.post(other).direct;
    RT_TRY(await(
        {Subject::Stage::kWork, &operation, collectives_ - 1}, [&] { return its.load(std::memory_order_acquire) != 0; },
        [&] { return other; }));
    reads = reads && its.load(std::memory_order_acquire) == kReads;
  }
  tried_ = true;
  reads_ = reads;
  return Status();
}

// Posts this rank's operation, and waits until all ranks have posted theirs. The collective before the last reads its slots no
// more.
Status Rank::meet(const Operation& operation) {
  const uint64_t number = collectives_++;
  Slot& mine = segment_.slot(rank(), number);
  // Slots of two collectives in turn: a rank that still reads the last one does not see this.
  mine.count = operation.count;
  mine.kind = static_cast<uint8_t>(operation.kind);
  mine.type = static_cast<uint8_t>(operation.type);
  mine.reduction = static_cast<uint8_t>(operation.reduction);
  mine.root = operation.root;
  mine.send = reinterpret_cast<uintptr_t>(operation.send);
  mine.receive = reinterpret_cast<uintptr_t>(operation.receive);
  // Last: a rank that sees the number sees the whole slot.
  mine.number.store(number + 1, std::memory_order_seq_cst);
  ringOthers();
  bool same = true;
  for (int32_t step = 1; step < size(); ++step) {
    // From the next rank on, so that not all look at rank 0 first.
    const int32_t other = (rank() + step) % size();
    const Slot& its = segment_.slot(other, number);
    RT_TRY(await(
        {Subject::Stage::kMeeting, &operation, number},
        [&] { return its.number.load(std::memory_order_acquire) == number + 1; }, [&] { return other; }));
    // Bytes first: a comparison in words is for the case that something differs.
    same = same && its.count == mine.count && its.kind == mine.kind && its.type == mine.type &&
           its.reduction == mine.reduction && its.root == mine.root;
  }
  return same ? Status() : compare(number);
}

// Operations whose bytes differ may still mean the same: a barrier has no count.
Status Rank::compare(uint64_t number) {
  std::vector<Operation> means;
  std::vector<const Operation*> pointers;
  for (int32_t other = 0; other < size(); ++other) {
    const Slot& its = segment_.slot(other, number);
    means.push_back({static_cast<Kind>(its.kind), its.type, its.reduction, its.root, its.count});
  }
  for (const Operation& of : means) pointers.push_back(&of);
  int32_t odd = -1;
  const Status status = sentences::compare(pointers, name(), &odd);
  if (!status.ok()) monitor().fail(status, odd);
  return status;
}

// The result may lie where nothing of the slots is, so it is made in its place where that is the host's.
Status Rank::finishShort(const Operation& of) {
  Ranges ranges;
  (void)rangesOf(of, rank(), size(), &ranges);
  if (ranges.receive == 0) return Status();
  operands_.resize(static_cast<size_t>(size()));
  for (int32_t other = 0; other < size(); ++other) {
    operands_[static_cast<size_t>(other)] = segment_.slot(other, collectives_ - 1).payload();
  }
  if (onHost()) {
    finishFromSent(of, rank(), size(), operands_.data(), of.receive);
    return Status();
  }
  // It only grows: sizes repeat.
  scratch_.resize(std::max<uint64_t>(scratch_.size(), ranges.receive));
  finishFromSent(of, rank(), size(), operands_.data(), scratch_.data());
  return bring(of.receive, scratch_.data(), ranges.receive);
}

// ---- Making ranks ----

Status create(std::vector<std::shared_ptr<Communicator>>* members, const std::shared_ptr<Segment>& segment,
              const std::vector<Place>& places, const Settings& settings) {
  const auto attachment = std::make_shared<Attachment>(segment, places);
  std::vector<std::shared_ptr<Communicator>> made(places.size());
  for (int32_t rank = 0; rank < segment->size(); ++rank) {
    if (!segment->isLocal(rank)) continue;
    const auto of = std::make_shared<Rank>(settings, rank, attachment);
    made[static_cast<size_t>(rank)] = of;
    if (const Status prepared = of->prepare(); !prepared.ok()) {
      segment->fail(prepared, rank, rank);  // the others have theirs
      return prepared;
    }
  }
  *members = std::move(made);
  return Status();
}

Status createHere(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings) {
  static std::atomic<uint64_t> numbers{0};
  const uint8_t* token = nullptr;
  RT_TRY(tokenOfProcess(&token));
  const std::string name = nameOf(token, numbers.fetch_add(1, std::memory_order_relaxed), UINT64_MAX);  // no id has it
  std::shared_ptr<Segment> segment;
  RT_TRY(Segment::open(&segment, name, static_cast<int32_t>(places.size()), true));
  for (int32_t rank = 0; rank < segment->size(); ++rank) RT_TRY(segment->come(rank));
  return create(members, segment, places, settings);
}

}  // namespace manyrt::comm::shared_memory
