// The messages of a rendezvous over a pair of sockets: every kind, in pieces of any size. Refused as no message of the session
// are those that are repeated, sent back, of another session, or of another length, kind or version.
#include "comm/bootstrap/message.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <vector>

namespace manyrt::comm::bootstrap {
namespace {

using Got = Channel::Got;

class MessageTest : public testing::Test {
 protected:
  MessageTest() {
    int ends[2] = {-1, -1}, raw[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, raw), 0);
    host_ = std::make_unique<Channel>(Descriptor{ends[0]}, Channel::End::kHost);
    guest_ = std::make_unique<Channel>(Descriptor{raw[0]}, Channel::End::kGuest);
    from_guest_ = Descriptor{raw[1]};
    to_host_ = Descriptor{ends[1]};
  }

  // The bytes of what the guest has sent since the last call.
  std::string sent() {
    char bytes[8192];
    const ssize_t got = recv(from_guest_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return std::string(bytes, got > 0 ? static_cast<size_t>(got) : 0);
  }
  void deliver(std::string_view bytes) {
    ASSERT_EQ(send(to_host_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void begin() {
    const Digest session = sessionOf("token", {}, {});
    host_->begin(session);
    guest_->begin(session);
  }
  Got receive() { return host_->receive(&kind_); }

  std::unique_ptr<Channel> host_, guest_;
  Descriptor from_guest_, to_host_;
  Kind kind_ = Kind::kNone;
};

TEST_F(MessageTest, EveryKindComesWithItsBodyInPiecesOfAnySize) {
  for (const bool in_session : {false, true}) {
    if (in_session) begin();
    for (size_t piece : {1u, 2u, 23u, 24u, 25u, 5000u}) {
      Join join = {};
      join.rank = 7;
      guest_->send(Kind::kJoin, join);
      guest_->send(Kind::kGo, Empty());
      guest_->send(Kind::kRefused, tell(Status::error(RT_ERROR_TIMEOUT, "Rank 3 did not come.")));
      const std::string bytes = sent();
      std::vector<Kind> kinds;
      for (size_t at = 0; at < bytes.size(); at += piece) {
        deliver(std::string_view(bytes).substr(at, piece));
        while (receive() == Got::kMessage) {
          kinds.push_back(kind_);
          if (kind_ == Kind::kJoin) {
            EXPECT_EQ(host_->body<Join>().rank, 7);
          }
          if (kind_ == Kind::kRefused) {
            EXPECT_STREQ(readTold(host_->body<Told>()).message(), "Rank 3 did not come.");
          }
        }
      }
      EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kJoin, Kind::kGo, Kind::kRefused})) << piece;
    }
  }
}

TEST_F(MessageTest, AMessageThatIsRepeatedIsStrange) {
  begin();
  guest_->send(Kind::kGo, Empty());
  const std::string bytes = sent();
  deliver(bytes);
  EXPECT_EQ(receive(), Got::kMessage);
  deliver(bytes);
  EXPECT_EQ(receive(), Got::kStrange);
}

TEST_F(MessageTest, AMessageThatIsLeftOutMakesTheNextStrange) {
  begin();
  guest_->send(Kind::kSeated, Empty());
  (void)sent();
  guest_->send(Kind::kGo, Empty());
  deliver(sent());
  EXPECT_EQ(receive(), Got::kStrange);
}

TEST_F(MessageTest, AMessageThatIsSentBackIsStrange) {
  begin();
  host_->send(Kind::kGo, Empty());
  char bytes[4096];
  const ssize_t got = recv(to_host_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  ASSERT_GT(got, 0);
  deliver({bytes, static_cast<size_t>(got)});
  EXPECT_EQ(receive(), Got::kStrange);
}

TEST_F(MessageTest, AMessageOfAnotherSessionIsStrange) {
  const Nonce one = {{1}}, two = {{2}};
  const Digest own = sessionOf("token", one, two);
  for (const Digest& other : {sessionOf("token", two, one), sessionOf("tokem", one, two), sessionOf("", one, two), Digest{}}) {
    Channel guest(Descriptor{dup(guest_->socket())}, Channel::End::kGuest);
    Channel host(Descriptor{dup(host_->socket())}, Channel::End::kHost);
    guest.begin(other);
    host.begin(own);
    guest.send(Kind::kGo, Empty());
    deliver(sent());
    EXPECT_EQ(host.receive(&kind_), Got::kStrange);
  }
  EXPECT_EQ(own, sessionOf("token", one, two));
}

TEST_F(MessageTest, AnyBitThatIsTurnedIsFound) {
  begin();
  const Digest session = sessionOf("token", {}, {});
  guest_->send(Kind::kReport, tell(Status()));
  const std::string good = sent();
  for (size_t at = 0; at < good.size(); ++at) {
    Channel host(Descriptor{dup(host_->socket())}, Channel::End::kHost);
    host.begin(session);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    deliver(bad);
    const Got got = host.receive(&kind_);
    EXPECT_TRUE(got == Got::kStrange || got == Got::kOtherVersion) << at;
    char rest[4096];  // what it has not read
    (void)recv(host_->socket(), rest, sizeof rest, MSG_DONTWAIT);
  }
}

TEST_F(MessageTest, LengthsAndKindsThatDoNotFitAreStrangeBeforeTheirBodiesAreRead) {
  guest_->send(Kind::kGo, Empty());
  const std::string good = sent();
  const auto with = [&](size_t at, uint32_t value) {
    std::string bad = good.substr(0, 24);
    memcpy(bad.data() + at, &value, sizeof value);
    deliver(bad);
    const Got got = receive();
    host_ = std::make_unique<Channel>(Descriptor{dup(host_->socket())}, Channel::End::kHost);
    return got;
  };
  EXPECT_EQ(with(8, kVersion + 1), Got::kOtherVersion);
  for (uint32_t kind : {0u, 9u, 255u, UINT32_MAX}) EXPECT_EQ(with(12, kind), Got::kStrange) << kind;
  for (uint32_t length : {1u, 32u, 1u << 30, UINT32_MAX}) EXPECT_EQ(with(16, length), Got::kStrange) << length;
  EXPECT_EQ(with(20, 1), Got::kStrange);
  EXPECT_EQ(with(0, 0), Got::kStrange);
}

TEST_F(MessageTest, AnEndIsToldAfterWhatCameBefore) {
  guest_->send(Kind::kGo, Empty());
  deliver(sent());
  to_host_.close();
  EXPECT_EQ(receive(), Got::kMessage);
  EXPECT_EQ(receive(), Got::kClosed);
  host_->send(Kind::kGo, Empty());  // to a closed end: no signal
  EXPECT_EQ(receive(), Got::kClosed);
}

TEST(ToldTest, TextsAndCodesOfOtherProcessesAreLimited) {
  Told told = {};
  EXPECT_TRUE(readTold(told).ok());
  told.code = 77;
  std::fill(std::begin(told.text), std::end(told.text), 'x');  // without an end
  EXPECT_EQ(readTold(told).code(), RT_ERROR_IO);
  EXPECT_EQ(std::string(readTold(told).message()), std::string(sizeof told.text, 'x'));
  told = {RT_ERROR_BUSY, "two\nlines\x1b[31m"};
  EXPECT_STREQ(readTold(told).message(), "two?lines?[31m");
  EXPECT_EQ(readTold(told).code(), RT_ERROR_BUSY);
  told.code = -1000;
  EXPECT_EQ(readTold(told).code(), RT_ERROR_IO);
  EXPECT_EQ(printable("na\xc3", 3), "na") << "half a letter";
}

}  // namespace
}  // namespace manyrt::comm::bootstrap
