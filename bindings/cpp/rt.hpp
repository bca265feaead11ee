// SPDX-License-Identifier: Apache-2.0
//
// rt.hpp - manyrt for C++17 and later, header only, over the C interface rt.h. Namespace rt.
//
//   auto context = rt::Context::create(rt::Device::byName("cpu"));
//   auto stream = rt::Stream::create(context);
//   auto x = rt::Buffer<float>::create(1000, context);
//
// Owners (Context, Stream, Event, Fence, MemPool, Module, Kernel, Graph, CapturePlan, GraphExec, Buffer) can be moved and not
// copied; their end destroys the object without waiting for its work. References (Device, ContextRef, StreamRef ...) are
// handles that are copied freely and own nothing; an owner converts to its reference.
//
// Every call throws rt::Error or, with rt::noThrow as its last argument, returns rt::Result<T>. Where the compiler has no
// exceptions, every call returns rt::Result<T>. The page docs/bindings/cpp.md has the rest.
#ifndef MANYRT_RT_HPP_
#define MANYRT_RT_HPP_

#if defined(__has_include)
#if !__has_include(<rt.h>)
#error "rt.hpp needs rt.h of manyrt: install the Debian package libmanyrt-dev and add what `pkg-config --cflags manyrt` prints"
#endif
#endif

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "rt.hpp needs C++17: compile with -std=c++17 or later"
#endif

#include "rt/context.hpp"
#include "rt/device.hpp"
#include "rt/error.hpp"
#include "rt/graph.hpp"
#include "rt/handle.hpp"
#include "rt/kernel.hpp"
#include "rt/library.hpp"
#include "rt/memory.hpp"
#include "rt/runtime.hpp"
#include "rt/span.hpp"
#include "rt/stream.hpp"
#include "rt/trace.hpp"

#endif  // MANYRT_RT_HPP_
