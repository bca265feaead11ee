// The thread of a hub. It owns all that it works with, and no other thread touches that. All news comes by its sockets, from
// the ranks of its own process as from all others.
#include "comm/bootstrap/hub.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "comm/bootstrap/message.h"
#include "comm/bootstrap/wait.h"
#include "comm/guard.h"

namespace manyrt::comm::bootstrap {
namespace {

// A Unix socket of the abstract name space: it is in the network's name space of the process, and leaves no file.
sockaddr_un unixAddress(const HubPlace& place, socklen_t* length) {
  Blake2b name;
  name.addPart("manyrt-comm hub");
  name.addPart(place.secret);
  // A digest: the name is visible to all users of the host, and the secret is not.
  const std::string text = "manyrt-comm-" + hexadecimal(name.finish());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path + 1, text.data(), std::min(text.size(), sizeof address.sun_path - 1));
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

Status systemError(const char* what) { return Status::error(RT_ERROR_IO, "%s: %s.", what, strerror(errno)); }

Status listenHere(Descriptor* socket, const HubPlace& place) {
  socklen_t length = 0;
  const sockaddr_un address = unixAddress(place, &length);
  *socket = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket->valid() || bind(socket->get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(socket->get(), SOMAXCONN) != 0) {
    return systemError("The processes of a communicator cannot meet beside NCCL");
  }
  return Status();
}

class Hub {
 public:
  Hub(Descriptor listening, std::string secret, int32_t size)
      : listening_(std::move(listening)), secret_(std::move(secret)), seats_(static_cast<size_t>(size)) {}

  void run() {
    while (!over()) {
      step();
      look();
    }
  }

 private:
  struct Guest {
    Guest(Descriptor socket, const Nonce& drawn) : channel(std::move(socket), Channel::End::kHost), nonce(drawn) {}
    Channel channel;
    const Nonce nonce;
    int32_t rank = -1;  // has not shown that it is one
    bool gone = false;
    int64_t heard = nowNanoseconds();
  };
  struct Seat {
    Guest* guest = nullptr;
    bool came = false;
    bool left = false;
    uint64_t question = 0;  // the last one that it has answered
    uint64_t collectives = 0;
  };
  struct Question {
    int32_t by;
    uint64_t number;
    uint64_t collectives;
    int64_t asked;
  };

  bool over() const {
    if (!guests_.empty()) return false;
    // Once all have come and gone, none comes again. Before that the hub waits for late ones, but not for ever.
    const bool all_came = std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.came; });
    return all_came || nowNanoseconds() - began_ > kIdleTime;
  }

  template <class Body>
  void tellAll(Kind kind, const Body& body, int32_t but = -1) {
    for (size_t rank = 0; rank < seats_.size(); ++rank) {
      if (seats_[rank].guest != nullptr && static_cast<int32_t>(rank) != but) seats_[rank].guest->channel.send(kind, body);
    }
  }

  void step() {
    std::vector<pollfd> sockets;
    std::vector<Guest*> served;
    for (Guest& guest : guests_) {
      sockets.push_back({guest.channel.socket(), static_cast<short>(guest.channel.sending() ? POLLIN | POLLOUT : POLLIN), 0});
      // Addresses in a list stay. Guests are removed in look() alone, so that all of these are there.
      served.push_back(&guest);
    }
    // Last, so that the places of the guests are those of `served`.
    sockets.push_back({listening_.get(), POLLIN, 0});
    // Short while a question is open, since its answer may be that a rank says nothing.
    const int64_t longest = questions_.empty() ? kBeatTime / 2 : kAnswerTime / 20;
    waitForSockets(sockets.data(), sockets.size(), Deadline::after(static_cast<uint64_t>(longest)));
    for (size_t i = 0; i < served.size(); ++i) {
      if (sockets[i].revents != 0) serve(*served[i]);
    }
    if (sockets.back().revents != 0) accept();
  }

