// In place, a rank's result lies where its operand is. Another rank reads only its own part of that operand. This rank writes
// there when it takes that part of the result. By then the other has reduced it, and so has read it.
#include "comm/shared_memory/direct.h"

#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/os/random.h"
#include "comm/host_reduction.h"
#include "comm/shared_memory/wait.h"

namespace manyrt::comm::shared_memory {
namespace {

constexpr uint64_t kPiece = 256 * 1024;  // bytes of a part that are reduced at a time: they stay in a core's cache

// A number of this process that no other has.
const uint64_t& ownProof() {
  static const uint64_t* const made = [] {
    auto* const number = new uint64_t(0);  // never destroyed, as others may look
    if (!randomBytes(number, sizeof *number)) *number = static_cast<uint64_t>(nowNanoseconds());
    return number;
  }();
  return *made;
}

// Bytes that were read, or -1.
ssize_t readFrom(int32_t process, void* to, uint64_t address, uint64_t bytes) {
  iovec local = {to, bytes}, remote = {reinterpret_cast<void*>(static_cast<uintptr_t>(address)), bytes};
  return process_vm_readv(process, &local, 1, &remote, 1, 0);
}

}  // namespace

void showProof(Post& post) {
  post.process = static_cast<int32_t>(getpid());
  // A number of a process alone proves nothing: containers number their processes alike.
  post.proof = ownProof();
  post.proof_address = reinterpret_cast<uintptr_t>(&ownProof());
}

bool readsProof(const Post& post) {
  uint64_t seen = 0;
  return readFrom(post.process, &seen, post.proof_address, sizeof seen) == static_cast<ssize_t>(sizeof seen) &&
         seen == post.proof;
}

Direct::Direct(Rank& rank, const Operation& operation, uint64_t number)
    : rank_(rank), of_(operation), segment_(rank.segment_), me_(rank.rank()), size_(rank.size()), number_(number) {
  const auto ranks = static_cast<uint64_t>(size_);
  const uint64_t bytes = of_.count * sizeOf(of_.type);
  share_ = ((bytes + ranks - 1) / ranks + kLine - 1) / kLine * kLine;
  // The same for all ranks, also where the last part is shorter: each waits for the same count of all others.
  rounds_ = (share_ + kPiece - 1) / kPiece;
}

Direct::Part Direct::part(int32_t rank, uint64_t round) const {
  const uint64_t bytes = of_.count * sizeOf(of_.type), begin = share_ * static_cast<uint64_t>(rank);
  const uint64_t first = std::min(bytes, begin + std::min(share_, round * kPiece));
  return {first, std::min(bytes, begin + std::min(share_, (round + 1) * kPiece)) - first};
}

Status Direct::awaitResults(std::atomic<uint64_t> Lane::*progress, int32_t other, uint64_t rounds) {
  const std::atomic<uint64_t>& its = segment_.post(other).lanes[kResults].*progress;
  return rank_.await(
      {Subject::Stage::kWork, &of_, number_},
      [&] { return its.load(std::memory_order_acquire) >= rank_.rounds_[kResults] + rounds; }, [&] { return other; });
}

Status Direct::run() {
  Lane& mine = segment_.post(me_).lanes[kResults];
  for (uint64_t round = 0; round < rounds_; ++round) {
    RT_TRY(reduce(round));
    // The result is in this rank's own memory by now. The store publishes it, as does the system call that reads it.
    mine.written.store(rank_.rounds_[kResults] + round + 1, std::memory_order_seq_cst);
    rank_.ringOthers();
    // One round late, so that the others' results are mostly there and no wait is needed.
    if (round > 0) RT_TRY(takeResults(round - 1));
  }
  RT_TRY(takeResults(rounds_ - 1));
  for (int32_t step = 1; step < size_; ++step) {  // they read this rank's result, which the program may write from now on
    RT_TRY(awaitResults(&Lane::read, (me_ + step) % size_, rounds_));
  }
  rank_.rounds_[kResults] += rounds_;
  return Status();
}

Status Direct::reduce(uint64_t round) {
  const Part own = part(me_, round);
  if (own.bytes == 0) return Status();
  std::vector<char>& scratch = rank_.scratch_;
  scratch.resize(std::max<uint64_t>(scratch.size(), kPiece * static_cast<uint64_t>(size_ - 1)));
  std::vector<const void*>& operands = rank_.operands_;
  operands.resize(static_cast<size_t>(size_));
  for (int32_t other = 0, at = 0; other < size_; ++other) {
    if (other == me_) {
      operands[static_cast<size_t>(other)] = static_cast<const char*>(of_.send) + own.first;
      continue;
    }
    char* const to = &scratch[kPiece * static_cast<uint64_t>(at++)];
    // Copied and not mapped: a failed rank's memory gives an error here, and no signal.
    RT_TRY(read(to, other, segment_.slot(other, number_).send + own.first, own.bytes));
    operands[static_cast<size_t>(other)] = to;
  }
  reduceOnHost(of_.type, of_.reduction, static_cast<char*>(of_.receive) + own.first, operands.data(), size_,
               own.bytes / sizeOf(of_.type));
  return Status();
}

Status Direct::takeResults(uint64_t round) {
  for (int32_t step = 1; step < size_; ++step) {
    const int32_t other = (me_ + step) % size_;
    const Part its = part(other, round);
    RT_TRY(awaitResults(&Lane::written, other, round + 1));
    RT_TRY(
        read(static_cast<char*>(of_.receive) + its.first, other, segment_.slot(other, number_).receive + its.first, its.bytes));
  }
  segment_.post(me_).lanes[kResults].read.store(rank_.rounds_[kResults] + round + 1, std::memory_order_seq_cst);
  rank_.ringOthers();
  return Status();
}

// By the system also within this process: a rank that has failed may have given its memory back.
Status Direct::read(void* to, int32_t other, uint64_t address, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t got = readFrom(segment_.post(other).process, static_cast<char*>(to) + done, address + done, bytes - done);
    if (got <= 0) return failedRead(other, errno);
    done += static_cast<uint64_t>(got);
  }
  return Status();
}

// A process that ends gives its memory back before its lock, and a rank that has failed may give back its own. Their news comes
// at once or soon.
Status Direct::failedRead(int32_t other, int error) {
  constexpr timespec kNap = {0, 1'000'000};
  const Deadline patience = Deadline::after(1'000'000'000);
  while ((error == ESRCH || error == EFAULT) && !patience.passed()) {
    RT_TRY(rank_.attachment_->hear());
    // The sentence should be about the rank's end, not about its memory.
    const Rank::Want want = rank_.want(other, Deadline::never());
    if (want != Rank::Want::kNone) return rank_.condemn(want, other, {Subject::Stage::kWork, &of_, number_});
    (void)nanosleep(&kNap, nullptr);
  }
  const Status status = Status::error(RT_ERROR_LAUNCH_FAILED, "The memory of rank %d%s cannot be read: %s.", other,
                                      rank_.name().c_str(), strerror(error));
  rank_.monitor().fail(status, other);
  return status;
}

}  // namespace manyrt::comm::shared_memory
