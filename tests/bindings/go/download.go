// SPDX-License-Identifier: Apache-2.0

package main

/*
#include <stdlib.h>
#include <string.h>
static void* filled(size_t n) { void* p = malloc(n); memset(p, 0x11, n); return p; }
static int changed(void* p, size_t n) { unsigned char* c = p; for (size_t i = 0; i < n; ++i) if (c[i] != 0x11) return 1; return 0; }
*/
import "C"

import (
	"unsafe"

	"manyrt"
)

// A Download inside a host function of its stream is refused, while its copy is still to come. Memory that the program takes
// afterwards, which malloc might give out a second time, is the program's.
func aboutFailedDownload(context *manyrt.Context) {
	const count = 5000
	stream, buffer := get(context.NewStream(0)), get(manyrt.Alloc[uint32](context, count))
	must(buffer.Fill(0x77777777, stream))
	must(stream.Synchronize())
	var inside error
	var taken [64]unsafe.Pointer
	values := make([]uint32, count)
	must(stream.HostFunction(func(error) {
		inside = buffer.Download(values, stream)
		for i := range taken {
			taken[i] = C.filled(4 * count)
		}
	}))
	must(stream.Synchronize())
	must(stream.Synchronize()) // for what the function has submitted
	refused(inside, manyrt.ErrBusy)
	expect(values[0] == 0 && values[count-1] == 0, "values that the refused download left alone")
	for _, each := range taken {
		expect(C.changed(each, 4*count) == 0, "memory of the program that no copy writes to")
		C.free(each)
	}
	must(buffer.Download(values, stream))
	expect(values[0] == 0x77777777 && values[count-1] == 0x77777777, "the buffer, and got %x", values[0])
}
