// Branches, early returns, switches, gotos and helpers with barriers. Every kernel: one group is `size` consecutive elements.
#define ITEM (int)get_local_id(0)
#define SIZE (int)get_local_size(0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define HEAD                                            \
  const int g = get_global_id(0), i = ITEM, s = SIZE;   \
  int x = in[g] & 0xfff

__kernel void if_and_else(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  if (n > 3) {
    BARRIER;
    x += scratch[(i + 1) % s];
  } else {
    x *= 2;
    BARRIER;
    x -= scratch[s - 1 - i];
  }
  if (n & 1) BARRIER;
  out[g] = x;
}

__kernel void else_if_chain(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  if (n == 0) {
    x = 1;
  } else if (n == 5) {
    BARRIER;
    int t = scratch[(i + 1) % s];
    BARRIER;
    scratch[i] = t;
    BARRIER;
    x += scratch[s - 1 - i];
  } else if (n == 2) {
    BARRIER;
    x = -scratch[s - 1 - i];
  }
  out[g] = x;
}

__kernel void all_return_early(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  out[g] = x;
  if (n == 2) return;
  scratch[i] = x;
  BARRIER;
  out[g] = x + scratch[(i + 1) % s];
  if (n == 5) return;
  BARRIER;
  out[g] = 0;
}

// The language leaves open what happens here; this library promises that it ends and that the other items go on.
__kernel void some_return_early(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  if (i % 3 == 2) {
    out[g] = -7;
    return;
  }
  scratch[i] = x;
  BARRIER;
  x += scratch[i - i % 3];
  BARRIER;
  scratch[i] = x;
  BARRIER;
  out[g] = x + scratch[i] + n;
}

__kernel void items_after_the_end_return(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  if (i >= n) return;
  scratch[i] = x;
  BARRIER;
  int sum = 0;
  for (int k = 0; k < min(n, s); ++k) sum += scratch[k];
  BARRIER;
  out[g] = sum;
}

// Items that come to the barrier's branch end before it, and the others need not come.
__kernel void all_that_enter_return(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  if ((i & 1) != 0) {
    x += 5;
    if (s > 0) {
      out[g] = x;
      return;
    }
    BARRIER;
    x = scratch[0];
  }
  out[g] = x + 1;
}

__kernel void returns_between_barriers(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  BARRIER;
  x = scratch[s - 1 - i];
  if (x & 1) {
    out[g] = x;
    return;
  }
  BARRIER;
  for (int k = 0; k < n; ++k) {
    if (((x >> k) & 2) != 0) {
      out[g] = -k;
      return;
    }
    BARRIER;
  }
  out[g] = x + 100000;
}

__kernel void switch_with_barriers(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  switch (n) {
    case 0:
      x = 0;
      break;
    case 2:
      BARRIER;
      x += scratch[(i + 1) % s];
    case 3:
      BARRIER;
      x += 10;
      break;
    default: {
      int t = x;
      BARRIER;
      x = t - scratch[s - 1 - i];
      BARRIER;
      x += t;
    }
  }
  out[g] = x;
}

__kernel void switch_in_a_loop(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < 6; ++k) {
    switch (k % 3) {
      case 0:
        scratch[i] = x;
        BARRIER;
        x += scratch[(i + 1) % s] & 7;
        BARRIER;
        break;
      case 1:
        if (k > n) continue;
        x += 2;
        break;
      default:
        BARRIER;
        continue;
    }
    x ^= k;
  }
  out[g] = x;
}

__kernel void goto_backwards(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k = 0;
again:
  scratch[i] = x;
  BARRIER;
  x += scratch[(i + 1) % s] & 0xff;
  BARRIER;
  if (++k < n) goto again;
  out[g] = x;
}

__kernel void goto_out_of_loops(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < 5; ++k) {
    for (int m = 0; m < 5; ++m) {
      scratch[i] = x + m;
      BARRIER;
      x += scratch[s - 1 - i] & 31;
      BARRIER;
      if (k * 5 + m == n + 4) goto done;
    }
  }
  x = -x;
done:
  out[g] = x;
}

__kernel void goto_without_barriers_near(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k = 0;
  scratch[i] = x;
  BARRIER;
  for (;;) {
    if (scratch[(i + k) % s] & 1) goto found;
    if (++k == s) goto none;
  }
found:
  x = k;
  goto end;
none:
  x = -1;
end:
  out[g] = x + n;
}

int neighbour(__local int *scratch, int value) {
  int i = get_local_id(0);
  scratch[i] = value;
  BARRIER;
  int result = scratch[(i + 1) % (int)get_local_size(0)];
  BARRIER;
  return result;
}

void exchange(__local int *scratch, int *value) {
  scratch[get_local_id(0)] = *value;
  BARRIER;
  *value = scratch[get_local_size(0) - 1 - get_local_id(0)];
  BARRIER;
}

int group_sum(__local int *scratch, int value) {
  int total = 0;
  for (int k = 0; k < (int)get_local_size(0); ++k) {
    total += value;
    value = neighbour(scratch, value);
  }
  return total;
}

inline int checked(__local int *scratch, int value, int n) {
  if (n == 2) return -value;
  int y = neighbour(scratch, value);
  if (n > 4) {
    exchange(scratch, &y);
    return y + 1;
  }
  return y;
}

