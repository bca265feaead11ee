// Every function once the library has ended. After rtShutdown it returns SHUT_DOWN, in a forked child FORKED, each with a
// sentence. Version, texts, destroys and frees return the documented success; none may crash or hang. Each test runs in a
// process of its own, because both states are final.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/function_table.h"
#include "support/valid_calls.h"

namespace manyrt::misuse {

using namespace calls;
namespace {

enum class After { refused, works, either };

After afterTheEnd(const std::string& name) {
  if (name == "rtGetVersion" || name == "rtGetErrorName" || name == "rtGetErrorString" || name == "rtGetLastErrorMessage") {
    return After::works;
  }
  if (name.ends_with("Destroy") || name == "rtFree" || name == "rtFreeAsync") return After::works;
  // A second end, and giving back a registration: either answer is right.
  return name == "rtShutdown" || name == "rtHostUnregister" ? After::either : After::refused;
}

// Calls every function with arguments that were valid before the end. Returns how many answered wrongly.
int wrongAnswers(Environment& environment, rtStatus_t refusal) {
  int wrong = 0;
  const auto call = std::make_unique<Call>();
  for (const Function& function : functions()) {
    if (environment.prepare(function, *call)) continue;
    const rtStatus_t status = function.call(call->words.data());
    const After after = afterTheEnd(function.name);
    const bool right = after == After::either || (after == After::works ? status == RT_SUCCESS : status == refusal);
    if (right) continue;
    ++wrong;
    std::fprintf(stderr, "%s: %s\n", function.name.c_str(), rtGetErrorName(status));
  }
  char text[512] = "";
  if (rtGetLastErrorMessage(text, sizeof(text), nullptr) != RT_SUCCESS || text[0] == '\0') {
    std::fprintf(stderr, "no message is left\n");
    ++wrong;
  }
  return wrong;
}

[[noreturn]] void callAllAfterShutdown() {
  Environment environment("cpu");
  if (!environment.ready() || rtShutdown() != RT_SUCCESS) std::_Exit(100);
  std::_Exit(wrongAnswers(environment, RT_ERROR_SHUT_DOWN) == 0 ? 0 : 1);
}

[[noreturn]] void callAllInAForkedChild() {
  Environment environment("cpu");
  if (!environment.ready()) std::_Exit(100);
  const pid_t child = fork();
  if (child == 0) std::_Exit(wrongAnswers(environment, RT_ERROR_FORKED) == 0 ? 0 : 1);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) std::_Exit(101);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 102);
}

class LifecycleTest : public ::testing::Test {
 protected:
  // The child of a death test runs this program again, so that the library is untouched there.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LifecycleTest, EveryFunctionAnswersAfterShutdown) {
  EXPECT_EXIT(callAllAfterShutdown(), ::testing::ExitedWithCode(0), "");
}

TEST_F(LifecycleTest, EveryFunctionAnswersInAForkedChild) {
  EXPECT_EXIT(callAllInAForkedChild(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace manyrt::misuse
