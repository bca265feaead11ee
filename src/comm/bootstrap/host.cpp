// The life of a rendezvous on rank 0. A rank that is wrong by itself is refused, and its seat stays free for one that is right;
// what fails after all have come fails for all. Whatever the end, each connection is told before it is closed.
#include "comm/bootstrap/host.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "comm/bootstrap/wait.h"
#include "comm/rank_names.h"

namespace manyrt::comm::bootstrap {
namespace {

constexpr size_t kMostStrangers = 64;
constexpr uint64_t kFarewell = 1'000'000'000;  // nanoseconds in which the other ends take their last message
constexpr uint64_t kNap = 10'000'000;          // nanoseconds
constexpr uint64_t kForEver = UINT64_MAX;

std::string versionText(uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

bool isNone(const uint8_t (&device)[16]) {
  return std::all_of(std::begin(device), std::end(device), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

Host::Host(const Party& party, const rtCommUniqueId_t& id, const Admit& admit)
    : party_(party),
      id_(id),
      admit_(admit),
      seats_(static_cast<size_t>(party.launch.size)),
      deadline_(Deadline::after(party.timeout_ns)),
      hasty_ns_(party.timeout_ns) {}

Status Host::listenHere() {
  std::vector<Address> addresses;
  RT_TRY(resolve(&addresses, party_.launch));
  return listenAt(&listening_, &address_, addresses, party_.launch);
}

Status Host::run() {
  RT_TRY(listenHere());
  Status status = gather();
  // A rank of a later rendezvous that connects from here on finds nothing that listens, and comes again.
  listening_.close();
  for (Guest& guest : guests_) {
    if (guest.state == State::kNew) drop(guest);
  }
  gathering_ = false;
  if (status.ok()) status = agree();
  tellAll(status);
  return status;
}

Status Host::gather() {
  while (arrived_ < size()) {
    if (deadline_.passed()) return late();
    step(deadline_);
  }
  return Status();
}

Status Host::agree() {
  RT_TRY(checkDevices());
  if (const Status own = admit_(id_); !own.ok()) return Status::error(own.code(), "Rank 0: %s", own.message());
  for (Guest* guest : seats_) {
    if (guest == nullptr) continue;
    guest->channel.send(Kind::kOffer, id_);
    guest->enter(State::kOffered);
  }
  const auto waits = [](const Guest* guest) { return guest != nullptr && guest->state == State::kOffered; };
  for (;;) {
    if (!lost_.ok()) return lost_;
    const auto waited = std::find_if(seats_.begin(), seats_.end(), waits);
    if (waited == seats_.end()) break;
    if (deadline_.passed()) {
      return Status::error(RT_ERROR_TIMEOUT, "%s came, and did not say within %.3g s that it can create its rank.",
                           nameOf(**waited).c_str(), static_cast<double>(hasty_ns_) * 1e-9);
    }
    step(deadline_);
  }
  for (const Guest* guest : seats_) {
    const Status its = guest == nullptr ? Status() : readTold(guest->report);
    if (!its.ok()) return Status::error(its.code(), "%s: %s", nameOf(*guest).c_str(), its.message());
  }
  return Status();
}

// The connections end when the other ends have closed them: closed here first, with bytes unread, TCP may drop what was sent.
void Host::tellAll(const Status& status) {
  for (Guest* guest : seats_) {
    if (guest == nullptr) continue;
    if (status.ok()) {
      guest->channel.send(Kind::kGo, Empty());
    } else {
      guest->channel.send(Kind::kRefused, tell(status));
    }
    leave(*guest);
  }
  const Deadline farewell = Deadline::after(kFarewell);
  const auto sits = [](const Guest* guest) { return guest != nullptr; };
  while (std::any_of(seats_.begin(), seats_.end(), sits) && !farewell.passed()) step(farewell);
}

Status Host::checkDevices() const {
  const auto elsewhere = [](const Guest* guest) { return guest != nullptr && guest->card.backend != RT_BACKEND_CUDA; };
  const bool on_cuda = party_.backend == RT_BACKEND_CUDA && std::none_of(seats_.begin(), seats_.end(), elsewhere);
  if (!party_.own_devices || !on_cuda) return Status();
  for (size_t rank = 1; rank < seats_.size(); ++rank) {
    const Join& card = seats_[rank]->card;
    if (isNone(card.device)) continue;
    for (size_t other = 0; other < rank; ++other) {
      const uint8_t(&device)[16] = other == 0 ? party_.device : seats_[other]->card.device;
      RT_CHECK_ARG(memcmp(device, card.device, sizeof device) != 0,
                   "Ranks %zu and %zu have the same device%s%s: each needs one of its own, such as that of LOCAL_RANK.", other,
                   rank, *card.host != '\0' ? " on " : "", card.host);
    }
  }
  return Status();
}

void Host::step(const Deadline& deadline) {
  Deadline until = deadline;
  std::vector<pollfd> sockets;
  std::vector<Guest*> served;
  for (Guest& guest : guests_) {
    sockets.push_back({guest.channel.socket(), static_cast<short>(guest.channel.sending() ? POLLIN | POLLOUT : POLLIN), 0});
    served.push_back(&guest);
    if (guest.state != State::kNew && guest.state != State::kLeaving) continue;
    const Deadline of_guest =
        Deadline::after(static_cast<uint64_t>(std::max<int64_t>(1, guest.since + kPatience - nowNanoseconds())));
    if (of_guest.remaining() < until.remaining()) until = of_guest;
  }
  if (listening_.valid()) sockets.push_back({listening_.get(), POLLIN, 0});
  waitForSockets(sockets.data(), sockets.size(), until);
  for (size_t i = 0; i < served.size(); ++i) {
    if (sockets[i].revents != 0) serve(*served[i]);
  }
  if (listening_.valid() && sockets.back().revents != 0) accept();
  sweep();
}

void Host::accept() {
  for (size_t i = 0; i < kMostStrangers; ++i) {  // at a time, so that a flood leaves time for the others
    Descriptor made(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!made.valid()) {  // none is left, or the one that was there is gone
      // Without descriptors the socket stays ready: strangers go in time, and their descriptors with them.
      if (errno == EMFILE || errno == ENFILE) waitForSockets(nullptr, 0, Deadline::after(kNap));
      return;
    }
    Nonce nonce;
    if (!drawNonce(&nonce).ok()) return;
    Guest& guest = guests_.emplace_back(std::move(made), nonce);
    guest.channel.send(Kind::kHello, nonce);
  }
}

void Host::serve(Guest& guest) {
  guest.channel.flush();
  while (guest.state != State::kGone) {
    Kind kind = Kind::kNone;
    switch (guest.channel.receive(&kind)) {
      case Channel::Got::kNothing:
        return;
      case Channel::Got::kMessage:
        handle(guest, kind);
        break;
      case Channel::Got::kOtherVersion:  // it has read ours, and tells its program
      case Channel::Got::kStrange:
      case Channel::Got::kClosed:
        drop(guest);
        break;
    }
  }
}

void Host::handle(Guest& guest, Kind kind) {
  if (guest.state == State::kNew && kind == Kind::kJoin) {
    join(guest);
  } else if (guest.state == State::kOffered && kind == Kind::kReport) {
    guest.report = guest.channel.body<Told>();
    guest.enter(State::kReported);
  } else if (guest.state != State::kLeaving) {
    drop(guest);
  }
}

void Host::join(Guest& guest) {
  Join& card = guest.card = guest.channel.body<Join>();
  if (!guest.channel.beginWithLast(sessionOf(party_.launch.token, guest.nonce, card.nonce))) {
    refused_ = "it had another RT_COMM_TOKEN";
    guest.channel.send(Kind::kStranger, Empty());
    return leave(guest);
  }
  copyLetters(card.host, sizeof card.host, printable(card.host, sizeof card.host - 1).c_str());
  card.job[sizeof card.job - 1] = '\0';
  if (const Status status = checkCard(card); !status.ok()) {
    refused_ = status.message();
    guest.channel.send(Kind::kRefused, tell(status));
    return leave(guest);
  }
  seats_[static_cast<size_t>(card.rank)] = &guest;
  ++arrived_;
  guest.enter(State::kSeated);
  guest.channel.send(Kind::kSeated, Empty());
  const Deadline its = card.time_ns == kForEver ? Deadline::never() : Deadline::after(card.time_ns);
  if (its.remaining() >= deadline_.remaining()) return;
  deadline_ = its;
  hasty_ = card.rank;
  hasty_ns_ = card.time_ns;
}

Status Host::checkCard(const Join& card) const {
  const char* const on = *card.host != '\0' ? " on " : "";
  RT_CHECK_ARG(card.version == party_.version, "Rank %d%s%s has version %s of the library, and rank 0 version %s.", card.rank,
               on, card.host, versionText(card.version).c_str(), versionText(party_.version).c_str());
  RT_CHECK_ARG(strcmp(card.job, party_.launch.job.substr(0, sizeof card.job - 1).c_str()) == 0,
               "Rank %d%s%s is of job \"%s\", and what listens at %s of job \"%s\": each needs a port of its own.", card.rank,
               on, card.host, printable(card.job, sizeof card.job).c_str(), address_.text().c_str(), party_.launch.job.c_str());
  RT_CHECK_ARG(card.size == size(), "Rank %d%s%s came with a size of %d, and rank 0 with %d.", card.rank, on, card.host,
               card.size, size());
  RT_CHECK_ARG(card.rank >= 0 && card.rank < size(), "There is no rank %d of %d.", card.rank, size());
  RT_CHECK_ARG(card.rank != 0 && seats_[static_cast<size_t>(card.rank)] == nullptr, "Rank %d has come already.", card.rank);
  return Status();
}

// The other end is told the last, reads it, and closes.
void Host::leave(Guest& guest) {
  guest.channel.finish();
  guest.enter(State::kLeaving);
}

void Host::drop(Guest& guest) {
  const auto seat = std::find(seats_.begin(), seats_.end(), &guest);
  if (seat != seats_.end() && guest.state != State::kLeaving) {
    if (!gathering_ && lost_.ok()) {
      lost_ = Status::error(RT_ERROR_IO, "%s ended, or its connection did, after all ranks had come.", nameOf(guest).c_str());
    }
    --arrived_;
  }
  if (seat != seats_.end()) *seat = nullptr;  // free for the next that comes
  guest.enter(State::kGone);
}

void Host::sweep() {
  const int64_t before = nowNanoseconds() - kPatience;
  size_t strangers = 0;
  for (Guest& guest : guests_) strangers += guest.state == State::kNew ? 1 : 0;
  for (Guest& guest : guests_) {
    const bool limited = guest.state == State::kNew || guest.state == State::kLeaving;
    const bool too_many = guest.state == State::kNew && strangers > kMostStrangers;  // the oldest go: a rank comes again
    if (too_many) --strangers;
    if (too_many || (limited && guest.since < before)) drop(guest);
  }
  guests_.remove_if([](const Guest& guest) { return guest.state == State::kGone; });
}

std::vector<int32_t> Host::missing() const {
  std::vector<int32_t> ranks;
  for (int32_t rank = 1; rank < size(); ++rank) {
    if (seats_[static_cast<size_t>(rank)] == nullptr) ranks.push_back(rank);
  }
  return ranks;
}

Status Host::late() const {
  const std::string name = party_.label.empty() ? "" : " of \"" + party_.label + "\"";
  return Status::error(
      RT_ERROR_TIMEOUT, "Of %d ranks%s %d came to %s within %.3g s, for which rank %d waits: %s did not.%s%s%s", size(),
      name.c_str(), arrived_, address_.text().c_str(), static_cast<double>(hasty_ns_) * 1e-9, hasty_,
      namesOf(missing()).c_str(), refused_.empty() ? "" : " Of those that were refused the last: ", refused_.c_str(),
      refused_.empty() || refused_.back() == '.' ? "" : ".");
}

std::string Host::nameOf(const Guest& guest) const {
  return "Rank " + std::to_string(guest.card.rank) + (*guest.card.host != '\0' ? std::string(" on ") + guest.card.host : "");
}

Status meetAsHost(const Party& party, const rtCommUniqueId_t& id, const Admit& admit) { return Host(party, id, admit).run(); }

}  // namespace manyrt::comm::bootstrap