  void accept() {
    Descriptor made(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    Nonce nonce;
    // More connections than ranks could ever need: strangers must not use up the descriptors of the process.
    if (!made.valid() || guests_.size() > 4 * seats_.size() + 16 || !drawNonce(&nonce).ok()) return;
    const int on = 1;  // of TCP: a short message does not wait for the answer to the one before
    (void)setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    guests_.emplace_back(std::move(made), nonce).channel.send(Kind::kHello, nonce);
  }

  void serve(Guest& guest) {
    guest.channel.flush();
    while (!guest.gone) {
      Kind kind = Kind::kNone;
      const Channel::Got got = guest.channel.receive(&kind);
      if (got == Channel::Got::kNothing) return;
      // A message that is no message, or comes out of turn, ends the connection: its sender is none of ours, or broken.
      if (got != Channel::Got::kMessage || !handle(guest, kind)) return drop(guest);
      guest.heard = nowNanoseconds();
    }
  }

  // False: the message does not come at this point.
  bool handle(Guest& guest, Kind kind) {
    // A stranger has one thing to say. All else ends its connection.
    if (guest.rank < 0) return kind == Kind::kAttend && attend(guest);
    Seat& seat = seats_[static_cast<size_t>(guest.rank)];
    switch (kind) {
      case Kind::kBeat:
        return true;
      case Kind::kAsk:
        ask(guest);
        return true;
      case Kind::kProgress: {
        const auto progress = guest.channel.body<Progress>();
        seat.question = progress.question;
        seat.collectives = progress.collectives;
        return true;
      }
      case Kind::kFailure:
        // Passed on as it is: the rank that failed has chosen the words.
        tellAll(Kind::kFailure, guest.channel.body<Failure>(), guest.rank);
        return true;
      case Kind::kLeft:
        seat.left = true;
        tellAll(Kind::kLeft, RankOf{guest.rank}, guest.rank);
        return true;
      default:
        return false;
    }
  }

  bool attend(Guest& guest) {
    const auto card = guest.channel.body<Attend>();
    // First: until it has shown the secret, nothing that it says is used.
    if (!guest.channel.beginWithLast(sessionOf(secret_, guest.nonce, card.nonce))) return false;
    if (card.size != static_cast<int32_t>(seats_.size()) || card.rank < 0 || card.rank >= card.size) return false;
    Seat& seat = seats_[static_cast<size_t>(card.rank)];
    // A rank comes once. A second one with its number is not believed.
    if (seat.came) return false;
    seat.came = true;
    seat.guest = &guest;
    guest.rank = card.rank;
    guest.channel.send(Kind::kSeated, Empty());
    for (size_t rank = 0; rank < seats_.size(); ++rank) {  // what it has missed
      const Seat& other = seats_[rank];
      if (!other.came || other.guest != nullptr) continue;
      guest.channel.send(other.left ? Kind::kLeft : Kind::kEnded, RankOf{static_cast<int32_t>(rank)});
    }
    return true;
  }

  void drop(Guest& guest) {
    guest.gone = true;
    if (guest.rank < 0) return;
    Seat& seat = seats_[static_cast<size_t>(guest.rank)];
    // First: the news below goes to all seats that have a guest.
    seat.guest = nullptr;
    // Without a goodbye: the process has ended, or the network between.
    if (!seat.left) tellAll(Kind::kEnded, RankOf{guest.rank});
  }

  void ask(Guest& guest) {
    const auto given = guest.channel.body<Progress>();
    // Numbers tell the answers of two questions apart: an old answer says nothing of now.
    questions_.push_back({guest.rank, ++number_, given.collectives, nowNanoseconds()});
    tellAll(Kind::kAsk, Progress{number_, 0});
  }

  // The rank that has come to the fewest collectives, or one that does not say.
  bool answered(const Question& question) {
    // A process that is stopped answers nothing, and its connection stays.
    const bool patient = nowNanoseconds() - question.asked < kAnswerTime;
    Late late = {-1, static_cast<int32_t>(Why::kNone)};
    uint64_t fewest = question.collectives;
    for (size_t rank = 0; rank < seats_.size(); ++rank) {
      const Seat& seat = seats_[rank];
      const bool silent = !seat.left && (seat.guest == nullptr || seat.question < question.number);
      // Others may answer yet. A rank without a connection never will.
      if (silent && patient && seat.guest != nullptr) return false;
      if (!silent && seat.collectives >= fewest) continue;
      if (late.why == static_cast<int32_t>(Why::kSilent)) continue;
      late = {static_cast<int32_t>(rank), static_cast<int32_t>(silent ? Why::kSilent : seat.left ? Why::kLeft : Why::kLate)};
      fewest = silent ? fewest : seat.collectives;
    }
    if (Guest* const by = seats_[static_cast<size_t>(question.by)].guest; by != nullptr) {
      by->channel.send(Kind::kLate, late);
    }
    return true;
  }

  void look() {
    const int64_t now = nowNanoseconds();
    for (Guest& guest : guests_) {
      // A host that has lost power closes no connection: only its silence tells.
      if (!guest.gone && now - guest.heard > (guest.rank < 0 ? kAttendTime : kSilence)) drop(guest);
    }
    if (now - beat_ > kBeatTime) {
      beat_ = now;
      tellAll(Kind::kBeat, Empty());
    }
    questions_.remove_if([this](const Question& question) { return answered(question); });
    guests_.remove_if([](const Guest& guest) { return guest.gone; });
  }

  const Descriptor listening_;
  const std::string secret_;
  std::vector<Seat> seats_;
  std::list<Guest> guests_;
  std::list<Question> questions_;
  uint64_t number_ = 0;
  int64_t beat_ = 0;
  const int64_t began_ = nowNanoseconds();
};

}  // namespace

