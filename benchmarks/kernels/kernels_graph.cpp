// Kernels on graphs: steps of breadth-first search, PageRank and shortest paths, and triangles. Where a kernel needs many
// rounds, the case has as many launches as the reference needs until nothing changes, and the first launch starts afresh.
#include <algorithm>

#include "kernel_case.h"

namespace sixty {
namespace {

// A directed graph; the targets of a node are to[first[node]] to to[first[node + 1] - 1].
template <class T>
struct Graph {
  std::vector<T> first, to;
};

template <class T>
Graph<T> randomGraph(std::size_t nodes, std::uint32_t degree, std::uint32_t seed) {
  Graph<T> graph;
  const std::vector<std::uint32_t> degrees = integers(nodes, seed, 2 * degree + 1);
  graph.first.push_back(0);
  for (std::uint32_t degree_of : degrees) graph.first.push_back(graph.first.back() + static_cast<T>(degree_of));
  for (std::uint32_t target :
       integers(static_cast<std::size_t>(graph.first.back()), seed + 1, static_cast<std::uint32_t>(nodes)))
    graph.to.push_back(static_cast<T>(target));
  return graph;
}

// bfs_level ----------------------------------------------------------------------------------------------------------------

std::int32_t bfsNodes(std::size_t scale) { return scale == 0 ? 37 : 40000; }

// The depth of each node (-1: not reached), and how many levels there are.
std::vector<std::int32_t> depths(const Graph<std::int32_t>& graph, std::int32_t* levels) {
  std::vector<std::int32_t> depth(graph.first.size() - 1, -1);
  std::vector<std::int32_t> queue{0};
  depth[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto node = static_cast<std::size_t>(queue[i]);
    for (std::int32_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
      const std::int32_t other = graph.to[static_cast<std::size_t>(e)];
      if (depth[static_cast<std::size_t>(other)] >= 0) continue;
      depth[static_cast<std::size_t>(other)] = depth[node] + 1;
      queue.push_back(other);
    }
  }
  *levels = *std::max_element(depth.begin(), depth.end()) + 1;
  return depth;
}

Graph<std::int32_t> bfsGraph(std::size_t scale) {
  return randomGraph<std::int32_t>(static_cast<std::size_t>(bfsNodes(scale)), scale == 0 ? 2 : 6, 11);
}

Case bfsCase(std::size_t scale) {
  const std::int32_t nodes = bfsNodes(scale);
  const Graph<std::int32_t> graph = bfsGraph(scale);
  std::int32_t levels;
  (void)depths(graph, &levels);
  const std::size_t group = scale == 0 ? 7 : 64;
  const std::size_t items = static_cast<std::size_t>(nodes);
  Case result;
  result.buffers = {input(graph.first), input(graph.to), output(std::vector<std::int32_t>(items, 99)),
                    output(std::vector<std::int32_t>{99})};
  result.launches.push_back(
      over("bfs_start", {items, 1, 1}, {group, 1, 1}, {buffer(2), buffer(3), scalar(nodes), scalar(std::int32_t{0})}));
  for (std::int32_t level = 0; level < levels; ++level) {
    result.launches.push_back(over("bfs_level", {items, 1, 1}, {group, 1, 1},
                                   {buffer(0), buffer(1), buffer(2), buffer(3), scalar(level), scalar(nodes)}));
  }
  return result;
}

void bfsReference(std::vector<Buffer>& buffers, std::size_t scale) {
  std::int32_t levels;
  const std::vector<std::int32_t> depth = depths(bfsGraph(scale), &levels);
  std::copy(depth.begin(), depth.end(), data<std::int32_t>(buffers[2]));
  *data<std::int32_t>(buffers[3]) =
      static_cast<std::int32_t>(std::count_if(depth.begin(), depth.end(), [](std::int32_t d) { return d >= 0; }));
}

// pagerank -----------------------------------------------------------------------------------------------------------------

Case pagerankCase(std::size_t scale) {
  const std::size_t nodes = scale == 0 ? 41 : 30000;
  const Graph<std::uint32_t> graph = randomGraph<std::uint32_t>(nodes, 6, 21);
  std::vector<std::uint32_t> out_degree(nodes, 0);
  for (std::uint32_t source : graph.to) ++out_degree[source];
  const std::vector<float> start(nodes, 1.0f / static_cast<float>(nodes));
  Case result;
  result.buffers = {input(graph.first),
                    input(graph.to),
                    input(out_degree),
                    input(start),
                    output(std::vector<float>(nodes), 1e-5),
                    output(std::vector<float>(nodes), 1e-5)};
  const std::size_t group = scale == 0 ? 3 : 128;
  for (std::size_t step = 0; step < 2; ++step) {
    result.launches.push_back(
        over("pagerank", {nodes, 1, 1}, {group, 1, 1},
             {buffer(0), buffer(1), buffer(2), buffer(3 + step), buffer(4 + step), scalar(static_cast<std::uint32_t>(nodes))}));
  }
  return result;
}

void pagerankReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::uint32_t* first = data<std::uint32_t>(buffers[0]);
  const std::uint32_t* sources = data<std::uint32_t>(buffers[1]);
  const std::uint32_t* out_degree = data<std::uint32_t>(buffers[2]);
  const std::size_t nodes = count<std::uint32_t>(buffers[2]);
  std::vector<double> rank(data<float>(buffers[3]), data<float>(buffers[3]) + nodes);
  for (std::size_t step = 0; step < 2; ++step) {
    std::vector<double> next(nodes, 0.15 / static_cast<double>(nodes));
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::uint32_t e = first[node]; e < first[node + 1]; ++e)
        next[node] += 0.85 * rank[sources[e]] / static_cast<double>(out_degree[sources[e]]);
      data<float>(buffers[4 + step])[node] = static_cast<float>(next[node]);
    }
    rank = next;
  }
}

