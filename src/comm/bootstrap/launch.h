// A launcher's words in the environment: which rank this process is, of how many, and where the ranks meet. It is read once for
// each rtCommCreateFromEnvironment, and nothing below knows a variable.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace manyrt::comm::bootstrap {

struct Launch {
  int32_t rank = 0;
  int32_t size = 0;
  std::string rank_is;       // "RANK=3", for messages
  std::string size_is;       // "WORLD_SIZE=4"
  std::string job;           // the launcher's name of the job; may be empty
  bool on_one_host = false;  // the launcher says that all ranks are on this one
  // Empty and 0 where there is one rank, which meets no other:
  std::string host;  // a name or an address, of the host of rank 0
  std::string host_is;
  uint16_t port = 0;
  std::string token;  // a secret of the job; empty: there is none
};

// secure_getenv, or a table of a test. Null: not set.
using Lookup = const char* (*)(const char* name);

Status readLaunch(Launch* launch, Lookup lookup);
const char* fromEnvironment(const char* name);  // null in a set-user-id program, and for an empty variable

// The first host of a list of Slurm's: "node07" of "node[07-09,12],login1".
std::string firstHost(const std::string& list);

}  // namespace manyrt::comm::bootstrap
