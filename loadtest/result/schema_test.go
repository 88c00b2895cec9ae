package result

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write schema.json again")

// enums are the words of the types that have a fixed list of them.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[Outcome]():           {Invalid, Insufficient, Fail, Pass, Outcome("")}, // "": a warm-up, which nobody judges
	reflect.TypeFor[Resource]():          {Quotas, Cores, Locks, Pools, Nothing},
	reflect.TypeFor[ComparisonVerdict](): {ComparisonInvalid, Undecided, Ahead, Tie},
	reflect.TypeFor[CapacityStatus]():    {Found, AtLeast, Below, NonMonotonic, NotValid, TooFewArrivals},
}

// object is one in JSON.
type object = map[string]any

// generator makes the schema of Go types as encoding/json writes them.
type generator struct{ defs object }

// schemaOf returns a type's schema; structs become definitions, and what is a pointer may be null.
func (g generator) schemaOf(t *testing.T, typ reflect.Type) object {
	t.Helper()
	if words := enums[typ]; words != nil {
		return object{"enum": words}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return object{"anyOf": []any{g.schemaOf(t, typ.Elem()), object{"type": "null"}}}
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() {
			return object{"type": "string", "format": "date-time"}
		}
		if g.defs[typ.Name()] == nil {
			g.defs[typ.Name()] = object{} // it may hold itself
			g.defs[typ.Name()] = g.fieldsOf(t, typ)
		}
		return object{"$ref": "#/$defs/" + typ.Name()}
	case reflect.Slice:
		return object{"type": "array", "items": g.schemaOf(t, typ.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.schemaOf(t, typ.Elem())}
	case reflect.Interface:
		return object{}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint32:
		return object{"type": "integer", "minimum": 0}
	}
	t.Fatalf("no schema for a field of type %v", typ)
	return nil
}

func (g generator) fieldsOf(t *testing.T, typ reflect.Type) object {
	t.Helper()
	properties, required := object{}, []string{}
	for f := range typ.Fields() {
		name := f.Tag.Get("json")
		properties[name] = g.schemaOf(t, f.Type)
		required = append(required, name)
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func generated(t *testing.T) []byte {
	t.Helper()
	g := generator{defs: object{}}
	top := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": Schema, "$defs": g.defs}
	maps.Copy(top, g.schemaOf(t, reflect.TypeFor[Result]()))
	g.defs["Result"].(object)["properties"].(object)["schema"] = object{"const": Schema}
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// A field that is added, renamed or given another type is missed here.
func TestSchemaIsOfTheTypes(t *testing.T) {
	t.Parallel()
	want := generated(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), JSONSchema()); diff != "" {
		t.Errorf("schema.json is stale: go test ./loadtest/result -update\n%s", diff)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(generated(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("result.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// documents are a recorded run, cut to a few steps, and one in which every field holds something.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	recorded, err := os.ReadFile(filepath.Join("testdata", "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var full bytes.Buffer
	if err := Encode(&full, filled(t)); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"recorded": recorded, "filled": full.Bytes()}
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDocumentsAreOfTheSchema(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for name, text := range documents(t) {
		if err := schema.Validate(parse(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(bytes.NewReader(documents(t)["recorded"])); err != nil {
		t.Errorf("recorded, read: %v", err)
	}
}

// The negative control, at every kind of object of a document that has them all: a field that is missing, one too many and
// one of another type are each refused.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	doc := parse(t, documents(t)["filled"])
	tried, seen := 0, map[string]bool{} // by the names of an object's fields
	refused := func(where, what string) {
		tried++
		if schema.Validate(doc) == nil {
			t.Errorf("%s: %s is accepted", where, what)
		}
	}
	var spoil func(where string, v any)
	spoil = func(where string, v any) {
		switch v := v.(type) {
		case []any:
			spoil(where+"[0]", v[0])
		case object:
			if strings.HasSuffix(where, ".versions") || strings.HasSuffix(where, ".stats") {
				return // their names are free
			}
			names := slices.Sorted(maps.Keys(v))
			all := strings.Join(names, " ")
			if seen[all] {
				return
			}
			seen[all] = true
			v["speed"] = 1
			refused(where, "one field too many")
			delete(v, "speed")
			for _, name := range names {
				good := v[name]
				delete(v, name)
				refused(where, "without "+name)
				v[name] = []any{true, object{}}
				refused(where, "another type of "+name)
				v[name] = good
				spoil(where+"."+name, good)
			}
		}
	}
	spoil("", doc)
	if tried < 300 {
		t.Errorf("only %d ways to be wrong were tried", tried)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("after all was mended: %v", err)
	}
}

func TestSchemaKnowsItsVersionAndWords(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	text := documents(t)["recorded"]
	for _, test := range []struct{ name, old, other string }{
		{"version", `"splitshop-result/1"`, `"splitshop-result/2"`},
		{"outcome", `"outcome": "PASS"`, `"outcome": "GOOD"`},
		{"capacity's status", `"status": "`, `"status": "about `},
		{"time", `"started": "2`, `"started": "yesterday 2`},
		{"null where something must be", `"mode": "ramp"`, `"mode": null`},
	} {
		other := bytes.Replace(text, []byte(test.old), []byte(test.other), 1)
		if bytes.Equal(other, text) {
			t.Fatalf("%s: the document has no %s", test.name, test.old)
		}
		if schema.Validate(parse(t, other)) == nil {
			t.Errorf("%s: %s is accepted", test.name, test.other)
		}
	}
}
