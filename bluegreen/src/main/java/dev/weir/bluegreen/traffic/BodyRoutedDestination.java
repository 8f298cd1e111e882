package dev.weir.bluegreen.traffic;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.intake.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpExchange;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RouteFilter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects the cluster by the id of a scroll or a point in time in the request body.
 *
 * @param fallback the destination of a body without such an id
 * @param kind what the body may contain
 * @param resolver finds the cluster of an id in a text; null if there is none
 */
record BodyRoutedDestination(
    ClusterDestination fallback,
    BodyKind kind,
    Function<CharSequence, @Nullable Destination> resolver)
    implements Destination {
  /** Only this many bytes of a body are searched for ids. */
  private static final int MAX_SCANNED_BYTES = 1 << 20;

  private static final List<RouteFilter> BUFFER_FIRST = List.of(new BufferingFilter());

  /** What a body may contain. */
  enum BodyKind {
    /** Searches, which may name a point in time. */
    SEARCHES,
    /** Ids of scrolls or points in time. */
    IDS
  }

  /** What the body of a request may contain that belongs to one cluster; null for nothing. */
  static @Nullable BodyKind bodyKind(String uri) {
    int query = uri.indexOf('?');
    int end = query < 0 ? uri.length() : query;
    while (end > 0 && uri.charAt(end - 1) == '/') { // nodes ignore these
      end--;
    }
    return switch (uri.substring(0, end)) {
      case "/_search", "/_msearch" -> BodyKind.SEARCHES;
      case "/_search/scroll", "/_search/point_in_time" -> BodyKind.IDS;
      default -> null;
    };
  }

  @Override
  public RequestRouter router() {
    return RouteFilter.chain(fallback.router(), BUFFER_FIRST);
  }

  @Override
  public RequestHandler handler() {
    return fallback.handler();
  }

  @Override
  public NodeProxy proxy() {
    return fallback.proxy();
  }

  @Override
  public String clusterName() {
    return fallback.clusterName();
  }

  @Override
  public String translateUri(String uri) {
    return fallback.translateUri(uri);
  }

  @Override
  public RequestPolicy policy() {
    return fallback.policy();
  }

  @Override
  public boolean transformsBodies() {
    return fallback.transformsBodies();
  }

  @Override
  public @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
    return fallback.bodyTransformer(uri, contentType);
  }

  @Override
  public Destination resolveByBody(HttpExchange whole) {
    ByteBuffer body = whole.body();
    int length = Math.min(body.remaining(), MAX_SCANNED_BYTES);
    ByteText text = new ByteText(body, body.position(), body.position() + length);
    if (kind == BodyKind.SEARCHES && !text.mayNamePointInTime()) {
      return fallback;
    }
    Destination named = resolver.apply(text);
    return named == null ? fallback : named;
  }

  /** Bytes as a text of ISO-8859-1, without a copy. */
  private record ByteText(ByteBuffer bytes, int from, int to) implements CharSequence {
    /** Whether the member {@code pit} may occur; an escape may hide it. */
    boolean mayNamePointInTime() {
      for (int i = from; i < to; i++) {
        byte one = bytes.get(i);
        if (one == '\\'
            || (one == 'p' && i + 2 < to && bytes.get(i + 1) == 'i' && bytes.get(i + 2) == 't')) {
          return true;
        }
      }
      return false;
    }

    @Override
    public int length() {
      return to - from;
    }

    @Override
    public char charAt(int index) {
      return (char) (bytes.get(from + Objects.checkIndex(index, to - from)) & 0xff);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      Objects.checkFromToIndex(start, end, to - from);
      return new ByteText(bytes, from + start, from + end);
    }

    @Override
    public String toString() {
      byte[] copy = new byte[to - from];
      bytes.get(from, copy);
      return new String(copy, ISO_8859_1);
    }
  }

  @Override
  public void onRequestEnd(int status, boolean nodesLost) {
    fallback.onRequestEnd(status, nodesLost);
  }

  @Override
  public @Nullable ReleasableRequests releasableRequests() {
    return fallback.releasableRequests();
  }

  @Override
  public @Nullable Supplier<String> serverVersion() {
    return fallback.serverVersion();
  }

  /** Buffers the body of a pass-through request. */
  private static final class BufferingFilter implements RouteFilter {
    private static final RequestRouter.Decision BUFFERED = new RequestRouter.Coordinate("search");

    @Override
    public RequestRouter.Decision filter(
        String method, String uri, RequestRouter.Decision decision) {
      return decision instanceof RequestRouter.PassThrough ? BUFFERED : decision;
    }

    @Override
    public RequestRouter.PassThrough filterLargeBody(
        String method, String uri, RequestRouter.PassThrough decision) {
      return decision;
    }

    @Override
    public RequestRouter.PassThrough filterAfterBody(
        String method, String uri, RequestRouter.PassThrough decision) {
      return decision;
    }
  }
}
