// language/packed.cl: members of packed records, at every alignment and in every kind of memory, against the same in C++.
#include "source_test.h"

namespace rttest {
namespace {

struct __attribute__((packed)) Float4 {  // found at any address
  float v[4];
};
struct __attribute__((packed)) Aligned {
  int64_t c, l;
  Float4 v;
};
struct __attribute__((packed)) Row {
  int8_t c;
  Float4 v;
  int32_t w[2];
  int64_t l;
  int16_t s;
  Aligned in;
  int32_t x[3];
  Float4 a[2];
  int32_t m[2][2];
};
static_assert(sizeof(Row) == 127);
struct __attribute__((packed)) Outer {
  int8_t c, d;
  Row row;
  int64_t y;
  Float4 z;
  int32_t x[3];
};
static_assert(sizeof(Outer) == 165);
struct __attribute__((packed)) Pragma {
  int8_t c;
  Float4 v;
  int64_t l;
  int32_t x[3];
};
static_assert(sizeof(Pragma) == 37);

Float4 floats(int first) {
  Float4 value;
  for (int i = 0; i < 4; ++i) value.v[i] = static_cast<float>(first + i);
  return value;
}

Row makeRow(int n) {
  Row row = {};
  row.c = static_cast<int8_t>(n);
  row.v = floats(n);
  row.l = n + 5;
  row.s = static_cast<int16_t>(n + 6);
  row.in = {n + 7, n + 8, floats(n + 9)};
  for (int i = 0; i < 2; ++i) {
    row.w[i] = n + 13 + i;
    row.a[i] = floats(n + 15 + 4 * i);
    for (int k = 0; k < 2; ++k) row.m[i][k] = n + 23 + 2 * i + k;
  }
  for (int i = 0; i < 3; ++i) row.x[i] = n + 27 + i;
  return row;
}

std::vector<Row> makeRows() { return {makeRow(1), makeRow(31), makeRow(61), makeRow(91)}; }

Float4 sum(Float4 a, Float4 b, float factor = 1) {
  Float4 value;
  for (int i = 0; i < 4; ++i) value.v[i] = a.v[i] + factor * b.v[i];
  return value;
}

template <typename T>
void expectBytes(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    unsigned char a[sizeof(T)], b[sizeof(T)];
    memcpy(a, &found[i], sizeof a);
    memcpy(b, &expected[i], sizeof b);
    for (size_t at = 0; at < sizeof a; ++at) {
      ASSERT_EQ(a[at], b[at]) << "byte " << at << " of record " << i;
    }
  }
}

class PackedTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    if (!HasFatalFailure() && !IsSkipped()) build("language/packed.cl");
  }
};
INSTANTIATE_TEST_SUITE_P(, PackedTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(PackedTest, AssignmentsHaveValues) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  run("chains", {1}, {1}, rows, 1);
  q[0].v = q[1].v = q[2].v;
  q[3].v = q[1].a[1];
  q[2].v.v[0] = q[3].v.v[1];
  q[0].l = q[1].l = q[2].l + 1;
  q[2].l = q[3].l = q[3].l + 1;
  q[2].l = q[2].l - 1;
  for (int i = 0; i < 2; ++i) q[3].w[i] = q[0].w[i]++;
  q[1].in = q[2].in = q[0].in;
  q[3].a[1] = sum(q[3].a[1], q[3].a[1]);
  q[2].a[0] = sum(q[2].a[0], q[3].a[1]);
  for (int i = 0; i < 4; ++i) q[0].a[0].v[i] += q[0].a[1].v[i] * q[1].a[0].v[i];
  q[1].a[1] = q[0].a[0];
  expectBytes(rows.read(), q);
}

TEST_P(PackedTest, ChoicesAndCommasGiveValues) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  run("choices", {1}, {1}, rows, 1);
  q[0].v = q[1].v;
  q[0].l = q[2].l;
  q[0].in = q[1].in;
  q[1].v = q[2].a[0];
  q[1].l = q[3].l + 1;
  q[3] = q[2];
  q[2].s = q[1].s;
  expectBytes(rows.read(), q);
}

TEST_P(PackedTest, ElementsOfVectorsAndArraysAreReadAndWritten) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  run("subscripts", {1}, {1}, rows, 1);
  q[0].v.v[1] = q[1].v.v[2];
  q[0].w[1]++;
  q[1].w[1] <<= 1;
  q[2].w[1] /= 2;
  q[0].x[1] = q[1].x[2];
  q[1].x[1] /= 2;
  --q[2].x[2];
  q[1].a[1].v[2] += 2;
  q[0].a[1].v[0] = q[1].a[1].v[1];
  q[0].m[1][0] = q[1].m[0][1];
  q[1].m[1][1] *= 3;
  q[3].in.v.v[1] = q[2].in.v.v[3];
  expectBytes(rows.read(), q);
}

