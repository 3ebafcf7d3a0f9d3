import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A lease service in Java 17, behind an adapter by which genstamp drives it over JSON lines. Copy it, and put yours in.
 *
 * <pre>java examples/adapters/LeaseService.java</pre>
 *
 * <p>"The protocol" can stay as it is; the rest is yours. docs/adapter-protocol.md describes the requests, and
 * lease_service.py beside this file what the service promises. With --no-fencing the store has a bug for genstamp to
 * find: it takes a write with any stamp.
 */
public final class LeaseService {
    public static void main(String[] arguments) throws IOException {
        boolean fencing = !List.of(arguments).contains("--no-fencing");
        new Adapter(request -> {
            if (!"lease_service".equals(request.get("system"))) {
                throw new IllegalArgumentException(request.get("system") + " is not driven, accepted: lease_service");
            }
            return new LeaseRun(fencing);
        }).serve();
    }
}

// ---- The protocol: copy this ---------------------------------------------------------------------------------------

/** What genstamp drives: without a call nothing happens in it, and no time passes. */
interface Run {
    /** The first stamp that will be given out; each further one is one higher. */
    long firstStamp();

    /** Makes one step happen, and returns the events that it leaves; a refusal is an event, too. */
    List<Map<String, Object>> step(String event, Map<String, Object> arguments);

    /** Advances the clock, and returns the events of what happened by itself meanwhile. */
    List<Map<String, Object>> passTime(long milliseconds);
}

/** A step cannot happen now. This is not a refusal: nothing was called, and nothing has changed. */
final class NotPossible extends RuntimeException {
    NotPossible(String why) {
        super(why);
    }
}

/** Answers each request on one line. */
final class Adapter {
    private final Function<Map<String, Object>, Run> begin;
    private Run run;

    /** @param begin begins a run as its request says: with these files, clients, datanodes, semantics and seed */
    Adapter(Function<Map<String, Object>, Run> begin) {
        this.begin = begin;
    }

    void serve() throws IOException {
        // The encoding is always UTF-8, whatever the locale says; println flushes each answer.
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line; (line = requests.readLine()) != null; ) {
            Map<String, Object> request = Json.read(line);
            answers.println(Json.write(answer(request)));
            if ("stop".equals(request.get("op"))) {
                return;
            }
        }
    }

    private Map<String, Object> answer(Map<String, Object> request) {
        try {
            return switch ((String) request.get("op")) {
                case "start" -> { // May come again; the run before is dropped.
                    run = begin.apply(request);
                    yield Map.of("ok", true, "version", 2, "first_generation_stamp", run.firstStamp());
                }
                case "call", "fault" ->
                        done(run.step((String) request.get("event"), Json.object(request.get("arguments"))));
                case "tick" -> done(run.passTime((Long) request.get("ms")));
                case "events", "stop" -> done(List.of());
                default -> throw new IllegalArgumentException("unknown request " + request.get("op"));
            };
        } catch (NotPossible reason) {
            return Map.of("ok", false, "why", reason.getMessage());
        } catch (IllegalArgumentException problem) { // The adapter does not know what is asked for: the test ends.
            return Map.of("ok", false, "error", problem.getMessage());
        }
    }

    private static Map<String, Object> done(List<Map<String, Object>> events) {
        return Map.of("ok", true, "events", events);
    }
}

/** As much of JSON as the protocol has: objects, arrays, strings, integers, true and false. */
final class Json {
    private static final Pattern TOKEN = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|[{}\\[\\]]|[^\\s{}\\[\\],:\"]+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(\\p{XDigit}{4})|.)");

    private final Matcher tokens;

    private Json(String text) {
        tokens = TOKEN.matcher(text);
    }

    static Map<String, Object> read(String line) {
        var json = new Json(line);
        return object(json.value(json.next()));
    }

