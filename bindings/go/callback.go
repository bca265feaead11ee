// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include <stdint.h>
#include <rt.h>
*/
import "C"

import "runtime/cgo"

// manyrtHostFunction is called by the library, once for each HostFunction, or for each launch of the graph that has it.
//
//export manyrtHostFunction
func manyrtHostFunction(value C.uintptr_t, status C.rtStatus_t) {
	host := cgo.Handle(value).Value().(hostCall)
	defer func() {
		if value := recover(); value != nil {
			host.panics.add(value)
		}
	}()
	var problem error
	if status < 0 {
		problem = failure(Status(status), "the stream failed before the host function")
	}
	host.function(problem)
}

// manyrtRelease is called by the library behind the last use of a HostFunction.
//
//export manyrtRelease
func manyrtRelease(value C.uintptr_t) { cgo.Handle(value).Delete() }
