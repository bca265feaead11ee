// Reductions of longer ranges, by messages from rank to rank: each rank owns a part of the result. It gets that part of all
// operands, reduces them in the order of the ranks, and sends the result to those that receive it. A collective of MPI could
// not be given up, and chooses the order itself; of messages, only one that has begun cannot be given up.
#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/core_call.h"
#include "comm/host_reduction.h"
#include "comm/mpi/rank.h"

namespace manyrt::comm::mpi {
namespace {

constexpr uint64_t kPiece = 4 * 1024 * 1024;  // bytes that the ranks reduce at a time: operands stay in a cache
constexpr uint64_t kWhole = 32 * 1024;  // bytes of all operands up to which each rank gets them all, and reduces for itself

// Elements of `count` that lie ahead of a rank's part.
uint64_t partOf(uint64_t count, int32_t rank, int32_t size) {
  return count / static_cast<uint64_t>(size) * static_cast<uint64_t>(rank) +
         count % static_cast<uint64_t>(size) * static_cast<uint64_t>(rank) / static_cast<uint64_t>(size);
}

// Sent memory is only read, which MPI's older functions do not say.
char* sentBy(const Operation& of) { return static_cast<char*>(const_cast<void*>(of.send)); }

bool receives(const Operation& of, int32_t rank) { return of.kind != Kind::kReduce || rank == of.root; }

}  // namespace

// Messages in flight. Those that are left when it ends are given up: receives are cancelled.
class Rank::Transfers {
 public:
  explicit Transfers(Rank& rank) : rank_(rank) {}
  ~Transfers() {
    for (PluginRequest* each : requests_) {
      // A receive may write to memory that is about to go.
      if (each != nullptr) rank_.plugin_.abandon(each);
    }
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  Status add(int32_t peer, const Operation& of, Direction direction, void* memory, uint64_t count) {
    if (count == 0) return Status();
    PluginRequest* request = nullptr;
    if (const char* why = rank_.plugin_.transfer(&request, direction, memory, count, of.type, peer, rank_.comm_)) {
      return rank_.failedPlugin(why);
    }
    requests_.push_back(request);
    return Status();
  }
  Status wait(const Operation& of) {
    for (PluginRequest*& each : requests_) {
      uint64_t bytes = 0;
      RT_TRY(rank_.wait(each, of, &bytes));
      each = nullptr;
    }
    requests_.clear();
    return Status();
  }

 private:
  Rank& rank_;
  std::vector<PluginRequest*> requests_;
};

Status Rank::reduce(const Operation& of) {
  const uint64_t element = sizeOf(of.type);
  if (size() == 1) {  // an average of one is itself
    if (reducesOnDevice()) return bring(of.receive, of.send, of.count * element);
    memmove(of.receive, of.send, of.count * element);
    return Status();
  }
  // Its parts lie apart in the operand, and are the ranks' own.
  if (of.kind == Kind::kReduceScatter) return isMany() ? reduceScatterAmongMany(of) : reduceScatter(of);
  if (!isMany() && of.kind == Kind::kAllReduce && of.count * element * static_cast<uint64_t>(size()) <= kWhole)
    return reduceWhole(of);
  const uint64_t most = kPiece / element;
  for (uint64_t done = 0; done < of.count; done += most) {
    Operation piece = of;
    piece.count = std::min(most, of.count - done);
    piece.send = sentBy(of) + done * element;
    if (receives(of, rank())) piece.receive = static_cast<char*>(of.receive) + done * element;
    RT_TRY(isMany() ? reduceAmongMany(piece) : reduceParts(piece));
  }
  return Status();
}

// One message from each to each.
Status Rank::reduceWhole(const Operation& of) {
  Transfers operands(*this), sources(*this);
  RT_TRY(receiveOperands(&operands, of, of.count));
  RT_TRY(forOthers([&](int32_t peer) { return sources.add(peer, of, Direction::kSend, sentBy(of), of.count); }));
  // All of them before the first is used: the order of the ranks decides the bits, and not that of arrival.
  RT_TRY(operands.wait(of));
  if (of.send == of.receive) RT_TRY(sources.wait(of));  // the result lies where the operand is sent from
  RT_TRY(reduceOperands(of, of.count, sentBy(of), static_cast<char*>(of.receive)));
  return sources.wait(of);
}

// Two messages from each to each: a part of the operand, and a part of the result.
Status Rank::reduceParts(const Operation& of) {
  const uint64_t element = sizeOf(of.type);
  const auto begin = [&](int32_t part) { return partOf(of.count, part, size()); };
  const auto length = [&](int32_t part) { return begin(part + 1) - begin(part); };
  const uint64_t own = length(rank());
  char* const to = static_cast<char*>(of.receive);
  const bool takes = receives(of, rank()), in_place = takes && of.send == of.receive;
  const auto receiveResults = [&](Transfers* into) -> Status {
    if (!takes) return Status();
    return forOthers(
        [&](int32_t peer) { return into->add(peer, of, Direction::kReceive, to + begin(peer) * element, length(peer)); });
  };

  Transfers operands(*this), sources(*this), results(*this);
  RT_TRY(receiveOperands(&operands, of, own));
  // Posted early, so that results find their place at once.
  if (!in_place) RT_TRY(receiveResults(&results));
  RT_TRY(forOthers(
      [&](int32_t peer) { return sources.add(peer, of, Direction::kSend, sentBy(of) + begin(peer) * element, length(peer)); }));
  RT_TRY(operands.wait(of));
  // A rank that receives nothing forms its part where an operand was: that is the first to be read.
  char* const result = takes ? to + begin(rank()) * element : operandOf(rank() == 0 ? 1 : 0, own * element);
  RT_TRY(reduceOperands(of, own, sentBy(of) + begin(rank()) * element, result));
  RT_TRY(forOthers([&](int32_t peer) -> Status {
    return receives(of, peer) ? results.add(peer, of, Direction::kSend, result, own) : Status();
  }));
  RT_TRY(sources.wait(of));
  if (in_place) RT_TRY(receiveResults(&results));  // they come where operands were sent from
  return results.wait(of);
}

// The parts are those of the operation: `count` elements for each rank.
Status Rank::reduceScatter(const Operation& of) {
  const uint64_t element = sizeOf(of.type), most = kPiece / element / static_cast<uint64_t>(size());
  for (uint64_t done = 0; done < of.count; done += most) {
    const uint64_t count = std::min(most, of.count - done);
    const auto part = [&](int32_t peer) { return sentBy(of) + (of.count * static_cast<uint64_t>(peer) + done) * element; };
    Transfers operands(*this), sources(*this);
    RT_TRY(receiveOperands(&operands, of, count));
    RT_TRY(forOthers([&](int32_t peer) { return sources.add(peer, of, Direction::kSend, part(peer), count); }));
    RT_TRY(operands.wait(of));
    RT_TRY(reduceOperands(of, count, part(rank()), static_cast<char*>(of.receive) + done * element));
    RT_TRY(sources.wait(of));
  }
  return Status();
}

// ---- Among many ranks: collectives of MPI move the parts, by its algorithms; each rank reduces its own in the order of all
// ----

// `from` and `to` are left to MPI where it does not end.
Status Rank::exchangeAmongMany(Kind kind, int32_t root, const Operation& like, uint64_t count, Buffer* from, Buffer* to) {
  Operation of = like;
  of.kind = kind;
  of.root = root;
  of.count = count;
  of.send = (*from)->data();
  of.receive = *to != nullptr ? (*to)->data() : nullptr;
  PluginRequest* request = nullptr;
  if (const char* why = plugin_.start(&request, of, comm_)) return failedPlugin(why);
  const Status waited = wait(request, like, nullptr);
  if (waited.ok()) return waited;
  (void)from->release();
  (void)to->release();
  return waited;
}

// Parts are as long for all ranks: the last ones may be filled up with zeros, which no rank takes.
Status Rank::reduceAmongMany(const Operation& of) {
  const uint64_t element = sizeOf(of.type), ranks = static_cast<uint64_t>(size());
  // MPI's collectives want parts of one length.
  const uint64_t share = (of.count + ranks - 1) / ranks, bytes = share * element, whole = bytes * ranks;
  if (of.count == 0) return Status();
  auto operand = std::make_unique<std::vector<char>>(whole), operands = std::make_unique<std::vector<char>>(whole);
  memcpy(operand->data(), of.send, of.count * element);
  RT_TRY(exchangeAmongMany(Kind::kAllToAll, 0, of, share, &operand, &operands));
  sent_.clear();
  for (uint64_t other = 0; other < ranks; ++other) sent_.push_back(operands->data() + bytes * other);
  auto result = std::make_unique<std::vector<char>>(bytes);
  reduceOnHost(of.type, of.reduction, result->data(), sent_.data(), size(), share);
  const bool all = of.kind == Kind::kAllReduce, takes = receives(of, rank());
  Buffer results = takes ? std::move(operands) : nullptr;
  RT_TRY(exchangeAmongMany(all ? Kind::kAllGather : Kind::kGather, of.root, of, share, &result, &results));
  if (takes) memcpy(of.receive, results->data(), of.count * element);
  return Status();
}

Status Rank::reduceScatterAmongMany(const Operation& of) {
  const uint64_t element = sizeOf(of.type), ranks = static_cast<uint64_t>(size());
  const uint64_t most = std::max<uint64_t>(1, kPiece / element / ranks);
  for (uint64_t done = 0; done < of.count; done += most) {
    const uint64_t count = std::min(most, of.count - done), bytes = count * element;
    auto operand = std::make_unique<std::vector<char>>(bytes * ranks),
         operands = std::make_unique<std::vector<char>>(bytes * ranks);
    for (uint64_t other = 0; other < ranks; ++other) {
      memcpy(operand->data() + bytes * other, sentBy(of) + (of.count * other + done) * element, bytes);
    }
    RT_TRY(exchangeAmongMany(Kind::kAllToAll, 0, of, count, &operand, &operands));
    sent_.clear();
    for (uint64_t other = 0; other < ranks; ++other) sent_.push_back(operands->data() + bytes * other);
    reduceOnHost(of.type, of.reduction, static_cast<char*>(of.receive) + done * element, sent_.data(), size(), count);
  }
  return Status();
}

template <class Call>
Status Rank::forOthers(Call call) {
  for (int32_t step = 1; step < size(); ++step) RT_TRY(call((rank() + step) % size()));
  return Status();
}

// Where in the scratch memory the operand of another rank lies.
char* Rank::operandOf(int32_t other, uint64_t bytes) {
  char* const scratch = reducesOnDevice() ? static_cast<char*>(device_scratch_) : scratch_->data();
  return scratch + bytes * static_cast<uint64_t>(other < rank() ? other : other - 1);
}

// No message is on its way to it, and no kernel works there.
Status Rank::reserveScratch(uint64_t bytes) {
  if (!reducesOnDevice()) {
    if (scratch_ == nullptr) scratch_ = std::make_unique<std::vector<char>>();
    scratch_->resize(std::max<uint64_t>(scratch_->size(), bytes));
    return Status();
  }
  // It only grows, as sizes of operations repeat.
  if (bytes <= device_scratch_bytes_) return Status();
  device_scratch_bytes_ = 0;
  if (device_scratch_ != nullptr) RT_TRY_CORE(rtFree(std::exchange(device_scratch_, nullptr)));
  RT_TRY_CORE(rtMalloc(&device_scratch_, bytes, place().context));
  device_scratch_bytes_ = bytes;
  return Status();
}

Status Rank::receiveOperands(Transfers* into, const Operation& of, uint64_t count) {
  const uint64_t bytes = count * sizeOf(of.type);
  RT_TRY(reserveScratch(bytes * static_cast<uint64_t>(size() - 1)));
  return forOthers([&](int32_t peer) { return into->add(peer, of, Direction::kReceive, operandOf(peer, bytes), count); });
}

Status Rank::reduceOperands(const Operation& of, uint64_t count, char* own, char* result) {
  const uint64_t bytes = count * sizeOf(of.type);
  if (count == 0) return Status();
  sent_.clear();
  for (int32_t other = 0; other < size(); ++other) sent_.push_back(other == rank() ? own : operandOf(other, bytes));
  if (reducesOnDevice()) return reduceOnDevice(of, count, result);
  reduceOnHost(of.type, of.reduction, result, sent_.data(), size(), count);
  return Status();
}

// The result may lie where this rank's own operand does, so sums grow in the scratch memory until the last operand.
Status Rank::reduceOnDevice(const Operation& of, uint64_t count, char* result) {
  char* const grows = operandOf(rank() == 0 ? 1 : 0, count * sizeOf(of.type));
  const void* sum = sent_[0];
  for (int32_t other = 1; other < size(); ++other) {
    char* const to = other == size() - 1 ? result : grows;
    RT_TRY(kernels_.combine(of.type, of.reduction, to, sum, sent_[static_cast<size_t>(other)], count, stream_));
    sum = to;
  }
  if (of.reduction == RT_COMM_AVERAGE) RT_TRY(kernels_.divide(of.type, result, count, static_cast<uint32_t>(size()), stream_));
  RT_TRY_CORE(rtStreamSynchronize(stream_));
  return Status();
}

}  // namespace manyrt::comm::mpi
