// One rank of a communicator of several processes. Reductions are messages of MPI from rank to rank, other operations its
// non-blocking collectives. They work on memory of the host: a CPU's own, or copies of a device's. They work on memory of CUDA
// where MPI takes it. The thread that runs a batch makes their progress, and listens to the others.
//
// Before a collective the ranks gather what each means. A rank that comes with another operation is found out there, and a late
// one is waited for. So no operation of MPI begins before all ranks have come.
//
// With RT_COMM_MPI=collectives there is none of this: each operation is MPI's own, which waits as long as it likes.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/bring.h"
#include "comm/communicator.h"
#include "comm/in_process/kernels.h"
#include "comm/mpi/plugin.h"

namespace manyrt::comm::mpi {

// Opens the plug-in at the first call. Collective over the ranks of `mpi_comm`, which points to an MPI_Comm.
Status create(std::shared_ptr<Communicator>* made, const Place& place, const Settings& settings, const void* mpi_comm);

inline constexpr int32_t kFewRanks = 64;  // of more no rank sends to each

class Rank final : public Communicator {
 public:
  // How MPI may be called, and is.
  struct Manner {
    Calls calls;
    Threads threads;
    std::thread::id made_on;  // with Threads::kOne the one thread
  };
  Rank(const Plugin& plugin, PluginComm* comm, Manner manner, const Place& place, const Settings& settings, int32_t rank,
       int32_t size)
      : Communicator(place, settings, rank, size, std::make_shared<Monitor>()),
        plugin_(plugin),
        comm_(comm),
        manner_(manner),
        takes_device_(place.backend == RT_BACKEND_CUDA && plugin.takesCudaMemory() != 0),
        kernels_(place.context) {}
  ~Rank() override;

