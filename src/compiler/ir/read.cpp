// Text to IR. Words are separated by blanks; a token is a word, a number, a string in quotes or one sign. Callees may come
// after their calls, so that all functions are declared before the first body is read.
#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/ir/text.h"

namespace manyrt::compiler::ir {
namespace {

class Reader {
 public:
  Reader(Module& module, std::string_view text, std::string* why) : module_(module), text_(text), why_(why) {}

  bool module() {
    declareFunctions();
    at_ = 0;
    line_ = 1;
    while (next(), !word_.empty()) {
      if (word_ == "object") {
        Object* object = module_.makeObject();
        if (!this->object(object)) return false;
        module_.objects.push_back(object);
      } else if (word_ == "vectors") {
        uint64_t bytes = 0;
        if (!number(&bytes)) return false;
        module_.vector_bytes = static_cast<uint32_t>(bytes);
        uint64_t along = 0;
        if (take("along")) {
          if (!number(&along)) return false;
          module_.lanes_along = static_cast<int32_t>(along);
        }
      } else if (word_ == "constants" || word_ == "function") {
        if (!function()) return false;
      } else {
        return fail("object, constants or function");
      }
    }
    return true;
  }

 private:
  bool fail(const char* expected) {
    if (why_->empty())
      *why_ = "line " + std::to_string(line_) + ": expected " + expected + ", found \"" + std::string(word_) + "\"";
    return false;
  }

  static bool isWord(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '*' || letter == '@';
  }

