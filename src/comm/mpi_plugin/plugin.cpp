// libmanyrt-comm-mpi.so: the one place that sees mpi.h. It translates into MPI's messages and collectives, and knows neither
// streams nor contexts nor time; comm/mpi/rank.cpp decides what to do when.
#include "comm/mpi/plugin.h"

#include <dlfcn.h>
#include <mpi.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "base/text.h"
#include "comm/host_reduction.h"

namespace manyrt::comm::mpi {

struct PluginComm {
  MPI_Comm operations = MPI_COMM_NULL;
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm splits = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  MPI_Op reductions[kTypeCount][kReductionCount] = {};  // made at the first use
  bool made[kTypeCount][kReductionCount] = {};
};

struct PluginRequest {
  MPI_Request request = MPI_REQUEST_NULL;
  bool receives = false;             // a message to this rank, of `transfer` or `start`
  std::vector<MPI_Request> between;  // of `exchange` among few ranks, instead of `request`: with each of the others
};

namespace {

enum { kOperation = 0, kTransfer = 1, kExchange = 2 };  // tags on the communicator for operations

// Among so many ranks each sends to each. Messages of their own are shorter than the slots of an all-gather, and MPI does less
// for them; with more ranks they are too many.
constexpr int kFewRanks = 8;

thread_local char sentence[MPI_MAX_ERROR_STRING + 128];

const char* failed(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  (void)MPI_Error_string(code, text, &length);
  snprintf(sentence, sizeof sentence, "%s failed: %s.", call, text);
  return sentence;
}

const char* refused(const char* text) {
  // The thread's own, as the caller reads it after the call: the other side has no type of this one.
  snprintf(sentence, sizeof sentence, "%s", text);
  return sentence;
}

#define MPI_TRY(call)                                                                \
  do {                                                                               \
    if (const int code_ = (call); code_ != MPI_SUCCESS) return failed(#call, code_); \
  } while (0)

MPI_Datatype datatype(int32_t type) {
  switch (type) {
    case RT_COMM_I8:
      return MPI_INT8_T;
    case RT_COMM_U8:
      return MPI_UINT8_T;
    case RT_COMM_I16:
      return MPI_INT16_T;
    case RT_COMM_I32:
      return MPI_INT32_T;
    case RT_COMM_U32:
      return MPI_UINT32_T;
    case RT_COMM_I64:
      return MPI_INT64_T;
    case RT_COMM_U64:
      return MPI_UINT64_T;
    case RT_COMM_F32:
      return MPI_FLOAT;
    case RT_COMM_F64:
      return MPI_DOUBLE;
    default:
      return MPI_UINT16_T;  // u16, and the storage of f16 and bf16
  }
}

// ---- Life ----

const char* adopt(PluginComm** out, std::unique_ptr<PluginComm> made, int32_t* rank, int32_t* size) {
  // Three communicators: messages about failures, and splits, must not be matched with operations in flight.
  MPI_TRY(MPI_Comm_dup(made->operations, &made->messages));
  MPI_TRY(MPI_Comm_dup(made->operations, &made->splits));
  for (MPI_Comm each : {made->operations, made->messages, made->splits})
    // MPI's default handler ends the process.
    MPI_TRY(MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN));
  MPI_TRY(MPI_Comm_rank(made->operations, &made->rank));
  MPI_TRY(MPI_Comm_size(made->operations, &made->size));
  *rank = made->rank;
  *size = made->size;
  *out = made.release();
  return nullptr;
}

const char* attach(PluginComm** out, const void* mpi_comm, Calls calls, int32_t* rank, int32_t* size, Threads* threads) {
  int initialised = 0, finalised = 0, level = 0;
  MPI_TRY(MPI_Initialized(&initialised));
  MPI_TRY(MPI_Finalized(&finalised));
  // The library never starts MPI: the program decides about threads and the end.
  if (initialised == 0 || finalised != 0) return refused("MPI is not running: MPI_Init_thread comes first.");
  MPI_TRY(MPI_Query_thread(&level));
  *threads = level >= MPI_THREAD_MULTIPLE     ? Threads::kAny
             : level >= MPI_THREAD_SERIALIZED ? Threads::kOneAtATime
                                              : Threads::kOne;
  MPI_Comm given = MPI_COMM_NULL;
  // A handle of MPI is an int or a pointer, depending on the MPI: only this file knows.
  memcpy(&given, mpi_comm, sizeof given);
  if (given == MPI_COMM_NULL) return refused("The communicator of MPI is MPI_COMM_NULL.");
  int inter = 0;
  MPI_TRY(MPI_Comm_test_inter(given, &inter));
  // Its two groups have no common order of ranks.
  if (inter != 0) return refused("The communicator of MPI is an inter-communicator.");
  // A communicator of its own: the program's messages and ours cannot meet.
  auto made = std::make_unique<PluginComm>();
  MPI_TRY(MPI_Comm_dup(given, &made->operations));
  // Ranks that call MPI differently would wait for each other for ever.
  int least[2] = {static_cast<int>(calls), -static_cast<int>(calls)};
  MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, made->operations));
  if (least[0] != -least[1]) return refused("Some ranks have RT_COMM_MPI=collectives and others have not.");
  return adopt(out, std::move(made), rank, size);
}

