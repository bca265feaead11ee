// The interpreter. A work-item is a stack of calls, each with its values and a stack of the regions that it is in. So an item
// can stop at a barrier and go on later.
#include "compiler/ir/interpret.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/ir/evaluate.h"
#include "compiler/ir/interpreter_ids.h"
#include "compiler/ir/interpreter_memory.h"
#include "compiler/ir/interpreter_state.h"
#include "compiler/ir/interpreter_sub_groups.h"

namespace manyrt::compiler::ir {
namespace {

class Interpreter {
 public:
  Interpreter(Run& run, const Module& module, const Function& kernel, std::string* why)
      : run_(run), module_(module), kernel_(kernel), why_(why) {}

  bool runAll() {
    if (kernel_.body->parameters.size() != run_.arguments.size()) return fail("the number of arguments");
    for (const Object* object : module_.objects) {
      if (object->space == AddressSpace::kConstant) objects_[object] = allocate(object->size);
      if (!object->bytes.empty()) memory_.bytesOf(objects_[object]) = object->bytes;
    }
    if (module_.constants != nullptr && !runConstants()) return false;
    std::vector<uint64_t> arguments;
    for (const Argument& argument : run_.arguments) {
      arguments.push_back(0);
      if (argument.kind != Argument::Kind::kBuffer) continue;
      arguments.back() = allocate(argument.bytes.size());
      memory_.bytesOf(arguments.back()) = argument.bytes;
    }
    for (uint64_t z = 0; z < run_.group_count[2]; ++z) {
      for (uint64_t y = 0; y < run_.group_count[1]; ++y) {
        for (uint64_t x = 0; x < run_.group_count[0]; ++x) {
          if (!runGroup({x, y, z}, arguments)) return false;
        }
      }
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (run_.arguments[i].kind == Argument::Kind::kBuffer) run_.arguments[i].bytes = memory_.bytesOf(arguments[i]);
    }
    return true;
  }

 private:
  using Words = uint64_t*;

  bool fail(const std::string& sentence) {
    if (!why_->empty()) return false;
    *why_ = sentence;
    if (item_ == nullptr || item_->calls.empty()) return false;
    *why_ += " (item " + std::to_string(item_->local_id[0]) + ", " + std::to_string(item_->local_id[1]) + ", " +
             std::to_string(item_->local_id[2]) + " of group " + std::to_string(group_[0]) + ", " + std::to_string(group_[1]) +
             ", " + std::to_string(group_[2]);
    if (at_ != nullptr) *why_ += "; line " + std::to_string(at_->where.line) + ", " + spell(at_->op);
    *why_ += ")";
    return false;
  }

  uint64_t allocate(uint64_t size) {
    if (size > InterpreterMemory::kMaxObject) {
      fail("an object of more than 2 GiB");
      size = 0;
    }
    return memory_.make(size, false);
  }

  const Layout& layoutOf(const Function& function) {
    auto [at, is_new] = layouts_.try_emplace(&function);
    Layout& layout = at->second;
    if (!is_new) return layout;
    layout.places.resize(function.next_value);
    const auto place = [&](const Value& value) {
      layout.places[value.id] = layout.words;
      layout.words += uint32_t{value.type.components} * value.type.lanes;
    };
    for (const Value* parameter : function.body->parameters) place(*parameter);
    forEach(*function.body, [&](const Instruction& instruction) {
      for (const Value* result : instruction.results) place(*result);
      for (const Region* inner : instruction.regions) {
        for (const Value* parameter : inner->parameters) place(*parameter);
      }
    });
    return layout;
  }

