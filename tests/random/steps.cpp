// The table of steps.
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr Step kSteps[] = {
    {"work", 200, stepWork},
    {"many ops", 20, stepManyOps},
    {"wait", 15, stepWait},
    {"hold back", 12, stepHoldBack},
    {"pay", 15, stepPay},
    {"prefetch", 5, stepPrefetch},
    {"compare", 20, stepCompare},
    {"host write", 10, stepHostWrite},
    {"synchronous", 8, stepSynchronous},
    {"allocate", 22, stepAllocate},
    {"free", 16, stepFree},
    {"pool", 4, stepPool},
    {"context", 2, stepContext},
    {"stream", 12, stepStream},
    {"event", 12, stepEvent},
    {"fence", 6, stepFence},
    {"capture", 6, stepCapture},
    {"build graph", 6, stepBuildGraph},
    {"launch graph", 24, stepLaunchGraph},
    {"change exec", 6, stepChangeExec},
    {"drop graph", 5, stepDropGraph},
    {"failure", 4, stepFailure},
    {"reset", 2, stepReset},
    {"query", 10, stepQuery},
    {"misuse", 6, stepMisuse},
    {"log callback", 3, stepLogCallback},
};

constexpr unsigned totalWeight() {
  unsigned total = 0;
  for (const Step& step : kSteps) total += step.weight;
  return total;
}

}  // namespace

const Step& chooseStep(Rng& rng) {
  size_t left = rng.below(totalWeight());
  for (const Step& step : kSteps) {
    if (left < step.weight) return step;
    left -= step.weight;
  }
  return kSteps[0];
}

}  // namespace rtrandom
