// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import "unsafe"

// StartTrace forgets what was traced and traces the calls that begin from now on.
func StartTrace() error {
	return take(C.interlock_trace_start())
}

// StopTrace traces nothing more. What was traced stays, to be written.
func StopTrace() {
	C.interlock_trace_stop()
}

// WriteTrace writes what was traced to the file at path, in the place of what may be there, as JSON that
// https://ui.perfetto.dev shows. The file that the environment variable INTERLOCK_TRACE names is not written when a Go program
// ends: who needs what came in its last seconds calls this.
func WriteTrace(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	return take(C.interlock_trace_write(name))
}
