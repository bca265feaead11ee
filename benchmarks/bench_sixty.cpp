// Sixty kernels from source on the CPU (P15), in one process: this library beside PoCL and Intel's runtime. Twelve of them also
// have loops written by hand with OpenMP. The results of all are compared with a reference before they are timed; a wrong
// result of this library ends the program with a failure, one of a peer is a word in its column. The candidates run in turn,
// and what counts is the median of the rounds. scripts/sixty_table.py makes docs/lab/sixty.md of the JSON.
//
// bench_sixty [--filter=WORD,...] [--modes=plain,relaxed] [--rounds=N] [--milliseconds=N] [--scale=N] [--benchmark_out=FILE]
// bench_sixty --check [--filter=WORD,...]: only compares, at the small odd sizes of the tests
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "kernels/case_runner_opencl.h"
#include "machine.h"
#include "peers.h"

namespace {

using namespace sixty;
using Json = nlohmann::ordered_json;

// -cl-fast-relaxed-math lets a driver's functions be as exact as it likes. A peer that is less exact by up to this much than
// the reference wants is timed all the same, and the table marks it.
constexpr double kInexact = 0.02;

constexpr auto kSettle = std::chrono::milliseconds(15);  // longer than any runtime's threads spin

struct Settings {
  std::vector<std::string> filter;
  std::vector<std::string> modes{"plain", "relaxed"};
  std::size_t rounds = 9;
  std::int64_t budget = 8'000'000;  // nanoseconds for a round of one candidate
  std::size_t scale = 1;
  bool check = false;
  std::string out;
};

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) found.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

bool parse(int argc, char** argv, Settings* settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "--check") {
      settings->check = true;
      settings->scale = 0;
    } else if (key == "--filter") {
      settings->filter = words(value);
    } else if (key == "--modes") {
      settings->modes = words(value);
    } else if (key == "--rounds") {
      settings->rounds = std::max(1ul, std::stoul(value));
    } else if (key == "--milliseconds") {
      settings->budget = std::stol(value) * 1'000'000;
    } else if (key == "--scale") {
      settings->scale = std::stoul(value);
    } else if (key == "--benchmark_out") {
      settings->out = value;
    } else if (key != "--benchmark_out_format") {  // scripts/bench.sh gives all programs the same options
      fprintf(stderr, "Unknown option %s\n", argument.c_str());
      return false;
    }
  }
  return true;
}

// The loop written by hand: a function of the module of OpenMP, on copies of the buffers.
class ByHand final : public CaseRunner {
 public:
  ByHand(void* function, const Case& given)
      : function_(reinterpret_cast<void (*)(void* const*)>(function)), case_(given), buffers_(given.buffers) {
    for (const Argument& argument : case_.launches.at(0).arguments) {
      arguments_.push_back(argument.kind == Argument::Kind::Buffer   ? buffers_.at(argument.buffer_or_size).bytes.data()
                           : argument.kind == Argument::Kind::Scalar ? const_cast<std::byte*>(argument.scalar.data())
                                                                     : nullptr);
    }
  }
  void restore() override {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      std::copy(case_.buffers[i].bytes.begin(), case_.buffers[i].bytes.end(), buffers_[i].bytes.begin());
  }
  void run() override { function_(arguments_.data()); }
  std::vector<std::byte> read(std::size_t index) override { return buffers_[index].bytes; }

 private:
  void (*function_)(void* const*);
  const Case& case_;
  std::vector<Buffer> buffers_;
  std::vector<void*> arguments_;
};

struct Candidate {
  std::string name;
  std::function<std::unique_ptr<CaseRunner>(const Kernel&, const Case&, bool relaxed)> make;  // null: it has no such kernel
  bool peer = true;
};

