//go:build !linux

package main_test

import "errors"

func mount(string, int) error { return errors.New("it takes Linux") }

func unmount(string) error { return nil }
