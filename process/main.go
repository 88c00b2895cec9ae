package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// App names a binary and the defaults that differ from binary to binary.
type App struct {
	Name        string
	Description string
	Addr        string // default of --addr
	AdminAddr   string // default of --admin-addr
	Pool        int    // default of --pool, where the binary has a Database
}

// Env is what a command's Run gets besides its flags.
type Env struct {
	App App
	Log *slog.Logger // JSON lines; passwords of connection strings are hidden, whoever logs them

	level    *slog.LevelVar
	settings []slog.Attr // the effective configuration, secrets masked
}

func newEnv(app App, stdout io.Writer) *Env {
	level := new(slog.LevelVar)
	handler := slog.NewJSONHandler(stdout, &slog.HandlerOptions{Level: level, ReplaceAttr: maskAttr})
	return &Env{App: app, Log: slog.New(handler).With("service", app.Name), level: level}
}

// Main runs the binary: it parses the arguments into command, a pointer to a kong grammar whose chosen command has a
// Run(context.Context, *Env) error, and calls that. It is the one place that exits: 0 when Run ended well, 2 for wrong
// usage, 1 for everything else.
func Main(app App, command any) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads any more must not end a server before it has drained
	context.AfterFunc(ctx, stop)   // a second signal finds the default behaviour: it ends the process
	os.Exit(run(ctx, app, command, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, app App, command any, args []string, stdout, stderr io.Writer) int {
	env := newEnv(app, stdout)
	err := dispatch(ctx, env, command, args, stdout, stderr)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %v\n", app.Name, err)
		return 2
	default:
		env.Log.Error("failed", "error", err)
		fmt.Fprintf(stderr, "%s: %s\n", app.Name, mask(err.Error()))
		return 1
	}
}

// usageError is the caller's mistake on the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + " (see --help)" }
func (e *usageError) Unwrap() error { return e.err }

// Usage returns err as a mistake on the command line: the exit code is 2.
func Usage(err error) error { return &usageError{err} }

func dispatch(ctx context.Context, env *Env, command any, args []string, stdout, stderr io.Writer) error {
	helped := false
	parser, err := kong.New(command,
		kong.Name(env.App.Name),
		kong.Description(env.App.Description),
		kong.DefaultEnvars("SHOP"),
		kong.Vars{
			"addr":       env.App.Addr,
			"admin_addr": env.App.AdminAddr,
			"pool":       fmt.Sprint(env.App.Pool),
		},
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), // only --help asks for it
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(env),
	)
	if err != nil {
		return fmt.Errorf("the command line's grammar: %w", err)
	}
	parsed, err := parser.Parse(args)
	if helped {
		return nil
	}
	if err != nil {
		return Usage(err)
	}
	env.settings = settings(parsed)
	return parsed.Run()
}

// settings lists the value of each flag, however it was given.
func settings(parsed *kong.Context) []slog.Attr {
	var attrs []slog.Attr
	for _, flag := range parsed.Flags() {
		if flag.Name == "help" {
			continue
		}
		value := fmt.Sprint(parsed.FlagValue(flag))
		if flag.Tag.Has("secret") {
			value = maskURL(value)
		}
		attrs = append(attrs, slog.String(flag.Name, value))
	}
	return attrs
}

// maskURL hides the password of a URL, and all of what is no URL.
func maskURL(s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return "xxxxx"
	}
	query := u.Query()
	for key := range query {
		if strings.Contains(key, "password") {
			query.Set(key, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

var (
	urlPassword = regexp.MustCompile(`(://[^:/@\s]*:)\S*@`)
	keyPassword = regexp.MustCompile(`(password\s*=\s*)('[^']*'|[^\s&]+)`)
)

// mask hides passwords in text that may quote a connection string, such as a driver's error.
func mask(s string) string {
	return keyPassword.ReplaceAllString(urlPassword.ReplaceAllString(s, "${1}xxxxx@"), "${1}xxxxx")
}

func maskAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, mask(v.String()))
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			return slog.String(a.Key, mask(err.Error()))
		}
	}
	return a
}
