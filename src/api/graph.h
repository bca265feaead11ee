// Shared by the functions that make graphs: opens the program's handle of a complete graph.
#pragma once

#include "graph/model/graph.h"

namespace manyrt::api {

Status publish(rtGraph_t* out, const Ref<graph::Graph>& made);  // on failure the handles of its parts are closed

}  // namespace manyrt::api
