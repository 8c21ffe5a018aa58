package main

import (
	"testing"

	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
