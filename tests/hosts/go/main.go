// A Go program with snug by cgo: goroutines with sessions, while the collector runs and goroutines are preempted.
//
//	go-host FORM [CELL_FILE]    FORM: local, signals, worker
//
// Go handles nearly every signal itself, preempts by SIGURG, and moves a goroutine to another thread whenever
// it returns from C. With CELL_FILE, its cell is run at the end, behind a nil dereference of Go's own.
package main

/*
#cgo pkg-config: snug
#include <snug/snug.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"
)

const (
	goroutines  = 4
	turns       = 200
	wallMs      = 1000
	memoryBytes = 64 << 20
	errorBytes  = 300
)

// A goroutine may be on another thread when it has returned from C, where snug_error_message is another: hosts,
// sessions and options keep their errors.
func failure(code C.int, text *C.char) error {
	return fmt.Errorf("%s: %s", C.GoString(C.snug_error_name(code)), C.GoString(text))
}

type host struct{ c *C.snug_host }
type session struct{ c *C.snug_session }

func openHost(form string) (*host, error) {
	h := &host{}
	text := (*C.char)(C.calloc(1, errorBytes))
	defer C.free(unsafe.Pointer(text))
	var options C.snug_host_options
	options.size = C.sizeof_snug_host_options
	options.error, options.error_bytes = text, errorBytes
	if form == "worker" {
		options.form = C.SNUG_FORM_WORKER
	}
	if form == "signals" {
		options.flags = C.SNUG_HOST_SIGNALS
	}
	if code := C.snug_host_open(&h.c, &options); code != 0 {
		return nil, failure(code, text)
	}
	return h, nil
}

func (h *host) open() (*session, error) {
	s := &session{}
	text := (*C.char)(C.calloc(1, errorBytes))
	defer C.free(unsafe.Pointer(text))
	// What options point to is C's, as Go's rules for pointers want it.
	limits := (*C.snug_limits)(C.calloc(1, C.sizeof_snug_limits))
	defer C.free(unsafe.Pointer(limits))
	limits.size = C.sizeof_snug_limits
	limits.wall_ms, limits.memory_bytes = wallMs, memoryBytes
	var options C.snug_session_options
	options.size = C.sizeof_snug_session_options
	options.limits, options.error, options.error_bytes = limits, text, errorBytes
	if code := C.snug_session_open(&s.c, h.c, &options); code != 0 {
		return nil, failure(code, text)
	}
	return s, nil
}

// run is one line: the status, then the value or the error.
func (s *session) run(code string) string {
	var result *C.snug_result
	var text [errorBytes]C.char
	source := C.CString(code)
	defer C.free(unsafe.Pointer(source))
	if C.snug_session_run(&result, s.c, source, C.size_t(len(code)), nil) != 0 {
		return failure(C.snug_session_error(s.c, &text[0], errorBytes), &text[0]).Error()
	}
	defer C.snug_result_free(result)
	status := C.GoString(C.snug_status_name(C.snug_result_status(result)))
	if value := C.GoString(C.snug_result_text(result, C.SNUG_STREAM_VALUE, nil)); value != "" {
		return status + " " + value
	}
	return status + " " + C.GoString(C.snug_result_error_name(result))
}

// makeNoise is what moves goroutines: loops that only preemption ends, and garbage.
func makeNoise(stop chan bool) {
	for i := 0; i < 2; i++ {
		go func() {
			for x := 0; ; x++ {
				select {
				case <-stop:
					return
				default:
					for k := 0; k < 1000000; k++ {
						x += k
					}
				}
			}
		}()
	}
	go func() {
		for {
			_ = make([]byte, 1<<20)
			runtime.GC()
			debug.FreeOSMemory()
			time.Sleep(5 * time.Millisecond)
		}
	}()
}

func work(h *host, g int) error {
	s, err := h.open()
	if err != nil {
		return err
	}
	defer C.snug_session_close(s.c)
	for i := 0; i < turns; i++ {
		said := s.run(fmt.Sprintf("import math, json\njson.loads(json.dumps([math.comb(%d, 2), %d]))", i, g))
		if wanted := fmt.Sprintf("ok [%d, %d]", i*(i-1)/2, g); said != wanted {
			return fmt.Errorf("turn %d: %s, not %s", i, said, wanted)
		}
	}
	if g == 0 {
		fmt.Println("loop:", s.run("while True: pass"))
		fmt.Println("module:", s.run("import decimal; decimal.Decimal(1) / 4"))
		fmt.Println("recursion:", s.run("def f(n): return f(n + 1)\nf(0)"))
		fmt.Println("error:", s.run("1 / 0"))
	}
	return nil
}

func dereferenceNil() {
	defer func() { fmt.Println("recovered:", recover() != nil) }()
	var p *int
	fmt.Println(*p)
}

func runCell(h *host, path string) error {
	code, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s, err := h.open()
	if err != nil {
		return err
	}
	fmt.Println("cell:", s.run(string(code)))
	C.snug_session_close(s.c)
	if s, err = h.open(); err != nil {
		return err
	}
	fmt.Println("after it:", s.run("1 + 1"))
	C.snug_session_close(s.c)
	return nil
}

func fail(err error) {
	fmt.Println("failed:", err)
	os.Exit(1)
}

func main() {
	h, err := openHost(os.Args[1])
	if err != nil {
		fail(err)
	}
	stop := make(chan bool)
	makeNoise(stop)

	var group sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			if err := work(h, g); err != nil {
				fail(err)
			}
		}(g)
	}
	group.Wait()
	close(stop)
	dereferenceNil()
	if len(os.Args) > 2 {
		if err := runCell(h, os.Args[2]); err != nil {
			fail(err)
		}
	}
	if code := C.snug_host_close(h.c); code != 0 {
		var text [errorBytes]C.char
		C.snug_host_error(h.c, &text[0], errorBytes)
		fail(failure(code, &text[0]))
	}
	fmt.Println("closed")
}
