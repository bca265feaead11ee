// Any bytes as calls of a pool. A model knows which bytes are live, and which a stream that is held back may still use. Always:
// blocks are aligned and overlap no other block. Only the stream that freed them may use bytes that a stream which is held back
// still has; every address inside finds its block; counts of bytes and blocks are those of the model; in the end nothing is
// left. Each input runs on two devices. On the null device a large block is an allocation of its own, on the CPU it is cut from
// a range.
#include "allocator/pool.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "allocator/pool_fast.h"
#include "backends/cpu/cpu.h"
#include "backends/null/null.h"
#include "base/handles/epoch.h"

namespace {

using namespace manyrt;

constexpr size_t kMostLive = 400, kStreams = 3;
constexpr uint64_t kLimit = uint64_t{96} << 20;  // of the pool, so that an input takes bounded memory

void require(bool condition) {
  if (!condition) std::abort();
}

struct Live {
  uintptr_t address;
  uint64_t size;
  unsigned char mark;
};
struct Used {
  uint64_t size;
  uint32_t streams;  // held back, and may still use it: a bit for each
};

class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint32_t byte() { return empty() ? 0 : *at_++; }

 private:
  const uint8_t *at_, *end_;
};

class Machine {
 public:
  explicit Machine(backend::Device& device) {
    Ref<backend::Context> native;
    require(device.createContext(&native, {}).ok());
    owner_ = Ref<allocator::ContextResources>::adopt(new allocator::ContextResources(native, device, nullptr, nullptr));
    for (Ref<backend::Stream>& stream : streams_) require(owner_->takeStream(&stream, {}).ok());
    allocator::PoolOptions options;
    options.maximum_bytes = kLimit;
    options.release_threshold = UINT64_MAX;
    pool_ = Ref<allocator::Pool>::adopt(new allocator::Pool(owner_, options));
  }

  void run(Input input) {
    while (!input.empty()) {
      const uint32_t what = input.byte();
      switch (what % 8) {
        case 0:
        case 1:
        case 2:
          allocate(input, what / 8 % (kStreams + 1));
          break;
        case 3:
        case 4:
          if (!live_.empty()) free(input.byte() % live_.size(), what / 8 % (kStreams + 1));
          break;
        case 5:
          hold(what / 8 % kStreams);
          break;
        case 6:
          letGo(what / 8 % kStreams);
          break;
        default:
          if (what / 8 % 4 == 0) pool_->trim(uint64_t{input.byte()} << 16);
          if (what / 8 % 4 == 1) count();
          if (what / 8 % 4 == 2) epoch::collect();
          if (what / 8 % 4 == 3) pool_->resetPeak();
      }
    }
    count();
    while (!live_.empty()) free(live_.size() - 1, live_.size() % (kStreams + 1));
    for (size_t i = 0; i < kStreams; ++i) letGo(i);
    pool_->trim(0);
    require(statistics().reserved_bytes == 0);
    pool_->close();
    pool_ = nullptr;
    epoch::synchronize();
    epoch::collect();
  }

 private:
  rtMemPoolStats_t statistics() {
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    pool_->statistics(&stats);
    return stats;
  }
  backend::Stream* streamOf(size_t number) { return number == kStreams ? nullptr : streams_[number].get(); }

  void allocate(Input& input, size_t number) {
    if (live_.size() == kMostLive) return;
    const uint32_t shape = input.byte();
    const uint64_t size = 1 + ((uint64_t{input.byte()} << 8 | input.byte()) << shape % 9);
    const uint64_t alignment = shape / 9 % 8 == 0 ? uint64_t{256} << shape / 72 * 3 : 256;
    void* pointer = nullptr;
    backend::Stream* stream = streamOf(number);
    if (stream != nullptr && alignment == 256) pointer = pool_->allocateFromCache(size, *stream);
    if (pointer == nullptr) {
      const Status status = pool_->allocate(&pointer, size, alignment, stream);
      if (!status.ok()) {
        require(status.code() == RT_ERROR_OUT_OF_MEMORY);
        return;
      }
    }
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    require(address % alignment == 0);
    for (const Live& other : live_) require(address + size <= other.address || other.address + other.size <= address);
    for (auto it = used_.begin(); it != used_.end();) {
      const bool apart = address + size <= it->first || it->first + it->second.size <= address;
      require(apart || it->second.streams == (1u << number));
      it = apart ? std::next(it) : used_.erase(it);
    }
    auto* bytes = static_cast<unsigned char*>(pointer);
    const auto mark = static_cast<unsigned char>(++marks_);
    bytes[0] = bytes[size - 1] = mark;
    live_.push_back({address, size, mark});
    live_bytes_ += size;
  }

  void free(size_t index, size_t number) {
    const Live block = live_[index];
    const auto* bytes = reinterpret_cast<const unsigned char*>(block.address);
    require(bytes[0] == block.mark && bytes[block.size - 1] == block.mark);
    live_[index] = live_.back();
    live_.pop_back();
    live_bytes_ -= block.size;
    epoch::Guard guard;
    for (const uint64_t offset : {uint64_t{0}, block.size / 2, block.size - 1}) {
      const allocator::address_map::Allocation found =
          allocator::address_map::locate(reinterpret_cast<void*>(block.address + offset));
      require(found && found.base == block.address && found.size == block.size);
    }
    const auto found = allocator::address_map::locate(reinterpret_cast<void*>(block.address));
    require(pool_->release(*found.region, *found.block, streamOf(number)) == allocator::Pool::Freed::kYes);
    require(pool_->release(*found.region, *found.block, streamOf(number)) == allocator::Pool::Freed::kNotLive);
    uint32_t streams = 0;  // without a stream, all of the context may still use it
    for (size_t i = 0; i < kStreams; ++i) streams |= gates_[i] && (i == number || number == kStreams) ? 1u << i : 0;
    if (streams != 0) used_[block.address] = {block.size, streams};
  }

  void hold(size_t number) {
    if (gates_[number]) return;
    require(owner_->native().createPoint(&gates_[number], false).ok());
    require(streams_[number]->wait(gates_[number]).ok());
  }

  void letGo(size_t number) {
    if (!gates_[number]) return;
    gates_[number]->complete(Status(), 0);
    gates_[number] = nullptr;
    require(streams_[number]->wait(streams_[number]->submitted(), Deadline::never()));
    for (auto it = used_.begin(); it != used_.end();) {
      it->second.streams &= ~(1u << number);
      it = it->second.streams == 0 ? used_.erase(it) : std::next(it);
    }
  }

  void count() {
    const rtMemPoolStats_t stats = statistics();
    require(stats.live_bytes == live_bytes_ && stats.live_count == live_.size());
    require(stats.peak_live_bytes >= live_bytes_ && stats.reserved_bytes >= live_bytes_);
    require(stats.reserved_bytes <= kLimit && stats.peak_reserved_bytes <= kLimit);
    require(stats.allocation_count - stats.free_count == live_.size());
  }

  Ref<allocator::ContextResources> owner_;
  Ref<backend::Stream> streams_[kStreams];
  Ref<backend::Point> gates_[kStreams];
  Ref<allocator::Pool> pool_;
  std::vector<Live> live_;
  std::map<uintptr_t, Used> used_;  // by address
  uint64_t live_bytes_ = 0;
  uint32_t marks_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Machine(*null::backend()->device(0)).run(Input(data, size));
  Machine(*cpu::backend()->device(0)).run(Input(data, size));
  return 0;
}
