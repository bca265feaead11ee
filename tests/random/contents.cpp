// Where the model and the memory meet: what a buffer begins with, ops on streams, and comparisons of all bytes.
#include <algorithm>
#include <cstring>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/journal.h"
#include "random/settings.h"

namespace rtrandom {
namespace {

const char* nameOf(MemoryType type) {
  static constexpr const char* kNames[] = {"device", "pinned", "shared", "registered", "pageable", "imported"};
  return kNames[static_cast<int>(type)];
}

}  // namespace

// Memory begins with undefined contents: gives it some, by the host where it reaches the memory, else by a fill in a stream.
void Actor::fillNew(const BufferRef& buffer) {
  const auto value = static_cast<uint8_t>(rng.next());
  std::memset(buffer->contents.data(), value, buffer->size());
  if (buffer->hostReaches()) {
    std::memset(buffer->address, value, buffer->size());
    return;
  }
  const StreamRef stream = buffer->uses.empty() ? streamOf(buffer->context) : buffer->uses.back().stream;
  OK(rtMemsetAsync, buffer->address, static_cast<int32_t>(value), buffer->size(), stream->handle);
  ++stream->submitted;
  used(stream, buffer, true);
  buffer->note("first fill", step, nullptr, "");
  noteMemory("first fill", buffer->address, buffer->size(), step, nullptr, stream->handle);
}

// Gives a random op on some buffers to a stream.
void Actor::giveOp(const StreamRef& stream) {
  if (buffers.empty()) return;
  BufferRef chosen[3];
  Operand operands[3];
  uint8_t* addresses[3];
  std::vector<uint8_t>* contents[3];
  const size_t count = rng.range(1, 3);
  for (size_t i = 0; i < count; ++i) {
    chosen[i] = buffers[rng.below(buffers.size())];
    for (size_t j = 0; j < i; ++j) {
      if (chosen[j] == chosen[i]) return;
    }
    operands[i] = chosen[i]->operandFor(*stream->context);
    addresses[i] = chosen[i]->address;
    contents[i] = &chosen[i]->contents;
  }
  Op op;
  if (!generate(rng, {operands, count}, stream->context->kernels, &op)) return;
  const BufferRef& dst = chosen[op.dst];
  const BufferRef& src = chosen[op.src];
  if (op.writes()) order(stream, dst, true);
  if (op.reads()) order(stream, src, false);
  if (op.type == OpType::kSum) order(stream, chosen[op.other], false);
  const bool pageable_source = (op.type == OpType::kCopy || op.type == OpType::kCopy2D) && src->type == MemoryType::kPageable;
  const bool pageable_target = op.writes() && dst->type == MemoryType::kPageable && op.type != OpType::kHostFunction;
  if (pageable_target || (pageable_source && !kPageableSourcesReadAtOnce)) payDebts();  // the call may wait for the stream
  if (pageable_source) waitForUses(src, true);  // it is read by the call, in no stream's order

  std::unique_ptr<HostCall> call;
  if (op.type == OpType::kHostFunction || op.type == OpType::kNative) {
    call = std::make_unique<HostCall>();
    call->op = op;
    call->address = addresses[op.dst];
    call->seed = rng.next();
    call->stream = stream->handle;
    if (op.type == OpType::kHostFunction) counts().host_submitted.fetch_add(1);
  }
  const rtStatus_t status = submit(op, {addresses, count}, stream->context->kernels, call.get(), stream->handle);
  if (status != RT_SUCCESS) {
    fail("a valid %s on a stream without failure returned %s: %s", nameOf(op.type), rtGetErrorName(status),
         lastMessage().c_str());
  }
  if (call != nullptr) host_calls.push_back(std::move(call));
  applyOp(op, {contents, count});
  ++stream->submitted;
  char where[40];
  snprintf(where, sizeof where, "on %p", static_cast<void*>(stream->handle));
  for (size_t i = 0; i < count; ++i) {
    if (!op.writes() || op.dst != i) continue;
    chosen[i]->note("op", step, &op, where);
    noteMemory("op", addresses[i] + op.dst_offset, op.extent(), step, &op, stream->handle);
  }
  if (op.writes()) used(stream, dst, true);
  if (op.type == OpType::kSum && chosen[op.other] != dst) used(stream, chosen[op.other], false);
  if (op.reads() && src != dst) {
    if (pageable_source && kPageableSourcesReadAtOnce && !src->readByGraph()) {
      src->contents[op.src_offset] = static_cast<uint8_t>(src->contents[op.src_offset] + 1);
      src->address[op.src_offset] = src->contents[op.src_offset];
    } else {
      used(stream, src, false);
    }
  }
}

void Actor::checkBytes(const BufferRef& buffer, const uint8_t* found) {
  ++comparisons;
  if (std::memcmp(found, buffer->contents.data(), buffer->size()) == 0) return;
  size_t first = 0, wrong = 0;
  for (size_t i = buffer->size(); i-- > 0;) {
    if (found[i] != buffer->contents[i]) {
      first = i;
      ++wrong;
    }
  }
  printDifferences(found, buffer->contents);
  printMemoryNotes(buffer->address, buffer->size());
  fprintf(stderr, "\nThe last ops on the buffer:\n");
  for (const std::string& text : buffer->history) fprintf(stderr, "  %s\n", text.c_str());
  for (const auto& executable : executables) {  // of what may have brought the bytes
    if (std::find(executable->recording.buffers.begin(), executable->recording.buffers.end(), buffer) ==
        executable->recording.buffers.end()) {
      continue;
    }
    fprintf(stderr, "A graph with it, and the buffers that it names:\n");
    Buffer shown;
    for (const Op& op : executable->recording.ops) shown.note("op", 0, &op, "");
    for (const std::string& text : shown.history) fprintf(stderr, "  %s\n", text.c_str());
    for (const BufferRef& each : executable->recording.buffers) {
      fprintf(stderr, "  %s memory of %zu bytes at %p%s\n", nameOf(each->type), each->size(), static_cast<void*>(each->address),
              each->freed ? ", freed" : "");
      for (const std::string& text : each->history) fprintf(stderr, "    %s\n", text.c_str());
    }
  }
  fail("%s memory of %zu bytes at %p has %zu wrong bytes; the first, at %zu, is %u and should be %u.", nameOf(buffer->type),
       buffer->size(), static_cast<void*>(buffer->address), wrong, first, found[first], buffer->contents[first]);
}

// Compares all bytes of a buffer with the model, once the work on it is complete. The host reads memory that it reaches, else a
// copy of any kind brings it.
void Actor::compare(const BufferRef& buffer) {
  if (buffer->hostReaches() && rng.chance(50)) {
    waitForUses(buffer, true);
    checkBytes(buffer, buffer->address);
    return;
  }
  std::vector<uint8_t> found(buffer->size());
  if (buffer->context == nullptr || rng.chance(50)) {  // synchronous: on the default stream
    waitForUses(buffer, true);
    payDebts();
    OK(rtMemcpy, found.data(), buffer->address, buffer->size(), RT_MEMCPY_DEFAULT);
  } else {
    const StreamRef stream = streamOf(buffer->context);
    order(stream, buffer, false);
    payDebts();
    OK(rtMemcpyAsync, found.data(), buffer->address, buffer->size(), RT_MEMCPY_DEFAULT, stream->handle);
    ++stream->submitted;
    used(stream, buffer, false);
    waitFor(stream);
  }
  checkBytes(buffer, found.data());
}

}  // namespace rtrandom
