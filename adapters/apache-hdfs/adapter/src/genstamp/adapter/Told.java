package genstamp.adapter;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events of a run, in the columns of the adapter protocol. */
public final class Told {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String namespace;
  private final List<ObjectNode> events = new ArrayList<>();
  private final Map<String, Integer> sequences = new HashMap<>();

  public Told(String namespace) {
    this.namespace = namespace;
  }

  /** Adds an event; the caller puts what else is known of it. */
  public ObjectNode add(
      String node,
      String kind,
      String entity,
      String event,
      Map<String, String> arguments,
      long timeMs) {
    ObjectNode told = JSON.createObjectNode();
    told.put("source", "apache-hdfs").put("node", node);
    told.put("node_sequence", sequences.merge(node, 1, Integer::sum)).put("time_us", timeMs * 1000);
    told.put("kind", kind).put("namespace", namespace).put("entity", entity).put("event", event);
    ObjectNode named = told.putObject("arguments");
    arguments.forEach(named::put);
    events.add(told);
    return told;
  }

  /** What was not handed over yet. */
  ArrayNode take() {
    ArrayNode all = JSON.createArrayNode();
    events.forEach(all::add);
    events.clear();
    return all;
  }
}
