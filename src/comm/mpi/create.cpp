// Opening the plug-in, once, and making ranks with it: of an MPI_Comm, and by splitting. Where NCCL can run the operations, MPI
// only starts it (nccl_start.h).
#include <dlfcn.h>

#include <cstring>
#include <mutex>
#include <string>

#include "base/config.h"
#include "base/os/dynamic_library.h"
#include "comm/core_call.h"
#include "comm/mpi/nccl_start.h"
#include "comm/mpi/rank.h"

namespace manyrt::comm::mpi {
namespace {

// The plug-in lies beside this library, or where the loader looks. It is opened by a path that the program cannot choose.
std::string besideThisLibrary() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&besideThisLibrary), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1) + kPluginFile;
}

Status open(const Plugin** plugin) {
  static std::mutex mutex;
  static const Plugin* opened = nullptr;
  // A failure is not kept: the user may install the plug-in, or set a path, and call again.
  const std::lock_guard lock(mutex);
  if (opened == nullptr) {
    std::string reason, why;
    const std::string beside = besideThisLibrary();
    void* library = beside.empty() ? nullptr : openLibrary(beside.c_str(), &reason);
    // Then where the loader looks.
    if (library == nullptr) library = openLibrary(kPluginFile, &why);
    if (library == nullptr) {
      if (!why.empty()) reason = why;
      return Status::error(RT_ERROR_BACKEND_UNAVAILABLE,
                           "The engine of MPI, %s, %s%s. It is in Debian's package libmanyrt-comm-mpi0, with an MPI.",
                           kPluginFile, reason.empty() ? "was not found" : "did not load: ", reason.c_str());
    }
    const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginSymbol));
    const Plugin* const table = entry != nullptr ? entry() : nullptr;
    // The table has no sizes: another version may have other functions in its places.
    if (table == nullptr || table->version != kPluginVersion) {
      return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "%s is of another release than this library.", kPluginFile);
    }
    opened = table;
  }
  *plugin = opened;
  return Status();
}

Status chooseCalls(Calls* calls) {
  const char* const chosen = config::get(config::Variable::kCommMpi);
  const bool collectives = chosen != nullptr && strcmp(chosen, "collectives") == 0;
  RT_CHECK_ARG(chosen == nullptr || collectives || strcmp(chosen, "messages") == 0,
               "RT_COMM_MPI=%s is no way to call MPI; messages and collectives are.", chosen);
  *calls = collectives ? Calls::kCollectives : Calls::kMessages;
  return Status();
}

}  // namespace

Status create(std::shared_ptr<Communicator>* made, const Place& place, const Settings& settings, const void* mpi_comm) {
  const Plugin* plugin = nullptr;
  Calls calls = Calls::kMessages;
  Choice choice = Choice::kAny;
  RT_TRY(chooseCalls(&calls));
  RT_TRY(chooseCarrier(&choice));
  RT_TRY(open(&plugin));
  PluginComm* comm = nullptr;
  int32_t rank = 0, size = 0;
  Threads threads = Threads::kAny;
  if (const char* why = plugin->attach(&comm, mpi_comm, calls, &rank, &size, &threads)) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "%s", why);
  }
  Outcome outcome;
  const Status started = startNccl(&outcome, {*plugin, comm, rank, size}, choice, place, settings);
  if (!started.ok() || outcome.made != nullptr) {
    if (outcome.quiet) plugin->release(comm);  // else late messages would come to the next communicator
    *made = std::move(outcome.made);
    return started;
  }
  Settings own = settings;
  own.reason = outcome.reason;
  const auto of =
      std::make_shared<Rank>(*plugin, comm, Rank::Manner{calls, threads, std::this_thread::get_id()}, place, own, rank, size);
  // A stream of its own: copies for MPI must not wait for what the program has in its streams.
  if (!of->onHost()) RT_TRY_CORE(rtStreamCreate(&of->stream_, nullptr, place.context));
  *made = of;
  return Status();
}

Carrier Rank::carrier() const {
  char version[sizeof(rtCommInfo_t::engine_version)] = "";
  plugin_.describe(version, sizeof version);
  const int32_t transport = onHost()        ? RT_COMM_TRANSPORT_MPI
                            : takes_device_ ? RT_COMM_TRANSPORT_MPI_DEVICE
                                            : RT_COMM_TRANSPORT_MPI_STAGED;
  return {RT_COMM_ENGINE_MPI, transport, 1, version};
}

Rank::~Rank() {
  (void)rtStreamDestroy(stream_);
  // After a failure operations and messages may be under way. MPI would give them to the next communicator with this one's
  // number, so the number is not given back. Nor is memory that a receive which had begun may still write to.
  if (monitor().failure().ok()) {
    plugin_.release(comm_);
    (void)rtFree(device_scratch_);
  } else {
    (void)scratch_.release();
  }
}

// MPI has no split that can be given up. So the ranks meet first, as for a collective, on the calling thread.
Status Rank::announceSplit(int32_t color, int32_t key, uint64_t* ticket) {
  RT_TRY(admitThread());
  // Both numbers fit, so that nothing has to be kept until takeSplit().
  *ticket = static_cast<uint64_t>(static_cast<uint32_t>(color)) << 32 | static_cast<uint32_t>(key);
  return Status();
}

Status Rank::takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  const std::lock_guard alone(splitting_);
  const auto color = static_cast<int32_t>(ticket >> 32), key = static_cast<int32_t>(ticket & 0xffffffffu);
  if (manner_.calls == Calls::kMessages) {
    const std::lock_guard running(running_);
    // With a time limit, which MPI_Comm_split has not.
    const Status met = meet({Kind::kBarrier});
    if (!met.ok()) {
      fail(met);
      return met;
    }
  }
  PluginComm* comm = nullptr;
  int32_t rank = 0, size = 0;
  if (const char* why = plugin_.split(&comm, color, key, &rank, &size, comm_)) return failedPlugin(why);
  if (comm == nullptr) return Status();
  const auto of = std::make_shared<Rank>(plugin_, comm, manner_, place(), settings(), rank, size);
  if (!onHost()) RT_TRY_CORE(rtStreamCreate(&of->stream_, nullptr, place().context));
  *made = of;
  return Status();
}

}  // namespace manyrt::comm::mpi
