// Dynamic programming: tables filled by diagonals and rows. Scores are integers, or eighths that float adds without an error.
#include <algorithm>

#include "kernel_case.h"

namespace sixty {
namespace {

std::vector<std::uint8_t> letters(std::size_t count, std::uint32_t seed, std::uint32_t alphabet) {
  std::vector<std::uint8_t> result;
  for (std::uint32_t value : integers(count, seed, alphabet)) result.push_back(static_cast<std::uint8_t>('a' + value));
  return result;
}

// nw_diagonal --------------------------------------------------------------------------------------------------------------

struct PairSizes {
  std::size_t pairs, rows, columns;
};
PairSizes nwSizes(std::size_t scale) { return scale == 0 ? PairSizes{3, 13, 9} : PairSizes{16, 96, 80}; }
constexpr std::int32_t kGap = 2;

Case nwCase(std::size_t scale) {
  const PairSizes sizes = nwSizes(scale);
  const auto rows = static_cast<std::int32_t>(sizes.rows), columns = static_cast<std::int32_t>(sizes.columns);
  Case result;
  result.buffers = {input(letters(sizes.pairs * sizes.rows, 81, 4)), input(letters(sizes.pairs * sizes.columns, 82, 4)),
                    output(std::vector<std::int32_t>(sizes.pairs * (sizes.rows + 1) * (sizes.columns + 1), 999))};
  const Sizes3 group = scale == 0 ? Sizes3{5, 1, 1} : Sizes3{32, 1, 1};
  result.launches.push_back(over("nw_border", {std::max(sizes.rows, sizes.columns) + 1, sizes.pairs, 1}, group,
                                 {buffer(2), scalar(rows), scalar(columns), scalar(kGap)}));
  for (std::int32_t diagonal = 2; diagonal <= rows + columns; ++diagonal) {
    result.launches.push_back(
        over("nw_diagonal", {sizes.rows, sizes.pairs, 1}, group,
             {buffer(0), buffer(1), buffer(2), scalar(diagonal), scalar(rows), scalar(columns), scalar(kGap)}));
  }
  return result;
}

void nwReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const PairSizes sizes = nwSizes(scale);
  const std::size_t pitch = sizes.columns + 1;
  for (std::size_t pair = 0; pair < sizes.pairs; ++pair) {
    const std::uint8_t* a = data<std::uint8_t>(buffers[0]) + pair * sizes.rows;
    const std::uint8_t* b = data<std::uint8_t>(buffers[1]) + pair * sizes.columns;
    std::int32_t* table = data<std::int32_t>(buffers[2]) + pair * (sizes.rows + 1) * pitch;
    for (std::size_t row = 0; row <= sizes.rows; ++row) {
      for (std::size_t column = 0; column <= sizes.columns; ++column) {
        std::int32_t& cell = table[row * pitch + column];
        if (row == 0 || column == 0) {
          cell = -kGap * static_cast<std::int32_t>(row + column);
          continue;
        }
        cell = std::max({table[(row - 1) * pitch + column - 1] + (a[row - 1] == b[column - 1] ? 3 : -2),
                         table[(row - 1) * pitch + column] - kGap, table[row * pitch + column - 1] - kGap});
      }
    }
  }
}

// lcs_group ----------------------------------------------------------------------------------------------------------------

PairSizes lcsSizes(std::size_t scale) { return scale == 0 ? PairSizes{3, 13, 19} : PairSizes{16, 120, 100}; }

Case lcsCase(std::size_t scale) {
  const PairSizes sizes = lcsSizes(scale);
  const std::size_t group = scale == 0 ? 7 : 64;
  Case result;
  result.buffers = {input(letters(sizes.pairs * sizes.rows, 83, 5)), input(letters(sizes.pairs * sizes.columns, 84, 5)),
                    output(std::vector<std::uint32_t>(sizes.pairs))};
  result.launches = {over("lcs_group", {sizes.pairs * group, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(static_cast<std::uint32_t>(sizes.rows)),
                           scalar(static_cast<std::uint32_t>(sizes.columns)), local(3 * (sizes.rows + 1) * 2)})};
  return result;
}

void lcsReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const PairSizes sizes = lcsSizes(scale);
  for (std::size_t pair = 0; pair < sizes.pairs; ++pair) {
    const std::uint8_t* a = data<std::uint8_t>(buffers[0]) + pair * sizes.rows;
    const std::uint8_t* b = data<std::uint8_t>(buffers[1]) + pair * sizes.columns;
    std::vector<std::vector<std::uint32_t>> table(sizes.rows + 1, std::vector<std::uint32_t>(sizes.columns + 1, 0));
    for (std::size_t i = 1; i <= sizes.rows; ++i) {
      for (std::size_t j = 1; j <= sizes.columns; ++j)
        table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
    }
    data<std::uint32_t>(buffers[2])[pair] = table[sizes.rows][sizes.columns];
  }
}

// knapsack -----------------------------------------------------------------------------------------------------------------

struct Things {
  std::vector<std::int32_t> weights, values;
  std::int32_t capacities;
};

Things things(std::size_t scale) {
  Things result;
  const std::size_t number = scale == 0 ? 5 : 24;
  for (std::uint32_t weight : integers(number, 85, scale == 0 ? 20 : 3000))
    result.weights.push_back(static_cast<std::int32_t>(weight) + 1);
  for (std::uint32_t value : integers(number, 86, 50)) result.values.push_back(static_cast<std::int32_t>(value) + 1);
  result.capacities = scale == 0 ? 53 : 40000;
  return result;
}

