// Making an exec, binding its buffers, changing its parameters, and letting it go.
#include "graph/exec.h"

#include <algorithm>
#include <cstdio>

#include "base/fault.h"
#include "graph/params.h"
#include "graph/session.h"
#include "ops/memory.h"

namespace manyrt::graph {

Status Exec::create(Ref<Exec>* out, Ref<Plan> plan, manager::Context& context, allocator::Owner& owner, epoch::Guard& guard) {
  if (fault::fails("exec")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<Exec> exec = Ref<Exec>::adopt(new Exec(std::move(plan), context, owner));
  exec->graph_ = exec->plan_->graph().snapshot(false);
  RT_TRY(exec->takeMemory(guard));
  RT_TRY(exec->prepare());
  exec->planPoints();
  exec->countUnbound();
  RT_TRY(exec->makePieces());
  *out = std::move(exec);
  return Status();
}

Exec::~Exec() {
  epoch::Guard guard;
  for (const Lease<manager::Stream>& lane : lanes_) manager::closeHandle(lane->bits);
}

Status Exec::takeMemory(epoch::Guard& guard) {
  bound_.resize(plan_->buffers().size());
  void* memory = nullptr;
  RT_TRY(ops::allocate(&memory, {plan_->memory().bytes}, RT_MEMORY_DEVICE, *context_, guard));
  allocator::BlockLease lease;
  if (memory != nullptr) {
    (void)allocator::BlockLease::take(&lease, memory);
    lease.giveToLeases();
  }
  for (uint32_t i = 0; i < bound_.size(); ++i) {
    const Buffer& buffer = plan_->buffers()[i];
    if (buffer.role == RT_GRAPH_BUFFER_TEMPORARY) {
      if (memory != nullptr) bound_[i] = {static_cast<char*>(memory) + plan_->offsetOf(i), lease};
    } else if (buffer.recorded != nullptr) {
      bound_[i] = {static_cast<char*>(buffer.recorded), buffer.lease};
    }
  }
  return Status();
}

Status Exec::prepare() {
  steps_.reserve(plan_->steps().size());
  for (const Step& step : plan_->steps()) {
    steps_.emplace_back(step.work);
    const Status status = steps_.back().place(bound_, *owner_);
    if (!status.ok()) {
      return Status::error(status.code(), "%s: %s", plan_->graph().nameOf(step.node).c_str(), status.message());
    }
  }
  return Status();
}

// Where lanes meet: a point behind each step that another lane waits for, and of the waits those that do not follow from what
// the lane has waited for already.
void Exec::planPoints() {
  const std::vector<Step>& steps = plan_->steps();
  const uint32_t lanes = plan_->lanes();
  orders_.resize(steps.size());
  // known[lane][other]: the lane comes behind this many of the first steps as far as they are the other's.
  std::vector<std::vector<uint32_t>> known(lanes, std::vector<uint32_t>(lanes, 0)), at(steps.size());
  uint32_t points = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    std::vector<uint32_t>& mine = known[steps[i].lane];
    for (size_t k = steps[i].before.size(); k-- > 0;) {
      const uint32_t first = steps[i].before[k];
      const uint32_t other = steps[first].lane;
      if (other == steps[i].lane || mine[other] > first) continue;
      if (orders_[first].point == kNone) orders_[first].point = points++;
      orders_[i].waits.push_back(orders_[first].point);
      for (uint32_t lane = 0; lane < lanes; ++lane) mine[lane] = std::max(mine[lane], at[first][lane]);
    }
    mine[steps[i].lane] = i + 1;
    at[i] = mine;
  }
  points_.resize(points);
}

void Exec::countUnbound() {
  unbound_ = 0;
  for (uint32_t i = 0; i < plan_->graph().buffers().size(); ++i) {
    if (bound_[i].pointer == nullptr && plan_->buffers()[i].role != RT_GRAPH_BUFFER_TEMPORARY) ++unbound_;
  }
}

Status Exec::notBound() const {
  for (uint32_t i = 0; i < plan_->graph().buffers().size(); ++i) {
    if (bound_[i].pointer != nullptr || plan_->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
    return Status::error(RT_ERROR_INVALID_VALUE, "The %s is not bound: rtGraphExecBindBuffer comes before the launch.",
                         plan_->graph().bufferName(i).c_str());
  }
  return Status();
}

Status Exec::bind(uint32_t index, void* pointer) {
  const Buffer& buffer = plan_->buffers()[index];
  const std::string name = plan_->graph().bufferName(index);
  RT_CHECK_ARG(buffer.role != RT_GRAPH_BUFFER_TEMPORARY, "The %s is a temporary, whose memory the exec has itself.",
               name.c_str());
  ops::Range range;
  Status status = ops::findRange(&range, pointer, buffer.size, ("memory for the " + name).c_str());
  if (!status.ok()) return status;
  Bound bound{static_cast<char*>(pointer), {}};
  RT_CHECK_ARG(allocator::BlockLease::take(&bound.lease, pointer), "The memory at %p for the %s is being freed.", pointer,
               name.c_str());
  std::lock_guard lock(mutex_);
  std::swap(bound_[index], bound);
  status = replace(index);
  if (status.ok()) return Status();
  std::swap(bound_[index], bound);  // as it was
  if (!replace(index).ok()) stale_ = true;
  return Status::error(status.code(), "The %s cannot be bound to %p: %s", name.c_str(), pointer, status.message());
}

// What uses the buffer gets its new address.
Status Exec::replace(uint32_t buffer) {
  const bool complete = unbound_ == 0;
  countUnbound();
  Status first;
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].uses(buffer)) continue;
    Status status = steps_[i].place(bound_, *owner_);
    if (status.ok() && complete) status = refresh(i);
    if (first.ok()) first = std::move(status);
  }
  return first.ok() && !complete ? makePieces() : first;
}

