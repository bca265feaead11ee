// The thread sleeps on the connection and on a descriptor by which other threads of the process wake it.
#include "comm/bootstrap/presence.h"

#include <unistd.h>

#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/os/signal_descriptor.h"
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
  // The hub speaks first. A program of another kind at this place is found before it learns anything.
  RT_TRY(await(*channel, Kind::kHello, deadline));
  Attend card = {};
  RT_TRY(drawNonce(&card.nonce));
  card.rank = rank;
  card.size = size;
  // From here on each message has a code, by which the hub knows the secret.
  channel->begin(sessionOf(place.secret, channel->body<Nonce>(), card.nonce));
  channel->send(Kind::kAttend, card);
  RT_TRY(await(*channel, Kind::kSeated, deadline));
  *out = std::move(channel);
  return Status();
}

}  // namespace

struct Presence::Connection {
  Connection(std::unique_ptr<Channel> made, Descriptor waker, int32_t of, Hearing functions)
      : wake(std::move(waker)), rank(of), hearing(std::move(functions)), channel(std::move(made)) {}

  void run();
  bool hear();
  void leaveLocked();

  const Descriptor wake;
  const int32_t rank;
  const Hearing hearing;
  bool without_hub = false;  // rank 0 has left: an end of the connection is no failure
  std::mutex mutex;          // of the next three; functions of Hearing are called under it
  const std::unique_ptr<Channel> channel;
  bool left = false;
  bool ending = false;
};

Status Presence::begin(std::unique_ptr<Presence>* presence, const HubPlace& place, int32_t rank, int32_t size,
                       Hearing hearing) {
  // A limit: without a hub the ranks go on, and only know less of each other.
  const Deadline deadline = Deadline::after(kAttendTime);
  std::unique_ptr<Channel> channel;
  for (;;) {  // rank 0 may be about to make it
    const Status status = attend(&channel, place, rank, size, deadline);
    if (status.ok()) break;
    if (deadline.passed()) return status;
    waitForSockets(nullptr, 0, Deadline::after(kRetry));
  }
  Descriptor wake(openSignalDescriptor());
  if (!wake.valid()) return noHub();
  const auto connection = std::make_shared<Connection>(std::move(channel), std::move(wake), rank, std::move(hearing));
  // Before the thread: if that cannot start, the connection ends with this object.
  auto made = std::make_unique<Presence>(connection);
  // The thread has a reference of its own, so that the destructor does not wait for it.
  std::thread([connection] {
    (void)withoutThrowing([&] { return connection->run(), Status(); });  // without memory it ends, and no rank is named
  }).detach();
  *presence = std::move(made);
  return Status();
}

// The thread may be in one of its waits. It sees `ending` under the lock, before it calls a function again.
Presence::~Presence() {
  {
    const std::lock_guard lock(connection_->mutex);
    // The goodbye goes ahead of the end: others would take the closed connection for a process that has died.
    connection_->leaveLocked();
    connection_->ending = true;
  }
  signalDescriptor(connection_->wake.get());
}

void Presence::ask(uint64_t collectives) {
  const std::lock_guard lock(connection_->mutex);
  connection_->channel->send(Kind::kAsk, Progress{0, collectives});
}

void Presence::tell(const Status& failure, int32_t rank) {
  const std::lock_guard lock(connection_->mutex);
  connection_->channel->send(Kind::kFailure, Failure{bootstrap::tell(failure), rank});
}

void Presence::leave() {
  const std::lock_guard lock(connection_->mutex);
  connection_->leaveLocked();
}

void Presence::Connection::leaveLocked() {
  if (!left) channel->send(Kind::kLeft, RankOf{rank});
  left = true;
}

// False: the connection is over.
bool Presence::Connection::hear() {
  for (;;) {
    Kind kind = Kind::kNone;
    const Channel::Got got = channel->receive(&kind);
    if (got == Channel::Got::kNothing) return true;
    if (got != Channel::Got::kMessage) return false;
    switch (kind) {
      case Kind::kAsk:
        channel->send(Kind::kProgress, Progress{channel->body<Progress>().question, hearing.progress()});
        break;
      case Kind::kLate:
        hearing.late(channel->body<Late>());
        break;
      case Kind::kFailure: {
        const auto failure = channel->body<Failure>();
        hearing.failed(readTold(failure.told), failure.rank);
        break;
      }
      case Kind::kEnded:
        hearing.ended(channel->body<RankOf>().rank);
        break;
      case Kind::kLeft: {
        const int32_t other = channel->body<RankOf>().rank;
        if (other == 0) without_hub = true;
        hearing.left(other);
        break;
      }
      default:
        break;
    }
  }
}

void Presence::Connection::run() {
  int64_t beat = nowNanoseconds(), heard = beat;
  pollfd sockets[2] = {{channel->socket(), POLLIN, 0}, {wake.get(), POLLIN, 0}};
  for (;;) {
    waitForSockets(sockets, 2, Deadline::after(kBeatTime / 2));
    const std::lock_guard lock(mutex);
    // Nothing of Hearing is called from here on: its owner is being destroyed.
    if (ending) return channel->finish();
    // Messages of other threads may not have gone out as a whole.
    channel->flush();
    const bool connected = hear();
    const int64_t now = nowNanoseconds();
    // Any byte counts as a sign of life, beats among them.
    if (sockets[0].revents != 0) heard = now;
    if (now - beat > kBeatTime) {
      beat = now;
      // The hub tells a silent process from a slow one by these.
      channel->send(Kind::kBeat, Empty());
    }
    sockets[0].events = static_cast<short>(channel->sending() ? POLLIN | POLLOUT : POLLIN);
    if (connected && now - heard < kSilence) continue;
    // The hub is in the process of rank 0, and has gone with it.
    if (!without_hub && rank != 0) hearing.ended(0);
    return;
  }
}

}  // namespace manyrt::comm::bootstrap
