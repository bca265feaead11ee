// The thread sleeps on the connection and on a descriptor by which other threads of the process wake it.
#include "comm/bootstrap/presence.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/clock.h"
#include "comm/bootstrap/wait.h"
#include "comm/guard.h"

namespace manyrt::comm::bootstrap {
namespace {

constexpr int64_t kRetry = 5'000'000;  // nanoseconds

Status noHub() { return Status::error(RT_ERROR_IO, "The hub of the communicator is not there, or does not answer."); }

// Waits for one message. Fails where there is none in time.
Status await(Channel& channel, Kind wanted, const Deadline& deadline) {
  for (;;) {
    Kind kind = Kind::kNone;
    const Channel::Got got = channel.receive(&kind);
    if (got == Channel::Got::kMessage && kind == wanted) return Status();
    if (got != Channel::Got::kNothing || deadline.passed()) return noHub();
    pollfd socket = {channel.socket(), static_cast<short>(channel.sending() ? POLLIN | POLLOUT : POLLIN), 0};
    waitForSockets(&socket, 1, deadline);
    channel.flush();
  }
}

Status attend(std::unique_ptr<Channel>* out, const HubPlace& place, int32_t rank, int32_t size, const Deadline& deadline) {
  Descriptor socket;
  RT_TRY(connectToHub(&socket, place));
  auto channel = std::make_unique<Channel>(std::move(socket), Channel::End::kGuest);
  RT_TRY(await(*channel, Kind::kHello, deadline));
  Attend card = {};
  RT_TRY(drawNonce(&card.nonce));
  card.rank = rank;
  card.size = size;
  channel->begin(sessionOf(place.secret, channel->body<Nonce>(), card.nonce));
  channel->send(Kind::kAttend, card);
  RT_TRY(await(*channel, Kind::kSeated, deadline));
  *out = std::move(channel);
  return Status();
}

}  // namespace

Status Presence::begin(std::unique_ptr<Presence>* presence, const HubPlace& place, int32_t rank, int32_t size,
                       Hearing hearing) {
  const Deadline deadline = Deadline::after(kAttendTime);
  std::unique_ptr<Channel> channel;
  for (;;) {  // rank 0 may be about to make it
    const Status status = attend(&channel, place, rank, size, deadline);
    if (status.ok()) break;
    if (deadline.passed()) return status;
    waitForSockets(nullptr, 0, Deadline::after(kRetry));
  }
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return noHub();
  *presence = std::make_unique<Presence>(std::move(channel), std::move(wake), rank, std::move(hearing));
  return Status();
}

Presence::Presence(std::unique_ptr<Channel> channel, Descriptor wake, int32_t rank, Hearing hearing)
    : wake_(std::move(wake)), rank_(rank), hearing_(std::move(hearing)), channel_(std::move(channel)), thread_([this] {
        run();
      }) {}

Presence::~Presence() {
  {
    const std::lock_guard lock(mutex_);
    leaveLocked();
    ending_ = true;
  }
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof one);
  thread_.join();
}

void Presence::ask(uint64_t collectives) {
  const std::lock_guard lock(mutex_);
  channel_->send(Kind::kAsk, Progress{0, collectives});
}

void Presence::tell(const Status& failure, int32_t rank) {
  const std::lock_guard lock(mutex_);
  channel_->send(Kind::kFailure, Failure{bootstrap::tell(failure), rank});
}

void Presence::leave() {
  const std::lock_guard lock(mutex_);
  leaveLocked();
}

void Presence::leaveLocked() {
  if (!left_) channel_->send(Kind::kLeft, RankOf{rank_});
  left_ = true;
}

// False: the connection is over.
bool Presence::hear() {
  for (;;) {
    Kind kind = Kind::kNone;
    const Channel::Got got = channel_->receive(&kind);
    if (got == Channel::Got::kNothing) return true;
    if (got != Channel::Got::kMessage) return false;
    switch (kind) {
      case Kind::kAsk:
        channel_->send(Kind::kProgress, Progress{channel_->body<Progress>().question, hearing_.progress()});
        break;
      case Kind::kBehind:
        hearing_.behind(channel_->body<Behind>());
        break;
      case Kind::kFailure: {
        const auto failure = channel_->body<Failure>();
        hearing_.failed(readTold(failure.told), failure.rank);
        break;
      }
      case Kind::kEnded:
        hearing_.ended(channel_->body<RankOf>().rank);
        break;
      case Kind::kLeft:
        if (channel_->body<RankOf>().rank == 0) without_hub_ = true;
        break;
      default:
        break;
    }
  }
}

void Presence::run() {
  int64_t beat = nowNanoseconds(), heard = beat;
  pollfd sockets[2] = {{channel_->socket(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  for (;;) {
    waitForSockets(sockets, 2, Deadline::after(kBeatTime / 2));
    const std::lock_guard lock(mutex_);
    channel_->flush();
    const bool connected = hear();
    const int64_t now = nowNanoseconds();
    if (sockets[0].revents != 0) heard = now;
    if (now - beat > kBeatTime) {
      beat = now;
      channel_->send(Kind::kBeat, Empty());
    }
    sockets[0].events = static_cast<short>(channel_->sending() ? POLLIN | POLLOUT : POLLIN);
    if (ending_) return channel_->finish();
    if (connected && now - heard < kSilence) continue;
    if (!without_hub_ && rank_ != 0) hearing_.ended(0);
    return;
  }
}

}  // namespace manyrt::comm::bootstrap
