// Command protogen writes the Go code of a .proto file beside it: protocompile parses, and the two official plugins, run as
// this module's tools, write. It is protoc for one file, from Go modules alone: no binary is downloaded, and the versions
// are those of go.mod. It knows no shop.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: protogen FILE.proto")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string) error {
	dir, name := filepath.Split(path)
	file, err := parse(ctx, dir, name)
	if err != nil {
		return err
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return err
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := generate(ctx, plugin, request, dir); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// parse reads a file that imports no other.
func parse(ctx context.Context, dir, name string) (*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{dir}},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments go into the code
	}
	files, err := compiler.Compile(ctx, name)
	if err != nil {
		return nil, err
	}
	if files[0].Imports().Len() > 0 {
		return nil, fmt.Errorf("%s imports other files: pass them on to the plugins first", name)
	}
	return protoutil.ProtoFromFileDescriptor(files[0]), nil
}

// generate asks one plugin for its files and writes them into dir.
func generate(ctx context.Context, plugin string, request []byte, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "tool", plugin)
	cmd.Stdin = bytes.NewReader(request)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var answer pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("%s", answer.GetError())
	}
	for _, f := range answer.File {
		if err := os.WriteFile(filepath.Join(dir, f.GetName()), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
