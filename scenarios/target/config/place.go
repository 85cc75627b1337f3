package config

import "fmt"

// Place is where in its file a value stands, for whoever has to change it: "oncespec.yaml:14". It is named by JSON Pointer; one
// that is not there is at the nearest above it. Empty where the configuration was never a file.
func (c *Config) Place(pointer string) string {
	if c.source == nil || c.Path == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.source.name, c.source.keyAt(pointer).line)
}

// Setting names a value and its place, such as "contract.name (oncespec.yaml:3)". One that the file does not have is to be added.
func (c *Config) Setting(pointer string) string {
	name := dotted(pointer)
	switch place := c.Place(pointer); {
	case place == "":
		return name
	case !c.source.has(pointer):
		return name + " (to be added to " + c.source.name + ")"
	default:
		return name + " (" + place + ")"
	}
}
