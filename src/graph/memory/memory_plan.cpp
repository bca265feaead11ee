// Largest first and best fit; where that takes more than a lower bound, a local search over the order of placing, and for many
// temporaries other orders and ejection. The first table shows how many bytes of the block each heuristic gained over the
// first. Its graphs were captured from one stream: there plans of few temporaries are hardest.
//
//   graph                            temporaries   largest first  + four orders  + local search  + search for packings
//   digits step, 32 and 256 images             5   = peak         0 %            0 %             0 %
//   transformer block, both attentions   15 to 16  = peak         0 %            0 %             0 %
//   GPT-2 and Llama, 12 and 16 layers  158 to 228  = peak         0 %            0 %             0 %
//   the same, a step of training        36 to 308  = peak         0 %            0 %             0 %
//   ResNet-50, inference and training  122 to 244  = peak         0 %            0 %             0 %
//   mixture of experts, 8 layers              401  1.015 peak     0.4 %          1.3 %           0.2 %
//   U-Net with attention                      263  1.041 peak     0 %            4.0 %           0 %
//   Inception, 9 modules                       85  1.044 peak     0 %            4.2 %           0 %
//
// So the local search stayed, and the other two went: they gained under 2 percent on every one of them. The second table has
// graphs of 10,000 temporaries, for which that search is too slow. Bytes of the block are multiples of the heaviest clique.
//
//   graph                        largest first   by conflicts   backwards   ejection
//   a line of pairs                      1.365          1.365       1.430      1.000
//   four streams                         1.297          1.117       1.190      1.044
//   64 streams                           1.953          1.393       1.473      1.393
//   layers of 100                        2.182          1.890       1.469      1.467
//   random, 3 of the last 64             1.011          1.008       1.006      1.006
#include "graph/memory/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "graph/memory/clique.h"
#include "graph/memory/interference.h"
#include "graph/memory/placement.h"
#include "graph/memory/sequence.h"

namespace manyrt::graph {

namespace {

constexpr size_t kMostVertices = 16'384;  // with two bits for each pair: 100 MB

struct Found {
  Placement placement;
  uint64_t least;
};

// `placement` came of placeLargestFirst and is above `least`, which may be short of the heaviest clique.
void search(Found* found, const InterferenceGraph& graph) {
  Placement& best = found->placement;
  found->least = std::max(found->least, graph.sumOf(heaviestClique(graph)));
  improve(&best, found->least, graph);
  for (Placement (*place)(const InterferenceGraph&) : {placeByConflicts, placeBackwards}) {
    if (best.bytes <= found->least) return;
    if (Placement other = place(graph); other.bytes < best.bytes) best = std::move(other);
  }
  squeeze(&best, found->least, graph);
}

// Components conflict as wholes: each has a range of bytes for itself, which nothing makes smaller.
void searchComponents(Found* found, const InterferenceGraph& graph, const std::vector<std::vector<uint32_t>>& components) {
  Placement whole{std::vector<uint64_t>(graph.count()), 0};
  uint64_t least = 0;
  for (const std::vector<uint32_t>& vertices : components) {
    const InterferenceGraph part(graph, vertices);
    Found one{placeLargestFirst(part), mostLiveInSequence(part)};
    if (one.placement.bytes > one.least) search(&one, part);
    for (uint32_t i = 0; i < vertices.size(); ++i) whole.offset[vertices[i]] = whole.bytes + one.placement.offset[i];
    whole.bytes += one.placement.bytes;
    least += one.least;
  }
  found->least = std::max(found->least, least);
  if (whole.bytes < found->placement.bytes) found->placement = std::move(whole);
}

// The parts of a graph that nothing connects, neither a dependency nor a temporary, by step.
std::vector<uint32_t> partsOf(const std::vector<Temporary>& temporaries, const Before& before, uint32_t* count) {
  std::vector<uint32_t> parent(before.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](uint32_t step) {
    while (parent[step] != step) step = parent[step] = parent[parent[step]];
    return step;
  };
  const auto join = [&](uint32_t a, uint32_t b) {  // the earlier step is the root
    a = root(a);
    b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (uint32_t i = 0; i < before.size(); ++i) {
    for (uint32_t first : before[i]) join(first, i);
  }
  for (const Temporary& each : temporaries) {
    for (uint32_t user : each.users) join(each.users.front(), user);
  }
  *count = 0;
  std::vector<uint32_t> part(before.size());
  for (uint32_t i = 0; i < before.size(); ++i) part[i] = root(i) == i ? (*count)++ : part[root(i)];
  return part;
}

// Parts are planned by themselves, each with a range of bytes of its own. False: there is but one.
bool planParts(MemoryPlan* plan, const std::vector<Temporary>& temporaries, const Before& before) {
  struct Part {
    std::vector<uint32_t> numbers;  // of its temporaries
    std::vector<Temporary> temporaries;
    Before before;
  };
  uint32_t count = 0;
  const std::vector<uint32_t> part_of = partsOf(temporaries, before, &count);
  if (count == 1) return false;
  std::vector<Part> parts(count);
  std::vector<uint32_t> place(before.size());  // of a step in its part
  for (uint32_t i = 0; i < before.size(); ++i) {
    Before& steps = parts[part_of[i]].before;
    place[i] = static_cast<uint32_t>(steps.size());
    steps.emplace_back();
    for (uint32_t first : before[i]) steps.back().push_back(place[first]);
  }
  for (uint32_t i = 0; i < temporaries.size(); ++i) {
    if (temporaries[i].users.empty()) continue;
    Part& part = parts[part_of[temporaries[i].users.front()]];
    part.numbers.push_back(i);
    part.temporaries.push_back({temporaries[i].size, {}});
    for (uint32_t user : temporaries[i].users) part.temporaries.back().users.push_back(place[user]);
  }
  for (const Part& part : parts) {
    const MemoryPlan one = planMemory(part.temporaries, part.before);
    for (uint32_t i = 0; i < part.numbers.size(); ++i) plan->offsets[part.numbers[i]] = plan->bytes + one.offsets[i];
    plan->bytes += one.bytes;
    plan->peak += one.peak;
  }
  return true;
}

}  // namespace

MemoryPlan planMemory(const std::vector<Temporary>& temporaries, const Before& before) {
  MemoryPlan plan;
  plan.offsets.assign(temporaries.size(), 0);
  size_t used = 0;
  for (const Temporary& each : temporaries) {
    if (each.users.empty()) continue;
    ++used;
    plan.without_reuse += rounded(each.size);
  }
  if (used > kMostVertices) {
    if (!planParts(&plan, temporaries, before)) placeInSequence(&plan, temporaries, before);
    return plan;
  }
  const InterferenceGraph graph(temporaries, before);
  Found found{placeLargestFirst(graph), mostLiveInSequence(graph)};
  if (found.placement.bytes > found.least) {
    const std::vector<std::vector<uint32_t>> components = graph.components();
    const auto longer = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    if (std::max_element(components.begin(), components.end(), longer)->size() <= graph.count() / 2) {
      searchComponents(&found, graph, components);
    } else {
      search(&found, graph);
    }
  }
  plan.peak = found.least;
  plan.bytes = found.placement.bytes;
  for (uint32_t i = 0; i < graph.count(); ++i) plan.offsets[graph.number[i]] = found.placement.offset[i];
  return plan;
}

}  // namespace manyrt::graph
