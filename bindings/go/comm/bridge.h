/* SPDX-License-Identifier: Apache-2.0
 *
 * bridge.h - what the Go package comm needs in C: calls with their message, as in the package manyrt.
 */
#ifndef MANYRT_GO_COMM_BRIDGE_H_
#define MANYRT_GO_COMM_BRIDGE_H_

#if !__has_include(<rt_comm_message.h>)
#error "rt_comm_message.h of manyrt was not found: install the Debian package libmanyrt-dev"
#endif
#include <rt_comm_message.h>
#include <rt_message.h>
#include <stdlib.h>

#endif
