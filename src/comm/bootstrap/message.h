// The messages between rank 0 and another rank, and the connection that carries them. A message is a head, a body of the size
// that its kind has, and a code over both. Once both ends know a session the code is keyed by it. So the other end has the
// job's token, and no message is altered, repeated or left out. Bodies are not secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/blake2b.h"
#include "base/os/descriptor.h"
#include "base/status.h"
#include "rt_comm.h"

namespace manyrt::comm::bootstrap {

inline constexpr uint32_t kVersion = 2;  // of all that is in this file; raised with any change

struct Nonce {
  uint8_t bytes[32];
};

// kind, body
#define RT_COMM_MESSAGES(X)                                                                       \
  X(kHello, Nonce)            /* of rank 0, which begins */                                       \
  X(kJoin, Join)              /* of a rank that comes */                                          \
  X(kStranger, Empty)         /* of rank 0: the rank has another token; no session */             \
  X(kSeated, Empty)           /* of rank 0: the rank is counted */                                \
  X(kOffer, rtCommUniqueId_t) /* of rank 0: all ranks have come */                                \
  X(kReport, Told)            /* of a rank: whether it can create with this id */                 \
  X(kGo, Empty)               /* of rank 0: all ranks can */                                      \
  X(kRefused, Told)           /* of rank 0: why not, for one rank or all */                       \
  X(kAttend, Attend)          /* of a rank that comes to the hub of a communicator */             \
  X(kBeat, Empty)             /* both ways: the process lives */                                  \
  X(kAsk, Progress)           /* of a rank: which one is late; of the hub: how far the rank is */ \
  X(kProgress, Progress)      /* of a rank: that */                                               \
  X(kLate, Late)              /* of the hub: the answer to the rank that asked */                 \
  X(kFailure, Failure)        /* both ways: the communicator has failed */                        \
  X(kLeft, RankOf)            /* both ways: a rank was destroyed */                               \
  X(kEnded, RankOf)           /* of the hub: the process of a rank ended */

enum class Kind : uint32_t {
  kNone,
#define X(kind, body) kind,
  RT_COMM_MESSAGES(X)
#undef X
};

struct Empty {};

struct Join {
  Nonce nonce;
  uint32_t version;  // of the library
  int32_t rank;
  int32_t size;
  int32_t backend;
  uint64_t time_ns;    // that the rank still waits; UINT64_MAX: for ever
  uint8_t device[16];  // zeros: the device has no number of its own in the world
  char host[64];
  char job[128];
};

struct Told {
  int32_t code;  // RT_SUCCESS: no text
  char text[1020];
};

struct Attend {
  Nonce nonce;
  int32_t rank;
  int32_t size;
};

struct Progress {
  uint64_t question;     // its number, as the hub counts them
  uint64_t collectives;  // that the rank has come to
};

struct Late {
  int32_t rank;  // -1: all ranks have come as far as the one that asks
  int32_t why;   // a Why
};
enum class Why : int32_t { kNone, kLate, kSilent, kLeft };

struct Failure {
  Told told;
  int32_t rank;  // that it is about; -1: none
};

struct RankOf {
  int32_t rank;
};

// The time that bytes from elsewhere may take in a sentence: one line, terminated.
std::string printable(const char* text, size_t size);
Told tell(const Status& status);
Status readTold(const Told& told);

Status drawNonce(Nonce* nonce);
// A secret that both ends know if they have the token, and no other does.
Digest sessionOf(const std::string& token, const Nonce& of_host, const Nonce& of_guest);

// One connection. It does not block: what cannot be sent waits in it, and receive() tells what has come.
class Channel {
 public:
  enum class End { kHost, kGuest };  // which one this is
  enum class Got { kNothing, kMessage, kOtherVersion, kStrange, kClosed };

  Channel(Descriptor socket, End end) : socket_(std::move(socket)), end_(end) {}
  int socket() const { return socket_.get(); }

  template <class Body>
  void send(Kind kind, const Body& body) {
    static_assert(std::is_trivially_copyable_v<Body>);
    queue(kind,
          std::is_empty_v<Body> ? std::string_view() : std::string_view(reinterpret_cast<const char*>(&body), sizeof body));
  }
  void flush();  // sends what the system takes
  bool sending() const { return !out_.empty(); }
  void finish();  // nothing is sent after what waits; the other end sees the end

  // The next message. Before the session it is from any program; after it one that is not of this session is kStrange.
  Got receive(Kind* kind);
  template <class Body>
  Body body() const {  // of the last message, whose kind has this one
    Body body;
    if constexpr (!std::is_empty_v<Body>) memcpy(&body, body_.data(), sizeof body);
    return body;
  }
  void begin(const Digest& session);
  // begin(), where the last message was the first of the session. False: it is none of it.
  bool beginWithLast(const Digest& session);

 private:
  void queue(Kind kind, std::string_view body);
  Digest codeOf(std::string_view text, End from, uint64_t number) const;
  Got fill(size_t wanted);  // reads until so many bytes are here

  Descriptor socket_;
  const End end_;
  bool broken_ = false;
  bool finishing_ = false;
  bool in_session_ = false;
  Digest session_ = {};
  uint64_t sent_ = 0;  // messages of the session
  uint64_t received_ = 0;
  std::string out_;
  std::string in_;
  std::string last_;  // the last message, with its code
  std::string body_;
};

}  // namespace manyrt::comm::bootstrap
