// SPDX-License-Identifier: Apache-2.0

// What launch, record and query cost from Go: overhead DEVICE CALLS RUNS.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"manyrt"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get[T any](value T, err error) T {
	must(err)
	return value
}

func measure(name string, calls int, call func()) {
	began := time.Now()
	for i := 0; i < calls; i++ {
		call()
	}
	fmt.Println(name, float64(time.Since(began).Nanoseconds())/float64(calls))
}

func main() {
	calls, runs := get(strconv.Atoi(os.Args[2])), get(strconv.Atoi(os.Args[3]))
	context := get(get(manyrt.OpenDevice(os.Args[1])).NewContext())
	stream, event, fence := get(context.NewStream(0)), get(context.NewEvent()), get(context.NewFence(0))
	data := get(manyrt.Alloc[float32](context, 64))
	kernel := get(get(context.NewModule("kernel void f(global float *x, int n, float y) { x[n] = y; }", "")).Kernel("f"))
	one, held := manyrt.Dim{X: 1}, uint64(0)
	for run := 0; run < runs; run++ {
		held++
		must(stream.WaitFence(fence, held))
		measure("launch", calls, func() { must(kernel.Launch(stream, one, one, data, 1, float32(2))) })
		must(fence.Signal(held))
		must(stream.Synchronize())
		held++
		must(stream.WaitFence(fence, held))
		measure("record", calls, func() { must(event.Record(stream)) })
		must(fence.Signal(held))
		must(stream.Synchronize())
		measure("query", calls, func() { get(stream.Done()) })
	}
}
