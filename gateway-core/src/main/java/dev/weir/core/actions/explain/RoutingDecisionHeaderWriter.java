package dev.weir.core.actions.explain;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Writes what is kept of a request's choices for the client that asked: one JSON object for a
 * response header, of ASCII characters only, cut off after 8 KB between shards.
 */
final class RoutingDecisionHeaderWriter {
  private static final int MAX_CHARACTERS = 8 << 10;
  private static final String TRUNCATED_MARK = "\"...\"";

  private final StringBuilder text = new StringBuilder(256);

  private RoutingDecisionHeaderWriter() {}

  /** As JSON. */
  static String toJson(Map<String, Object> shown) {
    RoutingDecisionHeaderWriter told = new RoutingDecisionHeaderWriter();
    told.text.append("{\"request_id\":");
    told.writeQuoted(getValue(shown, "request_id"));
    told.text.append(",\"shards\":[");
    boolean first = true;
    for (Object shard : asList(getValue(shown, "shards"))) {
      int before = told.text.length();
      told.text.append(first ? "" : ",");
      told.writeShard(asMap(shard));
      if (told.text.length() + TRUNCATED_MARK.length() + 3 > MAX_CHARACTERS) {
        told.text.setLength(before);
        told.text.append(first ? "" : ",").append(TRUNCATED_MARK);
        break;
      }
      first = false;
    }
    told.text.append(']');
    if (shown.containsKey("pruned_indices")) {
      told.writePruned(asList(getValue(shown, "pruned_indices")));
    }
    return told.text.append('}').toString();
  }

  /** The indices that were left out, as many as there is room for. */
  private void writePruned(List<?> indices) {
    text.append(",\"pruned_indices\":[");
    boolean first = true;
    for (Object index : indices) {
      int before = text.length();
      text.append(first ? "" : ",");
      writePruned(asMap(index));
      if (text.length() + TRUNCATED_MARK.length() + 3 > MAX_CHARACTERS) {
        text.setLength(before);
        if (text.length() + TRUNCATED_MARK.length() + 3 <= MAX_CHARACTERS) {
          text.append(first ? "" : ",").append(TRUNCATED_MARK);
        }
        break;
      }
      first = false;
    }
    text.append(']');
  }

  private void writePruned(Map<String, Object> index) {
    text.append("{\"index\":");
    writeQuoted(getValue(index, "index"));
    text.append(",\"shards\":").append(getValue(index, "shards")).append(",\"field\":");
    writeQuoted(getValue(index, "field"));
    text.append(",\"min\":");
    writeQuoted(getValue(index, "min"));
    text.append(",\"max\":");
    writeQuoted(getValue(index, "max"));
    text.append('}');
  }

  private void writeShard(Map<String, Object> shard) {
    text.append("{\"index\":");
    writeQuoted(getValue(shard, "index"));
    text.append(",\"shard\":").append(getValue(shard, "shard")).append(",\"copies\":[");
    boolean first = true;
    for (Object candidate : asList(getValue(shard, "candidates"))) {
      Map<String, Object> copy = asMap(candidate);
      text.append(first ? "{\"node\":" : ",{\"node\":");
      writeQuoted(getValue(copy, "name"));
      text.append(",\"state\":");
      writeQuoted(getValue(copy, "state"));
      text.append(",\"score\":")
          .append(String.format(Locale.ROOT, "%.4g", (double) getValue(copy, "score")))
          .append('}');
      first = false;
    }
    text.append("],\"calls\":[");
    first = true;
    for (Object call : asList(getValue(shard, "calls"))) {
      Map<String, Object> one = asMap(call);
      text.append(first ? "{\"node\":" : ",{\"node\":");
      writeQuoted(getValue(one, "name"));
      text.append(",\"phase\":");
      writeQuoted(getValue(one, "phase"));
      text.append(",\"reason\":");
      writeQuoted(getValue(one, "reason"));
      text.append(",\"outcome\":");
      writeQuoted(getValue(one, "outcome"));
      text.append(",\"took_ms\":").append(getValue(one, "took_ms")).append('}');
      first = false;
    }
    text.append("]}");
  }

  @SuppressWarnings("unchecked") // RoutingDecisionFormatter made it
  private static Map<String, Object> asMap(Object shown) {
    return (Map<String, Object>) shown;
  }

  private static Object getValue(Map<String, Object> shown, String key) {
    return Objects.requireNonNull(shown.get(key), key);
  }

  private static List<?> asList(Object shown) {
    return (List<?>) shown;
  }

  private void writeQuoted(Object shown) {
    String value = String.valueOf(shown);
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
