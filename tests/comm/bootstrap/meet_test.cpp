// The rendezvous: ranks that meet, ranks that are refused, ranks that stay away, and strangers. Each rank is a thread here;
// tests/comm/environment_test.cpp has processes.
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>

#include "comm/bootstrap/rig.h"

namespace manyrt::comm::bootstrap {
namespace {

class MeetingTest : public testing::TestWithParam<int> {};

void meetAll(const Job& job) {
  std::vector<std::unique_ptr<RankThread>> ranks;
  for (int32_t rank = job.size; rank-- > 0;) ranks.push_back(std::make_unique<RankThread>(job.party(rank)));
  for (const auto& rank : ranks) {
    EXPECT_TRUE(rank->status().ok()) << rank->status().message();
    EXPECT_TRUE(rank->has(someId()));
  }
}

TEST_P(MeetingTest, AllRanksLeaveWithTheIdOfRank0) {
  Job job;
  job.size = GetParam();
  meetAll(job);
}

TEST_P(MeetingTest, TheyMeetAgainAtTheSamePort) {
  Job job;
  job.size = GetParam();
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < job.size; ++rank) {
    threads.emplace_back([&, rank] {
      for (int round = 0; round < 20; ++round) {  // each as soon as it can, also before rank 0 listens again
        const Outcome outcome = Job::meet(job.party(rank));
        ASSERT_TRUE(outcome.status.ok()) << "rank " << rank << ", round " << round << ": " << outcome.status.message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(MeetingTest, RanksThatDoNotComeAreNamedToAllThatCame) {
  Job job;
  job.size = GetParam() + 2;
  job.timeout_ns = kSecond;
  std::vector<std::unique_ptr<RankThread>> ranks;
  for (int32_t rank = 0; rank < GetParam(); ++rank) {
    Party party = job.party(rank);
    party.label = "first";
    if (rank == 1) party.timeout_ns = RT_TIMEOUT_INFINITE;  // the first time that passes is that of all
    ranks.push_back(std::make_unique<RankThread>(party));
  }
  const std::string missing = "ranks " + std::to_string(GetParam()) + " and " + std::to_string(GetParam() + 1) + " did not.";
  for (const auto& rank : ranks) {
    expectFailure(rank->status(), RT_ERROR_TIMEOUT, missing);
    expectFailure(rank->status(), RT_ERROR_TIMEOUT, "Of " + std::to_string(job.size) + " ranks of \"first\"");
  }
}

INSTANTIATE_TEST_SUITE_P(, MeetingTest, testing::Values(2, 3, 4), testing::PrintToStringParamName());

TEST(MeetTest, SixtyFourRanksMeet) {
  Job job;
  job.size = 64;
  meetAll(job);
}

TEST(MeetTest, ManyRanksMeet) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur < 4096) GTEST_SKIP() << "both ends of each connection are in this process";
  Job job;
  job.size = 1024;
  meetAll(job);
}

// The limit of descriptors is raised while rank 0 has its connections, and is as before afterwards.
TEST(MeetTest, Rank0RaisesTheLimitOfDescriptors) {
  rlimit before = {}, lower = {}, inside = {}, after = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < 2048) GTEST_SKIP() << "the system lets a process have " << before.rlim_max << " descriptors";
  lower = before;
  lower.rlim_cur = 600;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
  Job job;
  job.size = 100;
  {
    std::vector<std::unique_ptr<RankThread>> guests;
    for (int32_t rank = 1; rank < job.size; ++rank) guests.push_back(std::make_unique<RankThread>(job.party(rank)));
    const Outcome outcome = Job::meet(job.party(0), [&](const rtCommUniqueId_t&) {
      (void)getrlimit(RLIMIT_NOFILE, &inside);
      return Status();
    });
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    for (const auto& guest : guests) EXPECT_TRUE(guest->status().ok()) << guest->status().message();
  }
  EXPECT_EQ(inside.rlim_cur, 100u + 1024u);
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, lower.rlim_cur);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(MeetTest, MoreRanksThanDescriptorsAreRefusedAtOnce) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  Job job;
  job.size = 65536;
  job.timeout_ns = kSecond / 10;
  const Outcome outcome = Job::meet(job.party(0));
  if (before.rlim_max >= 65536 + 1024) {
    EXPECT_EQ(outcome.status.code(), RT_ERROR_TIMEOUT) << outcome.status.message();
    EXPECT_NE(std::string(outcome.status.message()).find("ranks 1 to 65535 did not"), std::string::npos)
        << outcome.status.message();
  } else {
    EXPECT_EQ(outcome.status.code(), RT_ERROR_NOT_SUPPORTED) << outcome.status.message();
    EXPECT_NE(std::string(outcome.status.message()).find("Rank 0 of 65536 ranks needs 66560 descriptors"), std::string::npos)
        << outcome.status.message();
  }
}

TEST(MeetTest, OverIpv6AndANameThatHasSeveralAddresses) {
  for (const char* host : {"::1", "localhost"}) {
    SCOPED_TRACE(host);
    Job job;
    job.host = host;
    std::vector<Address> addresses;
    Descriptor socket;
    Address bound;
    if (!resolve(&addresses, job.party(0).launch).ok() || !listenAt(&socket, &bound, addresses, job.party(0).launch).ok()) {
      GTEST_SKIP() << "this machine has no " << host;
    }
    socket.close();
    meetAll(job);
  }
}

TEST(MeetTest, WithoutATokenAtLoopbackAddressesAlone) {
  Job job;
  job.token = "";
  meetAll(job);
  job.host = "192.0.2.1";  // of no machine
  expectFailure(Job::meet(job.party(0)).status, RT_ERROR_INVALID_VALUE,
                "RT_COMM_TOKEN is not set, and other machines reach the address of MASTER_ADDR=192.0.2.1");
  expectFailure(Job::meet(job.party(1)).status, RT_ERROR_INVALID_VALUE, "RT_COMM_TOKEN is not set");
}

TEST(MeetTest, WithoutATokenRanksOfOneHostMeetAtItsLoopbackAddress) {
  for (const char* host : {"192.0.2.1", "no.such.host.invalid"}) {
    Job job;
    job.token = "";
    job.host = host;
    Party first = job.party(0), second = job.party(1);
    first.launch.on_one_host = second.launch.on_one_host = true;
    RankThread host_rank(first), other(second);
    EXPECT_TRUE(host_rank.status().ok()) << host_rank.status().message();
    EXPECT_TRUE(other.status().ok()) << other.status().message();
  }
}

TEST(MeetTest, AHostNameThatDoesNotResolveIsRefused) {
  Job job;
  job.host = "no.such.host.invalid";
  for (const int32_t rank : {0, 1}) {
    expectFailure(Job::meet(job.party(rank)).status, RT_ERROR_NOT_FOUND,
                  "The host of MASTER_ADDR=no.such.host.invalid has no address: ");
  }
}

TEST(MeetTest, AnAddressOfAnotherHostIsRefusedOnRank0) {
  Job job;
  job.host = "192.0.2.1";
  expectFailure(Job::meet(job.party(0)).status, RT_ERROR_INVALID_VALUE,
                "The address of MASTER_ADDR=192.0.2.1, 192.0.2.1:" + std::to_string(job.port) + ", is none of this host");
}

// ---- Ranks that are refused; the others wait for one that is right ----

// `wrong` comes first, is refused, and the job goes on with the right rank 1.
void refuse(const Job& job, const Party& wrong, const std::string& words) {
  RankThread host(job.party(0));
  expectFailure(Job::meet(wrong).status, RT_ERROR_INVALID_VALUE, words);
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok()) << right.status().message();
  EXPECT_TRUE(host.status().ok()) << host.status().message();
}

TEST(MeetTest, AnotherSizeIsRefused) {
  Job job;
  Party wrong = job.party(1);
  wrong.launch.size = 3;
  refuse(job, wrong, "came with a size of 3, and rank 0 with 2.");
}

TEST(MeetTest, AnotherReleaseIsRefused) {
  Job job;
  Party wrong = job.party(1);
  wrong.version = 10203;
  refuse(job, wrong, "has version 1.2.3 of the library, and rank 0 version 0.2.0.");
}

TEST(MeetTest, AnotherTokenOrNoneIsRefused) {
  Job job;
  for (const char* token : {"", "another word", "a word of the jo", "a word of the job "}) {
    Party wrong = job.party(1);
    wrong.launch.token = token;
    refuse(job, wrong, "has another RT_COMM_TOKEN than rank 1.");
  }
}

TEST(MeetTest, ARankOfAnotherJobIsRefused) {
  Job job;
  Party wrong = job.party(1);
  wrong.launch.job = "second";
  refuse(job, wrong, "is of job \"second\", and what listens at 127.0.0.1:" + std::to_string(job.port) + " of job \"job\"");
}

TEST(MeetTest, ARankThatComesTwiceIsRefused) {
  Job job;
  job.size = 3;
  RankThread host(job.party(0));
  Played first(job);
  first.join(job.party(1));
  first.expect(Kind::kSeated);
  expectFailure(Job::meet(job.party(1)).status, RT_ERROR_INVALID_VALUE, "Rank 1 has come already.");
  RankThread third(job.party(2));
  first.expect(Kind::kOffer);
  first.channel().send(Kind::kReport, tell(Status()));
  first.expect(Kind::kGo);
  EXPECT_TRUE(third.status().ok());
  EXPECT_TRUE(host.status().ok());
}

TEST(MeetTest, ASecondRank0FindsThePortTaken) {
  Job job;
  RankThread host(job.party(0));
  Played waits(job);  // rank 0 listens
  expectFailure(Job::meet(job.party(0)).status, RT_ERROR_BUSY,
                "Rank 0 cannot listen at 127.0.0.1:" + std::to_string(job.port) + ": the port is taken.");
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok());
  EXPECT_TRUE(host.status().ok());
}

