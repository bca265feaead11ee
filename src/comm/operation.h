// One operation of one rank, as a value: what rt_comm.h's functions are given, under one form. Which of the two ranges a rank
// uses, how long each is, and where they may coincide is one table here; checks and engines ask it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/types.h"

namespace manyrt::comm {

enum class Kind {
  kAllReduce,
  kReduce,
  kBroadcast,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
  kBarrier,
  kSend,
  kReceive,
  kSplit,  // of an engine that splits by an operation: color in root, key in count
};

struct Operation {
  Kind kind;
  int32_t type = RT_COMM_U8;
  int32_t reduction = RT_COMM_SUM;
  int32_t root = 0;  // of a send or receive: the peer
  uint64_t count = 0;
  void* receive = nullptr;
  const void* send = nullptr;
};

// The memory that an operation reads and writes at one rank, in bytes; 0: nothing.
struct Ranges {
  uint64_t send = 0;
  uint64_t receive = 0;
  // In place: `send` begins here in `receive`, or `receive` here in `send`, whichever is longer.
  uint64_t in_place = 0;
  bool may_coincide = false;
};

bool isCollective(Kind kind);  // all but sends and receives
bool reduces(Kind kind);
bool hasRoot(Kind kind);
const char* kindName(Kind kind);  // "all-reduce"

// False: a size does not fit into 64 bits.
bool rangesOf(const Operation& operation, int32_t rank, int32_t size, Ranges* ranges);

// Whether two ranks mean the same collective, and in words what this one means: "all-reduce of 100 f32 (sum)".
bool matches(const Operation& a, const Operation& b);
std::string describe(const Operation& operation);

// The operation that most ranks mean is right, or that of the first. Returns the first rank that means something else, or -1.
int32_t firstThatDiffers(const std::vector<const Operation*>& operations, int32_t* right);

}  // namespace manyrt::comm
