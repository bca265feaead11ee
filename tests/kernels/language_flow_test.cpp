// language/barriers_flow.cl: branches, early returns, switches, gotos and helpers with barriers.
#include <algorithm>

#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class FlowTest : public BarrierTest {
 protected:
  void SetUp() override {
    BarrierTest::SetUp();
    build("language/barriers_flow.cl");
  }
  static Ints low(const Ints& in) {
    Ints x = in;
    for (int& value : x) value &= 0xfff;
    return x;
  }
  // Does what the helpers of the source do to the values of a group.
  static Ints neighbour(const Ints& x) {
    Ints result = x;
    std::rotate(result.begin(), result.begin() + 1, result.end());
    return result;
  }
  static Ints exchange(const Ints& x) { return Ints(x.rbegin(), x.rend()); }
  static int sum(const Ints& x) {
    int result = 0;
    for (int value : x) result += value;
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(, FlowTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(FlowTest, BranchesThatAllItemsTakeMayHaveBarriers) {
  check("if_and_else", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = n > 3 ? x[i] + x[(i + 1) % s] : 2 * x[i] - x[s - 1 - i];
  });
  check("else_if_chain", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in), turned = exchange(neighbour(x)), back = exchange(x);
    for (int i = 0; i < s; ++i) out[i] = n == 0 ? 1 : n == 5 ? x[i] + turned[i] : -back[i];
  });
}

TEST_P(FlowTest, AllMayReturnEarly) {
  check("all_return_early", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = n == 2 ? x[i] : n == 5 ? x[i] + x[(i + 1) % s] : 0;
  });
}

TEST_P(FlowTest, SomeMayReturnEarlyAndTheOthersGoOn) {
  check("some_return_early", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = i % 3 == 2 ? -7 : 2 * (x[i] + x[i - i % 3]) + n;
  });
  check("items_after_the_end_return", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    const int end = std::min(n, s);
    std::fill_n(out.begin(), end, sum(Ints(x.begin(), x.begin() + end)));
  });
  check("returns_between_barriers", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = exchange(low(in));
    for (int i = 0; i < s; ++i) {
      int k = 0;
      while (k < n && ((x[i] >> k) & 2) == 0) ++k;
      out[i] = (x[i] & 1) != 0 ? x[i] : k < n ? -k : x[i] + 100000;
    }
  });
}

TEST_P(FlowTest, ItemsThatEndBeforeABarrierCallNoOthersToIt) {
  check("all_that_enter_return", [](const Ints& in, Ints& out, int s, int) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = x[i] + ((i & 1) != 0 ? 5 : 1);
  });
}

TEST_P(FlowTest, WhoIsGoneAnswersNoCondition) {
  check("limit_then_mask", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < std::min(s, 3); ++i) out[i] = in[i] % 2 != 0 ? -1 : in[i] + std::max(0, in[0] % 5 + 1) + n;
  });
}

TEST_P(FlowTest, SwitchesMayHaveBarriers) {
  check("switch_with_barriers", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = n == 0 ? 0 : n == 2 ? x[i] + x[(i + 1) % s] + 10 : 2 * x[i] - x[s - 1 - i];
  });
  check("switch_in_a_loop", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < 6; ++k) {
      if (k % 3 == 2 || (k % 3 == 1 && k > n)) continue;
      const Ints other = neighbour(x);
      for (int i = 0; i < s; ++i) x[i] = (x[i] + (k % 3 == 0 ? other[i] & 7 : 2)) ^ k;
    }
    out = x;
  });
}

TEST_P(FlowTest, AfterTheLastBarrierOfALoopEachItemGoesItsOwnWay) {
  check("some_continue_after_the_barrier", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) {
      out[i] = 0;
      for (int k = 0; k < n; ++k) {
        const int other = x[(i + 1) % s] + k;
        if (other % 4 == 0) continue;
        if (other % 4 == 1) out[i] += 5;
        if ((other & 2) == 0) out[i] += other;
      }
    }
  });
  check("some_break_in_the_last_round", [](const Ints& in, Ints& out, int, int n) {
    Ints x = low(in), rounds(x.size(), n + 1);
    for (int k = 0; k <= n; ++k) {
      for (int& value : x) value += k;
      x = neighbour(x);
      for (size_t i = 0; i < x.size(); ++i) {
        if (k == n && (x[i] & 1) != 0) {
          rounds[i] = k;
        } else {
          x[i] += 100;
        }
      }
    }
    for (size_t i = 0; i < x.size(); ++i) out[i] = x[i] + rounds[i] * 10000;
  });
  check("all_break_by_local_memory", [](const Ints& in, Ints& out, int, int n) {
    const int full = std::min(n, 3);
    for (size_t i = 0; i < in.size(); ++i) out[i] = low(in)[i] + 3 * full + full * 10000;
  });
}

