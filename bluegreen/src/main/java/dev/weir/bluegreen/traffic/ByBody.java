package dev.weir.bluegreen.traffic;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.weir.http.BodyChange;
import dev.weir.http.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes at first whose body may say that it goes elsewhere, by the id of a scroll or
 * a point in time.
 *
 * @param otherwise where it goes when its body says nothing
 * @param byIds finds the cluster that made an id in a text; null for none
 */
record ByBody(ChosenCluster otherwise, Function<CharSequence, @Nullable Destination> byIds)
    implements Destination {
  /** Ids that come later in a body are not found. */
  private static final int MOST_READ = 1 << 20;

  /** Whether a request of this path may name in its body what one cluster made. */
  static boolean suits(String uri) {
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
    return new Gathering(otherwise.router());
  }

  @Override
  public RequestHandler handler() {
    return otherwise.handler();
  }

  @Override
  public NodeProxy proxy() {
    return otherwise.proxy();
  }

  @Override
  public String clusterName() {
    return otherwise.clusterName();
  }

  @Override
  public String uri(String uri) {
    return otherwise.uri(uri);
  }

  @Override
  public RequestPolicy policy() {
    return otherwise.policy();
  }

  @Override
  public boolean changes() {
    return otherwise.changes();
  }

  @Override
  public @Nullable BodyChange change(String uri, @Nullable String contentType) {
    return otherwise.change(uri, contentType);
  }

  @Override
  public Destination settled(HttpExchange whole) {
    ByteBuffer body = whole.body().duplicate();
    body.limit(body.position() + Math.min(body.remaining(), MOST_READ));
    Destination named = byIds.apply(ISO_8859_1.decode(body));
    return named == null ? otherwise : named;
  }

  @Override
  public void over(int status) {
    otherwise.over(status);
  }

  /** Has the body of a request read first that would pass through. */
  private record Gathering(RequestRouter router) implements RequestRouter {
    private static final Way GATHERED = new Coordinate("search");

    @Override
    public Way route(String method, String uri) {
      Way way = router.route(method, uri);
      return way instanceof PassThrough ? GATHERED : way;
    }

    @Override
    public PassThrough large(String method, String uri) {
      return router.large(method, uri);
    }

    @Override
    public PassThrough late(String method, String uri, String reason) {
      return router.late(method, uri, reason);
    }
  }
}
