package race_test

import (
	"testing"

	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
