package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Encode writes the document as indented JSON. What holds no further list or object is on one line.
func Encode(w io.Writer, r Result) error {
	r.Schema = Schema
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	_, err := w.Write(joined(text.Bytes()))
	return err
}

// joined puts each innermost list and object of indented JSON on one line. A line that opens one ends with its bracket, one that closes
// it begins so, and no string spans lines.
func joined(text []byte) []byte {
	var all, inner [][]byte // inner: since a bracket that was opened last
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		bare := bytes.TrimSpace(line)
		switch {
		case bytes.HasSuffix(bare, []byte("{")) || bytes.HasSuffix(bare, []byte("[")):
			all, inner = append(all, inner...), [][]byte{line}
		case len(inner) == 0:
			all = append(all, line)
		case bytes.HasPrefix(bare, []byte("}")) || bytes.HasPrefix(bare, []byte("]")):
			all, inner = append(all, onOneLine(append(inner, line))), nil
		default:
			inner = append(inner, line)
		}
	}
	return bytes.Join(append(all, inner...), nil)
}

// onOneLine keeps the first line's indentation and the last one's end.
func onOneLine(lines [][]byte) []byte {
	one := bytes.TrimRight(lines[0], "\n")
	for i, line := range lines[1:] {
		if i > 0 && i < len(lines)-2 {
			one = append(one, ' ')
		}
		one = append(one, bytes.TrimSpace(line)...)
	}
	return append(one, '\n')
}

// Decode reads a document, and refuses another schema, unknown fields and trailing data.
func Decode(r io.Reader) (Result, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Result{}, fmt.Errorf("reading the result: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Result{}, fmt.Errorf("reading the result: %w", err)
	}
	if head.Schema != Schema {
		return Result{}, fmt.Errorf("the result is of schema %q; this program reads %q", head.Schema, Schema)
	}
	var res Result
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&res); err != nil {
		return Result{}, fmt.Errorf("reading the result: %w", err)
	}
	return res, nil
}

// WriteFile writes the document as Replace does.
func WriteFile(path string, r Result) error {
	var data bytes.Buffer
	if err := Encode(&data, r); err != nil {
		return err
	}
	return Replace(path, data.Bytes())
}

// Replace writes a file so that path holds all of it or what it held before.
func Replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return writeError(path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = writeError(path, err)
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ReadFile reads a document from a file.
func ReadFile(path string) (Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	r, err := Decode(f)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func writeError(path string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("the result was not written to %s: the disk is full; %s is as it was before: %w", path, path, err)
	}
	return fmt.Errorf("the result was not written to %s: %w", path, err)
}