const char* split(PluginComm** out, int32_t color, int32_t key, int32_t* rank, int32_t* size, PluginComm* comm) {
  // In the communicator for splits: operations that are in flight cannot be taken for its messages.
  auto made = std::make_unique<PluginComm>();
  *out = nullptr;
  MPI_TRY(MPI_Comm_split(comm->splits, color < 0 ? MPI_UNDEFINED : color, key, &made->operations));
  // This rank is in no part, which is no failure.
  if (made->operations == MPI_COMM_NULL) return nullptr;
  return adopt(out, std::move(made), rank, size);
}

void release(PluginComm* comm) {
  int finalised = 0;
  // After MPI's end its objects are gone, and a call would end the process.
  if (MPI_Finalized(&finalised) == MPI_SUCCESS && finalised == 0) {
    for (MPI_Comm each : {comm->operations, comm->messages, comm->splits}) (void)MPI_Comm_free(&each);
    for (int type = 0; type < kTypeCount; ++type) {
      for (int reduction = 0; reduction < kReductionCount; ++reduction) {
        if (comm->made[type][reduction]) (void)MPI_Op_free(&comm->reductions[type][reduction]);
      }
    }
  }
  delete comm;
}

// ---- What the ranks agree on ----

const char* least(int64_t* values, int32_t count, PluginComm* comm) {
  MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, comm->operations));
  return nullptr;
}

const char* gather(const void* mine, uint32_t bytes, void* all, PluginComm* comm) {
  const int count = static_cast<int>(bytes);
  MPI_TRY(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm->operations));
  return nullptr;
}

const char* share(void* memory, uint32_t bytes, int32_t root, PluginComm* comm) {
  MPI_TRY(MPI_Bcast(memory, static_cast<int>(bytes), MPI_BYTE, root, comm->operations));
  return nullptr;
}

const char* vote(PluginRequest** out, int64_t* values, int32_t count, PluginComm* comm) {
  auto request = std::make_unique<PluginRequest>();
  MPI_TRY(MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, comm->operations, &request->request));
  *out = request.release();
  return nullptr;
}

void describe(char* text, uint32_t size) {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(all, &length) != MPI_SUCCESS) length = 0;
  // Several lines in some MPIs, and words apart by tabs.
  length = static_cast<int>(strcspn(all, "\r\n"));
  all[length] = '\0';
  for (char* at = all; *at != '\0'; ++at) {
    if (*at == '\t') *at = ' ';
  }
  copyLetters(text, size, all);
}

// An extension that not every MPI has, so it is looked up where the loader has MPI. A header's word from the build of the
// plug-in would be a guess about the MPI that runs.
int32_t takesCudaMemory() {
  using Query = int (*)();
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query != nullptr && query() == 1 ? 1 : 0;
}

// ---- Operations ----

// Where the two ranges of an operation are one place, MPI wants its mark instead of the address.
struct Places {
  Places(const Operation& of, int rank)
      : send(of.send), receive(of.receive), bytes(of.count * sizeOf(of.type)), is_root(rank == of.root) {
    const size_t own = static_cast<size_t>(rank) * bytes;
    const bool gathers = of.kind == Kind::kAllGather || (of.kind == Kind::kGather && is_root);
    if (gathers && of.send == static_cast<char*>(of.receive) + own) send = MPI_IN_PLACE;
    if (of.kind == Kind::kAllToAll && of.send == of.receive) send = MPI_IN_PLACE;
    if (of.kind == Kind::kScatter && is_root && of.receive == static_cast<const char*>(of.send) + own) receive = MPI_IN_PLACE;
  }
  // For the root of a broadcast.
  void bringToReceive() const {
    // MPI has one buffer for both.
    if (is_root && send != receive) memcpy(receive, send, bytes);
  }
  const void* send;
  void* receive;
  size_t bytes;
  bool is_root;
};

