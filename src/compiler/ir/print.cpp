// The IR as text, in the form that text.h describes: one instruction on a line, regions inside of braces.
#include "compiler/ir/text.h"

namespace manyrt::compiler::ir {
namespace {

std::string inQuotes(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

class Printer {
 public:
  std::string text;

  void object(const Object& object, const char* word) {
    text += word + std::string(" ") + std::to_string(object.id) + " " + spellSpace(object.space) + " " + inQuotes(object.name) +
            " size " + std::to_string(object.size) + " align " + std::to_string(object.alignment);
    if (object.is_exported) text += " exported";
    if (object.per_item) text += " per_item";
    if (object.lane_stride != 0) text += " stride " + std::to_string(object.lane_stride);
    if (!object.bytes.empty()) numbers({object.bytes.begin(), object.bytes.end()});
    text += "\n";
  }

  void function(const Function& function, const char* word) {
    text += word + std::string(" ") + inQuotes(function.name) + " -> " + spell(function.result);
    if (function.is_kernel) {
      text += function.for_groups ? " kernel_for_groups" : " kernel";
      numbers({function.group_size[0], function.group_size[1], function.group_size[2]});
    }
    text += " {\n";
    for (size_t i = 0; i < function.body->parameters.size(); ++i) {
      const Value& parameter = *function.body->parameters[i];
      text += "  parameter ";
      defined(parameter);
      text += " " + inQuotes(function.parameter_names[i]) + " bytes " + std::to_string(function.parameter_bytes[i]) + "\n";
    }
    for (const Object* slot : function.slots) {
      text += "  ";
      object(*slot, "slot");
    }
    for (const Instruction* instruction : function.body->body) this->instruction(*instruction, 1);
    text += "}\n";
  }

 private:
  void defined(const Value& value) { text += "%" + std::to_string(value.id) + ": " + spell(value.type); }

  void numbers(const std::vector<uint64_t>& values) {
    text += " [";
    for (size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : " ") + std::to_string(values[i]);
    text += "]";
  }

  void region(const Region& region, int depth) {
    text += " {";
    if (!region.parameters.empty()) {
      text += " (";
      for (const Value* parameter : region.parameters) {
        text += parameter == region.parameters[0] ? "" : ", ";
        defined(*parameter);
      }
      text += ")";
    }
    text += "\n";
    for (const Instruction* instruction : region.body) this->instruction(*instruction, depth + 1);
    text += std::string(2 * static_cast<size_t>(depth), ' ') + "}";
  }

  void attributes(const Instruction& i) {
    if (!i.numbers.empty()) numbers(i.numbers);
    if (i.object != nullptr) {
      text += i.object->space == AddressSpace::kPrivate ? " slot " : " object ";
      text += std::to_string(i.object->id);
    }
    if (i.callee != nullptr) text += " " + inQuotes(i.callee->name);
    if (i.work_item != WorkItem::kNone) text += std::string(" ") + spell(i.work_item);
    if (!i.signature.text.empty()) text += " " + inQuotes(i.signature.text);
    if (i.bytes != 0) text += " bytes " + std::to_string(i.bytes);
    if (i.op == Opcode::kLoad || i.op == Opcode::kStore) text += " align " + std::to_string(i.alignment);
    if (i.is_volatile) text += " volatile";
    if (i.is_rare) text += " rare";
    if (i.in_order) text += " in_order";
    if (i.lanes > 1) text += " lanes " + std::to_string(i.lanes) + " along " + std::to_string(i.dimension);
    if (i.jam > 1) text += " jam " + std::to_string(i.jam) + " along " + std::to_string(i.jam_dimension);
  }

  void instruction(const Instruction& i, int depth) {
    text += std::string(2 * static_cast<size_t>(depth), ' ');
    for (const Value* result : i.results) {
      if (result != i.results[0]) text += ", ";
      defined(*result);
    }
    if (!i.results.empty()) text += " = ";
    text += spell(i.op);
    for (const Value* operand : i.operands) text += " %" + std::to_string(operand->id);
    attributes(i);
    for (size_t number = 0; number < i.regions.size(); ++number) {
      if (i.op == Opcode::kSwitch) {
        text += " case";
        numbers(i.cases[number]);
        if (i.otherwise == static_cast<int32_t>(number)) text += " default";
      }
      region(*i.regions[number], depth);
    }
    if (i.where.line != 0) text += " !" + std::to_string(i.where.line);
    text += "\n";
  }
};

}  // namespace

const char* spell(WorkItem which) {
  static constexpr const char* kNames[] = {"none",           "global_id",        "local_id",        "group_id",
                                           "global_size",    "local_size",       "num_groups",      "global_offset",
                                           "work_dim",       "global_linear_id", "local_linear_id", "enqueued_local_size",
                                           "first_global_id"};
  return kNames[static_cast<size_t>(which)];
}

std::string print(const Module& module) {
  Printer printer;
  if (module.vector_bytes != 0)
    if (module.vector_bytes != 0) {
      printer.text += "vectors " + std::to_string(module.vector_bytes);
      printer.text += module.lanes_along < 0 ? "\n" : " along " + std::to_string(module.lanes_along) + "\n";
    }
  for (const Object* object : module.objects) printer.object(*object, "object");
  if (module.constants != nullptr) printer.function(*module.constants, "constants");
  for (const Function* function : module.functions) printer.function(*function, "function");
  return printer.text;
}

}  // namespace manyrt::compiler::ir
