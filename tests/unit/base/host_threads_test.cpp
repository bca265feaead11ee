// The pool of host threads: a job that is waited for is taken only where a thread is sure to run it.
#include "base/host_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/fault.h"

namespace manyrt {
namespace {

struct Room {
  std::atomic<size_t> inside{0}, left{0};
  std::atomic<bool> open{false};
};

class Stay final : public host_threads::Job {
 public:
  explicit Stay(Room& room) : room_(room) {}
  void run() override {
    ++room_.inside;
    while (!room_.open) std::this_thread::yield();
    ++room_.left;
  }

 private:
  Room& room_;
};

bool submitted(host_threads::Job& job) {
  host_threads::Job* const one = &job;
  return host_threads::trySubmit(&one, 1) == 1;
}

class Await final : public host_threads::Job {
 public:
  Await(std::atomic<bool>& awaited, std::atomic<bool>& told) : awaited_(awaited), told_(told) {}
  void run() override {
    for (int round = 0; !awaited_ && round < 10'000; ++round) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(awaited_) << "the job that is waited for never ran";
    told_ = true;
  }

 private:
  std::atomic<bool>& awaited_;
  std::atomic<bool>& told_;
};

class Tell final : public host_threads::Job {
 public:
  explicit Tell(std::atomic<bool>& told) : told_(told) {}
  void run() override { told_ = true; }

 private:
  std::atomic<bool>& told_;
};

// A host function that waits for another stream's, which comes after it. First: no other test has left threads after.
TEST(HostThreadsTest, AJobRunsBesideOneThatWaitsForItWhereNoFurtherThreadCanBeHad) {
  ASSERT_TRUE(host_threads::reserve().ok());
  std::atomic<bool> told{false}, over{false};
  Await waiting(told, over);
  Tell telling(told);
  fault::arm(1, true);
  host_threads::submit(&waiting);
  host_threads::submit(&telling);
  for (int round = 0; !over && round < 20'000; ++round) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  (void)fault::disarm();
  ASSERT_TRUE(over);
}

TEST(HostThreadsTest, AJobThatIsWaitedForIsRefusedWhereNoThreadCanBeHad) {
  constexpr size_t kMax = 1000;
  ASSERT_TRUE(host_threads::reserve().ok());
  Room room;
  std::vector<std::unique_ptr<Stay>> jobs;
  for (int i = 0; i < 3; ++i) {  // a few threads
    jobs.push_back(std::make_unique<Stay>(room));
    ASSERT_TRUE(submitted(*jobs.back()));
  }
  while (room.inside != jobs.size()) std::this_thread::yield();
  fault::arm(1, true);  // no further one
  bool taken = true;
  while (taken && jobs.size() < kMax) {
    jobs.push_back(std::make_unique<Stay>(room));
    taken = submitted(*jobs.back());
  }
  (void)fault::disarm();
  ASSERT_FALSE(taken);
  jobs.pop_back();
  while (room.inside != jobs.size()) std::this_thread::yield();  // all that were taken run at the same time
  room.open = true;
  while (room.left != jobs.size()) std::this_thread::yield();
}

class Note final : public host_threads::Job {
 public:
  explicit Note(std::atomic<bool>& ran) : ran_(ran) {}
  void run() override { ran_ = true; }

 private:
  std::atomic<bool>& ran_;
};

// A job that found no thread is queued; the next thread is for the job that is waited for, not for that one.
TEST(HostThreadsTest, AJobThatIsWaitedForGoesAheadOfThoseThatFoundNoThread) {
  ASSERT_TRUE(host_threads::reserve().ok());
  Room room;
  std::vector<std::unique_ptr<Stay>> jobs;
  fault::arm(1, true);
  jobs.push_back(std::make_unique<Stay>(room));
  for (int refused = 0;
       refused < 20;) {  // until all threads stay in a job, those too that are just leaving one of another test
    if (submitted(*jobs.back())) {
      jobs.push_back(std::make_unique<Stay>(room));
      refused = 0;
    } else {
      ++refused;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  host_threads::submit(jobs.back().get());  // refused before: queued now
  (void)fault::disarm();
  while (room.inside < jobs.size() - 1) std::this_thread::yield();
  std::atomic<bool> ran{false};
  Note note(ran);
  ASSERT_TRUE(submitted(note));
  while (!ran) std::this_thread::yield();
  room.open = true;
  while (room.left != jobs.size()) std::this_thread::yield();
}

}  // namespace
}  // namespace manyrt
