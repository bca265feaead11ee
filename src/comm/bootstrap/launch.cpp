// The variables of launchers, in one table. A row counts where both its rank and its size are set, and the first such row
// counts: what a user or torchrun says, then what started this process, then the batch system around it. Slurm's own variables
// are last but one. A batch script has them too, with rank 0, and hands them on to all that mpirun starts there.
#include "comm/bootstrap/launch.h"

#include <cerrno>
#include <cstdlib>

#include "base/config.h"
#include "comm/rendezvous.h"

namespace manyrt::comm::bootstrap {
namespace {

struct Launcher {
  const char* rank;
  const char* size;
  const char* size_else;   // where `size` is not set; may be null
  const char* local_size;  // ranks on this host; may be null
  const char* hosts;       // hosts of the job; may be null
  const char* job;
  const char* job_part;  // may be null
};

constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", nullptr, "LOCAL_WORLD_SIZE", nullptr, "TORCHELASTIC_RUN_ID", nullptr},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr, "PMIX_NAMESPACE", nullptr},
    {"PMI_RANK", "PMI_SIZE", nullptr, "MPI_LOCALNRANKS", nullptr, "PMI_JOBID", nullptr},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", nullptr, "SLURM_STEP_NUM_NODES", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"PMIX_RANK", "WORLD_SIZE", nullptr, nullptr, nullptr, "PMIX_NAMESPACE", nullptr},
};

// Decimal, and nothing else.
Status readNumber(int64_t* number, const char* name, const char* value, int64_t least, int64_t most) {
  char* end = nullptr;
  errno = 0;
  const long long read = strtoll(value, &end, 10);
  // strtoll() would take spaces and a part of a word.
  RT_CHECK_ARG(end != value && *end == '\0' && value[0] != ' ', "%s=%s is not a number.", name, value);
  RT_CHECK_ARG(errno == 0 && read >= least && read <= most, "%s=%s is not from %lld to %lld.", name, value,
               static_cast<long long>(least), static_cast<long long>(most));
  *number = read;
  return Status();
}

bool isNumber(Lookup lookup, const char* name, int64_t expected) {
  int64_t number = 0;
  const char* const value = name == nullptr ? nullptr : lookup(name);
  return value != nullptr && readNumber(&number, name, value, INT64_MIN, INT64_MAX).ok() && number == expected;
}

const char* sizeVariable(const Launcher& launcher, Lookup lookup) {
  return launcher.size_else != nullptr && lookup(launcher.size) == nullptr ? launcher.size_else : launcher.size;
}

Status findLauncher(const Launcher** found, Lookup lookup) {
  for (const Launcher& launcher : kLaunchers) {
    *found = &launcher;
    // Both: a batch script may set one of them for other programs.
    if (lookup(launcher.rank) != nullptr && lookup(sizeVariable(launcher, lookup)) != nullptr) return Status();
  }
  for (const Launcher& launcher : kLaunchers) {
    const char* const size = sizeVariable(launcher, lookup);
    const bool has_rank = lookup(launcher.rank) != nullptr;
    if (!has_rank && lookup(size) == nullptr) continue;
    // Half of a launcher's words is a mistake, which no default may hide.
    const char* const there = has_rank ? launcher.rank : size;
    return Status::error(RT_ERROR_INVALID_VALUE, "The environment has %s=%s and no %s: a launcher sets both.", there,
                         lookup(there), has_rank ? size : launcher.rank);
  }
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "The environment has no RANK and WORLD_SIZE, nor those of Open MPI, PMI or Slurm: it was started by no "
                       "launcher, or they have to be set.");
}

