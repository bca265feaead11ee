// language/barriers_private.cl: what private variables hold across barriers, against references that know no barriers.
#include <algorithm>

#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class PrivateTest : public BarrierTest {
 protected:
  void SetUp() override {
    BarrierTest::SetUp();
    build("language/barriers_private.cl");
  }
};
INSTANTIATE_TEST_SUITE_P(, PrivateTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(PrivateTest, ValuesOfSeveralRegionsMeetInTheLast) {
  check("two_barriers", [](const Ints& in, Ints& out, int s, int n) {
    const auto b = [&](int i) { return in[s - 1 - i] * 3; };
    for (int i = 0; i < s; ++i) out[i] = in[i] + 2 * b(i) + 5 * (b((i + 1) % s) + in[(i + 1) % s]) + n;
  });
  check("third_region", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) out[i] = in[i] + (s - 1 - i) + (in[i] ^ n) + static_cast<uint8_t>(in[i]);
  });
  check("assigned_after_the_barrier", [](const Ints& in, Ints& out, int s, int n) {
    const auto late = [&](int i) { return in[i] > in[(i + 1) % s] ? n : -n; };
    for (int i = 0; i < s; ++i) out[i] = late(i) * 10 + late((i + 1) % s);
  });
  check("modified_without_a_barrier_between", [](const Ints& in, Ints& out, int s, int n) {
    std::vector<int> x = in, y(s, 0);
    for (int i = 0; i < s; ++i) {
      if ((x[i] & 1) != 0) {
        y[i] = x[i] + n;
        x[i] = y[i] - 1;
      } else if (i == 0) {
        y[i] = x[i] + 1;
        x[i] = y[i];
      }
      for (int k = 0; k < (x[i] & 7); ++k) y[i] += k == 3 ? x[i] : k;
    }
    for (int i = 0; i < s; ++i) out[i] = y[(i + 1) % s] + y[i] * 2;
  });
}

TEST_P(PrivateTest, ArraysKeepTheirElements) {
  check("array_across", [](const Ints& in, Ints& out, int s, int n) {
    std::vector<Ints> v(s, Ints(4));
    for (int i = 0; i < s; ++i) {
      for (int k = 0; k < 4; ++k) v[i][k] = in[i] + k * n;
    }
    Ints shared(s);
    for (int i = 0; i < s; ++i) shared[i] = v[i][i & 3];
    for (int i = 0; i < s; ++i) v[i][shared[(i + 1) % s] & 3] += 1000;
    for (int i = 0; i < s; ++i) {
      const Ints& other = v[s - 1 - i];
      out[i] = v[i][0] + 3 * v[i][1] + 5 * v[i][2] + 7 * v[i][3] + other[3] + other[0];
    }
  });
  check("matrix_across", [](const Ints& in, Ints& out, int s, int n) {
    std::vector<Ints> m(s, Ints{1, 2, 3, 4, 5, 0});
    for (int i = 0; i < s; ++i) m[i][(i % 2) * 3 + n % 3] += in[i];
    Ints shared(s);
    for (int i = 0; i < s; ++i) shared[i] = m[i][5] + m[i][n % 3];
    for (int i = 0; i < s; ++i) {
      m[i][4] = shared[(i + s / 2) % s];
      for (int k = 0; k < 6; ++k) out[i] += (k + 1) * m[i][k];
      out[i] += 1;  // it began at -1
    }
  });
  check("vector_array_across", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) {
      int v[6] = {in[i], in[i], in[i] + n, in[i] + n, i, -i};
      v[(i % 3) * 2] = in[(i + 1) % s] + n;
      out[i] = v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3] + 5 * v[4] + 6 * v[5];
    }
  });
}

