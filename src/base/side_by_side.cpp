// The helpers are jobs of the host threads. Each owns a part of the state: the last one may still wake the caller after the
// caller has seen that it is done.
#include "base/side_by_side.h"

#include <atomic>
#include <memory>
#include <new>

#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt {
namespace {

struct State {
  const std::function<void()>* work = nullptr;
  std::atomic<uint32_t> helpers{0};  // that have not returned
};

class Helper final : public host_threads::Job {
 public:
  explicit Helper(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void run() override {
    (*state_->work)();
    const std::shared_ptr<State> state = std::move(state_);
    delete this;
    // Release: the caller reads what the work has written.
    if (state->helpers.fetch_sub(1, std::memory_order_release) == 1) futexWake(&state->helpers, 1);
  }

 private:
  std::shared_ptr<State> state_;
};

// False: there is no thread or no memory for another helper.
bool addHelper(const std::shared_ptr<State>& state) {
  try {
    auto helper = std::make_unique<Helper>(state);
    host_threads::Job* const job = helper.get();
    // Relaxed: the lock of the host threads orders it before the helper's own count.
    state->helpers.fetch_add(1, std::memory_order_relaxed);
    if (host_threads::trySubmit(&job, 1) == 1) {
      (void)helper.release();  // it deletes itself
      return true;
    }
    state->helpers.fetch_sub(1, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {  // the caller works all the same
  }
  return false;
}

}  // namespace

void sideBySide(uint32_t most, const std::function<void()>& work) {
  std::shared_ptr<State> state;
  try {
    if (most > 1) state = std::make_shared<State>();
  } catch (const std::bad_alloc&) {  // the caller works all the same
  }
  if (state != nullptr) state->work = &work;
  for (uint32_t i = 1; state != nullptr && i < most && addHelper(state); ++i) {
  }
  work();
  if (state == nullptr) return;
  lock_order::mayWait("a wait for threads that work side by side");
  // Acquire pairs with the release of each helper.
  while (const uint32_t left = state->helpers.load(std::memory_order_acquire)) {
    futexWait(&state->helpers, left, Deadline::never());
  }
}

}  // namespace manyrt
