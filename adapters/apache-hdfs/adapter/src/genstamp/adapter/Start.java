package genstamp.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** A request {@code start}: the names that a run has, and the seed of what is left to chance. */
public record Start(
    String system, List<String> files, List<String> clients, List<String> datanodes, long seed) {
  static Start of(JsonNode request) {
    return new Start(
        request.get("system").asText(),
        names(request, "files"),
        names(request, "clients"),
        names(request, "datanodes"),
        request.get("seed").asLong());
  }

  private static List<String> names(JsonNode request, String key) {
    List<String> names = new ArrayList<>();
    request.get(key).forEach(one -> names.add(one.asText()));
    return List.copyOf(names);
  }
}
