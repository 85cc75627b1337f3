package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"
)

// A terminal that does not tell its width has usualWidth; in one that is narrower than narrowest, nothing is broken.
const usualWidth, narrowest = 100, 30

// terminal tells whether somebody looks at what is written, and how many columns they see.
func terminal(w io.Writer) (width int, is bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width, true
	}
	return usualWidth, true
}

// coloured tells whether colour is welcome: a terminal, and NO_COLOR is not set.
func coloured(w io.Writer) bool {
	_, is := terminal(w)
	return is && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// fit lets print write for people: on a terminal, what is longer than a line goes on below, indented by hang. Elsewhere, where
// a program may read it, each line stays one.
func fit(w io.Writer, hang int, print func(io.Writer) error) error {
	width, is := terminal(w)
	if !is {
		return print(w)
	}
	var text strings.Builder
	err := print(&text)
	if _, failed := io.WriteString(w, hung(text.String(), width, hang)); err == nil {
		err = failed
	}
	return err
}

// hung breaks lines between words, and never inside one: addresses and paths are there to be copied, and a line that is a
// command stays whole. Where the indent would leave too little room it is a small one.
func hung(text string, width, hang int) string {
	if width < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		own := len(line) - len(strings.TrimLeft(line, " "))
		if strings.HasPrefix(line[own:], "oncespec ") {
			b.WriteString(line)
			continue
		}
		margin := own + hang
		if width-margin < narrowest {
			margin = own + min(hang, 2)
		}
		words := strings.Split(line[own:], " ")
		b.WriteString(line[:own] + words[0])
		column := own + lipgloss.Width(words[0])
		for _, word := range words[1:] {
			if size := lipgloss.Width(word); word == "" || column+1+size <= width || column <= margin {
				b.WriteString(" " + word)
				column += 1 + size
			} else {
				b.WriteString("\n" + strings.Repeat(" ", margin) + word)
				column = margin + size
			}
		}
	}
	return b.String()
}

// printColumns sets cells below one another. On a terminal the last of a line goes on in its own column.
func printColumns(out io.Writer, lines [][]string) error {
	var widest []int
	for _, cells := range lines {
		for i, cell := range cells[:len(cells)-1] {
			if i == len(widest) {
				widest = append(widest, 0)
			}
			widest[i] = max(widest[i], lipgloss.Width(cell))
		}
	}
	last := 0
	for _, w := range widest {
		last += w + gap
	}
	return fit(out, last, func(out io.Writer) error {
		w := tabwriter.NewWriter(out, 0, 8, gap, ' ', 0)
		for _, cells := range lines {
			fmt.Fprintln(w, strings.Join(cells, "\t"))
		}
		return w.Flush()
	})
}

// gap is the space between columns.
const gap = 2
