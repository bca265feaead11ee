// Runs the conformance tests and holds the skips against skips.txt: lines of `test-pattern device-pattern reason`. A skip that
// stands there is expected; one that does not fails the run, and so does a test that stands there and ran. With
// RT_POOL=off the lines of skips_pool_off.txt count, too. The list is printed last.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "rt.h"
#include "support/device_test.h"
#include "support/simulated_cuda.h"

namespace {

struct Rule {
  std::string test;
  std::string device;
  std::string reason;
  int used = 0;
};

// "cpu" and "null:0" of a list are "cpu" and "null_0" in the names of tests.
std::string asTestName(std::string device) {
  std::replace(device.begin(), device.end(), ':', '_');
  return device;
}

// `readable` stays as it is, or becomes false.
std::vector<Rule> readRules(const char* path, bool* readable) {
  std::vector<Rule> rules;
  std::ifstream file(path);
  *readable = *readable && file.is_open();
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Rule rule;
    if (!(words >> rule.test) || rule.test[0] == '#') continue;
    words >> rule.device;
    std::getline(words >> std::ws, rule.reason);
    if (rule.reason.empty()) {
      std::cerr << path << ": a line without a reason: " << line << '\n';
      *readable = false;
    }
    rule.device = asTestName(rule.device);
    rules.push_back(rule);
  }
  return rules;
}

class SkipList : public testing::EmptyTestEventListener {
 public:
  explicit SkipList(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  void OnTestEnd(const testing::TestInfo& info) override {
    std::string name = std::string(info.test_suite_name()) + "." + info.name();
    std::string device;
    if (size_t slash = name.rfind('/'); slash != std::string::npos) {
      device = name.substr(slash + 1);
      name.resize(slash);
    }
    Rule* rule = nullptr;
    for (Rule& candidate : rules_) {
      if (fnmatch(candidate.test.c_str(), name.c_str(), 0) == 0 && fnmatch(candidate.device.c_str(), device.c_str(), 0) == 0) {
        rule = &candidate;
        break;
      }
    }
    const bool skipped = info.result()->Skipped();
    if (skipped && rule == nullptr) wrong_.push_back(name + " on " + device + ": skipped, but not on the list");
    if (!skipped && rule != nullptr) wrong_.push_back(name + " on " + device + ": expected skip did not happen");
    if (skipped && rule != nullptr) ++rule->used;
  }

  // True if every skip was expected and every expected one happened.
  bool report() const {
    for (const Rule& rule : rules_) {
      if (rule.used > 0) {
        std::cout << "[  LISTED  ] " << rule.test << " on " << rule.device << ": " << rule.used << " skipped, " << rule.reason
                  << '\n';
      }
    }
    for (const std::string& line : wrong_) std::cout << "[  FAILED  ] " << line << '\n';
    std::cout << "[   SKIPS  ] " << (wrong_.empty() ? "as listed" : "not as listed") << std::endl;
    return wrong_.empty();
  }

 private:
  std::vector<Rule> rules_;
  std::vector<std::string> wrong_;
};

}  // namespace

int main(int argc, char** argv) {
  // Held until the end, so that tests may pair rtInit and rtShutdown without ending the library for all others.
  if (rtInit() != RT_SUCCESS) return 1;
  testing::InitGoogleTest(&argc, argv);
  bool readable = true;
  std::vector<Rule> rules = readRules(CONFORMANCE_SKIPS, &readable);
  if (rttest::poolsAreOff()) {
    for (Rule& rule : readRules(CONFORMANCE_SKIPS_POOL_OFF, &readable)) rules.push_back(std::move(rule));
  }
  auto* skips = new SkipList(std::move(rules));
  testing::UnitTest::GetInstance()->listeners().Append(skips);  // owns it
  if (!readable) {
    std::cerr << "The list of skips cannot be used: " << CONFORMANCE_SKIPS << '\n';
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  const int violations = rttest::simulatedCuda().here() ? rttest::simulatedCuda().violations() : 0;
  if (violations != 0) std::cout << "[  FAILED  ] " << violations << " violations of CUDA's rules\n";
  return skips->report() && failed == 0 && violations == 0 ? 0 : 1;
}