const char* begin(PluginRequest& request, const Operation& of, PluginComm* comm) {
  const int count = static_cast<int>(of.count);
  const MPI_Datatype type = datatype(of.type);
  const MPI_Comm on = comm->operations;
  MPI_Request* const out = &request.request;
  const Places at(of, comm->rank);
  switch (of.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce:
    case Kind::kReduceScatter:
      return refused("Reductions go by transfers.");
    case Kind::kBroadcast:
      at.bringToReceive();
      MPI_TRY(MPI_Ibcast(of.receive, count, type, of.root, on, out));
      return nullptr;
    case Kind::kAllGather:
      MPI_TRY(MPI_Iallgather(at.send, count, type, of.receive, count, type, on, out));
      return nullptr;
    case Kind::kAllToAll:
      MPI_TRY(MPI_Ialltoall(at.send, count, type, of.receive, count, type, on, out));
      return nullptr;
    case Kind::kGather:
      MPI_TRY(MPI_Igather(at.send, count, type, of.receive, count, type, of.root, on, out));
      return nullptr;
    case Kind::kScatter:
      MPI_TRY(MPI_Iscatter(of.send, count, type, at.receive, count, type, of.root, on, out));
      return nullptr;
    case Kind::kBarrier:
      MPI_TRY(MPI_Ibarrier(on, out));
      return nullptr;
    case Kind::kSend:
      MPI_TRY(MPI_Isend(of.send, count, type, of.root, kOperation, on, out));
      return nullptr;
    case Kind::kReceive:
      MPI_TRY(MPI_Irecv(of.receive, count, type, of.root, kOperation, on, out));
      return nullptr;
    case Kind::kSplit:
      return nullptr;
  }
  return nullptr;
}

const char* start(PluginRequest** out, const Operation& operation, PluginComm* comm) {
  if (operation.count > INT_MAX) return refused("MPI counts elements with an int: one operation has too many.");
  auto request = std::make_unique<PluginRequest>();
  request->receives = operation.kind == Kind::kReceive;
  if (const char* why = begin(*request, operation, comm)) return why;
  *out = request.release();
  return nullptr;
}

// ---- Collectives of MPI itself ----

// The arithmetic of the other engines. MPI gives the operand of the lower ranks first.
template <int32_t kType, int32_t kReduction>
void combine(void* lower, void* result, int* count, MPI_Datatype*) {
  combineOnHost(kType, kReduction, result, lower, result, static_cast<uint64_t>(*count));
}

#define MANYRT_COMM_ROW(number, Type, name)                                                          \
  {combine<number, RT_COMM_SUM>, combine<number, RT_COMM_PRODUCT>, combine<number, RT_COMM_MINIMUM>, \
   combine<number, RT_COMM_MAXIMUM>, combine<number, RT_COMM_AVERAGE>},
constexpr MPI_User_function* kCombine[kTypeCount][kReductionCount] = {MANYRT_COMM_TYPES(MANYRT_COMM_ROW)};
#undef MANYRT_COMM_ROW

// MPI's own operation where it has the same arithmetic: some MPIs have their best algorithms for these alone. Not for 16-bit
// floating point, which MPI has as integers, nor for minimum and maximum of floating point, where MPI says nothing of a NaN.
MPI_Op ownOperation(int32_t type, int32_t reduction) {
  if (type == RT_COMM_F16 || type == RT_COMM_BF16) return MPI_OP_NULL;
  const bool is_integer = type != RT_COMM_F32 && type != RT_COMM_F64;
  switch (reduction) {
    case RT_COMM_SUM:
    case RT_COMM_AVERAGE:
      return MPI_SUM;
    case RT_COMM_PRODUCT:
      return MPI_PROD;
    case RT_COMM_MINIMUM:
      return is_integer ? MPI_MIN : MPI_OP_NULL;
    default:
      return is_integer ? MPI_MAX : MPI_OP_NULL;
  }
}

const char* reductionOf(MPI_Op* out, const Operation& of, PluginComm* comm) {
  *out = ownOperation(of.type, of.reduction);
  if (*out != MPI_OP_NULL) return nullptr;
  MPI_Op& reduction = comm->reductions[of.type][of.reduction];
  // A flag, as the table begins with zeros, and zero may be a handle of MPI.
  bool& made = comm->made[of.type][of.reduction];
  // 1: commutative, so that MPI may choose the order of the operands (rt_comm.h).
  if (!made) MPI_TRY(MPI_Op_create(kCombine[of.type][of.reduction], 1, &reduction));
  made = true;
  *out = reduction;
  return nullptr;
}

