// The thread of a stream, and the functions about streams.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "call.h"
#include "execute.h"
#include "graph.h"
#include "memory.h"
#include "report.h"

namespace manyrt::simulated {
namespace {

std::atomic<uint64_t> made{0};

const NativeStream kLegacyStream = reinterpret_cast<NativeStream>(uintptr_t{1});

std::vector<std::shared_ptr<Stream>> streamsOf(Context& context) {
  std::vector<std::shared_ptr<Stream>> found;
  std::lock_guard lock(context.mutex);
  auto& all = context.streams;
  all.erase(std::remove_if(all.begin(), all.end(), [](auto& stream) { return stream.expired(); }), all.end());
  for (auto& weak : all) {
    if (auto stream = weak.lock()) found.push_back(std::move(stream));
  }
  return found;
}

std::shared_ptr<Stream> makeStream(Context& context, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(context, flags, priority);
  std::lock_guard lock(context.mutex);
  auto& all = context.streams;
  if (all.size() >= 32 && all.size() == all.capacity()) {
    all.erase(std::remove_if(all.begin(), all.end(), [](auto& one) { return one.expired(); }), all.end());
  }
  all.push_back(stream);
  return stream;
}

std::shared_ptr<Stream> legacyOf(Context& context) {
  {
    std::lock_guard lock(context.mutex);
    if (context.legacy) return context.legacy;
  }
  auto stream = makeStream(context, 0, 0);
  std::lock_guard lock(context.mutex);
  if (!context.legacy) context.legacy = stream;
  return context.legacy;
}

std::shared_ptr<Stream> existingLegacyOf(Context& context) {
  std::lock_guard lock(context.mutex);
  return context.legacy;
}

Error find(NativeStream handle, Context* current, std::shared_ptr<Stream>* stream) {
  *stream = handle == nullptr || handle == kLegacyStream ? legacyOf(*current) : streams().find(handle);
  return *stream == nullptr ? Error{kInvalidHandle} : (*stream)->context.state();
}

}  // namespace

Stream::Stream(Context& its_context, unsigned its_flags, int its_priority)
    : context(its_context), flags(its_flags), priority(its_priority), random_(settings().seed + 1000 * ++made) {}

Stream::~Stream() = default;

std::shared_ptr<Record> Stream::mark() {
  if (idle()) return nullptr;
  Command command;
  command.record = std::make_shared<Record>();
  std::shared_ptr<Record> record = command.record;
  push(std::move(command));
  return record;
}

void Stream::submit(Command command) {
  if (blocking()) {
    const std::shared_ptr<Stream> legacy = existingLegacyOf(context);
    std::vector<std::shared_ptr<Stream>> ahead;
    if (legacy.get() == this) {
      ahead = streamsOf(context);
    } else if (legacy) {
      ahead.push_back(legacy);
    }
    for (auto& stream : ahead) {
      if (stream.get() == this || !stream->blocking()) continue;
      Command wait;
      wait.awaits = stream->mark();
      if (wait.awaits != nullptr) push(std::move(wait));
    }
  }
  push(std::move(command));
}

void Stream::push(Command command) {
  std::lock_guard lock(mutex_);
  if (!started_) {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
    started_ = true;
  }
  queue_.push_back(std::move(command));
  ++submitted_count_;
  arrived_.notify_one();
}

void Stream::wait() {
  std::unique_lock lock(mutex_);
  const uint64_t target = submitted_count_;
  completed_.wait(lock, [&] { return completed_count_ >= target; });
}

bool Stream::idle() {
  std::lock_guard lock(mutex_);
  return completed_count_ == submitted_count_;
}

void Stream::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  arrived_.notify_one();
}

void Stream::run() {
  runner_ = std::make_unique<Runner>(context);
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) break;
    running_ = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    carryOut(running_, *runner_);
    running_ = Command();
    lock.lock();
    ++completed_count_;
    completed_.notify_all();
  }
  lock.unlock();
  runner_.reset();
}

void Stream::carryOut(Command& command, Runner& runner) {
  if (command.awaits != nullptr) command.awaits->wait();
  delay();
  if (command.work && context.broken == kSuccess) {
    bool whole = true;
    for (const Use& use : command.uses) whole = use.alive() && whole;
    if (whole) command.work(runner);
  }
  command.work = nullptr;
  command.uses.clear();
  if (command.record != nullptr) command.record->pass();
}

