package lost

import (
	"context"
	"fmt"
	"net/http"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
)

// gatewayError plays an intermediary that lost the answer: the work is done, and the client reads 502 or 504.
func gatewayError(ctx context.Context, s *target.Stage) error {
	for _, status := range []int{http.StatusBadGateway, http.StatusGatewayTimeout} {
		trial := s.Trial(fmt.Sprint(status))
		in, err := trial.Intent(ctx)
		if err != nil {
			return err
		}
		trial.Do(ctx, in, target.Send{Fault: link.Plan{ReplaceResponse: page(status)}})
		trial.Resolve(ctx, in, target.Send{})
		trial.Observe(ctx, in, "after")
	}
	return nil
}

// page is an error page as intermediaries write it.
func page(status int) []byte {
	body := fmt.Sprintf("<html><head><title>%[1]d %[2]s</title></head><body><h1>%[1]d %[2]s</h1></body></html>\r\n", status, http.StatusText(status))
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}
