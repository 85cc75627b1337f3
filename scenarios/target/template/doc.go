// Package template fills in what a configuration leaves open: {key}, {body:/title}, {setup.project:/id}, ${TOKEN}.
//
// A placeholder is filled in by what surrounds it: escaped in a URL (as a path segment or as a query value), bound as a
// parameter in SQL, with its JSON type where it is all there is of a value in a JSON body, and as it is in any other text.
//
//	{body:/pointer}        from the request's JSON body
//	{answer:/pointer}      from the JSON body of the first answer
//	{setup.NAME:/pointer}  from the answer to the setup step of that name
//	{key}                  the intent's key
//	{port} {dir}           what the lifecycle chose; the folder survives a restart
//	{downstream}           the gate's URL
//	{store}                host:port of the link to the target's database
//	{duration}             by how much target.clock moves the time, such as 86398s
//	${NAME}                from the environment
//
// Braces that surround anything else stand for themselves; {{key}} writes {key}, and $${NAME} writes ${NAME}. In URLs, where
// a brace has no business, any other one is an error; {{ and }} write one.
//
// The package must not know where a text comes from or where its expansion goes. Start reading at Vars, then Parse.
package template