TEST_P(FlowTest, WhatStandsBeforeACommaHappensBeforeTheHelperAfterIt) {
  check("helper_after_a_comma", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = neighbour(low(in));
    for (int i = 0; i < s; ++i) out[i] = (x[i] + 10) ^ n;
  });
}

TEST_P(FlowTest, GotosMayLeadOverBarriers) {
  check("goto_backwards", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < std::max(n, 1); ++k) {
      const Ints other = neighbour(x);
      for (int i = 0; i < s; ++i) x[i] += other[i] & 0xff;
    }
    out = x;
  });
  check("goto_out_of_loops", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int round = 0; round <= n + 4; ++round) {
      const Ints other = exchange(x);
      for (int i = 0; i < s; ++i) x[i] += (other[i] + round % 5) & 31;
    }
    out = x;
  });
  check("goto_without_barriers_near", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) {
      int k = 0;
      while (k < s && (x[(i + k) % s] & 1) == 0) ++k;
      out[i] = (k == s ? -1 : k) + n;
    }
  });
  check("barrier_under_a_label", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = neighbour(low(in));
    for (int i = 0; i < s; ++i) out[i] = x[i] + n;
  });
}

TEST_P(FlowTest, GotosMayLeadOverDeclarations) {
  check("goto_over_declarations", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = n == 2 ? x[i] : 2 * x[i] + n;
  });
}

TEST_P(FlowTest, StepsOfABoolGoToTrueAndBack) {
  check("bools_step", [](const Ints& in, Ints& out, int s, int n) {
    // b++ leaves 1, --b of 0 leaves 1 (0 - 1 is not 0), f-- of 1 leaves 0
    for (int i = 0; i < s; ++i) out[i] = 1 + 2 * (in[i] & 1) + 4 + 8 + 32 + n;
  });
}

TEST_P(FlowTest, HelpersMayHaveBarriers) {
  check("helper_with_result", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in), y = neighbour(x), z = neighbour(y);
    for (int i = 0; i < s; ++i) out[i] = x[i] + y[i] + z[i] + n;
  });
  check("helper_of_a_helper", [](const Ints& in, Ints& out, int s, int n) { std::fill_n(out.begin(), s, sum(low(in)) + n); });
  check("helper_changes_a_private", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in), a = x, b(s, n);
    x = exchange(x);
    // Each item offers its first or its second value and receives one in the same place.
    Ints offered(s);
    for (int i = 0; i < s; ++i) offered[i] = (i & 1) != 0 ? b[i] : a[i];
    offered = exchange(offered);
    for (int i = 0; i < s; ++i) ((i & 1) != 0 ? b[i] : a[i]) = offered[i];
    a = exchange(a);
    for (int i = 0; i < s; ++i) out[i] = x[i] + a[i] * 3 + b[i];
  });
  check("helper_that_returns_early", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in), y = neighbour(x), z = exchange(y);
    for (int i = 0; i < s; ++i) out[i] = 2 * (n == 2 ? -x[i] : n > 4 ? z[i] + 1 : y[i]) + x[i];
  });
  check("helper_in_a_loop_that_breaks", [](const Ints& in, Ints& out, int, int n) {
    Ints x = low(in);
    for (int k = 0; k < 8 && k != n; ++k) {
      if (k == 1) continue;
      x = exchange(x);
      for (int& value : x) value += k;
    }
    out = x;
  });
}

TEST_P(FlowTest, HelpersWithBarriersMayStandInExpressions) {
  check("helper_in_an_expression", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in), y = neighbour(x);
    for (int i = 0; i < s; ++i) out[i] = x[i] + y[i] * 6 - ((n + (i + 1) % s) & 15);
  });
  check("helper_as_argument", [](const Ints& in, Ints& out, int s, int n) {
    const Ints y = neighbour(neighbour(low(in)));
    for (int i = 0; i < s; ++i) out[i] = y[i] + n;
  });
  check("helper_in_conditions", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    const int add = (sum(x) > 100 ? 1 : 0) + (n > 3 ? 2 : 0) + n * (n - 1) / 2;
    for (int& value : x) value += add;
    out = n > 2 ? neighbour(x) : x;
    for (int i = 0; i < s; ++i) out[i] += 1;  // 0 + 1 from the last loop
  });
}

TEST_P(FlowTest, KernelsMayCallKernels) {
  check("kernel_that_calls_a_kernel", [](const Ints& in, Ints& out, int s, int n) {
    const Ints y = neighbour(low(in));
    for (int i = 0; i < s; ++i) out[i] = y[i] * (n + 1) + 1;
  });
}

TEST_P(FlowTest, BarriersAtTheEdgesAndFencesChangeNothing) {
  check("barrier_first_and_last", [](const Ints& in, Ints& out, int s, int n) {
    for (int i = 0; i < s; ++i) out[i] = in[i] + n;
  });
  check("only_fences", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = x[i] + n;
  });
}

}  // namespace
}  // namespace rttest
