//go:build linux && amd64

// Runs a command, and makes one of its writes to files fail: of any process below it, counted over all of them.
//
//	tracer -log FILE -below PREFIX[:PREFIX...] [-at N -fault KIND] -- COMMAND...
//
// KIND is kill (every process dies before the write), half (after a half of it), writer and writer-half (only the process
// that writes dies), full (this write and all later ones that need space find the disk full, the first one after a half), or
// pause (the write waits until the file of -resume is there).
// A filter of seccomp stops at system calls that change files only, so the rest of the command runs at its usual speed.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const (
	child       = "--traced-child"
	setFilter   = 317 // seccomp(2)
	exitKill    = 0x100000
	traceFilter = 0x80
	filterEvent = 7
)

// What a system call changes, and which of its arguments say where.
type change struct {
	name string
	// The arguments with the folder's descriptor (or none) and the path, or the descriptor of the file.
	folder, path, file int
	// The argument with the bytes to write.
	length int
	// Whether a full disk refuses it.
	needsSpace bool
	// The argument with the flags of an open; only one that creates or truncates counts.
	flags int
}

const none = -1

var changes = map[uint64]change{
	1:   {name: "write", folder: none, path: none, file: 0, length: 2, needsSpace: true, flags: none},
	18:  {name: "pwrite", folder: none, path: none, file: 0, length: 2, needsSpace: true, flags: none},
	326: {name: "copy", folder: none, path: none, file: 2, length: 4, needsSpace: true, flags: none},
	77:  {name: "truncate", folder: none, path: none, file: 0, length: none, flags: none},
	2:   {name: "open", folder: none, path: 0, file: none, length: none, needsSpace: true, flags: 1},
	257: {name: "open", folder: 0, path: 1, file: none, length: none, needsSpace: true, flags: 2},
	82:  {name: "rename", folder: none, path: 1, file: none, length: none, flags: none},
	264: {name: "rename", folder: 2, path: 3, file: none, length: none, flags: none},
	316: {name: "rename", folder: 2, path: 3, file: none, length: none, flags: none},
	83:  {name: "mkdir", folder: none, path: 0, file: none, length: none, needsSpace: true, flags: none},
	258: {name: "mkdir", folder: 0, path: 1, file: none, length: none, needsSpace: true, flags: none},
	87:  {name: "unlink", folder: none, path: 0, file: none, length: none, flags: none},
	263: {name: "unlink", folder: 0, path: 1, file: none, length: none, flags: none},
	86:  {name: "link", folder: none, path: 1, file: none, length: none, needsSpace: true, flags: none},
	265: {name: "link", folder: 2, path: 3, file: none, length: none, needsSpace: true, flags: none},
	88:  {name: "symlink", folder: none, path: 1, file: none, length: none, needsSpace: true, flags: none},
	266: {name: "symlink", folder: 1, path: 2, file: none, length: none, needsSpace: true, flags: none},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == child {
		runtime.LockOSThread()
		fail("seccomp", installFilter())
		fail("exec", syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
	}
	logFile := flag.String("log", "", "gets a line for each write")
	below := flag.String("below", "", "prefixes of the paths that count")
	at := flag.Int("at", 0, "the write, from 1")
	resume := flag.String("resume", "", "ends a pause")
	fault := flag.String("fault", "kill", "what happens at it")
	flag.Parse()
	log, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	fail("log", err)
	t := &tracer{log: log, below: strings.Split(*below, ":"), at: *at, fault: *fault, resume: *resume, seen: map[int]bool{}, halved: map[int]bool{}}
	os.Exit(t.run(flag.Args()))
}

func fail(what string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracer:", what, err)
		os.Exit(125)
	}
}

type tracer struct {
	log    *os.File
	below  []string
	at     int
	fault  string
	resume string
	count  int
	isFull bool
	seen   map[int]bool
	// Threads in a half write: at its end they die, or find the disk full at the next one.
	halved map[int]bool
}