Case knapsackCase(std::size_t scale) {
  const Things all = things(scale);
  const auto capacities = static_cast<std::size_t>(all.capacities);
  const Sizes3 items = {capacities, 1, 1}, group = {scale == 0 ? 17u : 128u, 1, 1};
  const std::size_t number = all.weights.size();
  Case result;  // two rows in turn; the last one is compared
  result.buffers = {input(std::vector<std::int32_t>(capacities, -5)), input(std::vector<std::int32_t>(capacities, -5)),
                    output(std::vector<std::uint8_t>(number * capacities, 9))};
  result.buffers[number % 2].checked = true;
  result.launches.push_back(over("knapsack_start", items, group, {buffer(0), scalar(all.capacities)}));
  for (std::size_t i = 0; i < number; ++i) {
    result.launches.push_back(over("knapsack", items, group,
                                   {buffer(i % 2), buffer((i + 1) % 2), buffer(2), scalar(all.weights[i]),
                                    scalar(all.values[i]), scalar(static_cast<std::int32_t>(i)), scalar(all.capacities)}));
  }
  return result;
}

void knapsackReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Things all = things(scale);
  const auto capacities = static_cast<std::size_t>(all.capacities);
  std::vector<std::int32_t> best(capacities, 0);
  for (std::size_t i = 0; i < all.weights.size(); ++i) {
    const auto weight = static_cast<std::size_t>(all.weights[i]);
    for (std::size_t capacity = capacities; capacity-- > 0;) {  // downwards: a thing is taken once
      const bool better = capacity >= weight && best[capacity - weight] + all.values[i] > best[capacity];
      if (better) best[capacity] = best[capacity - weight] + all.values[i];
      data<std::uint8_t>(buffers[2])[i * capacities + capacity] = better ? 1 : 0;
    }
  }
  std::copy(best.begin(), best.end(), data<std::int32_t>(buffers[all.weights.size() % 2]));
}

// viterbi ------------------------------------------------------------------------------------------------------------------

struct ViterbiSizes {
  std::size_t states, symbols, length, sequences;
};
ViterbiSizes viterbiSizes(std::size_t scale) { return scale == 0 ? ViterbiSizes{5, 3, 9, 3} : ViterbiSizes{32, 16, 48, 48}; }

// Eighths from -8 to 0: sums are exact, and equal ones are frequent, so that the order of the comparisons counts.
std::vector<float> eighths(std::size_t count, std::uint32_t seed) {
  std::vector<float> result;
  for (std::uint32_t value : integers(count, seed, 65)) result.push_back(static_cast<float>(value) / -8.0f);
  return result;
}

Case viterbiCase(std::size_t scale) {
  const ViterbiSizes sizes = viterbiSizes(scale);
  const std::size_t observations = sizes.sequences * sizes.length;
  std::vector<std::uint8_t> observed;
  for (std::uint32_t value : integers(observations, 87, static_cast<std::uint32_t>(sizes.symbols)))
    observed.push_back(static_cast<std::uint8_t>(value));
  Case result;
  result.buffers = {input(eighths(sizes.states * sizes.states, 88)),
                    input(eighths(sizes.states * sizes.symbols, 89)),
                    input(observed),
                    input(std::vector<std::uint8_t>(observations * sizes.states)),
                    output(std::vector<std::int32_t>(observations, -1)),
                    output(std::vector<float>(sizes.sequences))};
  result.launches = {
      over("viterbi", {sizes.sequences * sizes.states, 1, 1}, {sizes.states, 1, 1},
           {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), buffer(5), scalar(static_cast<std::uint32_t>(sizes.symbols)),
            scalar(static_cast<std::uint32_t>(sizes.length)), local(4 * sizes.states), local(4 * sizes.states)})};
  return result;
}

void viterbiReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const ViterbiSizes sizes = viterbiSizes(scale);
  const float* transition = data<float>(buffers[0]);
  const float* emission = data<float>(buffers[1]);
  for (std::size_t sequence = 0; sequence < sizes.sequences; ++sequence) {
    const std::uint8_t* observed = data<std::uint8_t>(buffers[2]) + sequence * sizes.length;
    std::vector<std::vector<double>> score(sizes.length, std::vector<double>(sizes.states));
    std::vector<std::vector<std::size_t>> back(sizes.length, std::vector<std::size_t>(sizes.states));
    for (std::size_t t = 0; t < sizes.length; ++t) {
      for (std::size_t state = 0; state < sizes.states; ++state) {
        double best = 0;
        for (std::size_t from = 0; t > 0 && from < sizes.states; ++from) {
          const double candidate = score[t - 1][from] + static_cast<double>(transition[from * sizes.states + state]);
          if (from > 0 && candidate <= best) continue;
          best = candidate;
          back[t][state] = from;
        }
        score[t][state] = best + static_cast<double>(emission[state * sizes.symbols + observed[t]]);
      }
    }
    const std::vector<double>& last = score.back();
    auto at = static_cast<std::size_t>(std::max_element(last.begin(), last.end()) - last.begin());
    data<float>(buffers[5])[sequence] = static_cast<float>(last[at]);
    for (std::size_t t = sizes.length; t-- > 0; at = back[t][at])
      data<std::int32_t>(buffers[4])[sequence * sizes.length + t] = static_cast<std::int32_t>(at);
  }
}

}  // namespace

std::vector<Kernel> dynamicKernels() {
  return {
      {"nw_diagonal", "dynamic", "nw_diagonal.cl", "", nwCase, nwReference},
      {"lcs_group", "dynamic", "lcs_group.cl", "", lcsCase, lcsReference},
      {"knapsack", "dynamic", "knapsack.cl", "", knapsackCase, knapsackReference},
      {"viterbi", "dynamic", "viterbi.cl", "", viterbiCase, viterbiReference},
  };
}

}  // namespace sixty
