// How ranks of several processes meet in simulated NCCL: the process that made the id serves them on a socket of this machine.
// It knows no operation: what the ranks' bytes become is the caller's function.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace manyrt::comm::nccl {

using Buffer = std::vector<char>;

// The result of each rank, of one collective. `head` is what all of them say of it; they may differ.
using Combine = std::vector<Buffer> (*)(const std::vector<Buffer>& heads, const std::vector<Buffer>& sent);

// Starts a server, which lives until the process ends. Returns the name of its socket; empty: there is none.
std::string serve(Combine combine);

// One rank. Functions other than abort() are called by one thread at a time; false: aborted, or the server is gone.
class Remote {
 public:
  Remote(const std::string& name, int rank, int size);  // joins on a thread of its own
  bool joined() const { return joined_.load(std::memory_order_acquire); }
  bool collective(const Buffer& head, const Buffer& sent, Buffer* received);
  bool send(int peer, const Buffer& sent);
  bool receive(int peer, Buffer* received);
  void abort();

 private:
  const int socket_;
  std::atomic<bool> joined_{false};
};

}  // namespace manyrt::comm::nccl
