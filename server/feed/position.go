package feed

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Place is a place in the readers' order: everything up to it was seen.
type Place struct {
	XID uint64
	ID  int64
}

// Compare orders places as the readers' order does.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.XID, other.XID), cmp.Compare(p.ID, other.ID))
}

// Identity is the cluster and the timeline in which a place means something.
type Identity struct {
	System   int64
	Timeline int32
}

// Position is a place with the cluster that it belongs to; its text is what clients keep.
type Position struct {
	Identity
	Place
}

// ErrPosition: the text is not a position.
var ErrPosition = errors.New("not a position")

// String is the form that road.position writes.
func (p Position) String() string {
	return fmt.Sprintf("%x-%x-%d-%d", uint64(p.System), uint32(p.Timeline), p.XID, p.ID)
}

// ParsePosition reads what String wrote, and nothing else.
func ParsePosition(text string) (Position, error) {
	parts := strings.Split(text, "-")
	if len(parts) != 4 {
		return Position{}, ErrPosition
	}
	system, err1 := strconv.ParseUint(parts[0], 16, 64)
	timeline, err2 := strconv.ParseUint(parts[1], 16, 32)
	xid, err3 := strconv.ParseUint(parts[2], 10, 63)
	id, err4 := strconv.ParseInt(parts[3], 10, 64)
	p := Position{Identity{int64(system), int32(uint32(timeline))}, Place{xid, id}}
	if errors.Join(err1, err2, err3, err4) != nil || p.String() != text {
		return Position{}, ErrPosition
	}
	return p, nil
}