// Mostly short, at times long, so that the order between streams varies.
void Stream::delay() {
  const int mean = settings().delay_us.load(std::memory_order_relaxed);
  if (mean == 0) return;
  const uint64_t drawn = random_.next();
  const uint64_t most = static_cast<uint64_t>(mean) * (drawn % 8 == 0 ? 8 : 1);
  std::this_thread::sleep_for(std::chrono::microseconds(drawn / 8 % (most + 1)));
}

Table<Stream, NativeStream>& streams() {
  static auto* table = new Table<Stream, NativeStream>("the stream", 1);
  return *table;
}

Error streamForDriver(NativeStream handle, std::shared_ptr<Stream>* stream) {
  Context* context;
  SIMULATED_TRY(currentForDriver(&context));
  SIMULATED_TRY(find(handle, context, stream));
  return refusesCurrent((*stream)->context) ? Error{kInvalidContext} : kSuccess;
}

Error streamForRuntime(NativeStream handle, std::shared_ptr<Stream>* stream) {
  Context* context;
  SIMULATED_TRY(currentForRuntime(&context));
  return find(handle, context, stream);
}

void waitForContext(Context& context) {
  for (auto& stream : streamsOf(context)) stream->wait();
}

namespace driver {

Error StreamGetCtx(NativeStream handle, NativeContext* context) {
  return DRIVER_CALL(StreamGetCtx, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(handle, &stream));
    if (context == nullptr) return kInvalidValue;
    *context = stream->context.handle();
    return kSuccess;
  });
}

Error StreamQuery(NativeStream handle) {
  return DRIVER_CALL(StreamQuery, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(handle, &stream));
    if (!stream->idle()) return kNotReady;
    return stream->context.state();
  });
}

}  // namespace driver

extern "C" {

Error cudaStreamCreateWithPriority(NativeStream* handle, unsigned flags, int priority) {
  return RUNTIME_CALL(StreamCreateWithPriority, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (handle == nullptr || flags > kStreamNonBlocking) return kInvalidValue;
    if (defect(Defect::foreign_context)) {
      Context* other = contextOfDevice((context->device + 1) % settings().devices);
      if (other->active) context = other;
    }
    *handle = streams().add(makeStream(*context, flags, std::clamp(priority, kGreatestPriority, kLeastPriority)));
    return kSuccess;
  });
}

Error cudaStreamDestroy(NativeStream handle) {
  return RUNTIME_CALL(StreamDestroy, {
    if (handle == nullptr || handle == kLegacyStream) return kInvalidHandle;
    if (defectAtTimes(Defect::leak)) return kSuccess;
    std::shared_ptr<Stream> stream = streams().remove(handle);
    if (stream == nullptr) return kInvalidHandle;
    dropCapture(*stream);
    stream->close();
    return kSuccess;
  });
}

Error cudaStreamSynchronize(NativeStream handle) {
  return RUNTIME_CALL(StreamSynchronize, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForRuntime(handle, &stream));
    SIMULATED_TRY(refuseCapturing(*stream));
    if (defect(Defect::host_read_early)) return kSuccess;
    if (handle == nullptr || handle == kLegacyStream) stream->submit({});  // it waits for the blocking streams, too
    stream->wait();
    return stream->context.state();
  });
}

Error cudaLaunchHostFunc(NativeStream handle, HostFunction function, void* user) {
  return RUNTIME_CALL(LaunchHostFunc, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForRuntime(handle, &stream));
    if (function == nullptr) return kInvalidValue;
    SIMULATED_TRY(refuseCapturing(*stream));
    if (defect(Defect::callback_early)) {
      Command early;  // a stream of its own has no work ahead
      early.work = [=](Runner&) { runHostFunction(function, user); };
      auto aside = std::make_shared<Stream>(stream->context, kStreamNonBlocking, 0);
      aside->submit(std::move(early));
      aside->close();
      return kSuccess;
    }
    Command command;
    command.work = [=](Runner&) { runHostFunction(function, user); };
    stream->submit(std::move(command));
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace manyrt::simulated
