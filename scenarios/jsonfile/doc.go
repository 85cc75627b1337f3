// Package jsonfile reads the JSON files that runs leave behind (plans, histories, schedules), strictly, and says where in the
// file something is wrong: people cut them short, edit them, and keep them for longer than a version lasts.
//
// It must not know what the files are for. Start reading at Decode.
package jsonfile
