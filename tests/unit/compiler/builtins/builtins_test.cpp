// Names of built-in functions, and the form that a call of one means.
#include "compiler/builtins/builtins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "calls.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kComponentCounts[] = {1, 2, 3, 4, 8, 16};

// A program's types by their names: "float4", "enum", "global const uchar*".
class Types {
 public:
  Types() {
    enumeration_ = table.makeEnum("direction", Location{})->type;
    for (uint32_t i = 0; i <= static_cast<uint32_t>(Scalar::kDouble); ++i) {
      const Scalar scalar = static_cast<Scalar>(i);
      for (uint32_t components : kComponentCounts) {
        if (components > 1 && (scalar == Scalar::kBool || scalar == Scalar::kHalf)) continue;
        named_[scalarName(scalar) + (components > 1 ? std::to_string(components) : "")] = table.vector(scalar, components);
      }
    }
    named_["void"] = table.voidType();
    named_["event_t"] = table.eventType();
    named_["enum"] = enumeration_;
  }

  QualType parse(std::string text) {
    const bool pointer = text.back() == '*';
    if (pointer) text.pop_back();
    QualType type;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "const") {
        type.is_const = true;
      } else if (word == "volatile") {
        type.is_volatile = true;
      } else if (word == "global") {
        type.space = AddressSpace::kGlobal;
      } else if (word == "local") {
        type.space = AddressSpace::kLocal;
      } else if (word == "constant") {
        type.space = AddressSpace::kConstant;
      } else {
        type.type = named_.at(word);
      }
    }
    return pointer ? QualType{table.pointer(type)} : type;
  }

  TypeTable table;

 private:
  const Type* enumeration_;
  std::map<std::string, const Type*> named_;
};

struct Answer {
  bool accepted = false;
  QualType result;
  std::vector<QualType> parameters;
  std::string why;
};

Answer resolve(Types& types, Builtins& builtins, const std::string& call) {
  const size_t open = call.find('(');
  Answer answer;
  const Builtin* builtin = builtins.find(call.substr(0, open));
  if (builtin == nullptr) {
    ADD_FAILURE() << call << " names no function";
    return answer;
  }
  std::vector<QualType> arguments;
  std::istringstream list(call.substr(open + 1, call.size() - open - 2));
  for (std::string argument; std::getline(list, argument, ',');) arguments.push_back(types.parse(argument));
  answer.accepted = builtins.resolve(&answer.result, &answer.parameters, &answer.why, *builtin, arguments);
  return answer;
}

class BuiltinsTest : public testing::Test {
 protected:
  Answer call(const std::string& text) { return resolve(types_, builtins_, text); }
  Types types_;
  Builtins builtins_{types_.table};
};

TEST_F(BuiltinsTest, CallsAreAcceptedWithTheResultsThatClangGives) {
  for (const std::string line : kAccepted) {
    const size_t space = line.find(' ');
    const Answer answer = call(line.substr(space + 1));
    ASSERT_TRUE(answer.accepted) << line << ": " << answer.why;
    EXPECT_EQ(spell(answer.result), line.substr(0, space)) << line;
  }
}

TEST_F(BuiltinsTest, CallsThatClangRefusesAreRefusedWithASentence) {
  for (const std::string line : kRefused) {
    const Answer answer = call(line);
    EXPECT_FALSE(answer.accepted) << line;
    ASSERT_FALSE(answer.why.empty()) << line;
    EXPECT_EQ(answer.why.back(), '.') << line;
  }
}

TEST_F(BuiltinsTest, PointersToOtherTypesAndToConstAreRefused) {
  for (const std::string line : kRefusedHereOnly) EXPECT_FALSE(call(line).accepted) << line;
}

TEST_F(BuiltinsTest, ArgumentsAreGivenTheTypesOfTheForm) {
  EXPECT_EQ(spell(call("max(float4, int)").parameters[1]), "float");
  EXPECT_EQ(spell(call("max(float, float4)").parameters[0]), "float4");
  EXPECT_EQ(spell(call("pown(float, char)").parameters[1]), "int");
  EXPECT_EQ(spell(call("get_global_id(int)").parameters[0]), "uint");
  const QualType pointer = call("atomic_add(local uint*, int)").parameters[0];
  ASSERT_TRUE(pointer->isPointer());
  EXPECT_EQ(pointer->inner.space, AddressSpace::kLocal);
  EXPECT_TRUE(pointer->inner.is_volatile);
  EXPECT_EQ(pointer->inner.type, types_.parse("uint").type);
  const QualType source = call("vload4(int, constant float*)").parameters[1];
  EXPECT_EQ(source->inner.space, AddressSpace::kConstant);
  EXPECT_TRUE(source->inner.is_const);
}

