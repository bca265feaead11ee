// SPDX-License-Identifier: Apache-2.0

// The fifteen behaviours of tests/bindings/README.md in Go: behaviours BEHAVIOUR DEVICE.
// BEHAVIOUR may be "more", too: see more.go. Ends with 0 if the behaviour is as documented, 77 if the device cannot do it, and 1 with the difference otherwise.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"manyrt"
)

const source = `
kernel void axpy(global float *y, global const float *x, const int n, const float a, local float *tile) {
  const int i = get_global_id(0);
  tile[get_local_id(0)] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) y[i] += a * tile[get_local_id(0)];
}
kernel void twice(global float *y) { y[get_global_id(0)] *= 2.0f; }
kernel void busy(global float *y, const int rounds) {
  float value = y[get_global_id(0)];
  for (int i = 0; i < rounds; i++) value = value * 1.0001f + 0.5f;
  y[get_global_id(0)] = value;
}
`

func expect(condition bool, format string, args ...any) {
	if !condition {
		fmt.Printf("expected "+format+"\n", args...)
		os.Exit(1)
	}
}

func must(err error) {
	expect(err == nil, "no failure, and got %v", err)
}

func get[T any](value T, err error) T {
	must(err)
	return value
}

// refused checks the kind and the sentence of a failure.
func refused(err error, wanted manyrt.Status, parts ...string) {
	expect(errors.Is(err, wanted), "%v, and got %v", wanted, err)
	var failure *manyrt.Error
	expect(errors.As(err, &failure) && failure.Name() == wanted.Name() && len(failure.Message) > 10, "a sentence, and got %v", err)
	for _, part := range parts {
		expect(strings.Contains(err.Error(), part), "'%s' in the message '%v'", part, err)
	}
}

func open(id string) *manyrt.Context {
	return get(get(manyrt.OpenDevice(id)).NewContext())
}

func numbers(count int) []float32 {
	list := make([]float32, count)
	for index := range list {
		list[index] = float32(index + 1)
	}
	return list
}

func values[T manyrt.Element](b *manyrt.Buffer[T], s *manyrt.Stream) []T {
	list := make([]T, b.Len())
	must(b.Download(list, s))
	return list
}

func equal(b *manyrt.Buffer[float32], wanted []float32, s *manyrt.Stream) {
	for index, value := range values(b, s) {
		expect(value == wanted[index], "element %d to be %v, and got %v", index, wanted[index], value)
	}
}

func create(device string) {
	before := get(manyrt.LiveHandles())
	context := open(device)
	stream, event, fence := get(context.NewStream(-1)), get(context.NewEvent()), get(context.NewFence(3))
	pool, graph := get(context.NewPool(manyrt.MemoryKindDevice, 0)), get(context.NewGraph())
	expect(strings.Contains(context.Device().String(), "device "+device), "kind and id of the device")
	made := map[string]interface {
		fmt.Stringer
		Close() error
	}{"stream": stream, "event": event, "fence": fence, "pool": pool, "graph": graph, "context": context}
	expect(get(manyrt.LiveHandles()) == before+len(made), "%d live handles more", len(made))
	for kind, object := range made {
		expect(strings.Contains(object.String(), kind+" on "+device), "kind and device, and got %v", object)
		must(object.Close())
		expect(strings.Contains(object.String(), "closed"), "a text that says closed, and got %v", object)
	}
	expect(get(manyrt.LiveHandles()) == before, "no live handle after Close")
	func() {
		other := open(device)
		get(other.NewStream(0))
		get(manyrt.Alloc[float32](other, 10))
	}()
	for try := 0; try < 100 && get(manyrt.LiveHandles()) != before; try++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	expect(get(manyrt.LiveHandles()) == before, "no live handle after the finalizers")
}

