// One rank of a communicator of this process: it meets the others in the team, and moves and reduces its share of the data.
//
// A reduction is cut into segments, and each segment has one owner. The owner takes the operands of all ranks in their order,
// and gives the result to the ranks that receive it. So every rank gets the same bits. All else is pulled by the rank that
// receives.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "comm/communicator.h"
#include "comm/in_process/kernels.h"
#include "comm/in_process/team.h"

namespace manyrt::comm {

class Member final : public Communicator {
 public:
  static Status create(std::shared_ptr<Communicator>* member, std::shared_ptr<Team> team, const Settings& settings,
                       int32_t rank, std::shared_ptr<Monitor> monitor);
  Member(std::shared_ptr<Team> team, const Settings& settings, int32_t rank, std::shared_ptr<Monitor> monitor);
  ~Member() override;

  Carrier carrier() const override {
    return {RT_COMM_ENGINE_IN_PROCESS, allOnHost() ? RT_COMM_TRANSPORT_HOST_MEMORY : RT_COMM_TRANSPORT_DEVICE_COPIES, size()};
  }
  Status check(const Operation& operation, bool captured) override;
  Status run(const std::vector<Operation>& operations, const Submission& at) override;
  Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) override;
  Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) override;

 private:
  // Elements that one rank reduces for others.
  struct Segment {
    uint64_t first;    // element of the operands
    uint64_t count;    // elements
    uint64_t to;       // element of the receivers' memory
    int32_t receiver;  // -1: every rank
    int32_t owner;
  };

  Status collective(const Operation& operation);
  Status work(const Operation& operation, Meeting& meeting);
  Status receive(const Operation& operation);

  std::vector<Segment> segments(const Operation& operation) const;
  Status reduceSegment(const Segment& segment, const Operation& operation, const Meeting& meeting);
  Status reducePiece(const Segment& segment, uint64_t done, uint64_t count, const Operation& operation, const Meeting& meeting);
  Status giveResult(const Segment& segment, uint64_t done, uint64_t count, const Operation& operation, const Meeting& meeting);
  Status allToAll(const Operation& operation, Meeting& meeting);
  Status pull(void* to, const void* from, uint64_t bytes, int32_t rank) { return move(to, rank_, from, rank, bytes); }

  // At once where both are host memory, else on this rank's stream, until settle().
  Status move(void* to, int32_t to_rank, const void* from, int32_t from_rank, uint64_t bytes);
  Status settle();
  Status reserveScratch();
  bool reaches(int32_t rank) const;  // its operands need no copy
  bool allOnHost() const;
  uint64_t pieceBytes() const;
  char* slot(int32_t index) const { return static_cast<char*>(scratch_) + static_cast<uint64_t>(index) * pieceBytes(); }

  const std::shared_ptr<Team> team_;
  const int32_t rank_;
  Kernels kernels_;
  std::mutex running_;           // one batch of a rank runs at a time; only graphs on two streams meet here
  rtStream_t stream_ = nullptr;  // for the copies and kernels of a batch
  bool submitted_ = false;       // stream_ has work
  void* scratch_ = nullptr;      // a slot for each rank's operand and one for the result; made when it is needed
  std::vector<char> result_;     // the result of a piece where all ranks are on the host
};

}  // namespace manyrt::comm
