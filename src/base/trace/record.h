// The form of a timeline until it is text: records of fixed form, one after the other in chunks of memory. Events that come in
// great numbers have types of their own, all others are text already. Addresses in records are those of literals and of kept
// texts. The text of records is made in record_text.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/trace.h"

namespace manyrt::trace::record {

constexpr int kThreads = 1;  // the process of the picture that has the threads; each device is another one

enum class Type : uint32_t { kText, kCall, kPart, kSubmitted, kWork, kClock };

struct Header {
  Type type;
  uint32_t size;  // of the record with its header and the letters after it
};

// Text: the header alone, and the letters of the lines after it.

struct Call {
  Header header;
  uint64_t thread;
  const char* name;  // literal
  int64_t begin, end;
  uint64_t track, serial;  // of the work that its arrow leads to; track 0: it has none
};

// With the letters of the name after it: a kernel may be gone before its records are text.
struct Part {
  Header header;
  uint64_t thread;
  int64_t begin, end;
};

struct Submitted {
  Header header;
  uint64_t thread, track, serial;
  int64_t time;
};

struct Work {
  Header header;
  uint64_t track, serial;
  const char *device, *label, *context;  // of the track, kept
  int64_t begin, end;
  trace::Work work;
};

struct Clock {
  Header header;
  const char* device;
  int64_t time, error;
};

}  // namespace manyrt::trace::record