  void enter(Item& item, const Function& function, const Instruction* caller, const std::vector<uint64_t>& arguments) {
    Call& call = item.calls.emplace_back();
    call.function = &function;
    call.layout = &layoutOf(function);
    call.caller = caller;
    call.words.assign(call.layout->words, 0);
    size_t word = 0;
    for (const Value* parameter : function.body->parameters) {
      for (uint32_t i = 0; i < parameter->type.components; ++i)
        call.words[call.layout->places[parameter->id] + i] = arguments[word++];
    }
    for (const Object* slot : function.slots) {
      if (slot->size > InterpreterMemory::kMaxObject) fail("an object of more than 2 GiB");
      call.slots.push_back(memory_.make(slot->size <= InterpreterMemory::kMaxObject ? slot->size : 0, true));
    }
    call.stack.push_back({function.body});
    if (function.for_groups) {
      const size_t items = size_t{run_.group_size[0]} * run_.group_size[1] * run_.group_size[2];
      call.ended.assign(items, false);
      call.items_slots.resize(items);
      for (size_t k = 0; k < items; ++k) {
        for (const Object* slot : function.slots) {
          uint64_t own = 0;
          if (slot->per_item && slot->lane_stride == 0) own = memory_.make(slot->size, true);
          // Lanes go from one item's to the next one's: they are one object.
          if (slot->per_item && slot->lane_stride != 0)
            own =
                k == 0 ? memory_.make(slot->lane_stride * items, true) : call.items_slots[0][slot->id] + slot->lane_stride * k;
          call.items_slots[k].push_back(own);
        }
      }
    }
  }

  void leave(Item& item) {
    for (const uint64_t slot : item.calls.back().slots) memory_.end(slot);
    const Call& call = item.calls.back();
    for (size_t k = 0; k < call.items_slots.size(); ++k) {
      for (const Object* slot : call.function->slots) {
        if (slot->per_item && (slot->lane_stride == 0 || k == 0)) memory_.end(call.items_slots[k][slot->id]);
      }
    }
    item.calls.pop_back();
  }

  bool runConstants() {
    Item item{{0, 0, 0}, {}, nullptr};
    enter(item, *module_.constants, nullptr, {});
    item_ = &item;
    while (!item.ended()) {
      if (!step(item)) return false;
    }
    item_ = nullptr;
    return true;
  }

  bool runGroup(const std::vector<uint64_t>& group, std::vector<uint64_t> arguments) {
    std::copy(group.begin(), group.end(), group_);
    for (const Object* object : module_.objects) {
      if (object->space == AddressSpace::kLocal) objects_[object] = allocate(object->size);
    }
    std::vector<uint64_t> own;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (run_.arguments[i].kind != Argument::Kind::kLocal) continue;
      arguments[i] = allocate(run_.arguments[i].size);
      own.push_back(arguments[i]);
    }
    std::vector<Item> items;
    for (uint64_t z = 0; z < run_.group_size[2]; ++z) {
      for (uint64_t y = 0; y < run_.group_size[1]; ++y) {
        for (uint64_t x = 0; x < run_.group_size[0]; ++x) {
          if (kernel_.for_groups && !items.empty()) continue;  // one stands for the group
          items.push_back({{x, y, z}, {}, nullptr});
          if (!start(items.back(), arguments, &own)) return false;
        }
      }
    }
    if (!runItems(items)) return false;
    for (const uint64_t address : own) memory_.end(address);
    for (const Object* object : module_.objects) {
      if (object->space == AddressSpace::kLocal) memory_.end(objects_[object]);
    }
    return true;
  }

  bool start(Item& item, const std::vector<uint64_t>& arguments, std::vector<uint64_t>* own) {
    std::vector<uint64_t> words;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Type type = kernel_.body->parameters[i]->type;
      const std::vector<uint8_t>& bytes = run_.arguments[i].bytes;
      if (run_.arguments[i].kind != Argument::Kind::kValue) {
        words.push_back(arguments[i]);
      } else if (kernel_.parameter_bytes[i] != 0) {  // a record: each item may change its own
        own->push_back(allocate(bytes.size()));
        memory_.bytesOf(own->back()) = bytes;
        words.push_back(own->back());
      } else {
        if (bytes.size() != (type.isBool() ? 1 : bytesOf(type))) return fail("the size of argument " + std::to_string(i));
        Bits bits{};
        unpack(&bits, type, bytes.data());
        words.insert(words.end(), bits.begin(), bits.begin() + type.components);
      }
    }
    enter(item, kernel_, nullptr, words);
    return true;
  }