func copies(device string) {
	context := open(device)
	stream := get(context.NewStream(0))
	for _, on := range []*manyrt.Stream{nil, stream} {
		a, b := get(manyrt.Alloc[float32](context, 1000)), get(manyrt.Alloc[float32](context, 1000))
		must(a.Upload(numbers(1000), on))
		must(b.CopyFrom(a, on))
		equal(b, numbers(1000), on)
		must(get(b.Slice(500, 1000)).CopyFrom(get(a.Slice(0, 500)), on))
		equal(b, append(numbers(500), numbers(500)...), on)
	}
	pinned := get(manyrt.AllocKind[int64](context, 2, manyrt.MemoryKindHost))
	must(pinned.Upload([]int64{1 << 60, -1}, nil))
	expect(values(pinned, nil)[0] == 1<<60, "a 64-bit integer")
	pool := get(context.NewPool(manyrt.MemoryKindDevice, 1<<20))
	pooled := get(manyrt.AllocFrom[uint8](pool, stream, 100))
	must(pooled.Fill(7, stream))
	expect(values(pooled, stream)[99] == 7, "a fill of memory from a pool")
	expect(get(pool.LiveBytes()) == 100, "100 live bytes")
}

func launch(device string) {
	context := open(device)
	stream, module := get(context.NewStream(0)), get(context.NewModule(source, ""))
	axpy := get(module.Kernel("axpy"))
	x, y := get(manyrt.Alloc[float32](context, 1000)), get(manyrt.Alloc[float32](context, 1000))
	wide := get(manyrt.Alloc[float64](context, 1000))
	must(x.Upload(numbers(1000), stream))
	must(y.Fill(1, stream))
	grid, group, a, tile := manyrt.Dim{X: 16}, manyrt.Dim{X: 64}, float32(2.5), manyrt.Local(256)
	must(axpy.Launch(stream, grid, group, y, x, 1000, a, tile))
	for index, value := range values(y, stream) {
		expect(value == 1+2.5*float32(index+1), "the kernel's result, and got %v", value)
	}
	refused(axpy.Launch(stream, grid, group, y, x, 1000, a), manyrt.ErrInvalidValue, "5 arguments, not 4", "argument 4 (tile)", "float*")
	refused(axpy.Launch(stream, grid, group, y, x, a, a, tile), manyrt.ErrInvalidValue, "argument 2 (n)", "int", "float32")
	refused(axpy.Launch(stream, grid, group, y, x, 1<<31, a, tile), manyrt.ErrInvalidValue, "argument 2 (n)", "2147483648")
	refused(axpy.Launch(stream, grid, group, y, x, 1000, 2.5, tile), manyrt.ErrInvalidValue, "argument 3 (a)", "float64")
	refused(axpy.Launch(stream, grid, group, y, wide, 1000, a, tile), manyrt.ErrInvalidValue, "argument 1 (x)", "double")
	refused(axpy.Launch(stream, grid, group, 7, x, 1000, a, tile), manyrt.ErrInvalidValue, "argument 0 (y)", "buffer")
	refused(axpy.Launch(stream, grid, group, y, x, 1000, a, 64), manyrt.ErrInvalidValue, "argument 4 (tile)", "Local")
	refused(axpy.Launch(stream, grid, group, y, x, nil, a, tile), manyrt.ErrInvalidValue, "argument 2 (n)")
}

func eventTime(device string) {
	context := open(device)
	if !get(context.Device().Has(manyrt.CapabilityTiming)) {
		fmt.Println("the device has no timing")
		os.Exit(77)
	}
	stream, start, stop := get(context.NewStream(0)), get(context.NewEvent()), get(context.NewEvent())
	busy := get(get(context.NewModule(source, "")).Kernel("busy"))
	y := get(manyrt.Alloc[float32](context, 4096))
	must(y.Fill(1, stream))
	must(stream.Synchronize())
	began := time.Now()
	must(start.Record(stream))
	must(busy.Launch(stream, manyrt.Dim{X: 64}, manyrt.Dim{X: 64}, y, 2000))
	must(stop.Record(stream))
	must(stop.Wait(30 * time.Second))
	host := time.Since(began)
	elapsed := get(stop.Since(start))
	expect(elapsed > 0 && elapsed < host, "a time between 0 and %v, and got %v", host, elapsed)
}

