package genstamp.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A request {@code start}: the names that a run has, the seed of what is left to chance, and times
 * other than HDFS' usual ones, in milliseconds by name.
 */
public record Start(
    String system,
    List<String> files,
    List<String> clients,
    List<String> datanodes,
    long seed,
    Map<String, Long> timesMs) {
  static Start of(JsonNode request) {
    return new Start(
        request.get("system").asText(),
        names(request, "files"),
        names(request, "clients"),
        names(request, "datanodes"),
        request.get("seed").asLong(),
        times(request.path("times_ms")));
  }

  public long timeMs(String name, long usual) {
    return timesMs.getOrDefault(name, usual);
  }

  private static Map<String, Long> times(JsonNode given) {
    Map<String, Long> times = new HashMap<>();
    given.fields().forEachRemaining(one -> times.put(one.getKey(), one.getValue().asLong()));
    return Map.copyOf(times);
  }

  private static List<String> names(JsonNode request, String key) {
    List<String> names = new ArrayList<>();
    request.get(key).forEach(one -> names.add(one.asText()));
    return List.copyOf(names);
  }
}
