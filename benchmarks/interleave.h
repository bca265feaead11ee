// Side-by-side measurement on top of Google Benchmark. A comparison has candidates: this library, its peers, floors. They
// run in turn (A B C A B C ...) in one process, each repetition after a pause in which the threads of the others go to
// sleep and a warm-up; what is reported of each is the median of its repetitions, as one Google Benchmark entry named
// "comparison/candidate".
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One repetition: works for about `budget` nanoseconds, returns nanoseconds for one operation.
using Measure = std::function<double(int64_t budget)>;

enum class Role { kOurs, kPeer, kFloor };

struct Candidate {
  std::string name;
  Role role;
  Measure measure;      // empty: missing
  std::string missing;  // why
  std::vector<double> samples;
};

class Comparison {
 public:
  explicit Comparison(std::string name) : name_(std::move(name)) {}

  Comparison& ours(std::string name, Measure measure) { return add(std::move(name), Role::kOurs, std::move(measure)); }
  Comparison& peer(std::string name, Measure measure) { return add(std::move(name), Role::kPeer, std::move(measure)); }
  Comparison& floor(std::string name, Measure measure) { return add(std::move(name), Role::kFloor, std::move(measure)); }
  Comparison& missing(std::string name, std::string why);
  Comparison& repetitions(int count) { return repetitions_ = count, *this; }  // at least so many
  Comparison& budget(double factor) { return budget_ = factor, *this; }       // of the usual time
  Comparison& settle(bool wanted) { return settle_ = wanted, *this; }         // pause before each repetition
  Comparison& bytes(uint64_t count) { return bytes_ = count, *this; }         // moved by one operation
  Comparison& inBytes() { return in_bytes_ = true, *this; }                   // figures are bytes, not nanoseconds
  Comparison& before(std::function<void()> action) { return before_ = std::move(action), *this; }
  Comparison& after(std::function<void()> action) { return after_ = std::move(action), *this; }

 private:
  friend void registerComparison(Comparison comparison);
  Comparison& add(std::string name, Role role, Measure measure);
  void run();

  std::string name_;
  std::vector<Candidate> candidates_;
  int repetitions_ = 0;
  double budget_ = 1;
  bool settle_ = true;
  bool ran_ = false;
  uint64_t bytes_ = 0;
  bool in_bytes_ = false;
  std::function<void()> before_, after_;  // around the whole comparison
};

void registerComparison(Comparison comparison);

// For operations that follow each other without a pause. It is the median over many short stretches of the repetition: one in
// which another process had the core does not count. `operations` are done by one call.
template <class Call>
Measure hot(Call call, uint64_t operations = 1) {
  return [call, operations](int64_t budget) mutable {
    constexpr int64_t kStretch = 20'000;
    const int64_t warm = nanoseconds();
    uint64_t calls = 0;
    int64_t spent = 0;
    while (spent < budget / 8 || calls < 3) {
      call();
      ++calls;
      spent = nanoseconds() - warm;
    }
    uint64_t each = kStretch * calls / static_cast<uint64_t>(spent + 1) + 1;
    std::vector<double> stretches;
    const int64_t began = nanoseconds();
    int64_t now = began;
    while (now - began < budget || stretches.size() < 3) {
      const int64_t start = nanoseconds();
      for (uint64_t i = 0; i < each; ++i) call();
      now = nanoseconds();
      stretches.push_back(static_cast<double>(now - start) / static_cast<double>(each * operations));
    }
    std::sort(stretches.begin(), stretches.end());
    return stretches[stretches.size() / 2];
  };
}

// For calls that only submit: `call` alone is timed, in batches that a driver's queue has room for; `empty` waits for them.
template <class Call, class Empty>
Measure calls(Call call, Empty empty) {
  return [=](int64_t budget) {
    constexpr int kQueued = 256;
    std::vector<double> stretches;
    const int64_t began = nanoseconds();
    while (nanoseconds() - began < budget || stretches.size() < 5) {
      for (int i = 0; i < 16; ++i) call();
      const int64_t start = nanoseconds();
      for (int i = 0; i < kQueued; ++i) call();
      stretches.push_back(static_cast<double>(nanoseconds() - start) / kQueued);
      empty();
    }
    std::sort(stretches.begin(), stretches.end());
    return stretches[stretches.size() / 2];
  };
}

// For single operations, each after something else; `prepare` is not timed. The median of them.
template <class Prepare, class Call>
Measure single(Prepare prepare, Call call) {
  return [prepare, call](int64_t budget) mutable {
    std::vector<double> times;
    const int64_t began = nanoseconds();
    while (times.size() < 5 || nanoseconds() - began < budget) {
      prepare();
      const int64_t start = nanoseconds();
      call();
      times.push_back(static_cast<double>(nanoseconds() - start));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
}

// Reads the options of this header (--rounds=N, --milliseconds=N for a repetition) and Google Benchmark's, names the machine
// in the output and runs what is registered.
void begin(int* argc, char** argv);
void note(const char* key, const std::string& value);  // for the head of the output: versions of peers
int finish();

}  // namespace bench
