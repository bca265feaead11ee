// Slots that share a name have a block of C++ each. It is around all instructions that use the slot, and those that use values
// made in between. So the second loop with a counter `i` has its own, and hides the first one's where it does in the source.
#include "compiler/emit/user_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace manyrt::compiler::emit {
namespace {

using ir::Instruction;
using ir::Object;
using ir::Opcode;
using ir::Region;
using ir::Value;

// Keywords of C++ alone: OpenCL C refuses its own. clang-format would give each a line.
// clang-format off
constexpr std::string_view kWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char16_t", "char32_t", "char8_t",
    "class", "compl", "concept", "co_await", "co_return", "co_yield", "const_cast", "consteval", "constexpr", "constinit",
    "decltype", "delete", "dynamic_cast", "explicit", "export", "false", "friend", "helpers", "inline", "kernels", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "signed", "static_assert", "static_cast", "template", "this", "thread_local",
    "throw", "true", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq"};
// clang-format on

bool isLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// "f_scale_3" and its like are the library's.
bool endsInNumber(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[name.size() - 1 - digits])) != 0) ++digits;
  return digits != 0 && digits < name.size() && name[name.size() - 1 - digits] == '_';
}

// "v12", "s3" and "t0" too.
bool isNumber(std::string_view name) {
  return name.size() > 1 && (name[0] == 'v' || name[0] == 's' || name[0] == 't') &&
         std::all_of(name.begin() + 1, name.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::string numbered(const Object& object) {
  return object.name + (object.space == AddressSpace::kLocal ? "_0" : "_") + std::to_string(object.id);
}

}  // namespace

bool isFreeName(const std::string& name) {
  if (name.empty() || name.starts_with("mrt") || name.starts_with("rtHost") || name.starts_with("MRT") ||
      name.starts_with("__"))
    return false;
  if (!std::all_of(name.begin(), name.end(), isLetter) || endsInNumber(name) || isNumber(name)) return false;
  return std::find(std::begin(kWords), std::end(kWords), name) == std::end(kWords);
}

void UserNames::use(const Value& value, const Path& path, bool escapes) {
  readers_[&value].push_back(path);
  const auto at = pointers_.find(&value);
  if (at == pointers_.end()) return;
  Slot& slot = slots_[at->second];
  slot.uses.push_back(path);
  slot.escapes = slot.escapes || escapes;
}

void UserNames::find(const Region& region, Path* path) {
  path->push_back({&region, 0});
  for (size_t k = 0; k < region.body.size(); ++k) {
    const Instruction& i = *region.body[k];
    path->back().at = k;
    for (size_t n = 0; n < i.operands.size(); ++n) {
      const bool goes_through = (i.op == Opcode::kLoad && n == 0) || (i.op == Opcode::kStore && n == 1) ||
                                i.op == Opcode::kCopy || i.op == Opcode::kFill || (i.op == Opcode::kOffset && n == 0);
      use(*i.operands[n], *path, !goes_through);
      const auto pointer = pointers_.find(i.operands[n]);
      if (i.op == Opcode::kOffset && n == 0 && pointer != pointers_.end()) pointers_[i.result()] = pointer->second;
    }
    if (i.op == Opcode::kAddress && i.object->variable != nullptr && i.object->space != AddressSpace::kConstant &&
        isFreeName(i.object->name)) {
      pointers_[i.result()] = i.object;
      Slot& slot = slots_[i.object];
      slot.object = i.object;
      slot.uses.push_back(*path);
    }
    for (const Region* inner : i.regions) find(*inner, path);
  }
  path->pop_back();
}

// The innermost region around all uses, and the instructions there that make or use what is made in between.
void UserNames::settle(Slot* slot) const {
  size_t depth = slot->escapes || slot->object->space == AddressSpace::kLocal ? 1 : slot->uses[0].size();
  for (const Path& path : slot->uses) {
    depth = std::min(depth, path.size());
    while (path[depth - 1].region != slot->uses[0][depth - 1].region) --depth;
  }
  slot->depth = depth - 1;
  slot->home = slot->uses[0][slot->depth].region;
  const size_t end = slot->home->body.size() - 1;
  slot->first = end;
  for (const Path& path : slot->uses) {
    slot->first = std::min(slot->first, path[slot->depth].at);
    slot->last = std::max(slot->last, path[slot->depth].at);
  }
  if (slot->escapes || slot->object->space == AddressSpace::kLocal) {
    slot->first = 0;
    slot->last = end;
  }
  extend(slot);
}

// Extends the block to the last use of any value that is made in it.
void UserNames::extend(Slot* slot) const {
  for (size_t k = slot->first; k <= slot->last; ++k) {
    for (const Value* result : slot->home->body[k]->results) {
      const auto readers = readers_.find(result);
      if (readers == readers_.end()) continue;
      for (const Path& path : readers->second) slot->last = std::max(slot->last, path[slot->depth].at);
    }
  }
}

// Whether no other slot of this name is used inside of this one's block, and this one is used in no block of another.
bool UserNames::isClear(const Slot& slot, const std::vector<const Slot*>& same) {
  const auto hides = [](const Slot& block, const Slot& used) {
    return std::any_of(used.uses.begin(), used.uses.end(), [&](const Path& path) {
      return path.size() > block.depth && path[block.depth].region == block.home && path[block.depth].at >= block.first &&
             path[block.depth].at <= block.last;
    });
  };
  // One of two blocks may lie in the other, if what is outside is not used inside.
  return std::all_of(same.begin(), same.end(), [&](const Slot* other) {
    const bool here = hides(slot, *other), there = hides(*other, slot);
    if (!here && !there) return true;
    if (here && there) return false;
    return here ? slot.depth < other->depth : other->depth < slot.depth;
  });
}

// Blocks that overlap are made one in the other.
void UserNames::nest(Slot* slot, const std::vector<const Slot*>& blocks) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Slot* other : blocks) {
      if (other->home != slot->home || other->last < slot->first || slot->last < other->first) continue;
      if (other->first < slot->first && other->last < slot->last) {
        slot->first = other->first;
        changed = true;
      } else if (slot->first < other->first && slot->last < other->last) {
        slot->last = other->last;
        changed = true;
      }
    }
    if (changed) extend(slot);
  }
}