  Carrier carrier() const override;
  Status check(const Operation& operation, bool captured) override;
  Status run(const std::vector<Operation>& operations, const Submission& at) override;
  bool runsOnCallingThread() const override { return manner_.threads != Threads::kAny; }
  Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) override;
  Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) override;

 protected:
  void announceFailure() override;

 private:
  friend Status create(std::shared_ptr<Communicator>*, const Place&, const Settings&, const void*);

  // A rank's words about itself before a collective. Its data stands after them, where that is short.
  struct Header {
    uint64_t number;  // of the collective
    uint64_t count;
    int32_t kind, type, reduction, root;
    int32_t direct;    // MPI gets the program's own memory
    int32_t in_place;  // as MPI would get it: with copies on the host never
  };
  struct Report {
    int32_t code;
    int32_t rank;
    char text[400];
  };
  enum Tag : int32_t { kAsk = 1, kAnswer = 2, kFail = 3 };

  // An operation with memory that MPI takes: the program's own, or copies on the host of a device's.
  struct Staged {
    Operation operation;  // as MPI gets it
    Operation given;
    void* memory = nullptr;
    std::unique_ptr<std::vector<char>> source;  // a copy, where this rank is in place and another is not
    void* device_source = nullptr;              // the same of a device whose memory MPI takes
    PluginRequest* request = nullptr;           // null: MPI knows nothing of it, or is done
  };

  // The ranks gather it when they meet: a header and some bytes of each. MPI reads and writes it as long as it pleases, also
  // after a time-out.
  struct Gathered {
    std::vector<char> mine, all;
  };
  using Buffer = std::unique_ptr<std::vector<char>>;  // left to MPI after a failure

  Status runAlone(const std::vector<Operation>& operations);
  Status collective(const Operation& operation);
  Status meetAndWork(const Operation& operation);
  Status inPieces(const Operation& operation, uint64_t most_bytes);
  Status completeWhole(const Operation& operation);
  Status meet(const Operation& operation);
  Status meetMany(const Operation& operation);
  Status gatherHeaders(const Operation& operation, uint64_t bytes, uint64_t slot);
  Status takeHeaders(const Operation& operation, uint64_t slot);
  Header headerOf(const Operation& operation) const;
  // Each rank tells all others of few, and of many those beside it in a tree, which pass it on (neighbours.h).
  bool isMany() const { return size() > kFewRanks; }
  std::vector<int32_t> told() const;
  bool isShort(const Operation& operation) const;
  uint64_t slotBytes() const;
  char* payloadOf(int32_t rank) const { return &gathered_->all[slotBytes() * static_cast<uint64_t>(rank)] + sizeof(Header); }
  Status bring(void* to, const void* from, uint64_t bytes) { return comm::bring(place(), stream_, to, from, bytes); }
  Status finishShort(const Operation& operation);
  Status perform(const Operation& operation);

  class Transfers;
  Status reduce(const Operation& operation);
  Status reduceWhole(const Operation& operation);
  Status reduceParts(const Operation& operation);
  Status reduceScatter(const Operation& operation);
  Status reduceAmongMany(const Operation& operation);
  Status reduceScatterAmongMany(const Operation& operation);
  Status exchangeAmongMany(Kind kind, int32_t root, const Operation& like, uint64_t count, Buffer* from, Buffer* to);
  template <class Call>
  Status forOthers(Call call);
  char* operandOf(int32_t other, uint64_t bytes);
  Status reserveScratch(uint64_t bytes);
  Status receiveOperands(Transfers* into, const Operation& operation, uint64_t count);
  Status reduceOperands(const Operation& operation, uint64_t count, char* own, char* result);
  Status reduceOnDevice(const Operation& operation, uint64_t count, char* result);

  bool direct() const { return onHost() || takes_device_; }
  bool reducesOnDevice() const { return takes_device_ && !isMany() && manner_.calls == Calls::kMessages; }
  Status stage(Staged* staged, const Operation& operation, bool direct);
  Status copySource(Staged* staged, uint64_t bytes);
  Status finish(Staged* staged);  // waits, and brings the result to its place
  Status deliver(Staged* staged);
  void giveUp(Staged* staged);
  Status startPoint(Staged* staged, const Operation& operation);

  Status wait(PluginRequest* request, const Operation& operation, uint64_t* bytes);
  Status listen();
  Status admitThread() const;
  Status expire(const Operation& operation);  // of a wait: asks which ranks are there, and fails the communicator
  Status failedPlugin(const char* why);
  std::string name() const;

  const Plugin& plugin_;
  PluginComm* const comm_;
  const Manner manner_;
  const bool takes_device_;                 // MPI takes addresses of this rank's device memory
  Kernels kernels_;                         // for reductions of such a rank
  std::atomic<std::thread::id> runs_on_{};  // the thread that runs a batch; none: no batch runs
  std::mutex running_;                      // one batch of a rank runs at a time; only graphs on two streams meet here
  std::mutex splitting_;
  std::unique_ptr<Gathered> gathered_;  // of the last meeting
  std::vector<const void*> sent_;       // operands, by rank; kept for its memory
  // The other ranks' data for this one's part of a reduction. With MPI's collectives: a copy of the data that this rank sends
  // in place.
  std::unique_ptr<std::vector<char>> scratch_;
  void* device_scratch_ = nullptr;  // the same of a device whose memory MPI takes
  uint64_t device_scratch_bytes_ = 0;
  uint64_t collectives_ = 0;         // that have begun; under `running_`
  uint64_t waits_for_ = 0;           // the number of the collective that this rank is in, from 1; 0: none
  bool asked_ = false;               // of many: a rank that waits with this one asks which is missing
  std::atomic<bool> heard_{false};   // the failure came from another rank
  std::atomic<bool> passed_{false};  // of many: the neighbours have been told
  bool met_ = false;                 // all ranks have come to the present collective
  std::vector<uint64_t> answers_;    // by rank: the number that it said it is in, and 1; 0: has not answered
  rtStream_t stream_ = nullptr;      // for copies between device and host
  bool stages_ = false;              // of the present collective: some rank is on a device
  bool all_in_place_ = false;        // of the present collective: MPI's mark for it has to stand at all ranks or at none
};

}  // namespace manyrt::comm::mpi