const char* complete(const Operation& of, PluginComm* comm) {
  if (of.count > INT_MAX) return refused("MPI counts elements with an int: one operation has too many.");
  const int count = static_cast<int>(of.count);
  const MPI_Datatype type = datatype(of.type);
  const MPI_Comm on = comm->operations;
  const Places at(of, comm->rank);
  MPI_Op reduction = MPI_OP_NULL;
  switch (of.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce:
    case Kind::kReduceScatter:
      if (const char* why = reductionOf(&reduction, of, comm)) return why;
      if (of.kind == Kind::kAllReduce) {
        MPI_TRY(MPI_Allreduce(of.send, of.receive, count, type, reduction, on));
      } else if (of.kind == Kind::kReduce) {
        MPI_TRY(MPI_Reduce(of.send, of.receive, count, type, reduction, of.root, on));
      } else {
        MPI_TRY(MPI_Reduce_scatter_block(of.send, of.receive, count, type, reduction, on));
      }
      return nullptr;
    case Kind::kBroadcast:
      at.bringToReceive();
      MPI_TRY(MPI_Bcast(of.receive, count, type, of.root, on));
      return nullptr;
    case Kind::kAllGather:
      MPI_TRY(MPI_Allgather(at.send, count, type, of.receive, count, type, on));
      return nullptr;
    case Kind::kAllToAll:
      MPI_TRY(MPI_Alltoall(at.send, count, type, of.receive, count, type, on));
      return nullptr;
    case Kind::kGather:
      MPI_TRY(MPI_Gather(at.send, count, type, of.receive, count, type, of.root, on));
      return nullptr;
    case Kind::kScatter:
      MPI_TRY(MPI_Scatter(of.send, count, type, at.receive, count, type, of.root, on));
      return nullptr;
    case Kind::kBarrier:
      MPI_TRY(MPI_Barrier(on));
      return nullptr;
    case Kind::kSend:
    case Kind::kReceive:
    case Kind::kSplit:
      return refused("Messages are no collectives.");
  }
  return nullptr;
}

// Gives receives up. Messages that were sent go their way.
void abandonAll(std::vector<MPI_Request>& requests) {
  for (MPI_Request& each : requests) {
    if (each == MPI_REQUEST_NULL) continue;
    (void)MPI_Cancel(&each);
    // MPI ends the request when it is over. The memory is kept by the caller as long.
    (void)MPI_Request_free(&each);
  }
}

// The receives first, so that what comes goes to its place at once.
const char* exchangeBetween(PluginRequest& request, const char* mine, uint32_t bytes, char* all, uint32_t slot,
                            PluginComm* comm) {
  for (const bool receives : {true, false}) {
    for (int step = 1; step < comm->size; ++step) {
      const int peer = (comm->rank + step) % comm->size;
      MPI_Request* const one = &request.between.emplace_back(MPI_REQUEST_NULL);
      if (receives) {
        MPI_TRY(MPI_Irecv(all + size_t{slot} * static_cast<size_t>(peer), static_cast<int>(slot), MPI_BYTE, peer, kExchange,
                          comm->operations, one));
      } else {
        MPI_TRY(MPI_Isend(mine, static_cast<int>(bytes), MPI_BYTE, peer, kExchange, comm->operations, one));
      }
    }
  }
  memcpy(all + size_t{slot} * static_cast<size_t>(comm->rank), mine, bytes);
  return nullptr;
}

const char* exchange(PluginRequest** out, const void* mine, uint32_t bytes, void* all, uint32_t slot, PluginComm* comm) {
  auto request = std::make_unique<PluginRequest>();
  if (comm->size > 1 && comm->size <= kFewRanks) {
    // All at once: nothing may throw while messages are under way.
    request->between.reserve(2 * static_cast<size_t>(comm->size));
    const char* const why =
        exchangeBetween(*request, static_cast<const char*>(mine), bytes, static_cast<char*>(all), slot, comm);
    if (why != nullptr) {
      abandonAll(request->between);
      return why;
    }
  } else {
    // Whole slots: an all-gather has one length for all ranks.
    const int count = static_cast<int>(slot);
    MPI_TRY(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm->operations, &request->request));
  }
  *out = request.release();
  return nullptr;
}

const char* transfer(PluginRequest** out, Direction direction, void* memory, uint64_t count, int32_t type, int32_t peer,
                     PluginComm* comm) {
  auto request = std::make_unique<PluginRequest>();
  const int elements = static_cast<int>(count);
  // abandon() cancels receives alone: a cancelled send may wait for its peer.
  request->receives = direction == Direction::kReceive;
  if (request->receives) {
    MPI_TRY(MPI_Irecv(memory, elements, datatype(type), peer, kTransfer, comm->operations, &request->request));
  } else {
    MPI_TRY(MPI_Isend(memory, elements, datatype(type), peer, kTransfer, comm->operations, &request->request));
  }
  *out = request.release();
  return nullptr;
}

