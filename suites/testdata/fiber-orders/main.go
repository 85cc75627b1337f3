// Command fiber-orders is a small order API behind the idempotency middleware of gofiber/fiber, as an author would wire it up:
// no other idempotency code, default (in-memory) storage, a durable order log. oncespec's tests run against it as real input.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	path := flag.String("log", "orders.log", "order log")
	downstream := flag.String("downstream", "", "base URL of the fulfilment system; empty: none is told")
	flag.Parse()
	ledger, err := open(*path)
	if err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	app.Get("/healthz", func(c fiber.Ctx) error { return c.SendString("ok") })
	app.Use(authenticate)
	app.Use(idempotency.New(idempotency.Config{
		KeyHeader:         "Idempotency-Key",
		KeyHeaderValidate: func(string) error { return nil },
	}))
	api := &api{ledger: ledger, downstream: *downstream, client: &http.Client{Timeout: 20 * time.Second}}
	app.Post("/v1/orders", api.create("order"))
	app.Post("/v1/refunds", api.create("refund"))
	app.Get("/v1/orders", api.list("order"))
	app.Get("/v1/refunds", api.list("refund"))
	log.Fatal(app.Listen(*listen, fiber.ListenConfig{DisableStartupMessage: true}))
}

// authenticate knows two customers by their tokens.
func authenticate(c fiber.Ctx) error {
	switch strings.TrimPrefix(c.Get("Authorization"), "Bearer ") {
	case "acme-token", "globex-token":
		return c.Next()
	}
	return c.Status(http.StatusUnauthorized).JSON(fiber.Map{"error": "unknown caller"})
}

type api struct {
	ledger     *ledger
	downstream string
	client     *http.Client
}

// create commits one entry, then tells the fulfilment system.
func (a *api) create(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		var e entry
		if err := json.Unmarshal(c.Body(), &e); err != nil || e.Ref == "" || e.Quantity <= 0 {
			return c.Status(http.StatusBadRequest).JSON(fiber.Map{"error": "ref and a positive quantity are required"})
		}
		switch e.Item {
		case "explicit-500":
			return c.Status(http.StatusInternalServerError).JSON(fiber.Map{"error": "the warehouse is on fire"})
		case "returned-error":
			return errors.New("the warehouse is on fire")
		}
		e.Kind = kind
		e, err := a.ledger.append(e)
		if err != nil {
			return err
		}
		if err := a.tell(e); err != nil {
			log.Print(err)
		}
		c.Set("Location", fmt.Sprintf("/v1/%ss/%s", kind, e.ID))
		return c.Status(http.StatusCreated).JSON(e)
	}
}

func (a *api) tell(e entry) error {
	if a.downstream == "" {
		return nil
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, a.downstream+"/v1/shipments", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.GetBody = nil // never sent twice by the transport
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "shipment-"+e.ID)
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (a *api) list(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		return c.JSON(fiber.Map{"items": a.ledger.find(kind, c.Query("ref"))})
	}
}