std::string UserNames::declared(const Slot& slot, const std::string& name) const {
  return "alignas(" + std::to_string(std::max(slot.object->alignment, 1u)) + ") " +
         types_.declare(slot.object->variable->type, name) + ";\n";
}

// The one use of a parameter that is no record: its slot gets it at the head of the function. Null: it has others.
const Instruction* UserNames::storeOf(const ir::Function& function, size_t number) {
  if (function.is_kernel) return nullptr;
  const Value* value = function.body->parameters[number];
  const Instruction* store = nullptr;
  for (const Instruction* i : function.body->body) {
    if (i->op == Opcode::kStore && i->operands[0] == value) store = i;
    if (i->op != Opcode::kStore && i->op != Opcode::kAddress) break;
  }
  const Instruction* address = store != nullptr ? store->operands[1]->by : nullptr;
  const bool is_slot = address != nullptr && address->op == Opcode::kAddress && address->object->variable != nullptr &&
                       address->object->space == AddressSpace::kPrivate && isFreeName(address->object->name);
  return is_slot ? store : nullptr;
}

std::string UserNames::parameter(const ir::Function& function, size_t number) const {
  const Instruction* store = storeOf(function, number);
  if (store == nullptr) return "";
  const Object& slot = *store->operands[1]->by->object;
  return types_.declare(slot.variable->type, names_.at(&slot));
}

std::string UserNames::argument(const ir::Function& function, size_t number, const std::string& value) const {
  const Instruction* store = storeOf(function, number);
  if (store == nullptr) return value;
  const QualType type = store->operands[1]->by->object->variable->type;
  if (type->isPointer()) return "(" + types_.typeName(type) + ")" + value;
  if (type->isScalar() && !isHalf(type.type)) return value;
  return "({ const auto mrt_f = " + value + "; " + types_.declare(type, "mrt_t") +
         "; __builtin_memcpy((void*)&mrt_t, &mrt_f, sizeof mrt_t); mrt_t; })";
}

void UserNames::choose(const ir::Function& function) {
  bound_.clear();
  slots_.clear();
  pointers_.clear();
  readers_.clear();
  names_.clear();
  before_.clear();
  after_.clear();
  Path path;
  find(*function.body, &path);
  std::vector<const Object*> order = {function.slots.begin(), function.slots.end()};
  std::set<const Object*> parameters;
  for (size_t k = 0; k < function.body->parameters.size(); ++k) {
    const Instruction* store = storeOf(function, k);
    if (store == nullptr) continue;
    bound_.insert(store);
    const Value* pointer = store->operands[1];
    if (readers_[pointer].size() == 1) bound_.insert(pointer->by);
    parameters.insert(store->operands[1]->by->object);
  }
  std::map<std::string, size_t> count;
  for (auto& [object, slot] : slots_) {
    slot.escapes = slot.escapes || parameters.contains(object);
    settle(&slot);
    ++count[object->name];
    if (object->space == AddressSpace::kLocal) order.push_back(object);
  }
  std::map<std::string, std::vector<const Slot*>> named;
  std::vector<const Slot*> blocks;
  for (const Object* object : order) {
    const auto at = slots_.find(object);
    if (at == slots_.end()) continue;
    Slot& slot = at->second;
    const bool is_local = object->space == AddressSpace::kLocal, is_only = count[object->name] == 1;
    if (!is_only && !is_local && !parameters.contains(object)) nest(&slot, blocks);
    const bool has_name = isClear(slot, named[object->name]);
    names_[object] = has_name ? object->name : numbered(*object);
    if (has_name) named[object->name].push_back(&slot);
    if (is_local || parameters.contains(object)) continue;
    if (has_name && !is_only) {
      blocks.push_back(&slot);
    } else {  // before all blocks of its region
      before_[slot.home->body[0]] += declared(slot, names_[object]);
    }
  }
  // Outer blocks begin first, and end last.
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Slot* a, const Slot* b) { return a->last - a->first > b->last - b->first; });
  for (const Slot* slot : blocks) {
    before_[slot->home->body[slot->first]] += "{\n" + declared(*slot, names_[slot->object]);
    after_[slot->home->body[slot->last]] += "}\n";
  }
}

const std::string* UserNames::of(const Object& object) const {
  const auto at = names_.find(&object);
  return at == names_.end() ? nullptr : &at->second;
}

std::string UserNames::before(const Instruction& i) const {
  const auto at = before_.find(&i);
  return at == before_.end() ? "" : at->second;
}

std::string UserNames::after(const Instruction& i) const {
  const auto at = after_.find(&i);
  return at == after_.end() ? "" : at->second;
}

std::string UserNames::bound(const Object& object, const std::string& address) const {
  const QualType type = object.variable->type;
  return types_.reference(type, names_.at(&object)) + " = *(" + types_.declare(type, type->isArray() ? "(*)" : "*") + ")(" +
         address + ");\n";
}

}  // namespace manyrt::compiler::emit