TEST_F(BuiltinsTest, AnAmbiguousCallNamesTwoFormsThatFit) {
  const std::string why = call("max(int, uint)").why;
  EXPECT_NE(why.find("(int, int)"), std::string::npos) << why;
  EXPECT_NE(why.find("(uint, uint)"), std::string::npos) << why;
}

TEST_F(BuiltinsTest, ACallThatFitsNowhereIsToldTheFormsAndWhatItGave) {
  const std::string why = call("cross(float2, float2)").why;
  EXPECT_NE(why.find("a vector of three or four float or double"), std::string::npos) << why;
  EXPECT_NE(why.find("(float2, float2)"), std::string::npos) << why;
}

TEST_F(BuiltinsTest, PrintfPromotesAsCDoesAndTakesVectorsAsTheyAre) {
  const Answer answer = call("printf(constant const char*, float, uchar, short4, global int*)");
  ASSERT_TRUE(answer.accepted) << answer.why;
  EXPECT_EQ(spell(answer.parameters[1]), "double");
  EXPECT_EQ(spell(answer.parameters[2]), "int");
  EXPECT_EQ(spell(answer.parameters[3]), "short4");
  EXPECT_TRUE(answer.parameters[4]->isPointer());
  EXPECT_FALSE(call("printf()").accepted);
  EXPECT_FALSE(call("printf(global char*)").accepted);
  EXPECT_FALSE(call("printf(constant char*, event_t)").accepted);
}

TEST_F(BuiltinsTest, AnArgumentWithoutAValueIsRefused) { EXPECT_FALSE(call("sqrt(void)").accepted); }

TEST_F(BuiltinsTest, FamiliesReadTheirNames) {
  const Builtin* convert = builtins_.find("convert_uchar16_sat_rtp");
  ASSERT_NE(convert, nullptr);
  EXPECT_EQ(convert->name, "convert_");
  EXPECT_EQ(convert->target, types_.parse("uchar16").type);
  EXPECT_TRUE(convert->saturate);
  EXPECT_EQ(convert->rounding, 'p');
  const Builtin* store = builtins_.find("vstorea_half3_rtz");
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->name, "vstorea_half_rtz");
  EXPECT_EQ(store->components, 3u);
  EXPECT_EQ(store->kind, BuiltinKind::kMemory);
  EXPECT_EQ(builtins_.find("vload16")->components, 16u);
  EXPECT_EQ(builtins_.find("vload_half")->components, 1u);
  EXPECT_EQ(builtins_.find("intel_convert_bfloat1616_as_ushort16")->name, "intel_convert_bfloat16_as_ushort");
  EXPECT_EQ(builtins_.find("intel_convert_as_bfloat163_float3")->components, 3u);
  EXPECT_EQ(builtins_.find("as_float3")->target, types_.parse("float3").type);
}

TEST_F(BuiltinsTest, NamesThatOnlyLookLikeAFamilyAreUnknown) {
  for (const char* name : {"convert_float_sat",
                           "convert_half",
                           "convert_bool",
                           "convert_float5",
                           "convert_int_rtx",
                           "convert_",
                           "as_",
                           "as_bool",
                           "vload",
                           "vload1",
                           "vload5",
                           "vload42",
                           "vstore",
                           "vload_half_rte",
                           "intel_convert_bfloat162_as_ushort",
                           "intel_convert_as_bfloat162_float4",
                           "vload_half1",
                           "vstore_half_rte_rte",
                           "as_size_t2",
                           "convert_size_t",
                           "convert_int_rte_sat",
                           "as_int_sat",
                           "native_fma",
                           "half_pow",
                           "sinf",
                           "",
                           "Sqrt",
                           "sqrt "}) {
    EXPECT_EQ(builtins_.find(name), nullptr) << name;
  }
}

TEST_F(BuiltinsTest, HalfIsANumberWhereItIsAskedFor) {
  EXPECT_FALSE(call("vload4(ulong, global half*)").accepted);
  EXPECT_EQ(call("sin(half)").result, types_.parse("float"));  // no program gets here
  builtins_.takeHalves(true);
  EXPECT_EQ(call("vload4(ulong, global half*)").result.type, types_.table.vector(Scalar::kHalf, 4));
  EXPECT_EQ(call("sin(half)").result, types_.parse("half"));
  EXPECT_EQ(call("fmax(half, half)").result, types_.parse("half"));
  EXPECT_EQ(call("native_sin(half)").result, types_.parse("float"));
  EXPECT_FALSE(call("sin(int)").accepted);
  EXPECT_NE(builtins_.find("convert_half4_rtz"), nullptr);
  EXPECT_EQ(builtins_.find("convert_half_sat"), nullptr);
  builtins_.takeHalves(false);
  EXPECT_EQ(builtins_.find("convert_half4_rtz"), nullptr);
}

