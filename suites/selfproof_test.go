package suites_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// proven is what is known of one fault that the product can do.
type proven struct {
	fault string // as the code names it: see faultsInCode
	// shown are the tests in which somebody else than the fault saw that it landed, or that it did not: "folder TestName".
	shown []string
	// requirements pass only where it landed: on the histories of a right target, each is inconclusive once missed has made them
	// those of a fault that did not land. None: with says why.
	requirements []string
	missed       func(h *history.History) bool // false: the history has none of it
	with         string
}

// selfProof holds every fault to what a verdict owes it.
var selfProof = []proven{
	{"plan DropResponse", []string{"faults/link TestResponseFaults", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/response", "crash/after-record", "status/by-key"}, attempts("answer dropped", letThrough), ""},
	{"plan CutResponse", []string{"faults/link TestResponseFaults", "faults/link TestCutAtOrBeyondTheEndIsNoCut", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/partial-response"}, attempts("answer cut after", letThrough), ""},
	{"plan ResetResponse", []string{"faults/link TestResetReachesTheClientAsReset", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/reset"}, attempts("connection reset", letThrough), ""},
	{"plan ReplaceResponse", []string{"faults/link TestResponseFaults", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/gateway-error"}, attempts("answer replaced", letThrough), ""},
	{"plan HoldResponse", []string{"faults/link TestHeldResponse", "faults/link TestReleaseBeforeTheResponseHoldsNothing", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/slow-response"}, all(attempts("answer held", letThrough), without(history.FaultHold, history.FaultRelease)), ""},
	{"plan CutRequest", []string{"faults/link TestCutRequestForwardsExactlyItsBytes", "faults/link TestRequestCutBeyondItsEndIsNoCut", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/partial-request"}, attempts("request cut", letThrough), ""},
	{"plan HangUpAfter", []string{"faults/link TestHangUpIsAtOnce", "faults/link TestWhatIsForwardedIsThere"},
		[]string{"lost/client-gone"}, attempts("the client ", letThrough), ""},
	{"plan DribbleRequest", []string{"faults/link TestDribbledRequestArrivesWholeAndInSlices", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/slow-request"}, attempts("request dribbled", atOnce), ""},
	{"send HangUp", []string{"faults/link TestHangUpIsAtOnce", "scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/client-gone"}, attempts("the client ", letThrough), ""},
	{"send GiveUp", []string{"scenarios/target TestTheWitnessAgrees"},
		[]string{"lost/slow-response"}, attempts("the client gives up", letThrough), ""},

	{history.FaultHold, []string{"mockapi/provider TestHeldCallMeetsItsFate", "scenarios/target TestHold", "scenarios/target TestHoldWithoutCall"},
		[]string{"crash/fencing", "race/in-flight", "race/in-flight-then-replay", "race/retry-after", "status/in-progress", "conflict/in-flight", "lost/slow-response"},
		without(history.FaultHold, history.FaultRelease), ""},
	{history.FaultRelease, []string{"mockapi/provider TestHeldCallMeetsItsFate", "scenarios/target TestHold"}, nil, nil, "the end of a hold: what was not held is not released"},
	{history.FaultFailDownstream, []string{"mockapi/provider TestFailures", "scenarios/target TestFailDownstream"},
		[]string{"failure/transient", "conflict/after-failure"}, all(notLanded(history.FaultFailDownstream), calls(func(c *history.Call) { c.Status = 201 })), ""},
	{history.FaultLoseDownstream, []string{"mockapi/provider TestLostAnswers", "scenarios/target TestLoseDownstream"},
		[]string{"failure/unknown", "status/unknown", "key/unresolved-kept"}, all(notLanded(history.FaultLoseDownstream), calls(func(c *history.Call) { c.Status = 201 })), ""},

	{history.FaultKill, []string{"faults/life TestKillIsSeenAndRestartBringsItBack", "faults/life TestContainerIsKilledAndStartsAgainOnItsVolume", "scenarios/target TestKillAndRestart", "scenarios/target TestOneInstanceIsKilledAndStopped"},
		[]string{"crash/after-claim", "crash/after-effect", "crash/after-record", "crash/durable", "crash/not-stuck", "crash/sweep"}, notLanded(history.FaultKill), ""},
	{history.FaultKill + " after the answer", []string{"scenarios/target TestLook"},
		[]string{"crash/after-record", "crash/sweep"}, answeredBefore(history.FaultKill), ""},
	{history.FaultRestart, []string{"faults/life TestKillIsSeenAndRestartBringsItBack", "scenarios/target TestKillAndRestart"},
		[]string{"crash/after-claim", "crash/after-effect", "crash/not-stuck", "crash/durable"}, neverBack, ""},
	{history.FaultStop, []string{"faults/life TestStop", "faults/life TestContainerIsStoppedWithAGrace", "scenarios/target TestOneInstanceIsKilledAndStopped"},
		[]string{"crash/graceful-stop"}, notLanded(history.FaultStop), ""},
	{history.FaultStop + " after the answer", []string{"scenarios/target TestOneInstanceIsKilledAndStopped"},
		[]string{"crash/graceful-stop"}, answeredBefore(history.FaultStop), ""},
	{history.FaultPause, []string{"faults/life TestPauseFreezesAndResumeGoesOn", "faults/life TestContainerStandsStillAndGoesOn", "scenarios/target TestOneInstanceStandsStill"},
		[]string{"crash/fencing"}, notLanded(history.FaultPause), ""},
	{history.FaultResume, []string{"faults/life TestPauseFreezesAndResumeGoesOn", "faults/life TestContainerStandsStillAndGoesOn", "scenarios/target TestOneInstanceStandsStill"},
		[]string{"crash/fencing"}, notLanded(history.FaultResume), ""},
	{history.FaultSteps, []string{"faults/life TestReins", "scenarios/target TestPile"}, nil, nil, "tells how long the target stood still before a kill, whose proof is the kill's own"},
	{history.FaultClock, []string{"scenarios/target TestTheClockIsMoved"},
		[]string{"key/expired", "key/retained", "key/unresolved-kept"}, notLanded(history.FaultClock), ""},

	{history.FaultStoreCut, []string{"faults/link TestACutTakesWhatIsHeld", "scenarios/target TestCutStore"},
		[]string{"crash/store-link", "failure/store-down"}, notLanded(history.FaultStoreCut, history.FaultStoreMend, history.FaultStoreSilence), ""},
	{history.FaultStoreMend, []string{"scenarios/target TestCutStore"}, nil, nil, "the end of a cut: where it fails the retry does not reach anything"},
	{history.FaultStoreSilence, []string{"scenarios/target TestSilenceStore"},
		[]string{"failure/store-down"}, notLanded(history.FaultStoreCut, history.FaultStoreMend, history.FaultStoreSilence), ""},
	{history.FaultStoreHold, []string{"faults/link TestARelayHoldsOneWay", "scenarios/target TestHoldStore", "scenarios/target TestHoldStoreNotLanded"},
		[]string{"crash/store-link"}, all(without(history.FaultStoreHold, history.FaultStoreRelease), notLanded(history.FaultStoreCut)), ""},
	{history.FaultStoreRelease, []string{"scenarios/target TestHoldStore"}, nil, nil, "the end of a hold"},
	{history.FaultStoreDelay, []string{"faults/link TestARelayDelaysBothWays", "scenarios/target TestDelayStore"}, nil, nil,
		"no scenario uses it by itself; a rung of the race ladder does, whose proof is that requests overlapped"},

	{"storm " + string(storm.Drop), []string{"scenarios/target TestTheWitnessAgrees"}, []string{"lost/storm"}, attempts("answer dropped", letThrough), ""},
	{"storm " + string(storm.Cut), []string{"scenarios/target TestTheWitnessAgrees"}, []string{"lost/storm"}, attempts("answer cut after", letThrough), ""},
	{"storm " + string(storm.Reset), []string{"scenarios/target TestTheWitnessAgrees"}, []string{"lost/storm"}, attempts("connection reset", letThrough), ""},
	{"storm " + string(storm.Gateway), []string{"scenarios/target TestTheWitnessAgrees"}, []string{"lost/storm"}, attempts("answer replaced", letThrough), ""},
	{"storm " + string(storm.Delay), []string{"scenarios/target TestTheWitnessAgrees"}, []string{"lost/storm"}, attempts("answer held", letThrough), ""},
	{"storm " + string(storm.Kill), []string{"scenarios/target TestKillAndRestart"}, []string{"lost/storm"}, notLanded(history.FaultKill), ""},
	{"storm " + string(storm.Pause), []string{"scenarios/target TestOneInstanceStandsStill"}, []string{"lost/storm"}, notLanded(history.FaultPause), ""},

	{"rung StoreHoldName", []string{"scenarios/target TestHeldTogetherAtTheStore", "scenarios/target/power TestHoldOnTheStoreLinkIsCertain"}, races, oneByOne(burst.StoreHoldName), ""},
	{"rung StoreLatencyName", []string{"faults/link TestARelayDelaysBothWays", "scenarios/target/power TestShortWindowIsFoundInOneBurst"}, races, oneByOne(burst.StoreLatencyName), ""},
	{"rung FreezeName", []string{"scenarios/target TestFrozenTargetFindsAllRequests", "scenarios/target/power TestShortWindowIsFoundInOneBurst"}, races, oneByOne(burst.FreezeName), ""},
	{"rung HTTP2Name", []string{"scenarios/target TestOneWrite", "scenarios/target/power TestMeasure"}, races, oneByOne(burst.HTTP2Name), ""},
	{"rung BarrierName", []string{"scenarios/target TestBurstOverlaps", "faults/burst TestBurstThatRanOneByOneSaysSo", "scenarios/target/power TestOneByOneFindsNothingAndSaysSo"}, races, oneByOne(burst.BarrierName), ""},

	{"changed payload", []string{"scenarios/target TestCompose"},
		[]string{"conflict/refused", "conflict/no-effect", "conflict/in-flight"}, refusedAlone, ""},
}

// races are the requirements of simultaneous requests.
var races = []string{"race/one-effect", "race/answers", "race/changed-payload", "race/distinct-keys", "race/replicas"}

// faultsInCode finds every fault that the code can do, under the names of selfProof.
func faultsInCode(t *testing.T) (all []string) {
	t.Helper()
	plan := reflect.TypeFor[link.Plan]()
	for i := range plan.NumField() {
		all = append(all, "plan "+plan.Field(i).Name)
	}
	all = append(all, history.FaultKinds...)
	for _, kind := range append(slices.Clone(storm.Faults), storm.Blows...) {
		all = append(all, "storm "+string(kind))
	}
	for _, name := range constants(t, filepath.Join("..", "faults", "burst", "rung.go")) {
		if strings.HasSuffix(name, "Name") {
			all = append(all, "rung "+name)
		}
	}
	return append(all, "send HangUp", "send GiveUp", "changed payload")
}

// constants lists those that a file declares.
func constants(t *testing.T, file string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// TestEveryFaultHasItsProof: a fault that is new in the code has to be shown to land, and to be inconclusive where it does not.
func TestEveryFaultHasItsProof(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, p := range selfProof {
		listed[p.fault] = true
		if len(p.shown) == 0 {
			t.Errorf("%s: no test shows that it lands", p.fault)
		}
		if (len(p.requirements) == 0) == (p.with == "") || (len(p.requirements) == 0) != (p.missed == nil) {
			t.Errorf("%s: either requirements are inconclusive without it, or it is said why there are none", p.fault)
		}
		for _, id := range p.requirements {
			if _, known := catalogue.Find(id); !known {
				t.Errorf("%s: there is no requirement %s", p.fault, id)
			}
		}
		for _, where := range p.shown {
			folder, name, _ := strings.Cut(where, " ")
			if !declares(t, filepath.Join("..", folder), name) {
				t.Errorf("%s: there is no %s in %s", p.fault, name, folder)
			}
		}
	}
	for _, r := range catalogue.All() {
		rests := slices.ContainsFunc(selfProof, func(p proven) bool { return slices.Contains(p.requirements, r.ID) })
		if slices.Contains([]string{"lost", "race", "crash"}, r.Pack()) && !rests {
			t.Errorf("%s is about a fault, and nothing says which one it is inconclusive without", r.ID)
		}
	}
	for _, fault := range faultsInCode(t) {
		if !listed[fault] {
			t.Errorf("the code can do %q, and nothing says who saw it land and what is inconclusive without it", fault)
		}
	}
}

// declares tells whether a test of that name stands in a folder.
func declares(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+test+"(")
	})
}

// inconclusiveWithout takes the stored run of a right target, and from its histories one fault after another: what passed with it
// neither passes nor fails without. It returns the faults that the run had.
func inconclusiveWithout(t *testing.T, dir string) (had []string) {
	t.Helper()
	plan, histories, err := run.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, v := range run.Judge(plan, histories) {
		passed[key(v)] = passed[key(v)] || v.Verdict == verdict.Pass
	}
	for _, p := range selfProof {
		for _, id := range p.requirements {
			requirement, _ := catalogue.Find(id)
			spoilt, on := missed(t, p, requirement, histories)
			if len(on) > 0 {
				had = append(had, p.fault)
			}
			inconclusive := map[string]int{}
			for _, v := range run.Judge(only(plan, id), spoilt) {
				operation := v.Operations[0]
				if !on[operation] || !passed[key(v)] {
					continue
				}
				switch v.Verdict {
				case verdict.Inconclusive:
					inconclusive[operation]++
				case verdict.NotAssessed: // a part that this history is none of, or another way to say that there was nothing to judge
				default:
					t.Errorf("%s on %s without %q: %s, %s", v.Name(), operation, p.fault, v.Verdict, v.Detail)
				}
			}
			for operation := range on {
				if passed[id+" "+operation] && inconclusive[operation] == 0 {
					t.Errorf("%s on %s without %q: not inconclusive", id, operation, p.fault)
				}
			}
		}
	}
	slices.Sort(had)
	return slices.Compact(had)
}

// only is the part of a plan that asks for one requirement.
func only(p *run.Plan, id string) *run.Plan {
	part := *p
	part.Checks = nil
	for _, c := range p.Checks {
		if c.Requirement == id {
			part.Checks = append(part.Checks, c)
		}
	}
	return &part
}

func key(v verdict.Verdict) string { return v.ID + " " + v.Operations[0] }

// missed copies the histories, those of the requirement's scenarios without the fault, and tells on which operations there was
// one.
func missed(t *testing.T, p proven, r catalogue.Requirement, hs []*history.History) (spoilt []*history.History, on map[string]bool) {
	t.Helper()
	on = map[string]bool{}
	for _, h := range hs {
		if slices.Contains(r.Scenarios, h.Scenario) {
			h = copied(t, h)
			if p.missed(h) {
				on[h.Operations[0]] = true
			}
		}
		spoilt = append(spoilt, h)
	}
	return spoilt, on
}

func copied(t *testing.T, h *history.History) *history.History {
	t.Helper()
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	c := new(history.History)
	if err := json.Unmarshal(data, c); err != nil {
		t.Fatal(err)
	}
	return c
}
