// One rank at the hub of its communicator: a thread that tells the hub that the process lives, and hears of the others from it.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/status.h"
#include "comm/bootstrap/hub.h"
#include "comm/bootstrap/message.h"

namespace manyrt::comm::bootstrap {

// A rank's answers to news and questions, on the thread of the presence. None of these waits, nor do they destroy the presence.
struct Hearing {
  std::function<uint64_t()> progress;           // how many collectives it has come to
  std::function<void(int32_t)> ended;           // the process of a rank; that of rank 0 with the hub
  std::function<void(int32_t)> left;            // a rank that its program has destroyed
  std::function<void(Status, int32_t)> failed;  // the communicator, as another rank tells it
  std::function<void(Late)> late;               // the answer to ask()
};

class Presence {
 public:
  // Comes to the hub: blocks for at most kAttendTime.
  static Status begin(std::unique_ptr<Presence>* presence, const HubPlace& place, int32_t rank, int32_t size, Hearing hearing);
  struct Connection;  // with its thread, which ends after the presence
  explicit Presence(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~Presence();  // the rank leaves, and no function of Hearing is called any more
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  // From any thread. They send at once, as the process may end next; none waits.
  void ask(uint64_t collectives);
  void tell(const Status& failure, int32_t rank);
  void leave();  // the rank submits nothing more, and the end of its process is no failure

 private:
  const std::shared_ptr<Connection> connection_;
};

}  // namespace manyrt::comm::bootstrap
