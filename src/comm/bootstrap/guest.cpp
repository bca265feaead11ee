// A rank other than 0 in a rendezvous. Until rank 0 has seated it, it tries again, whatever is at the address. There may be no
// listener, another program, or a rendezvous that is just over. From then on a connection that ends is a failure.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "comm/bootstrap/address.h"
#include "comm/bootstrap/meet.h"
#include "comm/bootstrap/message.h"
#include "comm/bootstrap/wait.h"

namespace manyrt::comm::bootstrap {
namespace {

constexpr int64_t kFirstNap = 5'000'000, kLongestNap = 200'000'000;  // nanoseconds between two tries
constexpr char kNoRank[] = "what listens there is no rank 0 of a rendezvous";

Deadline sooner(const Deadline& a, int64_t nanoseconds) {
  const Deadline b = Deadline::after(static_cast<uint64_t>(nanoseconds));
  return a.remaining() < b.remaining() ? a : b;
}

class Guest {
 public:
  Guest(const Party& party, const Admit& admit) : party_(party), admit_(admit), deadline_(Deadline::after(party.timeout_ns)) {}

  Status run(rtCommUniqueId_t* id) {
    RT_TRY(resolve(&addresses_, party_.launch));
    for (int64_t nap = kFirstNap;; nap = std::min(2 * nap, kLongestNap)) {
      for (const Address& address : addresses_) {
        bool seated = false;
        Status status = join(address, &seated);
        // A refusal by rank 0 itself is final. Anything else may be a program that is there before rank 0.
        if (!status.ok() && !again_) return status;
        // From here on there is no second try: rank 0 counts on this connection.
        if (seated) return finish(id, address);
        if (deadline_.passed()) return late();
      }
      waitForSockets(nullptr, 0, sooner(deadline_, nap));
      if (deadline_.passed()) return late();
    }
  }

 private:
  // Notes why this try failed, after which the next one is made.
  Status again(const Address& address, const char* why) {
    again_ = true;
    // The last reason is told when the time has passed: most of them are that rank 0 is not there yet.
    last_ = address.text() + ": " + why;
    return Status::bare(RT_ERROR_IO);
  }

  Status late() const {
    return Status::error(RT_ERROR_TIMEOUT, "Rank %d did not find rank 0 within %.3g s. At the last try of %s",
                         party_.launch.rank, static_cast<double>(party_.timeout_ns) * 1e-9, (last_ + ".").c_str());
  }

  // Waits for one message. kNothing: the time has passed.
  Channel::Got receive(Kind* kind, const Deadline& deadline) {
    for (;;) {
      const Channel::Got got = channel_->receive(kind);
      if (got != Channel::Got::kNothing || deadline.passed()) return got;
      pollfd socket = {channel_->socket(), static_cast<short>(channel_->sending() ? POLLIN | POLLOUT : POLLIN), 0};
      waitForSockets(&socket, 1, deadline);
      channel_->flush();
    }
  }

  Status join(const Address& address, bool* seated) {
    again_ = false;
    Descriptor socket;
    if (const Status begun = beginConnect(&socket, address); !begun.ok()) return again(address, begun.message());
    // A host that drops packets answers nothing: the next address, or try, may do better.
    const Deadline connected = sooner(deadline_, kPatience);
    pollfd wait = {socket.get(), POLLOUT, 0};
    while (wait.revents == 0 && !connected.passed()) waitForSockets(&wait, 1, connected);
    if (wait.revents == 0) return again(address, "the host did not answer");
    // A socket that can be written to may have failed: its error is asked.
    if (const int failure = connectError(socket.get())) return again(address, strerror(failure));
    channel_ = std::make_unique<Channel>(std::move(socket), Channel::End::kGuest);
    Kind kind = Kind::kNone;
    const Channel::Got got = receive(&kind, sooner(deadline_, kPatience));
    // Told at once: no later try would find another release.
    if (got == Channel::Got::kOtherVersion) {
      return Status::error(RT_ERROR_INVALID_VALUE, "Rank 0 at %s has another release of the library, whose messages differ.",
                           address.text().c_str());
    }
    if (got != Channel::Got::kMessage || kind != Kind::kHello) return again(address, kNoRank);
    return show(address, seated);
  }

