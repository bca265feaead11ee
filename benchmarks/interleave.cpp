// Runs comparisons and reports them as entries of Google Benchmark.
#include "interleave.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "machine.h"

namespace bench {
namespace {

constexpr auto kSettle = std::chrono::milliseconds(15);  // longer than any runtime's threads spin

int rounds = 11;
int64_t repetition = 10'000'000;

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

bool option(const char* argument, const char* name, long* value) {
  const size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0) return false;
  *value = strtol(argument + length, nullptr, 10);
  return true;
}

}  // namespace

Comparison& Comparison::add(std::string name, Role role, Measure measure) {
  candidates_.push_back({std::move(name), role, std::move(measure), {}, {}});
  return *this;
}

Comparison& Comparison::missing(std::string name, std::string why) {
  candidates_.push_back({std::move(name), Role::kPeer, nullptr, std::move(why), {}});
  return *this;
}

void Comparison::run() {
  if (ran_) return;
  ran_ = true;
  if (before_) before_();
  const int count = std::max(rounds, repetitions_);
  for (int round = 0; round < count; ++round) {
    for (Candidate& candidate : candidates_) {
      if (!candidate.measure) continue;
      if (settle_) std::this_thread::sleep_for(kSettle);
      candidate.samples.push_back(candidate.measure(static_cast<int64_t>(budget_ * static_cast<double>(repetition))));
    }
  }
  if (after_) after_();
}

void registerComparison(Comparison given) {
  auto comparison = std::make_shared<Comparison>(std::move(given));
  for (size_t i = 0; i < comparison->candidates_.size(); ++i) {
    const Candidate& named = comparison->candidates_[i];
    benchmark::RegisterBenchmark(
        (comparison->name_ + "/" + named.name).c_str(),
        [comparison, i](benchmark::State& state) {
          comparison->run();
          const Candidate& candidate = comparison->candidates_[i];
          for (auto _ : state) {
            (void)_;
            if (!candidate.measure) {
              state.SkipWithError(("peer missing: " + candidate.missing).c_str());
              break;
            }
            state.SetIterationTime(quantile(candidate.samples, 0.5) * 1e-9);
          }
          if (!candidate.measure) return;
          const double median = quantile(candidate.samples, 0.5);
          state.counters["median_ns"] = median;
          state.counters["low_ns"] = quantile(candidate.samples, 0.25);
          state.counters["high_ns"] = quantile(candidate.samples, 0.75);
          state.counters["rounds"] = static_cast<double>(candidate.samples.size());
          const Candidate& first = comparison->candidates_.front();
          if (i != 0 && !first.samples.empty()) state.counters["first_to_this"] = quantile(first.samples, 0.5) / median;
          if (comparison->bytes_ != 0) state.counters["bytes"] = static_cast<double>(comparison->bytes_);
          if (comparison->in_bytes_) state.counters["in_bytes"] = 1;
          state.SetLabel(candidate.role == Role::kOurs ? "ours" : candidate.role == Role::kPeer ? "peer" : "floor");
        })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kNanosecond);
  }
}

void begin(int* argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    long value;
    if (option(argv[i], "--rounds=", &value)) {
      rounds = static_cast<int>(std::max(1L, value));
    } else if (option(argv[i], "--milliseconds=", &value)) {
      repetition = std::max(1L, value) * 1'000'000;
    } else {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  benchmark::Initialize(argc, argv);
  if (benchmark::ReportUnrecognizedArguments(*argc, argv)) exit(EXIT_FAILURE);
  benchmark::AddCustomContext("rounds", std::to_string(rounds));
  benchmark::AddCustomContext("repetition_ms", std::to_string(repetition / 1'000'000));
  describeMachine(note);
}

void note(const char* key, const std::string& value) { benchmark::AddCustomContext(key, value); }

int finish() {
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}

}  // namespace bench
