// language/places.cl: elements anywhere in memory, which some processors take by one instruction, by an index of each type.
#include "source_test.h"

namespace rttest {
namespace {

constexpr uint32_t kItems = 120;  // a char is an index of each of them
const uint32_t kGroups[] = {1, 7, 16, 40, 64};

template <typename T>
T mixed(T value) {
  using U = std::make_unsigned_t<T>;
  U x = static_cast<U>(value);
  x = static_cast<U>(x * 3u + 1u), x = static_cast<U>(x * 5u - 7u), x = static_cast<U>(x * 3u + 2u);
  x = static_cast<U>(x * 7u - 5u), x = static_cast<U>(x * 3u + 4u), x = static_cast<U>(x * 2u - 1u);
  x = static_cast<U>(x * 3u - 2u), x = static_cast<U>(x * 2u + 3u);
  return static_cast<T>(x);
}

// Each place once, in an order of no kind.
std::vector<uint32_t> places() {
  std::vector<uint32_t> order(kItems);
  for (uint32_t i = 0; i < kItems; ++i) order[i] = i * 77u % kItems;
  return order;
}

template <typename X>
std::vector<X> indices(int origin) {
  std::vector<X> made;
  for (const uint32_t place : places()) made.push_back(static_cast<X>(static_cast<int64_t>(place) - origin));
  return made;
}

class PlacesTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/places.cl");
  }

  template <typename E, typename X>
  void check(const std::string& element, const std::string& index) {
    const std::string name = element + "_by_" + index;
    const int origin = std::is_signed_v<X> ? 60 : 0;
    const std::vector<int32_t> random = randomIntegers(kItems, 3, -1000, 1000);
    const std::vector<E> from(random.begin(), random.end());
    const std::vector<uint32_t> at = places();
    std::vector<E> expected(kItems), some(kItems, 9);
    for (uint32_t i = 0; i < kItems; ++i) {
      expected[at[i]] = mixed(from[at[i]]);
      if (i % 3 == 1) continue;
      using U = std::make_unsigned_t<E>;
      some[at[i]] = static_cast<E>(static_cast<U>(mixed(from[at[kItems - 1 - i]])) - static_cast<U>(expected[at[i]]));
    }
    for (const uint32_t size : kGroups) {
      if (HasFatalFailure() || size > largestGroup(name.c_str())) continue;
      const Buffer<E> to = buffer(std::vector<E>(kItems, 9)), few = buffer(std::vector<E>(kItems, 9));
      run(name.c_str(), {(kItems + size - 1) / size}, {size}, buffer(from), buffer(indices<X>(origin)), to, few, origin,
          kItems);
      if (HasFatalFailure()) return;
      expectEqual(to.read(), expected, name + ", groups of " + std::to_string(size));
      expectEqual(few.read(), some, name + ", some, groups of " + std::to_string(size));
    }
  }

  template <typename E>
  void checkAll(const std::string& element) {
    check<E, int8_t>(element, "char");
    check<E, uint8_t>(element, "uchar");
    check<E, int16_t>(element, "short");
    check<E, uint16_t>(element, "ushort");
    check<E, int32_t>(element, "int");
    check<E, uint32_t>(element, "uint");
    check<E, int64_t>(element, "long");
    check<E, uint64_t>(element, "ulong");
  }

  template <typename X>
  void checkRecords(const std::string& index) {
    const std::string name = "records_by_" + index;
    const int origin = std::is_signed_v<X> ? 60 : 0;
    const std::vector<int32_t> from = randomIntegers(size_t{3} * kItems, 4, -1000, 1000);
    const std::vector<uint32_t> at = places();
    std::vector<int32_t> expected(from.size(), 5);
    for (uint32_t i = 0; i < kItems; ++i) {
      const size_t record = size_t{3} * at[i];
      expected[record + 2] = mixed(from[record + 1]);
      if (i % 3 != 1) {
        expected[record] =
            static_cast<int32_t>(static_cast<uint32_t>(expected[record + 2]) * 3u - static_cast<uint32_t>(from[record + 2]));
      }
    }
    for (const uint32_t size : kGroups) {
      if (HasFatalFailure() || size > largestGroup(name.c_str())) continue;
      const Buffer<int32_t> to = buffer(std::vector<int32_t>(from.size(), 5));
      run(name.c_str(), {(kItems + size - 1) / size}, {size}, buffer(from), buffer(indices<X>(origin)), to, origin, kItems);
      if (HasFatalFailure()) return;
      expectEqual(to.read(), expected, name + ", groups of " + std::to_string(size));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, PlacesTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(PlacesTest, ElementsOfFourBytes) { checkAll<int32_t>("int"); }
TEST_P(PlacesTest, ElementsOfEightBytes) { checkAll<int64_t>("long"); }
TEST_P(PlacesTest, ElementsOfTwoBytes) { checkAll<int16_t>("short"); }

TEST_P(PlacesTest, PartsOfRecords) {
  checkRecords<int8_t>("char");
  checkRecords<uint16_t>("ushort");
  checkRecords<int32_t>("int");
  checkRecords<uint32_t>("uint");
  checkRecords<int64_t>("long");
}

// Addresses before an array are what they are on the CPU alone.
class FarPlacesTest : public PlacesTest {};
INSTANTIATE_TEST_SUITE_P(, FarPlacesTest, testing::Values("cpu"), testName);

TEST_P(FarPlacesTest, UnsignedIndicesHaveThirtyTwoBits) {
  const std::vector<int32_t> from = randomIntegers(kItems, 5, -1000, 1000);
  for (const uint64_t before : {uint64_t{0x7fffffc0}, uint64_t{0x80000000}, uint64_t{0xffffff00}}) {
    std::vector<uint32_t> index;
    std::vector<int32_t> expected(kItems);
    for (const uint32_t place : places()) {
      index.push_back(static_cast<uint32_t>(before) + place);
      expected[place] = mixed(from[place]);
    }
    const Buffer<int32_t> to = buffer(std::vector<int32_t>(kItems, 9));
    run("beyond", {2}, {64}, buffer(from), buffer(index), to, before, kItems);
    if (HasFatalFailure()) return;
    expectEqual(to.read(), expected, std::to_string(before));
  }
}

}  // namespace
}  // namespace rttest
