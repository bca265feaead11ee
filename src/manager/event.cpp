// Creating events: an object in the table; native points come when it is recorded, from ops.
#include "manager/event.h"

#include "manager/create.h"

namespace manyrt::manager {

Status createEvent(Event** event, Context& context, allocator::ContextResources& owner, bool timed) {
  return createChild(event, events, context, Ref<allocator::ContextResources>(&owner), timed);
}

}  // namespace manyrt::manager