// Two jobs with one port: the second one's ranks are told, and the first one goes on.
TEST(MeetTest, TwoJobsOnOnePortDoNotMix) {
  Job job;
  Job second = job;
  second.name = "second";
  RankThread host(job.party(0));
  Played waits(job);
  RankThread other_host(second.party(0)), other(second.party(1));
  expectFailure(other_host.status(), RT_ERROR_BUSY, "the port is taken");
  expectFailure(other.status(), RT_ERROR_INVALID_VALUE, "each needs a port of its own");
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok());
  EXPECT_TRUE(host.status().ok());
}

TEST(MeetTest, WhatWasRefusedIsToldWithTheRankThatIsMissing) {
  Job job;
  job.timeout_ns = 2 * kSecond;
  RankThread host(job.party(0));
  Party wrong = job.party(1);
  wrong.launch.token = "another word";
  expectFailure(Job::meet(wrong).status, RT_ERROR_INVALID_VALUE, "RT_COMM_TOKEN");
  expectFailure(host.status(), RT_ERROR_TIMEOUT,
                "rank 1 did not. Of those that were refused the last: it had another RT_COMM_TOKEN.");
}

// ---- What fails for all ----

TEST(MeetTest, ARankThatCannotCreateIsToldToAll) {
  Job job;
  job.size = 3;
  const Admit no = [](const rtCommUniqueId_t&) { return Status::error(RT_ERROR_NOT_SUPPORTED, "There is no NCCL here."); };
  for (int32_t unable = 0; unable < job.size; ++unable) {
    job.port = freePort();
    std::vector<std::unique_ptr<RankThread>> ranks;
    for (int32_t rank = 0; rank < job.size; ++rank) {
      ranks.push_back(std::make_unique<RankThread>(job.party(rank), rank == unable ? no : Admit(admitAll)));
    }
    for (const auto& rank : ranks) {
      expectFailure(rank->status(), RT_ERROR_NOT_SUPPORTED, "Rank " + std::to_string(unable));
      expectFailure(rank->status(), RT_ERROR_NOT_SUPPORTED, ": There is no NCCL here.");
    }
  }
}

