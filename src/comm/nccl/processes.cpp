// NCCL starts a rank on the device that is current. A native function of the rank's context has that device current, on
// whatever thread it runs; so the start is called in one.
#include "comm/nccl/processes.h"

#include <cstring>
#include <utility>

#include "base/config.h"
#include "comm/core_call.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {
namespace {

struct Call {
  const Library* library;
  NativeId id;
  int rank;
  int size;
  NativeComm* comm = nullptr;
  Result result = kInternalError;
};

rtStatus_t initRank(const uint64_t*, void* user) {
  Call& call = *static_cast<Call*>(user);
  Config config;
  config.blocking = 0;
  call.result = call.library->initRank(&call.comm, call.size, call.id, call.rank, &config);
  return RT_SUCCESS;
}

}  // namespace

bool makeId(NativeId* id) {
  memset(id, 0, sizeof *id);
  const char* const chosen = config::get(config::Variable::kCommEngine);
  int32_t devices = 0;
  if (chosen != nullptr && strcmp(chosen, "in_process") == 0) return false;
  if (rtDeviceGetCount(&devices, RT_BACKEND_CUDA) != RT_SUCCESS || devices == 0) return false;
  const Library* library = nullptr;
  return open(&library).ok() && library->uniqueId(id) == kSuccess;
}

Status Start::begin(std::unique_ptr<Start>* out, const NativeId& id, int32_t rank, int32_t size, const Place& place) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  prepareWatch();
  auto start = std::make_unique<Start>(*library);
  Call call = {library, id, rank, size};
  rtStream_t stream = nullptr;
  RT_TRY_CORE(rtStreamCreate(&stream, nullptr, place.context));
  rtStatus_t code = rtStreamLaunchNative(initRank, &call, stream);
  if (code == RT_SUCCESS) code = rtStreamSynchronize(stream);
  const Status called = fromCore(code);
  (void)rtStreamDestroy(stream);
  RT_TRY(called);
  start->comm_ = call.comm;
  if (call.result != kSuccess && call.result != kInProgress) {
    start->comm_ = nullptr;  // NCCL has taken it back
    return failure(*library, "ncclCommInitRankConfig", call.result);
  }
  *out = std::move(start);
  return Status();
}

Start::~Start() {
  if (comm_ != nullptr && !processEnds()) (void)library_.abort(comm_);
}

Status Start::look(bool* done) {
  Result state = kSuccess;
  const Result asked = library_.asyncError(comm_, &state);
  const Result result = asked == kSuccess ? state : asked;
  *done = result == kSuccess;
  return *done || result == kInProgress ? Status() : failure(library_, "The start of NCCL among processes", result);
}

NativeComm* Start::take() { return std::exchange(comm_, nullptr); }

Status createAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<std::unique_ptr<Start>> starts,
                   const std::vector<Place>& places, const Settings& settings) {
  const Library* library = nullptr;
  RT_TRY(open(&library));
  const auto monitor = std::make_shared<Monitor>();
  std::vector<NativeComm*> comms(starts.size());
  for (size_t rank = 0; rank < starts.size(); ++rank) {
    if (starts[rank] != nullptr) comms[rank] = starts[rank]->take();
  }
  const auto clique = std::make_shared<Clique>(*library, monitor, comms);
  std::vector<std::shared_ptr<Communicator>> made(starts.size());
  for (size_t rank = 0; rank < starts.size(); ++rank) {
    if (comms[rank] == nullptr) continue;
    const auto of = std::make_shared<Rank>(places[rank], settings, static_cast<int32_t>(rank),
                                           static_cast<int32_t>(starts.size()), monitor, nullptr, clique);
    made[rank] = of;
    RT_TRY(of->prepare());
  }
  *members = std::move(made);
  return Status();
}

}  // namespace manyrt::comm::nccl
