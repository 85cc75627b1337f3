// Package display makes text from outside fit to be shown to people: what a target, a configuration or a file name says must
// neither move the cursor of a terminal nor change the order in which a page is read.
//
// It knows characters only, and must not know what they say. Start reading at Text.
package display
