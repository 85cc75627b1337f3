package life

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	// imageLimit bounds the pull or the build of an image.
	imageLimit = 5 * time.Minute
	// programAt is where a program stands in an image made of nothing else.
	programAt = "/program"
	imageTag  = "run"
)

// Image is where a container's image comes from: Ref, or Build, or Program. What is built for a container goes with it.
type Image struct {
	// Ref is an image by its name. It is pulled if it is not here.
	Ref string
	// Build is a folder to build an image from, by the recipe in its file Dockerfile, or the one named here.
	Build, Dockerfile string
	// Program is a static program that makes up the image, run as PID 1. Files stand beside it: path there → file here.
	Program string
	Files   map[string]string
}

func (i Image) String() string {
	switch {
	case i.Ref != "":
		return "container of " + i.Ref
	case i.Build != "":
		return "container built from " + i.Build
	}
	return "container of " + filepath.Base(i.Program)
}

// ErrNotStatic says that a program cannot run in an image that holds nothing else.
var ErrNotStatic = errors.New("not a static program")

// checkStatic sees that a program needs nothing beside it, and is one for the given machine, as Docker calls it.
func checkStatic(program, arch string) error {
	advice := "build it with CGO_ENABLED=0 GOOS=linux"
	f, err := elf.Open(program)
	var format *elf.FormatError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("program %s: %w", program, ErrNotFound)
	case errors.As(err, &format) || errors.Is(err, io.EOF):
		return fmt.Errorf("program %s: %w: it is no program for Linux (%v); %s", program, ErrNotStatic, err, advice)
	case err != nil:
		return fmt.Errorf("program %s: %w", program, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			needs, _ := f.ImportedLibraries()
			return fmt.Errorf("program %s: %w: it is linked dynamically, and needs a loader and %s, which an image made of it alone does not have; %s", program, ErrNotStatic, strings.Join(needs, ", "), advice)
		}
	}
	machines := map[string]elf.Machine{"x86_64": elf.EM_X86_64, "amd64": elf.EM_X86_64, "aarch64": elf.EM_AARCH64, "arm64": elf.EM_AARCH64}
	if want, known := machines[arch]; known && f.Machine != want {
		return fmt.Errorf("program %s: it is for another machine: expected %v, found %v; set GOARCH", program, want, f.Machine)
	}
	return nil
}

// scratch makes the context of a build FROM scratch: one program, the files beside it, and a folder for temporary ones. The
// labels come first, so that every layer has them, also those of a build that was cut off.
func scratch(program string, files, labels map[string]string) (*bytes.Reader, error) {
	recipe := bytes.NewBufferString("FROM scratch\nLABEL")
	for _, name := range sorted(labels) {
		fmt.Fprintf(recipe, " %s=%s", quoted(name), quoted(labels[name]))
	}
	fmt.Fprintf(recipe, "\nCOPY root/ /\nENTRYPOINT [%s]\n", quoted(programAt))

	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	err := errors.Join(
		w.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(recipe.Len())}),
		copyAll(w, recipe),
		w.WriteHeader(&tar.Header{Name: "root/tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}),
		addFile(w, "root"+programAt, program, 0o755))
	for _, at := range sorted(files) {
		err = errors.Join(err, addFile(w, path.Join("root", path.Clean("/"+at)), files[at], 0o644))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("image of %s: %w", program, err)
	}
	return bytes.NewReader(archive.Bytes()), nil
}

func copyAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

func addFile(w *tar.Writer, name, file string, mode int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", file)
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: info.Size()}); err != nil {
		return err
	}
	return copyAll(w, f)
}

// quoted is a word as recipes spell it.
func quoted(s string) string {
	text, _ := json.Marshal(s)
	return strings.ReplaceAll(string(text), "$", `\$`)
}

func sorted(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// built is the build that makes the image, or nil where the image is one that exists.
func (c *Container) build(d *docker) (*testcontainers.FromDockerfile, error) {
	from := &testcontainers.FromDockerfile{
		Repo: c.name, Tag: imageTag, KeepImage: true, // removed by Close, together with all else
		BuildLogWriter: &c.builder,
	}
	switch {
	case c.box.Beside != nil:
		return nil, nil
	case c.image.Program != "":
		if err := checkStatic(c.image.Program, d.info.Architecture); err != nil {
			return nil, err
		}
		archive, err := scratch(c.image.Program, c.image.Files, c.labels)
		if err != nil {
			return nil, err
		}
		from.ContextArchive = archive
		return from, nil
	case c.image.Build != "":
		if !isDir(c.image.Build) {
			return nil, fmt.Errorf("folder %s to build an image from: %w", c.image.Build, ErrNotFound)
		}
		from.Context, from.Dockerfile = c.image.Build, c.image.Dockerfile
		from.BuildOptionsModifier = func(o *client.ImageBuildOptions) { o.Labels = c.labels }
		return from, nil
	}
	return nil, nil
}

// pull fetches an image that is not here. The library would try again and again, and lose the reason.
func (d *docker) pull(ctx context.Context, image string) error {
	_, err := d.api.ImageInspect(ctx, image)
	if err == nil || !errdefs.IsNotFound(err) {
		return err
	}
	var options client.ImagePullOptions
	if _, auth, err := testcontainers.DockerImageAuth(ctx, image); err == nil {
		options.RegistryAuth, _ = authconfig.Encode(auth)
	}
	pull, err := d.api.ImagePull(ctx, image, options)
	if err == nil {
		err = pull.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("image %s is not here and cannot be pulled: %w", image, err)
	}
	return nil
}

// imageName is how Docker knows the image.
func (c *Container) imageName() string {
	switch {
	case c.box.Beside != nil:
		return c.box.Beside.imageName()
	case c.image.Ref != "":
		return c.image.Ref
	}
	return c.name + ":" + imageTag
}
