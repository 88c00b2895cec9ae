package result

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// filled returns a document in which every field, however deep, holds something.
func filled(t *testing.T) (r Result) {
	t.Helper()
	n := int64(0)
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		n++
		if words := enums[v.Type()]; words != nil {
			v.Set(reflect.ValueOf(words[0]))
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				v.Set(reflect.ValueOf(time.Unix(n, 5000).UTC()))
				return
			}
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf("b"))
		case reflect.String:
			v.SetString(strings.Repeat("<é>", int(n%3)+1))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Float64:
			v.SetFloat(float64(n) + 0.1)
		case reflect.Int, reflect.Int64:
			v.SetInt(n)
		case reflect.Uint32:
			v.SetUint(uint64(n))
		default:
			t.Fatalf("a field of kind %v", v.Kind())
		}
	}
	fill(reflect.ValueOf(&r).Elem())
	r.Schema = Schema
	return r
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := filled(t)
	path := filepath.Join(t.TempDir(), "result.json")
	for range 2 { // the second time over the first
		if err := WriteFile(path, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestJoined(t *testing.T) {
	t.Parallel()
	const text = "{\n \"a\": [\n  1,\n  2\n ],\n \"b\": {\n  \"c\": {\n   \"d\": \"} {\"\n  },\n  \"e\": []\n },\n \"f\": \"[\",\n \"g\": [\n  {\n   \"h\": {}\n  }\n ]\n}\n"
	const want = "{\n \"a\": [1, 2],\n \"b\": {\n  \"c\": {\"d\": \"} {\"},\n  \"e\": []\n },\n \"f\": \"[\",\n \"g\": [\n  {\"h\": {}}\n ]\n}\n"
	if diff := cmp.Diff(want, string(joined([]byte(text)))); diff != "" {
		t.Error(diff)
	}
	var a, b any
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(joined([]byte(text)), &b); err != nil || cmp.Diff(a, b) != "" {
		t.Errorf("it means something else now: %v", err)
	}
}

// Every field has a name of its own in the document, in lower case, and "not known" is written as null.
func TestNamesAndNulls(t *testing.T) {
	t.Parallel()
	var walk func(reflect.Type)
	seen := map[reflect.Type]bool{}
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			name := f.Tag.Get("json")
			if name == "" || name != strings.ToLower(name) || strings.Contains(name, ",") {
				t.Errorf("%v.%s is written as %q", typ, f.Name, name)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Result]())
	text, err := json.Marshal(Step{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"from_due", "from_send", "successes_from_due", "machine"} {
		if !bytes.Contains(text, []byte(`"`+name+`":null`)) {
			t.Errorf("%s is not null in %s", name, text)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text string }{
		{"nothing", ""},
		{"no JSON", "hello"},
		{"another schema", `{"schema":"splitshop-result/2"}`},
		{"no schema", `{}`},
		{"unknown field", `{"schema":"splitshop-result/1","speed":1}`},
		{"trailing data", `{"schema":"splitshop-result/1"} {}`},
		{"cut", `{"schema":"splitshop-result/1","designs":[`},
	} {
		if r, err := Decode(strings.NewReader(test.text)); err == nil {
			t.Errorf("%s: read as %+v", test.name, r)
		}
	}
}

func TestAFailedWriteLeavesWhatWasThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o755); err != nil { // a directory cannot be replaced by a file
		t.Fatal(err)
	}
	if err := WriteFile(path, Result{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := WriteFile(filepath.Join(dir, "missing", "result.json"), Result{}); err == nil {
		t.Error("written into a directory that is not there")
	}
}

func TestAFullDiskIsNamed(t *testing.T) {
	t.Parallel()
	err := writeError("out/result.json", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if !strings.Contains(err.Error(), "disk is full") {
		t.Error(err)
	}
	if err := writeError("out/result.json", syscall.EACCES); strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
}
