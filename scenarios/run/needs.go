package run

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// configured returns what the configuration offers for an operation. Gate, no-body, large-body and change are assumed where
// the configuration allows them: the steady state tells.
func configured(cfg *config.Config, op *config.Operation) []catalogue.Need {
	inPath := strings.Contains(op.Request.Path, "{key}")
	json := op.Request.Body != nil || op.Request.BodyText != "" || op.Request.BodyFile != ""
	offered := map[catalogue.Need]bool{
		catalogue.NeedState:     len(op.Effects) > 0,
		catalogue.NeedResource:  resources(op) > 0,
		catalogue.NeedChange:    !inPath,
		catalogue.NeedTenants:   len(cfg.Target.Tenants) > 1,
		catalogue.NeedRenewed:   renewed(cfg),
		catalogue.NeedSecond:    second(cfg, op),
		catalogue.NeedGate:      cfg.Target.Downstream != nil,
		catalogue.NeedLifecycle: cfg.Target.Lifecycle != nil,
		catalogue.NeedStatus:    op.Status != nil,
		catalogue.NeedInvalid:   len(op.Samples.Invalid) > 0,
		catalogue.NeedRefused:   len(op.Samples.Refused) > 0,
		catalogue.NeedCrash:     len(op.Samples.Crash) > 0,
		catalogue.NeedAlter:     op.Alter != nil,
		catalogue.NeedMarker:    cfg.Contract.Marker.Name != "",
		catalogue.NeedNoBody:    true,
		catalogue.NeedLargeBody: true,
		catalogue.NeedKeyHeader: !inPath,
		catalogue.NeedKeyInPath: inPath,
		catalogue.NeedJSON:      json,
	}
	var offers []catalogue.Need
	for _, n := range catalogue.Needs() {
		if offered[n] {
			offers = append(offers, n)
		}
	}
	return offers
}

func resources(op *config.Operation) (n int) {
	for _, e := range op.Effects {
		if e.HTTP != nil || e.SQL != nil || e.Command != nil {
			n++
		}
	}
	return n
}

func renewed(cfg *config.Config) bool {
	for _, t := range cfg.Target.Tenants {
		if len(t.Renewed) > 0 {
			return true
		}
	}
	return false
}

func second(cfg *config.Config, op *config.Operation) bool {
	for _, name := range cfg.Order {
		if o := cfg.Operations[name]; o != op && !strings.Contains(o.Request.Path, "{key}") {
			return true
		}
	}
	return false
}
