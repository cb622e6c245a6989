// SPDX-License-Identifier: MIT OR Apache-2.0

//go:build !interlock_shared

package interlock

// Where both libraries lie side by side, -linterlock alone, which pkg-config adds at the end, would be the shared one. By
// then nothing is missing any more, and as-needed leaves it out.

// #cgo pkg-config: --static interlock
// #cgo LDFLAGS: -Wl,--as-needed -l:libinterlock.a
import "C"
