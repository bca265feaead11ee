// The life of a process: exit, static destructors, atexit, fork, dlclose, shutdown, and a million objects of each kind.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "support/process.h"

namespace rttest {
namespace {

class LifeTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(
    , LifeTest,
    testing::Values("exit_with_kernel_running", "exit_with_work_held_back", "exit_with_host_function_running",
                    "exit_from_host_function", "destroy_from_destructors_and_atexit", "destroy_after_shutdown_from_destructors",
                    "use_from_destructors", "exit_with_trace_callback", "thread_inside_a_call_at_exit",
                    "threads_calling_during_exit", "quick_exit", "fork_before_first_call", "fork_after_first_call",
                    "fork_child_exits_normally", "fork_shutdown_in_child", "fork_while_threads_use_the_library",
                    "fork_while_it_traces", "fork_grandchild", "fork_before_first_call_of_communicators",
                    "fork_communicators_after_calls_that_start_nothing", "fork_after_first_call_of_communicators",
                    "fork_communicators_after_first_call_of_the_core", "shutdown_at_once_without_init",
                    "shutdown_before_any_use", "shutdown_counted", "shutdown_waits_for_work",
                    "shutdown_waits_for_held_back_work", "shutdown_inside_host_function_is_busy",
                    "shutdown_while_threads_use_the_library", "shutdown_while_threads_submit_without_pause",
                    "shutdown_refuses_new_work_first", "shutdown_releases_user_data", "shutdown_delivers_the_trace",
                    "shutdown_calls_nothing_afterwards"),
    [](const testing::TestParamInfo<const char*>& scenario) { return std::string(scenario.param); });

TEST_P(LifeTest, EndsInOrderAndPrintsNothing) {
  const Outcome outcome = run({PROCESS_CHILD, GetParam()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "") << "the library never prints to stdout";
}

#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
constexpr const char* kMany = "100000";
constexpr const char* kSome = "1000";
#else
constexpr const char* kMany = "1000000";
constexpr const char* kSome = "1000000";
#endif

class StormTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(, StormTest,
                         testing::Values(std::pair{"context", kSome}, std::pair{"stream", kMany}, std::pair{"event", kMany},
                                         std::pair{"recorded", kMany}, std::pair{"fence", kMany}, std::pair{"pool", kSome},
                                         std::pair{"kernel", kMany}, std::pair{"memory", kMany}),
                         [](const testing::TestParamInfo<std::pair<const char*, const char*>>& kind) {
                           return std::string(kind.param.first);
                         });

TEST_P(StormTest, AMillionCreatesAndDestroysLeaveNothing) {
  const Outcome outcome = run({PROCESS_CHILD, "storm", GetParam().first, GetParam().second}, {}, 300);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

TEST(SandboxTest, MembarrierThatIsForbiddenAfterTheStartIsToldOnceAndDoneWithout) {
#if defined(MANYRT_SANITIZE_THREAD)
  GTEST_SKIP() << "fences of both sides: the library makes no use of membarrier under ThreadSanitizer";
#endif
  const Outcome outcome = run({PROCESS_CHILD, "membarrier_forbidden"});
  if (outcome.exit_code == 77) GTEST_SKIP() << "no membarrier or no seccomp here";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "");
}

TEST(DlopenTest, AThousandTimesOpenedAndClosedLeavesNothing) {
  const Outcome outcome = run({PROCESS_DLOPEN, MANYRT_LIBRARY, "1000"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "");
}

#if !defined(MANYRT_SANITIZE_ADDRESS) && !defined(MANYRT_SANITIZE_THREAD)  // which take two copies for one, defined twice
// Two packages of a program may each bring the library.
TEST(DlopenTest, TwoCopiesInOneProcessKeepApart) {
  std::string folder = testing::TempDir() + "manyrt_two_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string copy = folder + "/libmanyrt.so.0";
  std::filesystem::copy_file(MANYRT_LIBRARY, copy);
  const Outcome outcome = run({PROCESS_TWO_LIBRARIES, MANYRT_LIBRARY, copy}, {{"RT_DISABLE", "cuda,opencl"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  std::filesystem::remove_all(folder);
}
#endif

// Loaded and not started: a child of fork may use it.
TEST(DlopenTest, AChildThatIsForkedAfterTheLoadUsesTheLibrary) {
  const Outcome outcome = run({PROCESS_DLOPEN, MANYRT_COMM_LIBRARY, "fork"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

}  // namespace
}  // namespace rttest
