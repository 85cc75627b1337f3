package config

import "fmt"

// Place tells where in its file a value stands, such as "oncespec.yaml:14", for people who have to change it. The value is
// named by JSON Pointer; where the file does not have it, the nearest one above it counts. Empty where the configuration never
// was a file.
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
