package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A crew is workers, each a process of its own.
type crew []*member

// A member is a worker, from outside.
type member struct {
	process *exec.Cmd
	in      io.WriteCloser
	said    bytes.Buffer // on standard error
	results chan tally   // closed when the process has ended
}

// hire starts so many workers and returns when their Gates are open.
func hire(ctx context.Context, n int, s spec) (c crew, err error) {
	defer func() {
		if err != nil {
			c.end()
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for range n {
		m := &member{process: exec.Command(self, workerArgument), results: make(chan tally)}
		m.process.Stderr = &m.said
		m.process.SysProcAttr = dieWithParent()
		if m.in, err = m.process.StdinPipe(); err != nil {
			return c, err
		}
		out, err := m.process.StdoutPipe()
		if err != nil {
			return c, err
		}
		if err := m.process.Start(); err != nil {
			return c, err
		}
		c = append(c, m)
		go m.listen(out)
	}
	for _, m := range c {
		if err := m.tell(errand{Open: &s}); err != nil {
			return c, err
		}
	}
	for _, m := range c {
		if _, err := m.result(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

// end ends all workers, whatever they do.
func (c crew) end() {
	for _, m := range c {
		_ = m.in.Close()
		_ = m.process.Process.Signal(syscall.SIGCONT) // it may be stopped
	}
	for _, m := range c {
		limit := time.AfterFunc(5*time.Second, func() { _ = m.process.Process.Kill() })
		for range m.results { // until it is gone
		}
		limit.Stop()
	}
}

func (m *member) pid() int { return m.process.Process.Pid }

// tell gives an errand.
func (m *member) tell(e errand) error {
	if err := json.NewEncoder(m.in).Encode(e); err != nil {
		return fmt.Errorf("errand to a worker: %w", err)
	}
	return nil
}

// result waits for what came of an errand.
func (m *member) result(ctx context.Context) (tally, error) {
	select {
	case result, there := <-m.results:
		switch {
		case !there:
			return tally{}, fmt.Errorf("a worker ended before its time (%v): %s", m.process.ProcessState, m.said.String())
		case result.Error != "":
			return tally{}, errors.New("a worker could not do its errand: " + result.Error)
		}
		return result, nil
	case <-ctx.Done():
		return tally{}, ctx.Err()
	}
}

// kill kills the worker with -9 and proves that it is gone.
func (m *member) kill() error {
	if err := m.process.Process.Kill(); err != nil {
		return err
	}
	for range m.results {
	}
	if err := syscall.Kill(m.pid(), 0); !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("a worker was killed and is still there: %v", err)
	}
	return nil
}

// listen passes results on until the process has ended.
func (m *member) listen(out io.Reader) {
	defer close(m.results)
	defer func() { _ = m.process.Wait() }()
	for lines := json.NewDecoder(out); ; {
		var result tally
		if lines.Decode(&result) != nil {
			return
		}
		m.results <- result
	}
}
