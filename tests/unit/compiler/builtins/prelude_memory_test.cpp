// Vectors in memory that is aligned as its elements are, half precision there, atomics from several threads.
#include <thread>

#include "prelude_loops.h"

namespace manyrt::compiler {
namespace {

class PreludeMemoryTest : public PreludeLoops {
 protected:
  // A function that takes its pointer as it is, for offsets: the loop's element i is the pointer itself.
  size_t addPointerCall(const std::string& name, const std::vector<QualType>& arguments) {
    const Builtin* builtin = builtins_.find(name);
    QualType result;
    std::vector<QualType> parameters;
    std::string why;
    EXPECT_TRUE(builtin != nullptr && builtins_.resolve(&result, &parameters, &why, *builtin, arguments)) << why;
    const std::string function = prelude_.builtin(*builtin, result, parameters);
    const std::string own = "direct" + std::to_string(direct_++);
    std::string list, values;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const bool by_address = parameters[i]->isPointer();
      const std::string argument = "a" + std::to_string(i);
      list += (i == 0 ? "" : ", ") + prelude_.type(by_address ? parameters[i]->inner.type : parameters[i].type) +
              (by_address ? "* " : " ") + argument;
      values += (i == 0 ? "" : ", ") + argument;
    }
    loop_text_ += "extern \"C\" " + prelude_.type(result.type) + " " + own + "(" + list + ") { return " + function + "(" +
                  values + "); }\n";
    return direct_ - 1;
  }