func crossStreamWait(device string) {
	context := open(device)
	first, second := get(context.NewStream(0)), get(context.NewStream(0))
	fence, event := get(context.NewFence(0)), get(context.NewEvent())
	twice := get(get(context.NewModule(source, "")).Kernel("twice"))
	y := get(manyrt.Alloc[float32](context, 64))
	must(first.WaitFence(fence, 1))
	must(y.Fill(5, first))
	must(event.Record(first))
	must(second.WaitEvent(event))
	must(twice.Launch(second, manyrt.Dim{X: 1}, manyrt.Dim{X: 64}, y))
	expect(!get(second.Done()) && !get(event.Done()), "the second stream to be held back")
	refused(second.SynchronizeFor(20*time.Millisecond), manyrt.ErrTimeout)
	refused(fence.Wait(1, 0), manyrt.ErrTimeout)
	must(fence.Signal(1))
	expect(values(y, second)[63] == 10, "the fill before the kernel")
	must(first.SignalFence(fence, 5))
	must(fence.Wait(5, -1))
	expect(get(fence.Value()) == 5, "5 in the fence")
	// A fence that nothing refers to lives until a stream has signalled it.
	held := get(context.NewFence(0))
	must(first.WaitFence(held, 1))
	func() {
		forgotten := get(context.NewFence(0))
		must(second.WaitFence(forgotten, 1))
		must(first.SignalFence(forgotten, 1))
	}()
	for try := 0; try < 3; try++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	must(held.Signal(1))
	must(second.SynchronizeFor(time.Minute))
}

func useAfterClose(device string) {
	context := open(device)
	stream, late := get(context.NewStream(0)), get(context.NewStream(0))
	y, module := get(manyrt.Alloc[float32](context, 4)), get(context.NewModule(source, ""))
	twice, part := get(module.Kernel("twice")), get(y.Slice(0, 2))
	for round := 0; round < 2; round++ {
		must(stream.Close())
		must(module.Close())
		must(y.Close())
	}
	refused(stream.Synchronize(), manyrt.ErrInvalidHandle, "stream", "closed")
	refused(twice.Launch(late, manyrt.Dim{}, manyrt.Dim{}, y), manyrt.ErrInvalidHandle, "module")
	refused(y.Fill(1, late), manyrt.ErrInvalidHandle, "buffer")
	refused(part.Fill(1, late), manyrt.ErrInvalidHandle, "buffer")
	must(context.Close())
	refused(late.Synchronize(), manyrt.ErrInvalidHandle, "context")
	_, err := context.NewStream(0)
	refused(err, manyrt.ErrInvalidHandle)
	must(late.Close())
}

func wrongSize(device string) {
	context := open(device)
	a, b := get(manyrt.Alloc[float32](context, 10)), get(manyrt.Alloc[float32](context, 5))
	refused(a.Upload(numbers(11), nil), manyrt.ErrInvalidValue, "44", "40")
	refused(a.Download(numbers(9), nil), manyrt.ErrInvalidValue, "36", "40")
	refused(b.CopyFrom(a, nil), manyrt.ErrInvalidValue, "40", "20")
	for _, ends := range [][2]int{{5, 11}, {-1, 2}, {3, 3}} {
		_, err := a.Slice(ends[0], ends[1])
		refused(err, manyrt.ErrInvalidValue, fmt.Sprint(ends[0]), "10")
	}
	// Values inside an object with pointers: cgo refuses the address of such an object.
	inside := &struct {
		other  *int
		values [5]float32
	}{new(int), [5]float32{1, 2, 3, 4, 5}}
	must(b.Upload(inside.values[:], nil))
	inside.values = [5]float32{}
	must(b.Download(inside.values[:], nil))
	expect(inside.values[4] == 5, "5 in the last element, and got %v", inside.values[4])
	// nil, and texts that C would cut.
	stream, module := get(context.NewStream(0)), get(context.NewModule(source, ""))
	twice, none := get(module.Kernel("twice")), (*manyrt.Buffer[float32])(nil)
	refused(b.Fill(1, nil), manyrt.ErrInvalidValue, "stream", "nil")
	refused(b.CopyFrom(nil, stream), manyrt.ErrInvalidValue, "buffer", "nil")
	refused(twice.Launch(stream, manyrt.Dim{}, manyrt.Dim{}, none), manyrt.ErrInvalidValue, "argument 0", "nil")
	refused(twice.Launch(nil, manyrt.Dim{}, manyrt.Dim{}, b), manyrt.ErrInvalidValue, "stream", "nil")
	refused(stream.WaitEvent(nil), manyrt.ErrInvalidValue, "event", "nil")
	refused(get(context.NewEvent()).Record(nil), manyrt.ErrInvalidValue, "stream", "nil")
	_, err := context.NewModule(source+"\x00", "")
	refused(err, manyrt.ErrInvalidValue, "source", "NUL")
	_, err = module.Kernel("twice\x00")
	refused(err, manyrt.ErrInvalidValue, "kernel", "NUL")
	_, err = manyrt.OpenDevice("cpu\x00")
	refused(err, manyrt.ErrInvalidValue, "device", "NUL")
	_, err = context.NewStream(1 << 40)
	refused(err, manyrt.ErrInvalidValue, "1099511627776")
	expect(stream.Handle() != nil && twice.Handle() != nil, "handles of C")
}

