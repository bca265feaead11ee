// Makes an exec, changes its parameters, and destroys it. bind.cpp binds its buffers and values.
#include "graph/exec/exec.h"

#include <algorithm>
#include <cstdio>
#include <new>

#include "base/fault.h"
#include "base/host_threads.h"
#include "base/text.h"
#include "graph/capture/session.h"
#include "graph/model/params.h"
#include "ops/memory.h"

namespace manyrt::graph {
namespace {
using Number = unsigned long long;
}

// Keeps the user pointers of recorded functions until a stream has passed its present work: waits on a thread of the library.
// It submits nothing, so that a stream which the program has seen complete does not become busy again. An exec makes it
// beforehand, since a destructor cannot say that there is no memory for it.
class Exec::Keeper final : public host_threads::Job {
 public:
  Keeper(std::vector<std::shared_ptr<UserData>> users, Ref<allocator::ContextResources> resources)
      : users_(std::move(users)), resources_(std::move(resources)) {}
  // `stream` had the last launch; null: there was none. Deletes the keeper when that launch is over.
  void releaseAfter(Ref<backend::Stream> stream) {
    if (!stream || stream->idle()) {
      delete this;
      return;
    }
    stream_ = std::move(stream);
    serial_ = stream_->submitted();
    host_threads::submit(this);
  }
  void run() override {
    (void)stream_->wait(serial_, Deadline::never());
    delete this;
  }