    @SuppressWarnings("unchecked") // The names of an object are strings.
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    static String write(Object value) {
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                    .map(field -> write(field.getKey()) + ":" + write(field.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> array) {
            return array.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String string ? quoted(string) : value.toString();
    }

    private static String quoted(String string) {
        return string.chars()
                .mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", c) : Character.toString(c))
                .collect(Collectors.joining("", "\"", "\""));
    }

    private static String unquoted(String token) {
        return ESCAPE.matcher(token.substring(1, token.length() - 1)).replaceAll(escape -> {
            String code = escape.group(1);
            String character = code != null ? Character.toString(Integer.parseInt(code, 16))
                    : escape.group().equals("\\/") ? "/" : escape.group().translateEscapes();
            return Matcher.quoteReplacement(character);
        });
    }

    /** The next bracket, string or word; commas and colons say nothing that the brackets do not. */
    private String next() {
        if (!tokens.find()) {
            throw new IllegalArgumentException("a request is not one line of JSON");
        }
        return tokens.group();
    }

    private Object value(String token) {
        if (token.equals("{")) {
            var fields = new HashMap<String, Object>();
            for (String name; !(name = next()).equals("}"); ) {
                fields.put(unquoted(name), value(next()));
            }
            return fields;
        }
        if (token.equals("[")) {
            var elements = new ArrayList<Object>();
            for (String element; !(element = next()).equals("]"); ) {
                elements.add(value(element));
            }
            return elements;
        }
        if (token.startsWith("\"")) {
            return unquoted(token);
        }
        return List.of("true", "false").contains(token) ? (Object) Boolean.valueOf(token) : Long.valueOf(token);
    }
}

// ---- Yours: the service --------------------------------------------------------------------------------------------

class LeaseServiceException extends Exception {}

final class LeaseHeldException extends LeaseServiceException {}

final class LeaseLostException extends LeaseServiceException {}

final class FencedException extends LeaseServiceException {}

/** Grants the lease. It gets the time with each call, so that genstamp's clock is the only one. */
final class LeaseServer {
    static final long TERM_MS = 60_000;

    private String holder;
    private long renewedMs;
    private long lastStamp;

    long grant(String client, long nowMs) throws LeaseHeldException {
        if (holder != null && nowMs - renewedMs <= TERM_MS) {
            throw new LeaseHeldException();
        }
        holder = client;
        renewedMs = nowMs;
        return ++lastStamp;
    }

    void renew(String client, long nowMs) throws LeaseLostException {
        if (!client.equals(holder)) {
            throw new LeaseLostException();
        }
        renewedMs = nowMs;
    }
}

/** Takes writes. It does not know the server: the stamps are all that it goes by. */
final class Store {
    private final boolean fencing;
    private long latest;

    Store(boolean fencing) {
        this.fencing = fencing;
    }

    void write(long stamp) throws FencedException {
        if (fencing && stamp < latest) {
            throw new FencedException();
        }
        latest = stamp;
    }

    long latest() {
        return latest;
    }
}

// ---- Yours: how it is driven ---------------------------------------------------------------------------------------

/** The service with its clients: of a client there is only the stamp that it was granted last. */
final class LeaseRun implements Run {
    private final LeaseServer server = new LeaseServer();
    private final Store store;
    private final Map<String, Long> stamps = new HashMap<>();
    private long nowMs;
    private int events;

    LeaseRun(boolean fencing) {
        store = new Store(fencing);
    }

    @Override
    public long firstStamp() {
        return 1;
    }

    @Override
    public List<Map<String, Object>> step(String event, Map<String, Object> arguments) {
        var shown = new HashMap<String, Object>();
        try {
            perform(event, (String) arguments.get("client"), shown);
        } catch (LeaseServiceException refusal) {
            // The exceptions have the names that the protocol has for them; else this is where to translate.
            shown.put("refused_with", refusal.getClass().getSimpleName());
        }
        shown.putAll(Map.of("source", "lease-service-java", "node", "service", "node_sequence", ++events));
        shown.putAll(Map.of("kind", "lease", "namespace", "sample", "entity", "lease"));
        shown.putAll(Map.of("event", event, "arguments", arguments));
        return List.of(shown);
    }

    private void perform(String event, String client, Map<String, Object> shown) throws LeaseServiceException {
        switch (event) {
            case "grant" -> {
                stamps.put(client, server.grant(client, nowMs));
                shown.put("generation_stamp", stamps.get(client));
            }
            case "renew" -> server.renew(client, nowMs);
            case "write" -> {
                if (!stamps.containsKey(client)) { // It has nothing to call the store with.
                    throw new NotPossible(client + " was granted no stamp");
                }
                store.write(stamps.get(client));
                shown.put("generation_stamp", store.latest()); // What the node has now, not what it was sent.
            }
            default -> throw new IllegalArgumentException("unknown event " + event + ", accepted: grant, renew, write");
        }
    }

    @Override
    public List<Map<String, Object>> passTime(long milliseconds) {
        nowMs += milliseconds;
        return List.of(); // A lease falls due unseen.
    }
}
