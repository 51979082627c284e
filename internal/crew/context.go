package crew

import "context"

// Context returns ctx, or the background context if ctx is nil.
func Context(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