func buildError(device string) {
	_, err := open(device).NewModule("kernel void f(global float *y) {\n  y[0] = nonsense;\n}\n", "")
	refused(err, manyrt.ErrBuildFailed, "nonsense", ":2:")
}

func callback(device string) {
	context := open(device)
	stream, hold := get(context.NewStream(0)), get(context.NewFence(0))
	y := get(manyrt.Alloc[float32](context, 4))
	seen := make(chan string, 3)
	must(stream.WaitFence(hold, 1))
	must(y.Fill(1, stream))
	must(stream.HostFunction(func(failure error) { seen <- fmt.Sprint("data of the program ", failure) }))
	must(stream.HostFunction(func(error) { panic("a panic of the test") }))
	must(stream.HostFunction(func(error) { seen <- "after" }))
	time.Sleep(10 * time.Millisecond)
	expect(len(seen) == 0, "the function to wait for the work ahead of it")
	must(hold.Signal(1))
	err := stream.Synchronize()
	var panicked *manyrt.PanicError
	expect(errors.As(err, &panicked) && panicked.Value == "a panic of the test", "the panic, and got %v", err)
	must(stream.Synchronize())
	expect(<-seen == "data of the program <nil>" && <-seen == "after", "the functions' own data")
	calls := 0
	graph := get(stream.Capture(func() error { return stream.HostFunction(func(error) { calls++ }) }))
	exec := get(graph.Instantiate())
	for round := 0; round < 3; round++ {
		must(exec.Launch(stream))
	}
	must(stream.Synchronize())
	expect(calls == 3, "3 calls for 3 launches, and got %d", calls)
	must(exec.Close())
	must(graph.Close())
	event, other := get(context.NewEvent()), get(context.NewStream(0))
	must(y.Fill(2, stream))
	must(other.WaitBuffer(y))
	must(event.Record(other))
	descriptor := os.NewFile(uintptr(get(event.Descriptor())), "event")
	number := make([]byte, 8)
	expect(get(descriptor.Read(number)) == 8, "a descriptor that can be read after the event")
	must(descriptor.Close())
}

func outOfMemory(device string) {
	context := open(device)
	_, err := manyrt.Alloc[uint8](context, 1<<60)
	refused(err, manyrt.ErrOutOfMemory, "1152921504606846976")
	small := get(manyrt.Alloc[uint8](context, 3))
	must(small.Upload([]uint8{1, 2, 3}, nil))
	expect(values(small, nil)[2] == 3, "memory that works after the failure")
}

