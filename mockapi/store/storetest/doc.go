// Package storetest gives tests a place of their own in the PostgreSQL database that ONCESPEC_POSTGRES names, and skips them
// where it names none, unless ONCESPEC_REQUIRE lists postgres. It must not know what is stored there. Start reading at Schema.
package storetest
