// Adds to a graph. All checks of a node come before the first change.
#include "graph/model/graph.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/text.h"
#include "graph/model/order.h"
#include "manager/context.h"
#include "ops/copy.h"
#include "ops/range.h"

namespace manyrt::graph {
namespace {

using Number = unsigned long long;

// A new handle for a part of the graph. Throws bad_alloc.
template <class Part>
Status openHandle(HandleBits* bits, SlotTable<Part>& table, Graph& graph, uint32_t index, const char* word) {
  if (table.create(bits, graph, index) != nullptr) return Status();
  return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for %ss.", word);
}

Status checkBuffer(const Buffer& buffer) {
  RT_CHECK_ARG(buffer.size != 0, "A buffer of 0 bytes holds nothing.");
  RT_CHECK_ARG(buffer.size <= kMaxBuffer, "A buffer of %llu bytes leaves the address space: it takes %llu at most.",
               static_cast<Number>(buffer.size), static_cast<Number>(kMaxBuffer));
  RT_CHECK_ARG(buffer.role >= RT_GRAPH_BUFFER_TEMPORARY && buffer.role <= RT_GRAPH_BUFFER_CONSTANT,
               "%d is no role of a buffer: RT_GRAPH_BUFFER_* goes to %d.", buffer.role, RT_GRAPH_BUFFER_CONSTANT);
  return Status();
}

Status checkValueSize(const Value& value) {
  RT_CHECK_ARG(value.size != 0, "A value of 0 bytes says nothing.");
  RT_CHECK_ARG(value.size <= backend::kMaxArgumentBytes, "A value of %u bytes is no argument of a kernel: it has %u at most.",
               value.size, backend::kMaxArgumentBytes);
  return Status();
}

template <class T>
void makeRoom(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(std::max<size_t>(16, list.capacity() * 2));
}

}  // namespace

std::string Graph::nameOf(uint32_t node) const {
  return "node " + std::to_string(node) + " (" + describe(nodes_[node].work) + ")";
}

std::string Graph::bufferName(uint32_t buffer) const {
  const std::string& name = buffers_[buffer].name;
  return "buffer " + (name.empty() ? std::to_string(buffer) : '"' + name + '"');
}

std::string Graph::valueName(uint32_t value) const {
  const std::string& name = values_[value].name;
  return "value " + (name.empty() ? std::to_string(value) : '"' + name + '"');
}

HandleBits Graph::context() const {
  std::lock_guard lock(mutex_);
  return context_;
}

Status Graph::insertBuffer(HandleBits* handle, Buffer&& buffer) {
  const uint32_t index = static_cast<uint32_t>(buffers_.size());
  makeRoom(buffers_);
  if (handle != nullptr) {
    RT_TRY(openHandle(&buffer.handle, manager::graph_buffers, *this, index, "graph buffer"));
    *handle = buffer.handle;
  }
  buffers_.push_back(std::move(buffer));
  return Status();
}

Status Graph::addBuffer(HandleBits* handle, Buffer buffer) {
  RT_TRY(checkBuffer(buffer));
  std::lock_guard lock(mutex_);
  return insertBuffer(handle, std::move(buffer));
}

Status Graph::addValue(HandleBits* handle, Value value) {
  RT_TRY(checkValueSize(value));
  std::lock_guard lock(mutex_);
  makeRoom(values_);
  if (handle != nullptr) {
    const uint32_t index = static_cast<uint32_t>(values_.size());
    RT_TRY(openHandle(&value.handle, manager::graph_values, *this, index, "graph value"));
    *handle = value.handle;
  }
  values_.push_back(std::move(value));
  return Status();
}

// First finds all operands inside the range and checks them; then makes the buffer; then changes the operands, which cannot
// fail.
Status Graph::makeBuffer(HandleBits* handle, Buffer buffer) {
  RT_TRY(checkBuffer(buffer));
  ops::Range range;
  RT_TRY(ops::findRange(&range, buffer.recorded, buffer.size, "range"));
  RT_CHECK_ARG(allocator::BlockLease::take(&buffer.lease, buffer.recorded), "The memory at %p is being freed.",
               buffer.recorded);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(buffer.recorded);
  std::lock_guard lock(mutex_);
  const auto inside = [&](const Operand& operand) {  // the difference wraps for an address below the range
    return operand.buffer == kNone && reinterpret_cast<uintptr_t>(operand.pointer) - begin < buffer.size;
  };
  bool found = false;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const Access& access : accessesOf(nodes_[i].work).memory) {
      if (!inside(*access.memory)) continue;
      const uint64_t offset = reinterpret_cast<uintptr_t>(access.memory->pointer) - begin;
      RT_CHECK_ARG(access.bytes <= buffer.size - offset,
                   "The %s uses %llu bytes at %p, which leave the range of %llu bytes at %p.", nameOf(i).c_str(),
                   static_cast<Number>(access.bytes), access.memory->pointer, static_cast<Number>(buffer.size),
                   buffer.recorded);
      RT_CHECK_ARG((access.access & RT_GRAPH_WRITE) == 0 || buffer.role != RT_GRAPH_BUFFER_CONSTANT,
                   "The %s writes to %p; a buffer with RT_GRAPH_BUFFER_CONSTANT is only read.", nameOf(i).c_str(),
                   access.memory->pointer);
      found = true;
    }
  }
  RT_CHECK_ARG(found, "No node of the graph names an address in the %llu bytes at %p.", static_cast<Number>(buffer.size),
               buffer.recorded);
  const uint32_t index = static_cast<uint32_t>(buffers_.size());
  const uint64_t size = buffer.size;
  RT_TRY(insertBuffer(handle, std::move(buffer)));
  inference_.forget();  // accesses of addresses become accesses of the buffer
  for (Node& node : nodes_) {
    forEachOperand(node.work, [&](Operand& operand) {
      const uint64_t offset = reinterpret_cast<uintptr_t>(operand.pointer) - begin;
      if (operand.buffer != kNone || offset >= size) return;
      operand.buffer = index;
      operand.offset = offset;
      operand.pointer = nullptr;
      operand.lease = allocator::BlockLease();
    });
  }
  return Status();
}

