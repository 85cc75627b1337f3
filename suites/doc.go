// Package suites turns a plan into a Ginkgo tree: for every scenario and operation one ordered container whose specs are the
// requirements' sentences.
//
// Register lets a host suite import the specs, Run drives them for the command, TestHandler runs what needs no process
// against an http.Handler in a plain Go test. The package registers nothing by itself and sets no global fail handler. It must
// not know how scenarios act or how rules judge. Start reading at Options, then Register.
package suites
