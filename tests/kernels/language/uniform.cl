// Values that are the same for all items of a group, computed beside values that are not.

uint first(uint a, uint b) {
  for (uint i = 0; i < (b & 3u); ++i) b >>= 1;
  return a * 3u;
}

uint counted(uint a, uint b) {
  uint left = 0;
  do {
    left ^= first(b, left);
  } while (++left < (a & 7u));
  return a + 1u;
}

kernel void helpers(global const uint *in, global uint *out, uint n) {
  const uint g = get_global_id(0);
  const uint own = in[g];
  out[g] = in[first(n, own) & 7u] + own;
  out[g] ^= in[counted(n, own) & 7u];
}

kernel void helpers_atomic(global const uint *in, global uint *out, uint n, local uint *sums) {
  const uint g = get_global_id(0), l = get_local_id(0);
  for (uint i = l; i < 8u; i += get_local_size(0)) sums[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sums[counted(n, in[g]) & 1u & (get_local_size(0) - 1u)], in[g]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = sums[0] + 7u * sums[1];
}

kernel void commas(global const uint *in, global uint *out, uint n) {
  const uint g = get_global_id(0);
  uint own = in[g], sum = 0;
  sum += ((own >> (own & 3u)), n) + in[(sqrt((float)own), 3)];
  sum += in[(own += in[g + 1], n) & 7u];
  for (uint i = 0; (own += i, i < n); ++i) sum += in[i];
  if ((own ^= in[g + n], n > 3u)) sum += 5u;
  while ((own >>= 1, n > 100u)) ++sum;
  out[g] = own + sum + ((own > 3u), 5u);
}

// Pointers after a comma, and a jump out of a loop that all items count.
kernel void pointers(global const uint *in, global uint *out, uint n) {
  const uint g = get_global_id(0);
  uint own = in[g];
  uint two[2], one = 1;
  two[0] = 1;
  two[1] = own;
  uint *q = (own, two + 1), *z = (own++, &one);
  *z += own;
  global const uint *p = (own, in + n), *r = in + own % 5u;
  uint sum = (own, in + g)[1] + (n, in + g)[2] * 3u + *(own, two + 1) * 5u + (own, two)[g & 1u] * 7u + *q * 9u + one;
  sum += p[g] * 11u + *(own, r) * 13u + (own, r)[2] * 15u;
  p = (own > 2u, p + 1);
  out[g] = sum + p[g] * 17u;
}

kernel void jumps(global const uint *in, global uint *out, uint n) {
  const uint g = get_global_id(0);
  out[g] = 0;
  for (uint k = 0; k < n; ++k) {
    const uint found = in[k];
    if (found > 900000000u) goto end;
    out[g] += found + g;
  }
end:
  out[g] += 1;
}
