package life

import (
	"context"
	"time"
)

// Shell runs a shell command that acts on a target and is no part of its life, as hooks are run: within a limit, and with
// all that it started gone afterwards where it does not keep to it. Env, as NAME=value, is added to the environment of this
// program. What names it in an error.
func Shell(ctx context.Context, what, command, dir string, limit time.Duration, env ...string) error {
	return NewHooks(HookCommands{Dir: dir, Limit: limit, Env: env}).run(ctx, what, command)
}
