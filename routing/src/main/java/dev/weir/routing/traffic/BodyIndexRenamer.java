package dev.weir.routing.traffic;

import dev.weir.model.PackedBytes;
import org.jspecify.annotations.Nullable;

/**
 * Replaces index names in one request body while it arrives. All other bytes stay unchanged; it
 * buffers nothing except an incomplete name. Confined to one thread.
 *
 * <p>It reads bulks, too, but does not share the scanner of whole lines in {@code dev.weir.rest}:
 * here a line has no array of its own, and the action is known only once its index has been
 * rewritten.
 */
public final class BodyIndexRenamer {
  /** The formats of bodies with index names. */
  public enum BodyFormat {
    /** Lines of {@code _bulk}: {@code _index} in actions; documents stay unread. */
    BULK,
    /** Lines of {@code _msearch}: {@code index} in every other line; searches stay unread. */
    MULTI_SEARCH,
    /** The body of {@code _mget} and {@code _mtermvectors}: {@code docs[]._index}. */
    MULTI_GET
  }

  /** Receives the rewritten body. */
  @FunctionalInterface
  public interface Sink {
    /** Writes bytes; the caller owns the array again when this returns. */
    void write(byte[] bytes, int from, int length);
  }

  private final BodyFormat format;
  private final JsonIndexNameRewriter names;
  private boolean passThrough;
  private boolean started;

  /** Starts a body. */
  public BodyIndexRenamer(BodyFormat form, IndexRenamer rename) {
    this.format = form;
    this.names = new JsonIndexNameRewriter(form, rename);
  }

  /** Returns the format of a request's body; null for a body that stays unchanged. */
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
    // nodes read an unknown endpoint as an index, even with a leading underscore
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
   * Rewrites the next bytes.
   *
   * @return why the body cannot use the cluster's names; null on success. After a failure it
   *     accepts no more bytes
   */
  public @Nullable String rewrite(byte[] bytes, int from, int to, Sink out) {
    int at = from;
    while (at < to) {
      if (passThrough) {
        int newline = PackedBytes.indexOf(bytes, '\n', at, to);
        passThrough = newline < 0;
        int end = passThrough ? to : newline + 1;
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
          case MULTI_SEARCH -> started || !names.isEmpty(); // nodes skip an empty first line
          case MULTI_GET -> false;
        };
    names.restart();
  }

  /** Writes the rest of a body that ends within a name. */
  public void finish(Sink out) {
    names.flushPartialName(out);
  }
}
