// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include <stdint.h>
#include <rt.h>
*/
import "C"

import "runtime/cgo"

// manyrtHostFunction is called by the library, once for each HostFunction.
//
//export manyrtHostFunction
func manyrtHostFunction(value C.uintptr_t, status C.rtStatus_t) {
	handle := cgo.Handle(value)
	host := handle.Value().(hostCall)
	handle.Delete()
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
