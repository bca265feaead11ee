// Contents and their history.
#include "random/model.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace rtrandom {

Buffer::~Buffer() { std::free(program_memory); }

void Buffer::note(const char* what, uint64_t step, const Op* op, const char* where) {
  char text[256];
  if (op == nullptr) {
    snprintf(text, sizeof text, "step %llu: %s %s", static_cast<unsigned long long>(step), what, where);
  } else {
    snprintf(
        text, sizeof text,
        "step %llu: %s %s %s, dst %u+%zu, src %u+%zu, other %u+%zu, size %zu, %zux%zu pitches %zu %zu, value %u, groups %ux%u",
        static_cast<unsigned long long>(step), what, nameOf(op->type), where, op->dst, op->dst_offset, op->src, op->src_offset,
        op->other, op->other_offset, op->size, op->width, op->height, op->dst_pitch, op->src_pitch, op->value, op->groups,
        op->group);
  }
  history.emplace_back(text);
  if (history.size() > 16) history.pop_front();
}

bool Buffer::readByGraph() const {
  return std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.graph && !use.complete(); });
}

Operand Buffer::operandFor(const Context& stream_context) const {
  Operand operand;
  operand.size = size();
  operand.device = isDevice();
  operand.home = context != nullptr && context.get() == &stream_context;
  operand.kernel = operand.home && (isDevice() || kernels);
  // The library does not see what host functions use: it keeps freed memory for the streams of the owner alone.
  operand.host = hostReaches() && (context == nullptr || operand.home);
  return operand;
}

uint64_t Recording::hostFunctions() const {
  uint64_t count = 0;
  for (const Op& op : ops) count += op.type == OpType::kHostFunction ? 1 : 0;
  return count;
}

bool Recording::writes(size_t buffer) const {
  for (const Op& op : ops) {
    if (op.writes() && op.dst == buffer) return true;
  }
  return false;
}

bool Recording::names(size_t buffer) const {
  for (const Op& op : ops) {
    if ((op.writes() && op.dst == buffer) || (op.reads() && op.src == buffer) ||
        (op.type == OpType::kSum && op.other == buffer)) {
      return true;
    }
  }
  return false;
}

void Recording::applyAll() {
  std::vector<std::vector<uint8_t>*> contents;
  for (const BufferRef& buffer : buffers) contents.push_back(&buffer->contents);
  for (std::vector<uint8_t>& temporary : temporaries) contents.push_back(&temporary);
  for (const Op& op : ops) applyOp(op, contents);
}

}  // namespace rtrandom
