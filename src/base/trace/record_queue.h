// The way of a timeline's records into its file. Threads put records into chunks of memory, under one lock, so that the file
// has them in the order in which they were put. A thread of the library makes them text and writes it. It starts with the first
// chunk that is handed on. Where no thread can be started, the thread that fills a chunk writes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "base/trace/record.h"

namespace manyrt::trace::queue {

// Opens the file. BUSY where one is open, IO where it cannot be written.
Status begin(const char* path);
// Writes what is left, and ends the file. INVALID_VALUE: there is none. IO: it is incomplete.
Status end();

// Each sets the sizes of the headers. `now` is a time of the record. A chunk is handed on once it is a tenth of a second old.
// So the file misses little if it is read while it is written, or its process is killed. Waits while the writing is 16 MiB
// late. A disk that is full is logged by the first thread that comes after it, and ends the timeline. Nothing is put where no
// file is open.
void putText(const char* lines, size_t size);
void put(record::Part& part, const char* name);
template <class Record>
void put(record::Type type, Record& record, int64_t now);

namespace internal {
// A record, which begins with `header`, and the letters after it. `now`: a time of the host's clock, or 0.
void put(record::Header* header, const void* record, size_t size, const char* rest, size_t rest_size, int64_t now);
}  // namespace internal

template <class Record>
void put(record::Type type, Record& record, int64_t now) {
  record.header.type = type;
  internal::put(&record.header, &record, sizeof record, nullptr, 0, now);
}

void beforeFork();
void afterForkInParent();
void afterForkInChild();

}  // namespace manyrt::trace::queue
