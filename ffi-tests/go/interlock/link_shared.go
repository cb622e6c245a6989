// SPDX-License-Identifier: MIT OR Apache-2.0

//go:build interlock_shared

package interlock

// #cgo pkg-config: interlock
import "C"
