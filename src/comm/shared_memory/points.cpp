// The sender waits until its peer has read all. The receiver compares the first piece's type and count with its own.
#include "comm/shared_memory/points.h"

#include <algorithm>

#include "comm/guard.h"
#include "comm/sentences.h"
#include "comm/shared_memory/wait.h"

namespace manyrt::comm::shared_memory {

void Points::add(const Operation& operation) {
  sending_.resize(static_cast<size_t>(rank_.size()));
  receiving_.resize(static_cast<size_t>(rank_.size()));
  points_.push_back({&operation});
}

void Points::progress() {
  if (points_.empty() || failed()) return;
  sending_.assign(sending_.size(), false);
  receiving_.assign(receiving_.size(), false);
  for (Point& point : points_) {
    if (point.over) continue;
    std::vector<bool>& busy = point.operation->kind == Kind::kSend ? sending_ : receiving_;
    const auto peer = static_cast<size_t>(point.operation->root);
    // Pieces to one peer share a channel, so its messages go one after the other, in the order of the batch.
    if (!point.whole && busy[peer]) continue;
    // Kept: this is called from within waits, whose own conditions go on.
    status_ = withoutThrowing([&] { return advance(point); });
    if (failed()) return;
    if (!point.whole) busy[peer] = true;
  }
}

Status Points::advance(Point& point) {
  const Operation& of = *point.operation;
  const uint64_t bytes = of.count * sizeOf(of.type);
  return of.kind == Kind::kSend ? send(point, bytes) : receive(point, bytes);
}

Status Points::send(Point& point, uint64_t bytes) {
  const Operation& of = *point.operation;
  const int32_t me = rank_.rank(), peer = of.root;
  Channel& channel = rank_.segment_.channel(me, peer);
  const uint64_t most = rank_.segment_.layout().pieceBytes() - sizeof(Piece);
  while (!point.whole) {
    const uint64_t number = channel.written.load(std::memory_order_relaxed);  // this rank alone writes it
    // The channel is full. The peer rings when it has read, and then this is called again.
    if (number - channel.read.load(std::memory_order_acquire) >= kChannelPieces) return Status();
    Piece& piece = rank_.segment_.piece(me, peer, number);
    const uint64_t length = std::min(most, bytes - point.moved);
    // In every piece, so that the receiver can compare with the first one of a message.
    piece.count = of.count;
    piece.type = static_cast<uint32_t>(of.type);
    piece.bytes = static_cast<uint32_t>(length);
    RT_TRY(rank_.bring(piece.payload(), static_cast<const char*>(of.send) + point.moved, length));
    point.moved += length;
    point.whole = point.moved == bytes;
    point.end = number + 1;
    // seq_cst, and then the look for a sleeper: it has said so before its last look at this number.
    channel.written.store(number + 1, std::memory_order_seq_cst);
    rank_.segment_.ring(peer);
  }
  // A send is over when it has been read: its channel may then end with the rank.
  point.over = channel.read.load(std::memory_order_acquire) >= point.end;
  return Status();
}

Status Points::receive(Point& point, uint64_t bytes) {
  const Operation& of = *point.operation;
  const int32_t me = rank_.rank(), peer = of.root;
  Channel& channel = rank_.segment_.channel(peer, me);
  while (!point.whole) {
    const uint64_t number = channel.read.load(std::memory_order_relaxed);  // as above
    if (channel.written.load(std::memory_order_acquire) == number) return Status();
    Piece& piece = rank_.segment_.piece(peer, me, number);
    if (point.moved == 0 && (piece.count != of.count || piece.type != static_cast<uint32_t>(of.type))) {
      const Operation its = {Kind::kSend, static_cast<int32_t>(piece.type), RT_COMM_SUM, me, piece.count};
      const Status differs = sentences::differs(peer, rank_.name(), its, me, of);
      rank_.monitor().fail(differs, peer);
      return differs;
    }
    RT_TRY(rank_.bring(static_cast<char*>(of.receive) + point.moved, piece.payload(), piece.bytes));
    point.moved += piece.bytes;
    point.whole = point.over = point.moved == bytes;
    channel.read.store(number + 1, std::memory_order_seq_cst);
    rank_.segment_.ring(peer);
  }
  return Status();
}

// One after the other is waited for, and all go on.
Status Points::finish() {
  for (const Point& point : points_) {
    const bool sends = point.operation->kind == Kind::kSend;
    RT_TRY(rank_.await(
        {sends ? Subject::Stage::kSend : Subject::Stage::kReceive, point.operation}, [&] { return point.over; },
        [&] { return point.operation->root; }));
  }
  return status_;
}

}  // namespace manyrt::comm::shared_memory