struct Entry {
  std::string name;
  std::unique_ptr<CaseRunner> runner;
  double build = 0;  // seconds from the source to the end of the first run
  std::string error;
  bool inexact = false;
  std::vector<double> samples;  // nanoseconds: the median of each round
  double best = 0;              // and the shortest run of all, for a look on a machine that is busy with other things
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// A round of an entry: single runs that follow each other for about `budget` nanoseconds, after one that warms up.
void measure(Entry& entry, bool restore, std::int64_t budget) {
  CaseRunner& runner = *entry.runner;
  runner.run();
  std::vector<double> times;
  for (std::int64_t spent = 0; spent < budget || times.size() < 3;) {
    if (restore) runner.restore();
    const std::int64_t began = bench::nanoseconds();
    runner.run();
    const std::int64_t time = bench::nanoseconds() - began;
    spent += time;
    times.push_back(static_cast<double>(time));
  }
  const double shortest = *std::min_element(times.begin(), times.end());
  entry.best = entry.samples.empty() ? shortest : std::min(entry.best, shortest);
  entry.samples.push_back(quantile(times, 0.5));
}

std::string firstLine(const std::string& text) {
  constexpr std::size_t kMaxLetters = 300;
  return text.substr(0, std::min(text.find("\n\n"), kMaxLetters));
}

// Builds the kernel on the candidate and checks its result.
Entry prepare(const Candidate& candidate, const Kernel& kernel, const Case& given, bool relaxed,
              const std::vector<Buffer>& expected) {
  Entry entry;
  entry.name = candidate.name;
  const std::int64_t began = bench::nanoseconds();
  try {
    entry.runner = candidate.make(kernel, given, relaxed);
    if (!entry.runner) return entry;
    entry.runner->run();  // some drivers compile at the first launch
    entry.build = static_cast<double>(bench::nanoseconds() - began) * 1e-9;
    std::string wrong = checkAgainst(expected, *entry.runner);
    if (!wrong.empty() && relaxed && candidate.peer) {
      wrong = checkAgainst(expected, *entry.runner, kInexact);
      entry.inexact = wrong.empty();
    }
    if (!wrong.empty()) entry.error = "wrong result: " + wrong;
  } catch (const RunError& error) {
    entry.error = error.what();
  }
  if (!entry.error.empty()) entry.runner.reset();
  return entry;
}

void time(std::vector<Entry>& entries, bool restore, const Settings& settings) {
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    for (Entry& entry : entries) {
      if (!entry.runner) continue;
      std::this_thread::sleep_for(kSettle);
      measure(entry, restore, settings.budget);
    }
  }
}

Json describe(const Entry& entry) {
  if (!entry.error.empty()) return {{"error", firstLine(entry.error)}};
  Json result{{"build_s", entry.build}};
  if (entry.inexact) result["inexact"] = true;
  if (entry.samples.empty()) return result;
  result["median_ns"] = quantile(entry.samples, 0.5);
  result["low_ns"] = quantile(entry.samples, 0.25);
  result["high_ns"] = quantile(entry.samples, 0.75);
  result["best_ns"] = entry.best;
  return result;
}

void print(const Kernel& kernel, const std::string& mode, const std::vector<Entry>& entries) {
  printf("%-26s %-8s", kernel.name, mode.c_str());
  for (const Entry& entry : entries) {
    if (!entry.error.empty()) {
      printf("  %s: %s", entry.name.c_str(), firstLine(entry.error).c_str());
    } else if (!entry.samples.empty()) {
      printf("  %s %.1f (%.1f) us%s, built %.2f s", entry.name.c_str(), quantile(entry.samples, 0.5) * 1e-3, entry.best * 1e-3,
             entry.inexact ? " inexact" : "", entry.build);
    } else if (entry.runner) {
      printf("  %s %s", entry.name.c_str(), entry.inexact ? "inexact" : "ok");
    }
  }
  printf("\n");
  fflush(stdout);
}

bool chosen(const Kernel& kernel, const std::vector<std::string>& filter) {
  return filter.empty() || std::any_of(filter.begin(), filter.end(), [&](const std::string& word) {
           return std::string(kernel.name).find(word) != std::string::npos || word == kernel.room;
         });
}

std::string now() {
  char text[32];
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  (void)std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&seconds, &parts));
  return text;
}

bool write(const Settings& settings, const Json& context, const Json& results) {
  if (settings.out.empty()) return true;
  std::ofstream file(settings.out);
  file << Json{{"context", context}, {"kernels", results}}.dump(1) << '\n';
  return file.good();
}

