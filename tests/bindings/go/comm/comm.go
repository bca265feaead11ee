// SPDX-License-Identifier: Apache-2.0

// The package manyrt/comm on the CPU: comm has two ranks in this process, and does what is wrong; comm launched is one of two
// processes that a launcher started. Ends with 0, and 1 with the difference otherwise.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"manyrt"
	"manyrt/comm"
)

func expect(condition bool, format string, args ...any) {
	if !condition {
		_, _, line, _ := runtime.Caller(1)
		fmt.Printf("line %d: expected "+format+"\n", append([]any{line}, args...)...)
		os.Exit(1)
	}
}

func get[T any](value T, err error) T {
	expect(err == nil, "no failure, and got %v", err)
	return value
}

func must(err error) {
	if err != nil {
		_, _, line, _ := runtime.Caller(1)
		fmt.Printf("line %d: %v\n", line, err)
		os.Exit(1)
	}
}

// refused checks the kind and the sentence of a failure.
func refused(err error, wanted manyrt.Status, part string) {
	var failure *manyrt.Error
	_, _, line, _ := runtime.Caller(1)
	expect(errors.Is(err, wanted) && errors.As(err, &failure) && strings.Contains(failure.Message, part),
		"(line %d) %v with '%s', and got %v", line, wanted, part, err)
}

func context() *manyrt.Context { return get(get(manyrt.OpenDevice("cpu")).NewContext()) }

func ints(c *manyrt.Context, values ...int32) *manyrt.Buffer[int32] {
	buffer := get(manyrt.Alloc[int32](c, len(values)))
	must(buffer.Upload(values, nil))
	return buffer
}

func values[T manyrt.Element](buffer *manyrt.Buffer[T]) []T {
	got := make([]T, buffer.Len())
	must(buffer.Download(got, nil))
	return got
}

func same(buffer *manyrt.Buffer[int32], wanted ...int32) {
	got := values(buffer)
	_, _, line, _ := runtime.Caller(1)
	expect(fmt.Sprint(got) == fmt.Sprint(wanted), "(line %d) %v, and got %v", line, wanted, got)
}

type pair struct {
	contexts []*manyrt.Context
	ranks    []*comm.Comm
}

func newPair() pair {
	contexts := []*manyrt.Context{context(), context()}
	return pair{contexts, get(comm.CreateAll(contexts, comm.Options{Timeout: time.Minute, Label: "pair"}))}
}

