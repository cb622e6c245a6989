// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// provoke makes the library log a warning: nothing is returned for a handle that it did not give out.
func provoke() {
	(&Locks{token: 0xbad}).Close()
}

func TestLoggerOnAnyThread(t *testing.T) {
	const goroutines, each = 16, 8
	defer SetLogger(nil)
	var mu sync.Mutex
	threads := map[int]int{}
	SetLogger(func(level Level, message string) {
		mu.Lock()
		defer mu.Unlock()
		if level == LevelWarn && strings.Contains(message, "0xbad") {
			threads[syscall.Gettid()]++
		}
	})
	var all, ready sync.WaitGroup
	ready.Add(goroutines)
	for g := 0; g < goroutines; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait()
			for n := 0; n < each; n++ {
				provoke()
			}
		}()
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	for thread, count := range threads {
		if count != each {
			t.Errorf("thread %d logged %d messages, but must log %d", thread, count, each)
		}
	}
	if len(threads) != goroutines {
		t.Errorf("messages came on %d threads, but must on %d", len(threads), goroutines)
	}
}

// Every proof at the lowest level, with a logger that allocates, collects and calls back into the library.
func TestLoggerDuringProofs(t *testing.T) {
	defer SetLogger(nil)
	defer SetLevel(LevelWarn)
	if err := SetLevel(LevelTrace); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []string
	SetLogger(func(level Level, message string) {
		if level < LevelError || level > LevelTrace || message == "" {
			t.Errorf("a message %q of level %v", message, level)
		}
		version := Version()
		mu.Lock()
		seen = append(seen, version+message)
		mu.Unlock()
		runtime.GC()
	})
	vectors := smallVectors(t)[:3]
	var all sync.WaitGroup
	for i := range vectors {
		v := &vectors[i]
		srs := v.open(t)
		for n := 0; n < 4; n++ {
			all.Add(1)
			go func() {
				defer all.Done()
				proofs, err := Prove(v.circuits, v.r, v.s, srs, nil)
				if err == nil {
					err = v.differs(proofs)
				}
				if err != nil {
					t.Error(err)
				}
				provoke()
			}()
		}
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 12 {
		t.Errorf("%d messages: %q", len(seen), seen)
	}
}

func TestLevels(t *testing.T) {
	defer SetLogger(nil)
	defer SetLevel(LevelWarn)
	count := 0
	SetLogger(func(Level, string) { count++ })
	for level, want := range map[Level]int{LevelOff: 0, LevelError: 0, LevelWarn: 1, LevelTrace: 1} {
		if err := SetLevel(level); err != nil {
			t.Fatal(err)
		}
		count = 0
		provoke()
		if count != want {
			t.Errorf("at level %v %d messages, but must be %d", level, count, want)
		}
	}
	expectInvalid(t, SetLevel(6), "level", "6")
	if got := LevelDebug.String() + Level(9).String(); got != "debugLevel(9)" {
		t.Error(got)
	}
}

// Without a logger, and from one that panics, text goes to standard error.
func TestStandardError(t *testing.T) {
	text := captured(t, syscall.Stderr, func() {
		SetLogger(func(Level, string) { panic("at the disco") })
		provoke()
		SetLogger(nil)
		provoke()
	})
	if !strings.Contains(text, "at the disco") || !strings.Contains(text, "0xbad") {
		t.Errorf("standard error got %q", text)
	}
}

func TestNothingOnStandardOutput(t *testing.T) {
	v := smallVectors(t)[0]
	srs := v.open(t)
	defer SetLogger(nil)
	defer SetLevel(LevelWarn)
	text := captured(t, syscall.Stdout, func() {
		captured(t, syscall.Stderr, func() {
			SetLevel(LevelTrace)
			for n := 0; n < 2; n++ {
				Prove(v.circuits, v.r, v.s, srs, nil)
				Prove(v.circuits, v.r, v.s, nil, nil)
				if p, err := Start(v.circuits, v.r, v.s, srs, nil); err == nil {
					p.Finalize()
					p.Finalize()
				}
				OpenSRS("/nowhere", true)
				SetBackend(-1)
				Devices()
				provoke()
				SetLogger(func(Level, string) {})
			}
		})
	})
	if text != "" {
		t.Errorf("standard output got %q", text)
	}
}

// captured is what f writes to the descriptor fd.
func captured(t *testing.T, fd int, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "captured")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Dup3(int(file.Fd()), fd, 0); err != nil {
		t.Fatal(err)
	}
	defer func() {
		syscall.Dup3(before, fd, 0)
		syscall.Close(before)
	}()
	f()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
