// The hub of a communicator and its ranks, as threads of this process. Ranks end, leave, fail or are late, and some programs
// are no rank. Both ways to the hub: a Unix socket, and an address of TCP.
#include "comm/bootstrap/hub.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>

#include "comm/bootstrap/presence.h"
#include "comm/bootstrap/rig.h"

namespace manyrt::comm::bootstrap {
namespace {

// The news that one rank has heard, and how far it says that it is.
struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int32_t> ended;
  Status failure;
  int32_t about = -1;
  Late late = {-2, -2};
  uint64_t progress = 0;
  bool silent = false;  // does not answer until it is false again

  Hearing hearing() {
    Hearing result;
    result.left = [](int32_t) {};
    result.progress = [this] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return !silent; });
      return progress;
    };
    result.ended = [this](int32_t rank) { note([&] { ended.push_back(rank); }); };
    result.failed = [this](const Status& status, int32_t rank) {
      note([&] {
        failure = status;
        about = rank;
      });
    };
    result.late = [this](const Late& answer) { note([&] { late = answer; }); };
    return result;
  }
  void note(const std::function<void()>& write) {
    const std::lock_guard lock(mutex);
    write();
    changed.notify_all();
  }
  template <class Ready>
  void await(Ready ready) {  // the test's time limit ends it
    std::unique_lock lock(mutex);
    changed.wait(lock, ready);
  }
};

class HubTest : public testing::TestWithParam<bool> {
 protected:
  static constexpr int kSize = 3;

  void SetUp() override {
    place_.secret = "a secret of " + std::to_string(getpid()) + " " + std::to_string(++count_);
    Descriptor listening;
    if (GetParam()) {
      Job job;
      Address address;
      ASSERT_TRUE(listenForHub(&listening, &address, job.party(0).launch).ok());
      place_.address = address;
    }
    ASSERT_TRUE(beginHub(std::move(listening), place_, kSize).ok());
  }
  void come(int32_t rank) {
    const Status status = Presence::begin(&ranks_[rank], place_, rank, kSize, heard_[rank].hearing());
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void comeAll() {
    for (int32_t rank = 0; rank < kSize; ++rank) ASSERT_NO_FATAL_FAILURE(come(rank));
  }
  // A connection that has read the first message.
  std::unique_ptr<Channel> stranger() {
    Descriptor socket;
    EXPECT_TRUE(connectToHub(&socket, place_).ok());
    auto channel = std::make_unique<Channel>(std::move(socket), Channel::End::kGuest);
    Kind kind = Kind::kNone;
    EXPECT_EQ(receive(*channel, &kind), Channel::Got::kMessage);
    EXPECT_EQ(kind, Kind::kHello);
    return channel;
  }
  static Channel::Got receive(Channel& channel, Kind* kind) {
    for (;;) {
      const Channel::Got got = channel.receive(kind);
      if (got != Channel::Got::kNothing) return got;
      pollfd socket = {channel.socket(), POLLIN, 0};
      waitForSockets(&socket, 1, Deadline::after(kSecond));
    }
  }
  // The answer to a card: a seat, or the end of the connection.
  Channel::Got show(Channel& channel, const std::string& secret, int32_t rank, int32_t size) {
    Attend card = {};
    EXPECT_TRUE(drawNonce(&card.nonce).ok());
    card.rank = rank;
    card.size = size;
    channel.begin(sessionOf(secret, channel.body<Nonce>(), card.nonce));
    channel.send(Kind::kAttend, card);
    Kind kind = Kind::kNone;
    return receive(channel, &kind);
  }

  static inline int count_ = 0;
  HubPlace place_;
  Heard heard_[kSize];
  std::unique_ptr<Presence> ranks_[kSize];  // ends before what it hears into
};
INSTANTIATE_TEST_SUITE_P(Ways, HubTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& of) { return of.param ? "Tcp" : "Unix"; });

TEST_P(HubTest, AConnectionThatEndsIsAProcessThatEndedAndOneThatLeftIsNone) {
  ASSERT_NO_FATAL_FAILURE(come(0));
  ASSERT_NO_FATAL_FAILURE(come(1));
  {
    const std::unique_ptr<Channel> killed = stranger();
    ASSERT_EQ(show(*killed, place_.secret, 2, kSize), Channel::Got::kMessage);
    ranks_[1].reset();  // leaves
  }
  heard_[0].await([&] { return !heard_[0].ended.empty(); });
  EXPECT_EQ(heard_[0].ended, std::vector<int32_t>{2});
}

TEST_P(HubTest, ARankThatComesLaterHearsWhatItHasMissed) {
  ASSERT_NO_FATAL_FAILURE(come(0));
  {
    const std::unique_ptr<Channel> killed = stranger();
    ASSERT_EQ(show(*killed, place_.secret, 2, kSize), Channel::Got::kMessage);
  }
  heard_[0].await([&] { return !heard_[0].ended.empty(); });
  ASSERT_NO_FATAL_FAILURE(come(1));
  heard_[1].await([&] { return !heard_[1].ended.empty(); });
  EXPECT_EQ(heard_[1].ended, std::vector<int32_t>{2});
}

TEST_P(HubTest, AFailureReachesAllOthersWithItsSentenceAndRank) {
  ASSERT_NO_FATAL_FAILURE(comeAll());
  ranks_[1]->tell(Status::error(RT_ERROR_TIMEOUT, "Rank 2 did not come."), 2);
  ranks_[1].reset();  // at once, as where a process ends after it has told
  for (const int rank : {0, 2}) {
    Heard& heard = heard_[rank];
    heard.await([&] { return !heard.failure.ok(); });
    EXPECT_EQ(heard.failure.code(), RT_ERROR_TIMEOUT);
    EXPECT_STREQ(heard.failure.message(), "Rank 2 did not come.");
    EXPECT_EQ(heard.about, 2);
  }
  EXPECT_TRUE(heard_[1].failure.ok());
}

