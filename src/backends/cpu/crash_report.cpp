// The words about a kernel. In a handler: it reads what the thread itself has written, and tables that were made when the
// kernel's object was loaded.
#include "backends/cpu/crash_report.h"

#include "backends/cpu/fiber.h"
#include "compiler/image.h"

namespace manyrt::cpu {
namespace {

using compiler::JoinedGroups;
using compiler::kNoItem;
using compiler::Object;
using compiler::UnitGroup;
using crash::Text;

// Which of the two objects of a kernel the instruction belongs to. Null: a function of the program, or code that a kernel
// calls, such as the C library's.
const Object* objectAt(const HostKernel& kernel, uintptr_t instruction) {
  const Object* const object = kernel.object();
  if (object == nullptr || object->contains(instruction)) return object;
  // Both objects stay loaded as long as the kernel lives, so either may be at fault.
  const Object* const better = object->betterObject();
  return better != nullptr && better->contains(instruction) ? better : nullptr;
}

const char* wordFor(Object::Tier tier) {
  switch (tier) {
    case Object::Tier::kQuick:
      return ", quick code";
    case Object::Tier::kOptimized:
      return ", optimised code";
    case Object::Tier::kUnknown:
      break;
  }
  return "";
}

// The items of a group: of a call for several groups, those of one.
struct Shape {
  uint32_t size[3];
  bool joined;
  const JoinedGroups* call;
};

Shape shapeOf(const HostKernel& kernel, const UnitGroup& group) {
  Shape shape = {{group.group_size[0], group.group_size[1], group.group_size[2]}, false, nullptr};
  if (!kernel.isCompiled() || (group.worker & compiler::kJoinedGroups) == 0) return shape;
  shape.joined = true;
  shape.call = static_cast<const JoinedGroups*>(group.local_memory);
  for (int d = 0; d < 3; ++d) shape.size[d] = shape.call->global_size[d] / group.group_count[d];
  return shape;
}

// The item's ids within the call. False: not known.
bool findItem(const UnitGroup& group, const Object* code, uint32_t (&item)[3]) {
  const uint32_t* const size = group.group_size;
  if (const uint32_t fiber = fibers::currentItem(); fiber != fibers::kNone) {
    item[0] = fiber % size[0];
    item[1] = fiber / size[0] % size[1];
    item[2] = fiber / size[0] / size[1];
    return true;
  }
  // Quick code notes its item in the group as it goes. Optimised code runs several items at once, and notes none.
  if (code == nullptr || code->tier() != Object::Tier::kQuick || group.item[0] == kNoItem) return false;
  item[0] = group.item[0];
  item[1] = group.item[1] % size[1];
  item[2] = group.item[2] + group.item[1] / size[1];
  return true;
}

void describeGroup(const UnitGroup& group, const Shape& shape, bool has_item, uint32_t (&item)[3], Text& text) {
  uint32_t first[3], last[3];
  for (int d = 0; d < 3; ++d) {
    const uint32_t groups = group.group_size[d] / shape.size[d];  // of the call
    first[d] = group.group_id[d] + (has_item && shape.joined ? item[d] / shape.size[d] : 0);
    last[d] = has_item ? first[d] : group.group_id[d] + groups - 1;
    if (has_item) item[d] %= shape.size[d];
  }
  const bool one = first[0] == last[0] && first[1] == last[1] && first[2] == last[2];
  (text << (one ? ", work-group " : ", work-groups ")).triple(first);
  if (!one) (text << " to ").triple(last);
  (text << " of ").triple(group.group_count);
  if (has_item) {
    (text << ", work-item ").triple(item);
    (text << " of ").triple(shape.size);
  } else {
    (text << ", each of ").triple(shape.size) << " work-items";
  }
}

}  // namespace

bool RunningKernel::describe(const Running& running, const crash::Fault& fault, Text& text) {
  const auto& own = static_cast<const RunningKernel&>(running);
  describeKernel(*own.kernel_, own.group, fault, text);
  return true;
}

void describeKernel(const HostKernel& kernel, const UnitGroup& group, const crash::Fault& fault, Text& text) {
  text << "the kernel \"" << kernel.name() << "\"";
  const Object* const code = objectAt(kernel, fault.instruction);
  if (const auto place = code != nullptr ? code->placeOf(fault.instruction) : compiler::LineTable::Place();
      place.file != nullptr && place.line != 0) {
    text << (place.is_near ? ", near " : ", ") << place.file << ":" << uint64_t{place.line};
  }
  uint32_t item[3] = {};
  const bool has_item = findItem(group, code, item);
  describeGroup(group, shapeOf(kernel, group), has_item, item, text);
  if (code != nullptr) text << wordFor(code->tier());
}

}  // namespace manyrt::cpu
