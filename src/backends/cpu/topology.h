// Facts about the machine: how many threads this process may use, how much memory there is, and the properties of the CPU as a
// device. The cheap questions read small files; hwloc is asked only for properties.
#pragma once

#include <cstdint>

#include "rt.h"

namespace manyrt::cpu {

uint32_t processors();      // that this process may use: affinity mask and cgroup quota; settled at the first question
uint32_t defaultThreads();  // RT_CPU_THREADS, else processors(); settled at the first question
uint64_t physicalMemory();
uint64_t availableMemory();  // what could be allocated now without swapping
void describeMachine(rtDeviceProperties_t* properties, uint32_t* numa_nodes);

}  // namespace manyrt::cpu