  // Items that have ended are past all barriers: the library lets the others go on, and so does this.
  bool runItems(std::vector<Item>& items) {
    for (;;) {
      const Instruction* barrier = nullptr;
      for (Item& item : items) {
        item_ = &item;
        while (!item.ended() && item.barrier == nullptr && item.exchange == nullptr) {
          if (!step(item)) return false;
        }
        if (item.barrier == nullptr) continue;
        if (barrier != nullptr && barrier != item.barrier) return fail("items of a group wait at different barriers");
        barrier = item.barrier;
      }
      bool exchanged = false;
      for (size_t first = 0; first < items.size(); first += kSubGroupItems) {
        if (!exchange(items, first, &exchanged)) return false;
      }
      item_ = nullptr;
      if (exchanged) continue;
      if (barrier == nullptr) return true;
      for (Item& item : items) item.barrier = nullptr;
    }
  }

  // `first` is the first item of a sub-group. If one of its items has given a value, all that have not ended have to.
  bool exchange(std::vector<Item>& items, size_t first, bool* exchanged) {
    SubGroupRound round;
    if (!round.collect(items, first)) return fail("items of a sub-group come to different functions of it");
    if ((at_ = round.at) == nullptr) return true;
    for (uint32_t k = 0; k < kSubGroupItems && first + k < items.size(); ++k) {
      Item& item = items[first + k];
      item_ = &item;
      if (item.ended()) continue;
      if (item.exchange == nullptr) return fail("items of a sub-group wait for one that waits elsewhere");
      const Value* result = std::exchange(item.exchange, nullptr)->result();
      Bits bits{};
      if (!round.give(&bits, k)) return fail("a call of " + round.at->signature.text + ", which is not known");
      if (result != nullptr) write(item.calls.back(), *result, bits);
    }
    *exchanged = true;
    return true;
  }

  // --- one instruction

  Words wordsOf(Call& call, const Value& value) { return call.words.data() + call.layout->places[value.id]; }

  // The words of one lane; a value without lanes has the same for all.
  Words laneOf(Call& call, const Value& value, uint32_t lane) {
    return wordsOf(call, value) + (value.type.hasLanes() ? lane * value.type.components : 0);
  }
  void read(Bits* bits, Call& call, const Value& value, uint32_t lane = 0) {
    std::memcpy(bits->data(), laneOf(call, value, lane), sizeof(uint64_t) * value.type.components);
  }
  void write(Call& call, const Value& value, const Bits& bits, uint32_t lane = 0) {
    std::memcpy(laneOf(call, value, lane), bits.data(), sizeof(uint64_t) * value.type.components);
    if (run_.observer != nullptr && item_ != nullptr && item_->calls.size() == 1 && !value.type.hasLanes())
      run_.observer->seen(group_, item_->local_id, value, bits, call.turns);
  }
  void write(Call& call, const Value& value, uint64_t word) { write(call, value, Bits{word}); }
  void turn(Call& call, const Instruction& loop, bool first) {
    if (run_.observer != nullptr) call.turns[&loop] = first ? 0 : call.turns[&loop] + 1;
  }

  // Operands from `from` on become `values`; all are read before the first is written.
  void pass(Call& call, const Instruction& instruction, size_t from, const std::vector<Value*>& values) {
    std::vector<std::vector<Bits>> read(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      read[i].resize(values[i]->type.lanes);
      for (uint32_t lane = 0; lane < values[i]->type.lanes; ++lane)
        this->read(&read[i][lane], call, *instruction.operands[from + i], lane);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      for (uint32_t lane = 0; lane < values[i]->type.lanes; ++lane) write(call, *values[i], read[i][lane], lane);
    }
  }

