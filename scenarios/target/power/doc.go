// Package power finds out what a way of bringing requests together can see: it races the known-racy server by it, and says how
// often two of them both did the work, as a function of the window that they had to meet in.
//
// It must not know the target or its operations. Start reading at [Open], then [Range.Measure].
package power
