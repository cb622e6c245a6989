// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

var (
	_ io.Closer = (*SRS)(nil)
	_ io.Closer = (*Locks)(nil)
)

func TestClosedSRS(t *testing.T) {
	v := smallVectors(t)[0]
	srs, err := OpenSRS(v.params, false)
	if err != nil {
		t.Fatal(err)
	}
	clone, err := srs.Clone()
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 2; n++ {
		if err := srs.Close(); err != nil {
			t.Errorf("close %d: %v", n, err)
		}
	}
	_, err = Prove(v.circuits, v.r, v.s, srs, nil)
	expectInvalid(t, err, "SRS", "dropped already")
	_, err = Start(v.circuits, v.r, v.s, srs, nil)
	expectInvalid(t, err, "SRS", "dropped already")
	_, err = srs.Clone()
	expectInvalid(t, err, "SRS", "closed")
	expectInvalid(t, srs.Evict(), "SRS", "closed")

	proofs, err := Prove(v.circuits, v.r, v.s, clone, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.differs(proofs); err != nil {
		t.Error(err)
	}
	if err := clone.Close(); err != nil {
		t.Error(err)
	}
}

func TestEmptySRS(t *testing.T) {
	v := smallVectors(t)[0]
	for _, srs := range []*SRS{nil, {}} {
		_, err := Prove(v.circuits, v.r, v.s, srs, nil)
		expectInvalid(t, err, "the SRS is empty")
		_, err = srs.Clone()
		expectInvalid(t, err, "SRS", "never was opened")
		expectInvalid(t, srs.Evict(), "SRS", "never was opened")
		if err := srs.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestParameterFiles(t *testing.T) {
	good, err := os.ReadFile(smallVectors(t)[0].params)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := 0
	file := func(content []byte) string {
		files++
		path := filepath.Join(dir, strconv.Itoa(files))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	absent := filepath.Join(dir, "absent")
	pipe := filepath.Join(dir, "special")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), good...)
	damaged[40] ^= 1
	for _, c := range []struct {
		path string
		want syscall.Errno
		says string
	}{
		{absent, syscall.ENOENT, absent},
		{filepath.Join(file(good), "below"), syscall.ENOTDIR, "below"},
		{dir, syscall.EISDIR, "directory"},
		{pipe, syscall.ENOTSUP, "not a regular file"},
		{file(nil), syscall.ENODATA, "empty"},
		{file(good[:len(good)-1]), syscall.EOVERFLOW, "truncated"},
		{file(good[:100]), syscall.EOVERFLOW, "truncated"},
		{file(append(good, 0)), syscall.EFBIG, "content ends at"},
		{file(damaged), syscall.EDOM, "not on the curve"},
		{"a\x00b", syscall.EINVAL, `"a\x00b"`},
	} {
		srs, err := OpenSRS(c.path, false)
		if srs != nil {
			t.Errorf("%q was opened", c.path)
		}
		if !errors.Is(err, c.want) || !contains(err, c.says) {
			t.Errorf("%q: %v; must be %v and say %q", c.path, err, c.want, c.says)
		}
	}
	if _, err := OpenSRS(absent, true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
}

// A path is bytes, whatever they mean.
func TestPathBytes(t *testing.T) {
	v := smallVectors(t)[0]
	absolute, err := filepath.Abs(v.params)
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "ü \n\xff%s")
	if err := os.Symlink(absolute, odd); err != nil {
		t.Fatal(err)
	}
	srs, err := OpenSRS(odd, false)
	if err != nil {
		t.Fatal(err)
	}
	srs.Close()
}

// Closing and evicting an SRS does not disturb the proofs that use it: each either began before, and is right, or says
// that the SRS is gone.
func TestCloseDuringProofs(t *testing.T) {
	const goroutines, each = 16, 6
	vectors := smallVectors(t)
	var all sync.WaitGroup
	var proved, refused int
	var counts sync.Mutex
	for g := 0; g < goroutines; g++ {
		v := &vectors[g%len(vectors)]
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; n < each; n++ {
				srs, err := OpenSRS(v.params, n%2 == 0)
				if err != nil {
					t.Error(err)
					return
				}
				all.Add(1)
				go func() {
					defer all.Done()
					srs.Evict()
					srs.Close()
				}()
				proofs, err := Prove(v.circuits, v.r, v.s, srs, nil)
				counts.Lock()
				if err != nil {
					refused++
					expectInvalid(t, err, "SRS", "dropped already")
				} else {
					proved++
					if err := v.differs(proofs); err != nil {
						t.Error(err)
					}
				}
				counts.Unlock()
			}
		}()
	}
	all.Wait()
	t.Logf("%d proved, %d refused", proved, refused)
}