// False if a result of this library is wrong or its build fails. The output grows with each kernel: a peer may end the process.
bool runAll(const Settings& settings, const std::vector<Candidate>& candidates, const Json& context) {
  bool good = true;
  Json results = Json::array();
  for (Kernel kernel : allKernels()) {
    if (!chosen(kernel, settings.filter)) continue;
    // Kernels of one file are different programs, so that each build is timed as one.
    const std::string options = std::string(kernel.options) + " -DMEASURED_" + kernel.name;
    kernel.options = options.c_str();
    const Case given = kernel.make(settings.scale);
    const std::vector<Buffer> expected = expectedOf(kernel, given, settings.scale);
    for (const std::string& mode : settings.modes) {
      std::vector<Entry> entries;
      for (const Candidate& candidate : candidates) {
        Entry entry = prepare(candidate, kernel, given, mode == "relaxed", expected);
        if (entry.runner || !entry.error.empty()) entries.push_back(std::move(entry));
      }
      good = good && entries.front().error.empty();
      if (!settings.check) time(entries, given.restore, settings);
      print(kernel, mode, entries);
      Json described;
      for (const Entry& entry : entries) described[entry.name] = describe(entry);
      results.push_back({{"name", kernel.name}, {"class", kernel.room}, {"mode", mode}, {"candidates", described}});
    }
    if (!write(settings, context, results)) return false;
  }
  return good && !results.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, &settings)) return EXIT_FAILURE;
  setenv("RT_CPU_BUILD", "optimized", 0);
  setenv("RT_CACHE_DIR", "off", 1);  // the time of a build is that of a compiler
  setenv("RT_DISABLE", "cuda,opencl", 1);
  setenv("POCL_KERNEL_CACHE", "0", 1);
  bench::prepareEnvironment();
  setenv("POCL_DEVICES", "pthread", 1);

  Json context{{"date", now()},
               {"rounds", std::to_string(settings.rounds)},
               {"repetition_ms", std::to_string(settings.budget / 1'000'000)}};
  bench::describeMachine([&](const char* key, const std::string& value) { context[key] = value; });
  rtContext_t device = bench::createContext("cpu", 0);
  rtStream_t stream = bench::createStream(device);
  std::vector<Candidate> candidates{{"manyrt",
                                     [&](const Kernel& kernel, const Case& given, bool relaxed) {
                                       return runOnContext(kernel, given, relaxed, device, stream);
                                     },
                                     false}};
  std::vector<std::unique_ptr<OpenClDriver>> drivers;
  for (const auto& [name, column] : {std::pair{"PoCL", "pocl"}, std::pair{"Intel", "intel"}}) {
    std::string why;
    std::unique_ptr<OpenClDriver> driver = OpenClDriver::find(name, &why);
    context[std::string("peer_") + column] = driver ? driver->version() : "absent: " + why;
    if (!driver) continue;
    candidates.push_back({column,
                          [peer = driver.get()](const Kernel& kernel, const Case& given, bool relaxed) {
                            return peer->runner(kernel, given, relaxed);
                          },
                          true});
    drivers.push_back(std::move(driver));
  }
  std::string why;
  const std::unique_ptr<bench::OpenMpPeer> openmp = bench::OpenMpPeer::find("libgomp", &why);
  context["peer_by_hand"] = openmp ? openmp->compiler() : "absent: " + why;
  if (openmp) {
    candidates.push_back({"by_hand",
                          [&](const Kernel& kernel, const Case& given, bool) -> std::unique_ptr<CaseRunner> {
                            if (kernel.by_hand == nullptr) return nullptr;
                            void* function = openmp->symbol(kernel.by_hand);
                            if (function == nullptr) throw RunError("no such function");
                            return std::make_unique<ByHand>(function, given);
                          },
                          true});
  }

  const bool good = runAll(settings, candidates, context);
  if (!good)
    fprintf(stderr,
            "A result of this library is wrong, one of its builds failed, the output cannot be written, or no kernel has "
            "such a name.\n");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
