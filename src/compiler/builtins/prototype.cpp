// Reading library/prototypes.cl: headings, the types that gentype stands for, prototypes. The reader skips lines that it does
// not understand: the text is the library's own, and a test checks that every prototype is read.
#include "compiler/builtins/prototype.h"

#include <algorithm>
#include <map>

#include "compiler/builtins/family.h"
#include "compiler/builtins/library.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kAllComponents = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 8 | 1u << 16;
constexpr uint32_t kVectors = kAllComponents & ~(1u << 1);
constexpr uint32_t kUpTo4 = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4;
constexpr uint32_t kFloat = bit(Scalar::kFloat);

constexpr TypeSet kSets[] = {
    {"float, double or a vector of them", kReals, kAllComponents},
    {"a vector of float or double", kReals, kVectors},
    {"float or a vector of it", kFloat, kAllComponents},
    {"float, double or a vector of up to four of them", kReals, kUpTo4},
    {"float or a vector of up to four", kFloat, kUpTo4},
    {"a vector of three or four float or double", kReals, 1u << 3 | 1u << 4},
    {"an integer type or a vector of one", kIntegers, kAllComponents},
    {"a vector of integers", kIntegers, kVectors},
    {"a signed integer type or a vector of one", kSigned, kAllComponents},
    {"int, uint or a vector of them", k32Bits, kAllComponents},
    {"int or uint", k32Bits, 1u << 1},
    {"an integer type of at most 32 bits or a vector of one", kNarrow | k32Bits, kAllComponents},
    {"int, uint, long or ulong", k32Bits | k64Bits, 1u << 1},
    {"a number's type", kIntegers | kReals, 1u << 1},
    {"int, uint, long, ulong, float or double", k32Bits | k64Bits | kReals, 1u << 1},
    {"a number's type or a vector of one", kIntegers | kReals, kAllComponents},
    {"a vector of as many components as the name says", kIntegers | kReals, kVectors, true},
    {"float, with as many components as the name says", kFloat, kAllComponents, true},
    {"float or double, with as many components as the name says", kFloats, kAllComponents, true},
};

// The kind of the functions below a heading. Under other headings they are kMemory where they take a pointer, else kPure.
struct Heading {
  std::string_view begin;
  BuiltinKind kind;
};
constexpr Heading kHeadings[] = {{"Work-item", BuiltinKind::kWorkItem},    {"Synchronization", BuiltinKind::kBarrier},
                                 {"Explicit memory", BuiltinKind::kFence}, {"Async", BuiltinKind::kGroupCopy},
                                 {"Atomic", BuiltinKind::kAtomic},         {"printf", BuiltinKind::kPrint},
                                 {"Sub-group", BuiltinKind::kSubGroup}};

struct NamedType {
  std::string_view word;
  TypeWord type;
};
constexpr NamedType kTypes[] = {
    {"gentype", TypeWord::kGentype},   {"sgentype", TypeWord::kSgentype}, {"igentype", TypeWord::kIgentype},
    {"ugentype", TypeWord::kUgentype}, {"intn", TypeWord::kIntn},         {"wgentype", TypeWord::kWgentype},
    {"ushortn", TypeWord::kUshortn},   {"rgentype", TypeWord::kRgentype}, {"void", TypeWord::kVoid},
    {"int", TypeWord::kInt},           {"uint4", TypeWord::kUint4},       {"uint", TypeWord::kUint},
    {"size_t", TypeWord::kSizeT},      {"event_t", TypeWord::kEvent},     {"float", TypeWord::kFloat},
    {"half", TypeWord::kHalf},         {"char4", TypeWord::kChar4},       {"uchar4", TypeWord::kUchar4}};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

bool takeWord(std::string_view* text, std::string_view word) {
  if (!text->starts_with(word)) return false;
  text->remove_prefix(word.size());
  *text = trimmed(*text);
  return true;
}

TypeWord typeOf(std::string_view word) {
  for (const NamedType& each : kTypes) {
    if (each.word == word) return each.type;
  }
  return TypeWord::kOwnRule;
}

// "const __global gentype *src", or without the name.
Parameter readParameter(std::string_view text) {
  bool is_const = false, is_volatile = false;
  char space = 0;
  for (bool more = true; more;) {
    more = true;
    if (takeWord(&text, "const ")) {
      is_const = true;
    } else if (takeWord(&text, "volatile ")) {
      is_volatile = true;
    } else if (text.starts_with("__")) {
      space = text[2];
      takeWord(&text, text.substr(0, text.find(' ')));
    } else {
      more = false;
    }
  }
  Parameter parameter;
  parameter.type = typeOf(text.substr(0, text.find_first_of(" *")));
  if (text.find('*') == text.npos) return parameter;
  parameter.pointer = space == 'l'   ? is_const ? PointerWord::kConstLocal : PointerWord::kLocal
                      : space == 'g' ? is_const ? PointerWord::kConstGlobal : PointerWord::kGlobal
                      : space == 'p' ? PointerWord::kPrivate
                      : is_const     ? PointerWord::kConst
                      : is_volatile  ? PointerWord::kVolatile
                                     : PointerWord::kAny;
  return parameter;
}

