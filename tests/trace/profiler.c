/* A profiler on nothing but rtTraceSetCallback, in about a hundred lines. It makes the sums of RT_PROFILE, and looks whether
 * each piece of work has the submission and the call that it came from. It uses rt.h, C99 and POSIX threads. */
#include "profiler.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { kRows = 256, kSubmissions = 4096, kText = 128 };
enum Section { kWork, kBuild, kCall };

struct Row {
  enum Section section;
  int32_t kind;
  char device[32], name[kText], module[kText];
  uint64_t count, bytes;
  int64_t total, least, most, waited;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Row rows[kRows];
static int row_count;
/* Submissions: stream, number, call. Work that has run: stream, number. */
static uint64_t submissions[kSubmissions][3], works[kSubmissions][2];
static int submission_count, work_count;
static uint64_t lost, entered, left_again;

static void put(char* out, size_t size, const char* text) { snprintf(out, size, "%s", text); }

static void add(enum Section section, const rtTraceRecord_t* record) {
  const int64_t took = record->end_ns - record->begin_ns;
  struct Row* row = rows;
  while (row < rows + row_count &&
         (row->section != section || row->kind != record->work || strcmp(row->device, record->device) != 0 ||
          strcmp(row->name, record->name) != 0 || (section == kWork && strcmp(row->module, record->module) != 0))) {
    ++row;
  }
  if (row == rows + kRows) return;
  if (row == rows + row_count) {
    ++row_count;
    row->section = section;
    row->kind = record->work;
    row->least = INT64_MAX;
    put(row->device, sizeof row->device, record->device);
    put(row->name, sizeof row->name, record->name);
    put(row->module, sizeof row->module, record->module);
  }
  ++row->count;
  row->bytes += record->bytes;
  row->total += took;
  row->waited += record->waited_ns;
  if (took < row->least) row->least = took;
  if (took > row->most) row->most = took;
}

/* Pieces of work of which no call is known. In the end, since short work may be told before its submission. */
static uint64_t orphans(void) {
  uint64_t count = 0;
  for (int i = 0; i < work_count; ++i) {
    int at = submission_count - 1;
    while (at >= 0 && (submissions[at][0] != works[i][0] || submissions[at][1] != works[i][1])) --at;
    count += at < 0 || submissions[at][2] == 0;
  }
  return count;
}

static void onRecord(const rtTraceRecord_t* record, void* user) {
  (void)user;
  pthread_mutex_lock(&mutex);
  if (record->type == RT_TRACE_RECORD_ENTER) ++entered;
  if (record->type == RT_TRACE_RECORD_EXIT) {
    ++left_again;
    add(kCall, record);
  }
  if (record->type == RT_TRACE_RECORD_SUBMISSION && submission_count < kSubmissions) {
    submissions[submission_count][0] = record->stream;
    submissions[submission_count][1] = record->serial;
    submissions[submission_count++][2] = record->call;
  }
  if (record->type == RT_TRACE_RECORD_WORK) {
    add(kWork, record);
    if (work_count < kSubmissions) {
      works[work_count][0] = record->stream;
      works[work_count++][1] = record->serial;
    }
  }
  if (record->type == RT_TRACE_RECORD_BUILD) add(kBuild, record);
  if (record->type == RT_TRACE_RECORD_LOST) lost += record->lost;
  pthread_mutex_unlock(&mutex);
}

rtStatus_t profilerBegin(void) {
  return rtTraceSetCallback(onRecord, NULL, RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS);
}

static void writeSection(FILE* out, const char* title, enum Section section) {
  static const char* const kinds[] = {"", "kernel", "copy", "fill", "prefetch", "graph", "task", "host function"};
  const char* comma = "";
  fprintf(out, "\"%s\":[", title);
  for (const struct Row* row = rows; row < rows + row_count; ++row) {
    if (row->section != section) continue;
    fprintf(out, "%s\n{\"name\":\"%s\",\"kind\":\"%s\",\"device\":\"%s\",\"module\":\"%s\",", comma, row->name,
            kinds[row->kind], row->device, row->module);
    fprintf(out, "\"count\":%llu,\"bytes\":%llu,\"total_ns\":%lld,\"min_ns\":%lld,\"max_ns\":%lld,\"waited_ns\":%lld}",
            (unsigned long long)row->count, (unsigned long long)row->bytes, (long long)row->total, (long long)row->least,
            (long long)row->most, (long long)row->waited);
    comma = ",";
  }
  fprintf(out, "],\n");
}

rtStatus_t profilerEnd(const char* file) {
  const rtStatus_t status = rtTraceSetCallback(NULL, NULL, 0); /* every record has been told when it returns */
  FILE* const out = fopen(file, "w");
  if (out == NULL) return RT_ERROR_IO;
  fprintf(out, "{");
  writeSection(out, "work", kWork);
  writeSection(out, "builds", kBuild);
  writeSection(out, "calls", kCall);
  fprintf(out, "\"lost\":%llu,\"orphans\":%llu,\"entered\":%llu,\"left\":%llu}\n", (unsigned long long)lost,
          (unsigned long long)orphans(), (unsigned long long)entered, (unsigned long long)left_again);
  return fclose(out) == 0 ? status : RT_ERROR_IO;
}
