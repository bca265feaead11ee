// Tables at program scope and inside functions: scalars, vectors, structs, strings, designated and nested initialisers.
typedef struct {
  int weight;
  float2 point;
  char name[4];
} Entry;

__constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant float filter[] = {0.25f, 0.5f, 0.25f};
__constant uint grid[2][3] = {{1, 2, 3}, {4, 5}};
__constant int4 steps[2] = {(int4)(1, 2, 3, 4), (int4)(-1)};
__constant Entry entries[] = {{1, (float2)(1.5f, 2.5f), "ab"}, {.weight = 7, .name = {'x', 'y', 'z'}}};
__constant int picked[6] = {[4] = 40, [1] = 10, 20};
__constant const int answer = 6 * 7, *__constant to_answer = &answer;
__constant char greeting[] = "hello";
__constant ulong wide = 0x123456789abcdef0ul;
static __constant uchar bytes[256 / 64] = {255, 254, 0};
enum { COUNT = sizeof(primes) / sizeof(primes[0]) };

int at(__constant int *table, int index) { return table[index % COUNT]; }
int length(__constant char *text) {
  int n = 0;
  while (*text++) ++n;
  return n;
}

__kernel void look(__global int *out, int n) {
  __constant int inside[3] = {100, 200, 300};
  int i = 0;
  out[i++] = at(primes, n) + at(inside, 1);
  out[i++] = (int)((filter[0] + filter[1] + filter[2]) * 100.0f) + sizeof(filter);
  out[i++] = (int)(grid[1][1] + grid[1][2] + grid[0][n % 3]);
  out[i++] = steps[0].z + steps[1].w;
  out[i++] = entries[0].weight + (int)entries[0].point.y + entries[0].name[1] + entries[0].name[2];
  out[i++] = entries[1].weight + (int)entries[1].point.x + entries[1].name[2];
  out[i++] = picked[0] + picked[1] + picked[2] + picked[4] + picked[5] + sizeof(picked);
  out[i++] = *to_answer;
  out[i++] = length(greeting) * 10 + sizeof(greeting) + length("four");
  out[i++] = (int)(wide >> 36);
  out[i++] = bytes[0] + bytes[1] + bytes[2] + bytes[3];
  __constant const int *p = primes + 2;
  out[i] = p[n];
  out[i] += *p++;
  out[i++] += *p + (int)(p - primes);
}

__kernel void look_up(__global const int *in, __global int *out, __constant int *table, __constant Entry *more) {
  int g = get_global_id(0);
  out[g] = table[in[g] & 7] + primes[in[g] & 7] + more[in[g] & 1].weight;
}
