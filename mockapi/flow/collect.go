package flow

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// collectTogether is how many records one transaction removes, so that none keeps the others waiting for long.
const collectTogether = 200

// collect removes records past their lifetime and counts them. Where the contract refuses such keys it removes only what the
// refusal does not need. Unresolved records are never among them.
func (f *Flow) collect(ctx context.Context) (collected int, err error) {
	for f.Contract.Lifetime > 0 {
		var found int
		err := f.Store.Update(ctx, func(tx store.Tx) (err error) {
			found, err = f.collectSome(tx)
			return err
		})
		if err != nil {
			return collected, fmt.Errorf("collect expired records: %w", err)
		}
		collected += found
		if found < collectTogether {
			break
		}
	}
	return collected, nil
}

func (f *Flow) collectSome(tx store.Tx) (collected int, err error) {
	now, err := f.Now(tx)
	if err != nil {
		return 0, err
	}
	claims, err := tx.SettledClaims(now.Add(-f.Contract.Lifetime), collectTogether)
	if err != nil {
		return 0, err
	}
	for _, claim := range claims {
		entry, err := decode(claim)
		if err != nil {
			return 0, err
		}
		if end, ever := entry.Expires(f.Contract); !ever || now.Before(end) {
			continue
		}
		collected++
		record, _ := reference.Step(f.Contract, entry.Record, reference.Expire{}, now)
		if record.State == reference.Absent {
			err = tx.DeleteClaim(claim.ID)
		} else {
			entry.Record, entry.Command = record, nil
			err = Save(tx, entry)
		}
		if err != nil {
			return 0, err
		}
	}
	return collected, nil
}
