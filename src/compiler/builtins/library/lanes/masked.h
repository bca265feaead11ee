// Library of the generated vector code: loads and stores of some lanes of neighbours, by one instruction of AVX-512. `on` has a
// bit for each lane.
#pragma once

#include "types.h"

#if MRT_MASKED
template <int N, class V, class T>
MRT_IN V mrt_load_masked(const T* p, unsigned on) {
  if constexpr (N == 16 && sizeof(T) == 4)
    return (V)__builtin_ia32_loaddqusi512_mask((const int*)p, (MRT_V(16, int)){}, (unsigned short)on);
  else if constexpr (N == 16 && sizeof(T) == 2)
    return (V)__builtin_ia32_loaddquhi256_mask((const short*)p, (MRT_V(16, short)){}, (unsigned short)on);
  else if constexpr (N == 16)
    return (V)__builtin_ia32_loaddquqi128_mask((const char*)p, (MRT_V(16, char)){}, (unsigned short)on);
  else if constexpr (sizeof(T) == 8)
    return (V)__builtin_ia32_loaddqudi512_mask((const long long*)p, (MRT_V(8, long long)){}, (unsigned char)on);
  else
    return (V)__builtin_ia32_loaddqusi256_mask((const int*)p, (MRT_V(8, int)){}, (unsigned char)on);
}
template <int N, class T, class V>
MRT_IN void mrt_put_masked(T* p, V x, unsigned on) {
  if constexpr (N == 16 && sizeof(T) == 4)
    __builtin_ia32_storedqusi512_mask((int*)p, (MRT_V(16, int))x, (unsigned short)on);
  else if constexpr (N == 16 && sizeof(T) == 2)
    __builtin_ia32_storedquhi256_mask((short*)p, (MRT_V(16, short))x, (unsigned short)on);
  else if constexpr (N == 16)
    __builtin_ia32_storedquqi128_mask((char*)p, (MRT_V(16, char))x, (unsigned short)on);
  else if constexpr (sizeof(T) == 8)
    __builtin_ia32_storedqudi512_mask((long long*)p, (MRT_V(8, long long))x, (unsigned char)on);
  else
    __builtin_ia32_storedqusi256_mask((int*)p, (MRT_V(8, int))x, (unsigned char)on);
}
#endif
