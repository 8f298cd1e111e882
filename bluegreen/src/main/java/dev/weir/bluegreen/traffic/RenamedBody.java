package dev.weir.bluegreen.traffic;

import dev.weir.http.BodyChange;
import dev.weir.http.UnchangeableBodyException;
import dev.weir.routing.traffic.BodyRename;
import dev.weir.routing.traffic.IndexRename;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A body on its way to a cluster that has its own names of indices. */
public final class RenamedBody implements BodyChange {
  private static final int PIECE = 16 << 10;

  private final BodyRename rename;
  private final String unreadable;

  private RenamedBody(BodyRename rename, String unreadable) {
    this.rename = rename;
    this.unreadable = unreadable;
  }

  /**
   * Of a request.
   *
   * @param uri its path and query
   * @param contentType null for none, which nodes refuse
   * @return null when its body stays as it is
   */
  public static @Nullable RenamedBody of(
      IndexRename rename, String uri, @Nullable String contentType) {
    BodyRename.Form form = rename.isEmpty() ? null : BodyRename.formOf(uri);
    return form == null
        ? null
        : new RenamedBody(
            new BodyRename(form, rename), contentType == null ? "" : unreadable(contentType));
  }

  /** Why its names can't be found; empty when they can. */
  private static String unreadable(String contentType) {
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
  public void take(ByteBuf from, ByteBuf to) {
    if (!unreadable.isEmpty()) {
      throw new UnchangeableBodyException(unreadable);
    }
    int length = from.readableBytes();
    if (from.hasArray()) {
      int start = from.arrayOffset() + from.readerIndex();
      take(from.array(), start, start + length, to);
      return;
    }
    byte[] piece = new byte[Math.min(length, PIECE)];
    for (int at = 0; at < length; at += piece.length) {
      int size = Math.min(piece.length, length - at);
      from.getBytes(from.readerIndex() + at, piece, 0, size);
      take(piece, 0, size, to);
    }
  }

  private void take(byte[] bytes, int from, int until, ByteBuf to) {
    String why = rename.take(bytes, from, until, to::writeBytes);
    if (why != null) {
      throw new UnchangeableBodyException(why);
    }
  }

  @Override
  public void end(ByteBuf to) {
    rename.end(to::writeBytes);
  }
}