  // The next token into word_, without quotes and with is_string_ for a string; empty at the end.
  void next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) line_ += text_[at_++] == '\n';
    string_.clear();
    is_string_ = false;
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      is_string_ = true;
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\') ++at_;
        if (at_ < text_.size()) string_ += text_[at_];
      }
      ++at_;
    } else if (at_ < text_.size() && text_.substr(at_).starts_with("->")) {
      at_ += 2;
    } else if (at_ < text_.size() && !isWord(text_[at_])) {
      ++at_;
    } else {
      while (at_ < text_.size() && isWord(text_[at_])) ++at_;
    }
    at_ = std::min(at_, text_.size());
    word_ = text_.substr(begin, at_ - begin);
  }
  std::string_view peek() {
    const size_t at = at_;
    const uint32_t line = line_;
    const std::string_view word = word_;
    next();
    const std::string_view ahead = word_;
    ahead_line_ = line_;
    at_ = at;
    line_ = line;
    word_ = word;
    return ahead;
  }
  bool expect(std::string_view word) {
    next();
    return word_ == word || fail(std::string(word).c_str());
  }
  bool take(std::string_view word) {
    if (peek() != word) return false;
    next();
    return true;
  }
  bool number(uint64_t* value) {
    next();
    if (word_.empty() || word_.size() > 20) return fail("a number");
    *value = 0;
    for (const char digit : word_) {
      if (!std::isdigit(static_cast<unsigned char>(digit))) return fail("a number");
      *value = *value * 10 + static_cast<uint64_t>(digit - '0');
    }
    return true;
  }
  bool numbers(std::vector<uint64_t>* values) {
    if (!expect("[")) return false;
    while (!take("]")) {
      uint64_t value = 0;
      if (!number(&value)) return false;
      values->push_back(value);
    }
    return true;
  }
  bool string(std::string* text) {
    next();
    if (!is_string_) return fail("a string");
    *text = string_;
    return true;
  }

  static bool space(std::string_view word, AddressSpace* space) {
    for (const AddressSpace each :
         {AddressSpace::kPrivate, AddressSpace::kGlobal, AddressSpace::kConstant, AddressSpace::kLocal}) {
      if (word != spellSpace(each)) continue;
      *space = each;
      return true;
    }
    return false;
  }
  bool type(Type* type) {
    next();
    std::string_view word = word_;
    *type = {};
    if (const size_t at = word.find('@'); at != std::string_view::npos) {
      uint32_t count = 0;
      for (const char digit : word.substr(at + 1)) count = std::min(count * 10 + static_cast<uint32_t>(digit - '0'), 1000u);
      if (count < 2 || count > kMaxLanes) return fail("a type");
      type->lanes = static_cast<uint8_t>(count);
      word = word.substr(0, at);
    }
    if (word.ends_with("*")) {
      type->kind = Kind::kPointer;
      return space(word.substr(0, word.size() - 1), &type->space) || fail("a type");
    }
    const size_t x = word.find('x');
    if (x != std::string_view::npos) {
      uint32_t count = 0;
      for (const char digit : word.substr(x + 1)) count = count * 10 + static_cast<uint32_t>(digit - '0');
      if (count < 2 || count > kMaxComponents) return fail("a type");
      type->components = static_cast<uint8_t>(count);
      word = word.substr(0, x);
    }
    for (int kind = 0; kind < static_cast<int>(Kind::kPointer); ++kind) {
      if (word != spell(static_cast<Kind>(kind))) continue;
      type->kind = static_cast<Kind>(kind);
      return true;
    }
    return fail("a type");
  }

  void declareFunctions() {
    while (next(), !word_.empty()) {
      if (is_string_ || (word_ != "function" && word_ != "constants")) continue;
      const bool constants = word_ == "constants";
      next();
      if (!is_string_) continue;
      Function* made = module_.makeFunction();
      made->name = string_;
      made->body = module_.makeRegion(nullptr);
      if (constants) {
        module_.constants = made;
      } else {
        module_.functions.push_back(made);
      }
    }
  }

  bool object(Object* object) {
    uint64_t id = 0, alignment = 1;
    if (!number(&id)) return false;
    next();
    if (!space(word_, &object->space)) return fail("an address space");
    if (!string(&object->name) || !expect("size") || !number(&object->size) || !expect("align") || !number(&alignment))
      return false;
    object->id = static_cast<uint32_t>(id);
    object->alignment = static_cast<uint32_t>(alignment);
    object->is_exported = take("exported");
    object->per_item = take("per_item");
    if (take("stride") && !number(&object->lane_stride)) return false;
    if (peek() != "[") return true;
    std::vector<uint64_t> bytes;
    if (!numbers(&bytes)) return false;
    object->bytes.assign(bytes.begin(), bytes.end());
    return true;
  }

  bool defined(Value** value, Instruction* by) {
    uint64_t id = 0;
    Type type;
    if (!expect("%") || !number(&id) || !expect(":") || !this->type(&type)) return false;
    *value = module_.makeValue(*function_, type, by);
    (*value)->id = static_cast<uint32_t>(id);
    function_->next_value = std::max(function_->next_value, static_cast<uint32_t>(id) + 1);
    values_[id] = *value;
    return true;
  }
  bool used(std::vector<Value*>* operands) {
    uint64_t id = 0;
    if (!expect("%") || !number(&id)) return false;
    const auto at = values_.find(id);
    if (at == values_.end()) return fail("a value that has been defined");
    operands->push_back(at->second);
    return true;
  }

  bool function() {
    const bool constants = word_ == "constants";
    std::string name;
    if (!string(&name)) return false;
    function_ = constants ? module_.constants : module_.find(name);
    if (function_ == nullptr) return fail("a function");
    values_.clear();
    if (!expect("->") || !type(&function_->result)) return false;
    if (peek() == "kernel" || peek() == "kernel_for_groups") {
      next();
      function_->for_groups = word_ == "kernel_for_groups";
      function_->is_kernel = true;
      std::vector<uint64_t> size;
      if (!numbers(&size) || size.size() != 3) return fail("three sizes");
      for (int i = 0; i < 3; ++i) function_->group_size[i] = static_cast<uint32_t>(size[static_cast<size_t>(i)]);
    }
    if (!expect("{")) return false;
    while (take("parameter")) {
      Value* value;
      std::string parameter;
      uint64_t bytes = 0;
      if (!defined(&value, nullptr) || !string(&parameter) || !expect("bytes") || !number(&bytes)) return false;
      function_->body->parameters.push_back(value);
      function_->parameter_names.push_back(parameter);
      function_->parameter_bytes.push_back(bytes);
    }
    while (take("slot")) {
      Object* slot = module_.makeObject();
      if (!object(slot)) return false;
      function_->slots.push_back(slot);
    }
    return instructions(function_->body);
  }

  // Up to the closing brace.
  bool instructions(Region* region) {
    while (!take("}")) {
      if (peek().empty()) return fail("}");
      Instruction* made = module_.makeInstruction(Opcode::kConstant);
      made->parent = region;
      if (!instruction(made)) return false;
      region->body.push_back(made);
    }
    return true;
  }

  bool instruction(Instruction* made) {
    if (peek() == "%") {
      do {
        Value* value;
        if (!defined(&value, made)) return false;
      } while (take(","));
      if (!expect("=")) return false;
    }
    next();
    if (!findOpcode(word_, &made->op)) return fail("an operation");
    while (peek() == "%" && ahead_line_ == line_) {  // on the next line it defines a value
      if (!used(&made->operands)) return false;
    }
    return attributes(made) && regions(made);
  }

  bool attributes(Instruction* made) {
    if (peek() == "[" && !numbers(&made->numbers)) return false;
    if (peek() == "slot" || peek() == "object") {
      next();
      const auto& objects = word_ == "slot" ? function_->slots : module_.objects;
      uint64_t id = 0;
      if (!number(&id)) return false;
      if (id >= objects.size()) return fail("an object");
      made->object = objects[id];
    }
    if (made->op == Opcode::kCall || made->op == Opcode::kBuiltin || made->op == Opcode::kSubGroup) {
      std::string name;
      if (!string(&name)) return false;
      if (made->op == Opcode::kCall) {
        made->callee = module_.find(name);
      } else {
        made->signature.text = name;
      }
    }
    if (made->op == Opcode::kWorkItem) {
      next();
      int which = 1;
      while (which <= static_cast<int>(WorkItem::kFirstGlobalId) && word_ != spell(static_cast<WorkItem>(which))) ++which;
      if (which > static_cast<int>(WorkItem::kFirstGlobalId)) return fail("an id");
      made->work_item = static_cast<WorkItem>(which);
    }
    if (take("bytes") && !number(&made->bytes)) return false;
    uint64_t alignment = 1;
    if (take("align") && !number(&alignment)) return false;
    made->alignment = static_cast<uint32_t>(alignment);
    made->is_volatile = take("volatile");
    made->is_rare = take("rare");
    made->in_order = take("in_order");
    uint64_t lanes = 1, dimension = 0;
    if (take("lanes") && (!number(&lanes) || !expect("along") || !number(&dimension))) return false;
    if (lanes < 1 || lanes > kMaxLanes || dimension > 2) return fail("a number of lanes");
    made->lanes = static_cast<uint8_t>(lanes);
    made->dimension = static_cast<uint8_t>(dimension);
    uint64_t jam = 1, jam_dimension = 0;
    if (take("jam") && (!number(&jam) || !expect("along") || !number(&jam_dimension))) return false;
    if (jam < 1 || jam > kMaxLanes || jam_dimension > 2) return fail("a number of vectors");
    made->jam = static_cast<uint8_t>(jam);
    made->jam_dimension = static_cast<uint8_t>(jam_dimension);
    return true;
  }

  bool regions(Instruction* made) {
    while (peek() == "{" || peek() == "case") {
      if (take("case")) {
        made->cases.emplace_back();
        if (!numbers(&made->cases.back())) return false;
        if (take("default")) made->otherwise = static_cast<int32_t>(made->cases.size() - 1);
      }
      if (!expect("{")) return false;
      Region* region = module_.makeRegion(made);
      if (take("(")) {
        do {
          Value* value;
          if (!defined(&value, nullptr)) return false;
          region->parameters.push_back(value);
        } while (take(","));
        if (!expect(")")) return false;
      }
      if (!instructions(region)) return false;
    }
    uint64_t line = 0;
    if (take("!") && !number(&line)) return false;
    made->where.line = static_cast<uint32_t>(line);
    return true;
  }

  Module& module_;
  const std::string_view text_;
  std::string* why_;
  size_t at_ = 0;
  uint32_t line_ = 1, ahead_line_ = 1;
  std::string_view word_;
  std::string string_;
  bool is_string_ = false;
  Function* function_ = nullptr;
  std::map<uint64_t, Value*> values_;
};

}  // namespace

bool read(Module* module, std::string_view text, std::string* why) {
  why->clear();
  return Reader(*module, text, why).module();
}

}  // namespace manyrt::compiler::ir
