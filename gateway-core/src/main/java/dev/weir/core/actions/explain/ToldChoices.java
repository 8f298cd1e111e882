package dev.weir.core.actions.explain;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Writes what is kept of a request's choices for the client that asked: one JSON object for a
 * response header, of ASCII characters only, cut off after 8 KB between shards.
 */
final class ToldChoices {
  private static final int MOST_CHARACTERS = 8 << 10;
  private static final String CUT = "\"...\"";

  private final StringBuilder text = new StringBuilder(256);

  private ToldChoices() {}

  /** As JSON. */
  static String of(Map<String, Object> shown) {
    ToldChoices told = new ToldChoices();
    told.text.append("{\"request\":");
    told.quote(get(shown, "request"));
    told.text.append(",\"shards\":[");
    boolean first = true;
    for (Object shard : list(get(shown, "shards"))) {
      int before = told.text.length();
      told.text.append(first ? "" : ",");
      told.shard(map(shard));
      if (told.text.length() + CUT.length() + 3 > MOST_CHARACTERS) {
        told.text.setLength(before);
        told.text.append(first ? "" : ",").append(CUT);
        break;
      }
      first = false;
    }
    told.text.append(']');
    if (shown.containsKey("pruned")) {
      told.pruned(list(get(shown, "pruned")));
    }
    return told.text.append('}').toString();
  }

  /** The indices that were left out, as many as there is room for. */
  private void pruned(List<?> indices) {
    text.append(",\"pruned\":[");
    boolean first = true;
    for (Object index : indices) {
      int before = text.length();
      text.append(first ? "" : ",");
      pruned(map(index));
      if (text.length() + CUT.length() + 3 > MOST_CHARACTERS) {
        text.setLength(before);
        if (text.length() + CUT.length() + 3 <= MOST_CHARACTERS) {
          text.append(first ? "" : ",").append(CUT);
        }
        break;
      }
      first = false;
    }
    text.append(']');
  }

  private void pruned(Map<String, Object> index) {
    text.append("{\"index\":");
    quote(get(index, "index"));
    text.append(",\"shards\":").append(get(index, "shards")).append(",\"field\":");
    quote(get(index, "field"));
    text.append(",\"min\":");
    quote(get(index, "min"));
    text.append(",\"max\":");
    quote(get(index, "max"));
    text.append('}');
  }

  private void shard(Map<String, Object> shard) {
    text.append("{\"index\":");
    quote(get(shard, "index"));
    text.append(",\"shard\":").append(get(shard, "shard")).append(",\"copies\":[");
    boolean first = true;
    for (Object candidate : list(get(shard, "candidates"))) {
      Map<String, Object> copy = map(candidate);
      text.append(first ? "{\"node\":" : ",{\"node\":");
      quote(get(copy, "name"));
      text.append(",\"standing\":");
      quote(get(copy, "standing"));
      text.append(",\"score\":")
          .append(String.format(Locale.ROOT, "%.4g", (double) get(copy, "score")))
          .append('}');
      first = false;
    }
    text.append("],\"asked\":[");
    first = true;
    for (Object call : list(get(shard, "asked"))) {
      Map<String, Object> one = map(call);
      text.append(first ? "{\"node\":" : ",{\"node\":");
      quote(get(one, "name"));
      text.append(",\"phase\":");
      quote(get(one, "phase"));
      text.append(",\"reason\":");
      quote(get(one, "reason"));
      text.append(",\"outcome\":");
      quote(get(one, "outcome"));
      text.append(",\"took_ms\":").append(get(one, "took_ms")).append('}');
      first = false;
    }
    text.append("]}");
  }

  @SuppressWarnings("unchecked") // ShownChoices made it
  private static Map<String, Object> map(Object shown) {
    return (Map<String, Object>) shown;
  }

  private static Object get(Map<String, Object> shown, String key) {
    return Objects.requireNonNull(shown.get(key), key);
  }

  private static List<?> list(Object shown) {
    return (List<?>) shown;
  }

  private void quote(Object shown) {
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
