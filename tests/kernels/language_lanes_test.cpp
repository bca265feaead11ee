// language/lanes_off.cl: work-items that do not take part, on the CPU. Memory ends where a page begins that nothing may touch,
// or begins after one, and lanes that are off have their addresses there.
#include "fenced.h"
#include "source_test.h"

namespace rttest {
namespace {

const uint32_t kSizes[] = {1, 3, 17, 64, 4096};  // of groups

struct Element {
  const char* name;
  size_t bytes;
};
const Element kElements[] = {{"uchar", 1},  {"ushort", 2}, {"int", 4},    {"float", 4},  {"long", 8},
                             {"uchar4", 4}, {"short2", 4}, {"float2", 8}, {"float4", 16}};

class LanesOffTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/lanes_off.cl");
  }
  // Elements of `out` for which `copied` holds are those of `in`, the others are still 0.
  template <typename Copied>
  static void expectCopied(const Fenced& in, const Fenced& out, const Element& element, uint32_t count, const Copied& copied,
                           const std::string& what) {
    static const unsigned char kZeros[16] = {};
    for (uint32_t i = 0; i < count; ++i) {
      const unsigned char* expected = copied(i) ? in.data() + i * element.bytes : kZeros;
      ASSERT_EQ(memcmp(out.data() + i * element.bytes, expected, element.bytes), 0)
          << what << " " << element.name << ", element " << i << " of " << count;
    }
  }
  // f(element, elements in memory, size of groups, groups)
  template <typename Function>
  void forAll(const Function& f) {
    for (const Element& element : kElements) {
      for (const uint32_t size : kSizes) {
        for (const uint32_t count : {1u, 5u, 33u, 250u}) {
          f(element, count, size, (count + 40) / size + 1);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, LanesOffTest, testing::Values("cpu"), testName);

TEST_P(LanesOffTest, MemoryMayEndBeforeTheGridDoes) {
  forAll([&](const Element& element, uint32_t count, uint32_t size, uint32_t groups) {
    const Fenced in(count * element.bytes, Fenced::Side::kEnd), out(count * element.bytes, Fenced::Side::kEnd);
    in.count();
    run((std::string("copy_") + element.name).c_str(), {groups}, {size}, in, out, count);
    expectCopied(
        in, out, element, count, [](uint32_t) { return true; }, "copy");
    out.clear();
    const uint32_t step = 3;
    run((std::string("stepped_") + element.name).c_str(), {groups}, {size}, in, out, step, count);
    expectCopied(
        in, out, element, count, [](uint32_t i) { return i % 3 == 0; }, "stepped");
  });
}

TEST_P(LanesOffTest, MemoryMayBeginAfterTheFirstItems) {
  forAll([&](const Element& element, uint32_t count, uint32_t size, uint32_t groups) {
    const Fenced in(count * element.bytes, Fenced::Side::kBegin), out(count * element.bytes, Fenced::Side::kBegin);
    in.count();
    const uint32_t low = 5, end = low + count;
    run((std::string("after_") + element.name).c_str(), {groups}, {size}, in, out, low, end);
    expectCopied(
        in, out, element, count, [](uint32_t) { return true; }, "after");
  });
}

TEST_P(LanesOffTest, RowsMayBeShorterThanAVector) {
  const Shape shapes[] = {{8, 8, 1}, {7, 3, 1}, {4, 4, 1}, {3, 5, 1},  {2, 9, 1},
                          {1, 9, 1}, {5, 5, 1}, {9, 2, 1}, {16, 2, 1}, {17, 3, 1}};
  for (const Shape& shape : shapes) {
    const std::string what = std::to_string(shape.x) + " x " + std::to_string(shape.y);
    for (const uint32_t width : {1u, 5u, 8u, 33u}) {
      const uint32_t height = 7, count = width * height;
      const Shape groups = {(width + shape.x - 1) / shape.x, (height + shape.y - 1) / shape.y, 1};
      for (const Element& element : {Element{"uchar", 1}, Element{"float", 4}, Element{"long", 8}, Element{"float4", 16}}) {
        const Fenced in(count * element.bytes, Fenced::Side::kEnd), out(count * element.bytes, Fenced::Side::kEnd);
        in.count();
        run((std::string("rows_") + element.name).c_str(), groups, shape, in, out, width, height);
        expectCopied(
            in, out, element, count, [](uint32_t) { return true; }, what);
        if (HasFatalFailure()) return;
      }
      const Fenced in(count * sizeof(int), Fenced::Side::kEnd), out(count * sizeof(int), Fenced::Side::kEnd);
      in.count();
      run("rows_turned", groups, shape, in, out, width, height, Local{size_t{shape.x} * shape.y * sizeof(int)});
      for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
          const uint32_t other_x = x / shape.x * shape.x + shape.x - 1 - x % shape.x;
          const uint32_t other_y = y / shape.y * shape.y + shape.y - 1 - y % shape.y;
          int expected = -1, got = 0;
          if (other_x < width && other_y < height) {
            memcpy(&expected, in.data() + (size_t{other_y} * width + other_x) * sizeof(int), sizeof expected);
          }
          memcpy(&got, out.data() + (size_t{y} * width + x) * sizeof(int), sizeof got);
          ASSERT_EQ(got, expected) << what << ", " << x << " of " << width << ", row " << y;
        }
      }
    }
  }
}

TEST_P(LanesOffTest, FlagsAndIndicesMaySayWhoTakesPart) {
  forAll([&](const Element& element, uint32_t count, uint32_t size, uint32_t groups) {
    const uint32_t items = count + 30;
    std::vector<int> flags(items, 0), index(items, 1 << 28);
    for (uint32_t i = 0; i < count; ++i) {
      flags[i] = i % 5 != 2;
      if (i % 4 != 1) index[i] = static_cast<int>(count - 1 - i);
    }
    const Buffer<int> chosen = buffer(flags), places = buffer(index);
    const Fenced in(count * element.bytes, Fenced::Side::kEnd), out(count * element.bytes, Fenced::Side::kEnd);
    in.count();
    run((std::string("chosen_") + element.name).c_str(), {groups}, {size}, in, out, chosen, items);
    expectCopied(
        in, out, element, count, [](uint32_t i) { return i % 5 != 2; }, "chosen");
    out.clear();
    run((std::string("indexed_") + element.name).c_str(), {groups}, {size}, in, out, places, items);
    expectCopied(
        in, out, element, count, [&](uint32_t i) { return (count - 1 - i) % 4 != 1; }, "indexed");
  });
}

// Lanes that are off do not write back what they read either: that page takes no writes.
TEST_P(LanesOffTest, AStoreLeavesItsNeighboursAlone) {
  const size_t page = pageBytes();
  for (const Element& element : kElements) {
    const uint32_t off = 5, count = 40;
    unsigned char* pages =
        static_cast<unsigned char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages, MAP_FAILED);
    memset(pages, 42, page);
    ASSERT_EQ(mprotect(pages, page, PROT_READ), 0);
    unsigned char* out = pages + page - off * element.bytes;
    const Fenced in(count * element.bytes, Fenced::Side::kEnd);
    in.count();
    std::vector<int> flags(count, 1);
    for (uint32_t i = 0; i < off; ++i) flags[i] = 0;
    const Buffer<int> chosen = buffer(flags);
    for (const uint32_t size : {1u, 8u, 20u, 64u}) {
      run((std::string("chosen_") + element.name).c_str(), {count / size + 1}, {size}, in, out, chosen, count);
      ASSERT_EQ(out[0], 42);
      ASSERT_EQ(memcmp(out + off * element.bytes, in.data() + off * element.bytes, (count - off) * element.bytes), 0)
          << element.name;
    }
    munmap(pages, 2 * page);
  }
}

TEST_P(LanesOffTest, NoFaultOfALaneThatIsOff) {
  for (const uint32_t size : kSizes) {
    const uint32_t count = 200;
    std::vector<int> x(count), by(count), expected(count);
    for (uint32_t i = 0; i < count; ++i) {
      x[i] = i % 9 == 0 ? std::numeric_limits<int>::min() : static_cast<int>(i * 37) - 3000;
      by[i] = static_cast<int>(i % 6) - 2;  // 0 and -1 among them
      const bool faults = by[i] == 0 || (by[i] == -1 && x[i] == std::numeric_limits<int>::min());
      expected[i] = faults ? -7 : x[i] / by[i] + x[i] % by[i];
    }
    const Buffer<int> out = buffer(std::vector<int>(count, 0));
    run("divided", {count / size + 1}, {size}, buffer(x), buffer(by), out, count);
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

TEST_P(LanesOffTest, LanesThatLeftALoopMayComeBack) {
  const uint32_t count = 300;
  const std::vector<int> limits = randomIntegers(count, 5, 0, 7), in = randomIntegers(count, 6, -3, 2000);
  const auto grow = [](int* x, int limit) {
    int turns = 0;
    for (; turns < limit && *x < 10000; ++turns) *x = *x * 2 + 1;
    return turns;
  };
  const std::pair<const char*, std::function<int(int, int)>> kKernels[] = {{"gone",
                                                                            [&](int x, int limit) {
                                                                              int total = 0;
                                                                              for (int k = 0; k < 4; ++k) {
                                                                                int own = x + k;
                                                                                total = total * 8 + grow(&own, limit);
                                                                              }
                                                                              return total;
                                                                            }},
                                                                           {"back_again",
                                                                            [&](int x, int limit) {
                                                                              int total = 0;
                                                                              for (int k = 0; k < 4; ++k)
                                                                                total = total * 8 + grow(&x, limit);
                                                                              return total;
                                                                            }},
                                                                           {"out_for_a_turn",
                                                                            [](int x, int limit) {
                                                                              int out = -7;
                                                                              for (int turns = 1; turns <= 2 * limit; ++turns) {
                                                                                if (((x ^ turns) & 1) != 0) continue;
                                                                                x += turns;
                                                                                if (turns % 3 == 0) x ^= 5;
                                                                                out = x;
                                                                              }
                                                                              return out;
                                                                            }},
                                                                           {"broken_off", [](int x, int limit) {
                                                                              int out = -7, y = 1;
                                                                              for (int k = 0; k < limit; ++k) {
                                                                                x = x * 3 + y;
                                                                                if (x > 5000) break;
                                                                                if ((x & 2) != 0) y += k;
                                                                                out = x - y;
                                                                              }
                                                                              return out;
                                                                            }}};
  for (const auto& [name, reference] : kKernels) {
    std::vector<int> expected;
    for (uint32_t i = 0; i < count; ++i) expected.push_back(reference(in[i], limits[i]));
    for (const uint32_t size : kSizes) {
      const Buffer<int> out = buffer(std::vector<int>(count, -7));
      run(name, {count / size + 1}, {size}, buffer(limits), buffer(in), out, count);
      expectEqual(out.read(), expected, std::string(name) + ", groups of " + std::to_string(size));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LanesOffTest, AllMayLeaveAtOnce) {
  const std::vector<int> in = {1, 3, 5, 3, 8, 99, 4};
  for (const uint32_t size : kSizes) {
    for (const int most : {0, 1, 5, 7}) {  // 0: the loop is not entered
      const uint32_t count = 130;
      std::vector<int> limits(count), expected(count);
      for (uint32_t i = 0; i < count; ++i) {
        limits[i] = most == 0 ? 0 : static_cast<int>(i) % (most + 1);
        for (int k = 0; k < limits[i]; ++k) {
          if (in[static_cast<size_t>(k)] == 99) expected[i] = -1;
          if (in[static_cast<size_t>(k)] == 99) break;
          if (in[static_cast<size_t>(k)] != 3) expected[i] += in[static_cast<size_t>(k)];
        }
      }
      const Buffer<int> out = buffer(std::vector<int>(count, 0));
      run("left", {count / size + 1}, {size}, buffer(limits), buffer(in), out, count);
      expectEqual(out.read(), expected, "groups of " + std::to_string(size) + ", limits up to " + std::to_string(most));
    }
  }
}

TEST_P(LanesOffTest, MasksMayBeEmptyAtABarrier) {
  for (const uint32_t size : kSizes) {
    const uint32_t count = size + size / 2 + 1, groups = 4;
    const std::vector<int> in = randomIntegers(count, size, 0, 1000);
    std::vector<int> expected(count);
    for (uint32_t i = 0; i < count; ++i) {
      const auto at = [&](uint32_t item) { return item < count ? in[item] : -1; };
      const uint32_t first = i / size * size;
      expected[i] = at(first + size - 1 - i % size) ^ (at(first + size - 1) + 1);
    }
    const Buffer<int> out = buffer(std::vector<int>(count, 0));
    run("around_a_barrier", {groups}, {size}, buffer(in), out, count, Local{size * sizeof(int)});
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

TEST_P(LanesOffTest, BitsGoThroughMasksAsTheyAre) {
  const uint32_t patterns[] = {0x7fc12345, 0xffc00001, 0x7f800000, 0x00000001, 0x807fffff, 0x80000000, 0x3f800000, 0x7f800001};
  const uint32_t count = 100;
  std::vector<float> x(count), y(count);
  std::vector<int> flags(count);
  for (uint32_t i = 0; i < count; ++i) {
    memcpy(&x[i], &patterns[i % 8], 4);
    memcpy(&y[i], &patterns[(i * 3 + 1) % 8], 4);
    flags[i] = i % 3 == 0;
  }
  for (const uint32_t size : kSizes) {
    const Buffer<float> out = buffer(std::vector<float>(count, 0));
    run("one_of_two", {count / size + 1}, {size}, buffer(x), buffer(y), buffer(flags), out, count);
    const std::vector<float> got = out.read();
    for (uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(memcmp(&got[i], flags[i] != 0 ? &y[i] : &x[i], 4), 0) << "element " << i << ", groups of " << size;
    }
  }
}

}  // namespace
}  // namespace rttest