  static void unpack(Bits* bits, Type type, const uint8_t* bytes) {
    const uint32_t size = type.isBool() ? 1 : bytesOf(type.kind);
    for (uint32_t i = 0; i < type.components; ++i) {
      (*bits)[i] = 0;
      std::memcpy(&(*bits)[i], bytes + uint64_t{i} * size, size);
    }
  }
  static void pack(uint8_t* bytes, Type type, const Bits& bits) {
    const uint32_t size = type.isBool() ? 1 : bytesOf(type.kind);
    for (uint32_t i = 0; i < type.components; ++i) std::memcpy(bytes + uint64_t{i} * size, &bits[i], size);
  }

  bool step(Item& item) {
    Call& call = item.calls.back();
    Position& position = call.stack.back();
    const Instruction& i = *position.region->body[position.next++];
    at_ = &i;
    if (++steps_ > run_.steps) return fail("more instructions than a run may have");
    switch (shapeOf(i.op)) {
      case Shape::kAddress: {
        const bool slot = i.object->space == AddressSpace::kPrivate;
        const auto& slots = i.object->per_item ? call.items_slots[call.item] : call.slots;
        write(call, *i.result(), slot ? slots[i.object->id] : objects_.at(i.object));
        return true;
      }
      case Shape::kLoad:
      case Shape::kStore:
      case Shape::kCopy:
      case Shape::kFill:
        return memory(call, i);
      case Shape::kWorkItem:
        write(call, *i.result(),
              workItem(run_, group_, item.local_id, i.work_item, i.operands.empty() ? 0 : *wordsOf(call, *i.operands[0])));
        return true;
      case Shape::kBuiltin:
        return builtin(item, call, i);
      case Shape::kCall: {
        std::vector<uint64_t> arguments;
        for (const Value* operand : i.operands)
          arguments.insert(arguments.end(), wordsOf(call, *operand), wordsOf(call, *operand) + operand->type.components);
        if (item.calls.size() > kMaxCalls) return fail("calls without an end");
        enter(item, *i.callee, &i, arguments);
        return true;
      }
      case Shape::kBarrier:
        item.barrier = &i;
        return true;
      case Shape::kSubGroup:
        item.exchange = &i;
        return true;
      case Shape::kFence:
      case Shape::kPrefetch:
        return true;
      case Shape::kIf:
        call.stack.push_back({i.regions[*wordsOf(call, *i.operands[0]) != 0 ? 0 : 1]});
        return true;
      case Shape::kLoop:
        turn(call, i, true);
        pass(call, i, 0, i.regions[0]->parameters);
        call.stack.push_back({i.regions[0]});
        return true;
      case Shape::kItems:
        return nextItem(item, call, i, 0);
      case Shape::kEach:
        for (const Value* result : i.results)
          std::fill_n(wordsOf(call, *result), size_t{result->type.lanes} * result->type.components, 0);
        return nextLane(item, call, i, 0);
      case Shape::kEnd:
        for (uint32_t lane = 0; lane < i.operands[0]->type.lanes; ++lane) {
          if (*laneOf(call, *i.operands[0], lane) != 0)
            call.ended[call.item + lane * strideOf(run_, itemsAround(i).dimension)] = true;
        }
        return true;
      case Shape::kSwitch:
        return choose(call, i);
      default:
        return isTerminator(i.op) ? end(item, call, i) : pure(call, i);
    }
  }