 private:
  size_t direct_ = 0;
};

TEST_P(PreludeMemoryTest, VectorsOfThreeLieDenseAndAlignedHalvesByFour) {
  const QualType floats = pointer(value(Scalar::kFloat)), halves = pointer(value(Scalar::kHalf)), index = value(Scalar::kULong);
  addPointerCall("vload3", {index, floats});
  addPointerCall("vstore3", {value(Scalar::kFloat, 3), index, floats});
  addPointerCall("vload_half3", {index, halves});
  addPointerCall("vloada_half3", {index, halves});
  addPointerCall("vstorea_half3", {value(Scalar::kFloat, 3), index, halves});
  addPointerCall("vload_half", {index, halves});
  ASSERT_NO_FATAL_FAILURE(build());
  struct alignas(16) Float3 {
    float x, y, z;
  };
  float memory[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const Float3 loaded = symbol<Float3 (*)(uint64_t, float*)>("direct0")(1, memory);
  EXPECT_EQ(loaded.x, 3);
  EXPECT_EQ(loaded.z, 5);
  symbol<void (*)(Float3, uint64_t, float*)>("direct1")({10, 11, 12}, 2, memory);
  EXPECT_EQ(memory[5], 5);
  EXPECT_EQ(memory[6], 10);
  EXPECT_EQ(memory[8], 12);
  uint16_t half[8];
  for (uint16_t i = 0; i < 8; ++i) half[i] = static_cast<uint16_t>(0x3c00 + 0x400 * i);  // 1, 2, 4, ...
  EXPECT_EQ(symbol<Float3 (*)(uint64_t, uint16_t*)>("direct2")(1, half).x, 8);
  EXPECT_EQ(symbol<Float3 (*)(uint64_t, uint16_t*)>("direct3")(1, half).x, 16);
  symbol<void (*)(Float3, uint64_t, uint16_t*)>("direct4")({1, 0.5f, -2}, 1, half);
  EXPECT_EQ(half[3], 0x4800);
  EXPECT_EQ(half[4], 0x3c00);
  EXPECT_EQ(half[5], 0x3800);
  EXPECT_EQ(half[6], 0xc000);
  EXPECT_EQ(half[7], 0x5800);
  EXPECT_EQ(symbol<float (*)(uint64_t, uint16_t*)>("direct5")(2, half), 4);
}

TEST_P(PreludeMemoryTest, AtomicsReturnWhatWasThere) {
  struct Row {
    const char* name;
    int64_t before, operand, after;
  };
  const Row rows[] = {{"add", 5, -7, -2}, {"sub", 5, 7, -2},  {"and", 12, 10, 8}, {"or", 12, 10, 14}, {"xor", 12, 10, 6},
                      {"xchg", 3, 9, 9},  {"min", -3, 2, -3}, {"min", 3, -2, -2}, {"max", -3, 2, 2},  {"max", 3, -2, 3}};
  QualType counter = value(Scalar::kInt), wide = value(Scalar::kLong);
  counter.space = wide.space = AddressSpace::kGlobal;
  for (const Row& row : rows) {
    addPointerCall(std::string("atomic_") + row.name, {pointer(counter), value(Scalar::kInt)});
    addPointerCall(std::string("atom_") + row.name, {pointer(wide), value(Scalar::kLong)});
  }
  ASSERT_NO_FATAL_FAILURE(build());
  for (size_t i = 0; i < std::size(rows); ++i) {
    int narrow = static_cast<int>(rows[i].before);
    const auto small = symbol<int (*)(int*, int)>("direct" + std::to_string(2 * i));
    EXPECT_EQ(small(&narrow, static_cast<int>(rows[i].operand)), rows[i].before) << rows[i].name;
    EXPECT_EQ(narrow, rows[i].after) << rows[i].name;
    int64_t large = rows[i].before * (int64_t{1} << 40);
    const auto big = symbol<int64_t (*)(int64_t*, int64_t)>("direct" + std::to_string(2 * i + 1));
    EXPECT_EQ(big(&large, rows[i].operand * (int64_t{1} << 40)), rows[i].before * (int64_t{1} << 40)) << rows[i].name;
    EXPECT_EQ(large, rows[i].after * (int64_t{1} << 40)) << rows[i].name;
  }
}

TEST_P(PreludeMemoryTest, UnsignedExtremesCompareAsUnsigned) {
  QualType counter = value(Scalar::kUInt);
  counter.space = AddressSpace::kLocal;
  addPointerCall("atomic_max", {pointer(counter), value(Scalar::kUInt)});
  addPointerCall("atomic_min", {pointer(counter), value(Scalar::kUInt)});
  ASSERT_NO_FATAL_FAILURE(build());
  uint32_t x = 1;
  symbol<uint32_t (*)(uint32_t*, uint32_t)>("direct0")(&x, 0xffffffffu);
  EXPECT_EQ(x, 0xffffffffu);
  symbol<uint32_t (*)(uint32_t*, uint32_t)>("direct1")(&x, 5);
  EXPECT_EQ(x, 5u);
}

TEST_P(PreludeMemoryTest, ExchangesAndCountsLoseNothingAmongThreads) {
  QualType counter = value(Scalar::kInt), real = value(Scalar::kFloat);
  counter.space = real.space = AddressSpace::kGlobal;
  addPointerCall("atomic_inc", {pointer(counter)});
  addPointerCall("atomic_dec", {pointer(counter)});
  addPointerCall("atomic_cmpxchg", {pointer(counter), value(Scalar::kInt), value(Scalar::kInt)});
  addPointerCall("atomic_xchg", {pointer(real), value(Scalar::kFloat)});
  ASSERT_NO_FATAL_FAILURE(build());
  const auto increment = symbol<int (*)(int*)>("direct0");
  const auto decrement = symbol<int (*)(int*)>("direct1");
  const auto compare = symbol<int (*)(int*, int, int)>("direct2");
  const auto exchange = symbol<float (*)(float*, float)>("direct3");
  int count = 0, claimed = 0;
  float token = 1;
  float held[3] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20000; ++i) {
        increment(&count);
        if (i % 4 == 0) decrement(&count);
        for (int old = __atomic_load_n(&claimed, __ATOMIC_RELAXED);;) {
          const int seen = compare(&claimed, old, old + 2);
          if (seen == old) break;
          old = seen;
        }
        held[t] = exchange(&token, held[t]);  // one of the four always holds it
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 3 * 15000);
  EXPECT_EQ(claimed, 3 * 40000);
  EXPECT_EQ(held[0] + held[1] + held[2] + token, 1);
}

TEST_P(PreludeMemoryTest, FencesAndPrefetchAreFunctionsOfTheirOwn) {
  for (const char* name : {"mem_fence", "read_mem_fence", "write_mem_fence"}) addCall(name, {value(Scalar::kUInt)});
  QualType source = value(Scalar::kFloat, 4);
  source.space = AddressSpace::kGlobal;
  addPointerCall("prefetch", {pointer(source), value(Scalar::kULong)});
  ASSERT_NO_FATAL_FAILURE(build());
  for (size_t loop = 0; loop < 3; ++loop) {
    const uint32_t flags[3] = {1, 2, 3};
    run(loop, nullptr, {flags}, 3);
  }
  alignas(16) float data[4] = {};
  symbol<void (*)(void*, uint64_t)>("direct0")(data, 1);
}

MANYRT_FOR_EACH_COMPILER(PreludeMemoryTest);
MANYRT_FOR_CUDA(PreludeMemoryTest);

}  // namespace
}  // namespace manyrt::compiler
