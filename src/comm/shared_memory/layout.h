// The contents of the memory that the processes of a communicator share, and their places. All of it is atomic, or written
// before an atomic that its readers look at first. The memory begins as zeros. Processes of one release alone share it:
// kVersion.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace manyrt::comm::shared_memory {

inline constexpr uint64_t kMark = 0x6d616e7972747368;  // "manyrtsh"
inline constexpr uint32_t kVersion = 2;
inline constexpr int32_t kMostOnHost = 1024;   // ranks: each has a channel to each, and a window's part is a cache line
inline constexpr uint64_t kLine = 64;          // bytes of a cache line
inline constexpr uint64_t kSlots = 2;          // a rank is one collective ahead of another at most
inline constexpr uint64_t kBuffers = 2;        // windows of a lane: one is filled while the others are read
inline constexpr uint32_t kSplits = 16;        // announced splits; twice those that a rank may have announced and not taken
inline constexpr uint64_t kChannelPieces = 2;  // pieces of a message under way

// The first failure of the communicator.
struct Report {
  int32_t code;
  int32_t rank;
  char text[504];
};

enum class State : uint32_t { kOpen, kComplete, kOver };  // ranks may come; all have come; they will not meet any more

struct Header {
  uint64_t mark;  // 0: the first process has not yet written what follows
  uint32_t version;
  int32_t size;
  uint8_t token[16];  // random; names what splits make
  std::atomic<State> state;
  std::atomic<uint32_t> failing;  // 1 and the rank that writes the report; 0: none
  std::atomic<uint32_t> failed;   // 1: the report is complete
  Report report;
  alignas(kLine) std::atomic<uint32_t> sleepers;  // threads that sleep or are about to: without any, no bell is looked at
};

// A rank fills its window `written` times, and has read all windows that it needs `read` times.
struct Lane {
  alignas(kLine) std::atomic<uint64_t> written;
  alignas(kLine) std::atomic<uint64_t> read;
};
enum LaneIndex : int32_t { kOperands, kResults, kLanes };

enum Reading : uint32_t { kReads = 1, kReadsNot = 2 };

struct Split {
  std::atomic<uint64_t> number;  // 1 and the split's number
  int32_t color;
  int32_t key;
};

// One rank's words to all.
struct alignas(kLine) Post {
  std::atomic<uint32_t> present;  // has come
  std::atomic<uint32_t> parted;   // has destroyed its communicator
  std::atomic<uint32_t> direct;   // kReads or kReadsNot: the memory of all others; 0: has not tried
  uint32_t on_host;               // its memory is the host's
  int32_t process;
  uint64_t proof, proof_address;              // direct.h
  alignas(kLine) std::atomic<uint32_t> bell;  // what its threads sleep on
  std::atomic<uint32_t> sleeping;             // how many of them
  Lane lanes[kLanes];
  Split splits[kSplits];
};

// A rank's description of its collective. Its data stands after it, where that is short: with 8 bytes all is one cache line.
struct alignas(8) Slot {
  std::atomic<uint64_t> number;  // 1 and the collective's number
  uint64_t count;
  uint8_t kind, type, reduction, zero;
  int32_t root;
  uint64_t send, receive;  // addresses in its process

  char* payload() { return reinterpret_cast<char*>(this + 1); }
};

// Messages from one rank to another, in pieces. The first piece of a message says what it is.
struct Piece {
  uint64_t count;  // elements of the message
  uint32_t type;
  uint32_t bytes;  // of this piece

  char* payload() { return reinterpret_cast<char*>(this + 1); }
};
struct Channel {
  alignas(kLine) std::atomic<uint64_t> written;  // pieces
  alignas(kLine) std::atomic<uint64_t> read;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// Offsets and sizes in bytes for a number of ranks. Each of 2 to 8 ranks takes 1.2 MiB, each of more 0.4 to 0.7 MiB. The pieces
// of channels become shorter from 64 ranks on, so that all channels of one rank have 0.4 MiB at most.
class Layout {
 public:
  explicit Layout(int32_t size) : size_(static_cast<uint64_t>(size)) {}

  uint64_t slotBytes() const { return lines(std::clamp<uint64_t>(64 * 1024 / size_, 1024, 32 * 1024)); }
  uint64_t windowBytes() const { return size_ <= 8 ? 256 * 1024 : 64 * 1024; }
  uint64_t pieceBytes() const {
    return lines(
        std::clamp<uint64_t>(size_ <= 64 ? std::max<uint64_t>(2048, 64 * 1024 / size_) : 128 * 1024 / size_, 128, 32 * 1024));
  }

  uint64_t post(uint64_t rank) const { return lines(sizeof(Header)) + rank * sizeof(Post); }
  uint64_t slot(uint64_t rank, uint64_t number) const { return slots() + (rank * kSlots + number % kSlots) * slotBytes(); }
  uint64_t channel(uint64_t from, uint64_t to) const { return channels() + (from * size_ + to) * channelBytes(); }
  uint64_t piece(uint64_t from, uint64_t to, uint64_t number) const {
    return channel(from, to) + sizeof(Channel) + number % kChannelPieces * pieceBytes();
  }
  uint64_t window(uint64_t rank, uint64_t lane, uint64_t round) const {
    return windows() + ((rank * kLanes + lane) * kBuffers + round % kBuffers) * windowBytes();
  }
  uint64_t bytes() const { return windows() + size_ * kLanes * kBuffers * windowBytes(); }

 private:
  static uint64_t lines(uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
  uint64_t channelBytes() const { return sizeof(Channel) + kChannelPieces * pieceBytes(); }
  uint64_t slots() const { return post(size_); }
  uint64_t channels() const { return slots() + size_ * kSlots * slotBytes(); }
  uint64_t windows() const { return channels() + size_ * size_ * channelBytes(); }

  uint64_t size_;
};

}  // namespace manyrt::comm::shared_memory
