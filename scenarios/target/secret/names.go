package secret

import (
	"slices"
	"strings"
)

// headers and members are names whose values are never shown. Members are compared in lower case without separators.
var (
	headers = []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey",
		"x-auth-token", "x-access-token", "x-csrf-token", "x-amz-security-token", "authentication-info", "x-forwarded-authorization"}
	members = []string{"password", "passwd", "pwd", "passphrase", "secret", "clientsecret", "token", "accesstoken",
		"refreshtoken", "idtoken", "authtoken", "sessiontoken", "bearertoken", "apikey", "apitoken", "apisecret", "secretkey",
		"privatekey", "accesskey", "authorization", "credential", "credentials", "cookie", "cardnumber", "cvc", "cvv", "pin"}
	// plain say what is sent or wanted, not who sends it, also where a tenant's entry names them.
	plain = []string{"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-encoding",
		"content-language", "content-type", "date", "expect", "host", "if-match", "if-none-match", "location", "pragma", "prefer",
		"retry-after", "user-agent"}
)

// Header tells whether the value of a header field is secret by the field's name.
func Header(name string) bool { return slices.Contains(headers, strings.ToLower(name)) }

// PlainHeader tells whether a header field says nothing of who sends it, wherever it stands.
func PlainHeader(name string) bool { return slices.Contains(plain, strings.ToLower(name)) }

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// Member tells whether the value of a member or a parameter is secret by its name.
func Member(name string) bool {
	return slices.Contains(members, strings.ToLower(separators.Replace(name)))
}

// Mentions tells whether a text could hold a member or a parameter with such a name: false means that it holds none. It is
// far cheaper than looking for names, and most texts hold none.
func Mentions(text string) bool {
	plain := strings.ToLower(separators.Replace(text))
	return slices.ContainsFunc(members, func(name string) bool { return strings.Contains(plain, name) })
}