TEST(MeetTest, OneDeviceForTwoRanksIsToldToAll) {
  Job job;
  job.size = 3;
  std::vector<std::unique_ptr<RankThread>> ranks;
  for (int32_t rank = 0; rank < job.size; ++rank) {
    Party party = job.party(rank);
    party.device[3] = rank == 1 ? 1 : 2;
    party.backend = RT_BACKEND_CUDA;
    party.own_devices = true;
    ranks.push_back(std::make_unique<RankThread>(party));
  }
  for (const auto& rank : ranks) {
    expectFailure(rank->status(), RT_ERROR_INVALID_VALUE, "Ranks 0 and 2 have the same device");
  }
}

TEST(MeetTest, OneDeviceForTwoRanksServesWhereNcclDoesNotJoinThem) {
  Job job;
  for (const bool own_devices : {false, true}) {  // without NCCL, and where a rank is not on CUDA
    Party host = job.party(0), other = job.party(1);
    host.device[3] = other.device[3] = 1;
    host.backend = RT_BACKEND_CUDA;
    host.own_devices = own_devices;
    other.backend = own_devices ? RT_BACKEND_CPU : RT_BACKEND_CUDA;
    RankThread first(host), second(other);
    EXPECT_TRUE(first.status().ok()) << first.status().message();
    EXPECT_TRUE(second.status().ok()) << second.status().message();
  }
}