// A receive that has begun cannot be cancelled, and a wait for it may have no end if the sender is gone. So one look is enough.
void abandon(PluginRequest* request) {
  int over = 0;
  if (request->receives) (void)MPI_Cancel(&request->request);
  // A test that finds the request over frees it.
  if (MPI_Test(&request->request, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && over == 0) {
    (void)MPI_Request_free(&request->request);
  }
  delete request;
}

void end(uint64_t* bytes, const MPI_Status& status, PluginRequest* request) {
  int count = 0;
  // A count below zero is one that MPI does not know.
  if (MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0) *bytes = static_cast<uint64_t>(count);
  delete request;
}

const char* test(int32_t* done, uint64_t* bytes, PluginRequest* request) {
  MPI_Status status;
  int over = 0;
  *done = 0;
  if (!request->between.empty()) {
    const int count = static_cast<int>(request->between.size());
    // All or none: the slots of some ranks are of no use before the others' are there.
    MPI_TRY(MPI_Testall(count, request->between.data(), &over, MPI_STATUSES_IGNORE));
    *done = over;
    if (over != 0) delete request;
    return nullptr;
  }
  MPI_TRY(MPI_Test(&request->request, &over, &status));
  if (over == 0) return nullptr;
  end(bytes, status, request);
  *done = 1;
  return nullptr;
}

const char* wait(uint64_t* bytes, PluginRequest* request) {
  MPI_Status status;
  MPI_TRY(MPI_Wait(&request->request, &status));
  end(bytes, status, request);
  return nullptr;
}

// ---- Messages ----

const char* post(int32_t to, int32_t tag, const void* message, uint32_t bytes, PluginComm* comm) {
  // The copy and its request are MPI's: a rank that is gone never takes the message, and nothing waits for that.
  auto* const copy = new char[bytes];
  memcpy(copy, message, bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_TRY(MPI_Isend(copy, static_cast<int>(bytes), MPI_BYTE, to, tag, comm->messages, &request));
  int over = 0;
  MPI_TRY(MPI_Test(&request, &over, MPI_STATUS_IGNORE));
  if (over != 0) {
    delete[] copy;
  } else {
    MPI_TRY(MPI_Request_free(&request));
  }
  return nullptr;
}

const char* take(int32_t* from, int32_t* tag, void* message, uint32_t capacity, PluginComm* comm) {
  int there = 0;
  MPI_Message handle = MPI_MESSAGE_NULL;
  MPI_Status status;
  // A matched probe: no other thread can take the message between the look and the receive.
  *from = -1;
  MPI_TRY(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->messages, &there, &handle, &status));
  if (there == 0) return nullptr;
  MPI_TRY(MPI_Mrecv(message, static_cast<int>(capacity), MPI_BYTE, &handle, &status));
  *from = status.MPI_SOURCE;
  *tag = status.MPI_TAG;
  return nullptr;
}

// The callers are on the other side of a C interface: no exception passes it.
template <class... Parameters, const char* (*function)(Parameters...)>
constexpr auto fence(std::integral_constant<const char* (*)(Parameters...), function>) {
  return +[](Parameters... arguments) -> const char* {
    try {
      return function(arguments...);
    } catch (const std::bad_alloc&) {
      return refused("There is no host memory for an operation of MPI.");
    }
  };
}
template <auto function>
constexpr auto kFenced = fence(std::integral_constant<decltype(function), function>());

constexpr Plugin kPlugin = {
    .version = kPluginVersion,
    .attach = kFenced<attach>,
    .split = kFenced<split>,
    .release = release,
    .least = kFenced<least>,
    .gather = kFenced<gather>,
    .share = kFenced<share>,
    .vote = kFenced<vote>,
    .describe = describe,
    .takesCudaMemory = takesCudaMemory,
    .start = kFenced<start>,
    .complete = kFenced<complete>,
    .exchange = kFenced<exchange>,
    .transfer = kFenced<transfer>,
    .abandon = abandon,
    .test = kFenced<test>,
    .wait = kFenced<wait>,
    .post = kFenced<post>,
    .take = kFenced<take>,
};

}  // namespace
}  // namespace manyrt::comm::mpi

extern "C" __attribute__((visibility("default"))) const manyrt::comm::mpi::Plugin* manyrtCommMpiPlugin() {
  return &manyrt::comm::mpi::kPlugin;
}
