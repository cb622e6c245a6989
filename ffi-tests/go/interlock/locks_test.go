// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"errors"
	"syscall"
	"testing"
)

func TestLockSettings(t *testing.T) {
	v := rich(t)
	srs := v.open(t)
	locks := NewLocks()
	for what, err := range map[string]error{
		"device":  locks.SetDevice(-1),
		"workers": locks.SetWorkers(1),
		"budget":  locks.SetBudget(1 << 30),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	expectInvalid(t, locks.SetDevice(-2), "device is -2")
	if _, none := Devices(); none != nil && !errors.Is(locks.SetDevice(0), syscall.ENODEV) {
		t.Errorf("there are no devices: %v", locks.SetDevice(0))
	}
	before, err := locks.Statistics()
	if err != nil || before != (LockStatistics{}) {
		t.Errorf("new locks have done %+v, %v", before, err)
	}
	proofs, err := Prove(v.circuits, v.r, v.s, srs, locks)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.differs(proofs); err != nil {
		t.Error(err)
	}
	after, err := locks.Statistics()
	if err != nil || after.Calls != 1 || after.Waits != 0 {
		t.Errorf("after a proof: %+v, %v", after, err)
	}
	if _, err := (*Locks)(nil).Statistics(); err != nil {
		t.Errorf("the library's own: %v", err)
	}

	locks.Close()
	_, err = locks.Statistics()
	for what, err := range map[string]error{
		"device":     locks.SetDevice(-1),
		"workers":    locks.SetWorkers(0),
		"budget":     locks.SetBudget(0),
		"statistics": err,
	} {
		t.Log(what)
		expectInvalid(t, err, "destroyed already")
	}
}
