// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Level is how grave a log message is.
type Level int

const (
	// LevelOff lets nothing through.
	LevelOff Level = C.INTERLOCK_LOG_LEVEL_OFF
	// LevelError is something that failed and that the caller does not learn of otherwise.
	LevelError Level = C.INTERLOCK_LOG_LEVEL_ERROR
	// LevelWarn is something that works, but not as its user would want it to.
	LevelWarn Level = C.INTERLOCK_LOG_LEVEL_WARN
	// LevelInfo is what a proof did and how long its phases took.
	LevelInfo Level = C.INTERLOCK_LOG_LEVEL_INFO
	// LevelDebug is decisions on the way.
	LevelDebug Level = C.INTERLOCK_LOG_LEVEL_DEBUG
	// LevelTrace is everything.
	LevelTrace Level = C.INTERLOCK_LOG_LEVEL_TRACE
)

func (l Level) String() string {
	names := [...]string{"off", "error", "warn", "info", "debug", "trace"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return names[l]
}

// SetLevel drops messages less grave than level from now on, whatever the environment variable INTERLOCK_LOG says.
func SetLevel(level Level) error {
	return take(C.interlock_set_log_level(C.int(level)))
}

var (
	logger      atomic.Pointer[func(Level, string)]
	loggerOrder sync.Mutex
)

// SetLogger sends log messages to f from now on; nil sends them to standard error again.
//
// f may be called on any thread, several at once, and while a call into the library waits for it. It must return; a panic
// in it ends there and is reported on standard error. A message that is under way may still reach the previous logger.
func SetLogger(f func(level Level, message string)) {
	loggerOrder.Lock()
	defer loggerOrder.Unlock()
	if f == nil {
		C.bridge_log_to_stderr()
		return
	}
	logger.Store(&f)
	C.bridge_log_to_go()
}

//export interlockGoLog
func interlockGoLog(level C.int, message *C.char) {
	// Unwinding would skip the frames of the library between here and the caller.
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(os.Stderr, "interlock: the logger panicked:", r)
		}
	}()
	(*logger.Load())(Level(level), C.GoString(message))
}