TEST_P(PrivateTest, PointersToPrivatesPointAtTheirOwnItemsVariables) {
  check("pointer_across", [](const Ints& in, Ints& out, int s, int n) {
    Ints a = in, b(s, n), shared(s);
    for (int i = 0; i < s; ++i) shared[i] = (i & 1) != 0 ? a[i] : b[i];
    for (int i = 0; i < s; ++i) ((i & 1) != 0 ? a[i] : b[i]) += shared[s - 1 - i];
    for (int i = 0; i < s; ++i) shared[i] = ((i & 2) != 0 ? a[i] : b[i]) - 1;
    for (int i = 0; i < s; ++i) ((i & 2) != 0 ? a[i] : b[i]) ^= shared[(i + 1) % s];
    for (int i = 0; i < s; ++i) out[i] = a[i] * 3 + b[i];
  });
  check("pointer_into_array_across", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) {
      int v[5] = {in[i], 1, 2, 3, 4};
      for (int k = 1; k < 5; ++k) v[k] += in[(i + k) % s];
      out[i] = v[4] + v[3] + v[1] * 2 + n;
    }
  });
  check("pointer_to_pointer_across", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) out[i] = in[i] - n + ((in[(i + 1) % s] & 1) != 0 ? -17 : 17);
  });
  check("only_the_pointers_are_named", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) out[i] = in[i] + in[(i + 1) % s] + n * 2 + (i + 5) * 3 + in[i] + 1;
  });
  check("helper_takes_the_address", [](const Ints& in, Ints& out, int s, int n) {
    const auto first = [&](int i) { return (in[i] & 0xffff) * 2 + n; };
    for (int i = 0; i < s; ++i) out[i] = (first(i) * 2 + first(s - 1 - i)) * 2 + i;
  });
}

TEST_P(PrivateTest, NamesThatShadowOthersKeepApart) {
  check("shadowed_names", [](const Ints& in, Ints& out, int s, int n) {
    const auto inner = [&](int i) { return in[i] * 3 + n; };
    const auto sum = [&](int i) { return inner(i) + in[(i + 1) % s]; };
    for (int i = 0; i < s; ++i) out[i] = sum(s - 1 - i) + inner(i) + n * (n - 1) / 2 + in[i];
  });
  check("name_of_itself", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) {
      // The inner x begins at the outer y; the inner y is one more and stays; x runs to y + 1.
      out[i] = (n + 2) + in[(i + 1) % s] + (n + 1) + in[i];
    }
  });
}

TEST_P(PrivateTest, StructsAndVectorsAreCarriedWhole) {
  check("struct_across", [](const Ints& in, Ints& out, int s, int n) {
    const auto second = [&](int i) { return 2 * n + in[(i + 1) % s]; };
    for (int i = 0; i < s; ++i) {
      int bytes[3] = {1, 2, 3};
      bytes[i % 3] = 9;
      out[i] = in[i] + n + second(i) + bytes[0] + bytes[1] * 2 + bytes[2] * 3 + 1 + second(s - 1 - i);
    }
  });
  check("vector_across", [](const Ints& in, Ints& out, int s, int n) {
    std::vector<Ints> v(s);
    for (int i = 0; i < s; ++i) {
      const int other = in[(i + 1) % s] + 1;
      const Ints w = {in[i], other, i + 1, 1};
      v[i] = {w[0] + w[3], w[1] + w[2], w[2] + w[1], w[3] + w[0]};
    }
    for (int i = 0; i < s; ++i) {
      const int last = v[i][3] * v[s - 1 - i][1];
      out[i] = v[i][0] + 3 * v[i][1] + 5 * v[i][2] + 7 * last + i + 2 + 3 + n;
    }
  });
  check("qualified_and_many_types", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) {
      const int odd = in[i] & 1;
      out[i] = odd + in[i] + n + 1 + (in[i] & 1023) + 2 * (odd != 0 ? 1 : 2);
    }
  });
}

TEST_P(PrivateTest, UniformVariablesChangeBetweenBarriers) {
  check("uniform_counter", [](const Ints& in, Ints& out, int s, int n) {
    int rounds = n + 1, step = 1, sum = 0;
    for (; step < s; step *= 2) ++rounds;
    rounds += step;
    for (int i = 0; i < s; ++i) {
      sum += in[i] & 0xff;
      out[i] = sum + rounds * 10000;
    }
  });
  check("swapped_local_pointers", [](const Ints& in, Ints& out, int s, int n) {
    int sum = 0;
    for (int i = 0; i < s; ++i) {
      sum += in[i] & 0xffff;
      out[i] = sum + n;
    }
  });
}

TEST_P(PrivateTest, LocalVariablesBelongToTheGroup) {
  check("local_variables", [](const Ints& in, Ints& out, int s, int n) {
    const int least = *std::min_element(in.begin(), in.end());
    for (int i = 0; i < s; ++i) out[i] = n + least + in[0] * 3 + in[s - 1];
  });
}

}  // namespace
}  // namespace rttest
