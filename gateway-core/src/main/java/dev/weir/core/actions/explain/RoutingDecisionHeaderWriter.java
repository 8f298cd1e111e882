package dev.weir.core.actions.explain;

import dev.weir.model.JsonStringEscaper;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Writes the routing decisions of a request for a response header: one JSON object of ASCII
 * characters, truncated to 8 KB between shards.
 */
final class RoutingDecisionHeaderWriter {
  private static final int MAX_CHARACTERS = 8 << 10;
  private static final String PRUNED_INDICES = ",\"pruned_indices\":[";
  private static final String TRUNCATED_MARK = "\"...\"";

  private final StringBuilder text = new StringBuilder(256);

  private RoutingDecisionHeaderWriter() {}

  static String toJson(Map<String, Object> shown) {
    RoutingDecisionHeaderWriter writer = new RoutingDecisionHeaderWriter();
    writer.text.append("{\"request_id\":");
    writer.writeQuoted(getValue(shown, "request_id"));
    writer.text.append(",\"shards\":[");
    boolean first = true;
    for (Object shard : asList(getValue(shown, "shards"))) {
      int before = writer.text.length();
      writer.text.append(first ? "" : ",");
      writer.writeShard(asMap(shard));
      if (writer.text.length() + TRUNCATED_MARK.length() + 3 > MAX_CHARACTERS) {
        writer.text.setLength(before);
        writer.text.append(first ? "" : ",").append(TRUNCATED_MARK);
        break;
      }
      first = false;
    }
    writer.text.append(']');
    if (shown.containsKey("pruned_indices")) {
      writer.writePruned(asList(getValue(shown, "pruned_indices")));
    }
    return writer.text.append('}').toString();
  }

  /** Writes the pruned indices, as many as fit. */
  private void writePruned(List<?> indices) {
    if (text.length() + PRUNED_INDICES.length() + TRUNCATED_MARK.length() + 3 > MAX_CHARACTERS) {
      return; // the shards were truncated: not even the mark fits
    }
    text.append(PRUNED_INDICES);
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
    text.append(",\"shard\":").append(getValue(shard, "shard"));
    Object unit = getValue(shard, "score_unit");
    if (!unit.equals("")) { // a plain number has none
      text.append(",\"score_unit\":");
      writeQuoted(unit);
    }
    text.append(",\"copies\":[");
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

  private void writeQuoted(Object value) {
    JsonStringEscaper.appendQuotedAscii(text, String.valueOf(value));
  }
}