class Reader {
 public:
  std::vector<BuiltinFunction> read(std::string_view text) {
    while (!(text = trimmed(text)).empty()) {
      if (text.starts_with("//") || text.starts_with("#")) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line[0] == '#') readHeading(trimmed(line.substr(1)));
        text.remove_prefix(line.size());
      } else if (takeWord(&text, "where gentype is ")) {
        const std::string_view words = text.substr(0, text.find(':'));
        set_ = std::find_if(std::begin(kSets), std::end(kSets), [&](const TypeSet& set) { return words == set.words; });
        text.remove_prefix(words.size() + 1);
      } else {
        const std::string_view prototype = text.substr(0, text.find(';'));
        readPrototype(prototype);
        text.remove_prefix(std::min(prototype.size() + 1, text.size()));
      }
    }
    std::vector<BuiltinFunction> sorted;
    for (auto& [name, function] : functions_) sorted.push_back(std::move(function));
    return sorted;
  }

 private:
  void readHeading(std::string_view title) {
    const auto found = std::find_if(std::begin(kHeadings), std::end(kHeadings),
                                    [&](const Heading& heading) { return title.starts_with(heading.begin); });
    heading_ = found == std::end(kHeadings) ? nullptr : found;
    set_ = nullptr;
  }

  void readPrototype(std::string_view text) {
    const size_t open = text.find('('), close = text.rfind(')'), space = text.rfind(' ', open);
    Prototype prototype;
    prototype.result = readParameter(text.substr(0, space));
    bool own_rules = prototype.result.type == TypeWord::kOwnRule, points = false;
    for (std::string_view rest = trimmed(text.substr(open + 1, close - open - 1)); !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest = trimmed(rest.substr(std::min(one.size() + 1, rest.size())));
      const Parameter parameter = readParameter(one);
      own_rules = own_rules || parameter.type == TypeWord::kOwnRule;
      points = points || parameter.pointer != PointerWord::kNone;
      if (prototype.count < Prototype::kMaxParameters) prototype.parameters[prototype.count++] = parameter;
    }
    const bool generic = prototype.result.type <= TypeWord::kRgentype ||
                         std::any_of(prototype.parameters.begin(), prototype.parameters.begin() + prototype.count,
                                     [](const Parameter& each) { return each.type <= TypeWord::kRgentype; });
    if (generic) prototype.set = set_;
    const std::string_view name = text.substr(space + 1, open - space - 1);
    for (BuiltinFunction* function : named(name, prototype.set)) {
      function->has_own_rules = own_rules;
      function->kind = heading_ != nullptr ? heading_->kind : points ? BuiltinKind::kMemory : BuiltinKind::kPure;
      if (!own_rules) function->prototypes.push_back(prototype);
    }
  }

  // The functions that a name of the table means: one, or one for each number of components that its n stands for.
  std::vector<BuiltinFunction*> named(std::string_view name, const TypeSet* set) {
    if (set == nullptr || !set->of_name) {
      const bool is_conversion = name.ends_with("destType");
      if (is_conversion) name.remove_suffix(8);
      BuiltinFunction& function = made(std::string(name), std::string(name));
      function.is_conversion = is_conversion;
      return {&function};
    }
    std::vector<BuiltinFunction*> functions;
    for (const uint32_t components : kComponentCounts) {
      if ((set->components >> components & 1) == 0) continue;
      functions.push_back(
          &made(withComponents(name, components > 1 ? std::to_string(components) : ""), withComponents(name, "")));
      functions.back()->components = components;
    }
    return functions;
  }

  // The name with `components` for each n that stands for them: at the end, and before "_rt" or after "bfloat16".
  static std::string withComponents(std::string_view name, const std::string& components) {
    const size_t before_rounding = name.find("n_rt"), last = before_rounding != name.npos ? before_rounding : name.size() - 1;
    const size_t after_type = name.find("16n_");
    std::string text;
    for (size_t i = 0; i < name.size(); ++i) {
      const bool stands_for_lanes = i == last || (after_type != name.npos && i == after_type + 2);
      if (stands_for_lanes) {
        text += components;
      } else {
        text += name[i];
      }
    }
    return text;
  }

  BuiltinFunction& made(const std::string& name, const std::string& common) {
    const auto [at, fresh] = functions_.emplace(name, BuiltinFunction());
    BuiltinFunction& function = at->second;
    if (!fresh) return function;
    function.name = name;
    function.common = common;
    if (heading_ != nullptr && heading_->kind == BuiltinKind::kWorkItem)
      function.work_item = static_cast<WorkItem>(++work_items_);
    return function;
  }

  std::map<std::string, BuiltinFunction> functions_;
  const Heading* heading_ = nullptr;
  const TypeSet* set_ = nullptr;
  uint8_t work_items_ = 0;  // functions under the first heading so far
};

}  // namespace

const std::vector<BuiltinFunction>& builtinFunctions() {
  static const auto* functions = new std::vector<BuiltinFunction>(Reader().read(libraryText("prototypes.cl")));
  return *functions;
}

const BuiltinFunction* findBuiltinFunction(std::string_view name) {
  const std::vector<BuiltinFunction>& all = builtinFunctions();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const BuiltinFunction& function, std::string_view word) { return function.name < word; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

}  // namespace manyrt::compiler
