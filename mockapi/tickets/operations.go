package tickets

import "github.com/oncespec/oncespec/mockapi/command"

// Operations are the writes of the domain.
func Operations() []command.Operation {
	return []command.Operation{
		{Name: "tickets.create", Method: "POST", Pattern: "/v1/tickets", Keyed: true, Books: true,
			Decode: decodeCreate, Restore: command.Restored[Create]},
		{Name: "tickets.close", Method: "POST", Pattern: "/v1/tickets/{id}/close", Keyed: true,
			Decode: decodeClose, Restore: command.Restored[Close]},
		{Name: "tickets.export", Method: "POST", Pattern: "/v1/tickets/{id}/export", Keyed: true,
			Decode: decodeExport, Restore: command.Restored[Export]},
		{Name: "tickets.attach", Method: "POST", Pattern: "/v1/tickets/{id}/attachments", Keyed: true, Media: attachMedia,
			Decode: decodeAttach, Restore: command.Restored[Attach]},
		{Name: "labels.put", Method: "PUT", Pattern: "/v1/labels/{ref}",
			Decode: decodePutLabel, Restore: command.Restored[PutLabel]},
	}
}

// Reads are the reading requests of the domain.
func Reads() []command.Read {
	return []command.Read{
		{Pattern: "/v1/tickets", Serve: kept.List},
		{Pattern: "/v1/tickets/{id}", Serve: kept.Get},
		{Pattern: "/v1/tickets/{id}/attachments", Serve: listAttachments},
		{Pattern: "/v1/labels/{ref}", Serve: getLabel},
	}
}
