package crew

import "context"

// Context returns the context of a call: ctx, or one that never ends if that is nil.
func Context(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
