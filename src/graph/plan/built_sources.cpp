// Builds as rtModuleCreateFromSource does, with the same cache. The modules are ordinary ones with handles that the program
// never gets.
#include "graph/plan/built_sources.h"

#include "ops/module.h"

namespace manyrt::graph {

BuiltSources::~BuiltSources() {
  for (const auto& [source, built] : all_) manager::closeHandle(built.bits);
}

Status BuiltSources::build(const std::vector<Step>& steps, const Graph& graph, manager::Context& context,
                           allocator::ContextResources& resources, epoch::Guard& guard) {
  for (const Step& step : steps) {
    const KernelNode* node = std::get_if<KernelNode>(&step.work);
    if (node == nullptr || node->kernel || node->source == nullptr) continue;
    const manager::KernelSource* source = node->source.get();
    const auto [built, fresh] = all_.try_emplace(source);
    if (!fresh) continue;
    backend::Image image;
    image.data = source->text;
    image.options = source->options.c_str();
    manager::Module* module = nullptr;
    const Status status = ops::loadModule(&module, image, context, resources, guard);
    if (!status.ok()) {
      return Status::error(status.code(), "The source for %s: %s", graph.nameOf(step.node).c_str(), status.message());
    }
    built->second = {Lease<manager::Module>(module), module->bits};
  }
  return Status();
}

Status BuiltSources::find(manager::Kernel** kernel, const KernelNode& node) const {
  const auto built = all_.find(node.source.get());
  if (built == all_.end()) {
    return Status::error(RT_ERROR_INTERNAL, "The source of the kernel \"%s\" was not built.", node.name.c_str());
  }
  const manager::Module& module = *built->second.module;
  const size_t index = module.native->find(node.name);
  if (index == module.native->kernels().size()) {
    return Status::error(RT_ERROR_NOT_FOUND, "There is no kernel \"%s\" in the source that the graph brings for it. %s",
                         node.name.c_str(), module.native->whatItHas().c_str());
  }
  *kernel = manager::kernels.find(module.kernels[index]);
  if (*kernel == nullptr) return Status::error(RT_ERROR_INVALID_HANDLE, "The context was destroyed during the call.");
  return Status();
}

}  // namespace manyrt::graph
