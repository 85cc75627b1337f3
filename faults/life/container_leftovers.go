package life

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// looksForGood is how many times in a row nothing may be found before what was given up counts as gone.
const looksForGood = 5

// sweep removes what runs left behind that were killed before they could tidy up: containers, then what only they held. It
// does what it can; another run may be at it, too.
func (d *docker) sweep(ctx context.Context) error {
	return d.remove(ctx, labelPID, dead)
}

// removeAll removes everything that carries a label, and returns once nothing of it was found that many times in a row. What
// Docker refuses is tried again until the context ends: another program may be removing the same, and for as long as that has
// not taken the container away its volume and its image are in use.
func (d *docker) removeAll(ctx context.Context, label string, looks int) error {
	for empty := 0; ; {
		refused := d.remove(ctx, label, func(map[string]string) bool { return true })
		left, err := d.left(ctx, label)
		switch {
		case client.IsErrConnectionFailed(err):
			return err
		case err != nil:
			refused = errors.Join(refused, err)
			empty = 0
		case len(left) > 0:
			empty = 0
		default:
			empty++
		}
		if empty == looks {
			return nil
		}
		timer := time.NewTimer(lastPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if len(left) > 0 {
				refused = errors.Join(fmt.Errorf("there is still %s", strings.Join(left, ", ")), refused)
			}
			return errors.Join(ctx.Err(), refused)
		}
	}
}

// remove removes everything that carries a label and is meant.
func (d *docker) remove(ctx context.Context, label string, meant func(labels map[string]string) bool) error {
	labelled := make(client.Filters).Add("label", label)
	var errs []error
	containers, err := d.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: labelled})
	errs = append(errs, err)
	for _, c := range containers.Items {
		if meant(c.Labels) {
			errs = append(errs, d.removeContainer(ctx, c.ID))
		}
	}
	volumes, err := d.api.VolumeList(ctx, client.VolumeListOptions{Filters: labelled})
	errs = append(errs, err)
	for _, v := range volumes.Items {
		if meant(v.Labels) {
			errs = append(errs, d.removeVolume(ctx, v.Name))
		}
	}
	// Layers of one image hold one another: their order is not known, and removing the topmost takes the others along.
	images, err := d.api.ImageList(ctx, client.ImageListOptions{All: true, Filters: labelled})
	errs = append(errs, err)
	for _, i := range images.Items {
		if meant(i.Labels) {
			errs = append(errs, d.removeImage(ctx, i.ID))
		}
	}
	return errors.Join(errs...)
}

func (d *docker) removeContainer(ctx context.Context, id string) error {
	_, err := d.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && strings.Contains(err.Error(), "already in progress") {
		return nil
	}
	return unlessGone(err)
}

func (d *docker) removeVolume(ctx context.Context, name string) error {
	_, err := d.api.VolumeRemove(ctx, name, client.VolumeRemoveOptions{Force: true})
	return unlessGone(err)
}

func (d *docker) removeImage(ctx context.Context, id string) error {
	_, err := d.api.ImageRemove(ctx, id, client.ImageRemoveOptions{Force: true, PruneChildren: true})
	if errdefs.IsConflict(err) { // a layer of one that is removed later
		return nil
	}
	return unlessGone(err)
}

func unlessGone(err error) error {
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}

// Left lists what Docker still holds that the program with the number made on this machine: containers, volumes, images.
func Left(ctx context.Context, pid int) ([]string, error) {
	d, err := openDocker(ctx)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return d.left(ctx, labelPID+"="+strconv.Itoa(pid))
}

// left lists what carries a label.
func (d *docker) left(ctx context.Context, label string) ([]string, error) {
	labelled := make(client.Filters).Add("label", label)
	containers, err := d.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: labelled})
	if err != nil {
		return nil, err
	}
	volumes, err := d.api.VolumeList(ctx, client.VolumeListOptions{Filters: labelled})
	if err != nil {
		return nil, err
	}
	images, err := d.api.ImageList(ctx, client.ImageListOptions{All: true, Filters: labelled})
	if err != nil {
		return nil, err
	}
	var left []string
	for _, c := range containers.Items {
		left = append(left, "container "+c.ID)
	}
	for _, v := range volumes.Items {
		left = append(left, "volume "+v.Name)
	}
	for _, i := range images.Items {
		left = append(left, "image "+i.ID)
	}
	return left, nil
}
