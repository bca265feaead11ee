// Records of CUPTI's activity interface about the work of all CUDA devices: begin and end of each kernel, copy, fill and node
// of a graph. They need no events in the stream. It is opened when the first work is timed, and records only while something
// asks for times. Where there is none, timed events take its place (timeline.h).
//
// A submission gets a number, which CUPTI keeps for the calls of the thread meanwhile (a Region). Records come in buffers, on
// any thread and in any order, and are kept by that number until the stream's span asks for them.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/cuda/cupti_api.h"
#include "backends/driver/spans.h"
#include "base/lock_order.h"
#include "base/trace.h"

namespace manyrt::cuda {

class Activities final : private trace::Source {
 public:
  struct Record {
    trace::Kind kind = trace::Kind::kKernel;  // kKernel, kCopy, kFill
    int64_t begin = 0, end = 0;               // nanoseconds of CUPTI's clock
    uint64_t node = 0;                        // of a graph: nodes that were added later have greater numbers
    const char* name = "";                    // of a kernel, as its module has it; kept
    int32_t copy = 0;                         // RT_MEMCPY_*
    uint64_t bytes = 0;                       // of a copy or a fill
    uint32_t grid[3] = {}, group[3] = {};     // of a kernel
  };

  // Null: CUPTI is not found, too old, refused or not wanted, and the log has said why. `driver_version`: as CUDA counts,
  // 12090.
  static Activities* get(int driver_version);
  Activities(const Activities&) = delete;
  Activities& operator=(const Activities&) = delete;

  // Begins to record, if it does not. False: CUPTI refuses, now and from here on. Takes locks from that of the sources on.
  bool begin();
  // CUPTI tells nothing that can be used: said once in the log, and begin() refuses from here on.
  void refuse(const char* why);
  // The place of CUPTI's clock on the host's, and how wide the look at it was.
  bool clock(int64_t* host_minus_cupti, int64_t* width) const;

  // A number for a submission of the stream with this track; 0: without memory, or refused. Each expected submission has to be
  // taken.
  uint64_t expect(uint64_t track);
  // Around the calls that give a submission to the driver, on their thread.
  class Region {
   public:
    Region(const Activities& activities, uint64_t number);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

   private:
    const Activities& activities_;
    bool pushed_ = false;
  };
  // All records of the submission, ordered by their begin. `count`: how many there are to be; 0: not known, then all are there
  // once CUPTI has told of a later submission of the stream, or of all. False: some may come. `over`: the device has done the
  // work.
  bool take(uint64_t number, size_t count, bool over, std::vector<Record>* records);
  void forget(uint64_t number);  // it was not submitted, or nothing asks for it any more

  // A span of a stream that has ended: it is told when its records have come. False: without memory for it.
  bool adopt(std::unique_ptr<driver::PendingSpan>* span, const trace::Track& track);

  // Has CUPTI hand over what is complete. At most once in so many nanoseconds, unless the last flush is older.
  void flush(int64_t interval);

 private:
  struct Submission {
    uint64_t track;
    std::vector<uint32_t> correlations;
    std::vector<Record> records;
  };
  struct Adopted {
    std::unique_ptr<driver::PendingSpan> span;
    trace::Track track;
  };
  struct Orphan {
    uint64_t buffer;  // the count of buffers when it came
    std::vector<Record> records;
  };

  explicit Activities(const cupti::Table& table) : table_(table) {}
  static Activities* open(int driver_version);
  bool start();
  void end();
  void tellAdopted(bool last);
  uint64_t settle(bool last) override;
  static void flushAtExit();
  static void requested(uint8_t** buffer, size_t* size, size_t* most_records);
  static void completed(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid_size);
  void read(uint8_t* buffer, size_t valid_size);
  void readOne(const cupti::Activity& activity);
  void add(uint32_t correlation, const Record& record);
  void setCalls(uint8_t enable);
  const char* textOf(cupti::Result result) const;

  const cupti::Table table_;
  cupti::Subscriber subscriber_ = nullptr;  // while it records: no other profiler of this kind can begin
  std::atomic<bool> on_{false}, refused_{false};
  std::atomic<bool> ends_{false};        // all that is there has been handed over
  std::atomic<bool> loses_{false};       // CUPTI has lost some records
  std::atomic<int64_t> flushed_{0};      // when, of the host's clock
  std::atomic<int64_t> outstanding_{0};  // buffers that CUPTI has
  Ranked<std::mutex, LockRank::kCudaActivitiesStart> start_mutex_;
  Ranked<std::mutex, LockRank::kCudaActivities> mutex_;
  uint64_t last_number_ = 0;
  uint64_t buffers_ = 0;                                  // read so far
  std::unordered_map<uint64_t, Submission> submissions_;  // by number
  std::unordered_map<uint32_t, uint64_t> numbers_;        // of a call, by its correlation
  std::unordered_map<uint32_t, Orphan> orphans_;          // records of calls whose number has not come yet
  std::list<Adopted> adopted_;
  std::unordered_map<uint64_t, uint64_t> newest_;  // of a track: the last submission that has a record
};

}  // namespace manyrt::cuda
