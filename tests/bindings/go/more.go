// SPDX-License-Identifier: Apache-2.0

// What the package has beyond the fifteen behaviours: properties, statistics, the log, files of kernels and graphs.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"manyrt"
)

const graphFile = `{"format": "manyrt-graph", "version": 1,
 "modules": [{"source": "kernel void twice(global const float *x, global float *y) {` +
	` size_t i = get_global_id(0); y[i] = 2 * x[i]; }"}],
 "buffers": [{"name": "x", "role": "input", "bytes": 256}, {"role": "temporary", "bytes": 256},
             {"name": "y", "role": "output", "bytes": 256}],
 "nodes": [
  {"kind": "kernel", "kernel": "twice", "module": 0, "grid": [1, 1, 1], "group": [64, 1, 1],
   "arguments": [{"buffer": 0, "access": "read"}, {"buffer": 1, "access": "write"}]},
  {"kind": "kernel", "kernel": "twice", "module": 0, "grid": [1, 1, 1], "group": [64, 1, 1],
   "arguments": [{"buffer": 1, "access": "read"}, {"buffer": 2, "access": "write"}], "after": [0]}]}`

func more(device string) {
	aboutLog(device) // before the library reads its settings
	context := open(device)
	aboutDevice(device, context)
	aboutPool(context)
	aboutStreams(context)
	aboutFailedDownload(context)
	aboutModuleFile(context)
	aboutGraphFile(context)
}

func aboutDevice(device string, context *manyrt.Context) {
	p := get(context.Device().Properties())
	expect(p.ID == device && p.Name == context.Device().Name() && p.Name != "", "id and name, and got %v", p)
	units := get(context.Device().Attribute(manyrt.AttributeComputeUnits))
	expect(int64(p.ComputeUnits) == units && units > 0 && p.MaxGroupItems > 0 && p.MaxGridSize[2] > 0, "its numbers, and got %v", p)
	total := get(context.Device().Attribute(manyrt.AttributeMemoryBytes))
	for _, memory := range []func() (uint64, uint64, error){context.Device().Memory, context.Memory} {
		free, all, err := memory()
		must(err)
		expect(free > 0 && free <= all && all == uint64(total), "free bytes of %d, and got %d of %d", total, free, all)
	}
	info := get(p.Backend.Info())
	expect(info.Available && info.Devices > p.Ordinal && info.Reason == "", "the backend, and got %v", info)
	expect(strings.HasPrefix(device, info.Name), "the backend's name, and got %v", info)
	_, err := manyrt.Backend(77).Info()
	refused(err, manyrt.ErrInvalidValue)
}

func aboutPool(context *manyrt.Context) {
	stream, pool := get(context.NewStream(-1)), get(context.NewPool(manyrt.MemoryKindDevice, 0))
	expect(get(stream.Priority()) <= 0, "a priority")
	must(pool.SetReleaseThreshold(1 << 30))
	first := get(manyrt.AllocFrom[float32](pool, stream, 1000))
	must(first.Close())
	must(stream.Synchronize())
	stats := get(pool.Statistics())
	expect(stats.LiveBytes == 0 && stats.PeakLiveBytes == 4000 && stats.Allocations == 1 && stats.Frees == 1 && stats.ReservedBytes > 0,
		"one allocation that was freed, and got %v", stats)
	must(pool.ResetPeak())
	must(pool.Trim(0))
	stats = get(pool.Statistics())
	expect(stats.PeakLiveBytes == 0 && stats.ReservedBytes == 0, "nothing after Trim, and got %v", stats)
	expect(strings.HasPrefix(get(pool.JSON()), "{"), "JSON")
	must(pool.Close())
	_, err := pool.JSON()
	refused(err, manyrt.ErrInvalidHandle, "pool")
}

func aboutStreams(context *manyrt.Context) {
	held, after, fence := get(context.NewStream(0)), get(context.NewStream(0)), get(context.NewFence(0))
	must(held.WaitFence(fence, 1))
	must(after.WaitContext(context))
	expect(!get(after.Done()), "the stream to wait for all streams of the context")
	must(fence.Signal(1))
	must(after.Synchronize())
	shared, err := manyrt.AllocKind[float32](context, 64, manyrt.MemoryKindShared)
	if err == nil { // else the device has none
		must(shared.Prefetch(context.Device(), after))
		must(shared.Prefetch(nil, after))
		must(after.Synchronize())
	}
}

