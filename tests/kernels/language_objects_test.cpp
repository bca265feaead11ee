// language/objects.cl: compound literals, records that point to each other, packed members, parts of vectors. Where C leaves
// nothing open, all devices agree in every number.
#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class ObjectsTest : public SourceTest {
 protected:
  void expectResults(const char* kernel, const Ints& expected) {
    const Buffer<int> out = buffer(Ints(expected.size(), 0));
    run(kernel, {1}, {1}, out, 3);
    expectEqual(out.read(), expected, kernel);
  }
};
INSTANTIATE_TEST_SUITE_P(, ObjectsTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(ObjectsTest, CompoundLiteralsAreValues) {
  build("language/objects.cl");
  expectResults("literals_as_values", {10, 8, 8, 3, 80, 0x3f800000, 5, 10});
}

TEST_P(ObjectsTest, CompoundLiteralsAreObjectsOfTheirBlock) {
  build("language/objects.cl");
  expectResults("literals_as_objects", {8, 6091, 3 + 3 + 5, 334, 5 + 70 + 800, 33, 0x3f800000, 83});
  expectResults("literals_of_arrays", {2, 634, 8, 32, 23, 4 + 3, 2, 3});
  expectResults("literals_in_loops", {1 + 2 * 2 + 3 * 3 + 4 * 4, 1, 6, 7, 2, 4, 0, 0});
}

TEST_P(ObjectsTest, CompoundLiteralsLiveAcrossBarriers) {
  build("language/objects.cl");
  for (const uint32_t size : {1u, 4u, 33u}) {
    const Buffer<int> out = buffer(Ints(2 * size, 0));
    run("literals_across_barriers", {2}, {size}, out, Local{size * sizeof(int)});
    Ints expected;
    for (uint32_t g = 0; g < 2 * size; ++g) {
      const int i = static_cast<int>(g % size), next = (i + 1) % static_cast<int>(size);
      expected.push_back(i + 1 + 100 * next + 10000 * (3 * i + 1) + i);
    }
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

TEST_P(ObjectsTest, RecordsMayBeUsedThroughPointersBeforeTheyAreComplete) {
  build("language/objects.cl");
  expectResults("incomplete_records", {3, 23, 45, 67});
  const Buffer<int> out = buffer(Ints{0});
  void* const nothing = nullptr;
  run("opaque", {1}, {1}, nothing, out);
  expectEqual(out.read(), {1}, "opaque");
}

TEST_P(ObjectsTest, PackedMembersTakeNoMoreThanTheirBytes) {
  build("language/objects.cl");
  const Buffer<int> out = buffer(Ints(8, 0));
  run("packed_sizes", {1}, {1}, out);
  expectEqual(out.read(), {9, 12, 6, 16, 16, 17, 40, 8}, "packed_sizes");
  expectResults("packed_storage", {45, 3 + 30 + 600 + 12000, 5 + 10 * 3 + 100 * 4, 8 + 10 * 1 + 100 * 1, 1 * 100 + 20 + 1,
                                   (3 + 3 * 6) + 100 * (3 + 3 * 6) + 1000 * (6 + 3 * 12), 40, 1});
}

TEST_P(ObjectsTest, AlignmentsOfTypedefsStandInForThoseOfTypes) {
  build("language/objects.cl");
  expectResults("aligned_typedefs", {1608, 501, 601, 804, 1608, 1402, 804, 3216, 1608, (4 + 5) * 100 + 6 * 10 + 4});
}

TEST_P(ObjectsTest, PartsOfPackedVectorsAreChangedInTheirPlace) {
  build("language/objects.cl");
  const Buffer<float> out = buffer(std::vector<float>(2, 0));
  run("packed_parts", {1}, {1}, out);
  expectEqual(out.read(), {5.0f, 62.0f}, "packed_parts");
}

TEST_P(ObjectsTest, PartsOfVectorsStepInPlace) {
  build("language/objects.cl");
  const Buffer<int> out = buffer(Ints(8, 0));
  run("parts_of_vectors", {1}, {1}, out, 3);
  // (3,3,3,3) -> xy (4,4), hi (2,2), lo (5,5), b (4,4); then yz (4,1), even (6,2), odd (5,3).
  expectEqual(out.read(), {5 + 50 + 200 + 2000 + 40000, 6 + 50 + 200 + 3000 + 50000, 1, 255 + 255000 + 6000000, 2, 0, -1, 1},
              "parts_of_vectors");
}

}  // namespace
}  // namespace rttest
