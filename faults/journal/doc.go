// Package journal remembers what this program has started, so that the next one can end it where this one was killed.
//
// Whoever starts something that may outlive the program (a process, a container, a folder, a proxy on a server of somebody
// else's, a pause of somebody else's target) calls [Begin] before, and [Entry.End] when it is gone. What is noted stands in a
// file of the program's own, in the user's state folder ($XDG_STATE_HOME/oncespec, else ~/.local/state/oncespec, else the
// folder for temporary files), and has been handed to the system when Begin returns: a SIGKILL a moment later changes nothing.
// The file goes when nothing is left in it. [Sweep] reads the files of programs that have ended and has what they name ended;
// those of programs that live, and of other machines, are never touched.
//
// It does not know how anything is ended. Start reading at [Begin] and [Sweep]; who is dead is in owner.go.
package journal
