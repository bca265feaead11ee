// Makes the work of a node from the structs of rt.h. It turns handles into leases, copies values, and makes the checks that
// need the struct alone. Called by src/api under a guard. The graph checks whether the work fits.
#pragma once

#include "base/status.h"
#include "graph/model/graph.h"

namespace manyrt::graph {

Status readBuffer(uint32_t* index, rtGraphBuffer_t handle, const Graph& graph, const char* word);
Status readValue(uint32_t* index, rtGraphValue_t handle, const Graph& graph, const char* word);
Status readOperand(Operand* operand, const rtGraphOperand_t& given, const Graph& graph, const char* word);
Status readNodes(std::vector<uint32_t>* indices, const rtGraphNode_t* nodes, uint32_t count, const Graph& graph,
                 const char* argument);

Status readKernel(KernelNode* node, const rtGraphKernelParams_t& params, const Graph& graph);
Status readCopy(CopyNode* node, const rtGraphMemcpyParams_t& params, const Graph& graph);
Status readCopy2D(CopyNode* node, const rtGraphMemcpy2DParams_t& params, const Graph& graph);
Status readFill(FillNode* node, const rtGraphFillParams_t& params, const Graph& graph);
Status readChild(ChildNode* node, const rtGraphChildParams_t& params, const Graph& graph);

// Whether the values of a kernel node fit the kernel: their number, kinds and sizes.
Status checkArguments(const KernelNode& node, const backend::Kernel& kernel);
// Whether the device can run the launch: grid, work-group, local memory. The kernel is known.
Status checkLaunch(KernelNode& node);

}  // namespace manyrt::graph
