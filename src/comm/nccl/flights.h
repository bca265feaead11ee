// The work that a rank has in flight. Each flight stands between two events, at which the watch looks (watch.h). NCCL's work
// waits on the device for the other ranks, and no clock ends it there.
//
// A batch is a flight. Calls on the program's thread record no end. The begin of the next flight in the stream is the end, or
// an event that the watch records. Short operations that follow each other at once are one flight, with one event for all.
//
// A flight, its events and its place in a list are made once and used again, so that an operation allocates nothing.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <mutex>

#include "base/status.h"
#include "comm/operation.h"
#include "rt.h"

namespace manyrt::comm::nccl {

// One submission, or several short ones.
struct Flight {
  rtStream_t stream = nullptr;
  rtEvent_t begin = nullptr;
  rtEvent_t end = nullptr;
  Operation first{};    // for messages
  int64_t begun = 0;    // when the stream was seen to have come to it; 0: not yet
  bool told = false;    // its stream has been given the failure
  bool open = false;    // `end` is not recorded, and others may join
  bool graphs = false;  // stands for launches of graphs: all that the context had to do
  uint32_t submissions = 1;
  uint64_t bytes = 0;
  // How far the host has come with it. Written by the thread that calls NCCL, read by the watch.
  std::atomic<int64_t> called{0};  // when NCCL was called; 0: not yet
  std::atomic<bool> returned{false};
};

class Flights {
 public:
  explicit Flights(rtContext_t context) : context_(context) {}
  ~Flights();

  // Around a submission, under the rank's turns.submitting. `enter` is called under the lock when the watch did not know of the
  // rank; it does not throw.
  Status prepare(const Operation& first, rtStream_t stream);
  template <class Enter>
  void commit(bool submitted, Enter enter) {
    const std::lock_guard lock(mutex_);
    if (!commitLocked(submitted) || watched_) return;
    watched_ = true;
    enter();
  }
  // The submitted flight that is called next, in the order of the submissions.
  Flight& takeCalled();

  // Around a call of NCCL on the program's thread, under turns.submitting. `came`: when the thread came with it.
  template <class Enter>
  Status enter(const Operation& first, uint64_t bytes, rtStream_t stream, int64_t came, Enter enter) {
    const std::lock_guard lock(mutex_);
    RT_TRY(enterLocked(first, bytes, stream, came));
    if (watched_) return Status();
    watched_ = true;
    enter();
    return Status();
  }
  void leave(bool called);

  // A flight for the work of graphs, which tell nothing of their launches. It is over when all present work of the context is.
  // Only where nothing else is in flight. `first` and `stream` are those of a captured operation.
  template <class Enter>
  void probe(const Operation& first, rtStream_t stream, rtStream_t own, Enter enter) {
    const std::lock_guard lock(mutex_);
    if (!probeLocked(first, stream, own) || watched_) return;
    watched_ = true;
    enter();
  }
  Flight* current() const { return current_; }  // null: no such call lasts

  // For the watch. Records the ends that are due. Where the stream of a flight is destroyed, `own` waits for all its context
  // has to do, which comes later than the end.
  void recordEnds(rtStream_t own);
  // Calls `rest` under the lock and returns true if nothing is in flight.
  template <class Rest>
  bool restIfOver(Rest rest) {
    const std::lock_guard lock(mutex_);
    takeBack(true);
    if (!in_flight_.empty()) return false;
    watched_ = false;
    rest();
    return true;
  }
  template <class Look>
  void forEach(Look look) {
    const std::lock_guard lock(mutex_);
    for (Flight& flight : in_flight_) look(flight);
  }

 private:
  using List = std::list<Flight>;  // one goes from list to list without memory being taken

  bool commitLocked(bool submitted);
  bool probeLocked(const Operation& first, rtStream_t stream, rtStream_t own);
  Status enterLocked(const Operation& first, uint64_t bytes, rtStream_t stream, int64_t came);
  bool joins(const Flight& flight, const Operation& first, uint64_t bytes, rtStream_t stream, int64_t came) const;
  Status begin(const Operation& first, rtStream_t stream);
  Status make();
  void takeBack(bool all);

  const rtContext_t context_;
  std::mutex mutex_;
  List free_;
  List next_;       // one, between prepare() and commit()
  List in_flight_;  // in the order of the submissions
  List lost_;       // submitted to a stream that took no event after it: its call may still come
  bool watched_ = false;
  // For the program's thread, under turns.submitting:
  Flight* current_ = nullptr;
  bool joined_ = false;          // current_ is older than the call
  int64_t left_ = 0;             // when the last call ended
  std::deque<Flight*> to_call_;  // submitted, and not called yet
};

}  // namespace manyrt::comm::nccl
