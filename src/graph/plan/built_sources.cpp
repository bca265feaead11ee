// Builds as rtModuleCreateFromSource does, with the same cache. The modules are ordinary ones with handles that the program
// never gets.
#include "graph/plan/built_sources.h"

#include "ops/module.h"

namespace manyrt::graph {

BuiltSources::~BuiltSources() {
  for (const Built& each : all_) manager::closeHandle(each.bits);
}

Status BuiltSources::build(const std::vector<Step>& steps, const Graph& graph, manager::Context& context,
                           allocator::ContextResources& resources, epoch::Guard& guard) {
  for (const Step& step : steps) {
    const KernelNode* node = std::get_if<KernelNode>(&step.work);
    if (node == nullptr || node->kernel || node->source == nullptr) continue;
    const manager::KernelSource* source = node->source.get();
    bool known = false;
    for (const Built& each : all_) known = known || each.source == source;
    if (known) continue;
    backend::Image image;
    image.data = source->text;
    image.options = source->options.c_str();
    all_.reserve(all_.size() + 1);
    manager::Module* module = nullptr;
    const Status status = ops::loadModule(&module, image, context, resources, guard);
    if (!status.ok()) {
      return Status::error(status.code(), "The source for %s: %s", graph.nameOf(step.node).c_str(), status.message());
    }
    all_.push_back({source, Lease<manager::Module>(module), module->bits});
  }
  return Status();
}

Status BuiltSources::find(manager::Kernel** kernel, const KernelNode& node) const {
  for (const Built& each : all_) {
    if (each.source != node.source.get()) continue;
    const size_t index = each.module->native->find(node.name);
    if (index == each.module->native->kernels().size()) {
      return Status::error(RT_ERROR_NOT_FOUND, "There is no kernel \"%s\" in the source that the graph brings for it. %s",
                           node.name.c_str(), each.module->native->whatItHas().c_str());
    }
    *kernel = manager::kernels.find(each.module->kernels[index]);
    if (*kernel == nullptr) return Status::error(RT_ERROR_INVALID_HANDLE, "The context was destroyed during the call.");
    return Status();
  }
  return Status::error(RT_ERROR_INTERNAL, "The source of the kernel \"%s\" was not built.", node.name.c_str());
}

}  // namespace manyrt::graph
