// Adding times up, the choice of what is timed, and the tallies of threads.
#include "base/trace/tally.h"

#include <algorithm>
#include <new>

namespace manyrt::trace {
namespace {

// By the one thread that writes: no atomic addition is needed. Relaxed, since the end of the profile takes what it finds.
template <class Value>
void increase(std::atomic<Value>& sum, Value by) {
  sum.store(sum.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

// A time that ended a row of skipped ones is a sample of them. The gap to the next sample is random, so that no period of the
// program's meets it each time. It is kInterval / 2 to 3 * kInterval / 2 - 1.
void Tally::add(int64_t nanoseconds, int64_t waited) {
  const bool is_sample = in_row_ == kRow;
  increase(timed_, uint64_t{1});
  increase(total_, nanoseconds);
  increase(waited_, waited);
  least_.store(std::min(least_.load(std::memory_order_relaxed), nanoseconds), std::memory_order_relaxed);
  most_.store(std::max(most_.load(std::memory_order_relaxed), nanoseconds), std::memory_order_relaxed);
  if (nanoseconds >= kShort) {
    in_row_ = 0;
  } else {
    in_row_ = std::min(in_row_ + 1, kRow);
    latest_.store(nanoseconds, std::memory_order_relaxed);
    if (is_sample) {
      increase(sample_total_, nanoseconds);
      increase(samples_, uint64_t{1});
    }
  }
  limit_ = skipped_.load(std::memory_order_relaxed);
  if (in_row_ < kRow) return;
  limit_ += gap();
}

uint64_t Tally::gap() {
  random_ = random_ * 1664525u + 1013904223u;  // the upper bits of a linear congruential generator are good enough
  return kInterval / 2 + (random_ >> 16) % kInterval;
}

bool Tally::skipsLate(bool* is_sample) {
  if (skips()) return true;
  *is_sample = in_row_ == kRow;
  in_row_ = std::min(in_row_ + 1, kRow);
  if (in_row_ < kRow) return false;
  limit_ = skipped_.load(std::memory_order_relaxed) + gap();
  return false;
}

void Tally::promote(int64_t nanoseconds, int64_t waited) {
  skipped_.store(skipped_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  add(nanoseconds, waited);
}

// Those that are not timed count as the mean of the samples, which are all short. Before the first sample the latest short time
// stands for them. Where all are timed, the times are those of the trace.
Tally::Sum Tally::sum(int64_t look) const {
  Sum sum;
  const uint64_t skipped = skipped_.load(std::memory_order_relaxed), samples = samples_.load(std::memory_order_relaxed);
  sum.timed = timed_.load(std::memory_order_relaxed);
  sum.count = sum.timed + skipped;
  sum.total = total_.load(std::memory_order_relaxed);
  sum.waited = waited_.load(std::memory_order_relaxed);
  sum.most = most_.load(std::memory_order_relaxed);
  sum.least = std::min(least_.load(std::memory_order_relaxed), sum.most);
  if (skipped == 0) return sum;
  const auto without = [look](int64_t time, uint64_t looks) {
    return std::max<int64_t>(time - look * static_cast<int64_t>(looks), 0);
  };
  const int64_t of_samples = samples != 0 ? without(sample_total_.load(std::memory_order_relaxed), samples)
                                          : without(latest_.load(std::memory_order_relaxed), 1);
  const auto mean = static_cast<double>(of_samples) / static_cast<double>(std::max<uint64_t>(samples, 1));
  sum.total = without(sum.total, sum.timed) + static_cast<int64_t>(mean * static_cast<double>(skipped));
  sum.least = without(sum.least, 1);
  sum.most = without(sum.most, 1);
  return sum;
}

constinit thread_local Tallies* Tallies::own_ __attribute__((tls_model("initial-exec"))) = nullptr;
constinit std::atomic<Tallies*> Tallies::all_{nullptr};

struct Tallies::Release {
  ~Release() {
    // Release: pairs with acquire(), whose thread then goes on from the plain fields.
    if (own_ != nullptr) own_->used_.store(false, std::memory_order_release);
    own_ = nullptr;
  }
};

// A thread that calls rt after its thread-local objects are destroyed takes tallies that no other thread gets after it.
Tallies* Tallies::acquire() {
  thread_local Release release_at_exit;
  (void)&release_at_exit;
  for (Tallies* each = all_.load(std::memory_order_acquire); each != nullptr; each = each->next_) {
    bool used = false;
    if (each->used_.compare_exchange_strong(used, true, std::memory_order_acq_rel)) return own_ = each;
  }
  auto* const fresh = new (std::nothrow) Tallies;
  if (fresh == nullptr) return nullptr;
  fresh->next_ = all_.load(std::memory_order_relaxed);
  while (!all_.compare_exchange_weak(fresh->next_, fresh, std::memory_order_acq_rel)) {
  }
  return own_ = fresh;
}

// Acquire and release as in make().
Tally& Tallies::of(HotCall call, const char* function) {
  Tally& tally = of(call);
  if (tally.function_.load(std::memory_order_relaxed) == nullptr) tally.function_.store(function, std::memory_order_release);
  return tally;
}

Tally* Tallies::make(std::atomic<Tally*>& bucket, const char* function, const Row* row) {
  auto* const fresh = new (std::nothrow) Tally(function, row);
  if (fresh == nullptr) return nullptr;
  fresh->next_ = bucket.load(std::memory_order_relaxed);
  bucket.store(fresh, std::memory_order_release);
  return fresh;
}

bool LaunchCounter::take(const void* kernel, const Row* row) {
  tally_ = row != nullptr ? Tallies::find(row) : nullptr;
  if (tally_ == nullptr) return false;
  taken_ = std::min(tally_->skippable(), kBatch);
  if (taken_ == 0) return false;
  left_ = taken_ - 1;
  kernel_ = kernel;
  return true;
}

void LaunchCounter::flush() {
  tally_->skip(taken_ - left_);
  kernel_ = nullptr;
}

}  // namespace manyrt::trace