func replay(device string) {
	context := open(device)
	stream, twice := get(context.NewStream(0)), get(get(context.NewModule(source, "")).Kernel("twice"))
	data, first, second := get(manyrt.Alloc[float32](context, 64)), get(manyrt.Alloc[float32](context, 64)),
		get(manyrt.Alloc[float32](context, 64))
	must(data.Fill(1, stream))
	graph := get(stream.Capture(func() error {
		must(twice.Launch(stream, manyrt.Dim{X: 1}, manyrt.Dim{X: 64}, data))
		refused(data.Upload(numbers(64), stream), manyrt.ErrInvalidValue, "graph")
		return first.CopyFrom(data, stream)
	}))
	expect(get(graph.NodeCount()) == 2, "2 nodes")
	target := get(graph.Buffer(first, manyrt.BufferRoleOutput))
	exec := get(graph.Instantiate())
	must(exec.Bind(target, first))
	wanted := float32(1)
	for round := 1; round <= 10; round++ {
		bound := first
		if round > 5 {
			bound = second
		}
		if round == 6 {
			must(exec.Bind(target, second))
		}
		must(exec.Launch(stream))
		wanted *= 2
		expect(values(bound, stream)[63] == wanted, "%v in round %d", wanted, round)
	}
	expect(values(first, nil)[0] == 32, "32 in the first buffer")
	refused(exec.Bind(target, get(manyrt.Alloc[float32](context, 63))), manyrt.ErrInvalidValue, "252", "256")
}

func twoDevices(device string) {
	other := "cpu"
	if device == "cpu" {
		other = "null:0"
	}
	here, there := open(device), open(other)
	a, back := get(manyrt.Alloc[float32](here, 100)), get(manyrt.Alloc[float32](here, 100))
	b := get(manyrt.Alloc[float32](there, 100))
	must(a.Upload(numbers(100), nil))
	must(b.CopyFrom(a, nil))
	must(back.CopyFrom(b, nil))
	equal(back, numbers(100), nil)
	refused(a.Fill(1, get(there.NewStream(0))), manyrt.ErrWrongContext, device, other)
}

func version(string) {
	expect(manyrt.Version > 0 && manyrt.LibraryVersion() > 0, "two versions")
	must(manyrt.CheckVersion(manyrt.Version + 100))
	refused(manyrt.CheckVersion(manyrt.Version+10000), manyrt.ErrNotSupported, "major version")
	refused(manyrt.CheckVersion(manyrt.Version-100), manyrt.ErrNotSupported, "too old")
}

// Builds the package where pkg-config names a folder without headers; the command comes in the environment.
func missingLibrary(string) {
	command := os.Getenv("MANYRT_BUILD_WITHOUT")
	expect(command != "", "MANYRT_BUILD_WITHOUT in the environment")
	said, err := exec.Command("sh", "-c", command).CombinedOutput()
	expect(err != nil && strings.Contains(string(said), "libmanyrt-dev"), "a failure that names libmanyrt-dev, and got %s", said)
}

func exitWithWork(device string) {
	context := open(device)
	stream, busy := get(context.NewStream(0)), get(get(context.NewModule(source, "")).Kernel("busy"))
	y, z := get(manyrt.Alloc[float32](context, 4096)), get(manyrt.Alloc[float32](context, 4096))
	hold := get(context.NewFence(0))
	must(stream.WaitFence(hold, 1))
	must(y.Fill(1, stream))
	for round := 0; round < 20; round++ {
		must(busy.Launch(stream, manyrt.Dim{X: 64}, manyrt.Dim{X: 64}, y, 5000))
	}
	must(stream.HostFunction(func(error) {}))
	must(z.CopyFrom(y, stream))
	expect(!get(stream.Done()), "work in flight at the end")
	must(hold.Signal(1))
}

func main() {
	cells := map[string]func(device string){"create": create, "copy": copies, "launch": launch, "event_time": eventTime,
		"cross_stream_wait": crossStreamWait, "use_after_close": useAfterClose, "wrong_size": wrongSize, "build_error": buildError,
		"callback": callback, "out_of_memory": outOfMemory, "replay": replay, "two_devices": twoDevices, "version": version,
		"missing_library": missingLibrary, "exit_with_work": exitWithWork, "more": more}
	expect(len(os.Args) == 3 && cells[os.Args[1]] != nil, "a behaviour and a device")
	cells[os.Args[1]](os.Args[2])
}
