// Streams: each a queue of commands and a thread that carries them out in order. Delays come in between, so that nothing is
// done by the time it was asked for.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device.h"
#include "event.h"
#include "objects.h"
#include "settings.h"

namespace manyrt::simulated {

struct Allocation;
struct Capture;
class Runner;

// Memory that a command will touch, from submission to completion.
class Use {
 public:
  Use(std::shared_ptr<Allocation> memory, bool writes);
  Use(Use&& other) noexcept = default;
  ~Use();
  bool alive() const;  // reports memory that was freed meanwhile, and says whether it can still be touched
 private:
  std::shared_ptr<Allocation> memory_;
};

struct Command {
  std::shared_ptr<Record> awaits;     // first this,
  std::function<void(Runner&)> work;  // then this, unless the context is broken,
  std::vector<Use> uses;              // whose memory all has to be there,
  std::shared_ptr<Record> record;     // and in the end this is passed
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(Context& its_context, unsigned its_flags, int its_priority);
  ~Stream();

  void submit(Command command);  // with the null stream's rules
  void wait();                   // for all that was submitted before
  bool idle();
  void close();  // it ends when its work is done

  Context& context;
  const unsigned flags;
  const int priority;
  std::shared_ptr<Capture> capture;  // what is given to the stream becomes nodes of a graph; null: it runs

 private:
  void push(Command command);
  void run();
  void carryOut(Command& command, Runner& runner);
  void delay();
  bool blocking() const { return (flags & kStreamNonBlocking) == 0; }
  std::shared_ptr<Record> mark();  // passed when all of now is done; null if that is so already

  std::mutex mutex_;
  std::condition_variable arrived_, completed_;
  std::deque<Command> queue_;
  uint64_t submitted_count_ = 0, completed_count_ = 0;
  bool started_ = false, closed_ = false;
  Random random_;  // of its thread
  // Both of its thread, too. LeakSanitizer does not look at the stack of a thread that runs a fiber, which would have them
  // else.
  std::unique_ptr<Runner> runner_;
  Command running_;
};

Table<Stream, NativeStream>& streams();

// The stream of a handle; null is the null stream of the current context. Its context is active and unbroken.
Error streamForDriver(NativeStream handle, std::shared_ptr<Stream>* stream);
Error streamForRuntime(NativeStream handle, std::shared_ptr<Stream>* stream);

void waitForContext(Context& context);  // all streams, destroyed ones included

}  // namespace manyrt::simulated
