// Package needtest is for tests that need more than this program, such as a database or Docker: where that is missing they are
// skipped, and fail where ONCESPEC_REQUIRE lists it (docker,postgres,mount,fiber), so that no machine leaves them out unnoticed.
//
// It must not know what any of it is, nor how it is reached. Start reading at [Have].
package needtest
