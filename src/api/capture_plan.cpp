// rt.h, chapter "Plans and execs": makes plans from a graph, a context and modules, and answers questions about them.
#include "api/guard.h"
#include "api/structs.h"
#include "base/text.h"
#include "graph/plan/plan.h"
#include "manager/graph.h"

using namespace manyrt;

rtStatus_t rtCapturePlanCreate(rtCapturePlan_t* plan, const rtCapturePlanOptions_t* options, rtGraph_t graph,
                               rtContext_t context) {
  if (plan != nullptr) *plan = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(plan);
    rtCapturePlanOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_CAPTURE_PLAN_OPTIONS_INIT, "options"));
    RT_CHECK_ARG(chosen.flags == 0, "The flags 0x%x of a plan are unknown.", chosen.flags);
    RT_CHECK_ARG(chosen.max_streams <= graph::Plan::kMaxBranches, "A plan with %u streams was asked for; %u are the limit.",
                 chosen.max_streams, graph::Plan::kMaxBranches);
    RT_CHECK_ARG(chosen.modules != nullptr || chosen.module_count == 0, "%u module%s %s given; modules is NULL.",
                 chosen.module_count, plural(chosen.module_count), were(chosen.module_count));
    RT_CHECK_ARG(chosen.module_count <= graph::Plan::kMaxModules, "%u modules were given; %u are the limit.",
                 chosen.module_count, graph::Plan::kMaxModules);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    api::Creation in;
    RT_TRY(in.open(context));
    graph::Plan::Request request{graph::Graph::of(*object), in.context(), in.resources(), {}, chosen.max_streams};
    for (uint32_t i = 0; i < chosen.module_count; ++i) {
      manager::Module* module = nullptr;
      RT_TRY(api::resolve(&module, manager::modules, chosen.modules[i], RT_HANDLE_MODULE, "options.modules"));
      if (module->context.get() != &in.context()) {
        return Status::error(RT_ERROR_WRONG_CONTEXT, "options.modules[%u] belongs to the %s and the plan to the %s.", i,
                             module->context->name().c_str(), in.context().name().c_str());
      }
      request.modules.emplace_back(module);
    }
    Ref<graph::Plan> made;
    RT_TRY(graph::Plan::create(&made, request, guard));
    manager::CapturePlan* handle = nullptr;
    RT_TRY(manager::createCapturePlan(&handle, in.context(), in.resources(), std::move(made)));
    *plan = reinterpret_cast<rtCapturePlan_t>(handle->bits);
    return Status();
  });
}

rtStatus_t rtCapturePlanDestroy(rtCapturePlan_t plan) {
  if (plan == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its leases go back
    if (manager::capture_plans.find(toBits(plan)) != nullptr && manager::closeHandle(toBits(plan))) return Status();
    return manager::invalidHandle(toBits(plan), RT_HANDLE_CAPTURE_PLAN, "plan");
  });
}

rtStatus_t rtCapturePlanGetInfo(rtCapturePlanInfo_t* info, rtCapturePlan_t plan) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info"));
    RT_RESOLVE(CapturePlan, object, capture_plans, plan, RT_HANDLE_CAPTURE_PLAN);
    const graph::Plan& content = graph::Plan::of(*object);
    rtCapturePlanInfo_t result = RT_CAPTURE_PLAN_INFO_INIT;
    result.node_count = static_cast<uint32_t>(content.graph().nodes().size());
    result.step_count = static_cast<uint32_t>(content.steps().size());
    result.level_count = content.levels();
    result.stream_count = content.branches();
    result.dependency_count = static_cast<uint32_t>(content.dependencies());
    result.temporary_bytes = content.memory().bytes;
    result.temporary_bytes_without_reuse = content.memory().without_reuse;
    result.temporary_bytes_live = content.memory().peak;
    result.buffer_count = static_cast<uint32_t>(content.buffers().size());
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtCapturePlanGetStep(rtCapturePlanStep_t* step, uint32_t index, rtCapturePlan_t plan) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(step, "step"));
    RT_RESOLVE(CapturePlan, object, capture_plans, plan, RT_HANDLE_CAPTURE_PLAN);
    const graph::Plan& content = graph::Plan::of(*object);
    RT_CHECK_ARG(index < content.steps().size(), "There is no step %u: the plan has %zu.", index, content.steps().size());
    const graph::Step& of = content.steps()[index];
    rtCapturePlanStep_t result = RT_CAPTURE_PLAN_STEP_INIT;
    result.type = graph::typeOf(of.work);
    result.node = reinterpret_cast<rtGraphNode_t>(content.handleOf(of.node));
    result.stream = of.branch;
    result.level = of.level;
    result.verdict = of.verdict;
    result.dependency_count = static_cast<uint32_t>(of.before.size());
    result.memory_offset = content.memoryOffset(of);
    api::writeResult(step, result);
    return Status();
  });
}

rtStatus_t rtCapturePlanGetBuffer(rtCapturePlanBuffer_t* buffer, uint32_t index, rtCapturePlan_t plan) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(buffer, "buffer"));
    RT_RESOLVE(CapturePlan, object, capture_plans, plan, RT_HANDLE_CAPTURE_PLAN);
    const graph::Plan& content = graph::Plan::of(*object);
    RT_CHECK_ARG(index < content.buffers().size(), "There is no buffer %u: the plan has %zu.", index, content.buffers().size());
    const graph::Buffer& of = content.buffers()[index];
    rtCapturePlanBuffer_t result = RT_CAPTURE_PLAN_BUFFER_INIT;
    result.role = of.role;
    result.size = of.size;
    result.first_step = content.useOf(index).first;
    result.last_step = content.useOf(index).last;
    const bool placed = of.role == RT_GRAPH_BUFFER_TEMPORARY && result.first_step <= result.last_step;
    result.offset = placed ? content.offsetOf(index) : UINT64_MAX;
    api::writeResult(buffer, result);
    return Status();
  });
}