TEST(MeetTest, Rank0ThatNeverComesIsNamed) {
  Job job;
  job.timeout_ns = kSecond / 2;
  expectFailure(Job::meet(job.party(1)).status, RT_ERROR_TIMEOUT,
                "Rank 1 did not find rank 0 within 0.5 s. At the last try of 127.0.0.1:" + std::to_string(job.port) +
                    ": Connection refused.");
}

TEST(MeetTest, Rank0ThatEndsWhileTheOthersWaitIsNamed) {
  Job job;
  Descriptor listening;
  Address bound;
  std::vector<Address> addresses;
  ASSERT_TRUE(resolve(&addresses, job.party(0).launch).ok());
  ASSERT_TRUE(listenAt(&listening, &bound, addresses, job.party(0).launch).ok());
  RankThread rank(job.party(1));
  pollfd wait = {listening.get(), POLLIN, 0};
  waitForSockets(&wait, 1, Deadline::after(kLong));
  {
    Channel host(Descriptor(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)), Channel::End::kHost);
    const Nonce nonce = {{1, 2, 3}};
    host.send(Kind::kHello, nonce);
    Kind kind = Kind::kNone;
    Channel::Got got = Channel::Got::kNothing;
    while ((got = host.receive(&kind)) == Channel::Got::kNothing) {
      pollfd of = {host.socket(), POLLIN, 0};
      waitForSockets(&of, 1, Deadline::after(kLong));
    }
    ASSERT_EQ(got, Channel::Got::kMessage);
    ASSERT_EQ(kind, Kind::kJoin);
    ASSERT_TRUE(host.beginWithLast(sessionOf(job.token, nonce, host.body<Join>().nonce)));
    host.send(Kind::kSeated, Empty());
  }
  expectFailure(rank.status(), RT_ERROR_IO, "ended, or its connection did, while rank 1 waited for the other ranks.");
}

TEST(MeetTest, ARankThatEndsAfterAllHaveComeIsNamedToTheOthers) {
  Job job;
  job.size = 3;
  RankThread host(job.party(0)), second(job.party(2));
  {
    Played first(job);
    first.join(job.party(1));
    first.expect(Kind::kSeated);
    first.expect(Kind::kOffer);
  }
  for (RankThread* rank : {&host, &second}) {
    expectFailure(rank->status(), RT_ERROR_IO, "Rank 1 ended, or its connection did, after all ranks had come.");
  }
}

