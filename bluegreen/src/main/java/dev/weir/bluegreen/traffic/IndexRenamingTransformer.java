package dev.weir.bluegreen.traffic;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.error.BodyTransformException;
import dev.weir.routing.traffic.BodyIndexRenamer;
import dev.weir.routing.traffic.IndexRenamer;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Rewrites index names in a request body for a cluster with its own names. */
public final class IndexRenamingTransformer implements BodyTransformer {
  private static final int CHUNK_SIZE = 16 << 10;

  private final BodyIndexRenamer rename;
  private final String unsupportedReason;

  private IndexRenamingTransformer(BodyIndexRenamer rename, String unreadable) {
    this.rename = rename;
    this.unsupportedReason = unreadable;
  }

  /**
   * Creates the transformer of a request.
   *
   * @param uri the path and query of the request
   * @param contentType null if absent, which nodes reject
   * @return null if the body needs no change
   */
  public static @Nullable IndexRenamingTransformer of(
      IndexRenamer rename, String uri, @Nullable String contentType) {
    BodyIndexRenamer.BodyFormat form = rename.isEmpty() ? null : BodyIndexRenamer.formatOf(uri);
    return form == null
        ? null
        : new IndexRenamingTransformer(
            new BodyIndexRenamer(form, rename),
            contentType == null ? "" : unsupportedReason(contentType));
  }

  /** Why the body can't be rewritten; empty if it can. */
  private static String unsupportedReason(String contentType) {
    int parameters = contentType.indexOf(';');
    String type =
        (parameters < 0 ? contentType : contentType.substring(0, parameters))
            .trim()
            .toLowerCase(Locale.ROOT);
    return switch (type) {
      case "application/json", "application/x-ndjson" -> "";
      default ->
          "got "
              + type
              + " (expected: application/json or application/x-ndjson, as this cluster has its own"
              + " names of indices)";
    };
  }

  @Override
  public void transform(ByteBuf from, ByteBuf to) {
    if (!unsupportedReason.isEmpty()) {
      throw new BodyTransformException(unsupportedReason);
    }
    int length = from.readableBytes();
    if (from.hasArray()) {
      int start = from.arrayOffset() + from.readerIndex();
      take(from.array(), start, start + length, to);
      return;
    }
    byte[] piece = new byte[Math.min(length, CHUNK_SIZE)];
    for (int at = 0; at < length; at += piece.length) {
      int size = Math.min(piece.length, length - at);
      from.getBytes(from.readerIndex() + at, piece, 0, size);
      take(piece, 0, size, to);
    }
  }

  private void take(byte[] bytes, int from, int until, ByteBuf to) {
    String error = rename.rewrite(bytes, from, until, to::writeBytes);
    if (error != null) {
      throw new BodyTransformException(error);
    }
  }

  @Override
  public void finish(ByteBuf to) {
    rename.finish(to::writeBytes);
  }
}