template <class What>
Status Graph::checkOperand(const Operand& operand, uint64_t bytes, bool written, const What& what) const {
  if (operand.buffer == kNone) {
    ops::Range range;
    if (bytes == 0 || ops::findRange(&range, operand.pointer, bytes, "memory").ok()) return Status();
    return ops::findRange(&range, operand.pointer, bytes, what().c_str());
  }
  RT_CHECK_ARG(operand.buffer < buffers_.size(), "The %s is no buffer of this graph.", what().c_str());
  const Buffer& buffer = buffers_[operand.buffer];
  RT_CHECK_ARG(operand.offset <= buffer.size && bytes <= buffer.size - operand.offset,
               "The %s of %llu bytes at offset %llu leaves the %s of %llu bytes.", what().c_str(), static_cast<Number>(bytes),
               static_cast<Number>(operand.offset), bufferName(operand.buffer).c_str(), static_cast<Number>(buffer.size));
  RT_CHECK_ARG(!written || buffer.role != RT_GRAPH_BUFFER_CONSTANT, "The %s is the %s, which is constant.", what().c_str(),
               bufferName(operand.buffer).c_str());
  return Status();
}

Status Graph::checkValue(uint32_t value, uint32_t size, const std::string& what) const {
  RT_CHECK_ARG(value < values_.size(), "The %s is no value of this graph.", what.c_str());
  RT_CHECK_ARG(values_[value].size == size, "The %s has %u byte%s; the %s has %u.", what.c_str(), size, plural(size),
               valueName(value).c_str(), values_[value].size);
  return Status();
}

// The named values of a kernel's arguments, and those that stand for values of a child graph.
Status Graph::checkValues(const Work& work) const {
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    for (size_t i = 0; i < kernel->arguments.size(); ++i) {
      const KernelArgument& argument = kernel->arguments[i];
      if (argument.value == kNone) continue;
      RT_TRY(checkValue(argument.value, argument.size, "argument " + std::to_string(i) + " of the " + describe(work)));
    }
  } else if (const ChildNode* child = std::get_if<ChildNode>(&work)) {
    for (const ValueBinding& binding : child->values) {
      if (binding.outer == kNone) continue;
      RT_TRY(checkValue(binding.outer, child->graph->values()[binding.value].size,
                        "child's " + child->graph->valueName(binding.value)));
    }
  }
  return Status();
}

