package payments

import "github.com/oncespec/oncespec/mockapi/command"

// Operations are the writes of the domain.
func Operations() []command.Operation {
	return []command.Operation{
		{Name: "accounts.create", Method: "POST", Pattern: "/v1/accounts",
			Decode: decodeOpen, Restore: command.Restored[Open]},
		{Name: "payments.create", Method: "POST", Pattern: "/v1/payments", Keyed: true, Books: true,
			Decode: decodeCreate, Restore: command.Restored[Create]},
	}
}

// Reads are the reading requests of the domain.
func Reads() []command.Read {
	return []command.Read{
		{Pattern: "/v1/accounts/{id}", Serve: accounts.Get},
		{Pattern: "/v1/payments", Serve: kept.List},
		{Pattern: "/v1/payments/{id}", Serve: kept.Get},
	}
}
