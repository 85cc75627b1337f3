package example

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// url is where the API under test listens: a test server here, a staging system elsewhere.
var url string

// TestTickets is the host's suite: its own specs, and those of oncespec. Register comes before RunSpecs, once the URL is
// known.
func TestTickets(t *testing.T) {
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	server := httptest.NewServer(api)
	defer server.Close()
	url = server.URL

	cfg, err := config.Load("oncespec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	suite, err := suites.Register(suites.Options{Config: cfg, Selection: run.Selection{Packs: []string{"replay", "conflict", "race"}}})
	if err != nil {
		t.Fatal(err)
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "tickets")

	if report := suite.Report(); report == nil || report.Result != reports.Conformant {
		t.Errorf("oncespec's report: %+v", report)
	}
	if own == 0 || imported == 0 {
		t.Errorf("%d specs of the host and %d imported ones ran", own, imported)
	}
}

// The host's own specs, as any suite has them.
var _ = ginkgo.Describe("tickets", func() {
	ginkgo.It("are refused to strangers", func() {
		response, err := http.Post(url+"/v1/tickets", "application/json", strings.NewReader(`{"project":"ops","title":"t","priority":"high"}`))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		defer response.Body.Close()
		gomega.Expect(response).To(gomega.HaveHTTPStatus(http.StatusUnauthorized))
	})
})

// own and imported count the specs that passed, by who wrote them: imported ones carry the label oncespec.
var own, imported int

var _ = ginkgo.ReportAfterEach(func(report ginkgo.SpecReport) {
	switch {
	case report.State != types.SpecStatePassed:
	case slices.Contains(report.Labels(), "oncespec"):
		imported++
	default:
		own++
	}
})