 private:
  const std::vector<std::shared_ptr<UserData>> users_;
  const Ref<allocator::ContextResources> resources_;  // for as long as its stream
  Ref<backend::Stream> stream_;
  uint64_t serial_ = 0;
};

Exec::Exec(Ref<Plan> plan, manager::Context& context, allocator::ContextResources& resources)
    : plan_(std::move(plan)), context_(&context), resources_(&resources) {}

Status Exec::create(Ref<Exec>* out, Ref<Plan> plan, manager::Context& context, allocator::ContextResources& resources,
                    epoch::Guard& guard) {
  // The order below matters. Steps are placed at addresses, so the memory comes first. Recorded natives are pieces of a replay,
  // so they come before the pieces. A failure at any step drops the exec, and its destructor undoes all.
  if (fault::fails("exec")) throw std::bad_alloc();
  Ref<Exec> exec = Ref<Exec>::adopt(new Exec(std::move(plan), context, resources));
  exec->graph_ = exec->plan_->graph().snapshot(false);
  // Kernels may hold addresses of a pin scope inside structures, which no lease sees. The scopes live as long as the exec.
  exec->pins_ = allocator::joinPinScopes(resources);
  for (const Step& step : exec->plan_->steps()) {  // kernels that the graph names become those that the plan has found
    if (step.own && std::holds_alternative<KernelNode>(step.work)) exec->graph_->replace(step.node, Work(step.work));
  }
  RT_TRY(exec->takeMemory(guard));
  RT_TRY(exec->prepare());
  RT_TRY(exec->recordNatives(&exec->steps_, exec->plan_->graph(), guard));
  exec->keeper_ = exec->makeKeeper(exec->steps_);
  exec->planPoints();
  RT_TRY(exec->makePieces());
  *out = std::move(exec);
  return Status();
}

// Without a guard: a thread of the library may have no memory for its record. The leases keep the streams until their handles
// are closed.
Exec::~Exec() {
  if (keeper_) keeper_.release()->releaseAfter(last_stream_);
  for (const Lease<manager::Stream>& branch : branches_) manager::closeHandle(branch->bits);
}

Status Exec::takeMemory(epoch::Guard& guard) {
  bound_.resize(plan_->buffers().size());
  void* memory = nullptr;
  RT_TRY(ops::allocate(&memory, {plan_->memory().bytes}, RT_MEMORY_DEVICE, *context_, guard));
  allocator::BlockLease lease;
  if (memory != nullptr) {
    (void)allocator::BlockLease::take(&lease, memory);
    // From here on the last lease frees the block. Each temporary has one, so that a Bound alone keeps the memory, and no free
    // is forgotten.
    lease.giveToLeases();
  }
  for (uint32_t i = 0; i < bound_.size(); ++i) {
    const Buffer& buffer = plan_->buffers()[i];
    if (buffer.role == RT_GRAPH_BUFFER_TEMPORARY) {
      if (memory != nullptr) bound_[i] = {static_cast<char*>(memory) + plan_->offsetOf(i), buffer.size, lease};
    } else if (buffer.recorded != nullptr) {
      bound_[i] = {static_cast<char*>(buffer.recorded), buffer.size, buffer.lease};
    } else {
      ++unbound_;
    }
  }
  return Status();
}

// Temporaries need no slots: their addresses stay.
void Exec::makeSlots() {
  const std::vector<Value>& values = plan_->graph().values();
  slots_.addValues(values);
  value_users_.resize(values.size());
  for (const Value& value : values) {
    has_value_.push_back(!value.initial.empty());
    unbound_ += has_value_.back() ? 0 : 1;
  }
  for (const Step& step : plan_->steps()) {
    const KernelNode* kernel = std::get_if<KernelNode>(&step.work);
    if (kernel == nullptr) continue;
    for (const KernelArgument& argument : kernel->arguments) {
      const uint32_t buffer = argument.memory.buffer;
      if (argument.kind != RT_ARG_POINTER || buffer == kNone) continue;
      if (plan_->buffers()[buffer].role != RT_GRAPH_BUFFER_TEMPORARY) slots_.addAddress(buffer, argument.memory.offset);
    }
  }
  for (uint32_t i = 0; i < bound_.size(); ++i) slots_.point(i, bound_[i].pointer);
}

Status Exec::prepare() {
  makeSlots();
  users_.resize(plan_->buffers().size());
  steps_.reserve(plan_->steps().size());
  for (const Step& step : plan_->steps()) {
    const uint32_t index = static_cast<uint32_t>(steps_.size());
    steps_.emplace_back(step.work);
    // Counted before it is placed: placeStep() takes the step out of the counts first.
    count(steps_.back());
    noteUsers(index);
    const Status status = placeStep(index);
    if (!status.ok()) {
      return Status::error(status.code(), "%s: %s", plan_->graph().nameOf(step.node).c_str(), status.message());
    }
  }
  return Status();
}

// If the driver can record, native functions are called once, here, and not by launches: their work becomes part of the exec.
Status Exec::recordNatives(std::vector<Prepared>* steps, const Graph& graph, epoch::Guard& guard) const {
  backend::ReplayMaker* maker = resources_->native().replays();
  for (size_t i = 0; i < steps->size() && maker != nullptr; ++i) {
    if (!(*steps)[i].callsNative()) continue;
    // The function is the program's: it may block or destroy handles, and a guard would hold back the reclaiming of every
    // thread.
    guard.leave();
    Status status = (*steps)[i].record(*maker, context_->bits);
    guard.enter();
    if (!status.ok()) {
      return Status::error(status.code(), "%s: %s", graph.nameOf(plan_->steps()[i].node).c_str(), status.message());
    }
  }
  return Status();
}

// Recorded work uses the user pointer of its function until the last launch has ended. Only then is the pointer released.
std::unique_ptr<Exec::Keeper> Exec::makeKeeper(const std::vector<Prepared>& steps) const {
  std::vector<std::shared_ptr<UserData>> users;
  for (const Prepared& step : steps) {
    if (std::shared_ptr<UserData> user = step.recordedUser()) users.push_back(std::move(user));
  }
  return users.empty() ? nullptr : std::make_unique<Keeper>(std::move(users), resources_);
}

void Exec::planPoints() {
  std::vector<backend::BranchStep> steps;
  for (const Step& step : plan_->steps()) steps.push_back({step.branch, step.before});
  uint32_t points = 0;
  orders_ = backend::orderBranches(steps, &points);
  points_.resize(points);
}

void Exec::note(std::vector<uint32_t>& steps, uint32_t step) {
  const auto at = std::lower_bound(steps.begin(), steps.end(), step);
  // A stale entry costs one look in uses(). Removing it would make the way back after a failure need memory.
  if (at == steps.end() || *at != step) steps.insert(at, step);
}

// Adds a step to the users of its buffers and values. It stays there when it gets other work.
void Exec::noteUsers(uint32_t step) {
  const Prepared& prepared = steps_[step];
  forEachAccess(prepared.work(), [&](const Access& access) {
    const uint32_t buffer = access.memory->buffer;
    if (buffer == kNone) return;
    note(users_[buffer].steps, step);
    if (!prepared.isInSlots(buffer, slots_)) note(users_[buffer].apart, step);
    users_[buffer].most = std::max(users_[buffer].most, access.memory->offset + access.bytes);
  });
  const KernelNode* kernel = std::get_if<KernelNode>(&prepared.work());
  if (kernel == nullptr) return;
  for (const KernelArgument& argument : kernel->arguments) {
    if (argument.value == kNone) continue;
    note(value_users_[argument.value].steps, step);
    if (prepared.checksValues()) note(value_users_[argument.value].apart, step);
  }
}

void Exec::count(const Prepared& step) {
  unfit_ += step.fits() ? 0 : 1;
  foreign_ += step.usesForeign() ? 1 : 0;
}

void Exec::uncount(const Prepared& step) {
  unfit_ -= step.fits() ? 0 : 1;
  foreign_ -= step.usesForeign() ? 1 : 0;
}

// Counts the step anew, also if it throws bad_alloc.
Status Exec::placeStep(uint32_t step) {
  uncount(steps_[step]);
  try {
    Status status = steps_[step].place(bound_, slots_, *resources_);
    count(steps_[step]);
    return status;
  } catch (...) {
    count(steps_[step]);
    throw;
  }
}

Status Exec::notBound() const {
  for (uint32_t i = 0; i < plan_->graph().buffers().size(); ++i) {
    if (bound_[i].pointer != nullptr || plan_->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
    return Status::error(RT_ERROR_INVALID_VALUE, "The %s is not bound: rtGraphExecBindBuffer comes before the launch.",
                         plan_->graph().bufferName(i).c_str());
  }
  for (uint32_t i = 0; i < has_value_.size(); ++i) {
    if (has_value_[i]) continue;
    return Status::error(RT_ERROR_INVALID_VALUE, "The %s is not bound: rtGraphExecBindValue comes before the launch.",
                         plan_->graph().valueName(i).c_str());
  }
  return Status();
}

Status Exec::notFitting() const {
  // `unfit_` is not 0, and counts exactly those steps: one is found.
  const auto found = std::find_if(steps_.begin(), steps_.end(), [](const Prepared& each) { return !each.fits(); });
  const std::string name = plan_->graph().nameOf(plan_->steps()[static_cast<size_t>(found - steps_.begin())].node);
  const Misfit& misfit = found->misfit();
  if (misfit.kind == Misfit::kOverlap) {
    return Status::error(RT_ERROR_INVALID_VALUE, "The source and the destination of the %s overlap with what is bound now.",
                         name.c_str());
  }
  return Status::error(
      RT_ERROR_INVALID_VALUE,
      "The %s uses %llu bytes of the %s, to which %llu are bound: bind more or change the node before the launch.",
      name.c_str(), static_cast<Number>(misfit.needed), plan_->graph().bufferName(misfit.buffer).c_str(),
      static_cast<Number>(bound_[misfit.buffer].size));
}

Status Exec::checkComplete() const {
  // Buffers without memory count as fitting, so they are named first.
  RT_TRY(unbound_ != 0 ? notBound() : Status());
  return unfit_ != 0 ? notFitting() : Status();
}

Status Exec::setWork(uint32_t node, Work work) {
  std::vector<Prepared> fresh;  // destroyed after the lock, with the old step in it
  std::lock_guard lock(mutex_);
  RT_TRY(graph_->checkReplacement(node, work));
  const uint32_t step = plan_->stepOf(node);
  if (step == kNone) return Status();
  RT_TRY(fitWork(step, &work));
  fresh.emplace_back(work);
  // Placed aside, so that a failure leaves the exec untouched.
  RT_TRY(fresh.front().place(bound_, slots_, *resources_));
  RT_TRY(exchange(step, fresh));
  graph_->replace(node, std::move(work));
  return Status();
}

// Checks whether a step of the plan may get other work, and finds the kernel of a name.
Status Exec::fitWork(uint32_t step, Work* work) const {
  if (KernelNode* kernel = std::get_if<KernelNode>(work)) {
    if (!kernel->kernel) RT_TRY(findPlanned(kernel, plan_->steps()[step].work));
    RT_TRY(checkLaunch(*kernel));
  }
  if (HandleBits named = 0; namesContext(*work, &named) && named != context_->bits) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The %s belongs to %s; the exec belongs to the %s.", describe(*work).c_str(),
                         manager::contextText(named).c_str(), context_->name().c_str());
  }
  uint32_t unknown = kNone;
  forEachAccess(*work, [&](const Access& access) {  // temporaries share memory by the uses that the plan knows
    const uint32_t buffer = access.memory->buffer;
    if (buffer == kNone || plan_->buffers()[buffer].role != RT_GRAPH_BUFFER_TEMPORARY) return;
    bool known = false;
    forEachAccess(plan_->steps()[step].work, [&](const Access& each) { known = known || each.memory->buffer == buffer; });
    if (!known) unknown = buffer;
  });
  if (unknown == kNone) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The %s uses a temporary of %llu bytes that it did not use when it was planned.",
                       describe(*work).c_str(), static_cast<unsigned long long>(plan_->buffers()[unknown].size));
}

