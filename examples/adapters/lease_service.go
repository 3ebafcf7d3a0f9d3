// A lease service in Go, behind an adapter by which genstamp drives it over JSON lines. Copy it, and put yours in.
//
//	go run examples/adapters/lease_service.go
//
// The first section, "The protocol", can stay as it is; the second is yours. docs/adapter-protocol.md describes the
// requests, and lease_service.py beside this file what the service promises. With --no-fencing the store has a bug for
// genstamp to find: it takes a write with any stamp.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
)

// ---- The protocol: copy this ---------------------------------------------------------------------------------------

// A request has the fields of all kinds of requests; Op says which of them are set.
type request struct {
	Op, System, Semantics, Event string
	Files, Clients, Datanodes    []string
	Seed, MS                     int64
	Arguments                    map[string]string
}

// An event is one step as a node saw it. Numbers are pointers: 0 is shown, and a number that is not known is left out.
type event struct {
	Source          string            `json:"source"`
	Node            string            `json:"node"`
	NodeSequence    int64             `json:"node_sequence"`
	Kind            string            `json:"kind"`
	Namespace       string            `json:"namespace"`
	Entity          string            `json:"entity"`
	Event           string            `json:"event"`
	RefusedWith     string            `json:"refused_with,omitempty"`
	GenerationStamp *int64            `json:"generation_stamp,omitempty"`
	RecoveryID      *int64            `json:"recovery_id,omitempty"`
	NumBytes        *int64            `json:"num_bytes,omitempty"`
	Arguments       map[string]string `json:"arguments,omitempty"`
	Observed        map[string]string `json:"observed,omitempty"`
}

type answer struct {
	OK         bool    `json:"ok"`
	Version    int     `json:"version,omitempty"`
	FirstStamp int64   `json:"first_generation_stamp,omitempty"`
	Events     []event `json:"events,omitempty"`
	Why        string  `json:"why,omitempty"`
	Error      string  `json:"error,omitempty"`
}

// notPossible says why a step cannot happen now. It is not a refusal: nothing was called, and nothing has changed.
type notPossible string

func (why notPossible) Error() string { return string(why) }

// serve answers each request on one line, until stop or the end of the input.
func serve(in io.Reader, out io.Writer, begin func(request) (*run, error)) error {
	var current *run
	// The encoder does not buffer: an answer is out before the next request is read.
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var req request
		if err := requests.Decode(&req); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		reply := answer{OK: true}
		var err error
		switch {
		case req.Op == "start": // May come again; the run before is dropped.
			reply.Version, reply.FirstStamp = 2, firstStamp
			current, err = begin(req)
		case current != nil && (req.Op == "call" || req.Op == "fault"):
			reply.Events, err = current.step(req.Event, req.Arguments)
		case current != nil && req.Op == "tick":
			reply.Events = current.passTime(req.MS)
		case req.Op != "events" && req.Op != "stop":
			err = fmt.Errorf("request %q is unknown, or comes before start", req.Op)
		}
		var why notPossible
		if errors.As(err, &why) {
			reply = answer{Why: string(why)}
		} else if err != nil {
			reply = answer{Error: err.Error()}
		}
		if err := answers.Encode(reply); err != nil || req.Op == "stop" {
			return err
		}
	}
}

// ---- Yours: the service --------------------------------------------------------------------------------------------

const (
	firstStamp = 1
	termMS     = 60_000
)

var (
	errHeld   = errors.New("another client holds the lease")
	errLost   = errors.New("the caller does not hold the lease")
	errFenced = errors.New("a later stamp has written")
)

// A server grants the lease. It gets the time with each call, so that genstamp's clock is the only one.
type server struct {
	holder               string
	renewedMS, lastStamp int64
}

func (s *server) grant(client string, nowMS int64) (stamp int64, err error) {
	if s.holder != "" && nowMS-s.renewedMS <= termMS {
		return 0, errHeld
	}
	s.holder, s.renewedMS = client, nowMS
	s.lastStamp++
	return s.lastStamp, nil
}

func (s *server) renew(client string, nowMS int64) error {
	if s.holder != client {
		return errLost
	}
	s.renewedMS = nowMS
	return nil
}

// A store takes writes. It does not know the server: the stamps are all that it goes by.
type store struct {
	latest  int64
	fencing bool
}

func (s *store) write(stamp int64) error {
	if s.fencing && stamp < s.latest {
		return errFenced
	}
	s.latest = stamp
	return nil
}

// ---- Yours: how it is driven ---------------------------------------------------------------------------------------

// The names that the protocol has for our errors.
var refusals = map[error]string{
	errHeld:   "LeaseHeldException",
	errLost:   "LeaseLostException",
	errFenced: "FencedException",
}

// A run is a service with its clients: of a client there is only the stamp that it was granted last.
type run struct {
	server server
	store  store
	stamps map[string]int64
	nowMS  int64
	events int64
}

// step makes one step happen, and returns the events that it leaves. Here each call is one event, a refusal too.
func (r *run) step(name string, arguments map[string]string) ([]event, error) {
	client := arguments["client"]
	var stamp int64
	var err error
	switch name {
	case "grant":
		if stamp, err = r.server.grant(client, r.nowMS); err == nil {
			r.stamps[client] = stamp
		}
	case "renew":
		err = r.server.renew(client, r.nowMS)
	case "write":
		if r.stamps[client] == 0 {
			return nil, notPossible(client + " was granted no stamp") // It has nothing to call the store with.
		}
		err = r.store.write(r.stamps[client])
		stamp = r.store.latest // What the node has now, not what it was sent.
	default:
		return nil, fmt.Errorf("unknown event %q, accepted: grant, renew, write", name)
	}
	r.events++
	seen := event{Source: "lease-service-go", Node: "service", NodeSequence: r.events, Kind: "lease",
		Namespace: "sample", Entity: "lease", Event: name, Arguments: arguments, RefusedWith: refusals[err]}
	if stamp != 0 {
		seen.GenerationStamp = &stamp
	}
	return []event{seen}, nil
}

// passTime advances the clock, and returns what happened meanwhile: here nothing, as a lease falls due unseen.
func (r *run) passTime(ms int64) []event {
	r.nowMS += ms
	return nil
}

func main() {
	noFencing := flag.Bool("no-fencing", false, "take a write with any stamp")
	flag.Parse()
	begin := func(req request) (*run, error) {
		if req.System != "lease_service" {
			return nil, fmt.Errorf("unknown system %q, accepted: lease_service", req.System)
		}
		return &run{store: store{fencing: !*noFencing}, stamps: map[string]int64{}}, nil
	}
	if err := serve(os.Stdin, os.Stdout, begin); err != nil {
		log.Fatal(err)
	}
}
