package board

import "blackboard/board/store"

// placeOf is where the runs of a directory are.
var placeOf = func(dir string) store.Place { return files(dir) }
