// One rank of a communicator whose ranks are in several processes of one host. Data goes from rank to rank through the memory
// that they share, or is read by the system from a rank's own memory. No other rank writes that memory, so a failure leaves
// nothing to be waited for. All ranks calculate on the host; the memory of a device is copied there and back by pieces.
//
// A collective begins with a meeting: each rank says what it means, in a slot. Short data stands in the slot, too, and the
// meeting is all. Longer data goes through windows, piece by piece. The first piece is there when the ranks meet.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/bring.h"
#include "comm/communicator.h"
#include "comm/shared_memory/attachment.h"

namespace manyrt::comm::shared_memory {

class Points;
class Rounds;
class Direct;

// A rank's reason to wait, for messages.
struct Subject {
  enum class Stage { kMeeting, kWork, kSend, kReceive, kSplit };
  Stage stage;
  const Operation* operation = nullptr;  // but of a split
  uint64_t number = 0;                   // of the collective or split
};

class Rank final : public Communicator {
 public:
  Rank(const Settings& settings, int32_t rank, std::shared_ptr<Attachment> attachment)
      : Communicator(attachment->places[static_cast<size_t>(rank)], settings, rank, attachment->segment->size(),
                     attachment->monitor),
        attachment_(std::move(attachment)),
        segment_(*attachment_->segment) {}
  ~Rank() override;
  Status prepare();  // once, before all else

  Carrier carrier() const override {
    return {RT_COMM_ENGINE_SHARED_MEMORY, RT_COMM_TRANSPORT_SHARED_MEMORY, segment_.localCount()};
  }
  Status check(const Operation& operation, bool captured) override;
  Status run(const std::vector<Operation>& operations, const Submission& at) override;
  Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) override;
  Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) override;
  void hear() override { (void)attachment_->hear(); }

 protected:
  void announceFailure() override;

 private:
  friend class Points;
  friend class Rounds;
  friend class Direct;

  Status runAlone(const std::vector<Operation>& operations, Points& points);
  Status collective(const Operation& operation);
  Status meet(const Operation& operation);
  Status compare(uint64_t number);
  bool isShort(const Operation& operation) const;
  bool mayReadDirectly(const Operation& operation) const;
  Status tryReading(const Operation& operation);
  Status finishShort(const Operation& operation);

  // Waits until `ready` holds. `awaited` returns the rank that is waited for. Both are asked again and again.
  template <class Ready, class Awaited>
  Status await(const Subject& subject, Ready ready, Awaited awaited);
  enum class Want { kNone, kParted, kDead, kLate };
  Want want(int32_t awaited, const Deadline& deadline) const;
  Status condemn(Want want, int32_t awaited, const Subject& subject);
  void ringOthers() { segment_.ringAll(); }
  std::string name() const;

  Status bring(void* to, const void* from, uint64_t bytes) { return comm::bring(place(), stream_, to, from, bytes); }
  Status takePart(uint64_t ticket, std::shared_ptr<Communicator>* made);
  Status gatherColors(SplitOfAll* split, uint64_t number);
  Status joinParts(SplitOfAll* split, uint64_t number);
  Status awaitPart(Segment& part, const std::vector<int32_t>& members);
  Status makePart(Part* part);
  size_t own() const { return static_cast<size_t>(rank()); }

  const std::shared_ptr<Attachment> attachment_;
  Segment& segment_;
  std::mutex running_;                  // one batch of a rank runs at a time; only graphs on two streams meet here
  Points* points_ = nullptr;            // sends and receives of the batch that runs
  uint64_t collectives_ = 0;            // that have begun; under `running_`
  uint64_t rounds_[kLanes] = {};        // of each lane, that have ended
  bool tried_ = false, reads_ = false;  // whether all ranks can read each other's memory
  std::vector<char> scratch_;           // a device's operands and results on the host; a short reduction's result
  std::vector<const void*> operands_;   // of a reduction, by rank; kept for its memory
  rtStream_t stream_ = nullptr;         // for copies between device and host
  std::mutex announcing_;               // of the next two
  uint64_t announced_ = 0;              // splits
  uint64_t taken_ = 0;
};

// Ranks for those of this process, by rank; null for the others. All have come to `segment`.
Status create(std::vector<std::shared_ptr<Communicator>>* members, const std::shared_ptr<Segment>& segment,
              const std::vector<Place>& places, const Settings& settings);
// All ranks are here.
Status createHere(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings);

}  // namespace manyrt::comm::shared_memory
