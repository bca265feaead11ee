/* A host module, as a user's compiler makes one of C: what the tests load as RT_IMAGE_HOST_OBJECT. The environment variable
 * MANYRT_TEST_SPOIL names one thing to spoil in its table before the library looks at it. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

static int64_t counter = 42;
static unsigned char table[100];

/* uint32_t* out, uint32_t count, uint32_t base: out[i] = base + i, over x. */
static void iota(const rtHostGroup_t* group, void* const* args) {
  uint32_t* out = *(uint32_t* const*)args[0];
  const uint32_t count = *(const uint32_t*)args[1];
  const uint32_t base = *(const uint32_t*)args[2];
  const uint32_t first = group->group_id[0] * group->group_size[0];
  uint32_t i;
  for (i = first; i < first + group->group_size[0] && i < count; ++i) out[i] = base + i;
}

/* uint32_t* out: counts the work-items of each group into out[group]. */
static void items(const rtHostGroup_t* group, void* const* args) {
  uint32_t* out = *(uint32_t* const*)args[0];
  out[group->group_id[0]] = group->group_size[0] * group->group_size[1] * group->group_size[2];
}

/* local bytes, uint32_t* out: fills all memory of the group and looks whether any two parts overlap or are not aligned. Writes
 * 1 + group index where all is well. */
static void memory(const rtHostGroup_t* group, void* const* args) {
  unsigned char* launch = (unsigned char*)group->local_memory;
  unsigned char* own = launch + ((group->local_bytes + 63) & ~(uint64_t)63);
  unsigned char* local = *(unsigned char* const*)args[0];
  uint32_t* out = *(uint32_t* const*)args[1];
  const uint64_t count = (uint64_t)group->group_size[0] * group->group_size[1] * group->group_size[2];
  const uint64_t own_bytes = 320 + 100 + 12 * count; /* 300 local bytes, rounded up, and the scratch */
  int good = (uintptr_t)launch % 64 == 0 && (uintptr_t)local % 64 == 0 && local >= own + own_bytes;
  uint64_t i;
  memset(launch, 1, group->local_bytes);
  memset(own, 2, own_bytes);
  memset(local, 3, 200);
  for (i = 0; i < group->local_bytes; ++i) good = good && launch[i] == 1;
  for (i = 0; i < own_bytes; ++i) good = good && own[i] == 2;
  out[group->group_id[0]] = good ? 1 + group->group_id[0] : 0;
}

/* uint32_t* entered, uint32_t* leave, uint32_t* after: says that it runs, waits for leave, writes to after. */
static void block(const rtHostGroup_t* group, void* const* args) {
  (void)group;
  __atomic_fetch_add(*(uint32_t* const*)args[0], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(*(uint32_t* const*)args[1], __ATOMIC_SEQ_CST) == 0) sched_yield();
  __atomic_fetch_add(*(uint32_t* const*)args[2], (uint32_t)counter, __ATOMIC_SEQ_CST);
}

/* 4096 bytes, char, uint32_t* out: their sum. */
static void wide(const rtHostGroup_t* group, void* const* args) {
  const unsigned char* bytes = (const unsigned char*)args[0];
  uint32_t sum = *(const unsigned char*)args[1];
  int i;
  (void)group;
  for (i = 0; i < 4096; ++i) sum += bytes[i];
  **(uint32_t* const*)args[2] = sum;
}

static void nothing(const rtHostGroup_t* group, void* const* args) {
  (void)group;
  (void)args;
}

static rtHostModuleArg_t iota_args[] = {
    {8, RT_ARG_POINTER, "out", "uint*"}, {4, RT_ARG_VALUE, "count", "uint"}, {4, RT_ARG_VALUE, NULL, NULL}};
static const rtHostModuleArg_t items_args[] = {{8, RT_ARG_POINTER, "out", "uint*"}};
static const rtHostModuleArg_t memory_args[] = {{8, RT_ARG_LOCAL, "tile", "uchar*"}, {8, RT_ARG_POINTER, "out", "uint*"}};
static const rtHostModuleArg_t block_args[] = {
    {8, RT_ARG_POINTER, "entered", "uint*"}, {8, RT_ARG_POINTER, "leave", "uint*"}, {8, RT_ARG_POINTER, "after", "uint*"}};
