// The life of a rendezvous on rank 0. A rank that is wrong by itself is refused, and its seat stays free for one that is right;
// what fails after all have come fails for all. Whatever the end, each connection is told before it is closed.
#include "comm/bootstrap/host.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "comm/bootstrap/wait.h"
#include "comm/rank_names.h"

namespace manyrt::comm::bootstrap {
namespace {

constexpr size_t kMostStrangers = 64;          // beside the ranks that have not come
constexpr int32_t kFewRanks = 64;              // whose connections need no more descriptors than every system gives
constexpr rlim_t kOtherDescriptors = 1024;     // of the program, of strangers, and of what the program opens meanwhile
constexpr size_t kEvents = 256;                // sockets that are served at a time
constexpr uint64_t kFarewell = 1'000'000'000;  // nanoseconds in which the other ends take their last message
constexpr uint64_t kNap = 10'000'000;          // nanoseconds
// A card's word for a rank without a time limit.
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

// A connection of each rank is a descriptor, and many systems let a process have 1024 unless it asks for more. The old limit is
// set again at the end.
class Host::Limit {
 public:
  explicit Limit(rlim_t wanted) {
    rlimit of = {};
    if (getrlimit(RLIMIT_NOFILE, &of) != 0) return;
    before_ = of;
    // A limit can be infinite, which is the largest number.
    most_ = std::max(of.rlim_cur, of.rlim_max);
    // Only the soft limit: raising the hard one takes rights that a program should not need.
    if (of.rlim_cur >= wanted || of.rlim_max < wanted) return;
    of.rlim_cur = wanted;
    raised_ = setrlimit(RLIMIT_NOFILE, &of) == 0;
  }
  ~Limit() {
    rlimit now = {};
    if (!raised_ || getrlimit(RLIMIT_NOFILE, &now) != 0) return;
    // Read anew: the program may have lowered its hard limit meanwhile.
    now.rlim_cur = std::min(before_.rlim_cur, now.rlim_max);
    (void)setrlimit(RLIMIT_NOFILE, &now);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  rlim_t most() const { return most_; }

 private:
  rlimit before_ = {};
  rlim_t most_ = RLIM_INFINITY;
  bool raised_ = false;
};

Host::~Host() = default;

Status Host::reserveDescriptors() {
  const rlim_t wanted = static_cast<rlim_t>(size()) + kOtherDescriptors;
  // Few ranks fit in any limit, which is then left alone.
  if (size() <= kFewRanks) return Status();
  limit_ = std::make_unique<Limit>(wanted);
  if (limit_->most() >= wanted) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "Rank 0 of %d ranks needs %llu descriptors for its connections, and the system lets a process have %llu "
                       "(ulimit -Hn).",
                       size(), static_cast<unsigned long long>(wanted), static_cast<unsigned long long>(limit_->most()));
}

Status Host::listenHere() {
  std::vector<Address> addresses;
  RT_TRY(reserveDescriptors());
  RT_TRY(resolve(&addresses, party_.launch));
  // A thousand ranks connect at once: poll() would walk over all of them for each message.
  poller_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!poller_.valid()) return Status::error(RT_ERROR_IO, "The system has no epoll for a rendezvous: %s.", strerror(errno));
  RT_TRY(listenAt(&listening_, &address_, addresses, party_.launch));
  // Null stands for the listening socket: each other event has its guest.
  epoll_event event = {EPOLLIN, {nullptr}};
  if (epoll_ctl(poller_.get(), EPOLL_CTL_ADD, listening_.get(), &event) == 0) return Status();
  return Status::error(RT_ERROR_IO, "The system does not watch the socket of a rendezvous: %s.", strerror(errno));
}

Status Host::run() {
  RT_TRY(listenHere());
  Status status = gather();
  // A rank of a later rendezvous that connects from here on finds nothing that listens, and comes again.
  listening_.close();
  // They have not shown that they are ranks, and none is missing any more.
  while (!strangers_.empty()) drop(strangers_.front());
  gone_.clear();
  gathering_ = false;
  // Ranks agree before any of them enters an engine, where a rank that stays away could not be named.
  if (status.ok()) status = agree();
  tellAll(status);
  return status;
}

Status Host::gather() {
  while (arrived_ < size()) {
    // join() may have brought the deadline nearer: the shortest time of a rank counts for all.
    if (deadline_.passed()) return late();
    step(deadline_);
  }
  return Status();
}

Status Host::agree() {
  RT_TRY(checkDevices());
  // Rank 0 first: if it cannot create, the others need not try.
  if (const Status own = admit_(id_); !own.ok()) return Status::error(own.code(), "Rank 0: %s", own.message());
  for (Guest* guest : seats_) {
    if (guest == nullptr) continue;
    guest->channel.send(Kind::kOffer, id_);
    enter(*guest, State::kOffered);
    // The message may not have gone out as a whole.
    watch(*guest);
    // Counted, so that the loop below need not look at thousands of seats after each message.
    ++offered_;
  }
  const auto waits = [](const Guest* guest) { return guest != nullptr && guest->state == State::kOffered; };
  for (;;) {
    // A rank that is gone can create nothing: the others must not wait for it in an engine.
    if (!lost_.ok()) return lost_;
    if (offered_ == 0) break;
    if (deadline_.passed()) {
      const auto waited = std::find_if(seats_.begin(), seats_.end(), waits);
      return Status::error(RT_ERROR_TIMEOUT, "%s came, and did not say within %.3g s that it can create its rank.",
                           nameOf(**waited).c_str(), static_cast<double>(hasty_ns_) * 1e-9);
    }
    step(deadline_);
  }
  // In the order of the ranks, so that each run tells the same of two failures.
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
  while (!leaving_.empty() && !farewell.passed()) step(farewell);
}

Status Host::checkDevices() const {
  const auto elsewhere = [](const Guest* guest) { return guest != nullptr && guest->card.backend != RT_BACKEND_CUDA; };
  const bool on_cuda = party_.backend == RT_BACKEND_CUDA && std::none_of(seats_.begin(), seats_.end(), elsewhere);
  // Other engines take several ranks on one device.
  if (!party_.own_devices || !on_cuda) return Status();
  std::map<std::array<uint8_t, sizeof(Join::device)>, size_t> ranks;  // by device
  for (size_t rank = 0; rank < seats_.size(); ++rank) {
    const uint8_t(&device)[16] = rank == 0 ? party_.device : seats_[rank]->card.device;
    // A driver without such numbers: two ranks on one device are found by NCCL then.
    if (isNone(device)) continue;
    const auto [other, is_first] = ranks.emplace(std::to_array(device), rank);
    if (is_first) continue;
    const Join& card = seats_[rank]->card;
    return Status::error(RT_ERROR_INVALID_VALUE,
                         "Ranks %zu and %zu have the same device%s%s: each needs one of its own, such as that of LOCAL_RANK.",
                         other->second, rank, *card.host != '\0' ? " on " : "", card.host);
  }
  return Status();
}

Host::Guests& Host::listOf(State state) {
  switch (state) {
    case State::kNew:
      return strangers_;
    case State::kLeaving:
      return leaving_;
    case State::kGone:
      return gone_;
    case State::kSeated:
    case State::kOffered:
    case State::kReported:
      break;
  }
  return seated_;
}

void Host::enter(Guest& guest, State state) {
  if (guest.state == State::kOffered) --offered_;
  Guests& to = listOf(state);
  // At the end: the lists are in the order of `since`, so that sweep() looks at the front alone.
  if (guest.in != &to || state == State::kLeaving) to.splice(to.end(), *guest.in, guest.place);
  guest.in = &to;
  guest.state = state;
  guest.since = nowNanoseconds();
}

void Host::watch(Guest& guest) {
  const bool writing = guest.channel.sending();
  // A call of the system for each change alone, and not for each message.
  if (writing == guest.writing || guest.state == State::kGone) return;
  guest.writing = writing;
  epoll_event event = {static_cast<uint32_t>(writing ? EPOLLIN | EPOLLOUT : EPOLLIN), {&guest}};
  (void)epoll_ctl(poller_.get(), EPOLL_CTL_MOD, guest.channel.socket(), &event);
}

void Host::step(const Deadline& deadline) {
  Deadline until = deadline;
  // The wait ends when the oldest of them has had its time.
  for (const Guests* limited : {&strangers_, &leaving_}) {
    if (limited->empty()) continue;
    const Deadline of_first =
        Deadline::after(static_cast<uint64_t>(std::max<int64_t>(1, limited->front().since + kPatience - nowNanoseconds())));
    if (of_first.remaining() < until.remaining()) until = of_first;
  }
  epoll_event events[kEvents];
  const int64_t left = std::min<int64_t>(until.remaining(), 3'600'000'000'000);  // an hour: then it looks again
  const int ready =
      epoll_wait(poller_.get(), events, static_cast<int>(kEvents), static_cast<int>((left + 999'999) / 1'000'000));
  bool accepts = false;
  for (int i = 0; i < ready; ++i) {  // none where a signal came
    if (events[i].data.ptr == nullptr) accepts = true;
    if (auto* const guest = static_cast<Guest*>(events[i].data.ptr)) serve(*guest);
  }
  // After the messages: ranks that are here go before those that come.
  if (accepts && listening_.valid()) accept();
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
    // Without a number of its own the session could be a recorded one. The rank comes again.
    if (!drawNonce(&nonce).ok()) return;
    Guest& guest = strangers_.emplace_back(std::move(made), nonce);
    guest.in = &strangers_;
    // A guest keeps its node for its whole life, and moves between lists without a copy: epoll has its address.
    guest.place = std::prev(strangers_.end());
    epoll_event event = {EPOLLIN, {&guest}};
    if (epoll_ctl(poller_.get(), EPOLL_CTL_ADD, guest.channel.socket(), &event) != 0) {
      drop(guest);
      return;
    }
    // A fresh nonce for each connection: what was recorded of another session does not fit.
    guest.channel.send(Kind::kHello, nonce);
    watch(guest);
  }
}

void Host::serve(Guest& guest) {
  guest.channel.flush();
  while (guest.state != State::kGone) {
    Kind kind = Kind::kNone;
    switch (guest.channel.receive(&kind)) {
      case Channel::Got::kNothing:
        watch(guest);
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
    // The report is judged when all have come: the first failure by rank is told, and not the first by time.
    guest.report = guest.channel.body<Told>();
    enter(guest, State::kReported);
  } else if (guest.state != State::kLeaving) {
    // A message out of turn. One that is leaving may still send what it had begun.
    drop(guest);
  }
}

void Host::join(Guest& guest) {
  Join& card = guest.card = guest.channel.body<Join>();
  // Checked before anything in the card is believed.
  if (!guest.channel.beginWithLast(sessionOf(party_.launch.token, guest.nonce, card.nonce))) {
    refused_ = "it had another RT_COMM_TOKEN";
    guest.channel.send(Kind::kStranger, Empty());
    return leave(guest);
  }
  // The name goes into messages of this program: no control characters of another machine.
  copyLetters(card.host, sizeof card.host, printable(card.host, sizeof card.host - 1).c_str());
  card.job[sizeof card.job - 1] = '\0';
  if (const Status status = checkCard(card); !status.ok()) {
    refused_ = status.message();
    guest.channel.send(Kind::kRefused, tell(status));
    return leave(guest);
  }
  seats_[static_cast<size_t>(card.rank)] = &guest;
  ++arrived_;
  enter(guest, State::kSeated);
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
  watch(guest);
  enter(guest, State::kLeaving);
}

void Host::drop(Guest& guest) {
  const bool knows_rank = guest.state != State::kNew && guest.card.rank >= 0 && guest.card.rank < size();
  const auto own = knows_rank ? seats_.begin() + guest.card.rank : seats_.end();
  const auto seat = own != seats_.end() && *own == &guest ? own : seats_.end();
  if (seat != seats_.end() && guest.state != State::kLeaving) {
    if (!gathering_ && lost_.ok()) {
      lost_ = Status::error(RT_ERROR_IO, "%s ended, or its connection did, after all ranks had come.", nameOf(guest).c_str());
    }
    // During the gathering the seat is free again: the rank may come with a new connection.
    --arrived_;
  }
  if (seat != seats_.end()) *seat = nullptr;  // free for the next that comes
  enter(guest, State::kGone);
}

void Host::sweep() {
  const int64_t before = nowNanoseconds() - kPatience;
  const size_t most = kMostStrangers + static_cast<size_t>(std::max(0, size() - arrived_));
  // The oldest go: a rank comes again.
  while (!strangers_.empty() && (strangers_.size() > most || strangers_.front().since < before)) drop(strangers_.front());
  while (!leaving_.empty() && leaving_.front().since < before) drop(leaving_.front());
  gone_.clear();
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