// bellman_ford -------------------------------------------------------------------------------------------------------------

constexpr std::int32_t kFar = 0x3fffffff;  // as in the kernel

std::size_t fordNodes(std::size_t scale) { return scale == 0 ? 29 : 3000; }

// From, to, weight; and again.
std::vector<std::int32_t> fordEdges(std::size_t scale) {
  const std::size_t edges = scale == 0 ? 71 : 20000;
  const auto nodes = static_cast<std::uint32_t>(fordNodes(scale));
  const std::vector<std::uint32_t> from = integers(edges, 31, nodes), to = integers(edges, 32, nodes);
  const std::vector<std::uint32_t> weight = integers(edges, 33, 20);
  std::vector<std::int32_t> result;
  for (std::size_t e = 0; e < edges; ++e) {
    result.insert(result.end(), {static_cast<std::int32_t>(from[e]), static_cast<std::int32_t>(to[e]),
                                 static_cast<std::int32_t>(weight[e] + 1)});
  }
  return result;
}

// A round takes the distances of the round before, so it gets no further than a launch, in which items may see newer ones.
std::vector<std::int32_t> distances(const std::vector<std::int32_t>& edges, std::size_t nodes, std::size_t* rounds) {
  std::vector<std::int32_t> now(nodes, kFar);
  now[0] = 0;
  for (*rounds = 0;; ++*rounds) {
    std::vector<std::int32_t> next = now;
    for (std::size_t e = 0; e < edges.size(); e += 3) {
      const std::int32_t start = now[static_cast<std::size_t>(edges[e])];
      std::int32_t& end = next[static_cast<std::size_t>(edges[e + 1])];
      if (start != kFar) end = std::min(end, start + edges[e + 2]);
    }
    if (next == now) return now;
    now = next;
  }
}