func (t *tracer) run(command []string) int {
	runtime.LockOSThread()
	self, err := os.Executable()
	fail("self", err)
	target, err := exec.LookPath(command[0])
	fail("command", err)
	cmd := exec.Command(self, append([]string{child, target}, command[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	fail("start", cmd.Start())
	root := cmd.Process.Pid
	var status syscall.WaitStatus
	_, err = syscall.Wait4(root, &status, 0, nil)
	fail("wait", err)
	t.seen[root] = true
	fail("options", syscall.PtraceSetOptions(root, exitKill|traceFilter|syscall.PTRACE_O_TRACECLONE|
		syscall.PTRACE_O_TRACEFORK|syscall.PTRACE_O_TRACEVFORK|syscall.PTRACE_O_TRACEEXEC|syscall.PTRACE_O_TRACESYSGOOD))
	_ = syscall.PtraceCont(root, 0)
	code := 0
	for {
		tid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			// Everything that the command has started has ended.
			return code
		}
		if status.Exited() || status.Signaled() {
			delete(t.seen, tid)
			delete(t.halved, tid)
			if tid == root {
				code = status.ExitStatus()
				if status.Signaled() {
					code = 128 + int(status.Signal())
				}
			}
			continue
		}
		t.stopped(tid, status)
	}
}

// Decides how a stopped thread goes on.
func (t *tracer) stopped(tid int, status syscall.WaitStatus) {
	signal := status.StopSignal()
	switch {
	case signal == syscall.SIGTRAP|0x80:
		t.halfWritten(tid)
	case signal == syscall.SIGTRAP && status.TrapCause() == filterEvent:
		t.change(tid)
	case signal == syscall.SIGTRAP && status.TrapCause() > 0:
		_ = syscall.PtraceCont(tid, 0)
	case signal == syscall.SIGSTOP && !t.seen[tid]:
		_ = syscall.PtraceCont(tid, 0)
	default:
		_ = syscall.PtraceCont(tid, int(signal))
	}
	t.seen[tid] = true
}

// A thread is about to change a file.
func (t *tracer) change(tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	what, known := changes[regs.Orig_rax]
	path := t.pathOf(tid, what, &regs)
	if !known || !t.counts(path) {
		_ = syscall.PtraceCont(tid, 0)
		return
	}
	exists := isThere(path)
	// It changes nothing.
	if what.name == "mkdir" && exists || what.name == "unlink" && !exists ||
		what.flags != none && exists && *argument(&regs, what.flags)&syscall.O_TRUNC == 0 {
		_ = syscall.PtraceCont(tid, 0)
		return
	}
	t.count++
	length := uint64(0)
	if what.length != none {
		length = *argument(&regs, what.length)
	}
	fmt.Fprintf(t.log, "%d %s %s %d %s\n", t.count, whoIs(tid), what.name, length, path)
	// A file that is there already needs none.
	what.needsSpace = what.needsSpace && (what.flags == none || !exists)
	if t.isFull && what.needsSpace {
		refuse(tid, &regs)
		return
	}
	if t.count != t.at {
		_ = syscall.PtraceCont(tid, 0)
		return
	}
	fmt.Fprintf(t.log, "struck %s\n", t.fault)
	isHalf := length > 1 && (strings.HasSuffix(t.fault, "half") || t.fault == "full")
	if isHalf {
		*argument(&regs, what.length) = length / 2
		_ = syscall.PtraceSetRegs(tid, &regs)
		t.halved[tid] = true
		_ = syscall.PtraceSyscall(tid, 0)
		return
	}
	switch t.fault {
	case "full":
		t.isFull = true
		if what.needsSpace {
			refuse(tid, &regs)
		} else {
			_ = syscall.PtraceCont(tid, 0)
		}
	case "pause":
		for !isThere(t.resume) {
			time.Sleep(20 * time.Millisecond)
		}
		_ = syscall.PtraceCont(tid, 0)
	default:
		t.kill(tid)
	}
}

// The end of the half that was written. The first stop can be the entry of the call.
func (t *tracer) halfWritten(tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) == nil && int64(regs.Rax) == -int64(syscall.ENOSYS) {
		_ = syscall.PtraceSyscall(tid, 0)
		return
	}
	if !t.halved[tid] {
		_ = syscall.PtraceCont(tid, 0)
		return
	}
	delete(t.halved, tid)
	if t.fault == "full" {
		t.isFull = true
		_ = syscall.PtraceCont(tid, 0)
		return
	}
	t.kill(tid)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Ends everything, by the end of this process, or the process of one thread.
func (t *tracer) kill(tid int) {
	if !strings.HasPrefix(t.fault, "writer") {
		os.Exit(137)
	}
	_ = syscall.Kill(processOf(tid), syscall.SIGKILL)
}

func refuse(tid int, regs *syscall.PtraceRegs) {
	regs.Orig_rax = ^uint64(0)
	regs.Rax = ^uint64(syscall.ENOSPC) + 1
	_ = syscall.PtraceSetRegs(tid, regs)
	_ = syscall.PtraceCont(tid, 0)
}

func (t *tracer) counts(path string) bool {
	for _, prefix := range t.below {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func argument(regs *syscall.PtraceRegs, index int) *uint64 {
	return []*uint64{&regs.Rdi, &regs.Rsi, &regs.Rdx, &regs.R10, &regs.R8}[index]
}

// The file that the call changes; empty unless it is known.
func (t *tracer) pathOf(tid int, what change, regs *syscall.PtraceRegs) string {
	proc := fmt.Sprintf("/proc/%d/", tid)
	if what.path == none {
		found, _ := os.Readlink(proc + "fd/" + strconv.Itoa(int(int32(*argument(regs, what.file)))))
		return found
	}
	path := textAt(tid, uintptr(*argument(regs, what.path)))
	if strings.HasPrefix(path, "/") {
		return path
	}
	from := proc + "cwd"
	if what.folder != none {
		if folder := int32(*argument(regs, what.folder)); folder >= 0 {
			from = proc + "fd/" + strconv.Itoa(int(folder))
		}
	}
	folder, _ := os.Readlink(from)
	return folder + "/" + path
}

// A text that ends with a zero byte.
func textAt(tid int, address uintptr) string {
	var text []byte
	word := make([]byte, 8)
	for len(text) < 4096 {
		if _, err := syscall.PtracePeekData(tid, address, word); err != nil {
			break
		}
		for _, one := range word {
			if one == 0 {
				return string(text)
			}
			text = append(text, one)
		}
		address += 8
	}
	return string(text)
}

// The process of a thread.
func processOf(tid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	for _, line := range strings.Split(string(status), "\n") {
		if rest, found := strings.CutPrefix(line, "Tgid:\t"); found {
			pid, _ := strconv.Atoi(rest)
			return pid
		}
	}
	return tid
}

func whoIs(tid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", tid))
	words := strings.Split(string(line), "\x00")
	switch {
	case filepath.Base(words[0]) == "pulumi":
		return "pulumi"
	case strings.Contains(string(line), "dynamic-provider"):
		return "provider"
	default:
		return "orgseat"
	}
}

type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// Stops at the calls of `changes`, and lets all others pass.
func installFilter() error {
	const (
		load, equal, isSet, answer = 0x20, 0x15, 0x45, 0x06
		traced, allowed            = 0x7ff00000, 0x7fff0000
		creates                    = syscall.O_CREAT | syscall.O_TRUNC
	)
	program := []instruction{{load, 0, 0, 0}}
	for number, what := range changes {
		if what.flags == none {
			program = append(program, instruction{equal, 0, 1, uint32(number)}, instruction{answer, 0, 0, traced})
			continue
		}
		program = append(program,
			instruction{equal, 0, 4, uint32(number)},
			instruction{load, 0, 0, uint32(16 + 8*what.flags)},
			instruction{isSet, 0, 1, creates},
			instruction{answer, 0, 0, traced},
			instruction{answer, 0, 0, allowed})
	}
	program = append(program, instruction{answer, 0, 0, allowed})
	filter := struct {
		length uint16
		first  *instruction
	}{uint16(len(program)), &program[0]}
	const setNoNewPrivileges, filterMode, allThreads = 38, 1, 1
	if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.Syscall(setFilter, filterMode, allThreads, uintptr(unsafe.Pointer(&filter))); errno != 0 {
		return errno
	}
	return nil
}
