// The tables behind the handles, and the counts of the program's live objects. Every handle is opened and closed in one of
// these tables; the managers beside this file create the objects.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/handles/slot_table.h"
#include "rt.h"

namespace manyrt::manager {

struct Device;
struct Context;
struct Stream;
struct Event;
struct Fence;
struct Pool;
struct Kernel;
struct Module;
struct Graph;
struct GraphNode;
struct GraphBuffer;
struct GraphValue;
struct CapturePlan;
struct GraphExec;

// kind, type of the object, handle, table, the word in messages
#define RT_HANDLE_TABLE(X)                                                               \
  X(RT_HANDLE_DEVICE, Device, rtDevice_t, devices, "device")                             \
  X(RT_HANDLE_CONTEXT, Context, rtContext_t, contexts, "context")                        \
  X(RT_HANDLE_STREAM, Stream, rtStream_t, streams, "stream")                             \
  X(RT_HANDLE_EVENT, Event, rtEvent_t, events, "event")                                  \
  X(RT_HANDLE_FENCE, Fence, rtFence_t, fences, "fence")                                  \
  X(RT_HANDLE_MEM_POOL, Pool, rtMemPool_t, pools, "pool")                                \
  X(RT_HANDLE_KERNEL, Kernel, rtKernel_t, kernels, "kernel")                             \
  X(RT_HANDLE_MODULE, Module, rtModule_t, modules, "module")                             \
  X(RT_HANDLE_GRAPH, Graph, rtGraph_t, graphs, "graph")                                  \
  X(RT_HANDLE_GRAPH_NODE, GraphNode, rtGraphNode_t, graph_nodes, "graph node")           \
  X(RT_HANDLE_GRAPH_BUFFER, GraphBuffer, rtGraphBuffer_t, graph_buffers, "graph buffer") \
  X(RT_HANDLE_CAPTURE_PLAN, CapturePlan, rtCapturePlan_t, capture_plans, "capture plan") \
  X(RT_HANDLE_GRAPH_EXEC, GraphExec, rtGraphExec_t, graph_execs, "graph exec")           \
  X(RT_HANDLE_GRAPH_VALUE, GraphValue, rtGraphValue_t, graph_values, "graph value")

#define X(kind, Type, Handle, table, word) extern SlotTable<Type> table;
RT_HANDLE_TABLE(X)
#undef X

inline constexpr int kHandleKinds = 16;  // up to RT_HANDLE_GRAPH_VALUE
// For reports: relaxed throughout, since no decision follows from them.
extern std::atomic<uint64_t> live_handles[kHandleKinds];  // made by the program and not destroyed

const char* kindWord(uint8_t kind);  // "stream"; null where no handle has this kind

// Closes a handle of any kind, with its children. True for exactly one caller. Under a guard.
bool closeHandle(HandleBits bits);

}  // namespace manyrt::manager