Status Graph::checkWork(const Work& work) const {
  HandleBits context = 0;
  if (namesContext(work, &context) && context_ != 0 && context != context_) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The %s names %s; the graph is bound to %s, by the %s.",
                         describe(work).c_str(), manager::contextText(context).c_str(), manager::contextText(context_).c_str(),
                         context_from_.c_str());
  }
  RT_TRY(checkValues(work));
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    for (size_t i = 0; i < kernel->arguments.size(); ++i) {
      const KernelArgument& argument = kernel->arguments[i];
      if (argument.kind != RT_ARG_POINTER) continue;
      RT_TRY(checkOperand(argument.memory, argument.bytes, (argument.access & RT_GRAPH_WRITE) != 0,
                          [&] { return "argument " + std::to_string(i) + " of the " + describe(work); }));
    }
    return Status();
  }
  if (std::holds_alternative<MemoryNode>(work)) return Status();  // memory of the graph itself, which may be freed by now
  static const char* const kWords[] = {"destination", "source"};
  const Accesses accesses = accessesOf(work);
  const bool child = std::holds_alternative<ChildNode>(work);
  for (size_t i = 0; i < accesses.memory.size(); ++i) {
    const Access& access = accesses.memory[i];
    const auto what = [&] { return child ? "binding " + std::to_string(i) : std::string(kWords[i]); };
    RT_TRY(checkOperand(*access.memory, access.bytes, (access.access & RT_GRAPH_WRITE) != 0, what));
  }
  if (const CopyNode* copy = std::get_if<CopyNode>(&work)) return checkCopy(*copy);
  const FillNode* fill = std::get_if<FillNode>(&work);
  RT_CHECK_ARG(fill == nullptr || fill->dst.buffer != kNone || fill->dst.lease,
               "The destination %p of the fill is not memory of the library: fills take no other.", fill->dst.pointer);
  return Status();
}

// Overlap with a buffer is checked when the buffer is bound.
Status Graph::checkCopy(const CopyNode& node) const {
  if (node.dst.buffer != node.src.buffer) return Status();
  const bool address = node.dst.buffer == kNone;
  const auto at = [&](const Operand& operand) {
    return address ? static_cast<char*>(operand.pointer) : reinterpret_cast<char*>(operand.offset);
  };
  const ops::CopyArguments copy{at(node.dst), at(node.src), node.width, node.height, node.dst_pitch, node.src_pitch, node.kind};
  const uint64_t before = node.height - 1;  // rows
  RT_CHECK_ARG(!ops::overlap(copy, node.dst_pitch * before + node.width, node.src_pitch * before + node.width),
               "The source and the destination of the copy overlap in the %s.",
               address ? "memory that they name" : bufferName(node.dst.buffer).c_str());
  return Status();
}

Status Graph::add(HandleBits* handle, uint32_t* index, Work work, const Dependencies& dependencies) {
  HandleBits context = 0;
  const bool binds = namesContext(work, &context);
  std::lock_guard lock(mutex_);
  RT_TRY(checkWork(work));
  RT_CHECK_ARG(nodes_.size() < kNone - 1, "A graph of %zu nodes takes no more.", nodes_.size());
  Node node;
  node.before = dependencies.inferred ? inference_.dependenciesOf(work, nodes_, buffers_) : dependencies.nodes;
  std::sort(node.before.begin(), node.before.end());
  node.before.erase(std::unique(node.before.begin(), node.before.end()), node.before.end());
  RT_CHECK_ARG(node.before.empty() || node.before.back() < nodes_.size(), "A dependency is no node of this graph.");
  std::string bound_by = binds && context_ == 0 ? "node " + std::to_string(nodes_.size()) + " (" + describe(work) + ")" : "";
  makeRoom(nodes_);
  const uint32_t place = static_cast<uint32_t>(nodes_.size());
  if (handle != nullptr) {
    RT_TRY(openHandle(&node.handle, manager::graph_nodes, *this, place, "graph node"));
    *handle = node.handle;
  }
  node.work = std::move(work);
  nodes_.push_back(std::move(node));
  if (binds && context_ == 0) {
    context_ = context;
    context_from_ = std::move(bound_by);
  }
  if (index != nullptr) *index = place;
  return Status();
}