  bool pure(Call& call, const Instruction& i) {
    if (i.op == Opcode::kLane || i.op == Opcode::kAny) return fromLanes(call, i);
    for (uint32_t lane = 0; lane < i.result()->type.lanes; ++lane) {
      Bits operands[kMaxComponents], result;
      for (size_t k = 0; k < i.operands.size(); ++k) read(&operands[k], call, *i.operands[k], lane);
      if (i.op == Opcode::kSpread || i.op == Opcode::kSteps) {
        result = operands[0];
        if (i.op == Opcode::kSteps) result[0] = (result[0] + lane * i.numbers[0]) & maskOf(i.result()->type.kind);
      } else if (!evaluate(&result, i, operands, run_.fuses)) {
        return fail("an operand out of range");
      }
      write(call, *i.result(), result, lane);
    }
    return true;
  }

  bool fromLanes(Call& call, const Instruction& i) {
    const Value& from = *i.operands[0];
    Bits result{};
    if (i.op == Opcode::kLane) {
      const uint64_t lane = *wordsOf(call, *i.operands[1]);
      if (lane >= from.type.lanes) return fail("a lane that there is not");
      read(&result, call, from, static_cast<uint32_t>(lane));
    } else {
      for (uint32_t lane = 0; lane < from.type.lanes; ++lane) result[0] |= *laneOf(call, from, lane);
    }
    write(call, *i.result(), result);
    return true;
  }

  // A load or store of lanes, one after the other; with `in_order`, of elements as they lie.
  bool lanesMemory(Call& call, const Instruction& i) {
    const bool loads = i.op == Opcode::kLoad;
    const Value& pointer = *i.operands[loads ? 0 : 1];
    const Value* mask = i.mask();
    const Type type = loads ? i.result()->type : i.operands[0]->type;
    const uint64_t size = bytesOf(type.kind);
    const uint64_t step = !i.numbers.empty() ? i.numbers[0] : i.step() != nullptr ? *wordsOf(call, *i.step()) : 0;
    for (uint32_t lane = 0; lane < lanesOf(i); ++lane) {
      Bits bits{};
      if (!loads) read(&bits, call, *i.operands[0], lane);
      const bool is_on = mask == nullptr || *laneOf(call, *mask, lane) != 0;
      for (uint32_t k = 0; is_on && k < type.components; ++k) {
        const uint64_t further = i.in_order ? (uint64_t{k} * lanesOf(i) + lane) * size : lane * step + k * size;
        uint8_t* at = memory_.at(*laneOf(call, pointer, lane) + further, size);
        if (at == nullptr) return fail(loads ? "a load from outside of an object" : "a store outside of an object");
        if (loads) std::memcpy(&bits[k], at, size);
        if (!loads) std::memcpy(at, &bits[k], size);
      }
      if (loads) write(call, *i.result(), bits, lane);
    }
    return true;
  }
  // How many lanes a load or store is of: as many as the items around have; 1: it is one access.
  static uint32_t lanesOf(const Instruction& i) {
    const bool lanes = i.operands[i.op == Opcode::kLoad ? 0 : 1]->type.hasLanes();
    return lanes || !i.numbers.empty() || i.step() != nullptr ? itemsAround(i).lanes : 1;
  }
  static const Instruction& itemsAround(const Instruction& i) {
    const Region* region = i.parent;
    while (region->owner->op != Opcode::kItems) region = region->owner->parent;
    return *region->owner;
  }

  bool memory(Call& call, const Instruction& i) {
    if ((i.op == Opcode::kLoad || i.op == Opcode::kStore) && lanesOf(i) > 1) return lanesMemory(call, i);
    const auto host = [&](size_t operand, uint64_t size) { return memory_.at(*wordsOf(call, *i.operands[operand]), size); };
    Bits bits{};
    switch (i.op) {
      case Opcode::kLoad: {
        const Type type = i.result()->type;
        const uint8_t* from = host(0, uint64_t{bytesOf(type.kind)} * type.components);
        if (from == nullptr) return fail("a load from outside of an object");
        unpack(&bits, type, from);
        write(call, *i.result(), bits);
        return true;
      }
      case Opcode::kStore: {
        const Type type = i.operands[0]->type;
        uint8_t* to = host(1, uint64_t{bytesOf(type.kind)} * type.components);
        if (to == nullptr) return fail("a store outside of an object");
        read(&bits, call, *i.operands[0]);
        pack(to, type, bits);
        return true;
      }
      case Opcode::kCopy: {
        uint8_t* to = host(0, i.bytes);
        const uint8_t* from = host(1, i.bytes);
        if (to == nullptr || from == nullptr) return fail("a copy outside of an object");
        std::memmove(to, from, i.bytes);
        return true;
      }
      default: {
        uint8_t* to = host(0, i.bytes);
        if (to == nullptr) return fail("a fill outside of an object");
        std::memset(to, 0, i.bytes);
        return true;
      }
    }
  }

