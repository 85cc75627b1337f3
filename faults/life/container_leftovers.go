package life

import (
	"context"
	"errors"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// sweep removes what runs left behind that were killed before they could tidy up: containers, then what only they held. It
// does what it can; another run may be at it, too.
func (d *docker) sweep(ctx context.Context) error {
	return d.remove(ctx, labelPID, dead)
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