__kernel void helper_with_result(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int y = neighbour(scratch, x);
  y += neighbour(scratch, y + n);
  out[g] = x + y;
}

__kernel void helper_in_an_expression(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  out[g] = x + neighbour(scratch, x * 2) * 3 - (neighbour(scratch, n + i) & 15);
}

__kernel void helper_of_a_helper(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  out[g] = group_sum(scratch, x) + n;
}

__kernel void helper_as_argument(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  out[g] = neighbour(scratch, neighbour(scratch, x) + n);
}

__kernel void helper_changes_a_private(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int v[2] = {x, n};
  exchange(scratch, &x);
  exchange(scratch, &v[i & 1]);
  exchange(scratch, v);
  out[g] = x + v[0] * 3 + v[1];
}

__kernel void helper_that_returns_early(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int y = checked(scratch, x, n);
  out[g] = y * 2 + x;
}

__kernel void helper_in_conditions(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  if (group_sum(scratch, x) > 100) x += 1;
  if (n > 3 && group_sum(scratch, i) >= 0) x += 2;
  int k = 0;
  while (k < n && group_sum(scratch, 1) > 0) {
    x += neighbour(scratch, k);
    ++k;
  }
  int y = n > 2 ? neighbour(scratch, x) : x;
  for (int m = group_sum(scratch, 0); m < 2; ++m) y += m;
  out[g] = y;
}

__kernel void helper_in_a_loop_that_breaks(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < 8; ++k) {
    if (k == n) break;
    if (k == 1) continue;
    exchange(scratch, &x);
    x += k;
  }
  out[g] = x;
}

__kernel void called_kernel(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  BARRIER;
  out[g] = scratch[(i + 1) % s] * n;
}

__kernel void kernel_that_calls_a_kernel(__global const int *in, __global int *out, int n, __local int *scratch) {
  called_kernel(in, out, n + 1, scratch);
  BARRIER;
  out[get_global_id(0)] += 1;
}

__kernel void barrier_first_and_last(__global const int *in, __global int *out, int n, __local int *scratch) {
  BARRIER;
  BARRIER;
  out[get_global_id(0)] = in[get_global_id(0)] + n + (int)(get_local_id(0) * 0 + SIZE * 0);
  BARRIER;
}

__kernel void barrier_under_a_label(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  {
    scratch[i] = x;
    { BARRIER; }
    ;
    { x = scratch[(i + 1) % s]; }
  }
here:
  BARRIER;
  out[g] = x + n;
  if (n < 0) goto here;
}

__kernel void only_fences(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  x = scratch[i] + n;
  write_mem_fence(CLK_GLOBAL_MEM_FENCE);
  out[g] = x;
}

// Items beyond a size leave first, then others for what they read: an item that is gone may not answer a condition.
__kernel void limit_then_mask(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = get_local_id(0);
  if (i >= 3) return;
  out[g] = -1;
  if (in[g] % 2 != 0) return;
  scratch[i] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  int rounds = 0;
  for (int k = 0; k < in[g - i] % 5 + 1; ++k) {
    rounds += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = scratch[i] + rounds + n;
}

// After the last barrier of a loop's body each item may go on by itself.
__kernel void some_continue_after_the_barrier(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    scratch[i] = x + k;
    BARRIER;
    const int other = scratch[(i + 1) % s];
    BARRIER;
    switch (other % 4) {
      case 0:
        continue;
      case 1:
        sum += 5;
        break;
      default:
        break;
    }
    if (other & 2) continue;
    sum += other;
  }
  out[g] = sum;
}

__kernel void some_break_in_the_last_round(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k = 0;
  do {
    scratch[i] = x + k;
    BARRIER;
    x = scratch[(i + 1) % s];
    BARRIER;
    if (k == n && (x & 1)) break;
    x += 100;
  } while (k++ < n);
  out[g] = x + k * 10000;
}

// The same for all, though it is not written with uniform values alone.
int has_reached(__local const int *at, int limit) { return at[0] >= limit; }
__kernel void all_break_by_local_memory(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  __local int rounds;
  int k = 0, more;
  if (i == 0) rounds = 0;
  for (;;) {
    BARRIER;
    more = rounds < n;
    if (!more) break;
    BARRIER;
    if (i == 0) rounds += 1;
    x += 1;
    BARRIER;
    if (has_reached(&rounds, 4)) continue;
    x += 2;
    if (++k == 3) break;
  }
  out[g] = x + k * 10000;
}

__kernel void helper_after_a_comma(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int y = (x += 3, neighbour(scratch, x));
  x = 7, y += neighbour(scratch, x);
  if ((y ^= n, neighbour(scratch, y)) < 0) y = 0;
  out[g] = y;
}

__kernel void goto_over_declarations(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  if (n == 2) goto end;
  const int twice = 2 * x;
  int both[2] = {twice, n};
  const int2 pair = {both[1], both[0]};
  x = pair.x + pair.y;
end:
  out[g] = x;
}

__kernel void bools_step(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  bool b = x & 1, c = b++, d = ++b, e = b--, f = --b, h = f--;
  out[g] = b + 2 * c + 4 * d + 8 * e + 16 * f + 32 * h + n;
}