static const rtHostModuleArg_t wide_args[] = {
    {4096, RT_ARG_VALUE, "bytes", "struct bytes"}, {1, RT_ARG_VALUE, "more", "uchar"}, {8, RT_ARG_POINTER, "out", "uint*"}};

/* name, function, args, arg_count, flags, max_group_items, required_group_size, local, scratch, scratch per item */
static rtHostModuleKernel_t kernels[] = {{"iota", iota, iota_args, 3, 0, 0, {0, 0, 0}, 0, 0, 0},
                                         {"items", items, items_args, 1, 0, 0, {8, 2, 1}, 0, 0, 0},
                                         {"small", items, items_args, 1, 0, 4, {0, 0, 0}, 0, 0, 0},
                                         {"memory", memory, memory_args, 2, 0, 0, {0, 0, 0}, 300, 100, 12},
                                         {"block", block, block_args, 3, 0, 0, {0, 0, 0}, 0, 0, 0},
                                         {"wide", wide, wide_args, 3, 0, 0, {0, 0, 0}, 0, 0, 0},
                                         {"greedy", nothing, NULL, 0, 0, 0, {0, 0, 0}, (uint64_t)1 << 40, 0, 0},
                                         {"hungry", nothing, NULL, 0, 0, 0, {0, 0, 0}, 0, 0, (uint64_t)1 << 29},
                                         {"boundless", nothing, NULL, 0, 0, 0, {0, 0, 0}, 0, 1, UINT64_MAX}};
static rtHostModuleGlobal_t globals[] = {{"counter", &counter, sizeof counter}, {"table", table, sizeof table}};

#if defined(MANYRT_TEST_NO_TABLE)
#define EXPORTED static
#else
#define EXPORTED __attribute__((visibility("default")))
#endif
EXPORTED rtHostModule_t rtHostModule = {
    sizeof(rtHostModule_t), sizeof kernels / sizeof kernels[0], kernels, globals, sizeof globals / sizeof globals[0], 0};

static char long_name[300];

static void spoil(const char* what) {
#define SPOIL(name, statement)   \
  if (strcmp(what, name) == 0) { \
    statement;                   \
  }
  SPOIL("struct_size_small", rtHostModule.struct_size -= 1)
  SPOIL("struct_size_zero", rtHostModule.struct_size = 0)
  SPOIL("struct_size_huge", rtHostModule.struct_size = UINT32_MAX)
  SPOIL("flags", rtHostModule.flags = 1)
  SPOIL("kernel_count", rtHostModule.kernel_count = UINT32_MAX)
  SPOIL("global_count", rtHostModule.global_count = UINT32_MAX)
  SPOIL("kernels", rtHostModule.kernels = NULL)
  SPOIL("globals", rtHostModule.globals = NULL)
  SPOIL("kernel_name", kernels[1].name = NULL)
  SPOIL("kernel_name_empty", kernels[1].name = "")
  SPOIL("kernel_name_long", kernels[1].name = (const char*)memset(long_name, 'x', sizeof long_name - 1))
  SPOIL("kernel_name_twice", kernels[1].name = "iota")
  SPOIL("kernel_function", kernels[1].function = NULL)
  SPOIL("kernel_flags", kernels[1].flags = 1)
  SPOIL("kernel_args", kernels[1].args = NULL)
  SPOIL("kernel_arg_count", kernels[1].arg_count = 257)
  SPOIL("kernel_required", kernels[1].required_group_size[2] = 0)
  SPOIL("arg_kind", iota_args[1].kind = 3)
  SPOIL("arg_kind_negative", iota_args[1].kind = -1)
  SPOIL("arg_size_zero", iota_args[1].size = 0)
  SPOIL("arg_size_large", iota_args[1].size = 4097)
  SPOIL("arg_size_pointer", iota_args[0].size = 4)
  SPOIL("global_name", globals[1].name = NULL)
  SPOIL("global_name_twice", globals[1].name = "counter")
  SPOIL("global_address", globals[1].address = NULL)
#undef SPOIL
}

__attribute__((constructor)) static void prepare(void) {
  const char* what = getenv("MANYRT_TEST_SPOIL");
  if (what != NULL) spoil(what);
}