func aboutLog(device string) {
	must(os.Setenv("RT_POOL", "no value")) // a setting that is not used is a line of the log
	var mutex sync.Mutex
	var lines []string
	inside := make(chan error, 1000)
	must(manyrt.SetLog(func(level manyrt.LogLevel, line string) {
		mutex.Lock()
		defer mutex.Unlock()
		lines = append(lines, fmt.Sprint(level, " ", line))
		inside <- manyrt.SetLog(nil, manyrt.LogLevelNone) // a change would wait for its own end
		panic("a panic of the test, which is told")
	}, manyrt.LogLevelDebug))
	context := open(device)
	get(manyrt.Alloc[float32](context, 4))
	must(manyrt.SetLog(nil, manyrt.LogLevelWarning))
	mutex.Lock()
	all := strings.Join(lines, "; ")
	mutex.Unlock()
	expect(strings.Contains(all, "RT_POOL"), "a line about the setting, and got '%s'", all)
	refused(<-inside, manyrt.ErrBusy)
	refused(manyrt.SetLog(nil, manyrt.LogLevel(99)), manyrt.ErrInvalidValue)
}

func aboutModuleFile(context *manyrt.Context) {
	folder := get(os.MkdirTemp("", "manyrt"))
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "kernels.cl")
	must(os.WriteFile(path, []byte("kernel void set(global int *x) { x[get_global_id(0)] = VALUE; }"), 0o600))
	set := get(get(context.LoadModule(path, "-DVALUE=7")).Kernel("set"))
	group := get(set.SuggestGroup(manyrt.Dim{X: 1000}, 0))
	expect(group.X > 0 && group.Y > 0 && group.Z > 0, "a work-group, and got %v", group)
	x, stream := get(manyrt.Alloc[int32](context, 64)), get(context.NewStream(0))
	must(set.Launch(stream, manyrt.Dim{X: 1}, manyrt.Dim{X: 64}, x))
	expect(values(x, stream)[63] == 7, "7 from the file's kernel")
	must(x.Fill(1, stream))
	must(set.LaunchFrom(stream, manyrt.Offset{X: 60}, manyrt.Dim{X: 1}, manyrt.Dim{X: 4}, x))
	expect(values(x, stream)[59] == 1 && values(x, stream)[60] == 7 && values(x, stream)[63] == 7, "7 from the offset on")
	refused(set.LaunchFrom(stream, manyrt.Offset{Y: 1 << 40}, manyrt.Dim{X: 1}, manyrt.Dim{X: 4}, x), manyrt.ErrInvalidValue, "offset")
	_, err := context.LoadModule(filepath.Join(folder, "none.cl"), "")
	refused(err, manyrt.ErrIo, "none.cl")
	_, err = context.LoadModule("a\x00b", "")
	refused(err, manyrt.ErrInvalidValue, "path", "NUL")
	_, err = set.SuggestGroup(manyrt.Dim{X: 1}, -1)
	refused(err, manyrt.ErrInvalidValue, "-1")
}

func aboutGraphFile(context *manyrt.Context) {
	graph := get(context.LoadGraph([]byte(graphFile)))
	expect(get(graph.NodeCount()) == 2 && strings.Contains(get(graph.Dot()), "digraph"), "2 nodes, and their picture")
	saved := get(graph.Save())
	again := get(context.LoadGraph(saved))
	expect(string(get(again.Save())) == string(saved), "the same file for the same graph")
	buffers := get(again.Buffers())
	expect(len(buffers) == 2 && buffers[0].Name() == "x" && buffers[1].Name() == "y" && buffers[1].Bytes() == 256 &&
		buffers[0].Role() == manyrt.BufferRoleInput, "the buffers x and y, and got %v", buffers)
	x, y := get(manyrt.Alloc[float32](context, 64)), get(manyrt.Alloc[float32](context, 64))
	stream, exec := get(context.NewStream(0)), get(again.Instantiate())
	must(x.Upload(numbers(64), stream))
	must(exec.Bind(buffers[0], x))
	must(exec.Bind(buffers[1], y))
	must(exec.Launch(stream))
	expect(values(y, stream)[63] == 4*64, "four times the input")
	_, err := context.LoadGraph([]byte(`{"format": "manyrt-graph"}`))
	refused(err, manyrt.ErrInvalidValue, "version")
	_, err = context.LoadGraph(nil)
	refused(err, manyrt.ErrInvalidValue, "empty")
	captured := get(stream.Capture(func() error { return y.Fill(1, stream) }))
	_, err = captured.Save()
	refused(err, manyrt.ErrNotSupported)
}
