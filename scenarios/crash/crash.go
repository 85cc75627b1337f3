package crash

import (
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	held := []catalogue.Need{catalogue.NeedLifecycle, catalogue.NeedGate, catalogue.NeedKeyHeader}
	answered := []catalogue.Need{catalogue.NeedLifecycle, catalogue.NeedState, catalogue.NeedKeyHeader}
	return []target.Scenario{
		{ID: "crash/after-claim", Sentence: "Kills the target while its downstream call is held, nothing booked, then retries.", Needs: held, Run: afterClaim},
		{ID: "crash/after-effect", Sentence: "Kills the target when its downstream call is booked and not answered, then retries.", Needs: held, Run: afterEffect},
		{ID: "crash/after-record", Sentence: "Kills the target once its answer has begun, then retries.", Needs: answered, Run: afterRecord},
		{ID: "crash/durable", Sentence: "Kills the target when all is done, then retries.", Needs: answered, Run: durable},
		{ID: "crash/sweep", Sentence: "Kills the target at instants spread over the handling time and in every phase that shows, then retries.", Needs: answered, Run: sweep},
		{ID: "crash/graceful-stop", Sentence: "Asks the target to end while two operations are held up, one booked downstream and one not yet, then retries.",
			Needs: []catalogue.Need{catalogue.NeedStop, catalogue.NeedState, catalogue.NeedKeyHeader}, Run: gracefulStop},
		{ID: "crash/fencing", Sentence: "Freezes the instance that has claimed an operation, retries at another until it takes over, and lets the first go on.",
			Needs: []catalogue.Need{catalogue.NeedPause, catalogue.NeedReplicas, catalogue.NeedGate, catalogue.NeedState, catalogue.NeedKeyHeader}, Run: fencing},
		{ID: "crash/store-link", Sentence: "Cuts the link to the database when an effect was made and the target not told, and at each round trip of an operation, mends it, then retries.",
			Needs: []catalogue.Need{catalogue.NeedStoreLink, catalogue.NeedState, catalogue.NeedKeyHeader}, Run: storeLink},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"crash/after-claim":   rule.Each(afterClaimRule),
		"crash/after-effect":  rule.Each(afterEffectRule),
		"crash/after-record":  rule.Each(afterRecordRule),
		"crash/durable":       rule.Each(durableRule),
		"crash/not-stuck":     rule.Each(notStuckRule),
		"crash/sweep":         sweepRule,
		"crash/graceful-stop": rule.Each(gracefulStopRule),
		"crash/fencing":       rule.Each(fencingRule),
		"crash/store-link":    storeLinkRule,
	}
}
