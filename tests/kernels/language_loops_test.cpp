// language/barriers_loops.cl: loops with barriers inside. The references run the items of a group in turn, step by step.
#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class LoopTest : public BarrierTest {
 protected:
  void SetUp() override {
    BarrierTest::SetUp();
    build("language/barriers_loops.cl");
  }
  static Ints low(const Ints& in) {
    Ints x = in;
    for (int& value : x) value &= 0xfff;
    return x;
  }
  // x[i] = f(i, x of the item that `other` names): what one write, barrier, read, barrier does.
  template <typename Other, typename Step>
  static void step(Ints& x, const Other& other, const Step& f) {
    const Ints before = x;
    for (size_t i = 0; i < x.size(); ++i) {
      const int index = static_cast<int>(i);
      x[i] = f(index, before[static_cast<size_t>(other(index))]);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, LoopTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(LoopTest, ForLoopsRunAsOftenAsTheArgumentSays) {
  check("for_loop", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < n; ++k) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + other + k; });
    }
    out = x;
  });
  check("several_loop_variables", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int a = 0, b = n + 3; a < b; ++a, --b) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + ((other + a) * (b - a) & 0xff); });
    }
    out = x;
  });
  check("counter_changed_in_the_body", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    int k = 1;
    for (; k < 50; ++k) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + (other & 15); });
      k += k + n;
    }
    for (int i = 0; i < s; ++i) out[i] = x[i] * 2 + k;
  });
  check("first_expression_changes_the_variable", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    int stride = 16 * n + 64;
    for (int& value : x) value += stride;
    for (stride >>= 1; stride > 0; stride >>= 1) {
      step(
          x, [&](int i) { return (i + stride) % s; }, [&](int i, int other) { return x[i] + (other & 15); });
    }
    int k = n;
    for (k += 3; k < 12; ++k) {
      step(
          x, [&](int i) { return s - 1 - i; }, [&](int i, int other) { return x[i] + (other & 7) * k; });
    }
    for (int i = 0; i < s; ++i) out[i] = x[i] + k;
  });
  check("unrolled", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < 4; ++k) {
      step(
          x, [&](int i) { return s - 1 - i; }, [&](int i, int other) { return x[i] + (other & 7); });
    }
    for (int i = 0; i < s; ++i) out[i] = x[i] - n;
  });
}

TEST_P(LoopTest, LoopsNest) {
  check("nested_loops", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < n; ++k) {
      Ints inner(s, 0);
      for (int m = k; m < n; m += 2) {
        const Ints before = inner;
        for (int i = 0; i < s; ++i) inner[i] += (x[s - 1 - i] + before[s - 1 - i]) & 0xff;
      }
      for (int i = 0; i < s; ++i) x[i] = (x[i] + inner[i] * k) & 0xffff;
    }
    out = x;
  });
  check("only_the_inner_loop_has_it", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < 2 * n; ++k) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return (x[i] * 3 + other) & 0xffff; });
    }
    out = x;
  });
  check("break_of_the_inner_loop", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < 4; ++k) {
      for (int m = 0; m < k; ++m) {
        step(
            x, [&](int i) { return (i + m) % s; }, [&](int i, int other) { return (x[i] + other) & 0xffff; });
      }
      for (int& value : x) value += k * n;
    }
    out = x;
  });
  check("inner_loop_of_each_item", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) {
      int sum[2] = {0, 0};
      for (int k = 0; k < n; ++k) {
        for (int m = 0; m <= (x[i] & 3); ++m) {
          if (m != 2) sum[m & 1] += x[(i + m) % s] + k;
        }
      }
      out[i] = sum[0] - sum[1];
    }
  });
}

TEST_P(LoopTest, ConditionsMayComeFromLocalAndGlobalMemory) {
  check("while_on_local_memory", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    int left = n;
    for (; left > 0; left -= 2) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + other + left; });
    }
    for (int i = 0; i < s; ++i) out[i] = x[i] + left;
  });
  check("trip_count_from_global_memory", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    const int trips = (in[0] & 3) + n;
    for (int k = 0; k < trips; ++k) {
      step(
          x, [&](int i) { return (i + k) % s; }, [&](int i, int other) { return (x[i] + other) & 0xfffff; });
    }
    out = x;
  });
  check("halving", [](const Ints& in, Ints& out, int s, int n) {
    int sum = 0;
    for (int value : low(in)) sum += value;
    out.assign(s, sum + n);
  });
}

TEST_P(LoopTest, WhileDoAndEndlessLoopsEnd) {
  check("do_while", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    int k = n;
    do {
      step(
          x, [&](int i) { return s - 1 - i; }, [&](int i, int other) { return x[i] + other + k; });
    } while (--k > 0);
    for (int i = 0; i < s; ++i) out[i] = x[i] + k;
  });
  check("endless_for", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    const int trips = n < 1 ? 1 : n;
    for (int k = 0; k < trips; ++k) {
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + (other >> 1); });
    }
    for (int i = 0; i < s; ++i) out[i] = x[i] + trips;
  });
  check("body_is_the_barrier_alone", [](const Ints& in, Ints& out, int s, int) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) out[i] = x[(i + 1) % s] - 1;
  });
}

