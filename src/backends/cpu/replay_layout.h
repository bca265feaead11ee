// How the nodes of a graph are spread over threads: fixed once, from the dependencies alone. Chains of nodes are one task, and
// so are several chains that wait for the same nodes and that the same nodes wait for. Arrays are laid out by it.
#pragma once

#include <span>
#include <vector>

#include "backends/backend.h"

namespace manyrt::cpu {

struct ReplayLayout {
  struct Task {
    uint32_t first, end;                      // nodes, which run one after another
    uint32_t first_successor, end_successor;  // in `successors`
    uint32_t waits;                           // tasks that come before
  };

  struct Slot {
    uint32_t offset, size;  // in the part of an array that has the slots
  };

  // May throw bad_alloc.
  ReplayLayout(std::span<const backend::ReplayStep> steps, uint32_t most_threads, std::span<const backend::Slot> given = {});

  std::vector<uint32_t> order;  // the step that each node is; after those that it waits for
  std::vector<uint32_t> place;  // the node of each step
  std::vector<Task> tasks;      // each after those that it waits for
  std::vector<uint32_t> successors;
  uint32_t threads;    // that there may be
  bool forks = false;  // two tasks may run at the same time
  std::vector<Slot> slots;
  uint32_t slot_bytes = 0;  // of all
};

}  // namespace manyrt::cpu
