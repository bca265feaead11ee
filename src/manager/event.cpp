// Creates the object of an event. Its native points come from ops, when the event is recorded.
#include "manager/event.h"

#include "manager/create.h"

namespace manyrt::manager {

Status createEvent(Event** event, Context& context, allocator::ContextResources& resources, bool timed) {
  return createChild(event, events, context, Ref<allocator::ContextResources>(&resources), timed);
}

}  // namespace manyrt::manager
