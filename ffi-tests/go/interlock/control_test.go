// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"errors"
	"regexp"
	"syscall"
	"testing"
)

func TestVersion(t *testing.T) {
	if version := Version(); !regexp.MustCompile(`^\d+\.\d+\.\d+`).MatchString(version) {
		t.Errorf("the version is %q", version)
	}
}

func TestBackend(t *testing.T) {
	before, err := Backend()
	if err != nil {
		t.Fatal(err)
	}
	back := map[string]BackendChoice{"cpu": CPUBackend, "gpu": GPUBackend}[before]
	defer SetBackend(back)
	if err := SetBackend(CPUBackend); err != nil {
		t.Fatal(err)
	}
	if name, err := Backend(); name != "cpu" || err != nil {
		t.Errorf("the backend is %q, %v", name, err)
	}
	expectInvalid(t, SetBackend(7), "backend", "7")

	expectInvalid(t, BackendStatus(7), "backend is 7")
	if err := BackendStatus(CPUBackend); err != nil {
		t.Errorf("the CPU: %v", err)
	}
	if err := ReleaseGPUMemory(); err != nil {
		t.Errorf("giving memory back: %v", err)
	}

	devices, none := Devices()
	if none != nil && !errors.Is(BackendStatus(GPUBackend), syscall.ENODEV) {
		t.Errorf("there is no device, and a GPU could prove: %v", BackendStatus(GPUBackend))
	}
	err = SetBackend(GPUBackend)
	if none != nil {
		if !errors.Is(none, syscall.ENODEV) || !errors.Is(err, syscall.ENODEV) {
			t.Errorf("there is no device (%v), and no GPU can prove (%v): both must be ENODEV", none, err)
		}
		if name, err := Backend(); name != "cpu" || err != nil {
			t.Errorf("after a refusal the backend is %q, %v", name, err)
		}
		return
	}
	if len(devices) == 0 || devices[0] == "" {
		t.Errorf("the devices are %q", devices)
	}
	if err != nil {
		t.Logf("there are devices, but none can prove: %v", err)
		return
	}
	if name, err := Backend(); name != "gpu" || err != nil {
		t.Errorf("the backend is %q, %v", name, err)
	}
}
