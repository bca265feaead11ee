/* SPDX-License-Identifier: Apache-2.0
 *
 * PCG32 (O'Neill, pcg-random.org): random numbers that are the same for a seed on every machine. */
#ifndef MANYRT_EXAMPLES_DIGITS_PCG_H_
#define MANYRT_EXAMPLES_DIGITS_PCG_H_

#include <stdint.h>

typedef struct Pcg {
  uint64_t state;
} Pcg;

static inline uint32_t pcgNext(Pcg* pcg) {
  const uint64_t old = pcg->state;
  pcg->state = old * 6364136223846793005u + 1442695040888963407u;
  const uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
  const uint32_t turn = (uint32_t)(old >> 59);
  return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

static inline Pcg pcgSeed(uint64_t seed) {
  Pcg pcg = {seed + 1442695040888963407u};
  (void)pcgNext(&pcg);
  return pcg;
}

/* From -limit up to, but not including, limit. 24 bits are what a float holds exactly. */
static inline float pcgUniform(Pcg* pcg, float limit) {
  return limit * ((float)(pcgNext(pcg) >> 8) * (2.0f / 16777216.0f) - 1.0f);
}

/* Fisher and Yates. The product maps 32 random bits to 0..i without a division. */
static inline void pcgShuffle(uint32_t* order, uint32_t count, Pcg* pcg) {
  for (uint32_t i = count; i > 1; --i) {
    const uint32_t j = (uint32_t)(((uint64_t)pcgNext(pcg) * i) >> 32);
    const uint32_t swapped = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swapped;
  }
}

#endif /* MANYRT_EXAMPLES_DIGITS_PCG_H_ */
