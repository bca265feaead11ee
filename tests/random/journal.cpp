// A ring of notes. Each takes a place by a counter, so that their order is the order of submission for each thread.
#include "random/journal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "random/call_log.h"

namespace rtrandom {
namespace {

constexpr uint64_t kNotes = 1 << 17;
constexpr size_t kPrinted = 60, kRanges = 24, kBytes = 16, kGap = 8;

// The fields are atomic since the thread that prints reads what others write; a torn note misleads, and is rare.
struct Note {
  std::atomic<const char*> what{nullptr};
  std::atomic<uintptr_t> first{0};
  std::atomic<size_t> size{0};
  std::atomic<uint64_t> step{0};
  std::atomic<const char*> op{nullptr};
  std::atomic<uint64_t> value{0};
  std::atomic<const void*> stream{nullptr};
  std::atomic<const CallLog*> thread{nullptr};
};

std::array<Note, kNotes>& notes() {
  static auto* all = new std::array<Note, kNotes>();
  return *all;
}
std::atomic<uint64_t> note_count{0};

}  // namespace

void noteMemory(const char* what, const void* address, size_t size, uint64_t step, const Op* op, const void* stream) {
  Note& note = notes()[note_count.fetch_add(1, std::memory_order_relaxed) % kNotes];
  note.what.store(what, std::memory_order_relaxed);
  note.first.store(reinterpret_cast<uintptr_t>(address), std::memory_order_relaxed);
  note.size.store(size, std::memory_order_relaxed);
  note.step.store(step, std::memory_order_relaxed);
  note.op.store(op == nullptr ? "" : nameOf(op->type), std::memory_order_relaxed);
  note.value.store(op == nullptr ? 0 : op->value, std::memory_order_relaxed);
  note.stream.store(stream, std::memory_order_relaxed);
  note.thread.store(&logOfThread(), std::memory_order_relaxed);
}

void printMemoryNotes(const void* address, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(address);
  const uint64_t end = note_count.load();
  std::vector<uint64_t> found;
  for (uint64_t index = end; index > 0 && index + kNotes > end && found.size() < kPrinted; --index) {
    const Note& note = notes()[(index - 1) % kNotes];
    const uintptr_t other = note.first.load();
    if (other < first + size && first < other + note.size.load()) found.push_back(index - 1);
  }
  std::reverse(found.begin(), found.end());
  fprintf(stderr, "\nWhat was done lately to these addresses, by all threads:\n");
  for (const uint64_t index : found) {
    const Note& note = notes()[index % kNotes];
    fprintf(stderr, "  %9llu %s, step %llu: %s %s, %zu bytes at %p, value %llu, stream %p\n",
            static_cast<unsigned long long>(index), note.thread.load()->name().c_str(),
            static_cast<unsigned long long>(note.step.load()), note.what.load(), note.op.load(), note.size.load(),
            reinterpret_cast<const void*>(note.first.load()), static_cast<unsigned long long>(note.value.load()),
            note.stream.load());
  }
}

void printDifferences(const uint8_t* found, const std::vector<uint8_t>& expected) {
  fprintf(stderr, "\nWrong bytes, in ranges with fewer than %zu right ones between:\n", kGap);
  size_t ranges = 0;
  for (size_t i = 0; i < expected.size() && ranges < kRanges; ++i) {
    if (found[i] == expected[i]) continue;
    size_t last = i;
    for (size_t j = i; j < expected.size() && j - last <= kGap; ++j) {
      if (found[j] != expected[j]) last = j;
    }
    fprintf(stderr, "  %zu to %zu, found:", i, last);
    for (size_t j = i; j <= last && j < i + kBytes; ++j) fprintf(stderr, " %02x", found[j]);
    fprintf(stderr, "  expected:");
    for (size_t j = i; j <= last && j < i + kBytes; ++j) fprintf(stderr, " %02x", expected[j]);
    fprintf(stderr, "\n");
    i = last;
    ++ranges;
  }
}

}  // namespace rtrandom