Status Exec::setWork(uint32_t node, Work work) {
  std::lock_guard lock(mutex_);
  return change(node, std::move(work));
}

Status Exec::change(uint32_t node, Work&& work) {
  if (KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    const auto planned = std::find_if(plan_->steps().begin(), plan_->steps().end(),
                                      [&](const Step& step) { return step.own && step.node == node; });
    if (!kernel->kernel && planned != plan_->steps().end()) {  // the same name is the same kernel
      const KernelNode* found = std::get_if<KernelNode>(&planned->work);
      const KernelNode* named = std::get_if<KernelNode>(&plan_->graph().nodes()[node].work);
      RT_CHECK_ARG(found != nullptr && named != nullptr && named->name == kernel->name,
                   "The kernel \"%s\" is not the one that the node was planned with.", kernel->name.c_str());
      kernel->kernel = found->kernel;
      RT_TRY(checkArguments(*kernel, *kernel->kernel->native));
    }
    RT_TRY(checkLaunch(*kernel));
  }
  if (HandleBits named = 0; namesContext(work, &named) && named != context_->bits) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The %s belongs to another context than that of the exec, the %s.",
                         describe(work).c_str(), context_->name().c_str());
  }
  RT_TRY(graph_->checkReplacement(node, work));
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = plan_->steps()[i];
    if (!step.own || step.node != node) continue;
    Prepared changed(work);
    RT_TRY(changed.place(bound_, *owner_));
    std::swap(steps_[i], changed);
    if (Status status = refresh(static_cast<uint32_t>(i)); !status.ok()) {
      std::swap(steps_[i], changed);  // as it was
      if (!refresh(static_cast<uint32_t>(i)).ok()) stale_ = true;
      return status;
    }
    graph_->replace(node, std::move(work));
    return Status();
  }
  return Status();
}

Status Exec::update(Graph& graph) {
  const Ref<Graph> other = graph.snapshot(false);
  const std::vector<Node>& mine = plan_->graph().nodes();
  RT_CHECK_ARG(other->nodes().size() == mine.size(), "The graph has %zu nodes; the exec was made of one with %zu.",
               other->nodes().size(), mine.size());
  for (uint32_t i = 0; i < mine.size(); ++i) {
    RT_CHECK_ARG(typeOf(other->nodes()[i].work) == typeOf(mine[i].work) && other->nodes()[i].before == mine[i].before,
                 "The %s differs from the exec's %s in kind or dependencies.", other->nameOf(i).c_str(),
                 plan_->graph().nameOf(i).c_str());
    RT_CHECK_ARG(!std::holds_alternative<ChildNode>(mine[i].work), "The %s holds a whole graph, which cannot be updated.",
                 plan_->graph().nameOf(i).c_str());
  }
  const std::vector<Buffer>&buffers = plan_->graph().buffers(), &others = other->buffers();
  const bool same = std::equal(buffers.begin(), buffers.end(), others.begin(), others.end(),
                               [](const Buffer& a, const Buffer& b) { return a.size == b.size && a.role == b.role; });
  RT_CHECK_ARG(same, "The buffers of the graph differ from those of the exec in number, size or role.");
  std::lock_guard lock(mutex_);
  const Ref<Graph> before = graph_->snapshot(false);
  for (uint32_t i = 0; i < mine.size(); ++i) {
    Work work = other->nodes()[i].work;
    const Status status = change(i, std::move(work));
    if (status.ok()) continue;
    for (uint32_t k = 0; k < i; ++k) {  // as it was
      Work old = before->nodes()[k].work;
      (void)change(k, std::move(old));
    }
    return Status::error(status.code(), "%s: %s", other->nameOf(i).c_str(), status.message());
  }
  return Status();
}

Status Exec::capture(manager::Stream& stream) {
  RT_TRY(checkContext(stream));
  ChildNode child;
  {
    std::lock_guard lock(mutex_);
    if (unbound_ != 0) return notBound();
    child.graph = graph_->snapshot(false);
    for (uint32_t i = 0; i < child.graph->buffers().size(); ++i) {
      if (child.graph->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
      Binding binding{i, {}};
      binding.memory.pointer = bound_[i].pointer;
      binding.memory.lease = bound_[i].lease;
      child.bindings.push_back(std::move(binding));
    }
  }
  return Session::addGraph(stream, std::move(child));
}

}  // namespace manyrt::graph
