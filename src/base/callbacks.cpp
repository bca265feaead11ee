// The queue of a thread is in its epoch record. A thread that will not be at rest gives the call to the host threads.
#include "base/callbacks.h"

#include <utility>

#include "base/lock_order.h"

namespace manyrt::callbacks {
namespace {

thread_local int depth = 0;

}  // namespace

Running::Running([[maybe_unused]] const char* what) {
  lock_order::noneHeld(what);
  ++depth;
  if (epoch::Record* record = epoch::internal::record) {
    away_ = std::exchange(record->away, 0);
    resting_ = std::exchange(record->resting, false);
    last_call_ = record->last_call;
    calls_ = std::exchange(record->calls, nullptr);
    record->last_call = &record->calls;
  }
}

Running::~Running() {
  --depth;
  if (epoch::Record* record = epoch::internal::record) {
    record->away = away_;
    record->resting = resting_;
    if (calls_ == nullptr) return;
    // Calls that were queued meanwhile go after the ones that were set aside.
    *last_call_ = record->calls;
    if (record->calls == nullptr) record->last_call = last_call_;
    record->calls = calls_;
    record->slow |= epoch::internal::kPending;
  }
}

bool inside() { return depth > 0; }

void Release::giveBack(Release* release) {
  if (release == nullptr) return;
  if (release->release_ == nullptr) {
    delete release;
  } else {
    later(release);
  }
}

void Release::run() {
  try {
    Running running("release function");
    release_(user_);
  } catch (...) {  // no call is left that could report it
  }
  delete this;
}

}  // namespace manyrt::callbacks