Status readRank(Launch* launch, const Launcher& launcher, Lookup lookup) {
  const char* const size_name = sizeVariable(launcher, lookup);
  int64_t rank = 0, size = 0;
  RT_TRY(readNumber(&size, size_name, lookup(size_name), 1, kMostRanks));
  launch->size_is = std::string(size_name) + "=" + lookup(size_name);
  RT_TRY(readNumber(&rank, launcher.rank, lookup(launcher.rank), 0, INT32_MAX));
  launch->rank_is = std::string(launcher.rank) + "=" + lookup(launcher.rank);
  RT_CHECK_ARG(rank < size, "%s is too large: with %s ranks go from 0 to %lld.", launch->rank_is.c_str(),
               launch->size_is.c_str(), static_cast<long long>(size - 1));
  launch->rank = static_cast<int32_t>(rank);
  launch->size = static_cast<int32_t>(size);
  if (const char* const job = lookup(launcher.job)) launch->job = job;
  const char* const part = launcher.job_part == nullptr ? nullptr : lookup(launcher.job_part);
  // Steps of one job may run at once, on the same hosts.
  if (part != nullptr) launch->job += std::string(".") + part;
  // As many ranks here as there are in all, or one host: no other machine has to reach rank 0.
  launch->on_one_host = isNumber(lookup, launcher.local_size, size) || isNumber(lookup, launcher.hosts, 1);
  return Status();
}

// Where the ranks meet. MASTER_ADDR is torchrun's, and the usual name where a script sets it.
Status readHost(Launch* launch, Lookup lookup) {
  if (const char* const host = lookup("MASTER_ADDR")) {
    launch->host = host;
    launch->host_is = std::string("MASTER_ADDR=") + host;
    return Status();
  }
  // Rank 0 of a step of Slurm is on its first host. The address of srun may be that of a host that has no rank.
  for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_LAUNCH_NODE_IPADDR"}) {
    const char* const value = lookup(name);
    // Slurm's lists also stand in batch scripts, whose programs another launcher may have started.
    if (value == nullptr || lookup("SLURM_PROCID") == nullptr) continue;
    launch->host = firstHost(value);
    launch->host_is = std::string(name) + "=" + value;
    return Status();
  }
  RT_CHECK_ARG(launch->on_one_host, "MASTER_ADDR is not set: it names the host of rank 0, where %d ranks meet.", launch->size);
  launch->host = "127.0.0.1";
  launch->host_is = "127.0.0.1";
  return Status();
}

// MASTER_PORT itself belongs to the launcher: torchrun's agent may listen there, and torch.distributed does.
Status readPort(Launch* launch, Lookup lookup) {
  int64_t port = 0;
  const char* const own = config::nameOf(config::Variable::kCommPort);
  if (const char* const value = lookup(own)) {
    RT_TRY(readNumber(&port, own, value, 1, UINT16_MAX));
  } else if (const char* const master = lookup("MASTER_PORT")) {
    RT_TRY(readNumber(&port, "MASTER_PORT", master, 1, UINT16_MAX));
    // The next port: the launcher has its own store at MASTER_PORT.
    RT_CHECK_ARG(++port <= UINT16_MAX, "MASTER_PORT=%s has no port after it, at which the ranks meet; %s names another one.",
                 master, own);
  } else {
    return Status::error(RT_ERROR_INVALID_VALUE,
                         "Neither %s nor MASTER_PORT is set: the ranks meet at this port, or the one after that.", own);
  }
  launch->port = static_cast<uint16_t>(port);
  return Status();
}

}  // namespace

const char* fromEnvironment(const char* name) {
  // Not in a process with more rights than its user: the environment is the user's.
  const char* const value = secure_getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

std::string firstHost(const std::string& list) {
  std::string host;
  for (size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] != '[') {
      host += list[at];
      continue;
    }
    const size_t end = list.find_first_of("-,]", at), closed = list.find(']', at);
    if (end == std::string::npos || closed == std::string::npos) return list;
    host += list.substr(at + 1, end - at - 1);  // the first number, which keeps its zeros
    at = closed;
  }
  return host;
}

Status readLaunch(Launch* launch, Lookup lookup) {
  const Launcher* launcher = nullptr;
  RT_TRY(findLauncher(&launcher, lookup));
  RT_TRY(readRank(launch, *launcher, lookup));
  // A single rank meets no other, and needs neither host nor port.
  if (launch->size == 1) return Status();
  RT_TRY(readHost(launch, lookup));
  RT_TRY(readPort(launch, lookup));
  if (const char* const token = lookup(config::nameOf(config::Variable::kCommToken))) launch->token = token;
  return Status();
}

}  // namespace manyrt::comm::bootstrap
