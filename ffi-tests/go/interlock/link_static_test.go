// SPDX-License-Identifier: MIT OR Apache-2.0

//go:build !interlock_shared

package interlock

const wantShared = false