  // async_work_group_copy and its like: the first item copies.
  bool groupCopy(const Item& item, Call& call, const Instruction& i) {
    const bool strided = i.operands.size() == 5;
    const QualType to = i.signature.parameters[0]->inner;
    const uint64_t size = sizeOf(to), count = *wordsOf(call, *i.operands[2]);
    const uint64_t stride = strided ? *wordsOf(call, *i.operands[3]) : 1;
    const bool gathers = to.space == AddressSpace::kLocal;
    write(call, *i.result(), *wordsOf(call, *i.operands.back()));
    if ((item.local_id[0] | item.local_id[1] | item.local_id[2]) != 0) return true;
    for (uint64_t k = 0; k < count; ++k) {
      uint8_t* target = memory_.at(*wordsOf(call, *i.operands[0]) + k * size * (gathers ? 1 : stride), size);
      const uint8_t* source = memory_.at(*wordsOf(call, *i.operands[1]) + k * size * (gathers ? stride : 1), size);
      if (target == nullptr || source == nullptr) return fail("a copy outside of an object");
      std::memmove(target, source, size);
    }
    return true;
  }

  bool builtin(const Item& item, Call& call, const Instruction& i) {
    const Signature& signature = i.signature;
    const bool known = signature.builtin != nullptr;
    if (known && signature.builtin->kind == BuiltinKind::kGroupCopy) return groupCopy(item, call, i);
    if (run_.natives == nullptr || (known && signature.builtin->kind == BuiltinKind::kPrint))
      return fail("a call of " + signature.text + ", which is not interpreted");
    const uint32_t lanes = i.result() == nullptr ? 1 : i.result()->type.lanes;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!native(call, i, lane)) return false;
    }
    return true;
  }

  bool native(Call& call, const Instruction& i, uint32_t lane) {
    const Signature& signature = i.signature;
    const bool known = signature.builtin != nullptr;
    std::vector<std::vector<uint8_t>> values;
    std::vector<const void*> arguments;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Type type = i.operands[k]->type;
      Bits bits{};
      read(&bits, call, *i.operands[k], lane);
      std::vector<uint8_t>& bytes = values.emplace_back(type.isBool() ? 1 : bytesOf(type));
      if (type.isPointer()) {
        const uint64_t size = known ? sizeOf(signature.parameters[k]->inner) : 1;
        bits[0] = reinterpret_cast<uintptr_t>(memory_.at(bits[0], size));
        if (bits[0] == 0) return fail("a pointer outside of an object is given to " + signature.text);
      }
      pack(bytes.data(), type, bits);
    }
    for (const std::vector<uint8_t>& bytes : values) arguments.push_back(bytes.data());
    alignas(128) uint8_t result[128] = {};
    if (!run_.natives->call(signature, arguments, result)) return fail("a call of " + signature.text + ", which is not known");
    if (i.result() == nullptr) return true;
    Bits bits{};
    unpack(&bits, i.result()->type, result);
    write(call, *i.result(), bits, lane);
    return true;
  }

  bool choose(Call& call, const Instruction& i) {
    const uint64_t value = *wordsOf(call, *i.operands[0]);
    int32_t taken = i.otherwise;
    for (size_t number = 0; number < i.cases.size(); ++number) {
      for (const uint64_t each : i.cases[number]) {
        if (each == value) taken = static_cast<int32_t>(number);
      }
    }
    if (taken < 0) {  // no region: its results are what it was given
      pass(call, i, 1, i.results);
      return true;
    }
    const Region* region = i.regions[static_cast<size_t>(taken)];
    pass(call, i, 1, region->parameters);
    call.stack.push_back({region});
    return true;
  }

  // The limits of items, as opcode.h has them.
  bool isWithin(Call& call, const Instruction& i, size_t item) {
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const auto id = static_cast<int64_t>(idOf(run_, item, i.numbers[k] / 2)),
                 limit = static_cast<int64_t>(*wordsOf(call, *i.operands[k]));
      if (i.numbers[k] % 2 == 0 ? id < limit : id >= limit) return false;
    }
    return true;
  }

  // In a kernel for groups: the next item from `first` on acts, with lanes the next that a vector begins with, or what follows.
  // Where none is left, the kernel ends.
  bool nextItem(Item& item, Call& call, const Instruction& i, size_t first) {
    call.item = first;
    while (call.item < call.ended.size() && !acts(call, i)) ++call.item;
    if (call.item < call.ended.size()) {
      for (size_t d = 0; d < 3; ++d) item.local_id[d] = idOf(run_, call.item, d);
      const bool together = i.jam > 1 && goesTogether(call, i);
      call.stack.push_back({i.regions[together ? 2 : i.lanes > 1 && !isWhole(call, i) ? 1 : 0]});
    } else if (std::find(call.ended.begin(), call.ended.end(), false) == call.ended.end()) {
      leave(item);
    }
    return true;
  }
  bool acts(Call& call, const Instruction& i) {
    if (i.lanes == 1) return !call.ended[call.item] && isWithin(call, i, call.item);
    if (idOf(run_, call.item, i.dimension) % i.lanes != 0) return false;
    if (i.jam > 1 && goesTogether(call, i)) return call.item == vectorsTogether(run_, i, call.item)[0];
    isWhole(call, i);
    const uint64_t* mask = wordsOf(call, *i.regions[1]->parameters[0]);
    return std::any_of(mask, mask + i.lanes, [](uint64_t on) { return on != 0; });
  }

  // For items with lanes: whether all neighbours are there and have something to do; the rest's mask says which.
  bool isWhole(Call& call, const Instruction& i) {
    bool whole = true;
    for (uint32_t lane = 0; lane < i.lanes; ++lane) {
      const size_t item = call.item + lane * strideOf(run_, i.dimension);
      const bool on = idOf(run_, call.item, i.dimension) + lane < run_.group_size[i.dimension] && !call.ended[item] &&
                      isWithin(call, i, item);
      *laneOf(call, *i.regions[1]->parameters[0], lane) = on ? 1 : 0;
      whole = whole && on;
    }
    return whole;
  }

  // Whether an item is in a vector of those that go together: all of them are whole.
  bool goesTogether(Call& call, const Instruction& i) {
    const size_t item = call.item;
    const std::vector<size_t> firsts = vectorsTogether(run_, i, item);
    const bool whole = !firsts.empty() && std::all_of(firsts.begin(), firsts.end(), [&](size_t first) {
      call.item = first;
      return isWhole(call, i);
    });
    call.item = item;
    return whole;
  }

  // The next lane from `lane` on that is on acts, or what follows.
  bool nextLane(Item& item, Call& call, const Instruction& i, uint32_t lane) {
    const Value& mask = *i.operands[0];
    while (lane < mask.type.lanes && *laneOf(call, mask, lane) == 0) ++lane;
    const size_t d = itemsAround(i).dimension;
    item.local_id[d] = idOf(run_, call.item, d);
    if (lane == mask.type.lanes) return true;
    item.local_id[d] += lane;
    write(call, *i.regions[0]->parameters[0], lane);
    call.stack.push_back({i.regions[0], 0, lane});
    return true;
  }
  // Lanes that are off give zeros.
  bool endLane(Item& item, Call& call, const Instruction& i, const Instruction& each, uint32_t lane) {
    for (size_t k = 0; k < i.operands.size(); ++k) {
      Bits bits{};
      read(&bits, call, *i.operands[k]);
      write(call, *each.results[k], bits, lane);
    }
    return nextLane(item, call, each, lane + 1);
  }

  // Takes regions off the stack up to and with that of the innermost instruction of a shape; null: that was the function.
  static const Instruction* leaveTo(Call& call, Shape shape) {
    while (!call.stack.empty()) {
      const Instruction* owner = call.stack.back().region->owner;
      call.stack.pop_back();
      if (owner == nullptr || shapeOf(owner->op) == shape) return owner;
    }
    return nullptr;
  }

  bool end(Item& item, Call& call, const Instruction& i) {
    switch (i.op) {
      case Opcode::kYield: {
        const Instruction* owner = call.stack.back().region->owner;
        const uint32_t lane = call.stack.back().lane;
        call.stack.pop_back();
        if (owner->op == Opcode::kEach) return endLane(item, call, i, *owner, lane);
        pass(call, i, 0, owner->results);
        return owner->op != Opcode::kItems || nextItem(item, call, *owner, call.item + 1);
      }
      case Opcode::kContinue:
      case Opcode::kNext: {
        const Instruction* loop = leaveTo(call, Shape::kLoop);
        const Region* to = loop->regions[i.op == Opcode::kContinue ? 1 : 0];
        if (i.op == Opcode::kNext) turn(call, *loop, false);
        pass(call, i, 0, to->parameters);
        call.stack.push_back({to});
        return true;
      }
      case Opcode::kBreak:
      case Opcode::kLeave: {
        const Instruction* owner = leaveTo(call, i.op == Opcode::kBreak ? Shape::kLoop : Shape::kSwitch);
        pass(call, i, 0, owner->results);
        return true;
      }
      case Opcode::kFallThrough: {
        while (shapeOf(call.stack.back().region->owner->op) != Shape::kSwitch) call.stack.pop_back();
        const Region* from = call.stack.back().region;
        const std::vector<Region*>& regions = from->owner->regions;
        size_t number = 0;
        while (regions[number] != from) ++number;
        call.stack.pop_back();
        pass(call, i, 0, regions[number + 1]->parameters);
        call.stack.push_back({regions[number + 1]});
        return true;
      }
      default: {
        if (call.function->for_groups) {
          if (const Instruction* items = leaveTo(call, Shape::kItems); items != nullptr) {
            call.ended[call.item] = true;
            return nextItem(item, call, *items, call.item + 1);
          }
        }
        Bits result{};
        if (!i.operands.empty()) read(&result, call, *i.operands[0]);
        const Instruction* caller = call.caller;
        leave(item);
        if (caller != nullptr && caller->result() != nullptr) write(item.calls.back(), *caller->result(), result);
        return true;
      }
    }
  }

  static constexpr size_t kMaxCalls = 1000;
  Run& run_;
  const Module& module_;
  const Function& kernel_;
  std::string* why_;
  InterpreterMemory memory_;
  std::map<const Object*, uint64_t> objects_;
  std::unordered_map<const Function*, Layout> layouts_;
  uint64_t group_[3] = {0, 0, 0};
  uint64_t steps_ = 0;
  const Item* item_ = nullptr;
  const Instruction* at_ = nullptr;
};

}  // namespace

bool interpret(Run* run, const Module& module, const Function& kernel, std::string* why) {
  why->clear();
  return Interpreter(*run, module, kernel, why).runAll() && why->empty();
}

}  // namespace manyrt::compiler::ir
