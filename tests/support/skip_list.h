// Holds the skips of a suite that runs on devices against a list: lines of `test-pattern device-pattern reason`. A skip that
// stands there is expected; one that does not fails the run, and so does a test that stands there and ran. `?` before the
// pattern: what the machine or a variable decides, and both are right. The list is printed last.
#pragma once

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rttest {

class SkipList : public testing::EmptyTestEventListener {
 public:
  // The list that RUN_ALL_TESTS() is held against; null where the file cannot be used.
  static SkipList* install(const char* path) {
    auto* list = new SkipList;
    testing::UnitTest::GetInstance()->listeners().Append(list);  // owns it
    return list->add(path) ? list : nullptr;
  }

  bool add(const char* path) {
    std::ifstream file(path);
    bool usable = file.is_open();
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      Rule rule;
      if (!(words >> rule.test) || rule.test[0] == '#') continue;
      words >> rule.device;
      std::getline(words >> std::ws, rule.reason);
      usable = usable && !rule.reason.empty();
      if (rule.reason.empty()) std::cerr << path << ": a line without a reason: " << line << '\n';
      rule.either = rule.test[0] == '?';
      if (rule.either) rule.test.erase(0, 1);
      std::replace(rule.device.begin(), rule.device.end(), ':', '_');  // "null:0" is "null_0" in the names of tests
      rules_.push_back(rule);
    }
    if (!usable) std::cerr << "The list of skips cannot be used: " << path << '\n';
    return usable;
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    std::string name = std::string(info.test_suite_name()) + "." + info.name();
    std::string device;
    if (size_t slash = name.rfind('/'); slash != std::string::npos) {
      device = name.substr(slash + 1);
      name.resize(slash);
    }
    const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& each) {
      return fnmatch(each.test.c_str(), name.c_str(), 0) == 0 && fnmatch(each.device.c_str(), device.c_str(), 0) == 0;
    });
    const bool listed = rule != rules_.end();
    const bool skipped = info.result()->Skipped();
    if (skipped && !listed) wrong_.push_back(name + " on " + device + ": skipped, but not on the list");
    if (!skipped && listed && !rule->either && !info.result()->Failed()) {
      wrong_.push_back(name + " on " + device + ": expected skip did not happen");
    }
    if (skipped && listed) ++rule->used;
  }

  // True if every skip was expected and every expected one happened.
  bool report() const {
    for (const Rule& rule : rules_) {
      if (rule.used == 0) continue;
      std::cout << "[  LISTED  ] " << rule.test << " on " << rule.device << ": " << rule.used << " skipped, " << rule.reason
                << '\n';
    }
    for (const std::string& line : wrong_) std::cout << "[  FAILED  ] " << line << '\n';
    std::cout << "[   SKIPS  ] " << (wrong_.empty() ? "as listed" : "not as listed") << std::endl;
    return wrong_.empty();
  }

 private:
  struct Rule {
    std::string test;
    std::string device;
    std::string reason;
    bool either = false;
    int used = 0;
  };

  std::vector<Rule> rules_;
  std::vector<std::string> wrong_;
};

}  // namespace rttest