TEST_P(LoopTest, BreakContinueAndReturnLeaveTheLoopTheyStandIn) {
  check("break_and_continue", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < 10; ++k) {
      if (k == 2) continue;
      if (k == n) break;
      if ((k & 1) != 0) {
        for (int& value : x) value ^= k;
        continue;
      }
      step(
          x, [&](int i) { return (i + 1) % s; }, [&](int i, int other) { return x[i] + (other * (k + 1) & 0xff); });
      if (k > 6) break;
    }
    out = x;
  });
  check("return_from_a_loop", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k <= n; ++k) {
      step(
          x, [&](int i) { return s - 1 - i; }, [&](int i, int other) { return x[i] + ((other + k) & 0x3f); });
    }
    out = x;
  });
}

TEST_P(LoopTest, VariablesOfTheBodyAreNewInEachRound) {
  check("declared_in_the_body", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    for (int k = 0; k < n; ++k) {
      Ints last(s);
      for (int i = 0; i < s; ++i) last[i] = x[(i + 1) % s] * 2 + x[i] - x[i] * 2;
      for (int i = 0; i < s; ++i) x[i] = (last[i] + last[s - 1 - i] + k) & 0xfff;
    }
    out = x;
  });
  check("accumulates_in_vectors", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    for (int i = 0; i < s; ++i) {
      int sum[4] = {0, 0, 0, 0};
      for (int k = 0; k < n; ++k) {
        const int a = sum[0] + x[i] + k, b = sum[1] + x[(i + 1) % s] + k;
        sum[0] = b;
        sum[1] = a;
        sum[2] += k;
        sum[3] += 1;
      }
      out[i] = sum[0] + 3 * sum[1] + 5 * sum[2] + 7 * sum[3];
    }
  });
}

TEST_P(LoopTest, NamesMayBeUsedAgainForOtherValues) {
  check("names_used_again", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    Ints sums(s);
    for (int i = 0; i < s; ++i) {
      int sum = x[(i + 1) % s];
      for (int k = 0; k < n; ++k) {
        const int product = x[i] * k;
        if (product & 1) continue;
        sum += product;
        sum ^= sum >> 3;
      }
      sums[i] = sum;
    }
    for (int i = 0; i < s; ++i) {
      int k = 1;
      while (k < 5 && (sums[((i + n) % s + k) % s] & 3) != 0) ++k;
      int sum = k < 5 ? k : sums[i], t = k;
      const int at = k < 5 ? k : n;
      if ((at & 3) == 0) t = 40;
      if ((at & 3) <= 1) sum += t;
      if ((at & 3) > 1) t = 7;
      out[i] = sum + 3 * t + 5 * at;
    }
  });
}

TEST_P(LoopTest, OneItemMayActForItsGroup) {
  check("one_item_by_itself", [](const Ints& in, Ints& out, int s, int n) {
    Ints x = low(in);
    int first = 0;
    for (const int value : x) first = (first * 3 + value) & 0xffff;
    for (int& value : x) value = (value + first) & 0xfff;
    first = x[0] * n;
    for (int& value : x) value ^= first & 0xff;
    if (n > 2) first = x[0] + 5;
    for (int& value : x) value ^= first & 0x1ff;
    first = x[0] - 7;
    for (int& value : x) value += first & 0x3f;
    size_t at = 0;
    for (size_t k = 1; k < in.size(); ++k) at = in[k] > in[at] ? k : at;
    for (int i = 0; i < s; ++i) out[i] = x[i] + static_cast<int>(at) + (i % 2 == 0 ? i : 0);
  });
}

TEST_P(LoopTest, NumbersAreCutToFewerBits) {
  check("cut_to_fewer_bits", [](const Ints& in, Ints& out, int s, int n) {
    const Ints x = low(in);
    Ints scratch(s);
    for (int i = 0; i < s; ++i) {
      scratch[i] = ((x[i] << 7) & 0xff) > 100 ? x[i] - 5000 : static_cast<int>(static_cast<uint32_t>(x[i] * 0x7fffffffll));
    }
    for (int i = 0; i < s; ++i) {
      const uint32_t a = static_cast<uint32_t>(i) * static_cast<uint32_t>(x[i] + n);
      const auto b = static_cast<uint8_t>(x[i] * 3 + (x[i] << 4) - static_cast<uint8_t>(n));
      const auto c = static_cast<int16_t>(static_cast<int64_t>(x[i]) * -x[i]);
      const auto d = static_cast<uint16_t>(40000 + x[i]);
      const auto e = static_cast<uint8_t>(static_cast<uint8_t>(200 ^ (x[i] | 0x100)) * static_cast<int>(a & 0xff));
      const auto f = static_cast<int8_t>(-(~(x[i] & 0x1ff)));
      out[i] = static_cast<int>(a * 31) + b * 7 + c + d + e * 1000 + f + scratch[s - 1 - i];
    }
  });
}

}  // namespace
}  // namespace rttest
