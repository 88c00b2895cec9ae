package sql_test

import (
	"testing"

	"splitshop/sql/sqltest"
)

func TestMain(m *testing.M) { sqltest.Main(m) }
