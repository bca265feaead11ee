// A server thread with a list of connections. Each message is a head and bytes; a rank waits for at most one answer at a time.
#include "comm/nccl/simulated_processes.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <utility>

namespace manyrt::comm::nccl {
namespace {

enum class What : uint32_t { kHello, kCollective, kSend, kReceive, kAnswer };

struct Message {
  What what;
  int32_t rank;  // of kHello its own, else the peer
  int32_t size;
  uint32_t head;  // bytes of the head
  uint64_t bytes;
};

bool writeAll(int socket, const void* from, size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes != 0) {
    const ssize_t written = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

bool readAll(int socket, void* to, size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = recv(socket, at, bytes, 0);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool tell(int socket, Message message, const Buffer& head, const Buffer& body) {
  message.head = static_cast<uint32_t>(head.size());
  message.bytes = body.size();
  return writeAll(socket, &message, sizeof message) && writeAll(socket, head.data(), head.size()) &&
         writeAll(socket, body.data(), body.size());
}

bool hear(int socket, Message* message, Buffer* head, Buffer* body) {
  if (!readAll(socket, message, sizeof *message)) return false;
  head->resize(message->head);
  body->resize(message->bytes);
  return readAll(socket, head->data(), head->size()) && readAll(socket, body->data(), body->size());
}

sockaddr_un addressOf(const std::string& name, socklen_t* length) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;  // of the abstract name space: it begins with a zero, and leaves no file
  memcpy(address.sun_path + 1, name.data(), name.size());
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

struct Server {
  int listening;
  Combine combine;
  std::map<int, int> rank_of;                   // by socket; -1: has not said hello
  std::map<int, int> socket_of;                 // by rank
  std::map<int, std::pair<Buffer, Buffer>> in;  // of one collective, by rank
  std::map<std::pair<int, int>, std::deque<Buffer>> sent;
  std::map<std::pair<int, int>, int> waiting;  // sockets of ranks that receive, by sender and receiver
  std::vector<pollfd> polled;                  // in memory, where LeakSanitizer finds it at the exit

  void answer(int socket, const Buffer& body) { (void)tell(socket, {What::kAnswer, 0, 0, 0, 0}, {}, body); }

  void deliver(const std::pair<int, int>& way) {
    const auto receiver = waiting.find(way);
    if (receiver == waiting.end() || sent[way].empty()) return;
    answer(receiver->second, sent[way].front());
    sent[way].pop_front();
    waiting.erase(receiver);
  }

  void collect() {
    if (in.size() != socket_of.size()) return;
    std::vector<Buffer> heads, bodies;
    for (auto& [rank, given] : in) {
      heads.push_back(std::move(given.first));
      bodies.push_back(std::move(given.second));
    }
    in.clear();
    const std::vector<Buffer> results = combine(heads, bodies);
    for (const auto& [rank, socket] : socket_of) answer(socket, results[static_cast<size_t>(rank)]);
  }

  bool take(int socket) {
    Message message;
    Buffer head, body;
    if (!hear(socket, &message, &head, &body)) return false;
    const int rank = rank_of[socket];
    switch (message.what) {
      case What::kHello:
        rank_of[socket] = message.rank;
        socket_of[message.rank] = socket;
        if (static_cast<int>(socket_of.size()) == message.size) {
          for (const auto& [each, of] : socket_of) answer(of, {});
        }
        break;
      case What::kCollective:
        in[rank] = {std::move(head), std::move(body)};
        collect();
        break;
      case What::kSend:
        sent[{rank, message.rank}].push_back(std::move(body));
        deliver({rank, message.rank});
        break;
      case What::kReceive:
        waiting[{message.rank, rank}] = socket;
        deliver({message.rank, rank});
        break;
      case What::kAnswer:
        break;
    }
    return true;
  }

  // The data that a lost rank owes the others never comes.
  void drop(int socket) {
    const auto rank = rank_of.find(socket);
    if (rank != rank_of.end() && socket_of[rank->second] == socket) socket_of[rank->second] = -1;
    if (rank != rank_of.end()) rank_of.erase(rank);
    (void)close(socket);
  }

  void run() {
    for (;;) {
      polled.assign({{listening, POLLIN, 0}});
      for (const auto& [socket, rank] : rank_of) polled.push_back({socket, POLLIN, 0});
      if (poll(polled.data(), polled.size(), -1) < 0) continue;
      for (size_t i = 1; i < polled.size(); ++i) {
        if (polled[i].revents != 0 && !take(polled[i].fd)) drop(polled[i].fd);
      }
      if (polled[0].revents == 0) continue;
      const int made = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (made >= 0) rank_of[made] = -1;
    }
  }
};

int connectTo(const std::string& name) {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = 0;
  const sockaddr_un address = addressOf(name, &length);
  if (made >= 0) (void)connect(made, reinterpret_cast<const sockaddr*>(&address), length);
  return made;
}

}  // namespace

std::string serve(Combine combine) {
  static std::atomic<int> count{0};
  const std::string name = "simulated-nccl-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = 0;
  const sockaddr_un address = addressOf(name, &length);
  if (made < 0 || bind(made, reinterpret_cast<const sockaddr*>(&address), length) != 0 || listen(made, 64) != 0) return "";
  static auto* const servers = new std::deque<Server>;  // never destroyed: their threads go on
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  servers->push_back({made, combine, {}, {}, {}, {}, {}, {}});
  std::thread([server = &servers->back()] { server->run(); }).detach();
  return name;
}

Remote::Remote(const std::string& name, int rank, int size) : socket_(connectTo(name)) {
  std::thread([this, rank, size] {  // a rank is leaked, never destroyed
    Message message = {};
    Buffer head, body;
    if (!tell(socket_, {What::kHello, rank, size, 0, 0}, {}, {}) || !hear(socket_, &message, &head, &body)) return;
    joined_.store(true, std::memory_order_release);
  })
      .detach();
}

bool Remote::collective(const Buffer& head, const Buffer& sent, Buffer* received) {
  Message message = {};
  Buffer none;
  return tell(socket_, {What::kCollective, 0, 0, 0, 0}, head, sent) && hear(socket_, &message, &none, received);
}

bool Remote::send(int peer, const Buffer& sent) { return tell(socket_, {What::kSend, peer, 0, 0, 0}, {}, sent); }

bool Remote::receive(int peer, Buffer* received) {
  Message message = {};
  Buffer none;
  return tell(socket_, {What::kReceive, peer, 0, 0, 0}, {}, {}) && hear(socket_, &message, &none, received);
}

void Remote::abort() { (void)shutdown(socket_, SHUT_RDWR); }

}  // namespace manyrt::comm::nccl