TEST_P(HubTest, TheRankThatHasComeToTheFewestCollectivesIsLate) {
  ASSERT_NO_FATAL_FAILURE(comeAll());
  const auto ask = [&](uint64_t own) {
    heard_[0].note([&] {
      heard_[0].late = {-2, -2};
      heard_[0].progress = own;
    });
    ranks_[0]->ask(own);
    heard_[0].await([&] { return heard_[0].late.why != -2; });
    return heard_[0].late;
  };
  heard_[1].progress = 6;
  heard_[2].progress = 5;
  Late late = ask(7);
  EXPECT_EQ(late.rank, 2);
  EXPECT_EQ(late.why, static_cast<int32_t>(Why::kLate));
  heard_[2].note([&] { heard_[2].progress = 9; });
  heard_[1].note([&] { heard_[1].progress = 7; });
  EXPECT_EQ(ask(7).why, static_cast<int32_t>(Why::kNone));
  heard_[1].note([&] { heard_[1].silent = true; });
  late = ask(8);
  EXPECT_EQ(late.rank, 1);
  EXPECT_EQ(late.why, static_cast<int32_t>(Why::kSilent));
  heard_[1].note([&] { heard_[1].silent = false; });
  EXPECT_EQ(ask(8).why, static_cast<int32_t>(Why::kLate));
  ranks_[1].reset();
  late = ask(8);  // the end of it may come after the question
  EXPECT_EQ(late.rank, 1);
}

TEST_P(HubTest, ProgramsThatAreNoRankAreTurnedAwayAndKeepNoneFromComing) {
  EXPECT_EQ(show(*stranger(), "another secret", 1, kSize), Channel::Got::kClosed);
  EXPECT_EQ(show(*stranger(), place_.secret, 1, kSize + 1), Channel::Got::kClosed);
  EXPECT_EQ(show(*stranger(), place_.secret, kSize, kSize), Channel::Got::kClosed);
  EXPECT_EQ(show(*stranger(), place_.secret, -1, kSize), Channel::Got::kClosed);
  const std::unique_ptr<Channel> quiet = stranger(), loud = stranger();
  ASSERT_EQ(write(loud->socket(), "GET / HTTP/1.1\r\nHost: there\r\nUser-Agent: none\r\n\r\n", 50), 50);
  Kind kind = Kind::kNone;
  EXPECT_EQ(receive(*loud, &kind), Channel::Got::kClosed);
  ASSERT_NO_FATAL_FAILURE(comeAll());
  EXPECT_EQ(show(*stranger(), place_.secret, 1, kSize), Channel::Got::kClosed);  // that rank has come
  ranks_[0]->tell(Status::error(RT_ERROR_LAUNCH_FAILED, "Over."), 0);
  heard_[1].await([&] { return !heard_[1].failure.ok(); });
  EXPECT_EQ(receive(*quiet, &kind), Channel::Got::kClosed);  // after its time
  EXPECT_TRUE(heard_[0].ended.empty());
}

TEST(HubPlaceTest, WithoutAHubThePresenceIsRefusedAfterItsTime) {
  HubPlace place;
  place.secret = "a secret that no hub has " + std::to_string(getpid());
  std::unique_ptr<Presence> presence;
  Heard heard;
  EXPECT_EQ(Presence::begin(&presence, place, 1, 2, heard.hearing()).code(), RT_ERROR_IO);
  EXPECT_EQ(presence, nullptr);
}

// The address of an interface, where there is one besides the loopback, and no other: a connection to the loopback is refused.
TEST(HubPlaceTest, AHubOfSeveralHostsIsAtOneOwnAddress) {
  Descriptor listening;
  Address bound;
  const std::vector<Address> own = ownAddresses();
  for (const Address& address : own) EXPECT_FALSE(address.isLoopback()) << address.text();
  if (!listenAtOwn(&listening, &bound)) GTEST_SKIP() << "this host has no address that others reach";
  EXPECT_EQ(bound.family(), own.front().family());
  const std::string text = bound.text();
  EXPECT_EQ(text.substr(0, text.rfind(':')), own.front().text().substr(0, own.front().text().rfind(':')));
  EXPECT_NE(text.substr(text.rfind(':')), ":0");
  HubPlace place;
  place.secret = "of several hosts";
  place.address = bound;
  ASSERT_TRUE(beginHub(std::move(listening), place, 1).ok());
  std::unique_ptr<Presence> presence;
  Heard heard;
  EXPECT_TRUE(Presence::begin(&presence, place, 0, 1, heard.hearing()).ok());
  if (bound.family() != AF_INET) return;
  sockaddr_in loopback = reinterpret_cast<const sockaddr_in&>(bound.storage);
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const Descriptor other(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_NE(connect(other.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback), 0);
}

TEST(HubPlaceTest, PartsOfOneCommunicatorHaveSecretsOfTheirOwn) {
  HubPlace parent;
  parent.secret = "parent";
  EXPECT_NE(placeOfPart(parent, 0, 0).secret, placeOfPart(parent, 0, 1).secret);
  EXPECT_NE(placeOfPart(parent, 0, 1).secret, placeOfPart(parent, 1, 1).secret);
  EXPECT_EQ(placeOfPart(parent, 1, 1).secret, placeOfPart(parent, 1, 1).secret);
  EXPECT_FALSE(placeOfPart(parent, 0, 0).address);
}

}  // namespace
}  // namespace manyrt::comm::bootstrap
