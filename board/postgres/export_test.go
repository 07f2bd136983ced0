package postgres

import "blackboard/testdata/pgtest"

// Server is the server of the tests.
func Server() *pgtest.Server { return server }
