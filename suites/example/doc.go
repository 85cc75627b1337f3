// Package example shows a Ginkgo suite of one's own that imports oncespec's specs: they stand beside specs that know the API
// better, and run with them. It must not be more than an example. Start reading at host_suite_test.go.
package example