// A process that is killed before all have come, and started again.
TEST(MeetTest, TheSeatOfARankThatEndsIsFreeForTheNext) {
  Job job;
  job.size = 3;
  RankThread host(job.party(0));
  for (int i = 0; i < 3; ++i) {
    Played gone(job);
    gone.join(job.party(1));
    gone.expect(Kind::kSeated);
  }
  RankThread first(job.party(1)), second(job.party(2));
  for (RankThread* rank : {&host, &first, &second}) EXPECT_TRUE(rank->status().ok()) << rank->status().message();
}

// ---- Signals ----

std::atomic<int> signals{0};

TEST(MeetTest, ASignalWhoseHandlerReturnsDoesNotEndTheWait) {
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { signals.fetch_add(1); };  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGINT, &action, &before), 0);
  signals = 0;
  Job job;
  job.size = 3;
  RankThread host(job.party(0)), first(job.party(1));
  Played waits(job);  // rank 0 listens
  for (int i = 1; i <= 40; ++i) {
    RankThread& to = i % 2 == 0 ? host : first;
    ASSERT_EQ(pthread_kill(to.native(), SIGINT), 0);
    while (signals.load() < i) std::this_thread::yield();
  }
  RankThread second(job.party(2));
  for (RankThread* rank : {&host, &first, &second}) EXPECT_TRUE(rank->status().ok()) << rank->status().message();
  ASSERT_EQ(sigaction(SIGINT, &before, nullptr), 0);
}

// ---- Strangers at rank 0 ----

TEST(MeetTest, StrangersThatSendNothingOrGarbageDoNotDisturb) {
  Job job;
  RankThread host(job.party(0));
  std::vector<Descriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connectTo(job));
  for (size_t length : {1u, 23u, 24u, 1000u, 100000u}) {
    const Descriptor noisy = connectTo(job);
    const std::string garbage(length, 'G');
    (void)send(noisy.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (length >= 24) waitForEnd(noisy);
  }
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok()) << right.status().message();
  EXPECT_TRUE(host.status().ok()) << host.status().message();
}

// Every prefix of a good message, after which the connection ends, and every byte with one bit turned.
TEST(MeetTest, MessagesThatAreCutOrAlteredDoNotDisturb) {
  Job job;
  RankThread host(job.party(0));
  const auto goodJoin = [&](Played& from) {  // as bytes, with a code
    from.expect(Kind::kHello);
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    Channel writer(Descriptor{ends[0]}, Channel::End::kGuest);
    const Descriptor reader(ends[1]);
    Join card = {};
    card.version = 200;
    card.rank = 1;
    card.size = 2;
    card.time_ns = UINT64_MAX;
    std::strcpy(card.job, "job");
    writer.begin(sessionOf(job.token, from.channel().body<Nonce>(), card.nonce));
    writer.send(Kind::kJoin, card);
    char bytes[1024];
    const ssize_t got = recv(reader.get(), bytes, sizeof bytes, 0);
    return std::string(bytes, got > 0 ? static_cast<size_t>(got) : 0);
  };
  size_t length = 320;
  for (size_t cut = 0; cut < length; cut += 7) {
    Played from(job);
    const std::string bytes = goodJoin(from);
    length = bytes.size();
    (void)send(from.channel().socket(), bytes.data(), std::min(cut, length - 1), MSG_NOSIGNAL);
  }
  for (size_t at = 0; at < length; at += 5) {
    Played from(job);
    std::string bytes = goodJoin(from);
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    (void)send(from.channel().socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    Kind kind = Kind::kNone;
    const Channel::Got got = from.receive(&kind);
    EXPECT_TRUE(got == Channel::Got::kClosed || (got == Channel::Got::kMessage && kind == Kind::kStranger)) << at;
  }
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok()) << right.status().message();
  EXPECT_TRUE(host.status().ok()) << host.status().message();
}

