// Rank 0 of a rendezvous. One thread, that of the call, serves all connections. Ranks have a seat each; strangers have seconds,
// and their number is limited. A message costs the same however many ranks there are.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "comm/bootstrap/address.h"
#include "comm/bootstrap/meet.h"
#include "comm/bootstrap/message.h"

namespace manyrt::comm::bootstrap {

class Host {
 public:
  Host(const Party& party, const rtCommUniqueId_t& id, const Admit& admit);
  ~Host();
  Status run();

 private:
  // kNew: has not shown that it is a rank. kSeated: counts as come. kOffered: has the id. kReported: `report` is there.
  // kLeaving: has been told the end. kGone: its connection is over.
  enum class State { kNew, kSeated, kOffered, kReported, kLeaving, kGone };
  struct Guest {
    Guest(Descriptor socket, const Nonce& drawn) : channel(std::move(socket), Channel::End::kHost), nonce(drawn) {}
    Channel channel;
    const Nonce nonce;
    State state = State::kNew;
    int64_t since = nowNanoseconds();  // in this state
    bool writing = false;              // the poller tells when the system takes bytes
    std::list<Guest>* in = nullptr;    // the list that it is in, and where
    std::list<Guest>::iterator place;
    Join card = {};
    Told report = {};
  };
  using Guests = std::list<Guest>;

  Status listenHere();
  Status reserveDescriptors();
  Status gather();  // until all ranks have a seat
  Status agree();   // until all ranks can create
  void tellAll(const Status& status);
  Status checkDevices() const;

  void enter(Guest& guest, State state);
  Guests& listOf(State state);
  void watch(Guest& guest);             // after something was sent
  void step(const Deadline& deadline);  // waits for sockets once, and serves them
  void accept();
  void serve(Guest& guest);
  void handle(Guest& guest, Kind kind);
  void join(Guest& guest);
  Status checkCard(const Join& card) const;
  void leave(Guest& guest);
  void drop(Guest& guest);
  void sweep();  // strangers that have had their time

  std::vector<int32_t> missing() const;
  Status late() const;
  std::string nameOf(const Guest& guest) const;  // "Rank 2 on node7"
  int32_t size() const { return party_.launch.size; }

  const Party& party_;
  const rtCommUniqueId_t& id_;
  const Admit& admit_;
  class Limit;  // of descriptors, raised while the ranks meet
  std::unique_ptr<Limit> limit_;
  Descriptor listening_;
  Descriptor poller_;
  Address address_;
  Guests strangers_, seated_, leaving_, gone_;  // by state; strangers and those that leave in the order of their coming there
  std::vector<Guest*> seats_;                   // by rank; null: has not come, or is rank 0
  int32_t arrived_ = 1;
  int32_t offered_ = 0;  // ranks that have the id and have not reported
  Deadline deadline_;    // of the rank whose time passes first
  int32_t hasty_ = 0;    // that rank
  uint64_t hasty_ns_;
  bool gathering_ = true;
  Status lost_;          // a rank has gone after all had come
  std::string refused_;  // why the last connection was refused that was
};

}  // namespace manyrt::comm::bootstrap
