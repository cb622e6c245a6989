// SPDX-License-Identifier: MIT OR Apache-2.0

//go:build interlock_neighbour

// Package neighbour calls ffi-tests/link/second-rust: another Rust static library in the same program, as filecoin-ffi's
// libfilcrypto.a is in Lotus, with a standard library, a thread pool and a blst of its own. CGO_LDFLAGS names it.
package neighbour

// #include <stdint.h>
// uint64_t second_rust_sum(uint64_t n);
// uint64_t second_rust_calls(void);
// int second_rust_catches_panic(unsigned depth);
// int second_rust_doubles(const void **double_function);
import "C"

import "unsafe"

// Sum is the sum of 1 to n, on the library's own threads.
func Sum(n uint64) uint64 { return uint64(C.second_rust_sum(C.uint64_t(n))) }

// Calls is how often this OS thread has called it, this call included.
func Calls() uint64 { return uint64(C.second_rust_calls()) }

// CatchesPanic is whether the library catches panics of its own, here and on its threads.
func CatchesPanic() bool { return C.second_rust_catches_panic(20) == 1 }

// Doubles is whether its blst computes.
func Doubles() bool {
	var double unsafe.Pointer
	return C.second_rust_doubles(&double) == 1 && double != nil
}