  // Shows rank 0 that this is a rank of its job.
  Status show(const Address& address, bool* seated) {
    Join card = {};
    // A fresh number for each try, as the session's key is made of it.
    RT_TRY(drawNonce(&card.nonce));
    card.version = party_.version;
    card.rank = party_.launch.rank;
    card.size = party_.launch.size;
    card.backend = party_.backend;
    // The time that is left, so that clocks of hosts need not agree.
    card.time_ns = deadline_.isNever() ? UINT64_MAX : static_cast<uint64_t>(deadline_.remaining());
    memcpy(card.device, party_.device, sizeof card.device);
    if (gethostname(card.host, sizeof card.host - 1) != 0) card.host[0] = '\0';
    copyLetters(card.job, sizeof card.job, party_.launch.job.c_str());
    // From here on each message carries a code, which only ranks with the token can make.
    channel_->begin(sessionOf(party_.launch.token, channel_->body<Nonce>(), card.nonce));
    channel_->send(Kind::kJoin, card);
    Kind kind = Kind::kNone;
    const Channel::Got got = receive(&kind, sooner(deadline_, kPatience));
    if (got == Channel::Got::kMessage && kind == Kind::kStranger) {
      return Status::error(RT_ERROR_INVALID_VALUE, "Rank 0 at %s has another RT_COMM_TOKEN than rank %d.",
                           address.text().c_str(), party_.launch.rank);
    }
    // Rank 0's own words: a second try would hear the same.
    if (got == Channel::Got::kMessage && kind == Kind::kRefused) return readTold(channel_->body<Told>());
    if (got != Channel::Got::kMessage || kind != Kind::kSeated) return again(address, kNoRank);
    *seated = true;
    return Status();
  }

  // From the seat to the end. Rank 0 has the clock of all, so that it can name the ranks that are missing.
  Status finish(rtCommUniqueId_t* id, const Address& address) {
    Kind kind = Kind::kNone;
    RT_TRY(next(&kind, address));
    if (kind == Kind::kOffer) {
      *id = channel_->body<rtCommUniqueId_t>();
      // The id is used only if every rank can create with it: a rank that fails alone would let the others wait in the engine.
      channel_->send(Kind::kReport, tell(admit_(*id)));
      RT_TRY(next(&kind, address));
      if (kind == Kind::kGo) return Status();
    }
    if (kind == Kind::kRefused) {
      Status told = readTold(channel_->body<Told>());
      if (!told.ok()) return told;
    }
    return Status::error(RT_ERROR_IO, "Rank 0 at %s sent a message that does not come at this point.", address.text().c_str());
  }

  Status next(Kind* kind, const Address& address) {
    // Longer than the own time: rank 0 names the ranks that are missing, which this rank does not know.
    const Deadline grace =
        deadline_.isNever() ? deadline_ : Deadline::after(static_cast<uint64_t>(deadline_.remaining() + kGrace));
    switch (receive(kind, grace)) {
      case Channel::Got::kMessage:
        return Status();
      case Channel::Got::kNothing:
        return Status::error(RT_ERROR_TIMEOUT, "Rank 0 at %s has seated rank %d, and tells nothing more within %.3g s.",
                             address.text().c_str(), party_.launch.rank, static_cast<double>(party_.timeout_ns) * 1e-9);
      case Channel::Got::kClosed:
        return Status::error(RT_ERROR_IO,
                             "Rank 0 at %s ended, or its connection did, while rank %d waited for the other ranks.",
                             address.text().c_str(), party_.launch.rank);
      case Channel::Got::kOtherVersion:
      case Channel::Got::kStrange:
        break;
    }
    return Status::error(RT_ERROR_IO, "A message of rank 0 at %s to rank %d was altered on its way.", address.text().c_str(),
                         party_.launch.rank);
  }

  const Party& party_;
  const Admit& admit_;
  const Deadline deadline_;
  std::vector<Address> addresses_;
  std::unique_ptr<Channel> channel_;
  bool again_ = false;
  std::string last_;
};

}  // namespace

Status meetAsGuest(rtCommUniqueId_t* id, const Party& party, const Admit& admit) { return Guest(party, admit).run(id); }

}  // namespace manyrt::comm::bootstrap