bool Graph::waitsFor(uint32_t second, uint32_t first) const {
  std::lock_guard lock(mutex_);
  return second != kNone && first != kNone && comesBefore(first, second);
}

bool Graph::comesBefore(uint32_t first, uint32_t second) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<uint32_t> open{second};
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    for (uint32_t before : nodes_[node].before) {
      if (before == first) return true;
      if (seen[before]) continue;
      seen[before] = true;
      open.push_back(before);
    }
  }
  return false;
}

Status Graph::addDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  std::lock_guard lock(mutex_);
  struct Undo {  // also for bad_alloc
    std::vector<Node>& nodes;
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> old;
    ~Undo() {
      for (; !old.empty(); old.pop_back()) nodes[old.back().first].before = std::move(old.back().second);
    }
  } undo{nodes_, {}};
  for (size_t i = 0; i < from.size(); ++i) {
    RT_CHECK_ARG(from[i] != to[i], "The dependency of %s on itself closes a circle.", nameOf(to[i]).c_str());
    RT_CHECK_ARG(!comesBefore(to[i], from[i]), "The dependency of %s on %s closes a circle: the first comes before the second.",
                 nameOf(to[i]).c_str(), nameOf(from[i]).c_str());
    std::vector<uint32_t>& before = nodes_[to[i]].before;
    const auto place = std::lower_bound(before.begin(), before.end(), from[i]);
    if (place != before.end() && *place == from[i]) continue;
    std::vector<uint32_t> changed;
    changed.reserve(before.size() + 1);
    changed.assign(before.begin(), place);
    changed.push_back(from[i]);
    changed.insert(changed.end(), place, before.end());
    makeRoom(undo.old);
    undo.old.emplace_back(to[i], std::exchange(before, std::move(changed)));
    inference_.changed(to[i]);
  }
  undo.old.clear();
  return Status();
}

Status Graph::addLater(const std::vector<std::pair<uint32_t, uint32_t>>& later) {
  if (later.empty()) return Status();
  std::lock_guard lock(mutex_);
  inference_.forget();
  for (const auto& [first, second] : later) nodes_[second].before.push_back(first);
  Before before(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<uint32_t>& all = nodes_[i].before;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    before[i] = all;
  }
  const std::vector<uint32_t> sequence = sequenceOf(before);
  if (sequence.size() == nodes_.size()) return Status();
  std::vector<bool> free(nodes_.size());
  for (uint32_t each : sequence) free[each] = true;
  const uint32_t caught = static_cast<uint32_t>(std::find(free.begin(), free.end(), false) - free.begin());
  return Status::error(RT_ERROR_INVALID_VALUE, "The dependencies close a circle: %s comes after itself or after one that does.",
                       nameOf(caught).c_str());
}

Status Graph::checkReplacement(uint32_t node, const Work& work) const {
  std::lock_guard lock(mutex_);
  RT_CHECK_ARG(node < nodes_.size(), "The node was added after the exec was made.");
  RT_CHECK_ARG(typeOf(nodes_[node].work) == typeOf(work), "The %s cannot become %s %s: only its parameters change.",
               nameOf(node).c_str(), article(describe(work).c_str()), describe(work).c_str());
  return checkWork(work);
}

bool Graph::hasKernelLike(uint32_t node, const Work& work) const {
  std::lock_guard lock(mutex_);
  const KernelNode *own = std::get_if<KernelNode>(&nodes_[node].work), *other = std::get_if<KernelNode>(&work);
  if (own == nullptr || other == nullptr || !own->kernel || own->values.size() != other->values.size()) return false;
  return std::equal(own->arguments.begin(), own->arguments.end(), other->arguments.begin(), other->arguments.end(),
                    [](const KernelArgument& a, const KernelArgument& b) {
                      return a.kind == b.kind && a.size == b.size && a.offset == b.offset && a.value == b.value &&
                             a.memory.buffer == b.memory.buffer;
                    });
}

