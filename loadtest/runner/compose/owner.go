package compose

import (
	"io/fs"
	"syscall"
)

// ownerOf is the number of the user that a file belongs to, where the system tells.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
