// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

func TestTrace(t *testing.T) {
	v := rich(t)
	srs := v.open(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.json")
	if err := WriteTrace(path); os.Getenv("INTERLOCK_TRACE") == "" && !errors.Is(err, syscall.ENODATA) {
		t.Errorf("a trace of nothing: %v is not ENODATA", err)
	}
	if err := StartTrace(); err != nil {
		t.Fatal(err)
	}
	proofs, err := Prove(v.circuits, v.r, v.s, srs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.differs(proofs); err != nil {
		t.Error(err)
	}
	StopTrace()
	if _, err := Prove(v.circuits, v.r, v.s, srs, nil); err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		if err := WriteTrace(path); err != nil {
			t.Fatalf("written before: %v: %v", again, err)
		}
	}

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Args     struct{ Circuits int }
		}
	}
	if err := json.Unmarshal(content, &trace); err != nil {
		t.Fatal(err)
	}
	started := 0
	for _, event := range trace.TraceEvents {
		if event.Ph == "X" && event.Name == "starting proofs" {
			started++
			if event.Dur <= 0 || event.Args.Circuits != len(v.circuits) {
				t.Errorf("a call with %d circuits is traced as %+v", len(v.circuits), event)
			}
		}
	}
	if started != 1 {
		t.Errorf("one proof was traced %d times", started)
	}

	for bad, code := range map[string]syscall.Errno{
		"":                                   syscall.ENOENT,
		folder:                               syscall.EISDIR,
		filepath.Join(folder, "none", "one"): syscall.ENOENT,
		filepath.Join(path, "below"):         syscall.ENOTDIR,
		"/dev/null":                          syscall.ENOTSUP,
	} {
		if err := WriteTrace(bad); !errors.Is(err, code) || !contains(err, "trace file "+strconv.Quote(bad)) {
			t.Errorf("a trace at %q: %v is not %v with its name", bad, err, code)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
