package telemetry

import "context"

// Line is what a handler adds to the line that is logged for its request. Never a body, a token or a query string.
type Line struct {
	RequestID string // set before the handler runs
	Sender    string // who, once that is known
	Subject   string // kind/ref
	Outcome   string // a command's answer
	Reason    string // reason code of the answer
	Viewers   *int   // how many still follow the live stream when one of them is gone; nil for any other request
}

type lineKey struct{}

// FromContext gives the line of the request that is being served; outside a request a line that nobody logs.
func FromContext(ctx context.Context) *Line {
	if line, ok := ctx.Value(lineKey{}).(*Line); ok {
		return line
	}
	return &Line{}
}

func withLine(ctx context.Context, line *Line) context.Context {
	return context.WithValue(ctx, lineKey{}, line)
}
