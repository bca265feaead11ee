// Many builds for the CPU in one call. Threads take a few sources at a time and run the front end for each. Then they start one
// compiler for the quick code of all of these. Compiler, assembler and linker take some 20 ms to start, and 10 ms for a small
// kernel. Each module gets a part of the object that they make. Optimised code, which stays, is compiled for each module alone.
#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/side_by_side.h"
#include "base/trace.h"
#include "compiler/pipeline/cpu_pipeline.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

// Sources that a thread takes at once, and so at most those of one compiler. From about eight on a compiler's start is little
// beside the rest, and fewer at a time end together.
constexpr size_t kMostTaken = 16, kFewestTaken = 8;
// Text for one compiler.
constexpr size_t kMostBytes = 256 << 10;

// The state that all threads of a call share.
struct Call {
  CpuBuild* builds;
  size_t count;
  size_t threads;
  std::atomic<size_t> next{0};
  // By the number of the build; each is written by the thread that takes the build, and read after all have returned.
  std::vector<CpuFlights::Ticket> others;         // another build of the same source is under way
  std::vector<std::function<void()>> background;  // what follows

  // The first of those that the caller takes, and how many; 0: none is left. The last ones are fewer, so that threads end
  // at about the same time.
  size_t take(size_t* first) {
    const size_t fewest = std::min((count + threads - 1) / threads, kFewestTaken);
    // Relaxed: the builds were there before the threads were.
    size_t at = next.load(std::memory_order_relaxed);
    for (;;) {
      if (at >= count) return 0;
      const size_t left = count - at;
      const size_t taken = std::min(left, std::clamp(left / (2 * threads), fewest, kMostTaken));
      if (!next.compare_exchange_weak(at, at + taken, std::memory_order_relaxed)) continue;
      *first = at;
      return taken;
    }
  }
};

