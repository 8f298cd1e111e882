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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects the cluster by the id of a scroll or a point in time in the request body.
 *
 * @param fallback the destination of a body without such an id
 * @param resolver finds the cluster of an id in a text; null if there is none
 */
record BodyRoutedDestination(
    ClusterDestination fallback, Function<CharSequence, @Nullable Destination> resolver)
    implements Destination {
  /** Only this many bytes of a body are searched for ids. */
  private static final int MAX_SCANNED_CHARS = 1 << 20;

  private static final List<RouteFilter> BUFFER_FIRST = List.of(new BufferingFilter());

  /** Whether the body of a request to this path may contain an id of one cluster. */
  static boolean isApplicable(String uri) {
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    return switch (path) {
      case "/_search", "/_search/", "/_msearch", "/_search/scroll", "/_search/point_in_time" ->
          true;
      default -> false;
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
    ByteBuffer body = whole.body().duplicate();
    body.limit(body.position() + Math.min(body.remaining(), MAX_SCANNED_CHARS));
    Destination named = resolver.apply(ISO_8859_1.decode(body));
    return named == null ? fallback : named;
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
