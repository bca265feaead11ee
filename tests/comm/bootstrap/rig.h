// Shared by the tests of the rendezvous: a free port, a party for each rank, ranks on threads, a socket that follows no
// protocol.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "comm/bootstrap/address.h"
#include "comm/bootstrap/meet.h"
#include "comm/bootstrap/message.h"
#include "comm/bootstrap/wait.h"
#include "comm/free_port.h"

namespace manyrt::comm::bootstrap {

using commtest::freePort;

inline constexpr uint64_t kSecond = 1'000'000'000;
inline constexpr uint64_t kLong = 120 * kSecond;

inline rtCommUniqueId_t someId(uint8_t first = 1) {
  rtCommUniqueId_t id;
  for (size_t i = 0; i < sizeof id.bytes; ++i) id.bytes[i] = static_cast<uint8_t>(first + i);
  return id;
}

inline bool same(const rtCommUniqueId_t& a, const rtCommUniqueId_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The outcome of one rank.
struct Outcome {
  Status status;
  rtCommUniqueId_t id = {};
};

inline Status admitAll(const rtCommUniqueId_t&) { return Status(); }

struct Job {
  uint16_t port = freePort();
  std::string host = "127.0.0.1";
  std::string token = "a word of the job";
  std::string name = "job";
  int32_t size = 2;
  uint64_t timeout_ns = kLong;

  Party party(int32_t rank) const {
    Party party;
    party.launch.rank = rank;
    party.launch.size = size;
    party.launch.job = name;
    party.launch.host = host;
    party.launch.host_is = "MASTER_ADDR=" + host;
    party.launch.port = port;
    party.launch.token = token;
    party.version = 200;
    party.timeout_ns = timeout_ns;
    return party;
  }

  // On this thread.
  static Outcome meet(const Party& party, const Admit& admit = admitAll) {
    Outcome outcome;
    outcome.id = party.launch.rank == 0 ? someId() : rtCommUniqueId_t{};
    outcome.status = party.launch.rank == 0 ? meetAsHost(party, outcome.id, admit) : meetAsGuest(&outcome.id, party, admit);
    return outcome;
  }
};

// A rank on a thread of its own, which the end waits for.
class RankThread {
 public:
  explicit RankThread(Party party, Admit admit = admitAll)
      : thread_([this, party = std::move(party), admit = std::move(admit)] { outcome_ = Job::meet(party, admit); }) {}
  ~RankThread() { join(); }
  RankThread(const RankThread&) = delete;
  RankThread& operator=(const RankThread&) = delete;

  void join() {
    if (thread_.joinable()) thread_.join();
  }
  Status status() {
    join();
    return outcome_.status;
  }
  bool has(const rtCommUniqueId_t& id) {
    join();
    return same(outcome_.id, id);
  }
  pthread_t native() { return thread_.native_handle(); }

 private:
  Outcome outcome_;
  std::thread thread_;
};

inline void expectFailure(const Status& status, rtStatus_t code, const std::string& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status.message();
}

// Connects when rank 0 listens: the test's time limit ends it else.
inline Descriptor connectTo(const Job& job) {
  std::vector<Address> addresses;
  EXPECT_TRUE(resolve(&addresses, job.party(1).launch).ok());
  for (;;) {
    Descriptor made;
    EXPECT_TRUE(beginConnect(&made, addresses.front()).ok());
    pollfd wait = {made.get(), POLLOUT, 0};
    waitForSockets(&wait, 1, Deadline::after(kLong));
    if (connectError(made.get()) == 0) return made;
    std::this_thread::yield();
  }
}

// Until the other end has closed.
inline void waitForEnd(const Descriptor& socket) {
  char buffer[4096];
  for (;;) {
    pollfd wait = {socket.get(), POLLIN, 0};
    waitForSockets(&wait, 1, Deadline::after(kLong));
    const ssize_t got = recv(socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

// A rank that the test plays itself.
class Played {
 public:
  explicit Played(const Job& job) : channel_(connectTo(job), Channel::End::kGuest) {}
  Channel& channel() { return channel_; }

  Channel::Got receive(Kind* kind) {
    for (;;) {
      const Channel::Got got = channel_.receive(kind);
      if (got != Channel::Got::kNothing) return got;
      pollfd wait = {channel_.socket(), POLLIN, 0};
      waitForSockets(&wait, 1, Deadline::after(kLong));
    }
  }
  void expect(Kind expected) {
    Kind kind = Kind::kNone;
    EXPECT_EQ(receive(&kind), Channel::Got::kMessage);
    EXPECT_EQ(kind, expected);
  }
  void join(const Party& party) {
    expect(Kind::kHello);
    Join card = {};
    EXPECT_TRUE(drawNonce(&card.nonce).ok());
    card.version = party.version;
    card.rank = party.launch.rank;
    card.size = party.launch.size;
    card.time_ns = UINT64_MAX;
    std::strncpy(card.job, party.launch.job.c_str(), sizeof card.job - 1);
    channel_.begin(sessionOf(party.launch.token, channel_.body<Nonce>(), card.nonce));
    channel_.send(Kind::kJoin, card);
  }

 private:
  Channel channel_;
};

}  // namespace manyrt::comm::bootstrap