void deliver(CpuBuild* build, const CpuBuilt& built, const Status& status, Origin origin) {
  build->status = status;
  build->origin = origin;
  try {
    build->log += built.log;
    build->object = built.object;
  } catch (const std::bad_alloc&) {  // of one build among many: the others go on
    build->status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
}

// One of the builds, from its options to its object. All that throws is in the methods: the destructor ends a build that was
// left unfinished, for the threads that wait for it.
class One {
 public:
  One(Call& call, size_t number)
      : call_(call), number_(number), build_(call.builds[number]), pipeline_(build_.request, &build_.log) {
    pipeline_.limitTexts(static_cast<uint32_t>(std::clamp<size_t>(std::thread::hardware_concurrency() / call.count, 1, 8)));
    pipeline_.holdBackground(&call.background[number]);
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;
  ~One() {
    if (flight_ != nullptr) land(Status::bare(RT_ERROR_OUT_OF_MEMORY));
  }

  // As far as it goes without a compiler for several. False: that is what is left.
  bool build() {
    bool complete = true;
    const Status status = start(&complete);
    if (flight_ == nullptr) {
      if (!status.ok()) build_.status = status;
      return true;
    }
    if (!status.ok() || complete) {
      land(status);
      return true;
    }
    if (pipeline_.mayShareCompiler()) return false;
    buildAlone();
    return true;
  }
  void buildAlone() { land(pipeline_.compileAlone(&flight_->result)); }
  void takePart(Ref<Object> part) {
    pipeline_.takePart(&flight_->result, std::move(part));
    land(Status());
  }

  const CpuPipeline& pipeline() const { return pipeline_; }

 private:
  Status start(bool* complete) {
    RT_TRY(pipeline_.prepare());
    CpuRegistry& known = cpuRegistry();
    CpuBuilt built;
    CpuFlights::Ticket flight;
    const auto kept = [&](CpuBuilt* found) { return known.find(found, pipeline_.key()); };
    switch (known.flights.begin(&flight, &built, pipeline_.key(), kept)) {
      case CpuFlights::Start::kKept:
        deliver(&build_, built, Status(), Origin::kProcess);
        return Status();
      case CpuFlights::Start::kOthers:
        call_.others[number_] = std::move(flight);
        return Status();
      case CpuFlights::Start::kOwn:
        break;
    }
    flight_ = std::move(flight);
    return pipeline_.makeTexts(complete, &flight_->result);
  }

  void land(const Status& status) {
    CpuRegistry& known = cpuRegistry();
    const CpuFlights::Ticket flight = std::move(flight_);
    known.flights.land(*flight, pipeline_.key(), status, [&](const CpuBuilt& made) { known.keep(made, pipeline_.key()); });
    deliver(&build_, flight->result, status, pipeline_.origin());
  }

  Call& call_;
  const size_t number_;
  CpuBuild& build_;
  CpuPipeline pipeline_;
  CpuFlights::Ticket flight_;  // of this build, until it has landed
};

std::string endingOf(size_t number) { return "__" + std::to_string(number); }

// Adds a unit to a text with several, in a namespace of its own. Macros give an ending to its names with the linkage of C.
void addUnit(std::string* text, const CpuUnit& unit, size_t number) {
  const std::string ending = endingOf(number);
  std::vector<std::string> names = unit.entries;
  names.insert(names.end(), {kModuleSymbol, kTraitsSymbol, kFormsSymbol, kArgumentsSymbol, kFibersSymbol});
  for (const std::string& name : names) *text += "#define " + name + " " + name + ending + "\n";
  *text += "namespace mrt_unit" + ending + " {\n" + unit.texts[0] + "\n}\n";
  for (const std::string& name : names) *text += "#undef " + name + "\n";
}

using Group = std::vector<std::unique_ptr<One>*>;

Status compileTogether(Ref<Object>* whole, const Group& group) {
  const CpuPipeline& first = (*group[0])->pipeline();
  CompileJob job = first.quickJob();
  // gcc chooses registers for all of a function at once, in five sixths of the time; that code runs up to a tenth slower until
  // optimised code takes its place. clang knows no such parameter and ignores it.
  job.flags.insert(job.flags.end(), {"--param", "ira-max-loops-num=0"});
  job.simpler.clear();  // a compiler that breaks down over one source is given the others alone
  job.texts.resize(1);
  for (size_t i = 0; i < group.size(); ++i) addUnit(job.texts.data(), (*group[i])->pipeline().quickUnit(), i);
  const trace::BuildStep step("compiler, quick code", first.name());
  std::vector<unsigned char> object;
  std::string output;
  RT_TRY(compile(&object, &output, first.compiler(), job));
  return Object::load(whole, object.data(), object.size(), first.name());
}

// A compiler for all of a group. Whatever it fails with: each source then has a compiler of its own, which says what is wrong
// with it.
void compileGroup(const Group& group) {
  Ref<Object> whole;
  if (group.size() > 1) {
    Status status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    try {
      status = compileTogether(&whole, group);
    } catch (const std::bad_alloc&) {  // each may be possible alone
    }
    if (!status.ok()) {
      log::write(RT_LOG_WARNING, "The quick code of %zu modules could not be compiled at once, and is compiled one by one: %s",
                 group.size(), status.message()[0] != '\0' ? status.message() : errorString(status.code()));
    }
  }
  for (size_t i = 0; i < group.size(); ++i) {
    try {
      if (whole) {
        (*group[i])->takePart(Object::part(whole, endingOf(i), whole->fileBytes() / group.size()));
      } else {
        (*group[i])->buildAlone();
      }
    } catch (const std::bad_alloc&) {  // of one build among many: the others go on
    }
    group[i]->reset();
  }
}

// The ones with the same flags, in groups.
std::vector<Group> groupsOf(std::vector<std::unique_ptr<One>>& ones) {
  struct Open {
    std::vector<std::string> flags;
    size_t bytes = 0;
    Group group;
  };
  std::vector<Open> open;
  for (std::unique_ptr<One>& one : ones) {
    std::vector<std::string> flags = one->pipeline().quickJob().flags;
    const size_t bytes = one->pipeline().quickUnit().texts[0].size();
    const auto fits = std::find_if(open.begin(), open.end(),
                                   [&](const Open& each) { return each.flags == flags && each.bytes + bytes <= kMostBytes; });
    Open& into = fits != open.end() ? *fits : open.emplace_back(Open{std::move(flags), 0, {}});
    into.bytes += bytes;
    into.group.push_back(&one);
  }
  std::vector<Group> groups;
  for (Open& each : open) groups.push_back(std::move(each.group));
  return groups;
}

void buildSome(Call& call, size_t first, size_t count) {
  std::vector<std::unique_ptr<One>> left;
  left.reserve(count);
  for (size_t i = first; i < first + count; ++i) {
    try {
      auto one = std::make_unique<One>(call, i);
      if (!one->build()) left.push_back(std::move(one));
    } catch (const std::bad_alloc&) {  // of one build among many: the others go on
    }
  }
  for (const Group& group : groupsOf(left)) compileGroup(group);
}

}  // namespace

void buildManyForCpu(CpuBuild* builds, size_t count) {
  Call call{builds, count, std::clamp<size_t>(std::thread::hardware_concurrency(), 1, count), {}, {}, {}};
  call.others.resize(count);
  call.background.resize(count);
  // Until a build says something else: no exception may leave the threads.
  for (size_t i = 0; i < count; ++i) builds[i].status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  sideBySide(static_cast<uint32_t>(call.threads), [&] {
    size_t first = 0;
    while (const size_t taken = call.take(&first)) {
      try {
        buildSome(call, first, taken);
      } catch (const std::bad_alloc&) {  // what is not finished has that status
      }
    }
  });
  // All flights of this call have landed, so that a wait for those of others ends.
  for (size_t i = 0; i < count; ++i) {
    if (call.others[i] == nullptr) continue;
    CpuBuilt built;
    try {
      const Status status = cpuRegistry().flights.await(&built, *call.others[i]);
      deliver(&builds[i], built, status, Origin::kProcess);
    } catch (const std::bad_alloc&) {  // it has that status
    }
  }
  // Last: until here the processors are for what the caller waits for.
  for (const std::function<void()>& begin : call.background) {
    if (begin) begin();
  }
}

}  // namespace manyrt::compiler
