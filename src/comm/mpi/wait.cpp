// Waiting for MPI, and messages between the ranks meanwhile. They tell that one has failed, and, once the time of a wait has
// passed, which ranks are there. A rank answers while it waits, and only then. So one that does not answer is missing.
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/text.h"
#include "comm/mpi/neighbours.h"
#include "comm/mpi/rank.h"
#include "comm/sentences.h"

namespace manyrt::comm::mpi {
namespace {

constexpr int kSpins = 2000;              // questions before a thread gives its core away
constexpr int64_t kYielding = 1'000'000;  // nanoseconds of giving the core away, before it sleeps
constexpr long kSleep = 50'000;           // nanoseconds
constexpr uint64_t kLeastGrace = 100'000'000, kMostGrace = 1'000'000'000;  // nanoseconds in which a rank has to answer

// Between two questions: at first none, then after others have run, at last after a sleep.
class Patience {
 public:
  void pause() {
    // A short message is there within microseconds, which a sleep would make tens of.
    if (++questions_ < kSpins) return;
    if (since_ == 0) since_ = nowNanoseconds();
    if (nowNanoseconds() - since_ < kYielding) {
      (void)sched_yield();
      return;
    }
    const timespec sleep = {0, kSleep};
    (void)nanosleep(&sleep, nullptr);
  }
  bool listens() const { return questions_ % 64 == 63 || questions_ >= kSpins; }

