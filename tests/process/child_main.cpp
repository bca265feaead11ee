// process_child <scenario> [words]: runs one scenario of the tests about the life of a process.
#include <cstring>

#include "child.h"

int main(int argc, char** argv) {
  for (const child::Scenario* list : {child::kExit, child::kFork, child::kShutdown, child::kEnvironment, child::kSandbox,
                                      child::kDebugger, child::kCrash, child::kBuilds}) {
    for (const child::Scenario* scenario = list; scenario->name != nullptr; ++scenario) {
      if (argc > 1 && std::strcmp(argv[1], scenario->name) == 0) return scenario->run(argc - 2, argv + 2);
    }
  }
  std::fprintf(stderr, "No scenario '%s'.\n", argc > 1 ? argv[1] : "");
  return 126;
}
