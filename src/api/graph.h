// What the functions that make graphs share: the one step from a graph that is complete to a handle of the program.
#pragma once

#include "graph/model/graph.h"

namespace manyrt::api {

Status publish(rtGraph_t* out, const Ref<graph::Graph>& made);  // without a handle of its own its parts have none either

}  // namespace manyrt::api
