// The operations as a table: what each rank sends, where the source lies in place, what each rank has to have received, and the
// call. Conformance tests of every engine walk it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/elements.h"

namespace commtest {

struct Case {
  int32_t type = RT_COMM_U8;
  int32_t reduction = RT_COMM_SUM;
  uint64_t count = 0;
  int root = 0;
  int ranks = 1;
};

struct Call {
  void* receive;
  const void* send;
  rtStream_t stream;
  rtComm_t comm;
};

struct OperationRow {
  const char* name;
  bool reduces;
  bool rooted;
  // In elements of `count`: how many a rank sends and receives, and where in place the shorter range begins in the longer one.
  std::function<uint64_t(const Case&, int rank)> sends, receives, in_place;
  // The number at element i of what rank sends, and of what it receives.
  std::function<double(const Case&, int rank, uint64_t i)> sent, expected;
  std::function<rtStatus_t(const Case&, const Call&)> call;
};

// Element i of part `to` of what `from` sends to all.
inline double part(const Case& of, int from, int to, uint64_t i) {
  return operand(of.type, of.reduction, from, i + static_cast<uint64_t>(to) * 3);
}

inline const std::vector<OperationRow>& operationRows() {
  const auto one = [](const Case&, int) -> uint64_t { return 1; };
  const auto all = [](const Case& of, int) -> uint64_t { return static_cast<uint64_t>(of.ranks); };
  const auto one_at_root = [](const Case& of, int rank) -> uint64_t { return rank == of.root ? 1 : 0; };
  const auto all_at_root = [](const Case& of, int rank) -> uint64_t {
    return rank == of.root ? static_cast<uint64_t>(of.ranks) : 0;
  };
  const auto start = [](const Case&, int) -> uint64_t { return 0; };
  const auto own = [](const Case&, int rank) -> uint64_t { return static_cast<uint64_t>(rank); };
  const auto operandOf = [](const Case& of, int rank, uint64_t i) { return operand(of.type, of.reduction, rank, i); };
  const auto result = [](const Case& of, int, uint64_t i) { return reduced(of.type, of.reduction, of.ranks, i); };
  const auto partOf = [](const Case& of, int rank, uint64_t i) {
    return part(of, rank, static_cast<int>(i / of.count), i % of.count);
  };
  const auto gathered = [](const Case& of, int, uint64_t i) {
    return operand(of.type, of.reduction, static_cast<int>(i / of.count), i % of.count);
  };
  static const std::vector<OperationRow> rows = {
      {"all_reduce", true, false, one, one, start, operandOf, result,
       [](const Case& of, const Call& at) {
         return rtCommAllReduce(at.receive, at.send, of.count, of.type, of.reduction, at.stream, at.comm);
       }},
      {"reduce", true, true, one, one_at_root, start, operandOf, result,
       [](const Case& of, const Call& at) {
         return rtCommReduce(at.receive, at.send, of.count, of.type, of.reduction, of.root, at.stream, at.comm);
       }},
      {"broadcast", false, true, one_at_root, one, start, operandOf,
       [](const Case& of, int, uint64_t i) { return operand(of.type, of.reduction, of.root, i); },
       [](const Case& of, const Call& at) {
         return rtCommBroadcast(at.receive, at.send, of.count, of.type, of.root, at.stream, at.comm);
       }},
      {"all_gather", false, false, one, all, own, operandOf, gathered,
       [](const Case& of, const Call& at) {
         return rtCommAllGather(at.receive, at.send, of.count, of.type, at.stream, at.comm);
       }},
      {"reduce_scatter", true, false, all, one, own, operandOf,
       [](const Case& of, int rank, uint64_t i) {
         return reduced(of.type, of.reduction, of.ranks, i + static_cast<uint64_t>(rank) * of.count);
       },
       [](const Case& of, const Call& at) {
         return rtCommReduceScatter(at.receive, at.send, of.count, of.type, of.reduction, at.stream, at.comm);
       }},
      {"all_to_all", false, false, all, all, start, partOf,
       [](const Case& of, int rank, uint64_t i) { return part(of, static_cast<int>(i / of.count), rank, i % of.count); },
       [](const Case& of, const Call& at) {
         return rtCommAllToAll(at.receive, at.send, of.count, of.type, at.stream, at.comm);
       }},
      {"gather", false, true, one, all_at_root, own, operandOf, gathered,
       [](const Case& of, const Call& at) {
         return rtCommGather(at.receive, at.send, of.count, of.type, of.root, at.stream, at.comm);
       }},
      {"scatter", false, true, all_at_root, one, own, partOf,
       [](const Case& of, int rank, uint64_t i) { return part(of, of.root, rank, i); },
       [](const Case& of, const Call& at) {
         return rtCommScatter(at.receive, at.send, of.count, of.type, of.root, at.stream, at.comm);
       }},
  };
  return rows;
}

inline std::string describe(const OperationRow& row, const Case& of, bool in_place) {
  return std::string(row.name) + " of " + std::to_string(of.count) + " " + kTypeNames[of.type] + " " +
         kReductionNames[of.reduction] + ", " + std::to_string(of.ranks) + " ranks, root " + std::to_string(of.root) +
         (in_place ? ", in place" : "");
}

}  // namespace commtest