// A kernel name has to be that of the plan, with the same source; then it means the plan's kernel.
Status Exec::findPlanned(KernelNode* kernel, const Work& planned) {
  const KernelNode* known = std::get_if<KernelNode>(&planned);
  RT_CHECK_ARG(known != nullptr && known->name == kernel->name,
               "The kernel \"%s\" is not the one that the node was planned with.", kernel->name.c_str());
  const manager::KernelSource *mine = known->source.get(), *theirs = kernel->source.get();
  const bool same = mine == theirs ||
                    (mine != nullptr && theirs != nullptr && mine->text == theirs->text && mine->options == theirs->options);
  RT_CHECK_ARG(same, "The kernel \"%s\" comes from another source than the one that the node was planned with.",
               kernel->name.c_str());
  kernel->kernel = known->kernel;
  return checkArguments(*kernel, *kernel->kernel->native);
}

// Exchanges steps from `first` on for `fresh`, which then has the old ones. After a failure the steps are the old ones.
Status Exec::exchange(uint32_t first, std::vector<Prepared>& fresh) {
  const auto swap = [&] {
    for (uint32_t i = 0; i < fresh.size(); ++i) {
      uncount(steps_[first + i]);
      std::swap(fresh[i], steps_[first + i]);
      count(steps_[first + i]);
    }
  };
  swap();
  Status status;
  try {
    // After the exchange, as it reads the step. Entries of a step that goes back again are harmless.
    for (uint32_t i = 0; i < fresh.size(); ++i) noteUsers(first + i);
    status = refresh(first, static_cast<uint32_t>(fresh.size()));
  } catch (const std::bad_alloc&) {
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (status.ok()) return status;
  swap();
  // Pieces may have new parameters by now. They get the old ones, or the next launch makes them anew.
  if (!refresh(first, static_cast<uint32_t>(fresh.size())).ok()) stale_ = true;
  return status;
}

namespace {

Status checkSameShape(const Graph& mine, const Graph& other) {
  RT_CHECK_ARG(other.nodes().size() == mine.nodes().size(), "The graph has %zu node%s; the exec was made of one with %zu.",
               other.nodes().size(), plural(other.nodes().size()), mine.nodes().size());
  for (uint32_t i = 0; i < mine.nodes().size(); ++i) {
    const Node &a = mine.nodes()[i], &b = other.nodes()[i];
    RT_CHECK_ARG(typeOf(b.work) == typeOf(a.work) && b.before == a.before,
                 "The %s differs from the exec's %s in kind or dependencies.", other.nameOf(i).c_str(), mine.nameOf(i).c_str());
    const ChildNode* child = std::get_if<ChildNode>(&a.work);
    if (child == nullptr) continue;
    const Status status = checkSameShape(*child->graph, *std::get<ChildNode>(b.work).graph);
    if (!status.ok()) return Status::error(status.code(), "%s: %s", other.nameOf(i).c_str(), status.message());
  }
  const bool same = std::equal(mine.buffers().begin(), mine.buffers().end(), other.buffers().begin(), other.buffers().end(),
                               [](const Buffer& a, const Buffer& b) { return a.role == b.role; });
  RT_CHECK_ARG(same, "The buffers of the graph differ from those of the exec in number or role.");
  for (uint32_t i = 0; i < mine.buffers().size(); ++i) {
    const uint64_t size = other.buffers()[i].size, most = mine.buffers()[i].size;
    RT_CHECK_ARG(size <= most,
                 "The %s of the graph has %llu bytes; that of the exec was planned with %llu, which are the most.",
                 other.bufferName(i).c_str(), static_cast<Number>(size), static_cast<Number>(most));
  }
  const bool same_values = std::equal(mine.values().begin(), mine.values().end(), other.values().begin(), other.values().end(),
                                      [](const Value& a, const Value& b) { return a.size == b.size; });
  RT_CHECK_ARG(same_values, "The values of the graph differ from those of the exec in number or size.");
  return Status();
}

}  // namespace

// A graph of the same shape flattens into the same steps, so that steps are exchanged by their index. All that can fail comes
// before the exchange; natives of launches in flight are kept beyond it.
Status Exec::update(Graph& graph, epoch::Guard& guard) {
  // A copy: the program may change its graph while this runs, and the exec keeps the copy for later captures.
  Ref<Graph> other = graph.snapshot(false);
  RT_TRY(checkSameShape(plan_->graph(), *other));
  if (const HandleBits bound = other->context(); bound != 0 && bound != context_->bits) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The graph is bound to %s, by the %s; the exec belongs to the %s.",
                         manager::contextText(bound).c_str(), other->boundBy().c_str(), context_->name().c_str());
  }
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  flatten(*other, &steps, &buffers);
  std::vector<Prepared> fresh;
  fresh.reserve(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    Status status = fitWork(i, &steps[i].work);
    if (!status.ok()) return Status::error(status.code(), "%s: %s", other->nameOf(steps[i].node).c_str(), status.message());
    if (steps[i].own) other->replace(steps[i].node, Work(steps[i].work));  // with the kernel that fitWork() has found
    fresh.emplace_back(std::move(steps[i].work));
  }
  // Before the lock, since functions of the program run.
  RT_TRY(recordNatives(&fresh, *other, guard));
  std::unique_ptr<Keeper> keeper = makeKeeper(fresh);
  Ref<backend::Stream> last;
  {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < fresh.size(); ++i) {
      const Status status = fresh[i].place(bound_, slots_, *resources_);
      if (!status.ok()) return Status::error(status.code(), "%s: %s", other->nameOf(steps[i].node).c_str(), status.message());
    }
    RT_TRY(exchange(0, fresh));
    for (uint32_t i = 0; i < plan_->graph().buffers().size(); ++i) {
      // The memory is that of the plan. A later, larger update may use all of it again.
      other->resizeBuffer(i, plan_->graph().buffers()[i].size);
    }
    std::swap(graph_, other);  // the old graph is destroyed after the lock, and what the program keeps for it
    keeper.swap(keeper_);
    last = last_stream_;
  }
  if (keeper) keeper.release()->releaseAfter(std::move(last));
  return Status();
}

Status Exec::capture(manager::Stream& stream) {
  RT_TRY(checkContext(stream));
  ChildNode child;
  {
    std::lock_guard lock(mutex_);
    RT_TRY(checkComplete());
    child.graph = graph_->snapshot(false);
    // The captured graph may be launched after this exec has gone, and holds what the exec holds.
    child.graph->keep(pins_);
    for (uint32_t i = 0; i < child.graph->buffers().size(); ++i) {
      if (child.graph->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
      Binding binding{i, {}};
      binding.memory.pointer = bound_[i].pointer;
      binding.memory.lease = bound_[i].lease;
      child.graph->resizeBuffer(i, bound_[i].size);
      child.bindings.push_back(std::move(binding));
    }
    for (uint32_t i = 0; i < has_value_.size(); ++i) {
      const auto* bytes = static_cast<const unsigned char*>(slots_.at(Slots::ofValue(i)));
      child.graph->setInitial(i, {bytes, bytes + slots_.sizeOf(Slots::ofValue(i))});
    }
  }
  return Session::addGraph(stream, std::move(child));
}

}  // namespace manyrt::graph
