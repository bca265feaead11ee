// Making, lending and looking up what a context of the CPU owns.
#include "backends/cpu/context.h"

#include <mutex>
#include <vector>

#include "backends/cpu/kernel.h"
#include "backends/cpu/memory.h"
#include "backends/cpu/topology.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/os/sanitizer.h"

namespace manyrt::cpu {
namespace {

struct Table {  // contexts that exist
  Ranked<std::mutex, LockRank::kCpuContexts> mutex;
  std::vector<Context*> contexts;
};
Table& table() {
  static Table* instance = new Table;  // never destroyed: contexts may end at exit
  return *instance;
}

Status unknown(const char* what, uint64_t address) {
  return Status::error(RT_ERROR_NOT_FOUND, "No %s of the CPU has the native handle 0x%llx.", what,
                       static_cast<unsigned long long>(address));
}

}  // namespace

Context::Context(uint32_t threads, backend::WaitPolicy policy)
    : engine_(Ref<Engine>::adopt(new Engine(threads, policy))),
      points_(Ref<PointPool>::adopt(new PointPool)),
      loader_(threads),
      replays_(points_, threads) {}

Status Context::create(Ref<backend::Context>* out, const backend::ContextOptions& options) {
  constexpr uint32_t kMax = 1024;
  uint32_t threads = options.cpu_threads != 0 ? options.cpu_threads : defaultThreads();
  if (threads > kMax) {
    return Status::error(RT_ERROR_INVALID_VALUE, "A context with %u CPU threads was asked for; %u are the limit.", threads,
                         kMax);
  }
  if (fault::fails("cpu.context")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for a context of the CPU.");
  Table& all = table();  // before there is a context: its destructor could not make the table
  Ref<Context> context = Ref<Context>::adopt(new Context(threads, options.wait));
  // Last: a context in the table is whole, and can be found.
  std::lock_guard lock(all.mutex);
  all.contexts.push_back(context.get());
  *out = std::move(context);
  return Status();
}

Ref<backend::Context> Context::find(uint64_t address) {
  std::lock_guard lock(table().mutex);
  for (Context* context : table().contexts) {
    if (reinterpret_cast<uintptr_t>(context) != address) continue;
    // The address comes from the program and may be anything: it is compared, and followed only if it is in the table.
    if (context->tryRetain()) return Ref<backend::Context>(Ref<Context>::adopt(context));
  }
  return nullptr;
}

Context::~Context() {
  {
    std::lock_guard lock(table().mutex);
    // First, so that find() cannot see a context whose engine stops.
    std::erase(table().contexts, this);
  }
  // Waits for the workers. Streams may live longer: they keep the engine, but not its threads.
  engine_->stop();
}

Status Context::createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) {
  return Stream::create(stream, *engine_, options);
}

void Context::renewStream(backend::Stream& stream, const backend::StreamOptions& options) {
  static_cast<Stream&>(stream).renew(options);
}

Status Context::createPoint(Ref<backend::Point>* point, bool timed) { return points_->create(point, timed); }
backend::Counts Context::pointCounts() { return points_->counts(); }

Status Context::create(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host) {
  return HostKernel::create(kernel, host, engine_->threads());
}

Status Context::allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  return allocateMemory(memory, kind, size, alignment);
}

void Context::release(const backend::Memory& memory) { releaseMemory(memory); }

// AddressSanitizer watches what its malloc has given, and its search for leaks would read a whole range.
backend::AddressRanges* Context::addressRanges() { return sanitizer::hasAddress() ? nullptr : this; }
bool Context::commits(int32_t kind) const { return kind != RT_MEMORY_HOST; }  // which is locked, and so has all its pages
Status Context::reserve(backend::Memory* memory, uint64_t size) { return reserveAddresses(memory, size); }
Status Context::commit(const backend::Memory& memory, uint64_t offset, uint64_t size) {
  return commitPages(memory, offset, size);
}
void Context::decommit(const backend::Memory& memory, uint64_t offset, uint64_t size) { decommitPages(memory, offset, size); }

Status Context::add(void* pointer, uint64_t size, void** device_pointer) {
  lockMemory(pointer, size);
  *device_pointer = pointer;
  return Status();
}

void Context::remove(void* pointer, uint64_t size) { unlockMemory(pointer, size); }

void Context::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(this);
  out[1] = 0;
}

Status Context::importStream(Ref<backend::Stream>* out, const uint64_t native[2]) {
  RT_CHECK_ARG(native[0] != 0, "The native object is 0, which is no stream of the CPU.");
  Ref<Stream> stream = engine_->find(native[0]);
  if (!stream) return unknown("stream", native[0]);
  *out = std::move(stream);
  return Status();
}

Status Context::importPoint(Ref<backend::Point>* out, const uint64_t native[2]) {
  *out = points_->find(native[0]);
  return *out ? Status() : unknown("event", native[0]);
}

Status Context::importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) {
  // All else is the program's word: on the CPU an address is all that there is to memory.
  if (native[0] == 0 || native[0] + size < native[0]) return unknown("memory", native[0]);
  memory->address = reinterpret_cast<void*>(native[0]);
  memory->size = size;
  memory->kind = RT_MEMORY_DEVICE;
  memory->native[0] = native[0];
  memory->native[1] = 0;
  // No tag of an allocator: releaseMemory() leaves it alone.
  memory->tag = kBorrowed;
  memory->host_visible = true;
  return Status();
}

void Context::nativePoint(backend::Point& point, uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(static_cast<Point*>(&point));
  out[1] = 0;
}

}  // namespace manyrt::cpu
