/* A tool for NVTX as trace_test.py needs one: it writes what it is told to the file that NVTX_TOOL_FILE names. It takes its
 * place as tools do: InitializeInjectionNvtx2 asks for the table of functions and puts its own into it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Function)(void);
struct Callbacks {
  size_t struct_size;
  int (*getModuleFunctionTable)(int module, Function*** table, unsigned* size);
};

enum { kCallbacks = 1, kCore = 1, kMarkA = 2, kRangePushA = 9, kRangePop = 11 };

static FILE* out;

static void markA(const char* name) { fprintf(out, "!%s\n", name); }
static int rangePushA(const char* name) { return fprintf(out, "+%s\n", name) > 0 ? 0 : -1; }
static int rangePop(void) { return fprintf(out, "-\n") > 0 ? 0 : -1; }

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*getExportTable)(uint32_t));
int InitializeInjectionNvtx2(const void* (*getExportTable)(uint32_t)) {
  const struct Callbacks* const callbacks = (const struct Callbacks*)getExportTable(kCallbacks);
  Function** table = NULL;
  unsigned size = 0;
  const char* const file = getenv("NVTX_TOOL_FILE");
  if (file == NULL || callbacks == NULL || callbacks->getModuleFunctionTable(kCore, &table, &size) == 0) return 0;
  if (size <= kRangePop || getExportTable(99) != NULL || callbacks->getModuleFunctionTable(99, &table, &size) != 0) return 0;
  out = fopen(file, "w");
  if (out == NULL) return 0;
  *table[kMarkA] = (Function)markA;
  *table[kRangePushA] = (Function)rangePushA;
  *table[kRangePop] = (Function)rangePop;
  return 1;
}