 private:
  int questions_ = 0;
  int64_t since_ = 0;
};

}  // namespace

// `bytes` may be null.
Status Rank::wait(PluginRequest* request, const Operation& operation, uint64_t* bytes) {
  if (manner_.calls == Calls::kCollectives) {
    uint64_t got = 0;
    const char* const why = plugin_.wait(bytes != nullptr ? bytes : &got, request);
    return why == nullptr ? Status() : failedPlugin(why);
  }
  const Deadline deadline = Deadline::after(settings().timeout_ns);
  Patience patience;
  for (;;) {
    int32_t done = 0;
    uint64_t got = bytes != nullptr ? *bytes : 0;
    if (const char* why = plugin_.test(&done, &got, request)) return failedPlugin(why);
    // The request is gone by now: the plug-in has ended it.
    if (done != 0) {
      if (bytes != nullptr) *bytes = got;
      return Status();
    }
    if (patience.listens()) RT_TRY(listen());
    if (deadline.passed() || (asked_ && isCollective(operation.kind))) return expire(operation);
    patience.pause();
  }
}

// Takes what other ranks have sent. Returns the failure of the communicator.
Status Rank::listen() {
  for (;;) {
    Report report;
    int32_t from = -1, tag = 0;
    if (const char* why = plugin_.take(&from, &tag, &report, sizeof report, comm_)) return failedPlugin(why);
    if (from < 0) return monitor().failure();
    // An answer is sent and not waited for, so that two ranks that ask each other both go on.
    if (tag == kAsk) {
      Report answer = {};
      snprintf(answer.text, sizeof answer.text, "%llu", static_cast<unsigned long long>(waits_for_));
      if (const char* why = plugin_.post(from, kAnswer, &answer, sizeof answer, comm_)) return failedPlugin(why);
      asked_ = asked_ || isMany();  // the time of a rank that waits with this one has passed: the question goes on
    } else if (tag == kAnswer) {
      unsigned long long number = 0;
      if (sscanf(report.text, "%llu", &number) == 1 && !answers_.empty()) answers_[from] = number + 1;
    } else if (tag == kFail) {
      heard_.store(true, std::memory_order_relaxed);
      monitor().fail(Status::error(report.code, "%s", report.text), report.rank);
    }
  }
}

// With MPI's collectives nothing listens. Where one thread at a time calls MPI, a batch that runs on another one ends by this
// failure, and tells of it then (Rank::runAlone).
void Rank::announceFailure() {
  if (manner_.calls == Calls::kCollectives || !admitThread().ok()) return;
  // A failure that came from another rank has come to all of few ranks; of many the neighbours are told. Once in any case.
  if (!isMany() && heard_.load(std::memory_order_relaxed)) return;
  const std::thread::id runs_on = runs_on_.load(std::memory_order_acquire);
  if (runsOnCallingThread() && runs_on != std::thread::id() && runs_on != std::this_thread::get_id()) return;
  Report report = {};
  const Status failure = monitor().failure(&report.rank);
  report.code = failure.code();
  copyLetters(report.text, sizeof report.text, failure.message());
  // Once: in a tree, a rank that passed the same failure on twice would never come to rest.
  if (passed_.exchange(true, std::memory_order_relaxed)) return;
  for (const int32_t to : told()) (void)plugin_.post(to, kFail, &report, sizeof report, comm_);  // else it times out
}

std::vector<int32_t> Rank::told() const {
  if (isMany()) return neighboursOf(rank(), size());
  std::vector<int32_t> others;
  for (int32_t other = 0; other < size(); ++other) {
    if (other != rank()) others.push_back(other);
  }
  return others;
}

Status Rank::expire(const Operation& operation) {
  const std::string within = sentences::within(settings().timeout_ns);
  if (!isCollective(operation.kind)) {
    monitor().fail(sentences::lateForPoint(operation.root, name(), within, rank(), operation), operation.root);
    return monitor().failure();
  }
  const std::vector<int32_t> asked = told();
  // 0 is no answer; else the number of the collective that the rank waits for, and one more.
  answers_.assign(static_cast<size_t>(size()), 0);
  const Report question = {};
  for (const int32_t to : asked) {
    if (const char* why = plugin_.post(to, kAsk, &question, sizeof question, comm_)) return failedPlugin(why);
  }
  // One that does not answer is the one that is missing; while there are several, most of them may only be slow to answer. With
  // many ranks only the neighbours are asked, which ask theirs: those beside the one that is missing find it, and tell all.
  const Deadline grace = Deadline::after(std::clamp(settings().timeout_ns / 4, kLeastGrace, kMostGrace));
  const Deadline longer = Deadline::after(kMostGrace), last = Deadline::after(isMany() ? 3 * kMostGrace : 0);
  const auto silent = [&](int32_t other) { return answers_[static_cast<size_t>(other)] == 0; };
  // A rank that does not answer counts as missing (dead or busy elsewhere). Where all answer, it is one that waits in no
  // collective or an earlier one. A rank in a later one has been here: when a rank is gone, the others may have come
  // differently far.
  const auto earlier = [&](int32_t other) { return answers_[static_cast<size_t>(other)] < waits_for_ + 1; };
  int32_t late = -1;
  for (;;) {
    const auto silents = std::count_if(asked.begin(), asked.end(), silent);
    if (silents == 0 || (silents == 1 ? grace : longer).passed()) {
      auto missing = std::find_if(asked.begin(), asked.end(), silent);
      if (missing == asked.end()) missing = std::find_if(asked.begin(), asked.end(), earlier);
      if (missing != asked.end()) late = *missing;
      if (late >= 0 || last.passed()) break;
    }
    RT_TRY(listen());
    const timespec sleep = {0, kSleep};
    (void)nanosleep(&sleep, nullptr);
  }
  monitor().fail(
      late < 0
          ? Status::error(RT_ERROR_TIMEOUT, "%s%s have come to collective %llu, which did not end %s: %s.",
                          isMany() ? "The ranks beside this one" : "All ranks", name().c_str(),
                          static_cast<unsigned long long>(collectives_ - 1), within.c_str(), comm::describe(operation).c_str())
          : sentences::lateForCollective(late, name(), met_ ? "end" : "come to", collectives_ - 1, within, rank(), operation),
      late);
  return monitor().failure();
}

}  // namespace manyrt::comm::mpi
