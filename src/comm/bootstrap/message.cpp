// Bytes to messages and back. Lengths are those of the kinds, so a stranger's number is never used for one.
#include "comm/bootstrap/message.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/os/random.h"
#include "base/text.h"

namespace manyrt::comm::bootstrap {
namespace {

constexpr uint64_t kMark =
    0x6d637472796e616d;  // "manyrtcm": no other protocol begins so, nor a machine of the other byte order

struct Head {
  uint64_t mark;
  uint32_t version;
  Kind kind;
  uint32_t length;  // of the body
  uint32_t zero;
};
static_assert(sizeof(Head) == 24 && sizeof(Join) == 264 && sizeof(Told) == 1024, "as on every machine");

template <class Body>
constexpr uint32_t lengthOf() {
  return std::is_empty_v<Body> ? 0 : static_cast<uint32_t>(sizeof(Body));
}

// Lengths of the bodies, by kind.
constexpr uint32_t kLengths[] = {0,  // kNone
#define X(kind, body) lengthOf<body>(),
                                 RT_COMM_MESSAGES(X)
#undef X
};

bool isKind(Kind kind) { return kind != Kind::kNone && static_cast<uint32_t>(kind) < std::size(kLengths); }

std::string_view textOf(const Digest& code) { return {reinterpret_cast<const char*>(code.data()), code.size()}; }

// In a time that does not tell where two codes differ.
bool sameCode(std::string_view a, std::string_view b) {
  unsigned char difference = 0;
  for (size_t i = 0; i < sizeof(Digest); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

std::string printable(const char* text, size_t size) {
  std::string line(text, strnlen(text, size));
  // Text of another process may end in the middle of a letter, or have characters that a terminal obeys.
  line.resize(wholeLetters(line.data(), line.size()));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return line;
}

Told tell(const Status& status) {
  Told told = {status.code(), {}};
  copyLetters(told.text, sizeof told.text, *status.message() != '\0' ? status.message() : errorString(status.code()));
  return told;
}

Status readTold(const Told& told) {
  if (told.code == RT_SUCCESS) return Status();
  // A newer release may have codes that this one has no name for.
  const bool known = told.code < 0 && told.code >= RT_ERROR_INTERNAL;
  return Status::error(known ? told.code : static_cast<rtStatus_t>(RT_ERROR_IO), "%s",
                       printable(told.text, sizeof told.text).c_str());
}

Status drawNonce(Nonce* nonce) {
  if (randomBytes(nonce->bytes, sizeof nonce->bytes)) return Status();
  return Status::error(RT_ERROR_IO, "The system has no random bytes for a rendezvous: %s.", strerror(errno));
}

Digest sessionOf(const std::string& token, const Nonce& of_host, const Nonce& of_guest) {
  Blake2b key;
  key.addPart("manyrt-comm token");
  key.addPart(token);
  // Both random numbers are in it: neither end alone can bring back an earlier session.
  Blake2b session(key.finish());
  session.addPart("manyrt-comm session");
  session.add(&of_host, sizeof of_host);
  session.add(&of_guest, sizeof of_guest);
  return session.finish();
}

void Channel::begin(const Digest& session) {
  session_ = session;
  in_session_ = true;
}

bool Channel::beginWithLast(const Digest& session) {
  begin(session);
  const std::string_view last = last_;
  const size_t length = last.size() - sizeof(Digest);
  in_session_ = sameCode(textOf(codeOf(last.substr(0, length), End::kGuest, 0)), last.substr(length));
  // The message that was checked here was number 0.
  received_ = 1;
  return in_session_;
}

Digest Channel::codeOf(std::string_view text, End from, uint64_t number) const {
  Blake2b code(session_);
  code.addPart(from == End::kHost ? "of rank 0" : "to rank 0");
  // With side and number, a message that is sent back or again does not fit.
  code.add(&number, sizeof number);
  code.add(text.data(), text.size());
  return code.finish();
}

void Channel::queue(Kind kind, std::string_view body) {
  const Head head = {kMark, kVersion, kind, static_cast<uint32_t>(body.size()), 0};
  std::string message(reinterpret_cast<const char*>(&head), sizeof head);
  message += body;
  // Before the session the code is zeros: the length of a message never depends on the state.
  const Digest code = in_session_ ? codeOf(message, end_, sent_++) : Digest{};
  message += textOf(code);
  out_ += message;
  flush();
}

void Channel::flush() {
  while (!out_.empty() && !broken_) {
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      out_.erase(0, static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      broken_ = true;  // receive() tells, after what had come before
      out_.clear();
    }
  }
  // Only this direction: the other end reads the last message, and then closes.
  if (finishing_ && out_.empty()) (void)shutdown(socket_.get(), SHUT_WR);
}

void Channel::finish() {
  finishing_ = true;
  flush();
}

Channel::Got Channel::fill(size_t wanted) {
  while (in_.size() < wanted) {
    char buffer[2048];
    // Never more than the message at hand, so that nothing of the next one is lost with it.
    const ssize_t got = recv(socket_.get(), buffer, std::min(sizeof buffer, wanted - in_.size()), MSG_DONTWAIT);
    if (got > 0) {
      in_.append(buffer, static_cast<size_t>(got));
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return broken_ ? Got::kClosed : Got::kNothing;
    } else if (got == 0 || errno != EINTR) {
      return Got::kClosed;
    }
  }
  return Got::kMessage;
}

Channel::Got Channel::receive(Kind* kind) {
  Head head;
  if (const Got got = fill(sizeof head); got != Got::kMessage) return got;
  memcpy(&head, in_.data(), sizeof head);
  // The mark before the version: only then is the version a number of ours.
  if (head.mark != kMark) return Got::kStrange;
  if (head.version != kVersion) return Got::kOtherVersion;
  // The length has to be that of the kind: a stranger's number is never waited for or allocated.
  if (!isKind(head.kind) || head.length != kLengths[static_cast<uint32_t>(head.kind)] || head.zero != 0) return Got::kStrange;
  const uint32_t length = head.length;
  const size_t text = sizeof head + length;
  if (const Got got = fill(text + sizeof(Digest)); got != Got::kMessage) return got;
  // Kept whole for beginWithLast(): the first message is checked after it has told its own number.
  last_ = std::move(in_);
  in_.clear();
  body_ = last_.substr(sizeof head, length);
  *kind = head.kind;
  if (!in_session_ || head.kind == Kind::kStranger) return Got::kMessage;
  const std::string_view last = last_;
  const End from = end_ == End::kHost ? End::kGuest : End::kHost;
  return sameCode(textOf(codeOf(last.substr(0, text), from, received_++)), last.substr(text)) ? Got::kMessage : Got::kStrange;
}

}  // namespace manyrt::comm::bootstrap
