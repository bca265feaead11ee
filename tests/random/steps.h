// The steps that an actor may take next, with how often.
#pragma once

#include "random/random_numbers.h"

namespace rtrandom {

class Actor;

struct Step {
  const char* name;
  unsigned weight;
  void (*function)(Actor&);
};

const Step& chooseStep(Rng& rng);

// steps_objects.cpp
void stepContext(Actor& actor);
void stepStream(Actor& actor);
void stepEvent(Actor& actor);
void stepFence(Actor& actor);
// steps_work.cpp
void stepWork(Actor& actor);
void stepManyOps(Actor& actor);
void stepWait(Actor& actor);
void stepHoldBack(Actor& actor);
void stepPay(Actor& actor);
void stepPrefetch(Actor& actor);
void stepCompare(Actor& actor);
void stepHostWrite(Actor& actor);
void stepSynchronous(Actor& actor);
// steps_memory.cpp
void stepAllocate(Actor& actor);
void stepFree(Actor& actor);
void stepPool(Actor& actor);
// steps_capture.cpp, steps_graph.cpp
void stepCapture(Actor& actor);
void stepBuildGraph(Actor& actor);
void stepLaunchGraph(Actor& actor);
void stepChangeExec(Actor& actor);
void stepDropGraph(Actor& actor);
// steps_failure.cpp
void stepFailure(Actor& actor);
void stepReset(Actor& actor);
// steps_query.cpp
void stepQuery(Actor& actor);
void stepMisuse(Actor& actor);
void stepLogCallback(Actor& actor);

}  // namespace rtrandom