TEST_P(PackedTest, PartsOfVectorsAreReadAndWritten) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  run("parts", {1}, {1}, rows, 1);
  for (int i = 0; i < 2; ++i) q[0].v.v[i] = q[1].v.v[2 + i];
  for (int i = 2; i < 4; ++i) q[0].v.v[i] *= 2;
  for (int i = 0; i < 2; ++i) q[1].v.v[2 + i] = q[1].v.v[i] = q[2].v.v[2 * i];
  for (int i = 0; i < 2; ++i) q[1].w[1 - i] = q[2].w[i];
  q[2].w[0]++;
  --q[2].w[1];
  for (int i = 0; i < 2; ++i) q[3].w[i]++;
  for (int i = 0; i < 4; ++i) q[2].a[1].v[3 - i] = q[1].a[1].v[i];
  const Float4 a = q[3].a[1], b = q[0].a[1];
  q[3].a[1].v[1] += a.v[0] * b.v[0];
  q[3].a[1].v[2] += a.v[3] * b.v[1];
  for (int i = 0; i < 2; ++i) q[3].in.v.v[i] = q[0].in.v.v[2 + i];
  expectBytes(rows.read(), q);
}

TEST_P(PackedTest, RecordsLieInEachOther) {
  std::vector<Outer> o;
  std::vector<Pragma> p;
  for (int n : {1, 2, 3}) {
    o.push_back({1, 2, makeRow(n), 100 + n, floats(n), {n, n + 1, n + 2}});
    p.push_back({3, floats(10 + n), 200 + n, {n, n + 3, n + 6}});
  }
  const Buffer<Outer> outers = buffer(o);
  const Buffer<Pragma> pragmas = buffer(p);
  run("nested", {1}, {1}, outers, pragmas, 1);
  o[0].row.v = o[1].row.in.v;
  o[1].row.in.v.v[0] = 2;
  o[1].row.in.v.v[1] = 3;
  o[1].row.in.l++;
  for (int i = 0; i < 2; ++i) o[0].row.in.v.v[i] = o[1].row.a[1].v[2 + i];
  o[0].y += o[1].y--;
  o[0].z = o[1].z;
  for (int i = 1; i < 3; ++i) o[1].z.v[i] += 2;
  o[0].x[1] = o[1].x[2] + static_cast<int>(o[1].z.v[1]);
  for (int i = 0; i < 2; ++i) o[1].row.w[i] -= o[0].row.w[i];
  p[0].v = p[1].v;
  for (int i = 0; i < 2; ++i) p[0].v.v[i] *= p[1].v.v[2 + i];
  p[1].v.v[1] = p[0].v.v[1];
  p[0].l = p[1].l++;
  p[1].x[1] = p[0].x[2];
  p[2] = p[1];
  expectBytes(outers.read(), o);
  expectBytes(pragmas.read(), p);
}

TEST_P(PackedTest, RecordsLieInEveryKindOfMemory) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  const Row value = makeRow(7);
  run("places", {1}, {1}, rows, value, Local{2 * sizeof(Row)}, 1);
  Row own = q[2], shared = q[3], mine;
  q[0].v = sum(value.v, value.v);
  q[0].l = value.l;
  q[0].w[1] = value.w[1];
  own.v.v[0] = own.v.v[1] = own.v.v[2] = 9;
  for (int i = 0; i < 4; ++i) shared.v.v[i] = q[3].v.v[3 - i];
  shared.w[1]++;
  shared.l = 6;
  mine = own;
  mine.a[0] = mine.v;
  mine.v.v[2] = 77;
  mine.l++;
  q[1] = shared;
  q[2] = mine;
  q[3].w[0] = 5;
  q[3].w[1] = 6;
  expectBytes(rows.read(), q);
}

TEST_P(PackedTest, FunctionsTakeMembersByValue) {
  std::vector<Row> q = makeRows();
  const Buffer<Row> rows = buffer(q);
  run("calls", {1}, {1}, rows, 1);
  for (int i = 0; i < 4; ++i) q[0].v.v[i] = q[1].v.v[i] * q[2].v.v[i] + q[3].v.v[i];
  float dot = 0;
  for (int i = 0; i < 4; ++i) dot += q[1].v.v[i] * q[3].v.v[i];
  q[2].v.v[0] = dot;
  for (int i = 0; i < 2; ++i) q[3].w[i] = static_cast<int>(q[3].v.v[i]) + q[2].w[i];
  q[1].a[0] = q[2].v;
  q[1].a[0].v[0] = static_cast<float>(q[0].w[0]);
  q[1].a[1] = {{3, 3, 3, 3}};
  q[1].in.v = q[0].a[0];
  q[2].in.v = {{1, 2, 3, 4}};
  while (q[3].l > 1) q[3].l >>= 1;
  q[2].s = static_cast<int16_t>(q[2].s + 3);
  expectBytes(rows.read(), q);
}

}  // namespace
}  // namespace rttest
