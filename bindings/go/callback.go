// SPDX-License-Identifier: Apache-2.0

package manyrt

/*
#include <stdint.h>
#include <rt.h>
*/
import "C"

import (
	"fmt"
	"os"
	"runtime/cgo"
	"sync/atomic"
)

// LogFunction gets a line of the library's log.
type LogFunction func(level LogLevel, line string)

var logFunction atomic.Pointer[LogFunction]

// manyrtLog is called by the library for each line of its log, on any thread.
//
//export manyrtLog
func manyrtLog(level C.int32_t, line *C.char) {
	function := logFunction.Load()
	if function == nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			fmt.Fprintln(os.Stderr, "manyrt: a log function panicked:", value)
		}
	}()
	(*function)(LogLevel(level), C.GoString(line))
}

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

// manyrtRelease is called by the library after the last use of a HostFunction.
//
//export manyrtRelease
func manyrtRelease(value C.uintptr_t) { cgo.Handle(value).Delete() }
