// Links children to their context, and counts those that the program made, for the report of live handles.
#include "manager/child.h"

namespace manyrt::manager {

Child::Child(Context& owner_context, Ref<allocator::ContextResources> context_resources, bool counted_object)
    : context(&owner_context), resources(std::move(context_resources)), counted(counted_object) {}

Child::~Child() { context->removeChild(*this); }

void Child::link(HandleBits handle) {
  bits = handle;
  context->addChild(*this);
  if (counted) live_handles[handleKind(handle)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace manyrt::manager
