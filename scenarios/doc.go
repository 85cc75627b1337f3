// Package scenarios is the folder of everything that acts on a target and judges what it saw.
//
// Reading order: history (what happened, as data), catalogue (what is asked), then one pack, such as lost: response.go acts,
// response_rule.go judges. Package run puts them together. house_test.go holds the rules of who may import whom.
package scenarios
