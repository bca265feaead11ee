// Dependencies of graphs of many shapes, from wholly sequential to wholly parallel: what a plan has to cope with. Each shape is
// a function of the number of nodes alone. Used by bench_growth and by the tests of src/graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace bench {

using Dependencies = std::vector<std::vector<uint32_t>>;  // for each node the earlier ones that it waits for

struct GraphShape {
  const char* name;
  Dependencies (*make)(uint32_t count);
};

namespace shapes {

template <class Add>
Dependencies each(uint32_t count, Add add) {
  Dependencies result(count);
  for (uint32_t i = 0; i < count; ++i) {
    add(i, result[i]);
    std::sort(result[i].begin(), result[i].end());
    result[i].erase(std::unique(result[i].begin(), result[i].end()), result[i].end());
  }
  return result;
}

// As a capture of `streams` streams gives it, which wait for each other's newest node once in eight times.
inline Dependencies streams(uint32_t count, uint32_t streams) {
  std::mt19937 random(1);
  return each(count, [&](uint32_t i, std::vector<uint32_t>& before) {
    if (i >= streams) before.push_back(i - streams);
    if (i >= streams && random() % 8 == 0) before.push_back(i - 1 - static_cast<uint32_t>(random() % streams));
  });
}

inline Dependencies chains(uint32_t count, uint32_t chains) {
  return each(count, [=](uint32_t i, std::vector<uint32_t>& before) {
    if (i >= chains) before.push_back(i - chains);
  });
}

// Each waits for `reads` of the last `reach` nodes.
inline Dependencies random(uint32_t count, uint32_t reach, uint32_t reads) {
  std::mt19937 random(2);
  return each(count, [&](uint32_t i, std::vector<uint32_t>& before) {
    for (uint32_t k = 0; k < reads && i != 0; ++k) {
      before.push_back(i - 1 - static_cast<uint32_t>(random() % std::min(i, reach)));
    }
  });
}

// Layers of `width` nodes, each of which waits for `reads` nodes of the layer before.
inline Dependencies layers(uint32_t count, uint32_t width, uint32_t reads) {
  return each(count, [=](uint32_t i, std::vector<uint32_t>& before) {
    const uint32_t first = i / width * width;
    for (uint32_t k = 0; k < reads && first != 0; ++k) before.push_back(first - width + (i + k * k) % width);
  });
}

// A node, `width` nodes after it, a node after all of these, and so on.
inline Dependencies diamonds(uint32_t count, uint32_t width) {
  return each(count, [=](uint32_t i, std::vector<uint32_t>& before) {
    const uint32_t joint = i / (width + 1) * (width + 1);
    if (i != joint) {
      before.push_back(joint);
    } else {
      for (uint32_t k = i < width ? 0 : i - width; k < i; ++k) before.push_back(k);
    }
  });
}

}  // namespace shapes

inline constexpr GraphShape kGraphShapes[] = {
    {"line", [](uint32_t count) { return shapes::chains(count, 1); }},
    {"four_streams", [](uint32_t count) { return shapes::streams(count, 4); }},
    {"64_streams", [](uint32_t count) { return shapes::streams(count, 64); }},
    {"1000_chains", [](uint32_t count) { return shapes::chains(count, 1000); }},
    {"apart", [](uint32_t count) { return Dependencies(count); }},
    {"fan", [](uint32_t count) { return shapes::diamonds(count, count - 2); }},
    {"diamonds", [](uint32_t count) { return shapes::diamonds(count, 8); }},
    {"tree",
     [](uint32_t count) {
       return shapes::each(count, [](uint32_t i, std::vector<uint32_t>& before) {
         if (i != 0) before.push_back((i - 1) / 2);
       });
     }},
    {"reduction",
     [](uint32_t count) {
       return shapes::each(count, [count](uint32_t i, std::vector<uint32_t>& before) {
         const uint32_t leaves = count / 2 + 1;  // the rest joins two each
         if (i >= leaves) before = {2 * (i - leaves), 2 * (i - leaves) + 1};
       });
     }},
    {"layers", [](uint32_t count) { return shapes::layers(count, 100, 3); }},
    {"full_layers",
     [](uint32_t count) {
       return shapes::each(count, [](uint32_t i, std::vector<uint32_t>& before) {
         for (uint32_t k = i / 32 * 32, first = k < 32 ? k : k - 32; k > first; --k) before.push_back(k - 1);
       });
     }},
    {"random_near", [](uint32_t count) { return shapes::random(count, 64, 3); }},
    {"random_far", [](uint32_t count) { return shapes::random(count, UINT32_MAX, 3); }},
};

}  // namespace bench
