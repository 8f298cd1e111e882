package dev.weir.routing.traffic;

import org.jspecify.annotations.Nullable;

/**
 * Puts a cluster's own names of indices into one body while it comes. All other bytes stay as they
 * are; nothing is kept but a name that is not complete yet. Confined to one thread.
 */
public final class BodyIndexRenamer {
  private static final byte NEWLINE = '\n';

  /** Which bodies name indices, and where. */
  public enum BodyFormat {
    /** Lines of {@code _bulk}: {@code _index} in actions; documents are not looked at. */
    BULK,
    /** Lines of {@code _msearch}: {@code index} in every other line; searches are not looked at. */
    MULTI_SEARCH,
    /** What {@code _mget} and {@code _mtermvectors} ask for: {@code docs[]._index}. */
    MULTI_GET
  }

  /** Takes what a body becomes. */
  @FunctionalInterface
  public interface Sink {
    /** The next bytes; they are the giver's again when this returns. */
    void write(byte[] bytes, int from, int length);
  }

  private final BodyFormat format;
  private final JsonIndexNameRewriter names;
  private boolean passThrough;
  private boolean started;

  /** Makes one for a body of which nothing was seen yet. */
  public BodyIndexRenamer(BodyFormat form, IndexRenamer rename) {
    this.format = form;
    this.names = new JsonIndexNameRewriter(form, rename);
  }

  /** What the body of a request is; null for one that is not changed. */
  public static @Nullable BodyFormat formatOf(String uri) {
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
    BodyFormat own = count > 2 ? null : format(first, second);
    // nodes take what is no endpoint for an index, also where it begins with an underscore
    return own != null || count > 3 ? own : format(second, third);
  }

  private static @Nullable BodyFormat format(String endpoint, String below) {
    return switch (endpoint) {
      case "_bulk" -> below.isEmpty() || below.equals("stream") ? BodyFormat.BULK : null;
      case "_msearch" ->
          below.isEmpty() || below.equals("template") ? BodyFormat.MULTI_SEARCH : null;
      case "_mget", "_mtermvectors" -> below.isEmpty() ? BodyFormat.MULTI_GET : null;
      default -> null;
    };
  }

  /**
   * Takes the next bytes.
   *
   * @return why the body can't be said in the cluster's names; null while it can. After that
   *     nothing more is given
   */
  public @Nullable String rewrite(byte[] bytes, int from, int to, Sink out) {
    int at = from;
    while (at < to) {
      if (passThrough) {
        int end = at;
        while (end < to && bytes[end] != NEWLINE) {
          end++;
        }
        passThrough = end == to;
        end = Math.min(to, end + 1);
        out.write(bytes, at, end - at);
        at = end;
      } else {
        at = names.rewrite(bytes, at, to, out);
        if (names.failureReason() != null) {
          return names.failureReason();
        }
        if (at < to) {
          out.write(bytes, at, 1);
          at++;
          onLineEnd();
        }
      }
      started = true;
    }
    return null;
  }

  private void onLineEnd() {
    passThrough =
        switch (format) {
          case BULK -> !names.firstKey().isEmpty() && !names.firstKey().equals("delete");
          case MULTI_SEARCH -> started || !names.isEmpty(); // nodes pass over an empty first line
          case MULTI_GET -> false;
        };
    names.restart();
  }

  /** Gives what is left of a body that ends within a name. */
  public void finish(Sink out) {
    names.flushPartialName(out);
  }
}
