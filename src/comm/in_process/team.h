// The ranks of one process as they meet: collectives by number, sends by their receiver, splits. A team moves no data; it says
// when a rank may read the others' memory, and when it may give back its own. All waits end with the communicator's failure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "comm/communicator.h"

namespace manyrt::comm {

// One collective. All ranks arrive, work, and leave together. From the arrival of the last to the leaving of the last, every
// rank's memory is there for all.
struct Meeting {
  std::vector<const Operation*> operations;  // by rank; null: has not come
  int32_t arrived = 0;
  int32_t stepped = 0;
  int32_t left = 0;
  bool begun = false;  // all have come, with the same operation
};

// One send, on the stack of the sender, which stays until it is done or taken back.
struct Offer {
  const Operation* operation = nullptr;
  bool taken = false;
  bool done = false;
};

class Team : public std::enable_shared_from_this<Team> {
 public:
  // Makes a rank for each place: what a split makes of a part of the team.
  using Maker = Status (*)(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places,
                           const Settings& settings);
  Team(std::vector<Place> places, Settings settings, std::shared_ptr<Monitor> monitor, Maker maker);

  int32_t size() const { return static_cast<int32_t>(places_.size()); }
  const Place& place(int32_t rank) const { return places_[rank]; }
  Monitor& monitor() { return *monitor_; }
  // The ranks that can reduce elements of a type, in order. Empty: no device of the team can.
  bool allOnHost() const { return all_on_host_; }
  const std::vector<int32_t>& owners(int32_t type) const { return type == RT_COMM_F64 ? double_owners_ : owners_; }

  // Success: every rank has come, and leave() has to follow. A failure is the communicator's.
  Status arrive(std::shared_ptr<Meeting>* meeting, const Operation& operation, int32_t rank);
  Status step(Meeting& meeting);  // all ranks have come so far in their work
  Status leave(Meeting& meeting);

  void offer(Offer& offer, int32_t rank);
  Status waitForTaker(Offer& offer, int32_t rank);  // until the receiver has the elements
  void takeBack(Offer& offer, int32_t rank);        // after a failure: until no rank reads the memory
  Status take(Offer** offer, const Operation& receive, int32_t rank);
  void finish(Offer& offer);

  Status announceSplit(int32_t color, int32_t key, int32_t rank, uint64_t* ticket);
  Status takeSplit(uint64_t ticket, int32_t rank, std::shared_ptr<Communicator>* made);

  // The rank is not coming back. Present and later waits for it fail.
  void part(int32_t rank);

 private:
  struct Split {
    std::vector<int32_t> colors, keys;
    std::vector<bool> here;
    int32_t arrived = 0;
    int32_t taken = 0;
    bool made = false;
    std::vector<std::shared_ptr<Communicator>> members;
  };
  using Queue = std::deque<Offer*>;

  void begin(Meeting& meeting);  // with the last arrival: compares what the ranks mean
  void failParted(int32_t rank, const char* what);
  // The first rank that has not come and has parted, else -1.
  int32_t partedOf(const Meeting& meeting) const;
  std::string within() const;                                             // "within 2.0 s", for messages
  std::string name() const;                                               // " \"label\"" or nothing
  Queue& queue(int32_t from, int32_t to) { return queues_[{from, to}]; }  // its address stays
  Status comeToSplit(std::shared_ptr<Split>* complete, int32_t color, int32_t key, int32_t rank, uint64_t* ticket);
  Status makeSplit(Split& split);

  const std::vector<Place> places_;
  const Settings settings_;
  const std::shared_ptr<Monitor> monitor_;
  const Maker maker_;
  std::vector<int32_t> owners_, double_owners_;
  bool all_on_host_ = true;

  // Under the monitor's lock.
  std::vector<uint64_t> collectives_;  // by rank: how many have begun
  std::vector<uint64_t> splits_;       // the same of splits
  std::vector<bool> parted_;
  bool any_parted_ = false;  // without it no rank is looked through
  std::map<uint64_t, std::shared_ptr<Meeting>> meetings_;
  std::map<uint64_t, std::shared_ptr<Split>> open_splits_;
  std::map<std::pair<int32_t, int32_t>, Queue> queues_;  // of offers, by sender and receiver that have had some
};

}  // namespace manyrt::comm