Case fordCase(std::size_t scale) {
  const std::size_t nodes = fordNodes(scale), group = scale == 0 ? 17 : 64;
  const std::vector<std::int32_t> edges = fordEdges(scale);
  const std::size_t count = edges.size() / 3;
  std::size_t rounds;
  (void)distances(edges, nodes, &rounds);
  Case result;
  result.buffers = {input(edges), output(std::vector<std::int32_t>(nodes, 1))};
  result.launches.push_back(over("bellman_ford_start", {nodes, 1, 1}, {group, 1, 1},
                                 {buffer(1), scalar(static_cast<std::uint32_t>(nodes)), scalar(std::uint32_t{0})}));
  for (std::size_t round = 0; round < rounds; ++round) {
    result.launches.push_back(
        over("bellman_ford", {count, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), scalar(static_cast<std::uint32_t>(count))}));
  }
  return result;
}

void fordReference(std::vector<Buffer>& buffers, std::size_t scale) {
  std::size_t rounds;
  const std::vector<std::int32_t> found = distances(fordEdges(scale), fordNodes(scale), &rounds);
  std::copy(found.begin(), found.end(), data<std::int32_t>(buffers[1]));
}

// triangle_count -----------------------------------------------------------------------------------------------------------

std::size_t triangleGroup(std::size_t scale) { return scale == 0 ? 5 : 64; }

Case triangleCase(std::size_t scale) {
  const std::size_t nodes = scale == 0 ? 23 : 2000;
  const std::size_t wanted = scale == 0 ? 83 : 24000;
  const std::vector<std::uint32_t> a = integers(wanted, 41, static_cast<std::uint32_t>(nodes));
  const std::vector<std::uint32_t> b = integers(wanted, 42, static_cast<std::uint32_t>(nodes));
  std::vector<std::vector<std::uint32_t>> lists(nodes);
  for (std::size_t e = 0; e < wanted; ++e) {
    if (a[e] == b[e]) continue;
    lists[a[e]].push_back(b[e]);
    lists[b[e]].push_back(a[e]);
  }
  std::vector<std::uint32_t> first{0}, neighbours, edges;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::vector<std::uint32_t>& list = lists[node];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    neighbours.insert(neighbours.end(), list.begin(), list.end());
    first.push_back(static_cast<std::uint32_t>(neighbours.size()));
    for (std::uint32_t other : list) {
      if (other > node) edges.insert(edges.end(), {node, other});
    }
  }
  const std::size_t count = edges.size() / 2, group = triangleGroup(scale);
  Case result;
  result.buffers = {input(first), input(neighbours), input(edges), output(std::vector<std::uint32_t>(count, 7)),
                    output(std::vector<std::uint32_t>(roundUp(count, group) / group, 7))};
  result.launches = {over("triangle_count", {count, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(static_cast<std::uint32_t>(count))})};
  return result;
}

void triangleReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::uint32_t* first = data<std::uint32_t>(buffers[0]);
  const std::uint32_t* neighbours = data<std::uint32_t>(buffers[1]);
  const std::uint32_t* edges = data<std::uint32_t>(buffers[2]);
  const std::size_t edge_count = count<std::uint32_t>(buffers[2]) / 2;
  std::uint32_t* group_counts = data<std::uint32_t>(buffers[4]);
  std::fill_n(group_counts, count<std::uint32_t>(buffers[4]), 0u);
  for (std::size_t e = 0; e < edge_count; ++e) {
    const std::uint32_t from = edges[2 * e], to = edges[2 * e + 1];
    std::uint32_t found = 0;
    for (std::uint32_t i = first[from]; i < first[from + 1]; ++i)
      found += std::binary_search(neighbours + first[to], neighbours + first[to + 1], neighbours[i]) ? 1 : 0;
    data<std::uint32_t>(buffers[3])[e] = found;
    group_counts[e / triangleGroup(scale)] += found;
  }
}

}  // namespace

std::vector<Kernel> graphKernels() {
  return {
      {"bfs_level", "graph", "bfs_level.cl", "", bfsCase, bfsReference},
      {"pagerank", "graph", "pagerank.cl", "", pagerankCase, pagerankReference},
      {"bellman_ford", "graph", "bellman_ford.cl", "", fordCase, fordReference},
      {"triangle_count", "graph", "triangle_count.cl", "", triangleCase, triangleReference},
  };
}

}  // namespace sixty
