// Atomic functions, and what the lanes of a warp exchange. Lanes that spin on an atomic leave the turn to others now and then.

SIMULATED_CUDA_FUNCTION void simulated_cuda_turn() {
  if (__builtin_is_constant_evaluated()) return;
  struct Turns {
    static unsigned& count() {
      static thread_local unsigned turns = 0;
      return turns;
    }
  };
  if (++Turns::count() % 1024 == 0) simulated_cuda_pause();
}

template <class T, class Change>
constexpr inline T simulated_cuda_change(T* at, Change change) {
  simulated_cuda_touch(at, sizeof *at, 1);
  T before{}, after{};
  __atomic_load(at, &before, 0);
  do {
    after = change(before);
  } while (!__atomic_compare_exchange(at, &before, &after, true, 5, 0));
  return before;
}

#define SIMULATED_CUDA_ATOMIC(type, name, expression)                                                \
  SIMULATED_CUDA_FUNCTION type name(type* at, type value) {                                          \
    return simulated_cuda_change(at, [=]([[maybe_unused]] type old) { return (type)(expression); }); \
  }                                                                                                  \
  SIMULATED_CUDA_FUNCTION type name##_block(type* at, type value) { return name(at, value); }        \
  SIMULATED_CUDA_FUNCTION type name##_system(type* at, type value) { return name(at, value); }

#define SIMULATED_CUDA_ATOMIC_INTEGERS(type)                        \
  SIMULATED_CUDA_ATOMIC(type, atomicAdd, old + value)               \
  SIMULATED_CUDA_ATOMIC(type, atomicMin, old < value ? old : value) \
  SIMULATED_CUDA_ATOMIC(type, atomicMax, old > value ? old : value) \
  SIMULATED_CUDA_ATOMIC(type, atomicAnd, old& value)                \
  SIMULATED_CUDA_ATOMIC(type, atomicOr, old | value)                \
  SIMULATED_CUDA_ATOMIC(type, atomicXor, old ^ value)               \
  SIMULATED_CUDA_EXCHANGES(type)
#define SIMULATED_CUDA_EXCHANGES(type)                                                                                         \
  SIMULATED_CUDA_FUNCTION type atomicExch(type* at, type value) {                                                              \
    simulated_cuda_turn();                                                                                                     \
    return simulated_cuda_change(at, [=](type) { return value; });                                                             \
  }                                                                                                                            \
  SIMULATED_CUDA_FUNCTION type atomicCAS(type* at, type expected, type value) {                                                \
    simulated_cuda_turn();                                                                                                     \
    return simulated_cuda_change(at, [=](type old) { return old == expected ? value : old; });                                 \
  }                                                                                                                            \
  SIMULATED_CUDA_FUNCTION type atomicCAS_block(type* at, type expected, type value) { return atomicCAS(at, expected, value); } \
  SIMULATED_CUDA_FUNCTION type atomicCAS_system(type* at, type expected, type value) { return atomicCAS(at, expected, value); }
SIMULATED_CUDA_ATOMIC_INTEGERS(int)
SIMULATED_CUDA_ATOMIC_INTEGERS(unsigned)
SIMULATED_CUDA_ATOMIC_INTEGERS(long long)
SIMULATED_CUDA_ATOMIC_INTEGERS(unsigned long long)
SIMULATED_CUDA_EXCHANGES(unsigned short)
SIMULATED_CUDA_ATOMIC(int, atomicSub, old - value)
SIMULATED_CUDA_ATOMIC(unsigned, atomicSub, old - value)
SIMULATED_CUDA_ATOMIC(unsigned, atomicInc, old >= value ? 0u : old + 1)
SIMULATED_CUDA_ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
SIMULATED_CUDA_ATOMIC(float, atomicAdd, old + value)
SIMULATED_CUDA_ATOMIC(double, atomicAdd, old + value)
SIMULATED_CUDA_ATOMIC(float, atomicExch, value)

// ---- a warp ----

SIMULATED_CUDA_FUNCTION unsigned simulated_cuda_lane() {
  return SIMULATED_CUDA_RUN(
      0u, (simulated_cuda_item.thread.x +
           simulated_cuda_item.block_size.x *
               (simulated_cuda_item.thread.y + simulated_cuda_item.block_size.y * simulated_cuda_item.thread.z)) %
              32);
}
inline simulated_cuda::Lane simulated_cuda_exchange(unsigned mask, unsigned long long value) {
  simulated_cuda::Lane lane{};
  lane.mask = mask;
  lane.value = value;
  simulated_cuda_hooks.exchange(&lane);
  return lane;
}
inline void __syncwarp(unsigned mask = ~0u) { simulated_cuda_exchange(mask, 0); }
inline unsigned __activemask() { return ~0u; }
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const simulated_cuda::Lane lane = simulated_cuda_exchange(mask, predicate != 0);
  unsigned votes = 0;
  for (unsigned i = 0; i < 32; ++i) votes |= (unsigned)lane.all[i] << i;
  return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

template <class T>
inline T simulated_cuda_shuffle(unsigned mask, T value, unsigned source, bool inside) {
  static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  const simulated_cuda::Lane lane = simulated_cuda_exchange(mask, bits);
  if (inside) __builtin_memcpy(&value, &lane.all[source % 32], sizeof value);
  return value;
}
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned own = simulated_cuda_lane(), group = own & ~(unsigned)(width - 1);
  return simulated_cuda_shuffle(mask, value, group + ((unsigned)source & (unsigned)(width - 1)), true);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned own = simulated_cuda_lane(), place = own & (unsigned)(width - 1);
  return simulated_cuda_shuffle(mask, value, own - delta, place >= delta);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned own = simulated_cuda_lane(), place = own & (unsigned)(width - 1);
  return simulated_cuda_shuffle(mask, value, own + delta, place + delta < (unsigned)width);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32) {
  const unsigned own = simulated_cuda_lane(), source = own ^ (unsigned)other;
  return simulated_cuda_shuffle(mask, value, source, source / (unsigned)width <= own / (unsigned)width);
}