HubPlace placeOfPart(const HubPlace& parent, uint64_t number, int32_t color) {
  HubPlace part;
  // All ranks of a part are on one host, so that its hub is there or its process has ended.
  part.certain = true;
  part.secret = parent.secret;
  part.secret.append(reinterpret_cast<const char*>(&number), sizeof number);
  part.secret.append(reinterpret_cast<const char*>(&color), sizeof color);
  return part;
}

Status listenForHub(Descriptor* socket, Address* bound, const Launch& launch) {
  Launch anywhere = launch;
  // The system's choice: the launcher's own port is the rendezvous's.
  anywhere.port = 0;
  std::vector<Address> addresses;
  RT_TRY(resolve(&addresses, anywhere));
  RT_TRY(listenAt(socket, bound, addresses, anywhere));
  bound->length = sizeof bound->storage;
  if (getsockname(socket->get(), reinterpret_cast<sockaddr*>(&bound->storage), &bound->length) != 0) {
    return systemError("The port of a socket is not known");
  }
  return Status();
}

Status beginHub(Descriptor listening, const HubPlace& place, int32_t size) {
  // Before the thread: a rank that connects after this call finds it, though nothing is accepted yet.
  if (!listening.valid()) RT_TRY(listenHere(&listening, place));
  auto hub = std::make_unique<Hub>(std::move(listening), place.secret, size);
  // Detached: it ends with its ranks, and no thread of the program waits for it.
  std::thread([hub = std::move(hub)] {
    (void)withoutThrowing([&] { return hub->run(), Status(); });  // without memory it ends, and no rank is named
  }).detach();
  return Status();
}

Status connectToHub(Descriptor* socket, const HubPlace& place) {
  if (place.address) return beginConnect(socket, *place.address);
  socklen_t length = 0;
  const sockaddr_un address = unixAddress(place, &length);
  *socket = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket->valid() || connect(socket->get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    return systemError("The hub of the communicator is not there");
  }
  return Status();
}

}  // namespace manyrt::comm::bootstrap