void Graph::setKernel(uint32_t node, const KernelNode& from) {
  std::lock_guard lock(mutex_);
  KernelNode& own = std::get<KernelNode>(nodes_[node].work);
  std::copy_n(from.grid, 3, own.grid);
  std::copy_n(from.group, 3, own.group);
  std::copy_n(from.offset, 3, own.offset);
  own.local_bytes = from.local_bytes;
  std::copy(from.values.begin(), from.values.end(), own.values.begin());
  for (size_t i = 0; i < own.arguments.size(); ++i) {
    if (own.arguments[i].kind != RT_ARG_POINTER || own.arguments[i].memory.buffer != kNone) continue;
    own.arguments[i].memory.pointer = from.arguments[i].memory.pointer;
    own.arguments[i].memory.lease = from.arguments[i].memory.lease;
  }
  inference_.changed(node);
}

void Graph::replace(uint32_t node, Work&& work) {
  std::lock_guard lock(mutex_);
  std::swap(nodes_[node].work, work);
  inference_.changed(node);
}

void Graph::resizeBuffer(uint32_t buffer, uint64_t size) {
  std::lock_guard lock(mutex_);
  buffers_[buffer].size = size;
}

void Graph::setInitial(uint32_t value, std::vector<unsigned char> bytes) {
  std::lock_guard lock(mutex_);
  values_[value].initial = std::move(bytes);
}

void Graph::bindTo(HandleBits context, std::string because) {
  std::lock_guard lock(mutex_);
  context_ = context;
  context_from_ = std::move(because);
}

Status Graph::removeDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < from.size(); ++i) {
    const std::vector<uint32_t>& before = nodes_[to[i]].before;
    RT_CHECK_ARG(std::binary_search(before.begin(), before.end(), from[i]), "There is no dependency of %s on %s to remove.",
                 nameOf(to[i]).c_str(), nameOf(from[i]).c_str());
  }
  for (size_t i = 0; i < from.size(); ++i) {
    std::erase(nodes_[to[i]].before, from[i]);
    inference_.changed(to[i]);
  }
  return Status();
}

void Graph::keep(std::vector<Ref<allocator::PinScope>> pins) {
  std::lock_guard lock(mutex_);
  pins_.reserve(pins_.size() + pins.size());  // a reference that is dropped under the lock is not the last one
  for (Ref<allocator::PinScope>& pin : pins) {
    const bool known = std::any_of(pins_.begin(), pins_.end(), [&](const auto& each) { return each.get() == pin.get(); });
    if (!known) pins_.push_back(std::move(pin));
  }
}

void Graph::captureBegins(allocator::ContextResources& resources) {
  capture_pins_ = std::make_unique<allocator::CapturePins>(resources);
}

void Graph::captureEnds() {
  keep(capture_pins_->take());
  capture_pins_ = nullptr;
}

Ref<Graph> Graph::snapshot(bool with_handles) const {
  Ref<Graph> copy = Ref<Graph>::adopt(new Graph);
  {
    std::lock_guard lock(mutex_);
    copy->nodes_ = nodes_;
    copy->buffers_ = buffers_;
    copy->values_ = values_;
    copy->pins_ = pins_;
    copy->context_ = context_;
    copy->context_from_ = context_from_;
  }
  for (Node& node : copy->nodes_) node.handle = 0;
  for (Buffer& buffer : copy->buffers_) buffer.handle = 0;
  for (Value& value : copy->values_) value.handle = 0;
  if (!with_handles) return copy;
  try {
    for (uint32_t i = 0; i < copy->nodes_.size(); ++i) {
      if (manager::graph_nodes.create(&copy->nodes_[i].handle, *copy, i) == nullptr) throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < copy->buffers_.size(); ++i) {
      if (manager::graph_buffers.create(&copy->buffers_[i].handle, *copy, i) == nullptr) throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < copy->values_.size(); ++i) {
      if (manager::graph_values.create(&copy->values_[i].handle, *copy, i) == nullptr) throw std::bad_alloc();
    }
  } catch (...) {  // the handles that were made have to be closed
    copy->handleClosed();
    throw;
  }
  return copy;
}

void Graph::handleClosed() {
  std::lock_guard lock(mutex_);
  for (Node& node : nodes_) manager::closeHandle(std::exchange(node.handle, 0));
  for (Buffer& buffer : buffers_) manager::closeHandle(std::exchange(buffer.handle, 0));
  for (Value& value : values_) manager::closeHandle(std::exchange(value.handle, 0));
}

}  // namespace manyrt::graph