TEST_F(BuiltinsTest, TheSameNameIsFoundOnce) { EXPECT_EQ(builtins_.find("sqrt"), builtins_.find("sqrt")); }

TEST_F(BuiltinsTest, KindsTellWhatALoweringMustDo) {
  EXPECT_EQ(builtins_.find("wait_group_events")->kind, BuiltinKind::kBarrier);
  EXPECT_EQ(builtins_.find("mem_fence")->kind, BuiltinKind::kFence);
  EXPECT_EQ(builtins_.find("async_work_group_strided_copy")->kind, BuiltinKind::kGroupCopy);
  EXPECT_EQ(builtins_.find("fract")->kind, BuiltinKind::kMemory);
  EXPECT_EQ(builtins_.find("atom_xor")->kind, BuiltinKind::kAtomic);
  EXPECT_EQ(builtins_.find("get_local_size")->work_item, WorkItem::kLocalSize);
}

// Whatever stands in a call's parentheses, there is an answer: types, or a sentence.
TEST_F(BuiltinsTest, AnyArgumentsGetAnAnswer) {
  Record* record = types_.table.makeRecord("pair", false, Location{});
  TypeTable::layOut(*record);
  std::vector<QualType> any = {QualType{},
                               QualType{record->type},
                               QualType{types_.table.array(types_.parse("float4"), 3)},
                               QualType{types_.table.array(types_.parse("int"), Type::kUnknownLength)},
                               QualType{types_.table.function(types_.parse("int"), {})},
                               QualType{types_.table.pointer(QualType{record->type})}};
  for (const char* name :
       {"void",   "bool",   "half", "enum",  "event_t", "int",           "uint",           "long", "float",       "double",
        "float3", "float4", "int4", "uint4", "uchar16", "global float*", "constant char*", "int*", "local half*", "void*"}) {
    any.push_back(types_.parse(name));
  }
  std::mt19937 random(3);
  builtins_.takeHalves(true);
  const std::vector<std::string> names = Builtins::names();
  for (int round = 0; round < 20000; ++round) {
    std::vector<QualType> arguments(random() % 7);
    for (QualType& argument : arguments) argument = any[random() % any.size()];
    Answer answer;
    const Builtin* builtin = builtins_.find(names[random() % names.size()]);
    if (builtins_.resolve(&answer.result, &answer.parameters, &answer.why, *builtin, arguments)) {
      EXPECT_EQ(answer.parameters.size(), arguments.size());
      EXPECT_TRUE(answer.result);
    } else {
      EXPECT_FALSE(answer.why.empty());
    }
  }
}

TEST_F(BuiltinsTest, AnyBytesAreANameOrNone) {
  std::mt19937 random(4);
  builtins_.takeHalves(true);
  const std::vector<std::string> names = Builtins::names();
  for (int round = 0; round < 20000; ++round) {
    std::string name = names[random() % names.size()];
    name[random() % name.size()] = static_cast<char>(random());
    if (random() % 2 == 0) name.resize(random() % (name.size() + 1));
    const Builtin* builtin = builtins_.find(name);
    EXPECT_EQ(builtin != nullptr, std::find(names.begin(), names.end(), name) != names.end()) << name;
  }
}

// Each form, given its own parameters as arguments, must be the one that is chosen: nothing in the table is out of reach.
TEST_F(BuiltinsTest, EveryFormOfEveryNameResolvesToItself) {
  std::set<std::string> seen;
  size_t count = 0;
  builtins_.takeHalves(true);
  for (const std::string& name : Builtins::names()) {
    EXPECT_TRUE(seen.insert(name).second) << name << " stands twice";
    const Builtin* builtin = builtins_.find(name);
    ASSERT_NE(builtin, nullptr) << name;
    const std::vector<BuiltinForm> forms = builtins_.forms(*builtin);
    EXPECT_EQ(forms.empty(), name.rfind("as_", 0) == 0 || name == "printf") << name;
    for (const BuiltinForm& form : forms) {
      Answer answer;
      const bool accepted = builtins_.resolve(&answer.result, &answer.parameters, &answer.why, *builtin, form.parameters);
      ASSERT_TRUE(accepted) << name << ": " << answer.why;
      EXPECT_EQ(answer.parameters, form.parameters) << name;
      EXPECT_EQ(answer.result, form.result) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 9000u);
}

}  // namespace
}  // namespace manyrt::compiler
