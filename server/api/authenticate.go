package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"umpire/server/road"
)

// bearer takes the token out of an Authorization header; empty when there is none of the right form.
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	// b64token of RFC 6750: nothing else can be a token, and nothing else goes to the database.
	for _, c := range []byte(token) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~+/=", c) >= 0:
		default:
			return ""
		}
	}
	return token
}

// whoSends finds the sender of a request, or the refusal that says why there is none.
func (a *API) whoSends(ctx context.Context, header string) (road.Sender, *verdict) {
	token := bearer(header)
	if token == "" {
		return road.Sender{}, refuse(http.StatusUnauthorized, reasonSenderUnknown, "Send the token as Authorization: Bearer TOKEN.").with("WWW-Authenticate", challenge)
	}
	sender, err := a.engine.Authenticate(ctx, token)
	var unavailable *road.UnavailableError
	switch {
	case err == nil:
		return sender, nil
	case errors.Is(err, road.ErrUnknownSender):
		return road.Sender{}, refuse(http.StatusUnauthorized, reasonSenderUnknown, "The sender is unknown or disabled, or its token is no longer valid.").
			with("WWW-Authenticate", challenge+`, error="invalid_token"`)
	case errors.As(err, &unavailable):
		return road.Sender{}, a.reasons.tryAgain(unavailable)
	}
	return road.Sender{}, internalError()
}