// Messages of an earlier rendezvous prove nothing in this one: rank 0 has another random number.
TEST(MeetTest, AJoinThatIsRepeatedIsAStrangers) {
  Job job;
  RankThread host(job.party(0));
  Played first(job);
  first.expect(Kind::kHello);
  const Nonce old = {{9}};  // of another rendezvous
  Join card = {};
  card.version = 200;
  card.rank = 1;
  card.size = 2;
  first.channel().begin(sessionOf(job.token, old, card.nonce));
  first.channel().send(Kind::kJoin, card);
  first.expect(Kind::kStranger);
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok());
  EXPECT_TRUE(host.status().ok());
}

// ---- Strangers in the place of rank 0 ----

// The launcher's own store, or any program, has the port; when it is gone, rank 0 comes.
TEST(MeetTest, AProgramThatListensInThePlaceOfRank0IsPassedOver) {
  for (const std::string& greeting :
       {std::string(), std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string(4000, '\0')}) {
    Job job;
    job.size = 2;
    Descriptor listening;
    Address bound;
    std::vector<Address> addresses;
    ASSERT_TRUE(resolve(&addresses, job.party(0).launch).ok());
    ASSERT_TRUE(listenAt(&listening, &bound, addresses, job.party(0).launch).ok());
    RankThread guest(job.party(1));
    for (int i = 0; i < 2; ++i) {
      pollfd wait = {listening.get(), POLLIN, 0};
      waitForSockets(&wait, 1, Deadline::after(kLong));
      const Descriptor made(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
      ASSERT_TRUE(made.valid());
      (void)send(made.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
    }
    listening.close();
    RankThread host(job.party(0));
    EXPECT_TRUE(guest.status().ok()) << guest.status().message();
    EXPECT_TRUE(host.status().ok()) << host.status().message();
  }
}

// All of the message but the version is as here.
std::string ofAnotherVersion() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Channel channel(Descriptor{ends[0]}, Channel::End::kHost);
  const Descriptor reader{ends[1]};
  channel.send(Kind::kHello, Nonce{});
  char bytes[1024];
  const ssize_t got = recv(reader.get(), bytes, sizeof bytes, 0);
  bytes[8] = static_cast<char>(kVersion + 1);
  return std::string(bytes, got > 0 ? static_cast<size_t>(got) : 0);
}

TEST(MeetTest, AReleaseWithOtherMessagesIsToldToTheRankThatConnects) {
  Job job;
  Descriptor listening;
  Address bound;
  std::vector<Address> addresses;
  ASSERT_TRUE(resolve(&addresses, job.party(0).launch).ok());
  ASSERT_TRUE(listenAt(&listening, &bound, addresses, job.party(0).launch).ok());
  RankThread rank(job.party(1));
  pollfd wait = {listening.get(), POLLIN, 0};
  waitForSockets(&wait, 1, Deadline::after(kLong));
  const Descriptor made(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const std::string hello = ofAnotherVersion();
  (void)send(made.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  expectFailure(rank.status(), RT_ERROR_INVALID_VALUE, "has another release of the library, whose messages differ.");
}

TEST(MeetTest, ARankOfAReleaseWithOtherMessagesDoesNotDisturb) {
  Job job;
  RankThread host(job.party(0));
  const Descriptor other = connectTo(job);
  const std::string hello = ofAnotherVersion();
  (void)send(other.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  waitForEnd(other);
  RankThread right(job.party(1));
  EXPECT_TRUE(right.status().ok());
  EXPECT_TRUE(host.status().ok());
}

TEST(MeetTest, AProgramThatStaysInThePlaceOfRank0IsTold) {
  Job job;
  job.timeout_ns = kSecond;
  Descriptor listening;
  Address bound;
  std::vector<Address> addresses;
  ASSERT_TRUE(resolve(&addresses, job.party(0).launch).ok());
  ASSERT_TRUE(listenAt(&listening, &bound, addresses, job.party(0).launch).ok());  // and never accepts
  expectFailure(Job::meet(job.party(0)).status, RT_ERROR_BUSY, "the port is taken");
  expectFailure(Job::meet(job.party(1)).status, RT_ERROR_TIMEOUT, "what listens there is no rank 0 of a rendezvous.");
}

}  // namespace
}  // namespace manyrt::comm::bootstrap
