// Package valve holds callers until somebody decides what becomes of them.
//
// One side sends its callers through [Valve.Pass]; the other side places a [Hold], waits until callers have arrived at it,
// looks at the world while they stand there, and then releases, fails or drops them. Nothing in it sleeps or polls.
//
// It does not know what a caller is: the type parameter is whatever describes one.
//
// Start reading at [Valve.Hold].
package valve
