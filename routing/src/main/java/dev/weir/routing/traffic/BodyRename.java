package dev.weir.routing.traffic;

import org.jspecify.annotations.Nullable;

/**
 * Puts a cluster's own names of indices into one body while it comes. All other bytes stay as they
 * are; nothing is kept but a name that is not complete yet. Confined to one thread.
 */
public final class BodyRename {
  private static final byte NEWLINE = '\n';

  /** Which bodies name indices, and where. */
  public enum Form {
    /** Lines of {@code _bulk}: {@code _index} in actions; documents are not looked at. */
    BULK,
    /** Lines of {@code _msearch}: {@code index} in every other line; searches are not looked at. */
    SEARCHES,
    /** What {@code _mget} and {@code _mtermvectors} ask for: {@code docs[]._index}. */
    DOCUMENTS
  }

  /** Takes what a body becomes. */
  @FunctionalInterface
  public interface Sink {
    /** The next bytes; they are the giver's again when this returns. */
    void put(byte[] bytes, int from, int length);
  }

  private final Form form;
  private final NamesInJson names;
  private boolean asItIs;
  private boolean begun;

  /** Makes one for a body of which nothing was seen yet. */
  public BodyRename(Form form, IndexRename rename) {
    this.form = form;
    this.names = new NamesInJson(form, rename);
  }

  /** What the body of a request is; null for one that is not changed. */
  public static @Nullable Form formOf(String uri) {
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    String first = "";
    String second = "";
    String third = "";
    int count = 0;
    for (String part : path.split("/", -1)) {
      if (!part.isEmpty()) {
        count++;
        first = count == 1 ? part : first;
        second = count == 2 ? part : second;
        third = count == 3 ? part : third;
      }
    }
    Form own = count > 2 ? null : form(first, second);
    // nodes take what is no endpoint for an index, also where it begins with an underscore
    return own != null || count > 3 ? own : form(second, third);
  }

  private static @Nullable Form form(String endpoint, String below) {
    return switch (endpoint) {
      case "_bulk" -> below.isEmpty() || below.equals("stream") ? Form.BULK : null;
      case "_msearch" -> below.isEmpty() || below.equals("template") ? Form.SEARCHES : null;
      case "_mget", "_mtermvectors" -> below.isEmpty() ? Form.DOCUMENTS : null;
      default -> null;
    };
  }

  /**
   * Takes the next bytes.
   *
   * @return why the body can't be said in the cluster's names; null while it can. After that
   *     nothing more is given
   */
  public @Nullable String take(byte[] bytes, int from, int to, Sink out) {
    int at = from;
    while (at < to) {
      if (asItIs) {
        int end = at;
        while (end < to && bytes[end] != NEWLINE) {
          end++;
        }
        asItIs = end == to;
        end = Math.min(to, end + 1);
        out.put(bytes, at, end - at);
        at = end;
      } else {
        at = names.read(bytes, at, to, out);
        if (names.impossible() != null) {
          return names.impossible();
        }
        if (at < to) {
          out.put(bytes, at, 1);
          at++;
          lineEnded();
        }
      }
      begun = true;
    }
    return null;
  }

  private void lineEnded() {
    asItIs =
        switch (form) {
          case BULK -> !names.firstKey().isEmpty() && !names.firstKey().equals("delete");
          case SEARCHES -> begun || !names.empty(); // nodes pass over an empty first line
          case DOCUMENTS -> false;
        };
    names.restart();
  }

  /** Gives what is left of a body that ends within a name. */
  public void end(Sink out) {
    names.giveUp(out);
  }
}
