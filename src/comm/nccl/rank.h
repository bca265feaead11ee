// One rank of a communicator of NCCL, on a CUDA device. Its native functions call NCCL with the driver's stream, so that an
// operation has its place in the stream like any other work. Captured, they are called while the exec is made, and NCCL's work
// is a part of the native graph.
//
// The ranks meet in a team before each call. A rank that is late, or means something else, is found there, on the host, and
// named. Types that NCCL lacks run in the engine of this process, in the same order. Among processes only NCCL meets the
// others: once it has connected an operation, the program's thread calls it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/bootstrap/presence.h"
#include "comm/communicator.h"
#include "comm/in_process/team.h"
#include "comm/nccl/clique.h"
#include "comm/nccl/flights.h"
#include "comm/nccl/known.h"
#include "comm/nccl/news.h"
#include "comm/nccl/split.h"
#include "comm/nccl/watch.h"
#include "comm/nccl/widening.h"

namespace manyrt::comm::nccl {

class Rank final : public Communicator, public std::enable_shared_from_this<Rank> {
 public:
  // `team` is null where ranks of other processes take part: only NCCL knows them.
  Rank(const Place& place, const Settings& settings, int32_t rank, int32_t size, std::shared_ptr<Monitor> monitor,
       std::shared_ptr<Team> team, std::shared_ptr<Clique> clique, std::shared_ptr<Splits> splits = nullptr)
      : Communicator(place, settings, rank, size, std::move(monitor)),
        team_(std::move(team)),
        clique_(std::move(clique)),
        flights_(place.context),
        widening_(place.context),
        splits_(std::move(splits)),
        news_(std::make_shared<News>(size)) {
    seat_->in = &own_seat_;
  }
  ~Rank() override;
  Status prepare();  // once, before all else
  // Among processes: comes to the hub, which names ranks that are missing. Without one none is named.
  void attend(const bootstrap::HubPlace& place);

  Carrier carrier() const override;
  Status check(const Operation& operation, bool captured) override;
  bool hasParts(Operations operations) const override;
  Status submitInParts(Operations operations, rtStream_t stream) override;
  Status run(const std::vector<Operation>& operations, const Submission& at) override;
  bool submitsToStream(const std::vector<Operation>& operations) const override;
  Status beforeSubmit(const Operation& first, rtStream_t stream) override;
  void afterSubmit(bool submitted) override;
  bool runsAtOnce(Operations operations) override;
  Status runAtOnce(Operations operations, uint64_t native) override;
  Status enter(Operations operations, rtStream_t stream, int64_t came) override;
  void leave(bool ran) override;
  void beginGraph(const Operation& of, rtStream_t stream) override;
  void endGraph() override;
  void retire() override;
  bool runsAll(Operations operations) override;
  Status runAll(const std::vector<Share>& shares) override;
  Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) override;
  Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) override;

  // For the watch.
  Clique& clique() const { return *clique_; }
  Flights& flights() { return flights_; }
  rtStream_t ownStream() const { return stream_; }
  Seats& ownSeat() { return own_seat_; }
  // Names the ranks that `late` waits for, as far as they are known. False: the hub has been asked, and has not answered yet.
  bool nameLate(Status* failure, int32_t* about, const Operation& late);
  // Whether the process of a rank has ended that `of` waits for, which NCCL was called for at `called`.
  bool nameGone(Status* failure, int32_t* about, const Operation& of, int64_t called) const;
  // The same of a rank that its program has destroyed.
  bool nameLeft(Status* failure, int32_t* about, const Operation& of) const;
  // Whether a rank is missing that launches of graphs may wait for.
  bool lacksRanks() const { return news_->missing.load(std::memory_order_acquire); }
  // Has what graphs have in flight looked at, where a rank is missing.
  void lookAtGraphs();
  // Whether an error of NCCL is the failure: not at once, where the hub may tell which process has ended.
  bool errorCounts();
  void announce() { announceFailure(); }  // a failure that the watch has found

 protected:
  void announceFailure() override;

 private:
  struct FreeMemory {
    void operator()(void* memory) const { (void)rtFree(memory); }
  };
  using Beside = std::unique_ptr<void, FreeMemory>;

  Status callAll(const std::vector<Operation>& operations, Stream stream, Flight& flight);
  Status meetAndCall(const std::vector<Operation>& operations, Stream stream, Flight& flight);
  Status callShares(const std::vector<Share>& shares);
  Status reserveBeside(Beside* beside, const Operation& operation);
  Status call(const Operation& operation, Beside beside, Stream stream, bool captured);
  Status callCollective(const Operation& operation, void* beside, NativeComm* comm, Stream stream);
  Status submitWidened(const Operation& operation, rtStream_t stream);
  Status announceAmong(int32_t color, int32_t key, uint64_t* ticket);
  Status takeAmong(uint64_t ticket, std::shared_ptr<Communicator>* made);
  Status takePart(uint64_t ticket, std::shared_ptr<Communicator>* made);
  Status callSplit(const Operation& operation, NativeComm* comm);
  Status awaitSplit(SplitCall& call);
  Status callPoints(Operations operations, Stream stream);
  Status groupPoints(Operations operations, NativeComm* comm, Stream stream);
  Status callNow(Operations operations, Stream stream);
  Status ended(Status status, const Operation& of);
  bool isGone(Status* failure, int32_t* about, const Operation& of, int64_t nanoseconds) const;
  bool awaitGone(Status* failure, int32_t* about, const Operation& of) const;
  bool submitsNow(const Operation& operation);
  Status allToAll(const Operation& operation, void* beside, NativeComm* comm, Stream stream);
  Status exchange(const Operation& operation, void* receive, NativeComm* comm, Stream stream);
  Status result(const char* call, Result result) const;
  const Library& library() const { return clique_->library(); }
  Status awaitBeside();  // what NCCL has in stream_
  void count(const Operation& operation) {
    if (isCollective(operation.kind)) news_->collectives.fetch_add(1, std::memory_order_relaxed);
  }

  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Clique> clique_;
  std::shared_ptr<Communicator> in_process_;  // the same rank in the engine of this process
  rtStream_t stream_ = nullptr;               // of batches that both engines run, and of the watch
  Stream native_stream_ = nullptr;            // the driver's, of stream_
  void* barrier_ = nullptr;                   // one element, for barriers
  std::vector<Beside> kept_;                  // memory that captured operations name; under this rank's Clique::Use

  Flights flights_;
  Known known_;
  Seats own_seat_{1};
  const Seats::iterator seat_ = own_seat_.begin();  // wherever it is

  // Among processes:
  Widening widening_;
  const std::shared_ptr<Splits> splits_;  // null: the ranks have a team
  uint64_t announced_ = 0;                // splits, under turns.submitting
  const std::shared_ptr<News> news_;
  std::unique_ptr<bootstrap::Presence> presence_;  // null: the ranks have no hub
  // Captured operations that are alive: launches of them wait on the device, without a clock.
  struct Graphs {
    std::mutex mutex;
    uint32_t count = 0;
    Operation first{};            // one of them: a collective where there is one
    rtStream_t stream = nullptr;  // where the last one was captured
    int64_t looked = 0;
  } graphs_;
  int64_t asked_ = 0;        // the hub; of the watch
  int64_t error_since_ = 0;  // of the watch
};

// A rank for each place, of contexts on CUDA devices that all differ.
Status create(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings);

}  // namespace manyrt::comm::nccl