func (p pair) each(call func(rank int, c *comm.Comm) error) {
	must(comm.Group(func() error {
		for rank, c := range p.ranks {
			if err := call(rank, c); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p pair) buffers(values func(rank int32) []int32) []*manyrt.Buffer[int32] {
	return []*manyrt.Buffer[int32]{ints(p.contexts[0], values(0)...), ints(p.contexts[1], values(1)...)}
}

func operations() {
	p := newPair()
	x := p.buffers(func(rank int32) []int32 { return []int32{1 + 9*rank, 2 + 18*rank} })
	y := p.buffers(func(int32) []int32 { return []int32{0, 0} })
	all := p.buffers(func(int32) []int32 { return []int32{0, 0, 0, 0} })
	turned := p.buffers(func(int32) []int32 { return []int32{0, 0, 0, 0} })
	p.each(func(r int, c *comm.Comm) error { return comm.AllReduce(c, y[r], x[r], comm.ReductionSum, nil) })
	same(y[0], 11, 22)
	same(y[1], 11, 22)
	p.each(func(r int, c *comm.Comm) error { return comm.AllReduce(c, y[r], nil, comm.ReductionAverage, nil) })
	same(y[0], 11, 22)
	p.each(func(r int, c *comm.Comm) error { return comm.Reduce(c, y[r], x[r], comm.ReductionProduct, 1, nil) })
	same(y[0], 11, 22)
	same(y[1], 10, 40)
	p.each(func(r int, c *comm.Comm) error { return comm.Broadcast(c, y[r], x[r], 0, nil) })
	same(y[1], 1, 2)
	p.each(func(r int, c *comm.Comm) error { return comm.AllGather(c, all[r], x[r], nil) })
	same(all[0], 1, 2, 10, 20)
	p.each(func(r int, c *comm.Comm) error { return comm.ReduceScatter(c, y[r], all[r], comm.ReductionSum, nil) })
	same(y[0], 2, 4)
	same(y[1], 20, 40)
	p.each(func(r int, c *comm.Comm) error { return comm.ReduceScatter(c, nil, all[r], comm.ReductionSum, nil) })
	same(all[0], 2, 4, 10, 20)
	same(all[1], 1, 2, 20, 40)
	p.each(func(r int, c *comm.Comm) error { return comm.AllToAll(c, turned[r], all[r], nil) })
	same(turned[0], 2, 4, 1, 2)
	same(turned[1], 10, 20, 20, 40)
	p.each(func(r int, c *comm.Comm) error { return comm.Gather(c, all[r], x[r], 1, nil) })
	same(all[0], 2, 4, 10, 20)
	same(all[1], 1, 2, 10, 20)
	p.each(func(r int, c *comm.Comm) error {
		if r == 1 {
			return comm.Scatter(c, nil, all[1], 1, nil)
		}
		return comm.Scatter(c, y[0], nil, 1, nil)
	})
	same(y[0], 1, 2)
	same(all[1], 1, 2, 10, 20)
	p.each(func(r int, c *comm.Comm) error {
		must(comm.Send(c, x[r], 1-r, nil))
		must(comm.Receive(c, y[r], 1-r, nil))
		return c.Barrier(nil)
	})
	same(y[0], 10, 20)
	same(y[1], 1, 2)

	half := make([]*manyrt.Buffer[comm.BFloat16], 2)
	streams := make([]*manyrt.Stream, 2)
	for r, c := range p.ranks {
		half[r], streams[r] = get(manyrt.Alloc[comm.BFloat16](p.contexts[r], 1)), get(p.contexts[r].NewStream(0))
		must(half[r].Upload([]comm.BFloat16{0x3F80}, nil))
		must(comm.AllReduce(c, half[r], nil, comm.ReductionSum, streams[r]))
	}
	for r, c := range p.ranks {
		must(c.Synchronize(streams[r]))
		expect(values(half[r])[0] == 0x4000, "the sum of two bfloat16")
	}

	// Goroutines wait in their calls.
	done := make(chan error)
	for r := range p.ranks {
		go func(r int) {
			err := comm.AllReduce(p.ranks[r], x[r], nil, comm.ReductionSum, nil)
			if err == nil {
				err = p.ranks[r].Barrier(nil)
			}
			done <- err
		}(r)
	}
	must(<-done)
	must(<-done)
	same(x[0], 11, 22)
}

func moreCommunicators() {
	p := newPair()
	made := make([]*comm.Comm, 2)
	p.each(func(r int, c *comm.Comm) (err error) {
		made[r], err = c.Split(5, -r)
		refused(made[r].Barrier(nil), manyrt.ErrInvalidHandle, "its group is open")
		return err
	})
	expect(made[0].Rank() == 1 && made[1].Rank() == 0 && made[0].Size() == 2, "ranks in the order of the key")
	p.each(func(r int, c *comm.Comm) (err error) {
		made[r], err = c.Split([]int{0, comm.NoColor}[r], 0)
		return err
	})
	expect(made[0].Size() == 1 && made[1].Handle() == nil, "no rank without a color")
	id := get(comm.NewUniqueID())
	p.each(func(r int, c *comm.Comm) (err error) {
		made[r], err = comm.Create(id, r, 2, p.contexts[r], comm.Options{})
		return err
	})
	expect(made[1].Rank() == 1 && made[1].Context() == p.contexts[1], "a rank by an id")
	expect(made[1].String() == "manyrt communicator rank 1 of 2", "a text, and got %v", made[1])
	info := get(made[1].Info())
	expect(info.Engine == comm.EngineInProcess && info.LocalSize == 2, "the engine of one process, and got %v", info)
	_, err := comm.Create(id, 0, 2, p.contexts[0], comm.Options{})
	refused(err, manyrt.ErrInvalidValue, "used")
	must(made[1].Close())
	must(made[1].Close())
	refused(made[1].Barrier(nil), manyrt.ErrInvalidHandle, "closed")
	alone := get(comm.Create(get(comm.NewUniqueID()), 0, 1, p.contexts[0], comm.Options{}))
	expect(get(alone.Split(comm.NoColor, 0)) == nil, "nil without a color")
}

func badInput() {
	p := newPair()
	c, context := p.ranks[0], p.contexts[0]
	two, three, four := ints(context, 1, 2), ints(context, 1, 2, 3), ints(context, 1, 2, 3, 4)
	sum := comm.ReductionSum
	refused(comm.AllReduce(c, two, three, sum, nil), manyrt.ErrInvalidValue, "'receive' has 2 elements and 'send' 3")
	refused(comm.AllGather(c, three, two, nil), manyrt.ErrInvalidValue,
		"'receive' has 3 elements, which do not divide by the 2 ranks")
	refused(comm.ReduceScatter(c, four, four, sum, nil), manyrt.ErrInvalidValue, "takes 1 to 2")
	refused(comm.AllReduce[int32](c, nil, nil, sum, nil), manyrt.ErrInvalidValue, "no buffer")
	refused(comm.AllReduce(c, two, nil, 77, nil), manyrt.ErrInvalidValue, "77")
	refused(comm.Send(c, two, 7, nil), manyrt.ErrInvalidValue, "7")
	refused(comm.Send(c, two, 1<<40, nil), manyrt.ErrInvalidValue, "32 bits")
	refused(comm.AllReduce(nil, two, nil, sum, nil), manyrt.ErrInvalidValue, "nil")
	refused(comm.AllGather(nil, two, nil, nil), manyrt.ErrInvalidValue, "nil")
	refused(comm.AllReduce(c, two, nil, sum, get(p.contexts[1].NewStream(0))), manyrt.ErrWrongContext, "context")
	gone := ints(context, 1, 2)
	part := get(gone.Slice(0, 1))
	must(gone.Close())
	refused(comm.AllReduce(c, gone, nil, sum, nil), manyrt.ErrInvalidHandle, "closed")
	refused(comm.AllReduce(c, part, nil, sum, nil), manyrt.ErrInvalidHandle, "closed")
	_, err := comm.CreateAll(nil, comm.Options{})
	refused(err, manyrt.ErrInvalidValue, "at least one")
	_, err = comm.CreateAll([]*manyrt.Context{nil}, comm.Options{})
	refused(err, manyrt.ErrInvalidValue, "nil")
	_, err = comm.FromEnvironment(context, comm.Options{})
	refused(err, manyrt.ErrInvalidValue, "WORLD_SIZE")
	_, err = comm.FromMPI(nil, context, comm.Options{})
	refused(err, manyrt.ErrInvalidValue, "mpi_comm")

	own := errors.New("of the program")
	expect(comm.Group(func() error {
		must(comm.AllReduce(c, two, nil, sum, nil))
		_, err := comm.FromEnvironment(context, comm.Options{})
		refused(err, manyrt.ErrInvalidValue, "no part of a group")
		return own
	}) == own, "the error of the body")
	func() {
		defer func() { expect(recover() == "a panic", "the panic of the body") }()
		_ = comm.Group(func() error {
			must(comm.AllReduce(c, two, nil, sum, nil))
			panic("a panic")
		})
	}()
	must(c.Synchronize(nil)) // nothing of the groups was submitted
	rank, failed := c.Failure()
	expect(rank == -1 && failed == nil, "no failure, and got %v", failed)

	stream := get(context.NewStream(0))
	must(comm.AllReduce(c, two, nil, sum, stream))
	must(p.ranks[1].Abort())
	refused(c.Synchronize(stream), manyrt.ErrLaunchFailed, "rtCommAbort")
	rank, failed = c.Failure()
	expect(rank == 1, "the rank of the failure, and got %d", rank)
	refused(failed, manyrt.ErrLaunchFailed, "rtCommAbort")
}

// launched is one of two processes.
func launched() {
	context := context()
	c := get(comm.FromEnvironment(context, comm.Options{Timeout: time.Minute}))
	rank, info := int32(c.Rank()), get(c.Info())
	expect(c.Size() == 2 && info.LocalSize == 1 && info.Engine == comm.EngineSharedMemory, "2 ranks in shared memory, and got %v", info)
	stream := get(context.NewStream(0))
	x := get(manyrt.Alloc[float32](context, 1000))
	must(x.Fill(float32(rank+1), stream))
	must(comm.AllReduce(c, x, nil, comm.ReductionSum, stream))
	must(c.Synchronize(stream))
	for _, value := range values(x) {
		expect(value == 3, "the sum 3, and got %v", value)
	}
	own, all, part, other := ints(context, rank, rank+10), ints(context, 0, 0, 0, 0), ints(context, 0), ints(context, 0, 0)
	must(comm.AllGather(c, all, own, nil))
	same(all, 0, 10, 1, 11)
	must(comm.ReduceScatter(c, part, own, comm.ReductionSum, nil))
	same(part, 1+20*rank)
	must(comm.Broadcast(c, other, own, 1, nil))
	same(other, 1, 11)
	must(comm.Group(func() error {
		must(comm.Send(c, own, 1-int(rank), nil))
		return comm.Receive(c, other, 1-int(rank), nil)
	}))
	same(other, 1-rank, 11-rank)
	turned := get(c.Split(0, -int(rank)))
	expect(turned.Rank() == 1-int(rank), "the ranks in the other order")
	refused(comm.AllReduce(c, all, own, comm.ReductionSum, nil), manyrt.ErrInvalidValue, "'receive' has 4 elements and 'send' 2")
	must(turned.Barrier(nil)) // a rank that ends early is a failure of the other
	fmt.Println(c)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "launched" {
		launched()
		return
	}
	operations()
	moreCommunicators()
	badInput()
}
